/* cmd_help.c - `gsim help`: commands, scenario keys and metrics, each from the table that the program itself uses. */
#include "sim/base/units.h"
#include "sim/cli.h"
#include "sim/failures.h"
#include "sim/history.h"
#include "sim/metrics/metrics.h"
#include "traces/listing.h"
#include "traces/trace.h"

#include <stdio.h>
#include <string.h>

static void overview(void)
{
    size_t n = 0;
    const struct gs_command *t = gs_commands(&n);
    (void)printf("gsim %s - a deterministic simulator of GPU clusters, for scheduling policies\n\n"
                 "  gsim scenario.ini            simulate (the same as gsim run scenario.ini)\n\n",
                 GSIM_VERSION);
    for (size_t i = 0; i < n; i++)
        (void)printf("  gsim %-9s %-28s %s\n", t[i].name, t[i].args, t[i].what);
    (void)printf(
        "\nEvery command takes --help. Keys of a scenario: gsim help keys, gsim help KEY. Metrics: gsim help metrics.\n"
        "Trace formats: gsim help formats.\n"
        "Start with: gsim run scenarios/quickstart.ini\n");
}

static int is_metric(const char *name)
{
    size_t n = 0;
    const struct gs_metric *t = gs_metric_table(&n);
    for (size_t i = 0; i < n; i++)
        if (strncmp(t[i].name, name, strlen(name)) == 0 && strchr(".", t[i].name[strlen(name)]))
            return 1; /* the metric itself (the end is in ".", too), or a family of metrics */
    return 0;
}

static int unknown_topic(struct gs_cli *cli, const char *topic, const char *near)
{
    if (near)
        gs_complain(&cli->log, "no help on '%s' (did you mean '%s'?)", topic, near);
    else
        gs_complain(&cli->log,
                    "no help on '%s': it is no command, scenario key or metric (see gsim help)",
                    topic);
    return 2;
}

/* Two lines a format: what there is to choose by, then the units. */
static void format_help(struct gs_buf *out)
{
    gs_buf_str(
        out,
        "Formats of workload traces. A format is guessed from the content; --format=NAME, in a\n"
        "scenario format = NAME, names it. Zone: of wall clocks without one. info: gsim trace info\n"
        "only, there are no records to replay.\n\n");
    gs_buf_fmt(out, "%-18s %-8s %-19s %s\n", "name", "holds", "zone", "what; units");
    for (const struct gs_trace_format *f = gs_trace_formats(); f->name; f++) {
        gs_buf_fmt(out, "%-18s %-8s %-19s %s\n", f->name,
                   f->no_records ? "info"
                   : f->calls    ? "requests"
                                 : "jobs",
                   f->zone ? f->zone : "-", f->what);
        if (f->units)
            gs_buf_fmt(out, "%47s %s\n", "", f->units);
    }
}

static void examples(struct gs_buf *out, const char *head, const char *(*example)(size_t i),
                     const char *tail)
{
    gs_buf_str(out, head);
    for (size_t i = 0; example(i); i++)
        gs_buf_fmt(out, "  %s\n", example(i));
    gs_buf_str(out, tail);
}

/* Words that stand in values: distributions, arrival processes, estimates. 1 if the topic is one of them. */
static int value_help(const char *topic, struct gs_buf *out)
{
    if (strcmp(topic, "distributions") == 0)
        examples(out, "A distribution is a word and its parameters, or one quantity (constant):\n",
                 gs_dist_example, "Each may be clamped: clip=MIN..MAX\n");
    else if (strcmp(topic, "arrivals") == 0)
        examples(out, "An arrival process ([workload] arrivals):\n", gs_arrivals_example,
                 "Each may follow the day and the week: daily=0:0.4,9:1.5,18:1.0 weekend=0.5\n"
                 "(relative rates from that hour on; 1 is the rate as written)\n");
    else if (strcmp(topic, "estimates") == 0)
        gs_buf_str(
            out,
            "Where run-time estimates come from ([trace] and [workload] estimate):\n"
            "  exact                  the run time itself; results are marked oracle\n"
            "  factor DISTRIBUTION    run time times a factor, e.g. factor uniform 1 3\n"
            "  limit TIME             one time limit for all\n"
            "  user bias=2 sigma=0.5  a lognormal factor, never below 1, in minutes; round=popular: 1h, 2h, 4h, ...\n"
            "  none                   no job has one\n"
            "In [trace] it replaces the estimates that the file has.\n");
    else
        return 0;
    return 1;
}

/* Lists that a scenario names, by their section. */
static void list_help(const char *topic, struct gs_buf *out)
{
    const struct gs_listing_form *const forms[] = {&gs_history_form, &gs_plans_form,
                                                   &gs_failures_form};
    const size_t bracket = topic[0] == '[';
    for (size_t i = 0; i < sizeof forms / sizeof *forms; i++) {
        const size_t n = strlen(forms[i]->section);
        if (strncmp(topic + bracket, forms[i]->section, n) != 0 ||
            strcmp(topic + bracket + n, bracket ? "]" : "") != 0)
            continue;
        gs_buf_str(out, "\n");
        gs_listing_help(forms[i], out);
    }
}

/* A word may be a key and a family of metrics, such as `load`: both are shown. 0 if it is neither. */
static int metric_and_key(const char *topic, struct gs_buf *out, const char **near)
{
    const int metric = is_metric(topic);
    if (metric)
        gs_metric_help(topic, out);
    struct gs_buf keys = {0};
    const int key = gs_key_help(topic, &keys, near);
    if (key)
        gs_buf_fmt(out, "%s%s", metric ? "\n" : "", gs_buf_cstr(&keys));
    gs_buf_free(&keys);
    return metric || key;
}

static int topic_help(struct gs_cli *cli, const char *topic)
{
    struct gs_buf out = {0};
    const char *near = NULL;
    int status = 0;
    if (value_help(topic, &out))
        status = 0;
    else if (strcmp(topic, "keys") == 0)
        gs_key_reference(&out);
    else if (strcmp(topic, "formats") == 0)
        format_help(&out);
    else if (strcmp(topic, "metrics") == 0)
        gs_metric_help(NULL, &out);
    else if (!metric_and_key(topic, &out, &near))
        status = unknown_topic(cli, topic, near);
    else if (strcmp(topic, "[trace]") == 0)
        gs_buf_str(&out, "\nThe command: gsim help trace. Formats: gsim help formats.\n");
    list_help(topic, &out);
    if (!status)
        (void)fputs(gs_buf_cstr(&out), stdout);
    gs_buf_free(&out);
    return status;
}

static int command_help(struct gs_cli *cli, const struct gs_command *c)
{
    char name[64], help[] = "--help";
    (void)gs_fmt(name, sizeof name, "gsim %s", c->name);
    char *argv[] = {name, help, NULL};
    return c->fn(cli, 2, argv); /* argp prints and leaves */
}

int gs_cmd_help(struct gs_cli *cli, int argc, char **argv)
{
    gs_cli_begin(cli);
    if (argc < 2 || strcmp(argv[1], "--help") == 0 || strcmp(argv[1], "-h") == 0 ||
        strcmp(argv[1], "-?") == 0) {
        overview();
        return 0;
    }
    if (strcmp(argv[1], "--version") == 0 || strcmp(argv[1], "-V") == 0) {
        (void)printf("gsim %s\n", GSIM_VERSION);
        return 0;
    }
    size_t n = 0;
    const struct gs_command *t = gs_commands(&n);
    for (size_t i = 0; i < n; i++)
        if (strcmp(t[i].name, argv[1]) == 0 && t[i].fn != gs_cmd_help)
            return command_help(cli, &t[i]);
    if (strcmp(argv[0], "gsim help") == 0)
        return topic_help(cli, argv[1]);
    const char *words[16];
    for (size_t i = 0; i < n && i < 16; i++)
        words[i] = t[i].name;
    const char *near = gs_nearest(argv[1], words, n);
    gs_complain(&cli->log, "'%s' is not a command or a scenario file%s%s%s (see gsim help)",
                argv[1], near ? " (did you mean '" : "", near ? near : "", near ? "'?)" : "");
    return 2;
}
