/* cmd_catalog.c - `gsim catalog gpus|servers`: the hardware tables, with the confidence of each row. */
#include "sim/cli.h"
#include "sim/hardware/catalog.h"

#include <jansson.h>

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

static const struct argp_child children[] = {{&gs_common_argp, 0, "Common options:", 90}, {0}};
static const struct argp program = {
    NULL,
    parse,
    "gpus|servers",
    "The hardware tables. conf: A read in a primary source, B in a secondary one, C recalled; rows marked UNVERIFIED hold a figure "
    "that could not be checked.\vExample: gsim catalog servers",
    children,
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

static json_t *known_number(double x)
{
    return isnan(x) || x < 0 ? json_null() : json_real(x);
}

static json_t *gpus_json(const struct gs_catalog *c)
{
    json_t *a = json_array();
    for (size_t i = 0; i < c->ngpus; i++) {
        const struct gs_gpu_model *g = &c->gpus[i];
        json_t *o = json_object();
        (void)json_object_set_new(o, "model", json_string(g->name));
        (void)json_object_set_new(o, "vendor", json_string(g->vendor));
        (void)json_object_set_new(o, "arch", json_string(g->arch));
        (void)json_object_set_new(o, "memory_mib", known_number((double)g->memory_mib));
        (void)json_object_set_new(o, "mem_bw_gbs", known_number(g->mem_bw_gbs));
        (void)json_object_set_new(o, "bf16_tflops", known_number(g->bf16_tflops));
        (void)json_object_set_new(o, "tdp_w", known_number(g->tdp_w));
        (void)json_object_set_new(o, "nvlink_gbs", known_number(g->nvlink_gbs));
        (void)json_object_set_new(o, "mig_max_instances", known_number(g->mig_max_instances));
        (void)json_object_set_new(o, "confidence", json_sprintf("%c", g->confidence));
        (void)json_object_set_new(o, "unverified", json_boolean(g->unverified));
        (void)json_object_set_new(o, "source", json_string(g->source));
        (void)json_array_append_new(a, o);
    }
    return a;
}

static json_t *servers_json(const struct gs_catalog *c)
{
    json_t *a = json_array();
    for (size_t i = 0; i < c->nservers; i++) {
        const struct gs_server_model *s = &c->servers[i];
        json_t *o = json_object();
        (void)json_object_set_new(o, "server", json_string(s->name));
        (void)json_object_set_new(o, "aliases", json_string(s->aliases));
        (void)json_object_set_new(o, "gpu", json_string(s->gpu));
        (void)json_object_set_new(o, "gpus", json_integer(s->gpus));
        (void)json_object_set_new(o, "cpus", known_number((double)s->cpus_milli / 1000));
        (void)json_object_set_new(o, "memory_mib", known_number((double)s->memory_mib));
        (void)json_object_set_new(o, "nics", json_integer(s->nics));
        (void)json_object_set_new(o, "confidence", json_sprintf("%c", s->confidence));
        (void)json_object_set_new(o, "unverified", json_boolean(s->unverified));
        (void)json_object_set_new(o, "source", json_string(s->source));
        (void)json_array_append_new(a, o);
    }
    return a;
}

static void print_json(json_t *a)
{
    (void)json_dumpf(a, stdout, JSON_INDENT(2) | JSON_PRESERVE_ORDER);
    (void)fputc('\n', stdout);
    json_decref(a);
}

int gs_cmd_catalog(struct gs_cli *cli, int argc, char **argv)
{
    struct args a = {.cli = cli};
    struct gs_catalog c = {0};
    struct gs_err err = {0};
    if (argp_parse(&program, argc, argv, 0, NULL, &a))
        return 2;
    gs_cli_begin(cli);
    enum gs_rc rc = gs_catalog_load(&c, NULL, &err);
    const int want_gpus = strcmp(a.table, "gpus") == 0;
    if (!rc && cli->json)
        print_json(want_gpus ? gpus_json(&c) : servers_json(&c));
    else if (!rc && want_gpus)
        gpus(&c);
    else if (!rc)
        servers(&c);
    gs_catalog_release(&c);
    return rc ? gs_cli_fail(cli, rc, &err) : 0;
}
