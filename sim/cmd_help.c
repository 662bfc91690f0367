/* cmd_help.c - `gsim help`: commands, scenario keys and metrics, each from the table that the program itself uses. */
#include "sim/base/units.h"
#include "sim/cli.h"
#include "sim/metrics/metrics.h"

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

static int topic_help(struct gs_cli *cli, const char *topic)
{
    struct gs_buf out = {0};
    const char *near = NULL;
    int status = 0;
    if (strcmp(topic, "keys") == 0)
        gs_key_reference(&out);
    else if (strcmp(topic, "metrics") == 0)
        gs_metric_help(NULL, &out);
    else if (is_metric(topic))
        gs_metric_help(topic, &out);
    else if (!gs_key_help(topic, &out, &near))
        status = unknown_topic(cli, topic, near);
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
