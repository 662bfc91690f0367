/* cmd_catalog.c - `gsim catalog gpus|servers`: the hardware tables, with the confidence of each row. */
#include "sim/cli.h"
#include "sim/hardware/catalog.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

struct args {
    struct gs_cli *cli;
    const char *table;
};

static error_t parse(int key, char *arg, struct argp_state *state)
{
    struct args *a = state->input;
    switch (key) {
    case ARGP_KEY_INIT: state->child_inputs[0] = a->cli; break;
    case ARGP_KEY_ARG: a->table = arg; break;
    case ARGP_KEY_END:
        if (!a->table || (strcmp(a->table, "gpus") != 0 && strcmp(a->table, "servers") != 0))
            argp_error(state, "'%s' is not a table of the catalog: try gpus or servers",
                       a->table ? a->table : "");
        break;
    default: return ARGP_ERR_UNKNOWN;
    }
    return 0;
}

static const struct argp_child CHILDREN[] = {{&gs_common_argp, 0, "Common options:", 90}, {0}};
static const struct argp ARGP = {
    NULL,
    parse,
    "gpus|servers",
    "The hardware tables. conf: A read in a primary source, B in a secondary one, C recalled; rows marked UNVERIFIED hold a figure "
    "that could not be checked.\vExample: gsim catalog servers",
    CHILDREN,
    NULL,
    NULL};

static void figure(double x, int width)
{
    if (isnan(x))
        (void)printf(" %*s", width, "-");
    else
        (void)printf(" %*g", width, x);
}

static void gpus(const struct gs_catalog *c)
{
    (void)printf("%-30s %-8s %10s %9s %11s %6s %6s  %s\n", "model", "arch", "memory_mib",
                 "mem_gb_s", "bf16_tflops", "tdp_w", "mig", "conf");
    for (size_t i = 0; i < c->ngpus; i++) {
        const struct gs_gpu_model *g = &c->gpus[i];
        (void)printf("%-30s %-8.8s %10lld", g->name, g->arch, (long long)g->memory_mib);
        figure(g->mem_bw_gbs, 9);
        figure(g->bf16_tflops, 11);
        figure(g->tdp_w, 6);
        (void)printf(" %6d  %c%s\n", g->mig_max_instances, g->confidence,
                     g->unverified ? " UNVERIFIED" : "");
    }
}

static void known(int64_t x, int64_t unit, int width)
{
    if (x < 0)
        (void)printf(" %*s", width, "-");
    else
        (void)printf(" %*lld", width, (long long)(x / unit));
}

static void servers(const struct gs_catalog *c)
{
    (void)printf("%-22s %-26s %5s %6s %11s %5s  %s\n", "server", "gpu", "gpus", "cpus",
                 "memory_mib", "nics", "conf");
    for (size_t i = 0; i < c->nservers; i++) {
        const struct gs_server_model *s = &c->servers[i];
        (void)printf("%-22s %-26s %5u", s->name, s->gpu, s->gpus);
        known(s->cpus_milli, 1000, 6);
        known(s->memory_mib, 1, 11);
        (void)printf(" %5u  %c%s\n", s->nics, s->confidence, s->unverified ? " UNVERIFIED" : "");
    }
}

int gs_cmd_catalog(struct gs_cli *cli, int argc, char **argv)
{
    struct args a = {.cli = cli};
    struct gs_catalog c = {0};
    struct gs_err err = {0};
    if (argp_parse(&ARGP, argc, argv, 0, NULL, &a))
        return 2;
    gs_cli_begin(cli);
    enum gs_rc rc = gs_catalog_load(&c, NULL, &err);
    if (!rc && strcmp(a.table, "gpus") == 0)
        gpus(&c);
    else if (!rc)
        servers(&c);
    gs_catalog_release(&c);
    return rc ? gs_cli_fail(cli, rc, &err) : 0;
}
