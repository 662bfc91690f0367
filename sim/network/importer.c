/* importer.c - a topology file becomes a tree: names to groups and nodes, whatever the format. */
#include "sim/network/importer.h"

#include "sim/base/buf.h"
#include "sim/base/hostlist.h"
#include "sim/network/importer_priv.h"

#include <ctype.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "sim/base/banned.h"

enum gs_rc gs_import_fail(const struct gs_net_import *in, unsigned line, struct gs_err *err,
                          const char *fmt, ...)
{
    char msg[700];
    va_list ap;
    va_start(ap, fmt);
    (void)vsnprintf(msg, sizeof msg, fmt, ap);
    va_end(ap);
    return line ? gs_fail(err, GS_E_INPUT, "%s:%u: %s", in->name, line, msg)
                : gs_fail(err, GS_E_INPUT, "%s: %s", in->name, msg);
}

/* The slot of a string id in a column by string id; new ones are GS_NONE. */
static uint32_t *slot(struct gs_net_import *in, int of_group, uint32_t id)
{
    if (of_group) {
        while (in->group_of.n <= id)
            gs_vec_push(&in->group_of, GS_NONE);
        return &in->group_of.v[id];
    }
    while (in->node_of.n <= id)
        gs_vec_push(&in->node_of, GS_NONE);
    return &in->node_of.v[id];
}

uint32_t gs_import_group(struct gs_net_import *in, const char *name)
{
    const uint32_t id = gs_intern(&in->str, name);
    uint32_t *g = slot(in, 1, id);
    if (*g == GS_NONE) {
        *g = (uint32_t)in->group.n;
        gs_vec_push(&in->group,
                    (struct gs_net_group){.name = gs_intern_str(&in->str, id), .parent = GS_NONE});
    }
    return *g;
}

enum gs_rc gs_import_child(struct gs_net_import *in, uint32_t parent, const char *child,
                           unsigned line, struct gs_err *err)
{
    const uint32_t g = gs_import_group(in, child);
    if (g == parent || (in->group.v[g].parent != GS_NONE && in->group.v[g].parent != parent))
        return gs_import_fail(in, line, err,
                              "'%.64s' hangs on '%.64s' and on '%.64s': only a tree "
                              "can be read",
                              child, g == parent ? child : in->group.v[in->group.v[g].parent].name,
                              in->group.v[parent].name);
    in->group.v[g].parent = parent;
    return GS_OK;
}

enum gs_rc gs_import_node(struct gs_net_import *in, uint32_t group, const char *node, unsigned line,
                          struct gs_err *err)
{
    const uint32_t id = gs_intern(&in->str, node);
    const uint32_t i = *slot(in, 0, id);
    if (i == GS_NONE) {
        if (in->strange++ == 0)
            in->first_strange = gs_intern_str(&in->str, id);
        return GS_OK;
    }
    uint32_t *const at = &in->node_group.v[i];
    if (*at != GS_NONE && *at != group)
        return gs_import_fail(in, line, err, "node '%.64s' is in '%.64s' and in '%.64s'", node,
                              in->group.v[*at].name, in->group.v[group].name);
    *at = group;
    return GS_OK;
}

struct each {
    struct gs_net_import *in;
    uint32_t group;
    unsigned line;
};

static enum gs_rc each_child(void *ctx, const char *name, struct gs_err *err)
{
    const struct each *e = ctx;
    return gs_import_child(e->in, e->group, name, e->line, err);
}

static enum gs_rc each_node(void *ctx, const char *name, struct gs_err *err)
{
    const struct each *e = ctx;
    return gs_import_node(e->in, e->group, name, e->line, err);
}

static enum gs_rc each_of(struct each e, const char *list, int nodes, struct gs_err *err)
{
    struct gs_err own = {0};
    const enum gs_rc rc = gs_hostlist_each(list, nodes ? each_node : each_child, &e, &own);
    if (rc == GS_OK)
        return GS_OK;
    const size_t n = strlen(e.in->name); /* our own messages have their place already */
    if (strncmp(own.msg, e.in->name, n) == 0 && own.msg[n] == ':')
        return gs_fail(err, rc, "%s", own.msg);
    return gs_import_fail(e.in, e.line, err, "%s", own.msg);
}

enum gs_rc gs_import_children(struct gs_net_import *in, uint32_t parent, const char *list,
                              unsigned line, struct gs_err *err)
{
    return each_of((struct each){in, parent, line}, list, 0, err);
}

enum gs_rc gs_import_nodes(struct gs_net_import *in, uint32_t group, const char *list,
                           unsigned line, struct gs_err *err)
{
    return each_of((struct each){in, group, line}, list, 1, err);
}

enum gs_rc gs_import_blocks(struct gs_net_import *in, const uint64_t *size, uint32_t n,
                            unsigned line, struct gs_err *err)
{
    const uint32_t blocks = (uint32_t)in->group.n;
    uint32_t below = 0, nbelow = blocks; /* the groups that the next size joins */
    gs_vec_push(&in->level, "block");
    for (uint32_t k = 1; k < n && k < 4; k++) {
        uint64_t join = size[0] ? size[k] / size[0] : 0;
        if (join < 2 || (join & (join - 1)) || size[k] != join * size[0] || size[k] <= size[k - 1])
            return gs_import_fail(in, line, err,
                                  "BlockSizes: %llu is not a power of two times %llu, and larger "
                                  "than the size before it",
                                  (unsigned long long)size[k], (unsigned long long)size[0]);
        join = size[k] / size[k - 1];
        const uint32_t first = (uint32_t)in->group.n;
        for (uint32_t b = 0; b < nbelow; b++) {
            char name[80];
            (void)gs_fmt(name, sizeof name, "blocks-%u-%llu", k, (unsigned long long)(b / join));
            const uint32_t up = gs_import_group(in, name);
            in->group.v[below + b].parent = up;
        }
        below = first;
        nbelow = (uint32_t)in->group.n - first;
        static const char *const level[] = {"", "blocks-1", "blocks-2", "blocks-3"};
        gs_vec_push(&in->level, level[k]);
    }
    if (nbelow > 1) { /* what joins them all */
        const uint32_t root = gs_import_group(in, "fabric");
        for (uint32_t b = 0; b < nbelow; b++)
            in->group.v[below + b].parent = root;
    }
    return GS_OK;
}

/* ---- which format ---- */

static int has(const char *text, const char *word)
{
    const size_t n = strlen(word);
    for (const char *p = text; *p; p++) {
        size_t i = 0;
        while (i < n && p[i] && tolower((unsigned char)p[i]) == word[i])
            i++;
        if (i == n)
            return 1;
    }
    return 0;
}

static enum gs_rc read_as(struct gs_net_import *in, const char *format, const char *text, size_t n,
                          struct gs_err *err)
{
    const char *p = text + strspn(text, " \t\r\n");
    const int json = *p == '{' || *p == '[';
    const int slurm = has(text, "switchname") || has(text, "blockname");
    const int yaml = !slurm && !json && has(text, "topology");
    if (format && strcmp(format, "labels") == 0)
        return gs_import_labels(in, text, n, err);
    if (format && strcmp(format, "slurm") == 0)
        return slurm || !yaml ? gs_import_slurm(in, text, n, err)
                              : gs_import_yaml(in, text, n, err);
    if (json)
        return has(text, "\"instances\"") ? gs_import_topograph(in, text, n, err)
                                          : gs_import_labels(in, text, n, err);
    if (slurm)
        return gs_import_slurm(in, text, n, err);
    if (yaml)
        return gs_import_yaml(in, text, n, err);
    if (!format)
        return gs_import_labels(in, text, n, err);
    return gs_import_fail(in, 0, err, "is neither topograph's JSON nor a Slurm topology");
}

/* NVLink domains that the file told, numbered in the order of nodes. */
static void set_domains(const struct gs_net_import *in, struct gs_net_node *node, uint32_t nnodes)
{
    uint32_t *const number = GS_NEW_N(uint32_t, (size_t)in->str.n + 1);
    uint32_t n = 0;
    for (uint32_t i = 0; i < nnodes; i++) {
        const uint32_t id = in->domain.v[i];
        if (id == 0)
            continue;
        if (number[id] == 0)
            number[id] = ++n;
        node[i].domain = number[id] - 1;
    }
    gs_free(number);
}

static int any_domain(const struct gs_net_import *in)
{
    for (size_t i = 0; i < in->domain.n; i++)
        if (in->domain.v[i])
            return 1;
    return 0;
}

/* NOLINTNEXTLINE(readability-function-size): a named text in a format, and the nodes that it is of */
enum gs_rc gs_net_import_read(struct gs_net_import *in, const char *name, const char *format,
                              const char *text, size_t n, struct gs_net_node *node, uint32_t nnodes,
                              struct gs_err *err)
{
    *in = (struct gs_net_import){.name = name};
    gs_intern_init(&in->str);
    for (uint32_t i = 0; i < nnodes; i++) {
        *slot(in, 0, gs_intern(&in->str, node[i].name)) = i;
        gs_vec_push(&in->node_group, GS_NONE);
        gs_vec_push(&in->domain, 0);
    }
    if (strlen(text) != n)
        return gs_import_fail(in, 0, err, "holds a zero byte: it is not text");
    const enum gs_rc rc = read_as(in, format, text, n, err);
    if (rc != GS_OK)
        return rc;
    for (uint32_t i = 0; i < nnodes; i++)
        if (in->node_group.v[i] == GS_NONE && in->absent++ == 0)
            in->first_absent = node[i].name;
    if (in->absent == nnodes)
        return gs_import_fail(in, 0, err,
                              "names none of the scenario's nodes (they are called '%.64s', ...; "
                              "the file's '%.64s', ...)",
                              node[0].name, in->first_strange ? in->first_strange : "");
    if (any_domain(in)) {
        for (uint32_t i = 0; i < nnodes; i++)
            node[i].domain = GS_NONE;
        set_domains(in, node, nnodes);
    }
    in->tree = (struct gs_net_tree){.group = in->group.v,
                                    .ngroups = (uint32_t)in->group.n,
                                    .node_group = in->node_group.v,
                                    .level = in->level.n ? in->level.v : NULL,
                                    .nlevels = (uint32_t)in->level.n};
    return GS_OK;
}

void gs_net_import_release(struct gs_net_import *in)
{
    gs_vec_free(&in->group);
    gs_vec_free(&in->node_group);
    gs_vec_free(&in->domain);
    gs_vec_free(&in->node_of);
    gs_vec_free(&in->group_of);
    gs_vec_free(&in->level);
    if (in->name)
        gs_intern_release(&in->str);
    *in = (struct gs_net_import){0};
}
