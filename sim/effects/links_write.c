/* links_write.c - /links and /series/links of the results file: what is shared, and with [output] per_link = yes what it carried.
 *
 * A row of the series is a link that carried something at a sample: 0 is left out, so that the table follows the traffic and not the
 * size of the network. O(links) a sample. */
#include "sim/effects/links.h"
#include "sim/metrics/results.h"

#define LEN(a) (sizeof(a) / sizeof *(a))

static const struct gs_column columns[] = {
    {"id", GS_U32, "1", "row number of the link", NULL, NULL},
    {"from", GS_STR, "1", "what it leads from", NULL, NULL},
    {"to", GS_STR, "1", "what it leads to", NULL, NULL},
    {"level", GS_STR, "1", "where it stands", NULL, NULL},
    {"bytes_per_s", GS_F64, "B/s", "its rate when it is up", NULL, NULL},
};

static const struct gs_column series_columns[] = {
    {"time_s", GS_F64, "s", "time since the start of the run", NULL, NULL},
    {"link", GS_U32, "1", "row of /links", NULL, NULL},
    {"load", GS_F64, "B/s", "what it carries", "time: point", NULL},
};

enum gs_rc gs_links_open(struct gs_run *r, struct gs_err *err)
{
    return gs_h5_table_open(r->out, "series/links", series_columns, LEN(series_columns),
                            &r->link_series, err);
}

void gs_links_sample(struct gs_run *r)
{
    struct gs_err err = {0};
    const double time_s = (double)r->eng.now_ns / 1e9;
    if (!r->link_series)
        return;
    for (uint32_t l = 0; l < gs_links_count(r) && !r->io_rc; l++) {
        const double load = (double)gs_links_load(r, l);
        const void *const row[] = {&time_s, &l, &load};
        if (load > 0)
            gs_run_note_io(r, gs_h5_table_row(r->link_series, row, &err), &err);
    }
}

enum gs_rc gs_links_write(struct gs_run *r, struct gs_err *err)
{
    const uint32_t n = gs_links_count(r);
    if (!n)
        return GS_OK;
    uint32_t *id = GS_NEW_N(uint32_t, n);
    const char **text = GS_NEW_N(const char *, n);
    double *rate = GS_NEW_N(double, n);
    for (uint32_t l = 0; l < n; l++) {
        id[l] = l;
        rate[l] = (double)gs_links_get(r, l).bytes_per_s;
    }
    enum gs_rc rc = gs_h5_column(r->out, "/links", &columns[0], id, n, err);
    for (uint32_t c = 1; c < 4 && !rc; c++) {
        for (uint32_t l = 0; l < n; l++) {
            const struct gs_link_spec s = gs_links_get(r, l);
            text[l] = c == 1 ? s.from : c == 2 ? s.to : s.level;
        }
        rc = gs_h5_column(r->out, "/links", &columns[c], text, n, err);
    }
    if (!rc)
        rc = gs_h5_column(r->out, "/links", &columns[4], rate, n, err);
    gs_free(id);
    gs_free(text);
    gs_free(rate);
    return rc;
}
