/* network.c - [network]: lists of one value a tier, and what each kind needs.
 *
 * A tier that a list does not reach has the NIC's rate, all its cables up, the latency of the last that it does. */
#include "sim/base/units.h"
#include "sim/scenario/load.h"

#include <string.h>

#include "sim/base/banned.h"

enum kind {
    KIND_NONE,
    KIND_FAT_TREE,
    KIND_RAIL,
    KIND_TORUS,
    KIND_FILE
};

/* Puts one value of a list; i = its place. */
typedef enum gs_rc put_fn(struct gs_set_network *n, size_t i, const char *word, struct gs_err *err);

static enum gs_rc put_link(struct gs_set_network *n, size_t i, const char *word, struct gs_err *err)
{
    double rate = 0;
    const enum gs_rc rc = gs_parse_bandwidth(word, &rate, err);
    if (rc == GS_OK && !(rate >= 1 && rate <= 9e15))
        return gs_fail(err, GS_E_INPUT, "'%s' is not between 1B/s and 9e15B/s", word);
    n->links[i] = rc == GS_OK ? (int64_t)(rate + 0.5) : 0;
    return rc;
}

static enum gs_rc put_oversubscription(struct gs_set_network *n, size_t i, const char *word,
                                       struct gs_err *err)
{
    double o = 0;
    const enum gs_rc rc = gs_parse_real(word, &o, err);
    if (rc == GS_OK && !(o >= 0.1 && o <= 1000))
        return gs_fail(err, GS_E_INPUT, "'%s' is not between 0.1 and 1000", word);
    if (rc == GS_OK && i + 1 < GS_SET_TIERS)
        n->oversubscription[i + 1] = (uint32_t)(o * 1000 + 0.5);
    return rc;
}

static enum gs_rc put_latency(struct gs_set_network *n, size_t i, const char *word,
                              struct gs_err *err)
{
    const enum gs_rc rc = gs_parse_time(word, &n->latency_ns[i], err);
    if (rc == GS_OK && n->latency_ns[i] > GS_SECOND)
        return gs_fail(err, GS_E_INPUT, "'%s' is more than a second", word);
    return rc;
}

static enum gs_rc put_dim(struct gs_set_network *n, size_t i, const char *word, struct gs_err *err)
{
    int64_t size = 0;
    if (i >= GS_SET_DIMS)
        return gs_fail(err, GS_E_INPUT, "a torus has at most %d dimensions", GS_SET_DIMS);
    const enum gs_rc rc = gs_parse_int(word, 1, 65536, &size, err);
    n->dims[i] = (uint32_t)size;
    n->ndims = (uint32_t)i + 1;
    return rc;
}

/* Returns how many values the list has. */
static size_t read_list(struct gs_load *l, const char *key, const char *text, const char *parted,
                        put_fn *put)
{
    size_t i = 0;
    for (const char *p = text ? text : ""; *p; i++) {
        char word[64];
        struct gs_err err = {0};
        p += strspn(p, parted);
        const size_t n = strcspn(p, parted);
        if (n == 0)
            break;
        (void)gs_fmt(word, sizeof word, "%.*s", (int)(n > 60 ? 60 : n), p);
        p += n;
        enum gs_rc rc = i < GS_SET_TIERS
                            ? put(&l->s->network, i, word, &err)
                            : gs_fail(&err, GS_E_INPUT, "more than %d values", GS_SET_TIERS);
        if (rc != GS_OK) {
            gs_blame(l, "network", "", key, "%s", err.msg);
            break;
        }
    }
    return i;
}

/* A key that does not act is refused, but not where it only says the default (as a list of all keys does). */
static void refuse_with(struct gs_load *l, const char *key, const char *why)
{
    const struct gs_ini_entry *e = gs_load_entry(l, gs_ini_find(&l->ini, "network", ""), key);
    const char *def = gs_key_find("network", key)->def;
    if (e && !(def && strcmp(def, e->value) == 0))
        gs_blame(l, "network", "", key, "%s", why);
}

static void check_kind(struct gs_load *l)
{
    static const char *const by_rule[] = {"radix", "leaf_nodes", "tiers", "planes"};
    const struct gs_set_network *n = &l->s->network;
    for (size_t i = 0; i < sizeof by_rule / sizeof *by_rule; i++)
        if (n->kind != KIND_FAT_TREE && n->kind != KIND_RAIL)
            refuse_with(l, by_rule[i],
                        "sizes a network of kind fat-tree or rail, and this is another");
    if (n->kind == KIND_NONE) {
        refuse_with(l, "links", "there is no network (kind = none)");
        refuse_with(l, "oversubscription", "there is no network (kind = none)");
        refuse_with(l, "latency", "there is no network (kind = none)");
        refuse_with(l, "pxn", "there is no network (kind = none)");
    }
    if (n->kind == KIND_TORUS)
        refuse_with(l, "oversubscription", "a torus has no switches, hence no cables up");
    else
        refuse_with(l, "dims", "belongs to kind = torus");
    if (n->kind == KIND_TORUS && !n->ndims)
        gs_blame(l, "network", "", "kind", "a torus needs its size: dims = 8x8");
    if (n->kind == KIND_FILE && !n->topology && !gs_load_said(l, "network", "", "topology"))
        gs_blame(l, "network", "", "kind", "needs topology = FILE");
    if (n->kind != KIND_FILE) {
        refuse_with(l, "topology", "belongs to kind = file");
        refuse_with(l, "format", "belongs to kind = file");
    }
}

void gs_network_read(struct gs_load *l)
{
    struct gs_set_network *n = &l->s->network;
    const uint32_t section = gs_ini_find(&l->ini, "network", "");
    if (section == GS_NONE)
        return;
    const struct gs_ini_entry *file = gs_load_entry(l, section, "topology");
    n->topology_shown = file ? file->value : NULL;
    (void)read_list(l, "links", n->links_text, " \t,", put_link);
    (void)read_list(l, "oversubscription", n->oversubscription_text, " \t,", put_oversubscription);
    const size_t delays = read_list(l, "latency", n->latency_text, " \t,", put_latency);
    (void)read_list(l, "dims", n->dims_text, " \tx", put_dim);
    for (size_t i = delays; delays && i < GS_SET_TIERS; i++)
        n->latency_ns[i] = n->latency_ns[i - 1];
    check_kind(l);
}
