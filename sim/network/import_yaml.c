/* import_yaml.c - Slurm's topology.yaml: a list of topologies, each a tree, blocks or flat.
 *
 * The one with cluster_default is taken, else the first. Read through libyaml's document, which keeps the lines; a node that is an alias
 * is looked at once a mention, so no file can make it grow. */
#include "sim/base/units.h"
#include "sim/network/importer_priv.h"

#include <string.h>
#include <yaml.h>

#include "sim/base/banned.h"

struct doc {
    struct gs_net_import *in;
    yaml_document_t *d;
};

static unsigned line_of(const yaml_node_t *n)
{
    return n ? (unsigned)n->start_mark.line + 1 : 0;
}

static const char *text_of(const yaml_node_t *n)
{
    return n && n->type == YAML_SCALAR_NODE ? (const char *)n->data.scalar.value : NULL;
}

static yaml_node_t *get(const struct doc *d, const yaml_node_t *map, const char *key)
{
    if (!map || map->type != YAML_MAPPING_NODE)
        return NULL;
    for (const yaml_node_pair_t *p = map->data.mapping.pairs.start; p < map->data.mapping.pairs.top;
         p++) {
        const char *k = text_of(yaml_document_get_node(d->d, p->key));
        if (k && strcmp(k, key) == 0)
            return yaml_document_get_node(d->d, p->value);
    }
    return NULL;
}

static size_t length(const yaml_node_t *list)
{
    return list && list->type == YAML_SEQUENCE_NODE
               ? (size_t)(list->data.sequence.items.top - list->data.sequence.items.start)
               : 0;
}

static yaml_node_t *item(const struct doc *d, const yaml_node_t *list, size_t i)
{
    return yaml_document_get_node(d->d, list->data.sequence.items.start[i]);
}

static int is_true(const yaml_node_t *n)
{
    int on = 0;
    const char *s = text_of(n);
    return s && gs_parse_bool(s, &on, NULL) == GS_OK && on;
}

/* One switch or block: a name, and what hangs on it. */
static enum gs_rc read_group(const struct doc *d, const yaml_node_t *one, const char *what,
                             struct gs_err *err)
{
    const yaml_node_t *const name = get(d, one, what), *const nodes = get(d, one, "nodes");
    const yaml_node_t *const children = get(d, one, "children");
    const char *const s = text_of(name), *const list = text_of(nodes ? nodes : children);
    if (!s || !*s)
        return gs_import_fail(d->in, line_of(one), err, "expected a name: `%s: NAME`", what);
    if (!list || (nodes && children))
        return gs_import_fail(d->in, line_of(one), err,
                              "'%.64s' needs nodes or children, a list of names", s);
    const uint32_t g = gs_import_group(d->in, s);
    return nodes ? gs_import_nodes(d->in, g, list, line_of(nodes), err)
                 : gs_import_children(d->in, g, list, line_of(children), err);
}

static enum gs_rc read_groups(const struct doc *d, const yaml_node_t *list, const char *what,
                              struct gs_err *err)
{
    enum gs_rc rc = GS_OK;
    for (size_t i = 0; i < length(list) && rc == GS_OK; i++)
        rc = read_group(d, item(d, list, i), what, err);
    return rc;
}

static enum gs_rc read_blocks(const struct doc *d, const yaml_node_t *block, struct gs_err *err)
{
    const yaml_node_t *const sizes = get(d, block, "block_sizes");
    uint64_t size[8];
    uint32_t n = 0;
    enum gs_rc rc = read_groups(d, get(d, block, "blocks"), "block", err);
    for (size_t i = 0; i < length(sizes) && rc == GS_OK && n < 8; i++) {
        const char *const s = text_of(item(d, sizes, i));
        int64_t x = 0;
        if (!s || gs_parse_int(s, 1, 1000000, &x, NULL) != GS_OK)
            return gs_import_fail(d->in, line_of(sizes), err,
                                  "block_sizes: expected numbers of nodes");
        size[n++] = (uint64_t)x;
    }
    d->in->format = "slurm block";
    return rc != GS_OK ? rc : gs_import_blocks(d->in, size, n, line_of(sizes), err);
}

/* One switch joins all. */
static void read_flat(const struct doc *d)
{
    const uint32_t g = gs_import_group(d->in, "flat");
    for (size_t i = 0; i < d->in->node_group.n; i++)
        d->in->node_group.v[i] = g;
    d->in->format = "slurm flat";
}

static enum gs_rc read_topology(const struct doc *d, const yaml_node_t *t, struct gs_err *err)
{
    const yaml_node_t *const tree = get(d, t, "tree"), *const block = get(d, t, "block");
    if (tree) {
        d->in->format = "slurm tree";
        return read_groups(d, get(d, tree, "switches"), "switch", err);
    }
    if (block)
        return read_blocks(d, block, err);
    if (get(d, t, "torus3d") || get(d, t, "ring"))
        return gs_import_fail(
            d->in, line_of(t), err,
            "a torus or ring is not read from a file: write kind = torus and dims");
    if (!is_true(get(d, t, "flat")))
        return gs_import_fail(d->in, line_of(t), err, "expected tree, block or flat");
    read_flat(d);
    return GS_OK;
}

static enum gs_rc read_document(const struct doc *d, struct gs_err *err)
{
    const yaml_node_t *const root = yaml_document_get_root_node(d->d);
    const yaml_node_t *chosen = NULL;
    if (!length(root))
        return gs_import_fail(d->in, line_of(root), err, "expected a list of topologies");
    for (size_t i = 0; i < length(root); i++) {
        const yaml_node_t *const t = item(d, root, i);
        if (!chosen ||
            (is_true(get(d, t, "cluster_default")) && !is_true(get(d, chosen, "cluster_default"))))
            chosen = t;
    }
    return read_topology(d, chosen, err);
}

enum gs_rc gs_import_yaml(struct gs_net_import *in, const char *text, size_t n, struct gs_err *err)
{
    yaml_parser_t parser;
    yaml_document_t document;
    const struct doc d = {in, &document};
    gs_verify(yaml_parser_initialize(&parser));
    yaml_parser_set_input_string(&parser, (const unsigned char *)text, n);
    if (!yaml_parser_load(&parser, &document)) {
        const enum gs_rc rc = gs_import_fail(in, (unsigned)parser.problem_mark.line + 1, err, "%s",
                                             parser.problem ? parser.problem : "is not YAML");
        yaml_parser_delete(&parser);
        return rc;
    }
    const enum gs_rc rc = read_document(&d, err);
    yaml_document_delete(&document);
    yaml_parser_delete(&parser);
    return rc;
}
