/* import_json.c - topograph's graph, and labels of nodes as Kubernetes prints them.
 *
 * Both say of each node what it hangs on, innermost first; a chain of names becomes a chain of groups. Names are taken as they
 * are: equal values of two labels would be one group, which is then refused as no tree. */
#include "sim/network/importer_priv.h"

#include <jansson.h>

#include <string.h>

#include "sim/base/banned.h"

enum {
    CHAIN_MAX = 10
};

/* Labels of a provider, innermost first, and what their levels are called. */
struct scheme {
    const char *name;

    struct {
        const char *label, *level;
    } tier[8];
};

static const struct scheme schemes[] = {
    {"topograph labels",
     {{"fabric.topograph.run/tier-0", "tier-0"},
      {"fabric.topograph.run/tier-1", "tier-1"},
      {"fabric.topograph.run/tier-2", "tier-2"},
      {"fabric.topograph.run/tier-3", "tier-3"}}},
    {"AWS labels",
     {{"topology.k8s.aws/network-node-layer-3", "layer-3"},
      {"topology.k8s.aws/network-node-layer-2", "layer-2"},
      {"topology.k8s.aws/network-node-layer-1", "layer-1"}}},
    {"GCE labels",
     {{"cloud.google.com/gce-topology-host", "host"},
      {"cloud.google.com/gce-topology-subblock", "subblock"},
      {"cloud.google.com/gce-topology-block", "block"}}},
    {"OCI labels",
     {{"oci.oraclecloud.com/host.rack_id", "rack"},
      {"oci.oraclecloud.com/host.network_block_id", "network-block"}}},
    {"zone labels",
     {{"topology.kubernetes.io/zone", "zone"}, {"topology.kubernetes.io/region", "region"}}},
};

static const char *const domain_labels[] = {"accelerator.topograph.run/domain",
                                            "nvidia.com/gpu.clique"};

static json_t *parse(const struct gs_net_import *in, const char *text, size_t n, struct gs_err *err)
{
    json_error_t e;
    json_t *root = json_loadb(text, n, JSON_REJECT_DUPLICATES, &e);
    if (!root)
        (void)gs_import_fail(in, e.line > 0 ? (unsigned)e.line : 0, err, "%s", e.text);
    return root;
}

static const char *label_of(const json_t *labels, const char *key)
{
    const char *s = json_string_value(json_object_get(labels, key));
    return s && *s ? s : NULL;
}

/* Node below chain[0] below chain[1] ... */
static enum gs_rc put_chain(struct gs_net_import *in, const char *node, const char *const *chain,
                            uint32_t n, struct gs_err *err)
{
    if (n == 0)
        return GS_OK; /* it hangs on nothing: counted as absent */
    const enum gs_rc rc = gs_import_node(in, gs_import_group(in, chain[0]), node, 0, err);
    for (uint32_t i = 1; i < n && rc == GS_OK; i++) {
        const uint32_t up = gs_import_group(in, chain[i]);
        const enum gs_rc joined = gs_import_child(in, up, chain[i - 1], 0, err);
        if (joined != GS_OK)
            return joined;
    }
    return rc;
}

static void put_domain(struct gs_net_import *in, const char *node, const json_t *labels)
{
    const uint32_t id = gs_intern(&in->str, node);
    if (id >= in->node_of.n || in->node_of.v[id] == GS_NONE)
        return;
    for (size_t i = 0; i < sizeof domain_labels / sizeof *domain_labels; i++) {
        const char *d = label_of(labels, domain_labels[i]);
        if (d) {
            in->domain.v[in->node_of.v[id]] = gs_intern(&in->str, d);
            return;
        }
    }
}

enum gs_rc gs_import_topograph(struct gs_net_import *in, const char *text, size_t n,
                               struct gs_err *err)
{
    json_t *root = parse(in, text, n, err);
    enum gs_rc rc = root ? GS_OK : GS_E_INPUT;
    const json_t *const all = json_object_get(root, "instances");
    in->format = "topograph";
    if (root && !json_is_array(all))
        rc = gs_import_fail(in, 0, err, "instances is not a list");
    for (size_t i = 0; rc == GS_OK && i < json_array_size(all); i++) {
        const json_t *const one = json_array_get(all, i);
        const json_t *const layers = json_object_get(one, "network_layers");
        const char *const id = label_of(one, "id"), *chain[CHAIN_MAX];
        uint32_t depth = 0;
        if (!id)
            rc = gs_import_fail(in, 0, err, "instances[%zu] has no id", i);
        for (size_t k = 0; k < json_array_size(layers) && depth < CHAIN_MAX; k++) {
            const char *const s = json_string_value(json_array_get(layers, k));
            if (s && *s)
                chain[depth++] = s;
        }
        if (rc == GS_OK)
            rc = put_chain(in, id, chain, depth, err);
        if (rc == GS_OK)
            put_domain(in, id, json_object_get(one, "labels"));
    }
    json_decref(root);
    return rc;
}

/* ---- labels ---- */

static const json_t *labels_of(const json_t *node)
{
    return json_object_get(json_object_get(node, "metadata"), "labels");
}

/* The first provider whose innermost label some node has. */
static const struct scheme *scheme_of(const json_t *items)
{
    for (size_t s = 0; s < sizeof schemes / sizeof *schemes; s++)
        for (size_t i = 0; i < json_array_size(items); i++)
            if (label_of(labels_of(json_array_get(items, i)), schemes[s].tier[0].label))
                return &schemes[s];
    return NULL;
}

static enum gs_rc put_labels(struct gs_net_import *in, const struct scheme *s, const json_t *node,
                             size_t i, struct gs_err *err)
{
    const json_t *const labels = labels_of(node);
    const char *const name = label_of(json_object_get(node, "metadata"), "name");
    const char *chain[CHAIN_MAX];
    uint32_t n = 0;
    if (!name)
        return gs_import_fail(in, 0, err, "items[%zu] has no metadata.name", i);
    for (size_t k = 0; k < 8 && s->tier[k].label; k++) {
        const char *const v = label_of(labels, s->tier[k].label);
        if (v)
            chain[n++] = v;
    }
    const enum gs_rc rc = put_chain(in, name, chain, n, err);
    if (rc == GS_OK)
        put_domain(in, name, labels);
    return rc;
}

enum gs_rc gs_import_labels(struct gs_net_import *in, const char *text, size_t n,
                            struct gs_err *err)
{
    const char c = text[strspn(text, " \t\r\n")];
    json_t *root = c == '{' || c == '[' ? parse(in, text, n, err) : gs_import_csv(in, text, n, err);
    if (!root)
        return GS_E_INPUT;
    json_t *const items = json_object_get(root, "items");
    const struct scheme *const s = scheme_of(items);
    enum gs_rc rc = GS_OK;
    if (!json_is_array(items))
        rc = gs_import_fail(in, 0, err, "has no list `items` of nodes (kubectl get nodes -o json)");
    else if (!s)
        rc = gs_import_fail(in, 0, err,
                            "no node has a label of a known kind: topograph's tiers, "
                            "AWS network-node-layer, GCE or OCI topology, zone");
    in->format = s ? s->name : "labels";
    for (size_t k = 0; s && k < 8 && s->tier[k].level; k++)
        gs_vec_push(&in->level, s->tier[k].level);
    for (size_t i = 0; rc == GS_OK && i < json_array_size(items); i++)
        rc = put_labels(in, s, json_array_get(items, i), i, err);
    json_decref(root);
    return rc;
}
