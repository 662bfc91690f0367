/* cmd_policy.c - `gsim policy list` and `gsim policy show NAME`: the modules found and what they say of themselves. */
#include "policies/host/host.h"
#include "sim/cli.h"

#include <jansson.h>

#include <stdio.h>
#include <string.h>

struct args {
    struct gs_cli *cli;
    const char *verb, *name;
};

static error_t parse(int key, char *arg, struct argp_state *state)
{
    struct args *a = state->input;
    switch (key) {
    case ARGP_KEY_INIT: state->child_inputs[0] = a->cli; break;
    case ARGP_KEY_ARG:
        if (!a->verb)
            a->verb = arg;
        else if (!a->name)
            a->name = arg;
        else
            argp_error(state, "one module at a time");
        break;
    case ARGP_KEY_END:
        if (!a->verb || (strcmp(a->verb, "list") != 0 && strcmp(a->verb, "show") != 0))
            argp_error(state, "'%s' is not a policy command: try list, or show NAME",
                       a->verb ? a->verb : "");
        else if (strcmp(a->verb, "show") == 0 && !a->name)
            argp_error(state, "which module? see gsim policy list");
        break;
    default: return ARGP_ERR_UNKNOWN;
    }
    return 0;
}

static const struct argp_child children[] = {{&gs_common_argp, 0, "Common options:", 90}, {0}};
static const struct argp program = {
    NULL,
    parse,
    "list\nshow NAME",
    "The policy modules found on the policy path.\vExample: gsim policy show easy",
    children,
    NULL,
    NULL};

static void roles_of(const struct gsp_manifest *m, struct gs_buf *b)
{
    const struct gsp_ops *o = m->ops;

    const struct {
        const char *name;
        int has;
    } roles[] = {{"scheduler", o->cycle != NULL},
                 {"order", o->order != NULL},
                 {"placement", o->score != NULL || o->filter != NULL || o->pick != NULL},
                 {"backfill", o->backfill != NULL},
                 {"preemption", o->preempt != NULL},
                 {"extension", m->extension != NULL}};

    for (size_t i = 0; i < sizeof roles / sizeof *roles; i++)
        if (roles[i].has)
            gs_buf_fmt(b, "%s%s", b->n ? ", " : "", roles[i].name);
}

struct listing {
    struct gs_cli *cli;
    GS_VEC(char *) seen;
    int failed;
    json_t *json; /* NULL = as text */
};

static void list_one(void *ctx, const char *path, const char *id)
{
    struct listing *l = ctx;
    struct gs_module *m = NULL;
    struct gs_err err = {0};
    struct gs_buf roles = {0};
    for (size_t i = 0; i < l->seen.n; i++)
        if (strcmp(l->seen.v[i], id) == 0)
            return; /* the first on the path wins */
    gs_vec_push(&l->seen, gs_strdup(id));
    if (gs_module_open("", path, &m, &err)) {
        gs_warn(&l->cli->log, "%s", err.msg);
        l->failed = 1;
        return;
    }
    const struct gsp_manifest *mf = gs_module_manifest(m);
    roles_of(mf, &roles);
    if (l->json) {
        json_t *o = json_object();
        (void)json_object_set_new(o, "id", json_string(mf->id));
        (void)json_object_set_new(o, "name", json_string(mf->name ? mf->name : ""));
        (void)json_object_set_new(o, "version", json_string(mf->version ? mf->version : ""));
        (void)json_object_set_new(o, "roles", json_string(gs_buf_cstr(&roles)));
        (void)json_object_set_new(o, "file", json_string(path));
        (void)json_array_append_new(l->json, o);
    } else {
        (void)printf("%-16s %-22s %s\n", mf->id, gs_buf_cstr(&roles),
                     mf->doc    ? mf->doc
                     : mf->name ? mf->name
                                : "");
    }
    gs_buf_free(&roles);
    gs_module_close(m);
}

static void show_param(const struct gsp_param *p)
{
    const char *unit = p->unit ? p->unit : "";
    (void)printf("\n%s = %s%s%s\n    %s\n", p->name, p->def ? p->def : "", *unit ? " " : "", unit,
                 p->doc ? p->doc : "");
    if (p->words)
        (void)printf("    one of %s\n", p->words);
    if (p->min || p->max)
        (void)printf("    from %s to %s\n", p->min ? p->min : "-inf", p->max ? p->max : "+inf");
}

static void show(const struct gs_module *m)
{
    const struct gsp_manifest *mf = gs_module_manifest(m);
    struct gs_buf roles = {0};
    roles_of(mf, &roles);
    (void)printf("%s - %s, version %s\n", mf->id, mf->name ? mf->name : "",
                 mf->version ? mf->version : "?");
    (void)printf("file     %s\nABI      %u.%u\nroles    %s\n", gs_module_path(m), mf->abi_major,
                 mf->abi_minor, gs_buf_cstr(&roles));
    if (mf->needs & GSP_NEED_ESTIMATES)
        (void)printf("needs    run-time estimates\n");
    if (mf->doc)
        (void)printf("\n%s\n", mf->doc);
    for (const struct gsp_param *p = mf->params; p && p->name; p++)
        show_param(p);
    gs_buf_free(&roles);
}

int gs_cmd_policy(struct gs_cli *cli, int argc, char **argv)
{
    struct args a = {.cli = cli};
    struct gs_err err = {0};
    if (argp_parse(&program, argc, argv, 0, NULL, &a))
        return 2;
    gs_cli_begin(cli);
    if (strcmp(a.verb, "list") == 0) {
        struct listing l = {.cli = cli, .json = cli->json ? json_array() : NULL};
        gs_module_scan(cli->policy_path, list_one, &l);
        if (l.json) {
            (void)json_dumpf(l.json, stdout, JSON_INDENT(2) | JSON_PRESERVE_ORDER);
            (void)fputc('\n', stdout);
            json_decref(l.json);
        }
        if (!l.seen.n)
            gs_complain(&cli->log, "no policy module in %s", cli->policy_path);
        int status = l.seen.n ? 0 : 2;
        for (size_t i = 0; i < l.seen.n; i++)
            gs_free(l.seen.v[i]);
        gs_vec_free(&l.seen);
        return status;
    }
    struct gs_module *m = NULL;
    enum gs_rc rc = gs_module_open(cli->policy_path, a.name, &m, &err);
    if (rc)
        return gs_cli_fail(cli, rc, &err);
    show(m);
    gs_module_close(m);
    return 0;
}
