/* outlinks.c - /links: what connects the nodes with each other and with storage, a row a direction.
 *
 * The topology's links come first, so that their ids are rows, whether any job loads them or not; then links to storage. And
 * /series/links, what they carried. */
#include "sim/outlinks.h"

#include "sim/effects/links.h"
#include "sim/effects/network.h"
#include "sim/metrics/results.h"

struct rows {
    const char **from, **to, **level;
    int64_t *bytes_per_s;
    size_t n;
};

static const char *kept(struct gs_run *r, const char *s)
{
    return gs_intern_str(&r->str, gs_intern(&r->str, s));
}

static void put(struct rows *w, const struct gs_link_spec *l)
{
    w->from[w->n] = l->from;
    w->to[w->n] = l->to;
    w->level[w->n] = l->level;
    w->bytes_per_s[w->n++] = l->bytes_per_s;
}

static void put_topology(struct gs_run *r, struct rows *w)
{
    static const char *const tier[] = {"nic", "leaf", "spine", "core"};
    const int torus = gs_topology_kind(r->topology) == GS_TOPOLOGY_TORUS;
    for (uint32_t i = 0; i < gs_topology_links(r->topology); i++) {
        const struct gs_net_link *l = gs_topology_link(r->topology, i);
        char from[160], to[160];
        put(w,
            &(struct gs_link_spec){
                .from = kept(r, gs_topology_vertex_name(r->topology, l->from, from, sizeof from)),
                .to = kept(r, gs_topology_vertex_name(r->topology, l->to, to, sizeof to)),
                .level = torus ? "torus" : tier[l->tier < 3 ? l->tier : 3],
                .bytes_per_s = l->bytes_per_s});
    }
}

static enum gs_rc write_rows(struct gs_run *r, const struct rows *w, struct gs_err *err)
{
    const struct gs_column id = {"id", GS_U32, "1", "row number of the link", NULL, NULL};
    const struct gs_column rate = {
        "bytes_per_s", GS_I64, "B/s", "capacity, when nothing of it is broken", NULL, NULL};

    const struct {
        struct gs_column column;
        const char **text;
    } text[] = {{{"from", GS_STR, "1", "where it begins", NULL, NULL}, w->from},
                {{"to", GS_STR, "1", "where it ends", NULL, NULL}, w->to},
                {{"level", GS_STR, "1", "what kind of link it is", NULL, NULL}, w->level}};

    uint32_t *const number = GS_NEW_N(uint32_t, w->n);
    for (size_t i = 0; i < w->n; i++)
        number[i] = (uint32_t)i;
    enum gs_rc rc = gs_h5_column(r->out, "/links", &id, number, w->n, err);
    for (size_t i = 0; i < 3 && rc == GS_OK; i++)
        rc = gs_h5_column(r->out, "/links", &text[i].column, text[i].text, w->n, err);
    if (rc == GS_OK)
        rc = gs_h5_column(r->out, "/links", &rate, w->bytes_per_s, w->n, err);
    gs_free(number);
    return rc;
}

enum gs_rc gs_outfile_links(struct gs_run *r, struct gs_err *err)
{
    const uint32_t shared = gs_links_count(r), first = gs_network_first_link(r);
    const uint32_t own = r->topology ? gs_topology_links(r->topology) : 0;
    const size_t n = (size_t)shared + own; /* at most */
    struct rows w = {GS_NEW_N(const char *, n), GS_NEW_N(const char *, n),
                     GS_NEW_N(const char *, n), GS_NEW_N(int64_t, n), 0};
    if (own)
        put_topology(r, &w);
    for (uint32_t i = 0; i < shared; i++) {
        const struct gs_link_spec l = gs_links_get(r, i);
        if (first == GS_NONE || i < first || i - first >= own)
            put(&w, &l);
    }
    const enum gs_rc rc = w.n ? write_rows(r, &w, err) : GS_OK;
    gs_free(w.from);
    gs_free(w.to);
    gs_free(w.level);
    gs_free(w.bytes_per_s);
    return rc;
}

/* ---- the series ---- */

enum gs_rc gs_outfile_link_series(struct gs_run *r, struct gs_err *err)
{
    static const struct gs_column columns[] = {
        {"time_s", GS_F64, "s", "time since the start of the run", NULL, NULL},
        {"link", GS_U32, "1", "row of /links", NULL, NULL},
        {"load", GS_F64, "B/s", "what it carries", "time: point", NULL},
    };
    return gs_h5_table_open(r->out, "series/links", columns, sizeof columns / sizeof *columns,
                            &r->link_series, err);
}

void gs_outfile_link_sample(struct gs_run *r)
{
    struct gs_err err = {0};
    const uint32_t first = gs_network_first_link(r);
    const uint32_t own = r->topology ? gs_topology_links(r->topology) : 0;
    const double time_s = (double)r->eng.now_ns / 1e9;
    for (uint32_t l = 0; r->link_series && l < gs_links_count(r) && !r->io_rc; l++) {
        const double load = (double)gs_links_load(r, l);
        uint32_t link = own + l; /* those of the topology stand in front */
        if (first != GS_NONE && l >= first)
            link = l - first < own ? l - first : l;
        const void *const row[] = {&time_s, &link, &load};
        if (load > 0)
            gs_run_note_io(r, gs_h5_table_row(r->link_series, row, &err), &err);
    }
}
