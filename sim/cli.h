/* cli.h - what all sub-commands share: the common options, the table of commands, and the way that errors leave the program. */
#ifndef GS_CLI_H
#define GS_CLI_H

#include "sim/base/err.h"
#include "sim/base/log.h"
#include "sim/scenario/settings.h"

#include <argp.h>

struct gs_cli {
    struct gs_log log;
    enum gs_log_level level;
    enum gs_color color;
    int json, plain_progress;
    const char *
        policy_path; /* --policy-path, then $GSIM_POLICY_PATH, then the build's or the installation's own */
    struct gs_buf path_buf;
    const char *history; /* command line without -o, -j, colours */
    struct gs_buf history_buf;
};

typedef int gs_command_fn(struct gs_cli *cli, int argc,
                          char **argv); /* argv[0] = "gsim COMMAND"; returns the exit status */

struct gs_command {
    const char *name, *args, *what;
    gs_command_fn *fn;
};
const struct gs_command *gs_commands(size_t *n);

/* The argp child with --quiet, --verbose, --color, --json, --policy-path, --progress. Its input is the struct gs_cli. */
extern const struct argp gs_common_argp;

enum {
    GS_OPT_COLOR = 0x1000,
    GS_OPT_JSON,
    GS_OPT_POLICY_PATH,
    GS_OPT_PROGRESS,
    GS_OPT_OWN /* first free for a command */
};

/* Arguments that several commands take; a bad one is argp's error. KEY=VALUE is cut in place. */
enum gs_bad_rows gs_cli_bad_rows(struct argp_state *state, const char *arg);
enum gs_ambiguous gs_cli_ambiguous(struct argp_state *state, const char *arg);
struct gs_override gs_cli_set(struct argp_state *state, char *arg);

void gs_cli_begin(struct gs_cli *cli); /* after options: resolves paths, colours */
void gs_cli_end(struct gs_cli *cli);
/* Says err on standard error, in full, and returns the exit status of rc. */
int gs_cli_fail(struct gs_cli *cli, enum gs_rc rc, const struct gs_err *err);
/* Flushes standard output: a closed pipe ends quietly with status, a full disk is an I/O error. */
int gs_cli_finish(struct gs_cli *cli, int status);
const char *gs_share_dir(void); /* plot styles and scenarios: the build's or the installation's */

struct gs_plot_to;
/* Charts of each file and, of several, one that compares them; says each path. */
GS_NODISCARD enum gs_rc gs_cmd_plot_files(struct gs_cli *cli, const char *const *h5,
                                          const char *const *labels, size_t n,
                                          const struct gs_plot_to *to, struct gs_err *err);

gs_command_fn gs_cmd_run, gs_cmd_validate, gs_cmd_compare, gs_cmd_check, gs_cmd_plot, gs_cmd_trace,
    gs_cmd_trace_info, gs_cmd_trace_convert, gs_cmd_trace_generate, gs_cmd_trace_fit, gs_cmd_policy,
    gs_cmd_catalog, gs_cmd_reproduce, gs_cmd_help;

#endif
