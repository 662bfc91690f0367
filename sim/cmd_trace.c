/* cmd_trace.c - `gsim trace VERB ...`: finds the verb; each is a command of its own. */
#include "sim/cli.h"

#include <stdio.h>
#include <string.h>

static const struct gs_command verbs[] = {
    {"info", "FILE...", "what a workload trace holds", gs_cmd_trace_info},
    {"convert", "FILE -o OUT", "a trace in another format, and what was lost",
     gs_cmd_trace_convert},
    {"generate", "FILE -o OUT", "the synthetic workload of a scenario as a trace",
     gs_cmd_trace_generate},
    {"fit", "FILE", "a [workload] section that looks like a trace", gs_cmd_trace_fit},
};

enum {
    NVERBS = sizeof verbs / sizeof *verbs
};

static int list_verbs(FILE *to)
{
    (void)fprintf(to, "Usage: gsim trace VERB ...\n\n");
    for (size_t i = 0; i < NVERBS; i++)
        (void)fprintf(to, "  %-9s %-12s %s\n", verbs[i].name, verbs[i].args, verbs[i].what);
    (void)fprintf(
        to,
        "\n`gsim trace VERB --help` tells more; formats: gsim help formats; the [trace] section of "
        "a scenario:\ngsim help '[trace]'. Example: gsim trace info "
        "traces/samples/jobs.swf\n");
    return 0;
}

int gs_cmd_trace(struct gs_cli *cli, int argc, char **argv)
{
    const char *verb = argc > 1 ? argv[1] : "";
    if (strcmp(verb, "--help") == 0 || strcmp(verb, "-?") == 0)
        return list_verbs(stdout);
    for (size_t i = 0; i < NVERBS; i++) {
        if (strcmp(verb, verbs[i].name) != 0)
            continue;
        char name[64];
        (void)gs_fmt(name, sizeof name, "gsim trace %s", verb);
        argv[1] = name;
        return verbs[i].fn(cli, argc - 1, argv + 1);
    }
    (void)fprintf(stderr, "gsim: '%s' is not a trace command\n", verb);
    (void)list_verbs(stderr);
    return 2;
}
