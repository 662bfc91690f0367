/* info.c - `gsim trace info` as data: what the records of a file look like, beside the figures that its format adds.
 *
 * One pass; nothing is kept of a record but sums, and what tells distinct values apart. Where percentiles are not exact any
 * more, the summary says so. Cost: O(rows); memory by tenants, users and job sizes. */
#include "sim/base/sort.h"
#include "sim/base/units.h"
#include "traces/decimal.h"
#include "traces/reader.h"
#include "traces/seen.h"
#include "traces/spread.h"

#include <string.h>

#include "sim/base/banned.h"

#define SHOWN_MAX 32
#define DAY_S     INT64_C(86400)

/* Records that share a size or a tenant. */
struct part {
    uint64_t n;
    gs_i128 gpu_milli_ns;
};

struct parts {
    struct gs_intern ids;
    GS_VEC(struct part) v; /* by id */
    uint64_t last;         /* key of the record before, and its id: neighbours are often alike */
    uint32_t last_id;
};

struct gs_info {
    struct gs_trace_summary *out;
    struct gs_spread_of run_s, gpus, gap_s, input, output;
    struct parts sizes, tenants;
    struct gs_seen users;
    GS_VEC(int64_t) arrivals; /* while they are few: to sort, should they be out of order */
    gs_i128 gpu_milli_ns;
    int64_t first_ns, last_ns, before_ns;
};

/* ---- Figures of a format ----------------------------------------------------------------------- */

static void add_figure(struct gs_info *f, const char *quantity, const char *value)
{
    struct gs_arena *a = &f->out->text;
    gs_vec_push(&f->out->figures, (struct gs_quantity){gs_arena_str(a, quantity, strlen(quantity)),
                                                       gs_arena_str(a, value, strlen(value))});
}

void gs_info_text(struct gs_info *f, const char *quantity, const char *s)
{
    add_figure(f, quantity, s);
}

void gs_info_int(struct gs_info *f, const char *quantity, int64_t x)
{
    char text[32];
    (void)gs_fmt(text, sizeof text, "%lld", (long long)x);
    add_figure(f, quantity, text);
}

void gs_info_decimal(struct gs_info *f, const char *quantity, gs_i128 x, int scale)
{
    struct gs_buf b = {0};
    gs_decimal_add(&b, x, scale);
    add_figure(f, quantity, gs_buf_cstr(&b));
    gs_buf_free(&b);
}

void gs_info_fixed(struct gs_info *f, const char *quantity, gs_i128 x, int scale, int places)
{
    struct gs_buf b = {0};
    gs_decimal_add_fixed(&b, x, scale, places);
    add_figure(f, quantity, gs_buf_cstr(&b));
    gs_buf_free(&b);
}

void gs_info_tally(struct gs_info *f, const char *quantity, struct gs_tally *t, size_t most)
{
    struct gs_buf b = {0};
    gs_tally_sort(t);
    for (size_t i = 0; i < t->rows.n && i < most; i++)
        gs_buf_fmt(&b, "%s%s:%lld", i ? ";" : "", t->rows.v[i].text, (long long)t->rows.v[i].count);
    add_figure(f, quantity, gs_buf_cstr(&b));
    gs_buf_free(&b);
}

void gs_info_clock(struct gs_info *f, const char *quantity, int64_t unix_ns)
{
    char text[64];
    (void)gs_show_clock(unix_ns, 0, text, sizeof text);
    if (strlen(text) > 19) { /* 2017-09-04T10:30:41 and its zone */
        text[10] = ' ';
        text[19] = '\0';
    }
    add_figure(f, quantity, text);
}

/* ---- Records ----------------------------------------------------------------------------------- */

static void add_part(struct parts *p, uint32_t id, gs_i128 gpu_milli_ns)
{
    while (p->v.n <= id)
        gs_vec_push(&p->v, (struct part){0});
    p->v.v[id].n++;
    p->v.v[id].gpu_milli_ns += gpu_milli_ns;
}

/* The part of a size, in thousandths of a GPU. */
static uint32_t part_of_size(struct parts *p, int64_t milli)
{
    if (p->v.n && p->last == (uint64_t)milli)
        return p->last_id;
    struct gs_buf size = {0};
    gs_decimal_add(&size, milli, 3);
    p->last = (uint64_t)milli;
    p->last_id = gs_intern(&p->ids, gs_buf_cstr(&size));
    gs_buf_free(&size);
    return p->last_id;
}

/* The part of a tenant, a string of the scan. */
static uint32_t part_of_tenant(struct parts *p, const struct gs_intern *str, uint32_t id)
{
    if (!p->v.n || p->last != id) {
        p->last = id;
        p->last_id = gs_intern(&p->ids, gs_intern_str(str, id));
    }
    return p->last_id;
}

static int64_t floor_div(int64_t a, int64_t b)
{
    return a / b - (a % b < 0);
}

static void add_arrival(struct gs_scan *s, int64_t at_ns)
{
    struct gs_info *f = s->info;
    if (f->first_ns == GS_NEVER || at_ns < f->first_ns)
        f->first_ns = at_ns;
    if (f->last_ns == GS_NEVER || at_ns > f->last_ns)
        f->last_ns = at_ns;
    if (f->before_ns != GS_NEVER && s->n->sorted)
        gs_spread_add(&f->gap_s, (double)(at_ns - f->before_ns) / 1e9);
    f->before_ns = at_ns;
    if (s->records <= GS_INFO_EXACT)
        gs_vec_push(&f->arrivals, at_ns);
    if (s->n->origin_unix_ns == GS_NEVER)
        return;
    f->out->has_clock = 1;
    const int64_t local_s =
        floor_div(gs_zone_local(&s->zone, s->n->origin_unix_ns + at_ns), GS_SECOND);
    const int64_t day = floor_div(local_s, DAY_S);
    f->out->by_hour[(local_s - day * DAY_S) / 3600]++;
    f->out->by_weekday[(day % 7 + 10) % 7]++; /* 1970-01-01 was a Thursday */
}

static void add_user(struct gs_info *f, const char *name)
{
    if (*name)
        f->out->users += gs_seen_add(&f->users, name, strlen(name)) == 1;
}

void gs_info_job(struct gs_scan *s, const struct gs_job *j)
{
    struct gs_info *f = s->info;
    f->out->jobs++;
    f->out->end_state[j->end_state]++;
    add_arrival(s, j->submit_ns);
    gs_i128 gpu_milli_ns = 0;
    if (j->run_ns != GS_NEVER) {
        gs_spread_add(&f->run_s, (double)j->run_ns / 1e9);
        gpu_milli_ns = (gs_i128)j->run_ns * gs_job_milli(j);
        f->gpu_milli_ns += gpu_milli_ns;
    }
    gs_spread_add(&f->gpus, (double)gs_job_milli(j) / 1000);
    add_part(&f->sizes, part_of_size(&f->sizes, gs_job_milli(j)), gpu_milli_ns);
    add_part(&f->tenants, part_of_tenant(&f->tenants, s->str, j->queue), gpu_milli_ns);
    add_user(f, gs_intern_str(s->str, j->user));
}

void gs_info_call(struct gs_scan *s, const struct gs_call *c)
{
    struct gs_info *f = s->info;
    f->out->calls++;
    f->out->end_state[c->outcome == GS_CALL_OK       ? GS_END_COMPLETED
                      : c->outcome == GS_CALL_FAILED ? GS_END_FAILED
                                                     : GS_END_UNKNOWN]++;
    add_arrival(s, c->arrival_ns);
    if (c->input >= 0)
        gs_spread_add(&f->input, (double)c->input);
    if (c->output >= 0)
        gs_spread_add(&f->output, (double)c->output);
    add_part(&f->tenants, part_of_tenant(&f->tenants, s->str, c->service), 0);
    add_user(f, gs_intern_str(s->str, c->session));
}

/* ---- The summary ------------------------------------------------------------------------------- */

static int most_first(const void *a, const void *b, const void *ctx)
{
    (void)ctx;
    const struct gs_share_of *x = a;
    const struct gs_share_of *y = b;
    if (x->n != y->n)
        return x->n > y->n ? -1 : 1;
    return strcmp(x->name, y->name);
}

static double gpu_hours(gs_i128 gpu_milli_ns)
{
    return gs_i128_to_double(gpu_milli_ns, 3.6e15);
}

/* Returns how many parts there are; "" counts as none. */
static uint64_t take_parts(struct gs_info *f, struct parts *p, struct gs_share_of **v, size_t *n,
                           size_t *cap)
{
    GS_VEC(struct gs_share_of) all = {0};
    uint64_t named = 0;
    for (uint32_t id = 0; id < p->v.n; id++) {
        const struct part *part = &p->v.v[id];
        const char *name = gs_intern_str(&p->ids, id);
        named += part->n && *name;
        if (part->n)
            gs_vec_push(&all, (struct gs_share_of){gs_arena_str(&f->out->text, name, strlen(name)),
                                                   part->n, gpu_hours(part->gpu_milli_ns)});
    }
    gs_sort(all.v, all.n, sizeof *all.v, most_first, NULL);
    *v = all.v;
    *n = all.n < SHOWN_MAX ? all.n : SHOWN_MAX;
    *cap = all.cap;
    return named;
}

/* The scan's strings go; texts of the counts that stand among them are kept here. */
static void keep_texts(struct gs_trace_summary *out)
{
    for (uint32_t i = 0; i < out->n.nassumed; i++) {
        const char *s = out->n.assumed[i].what;
        out->n.assumed[i].what = gs_arena_str(&out->text, s, strlen(s));
    }
    for (uint32_t i = 0; i < out->n.nwhy; i++) {
        const char *s = out->n.why[i].reason;
        out->n.why[i].reason = gs_arena_str(&out->text, s, strlen(s));
    }
}

static void warn(struct gs_trace_summary *out)
{
    char a[64];
    const double p50 = out->run_s.p50;
    if (out->run_s.n && (p50 < 1 || p50 > 30.0 * (double)DAY_S))
        (void)gs_fmt(out->warning, sizeof out->warning,
                     "the median job runs %s, outside 1 s .. 30 d: is the unit of time what this "
                     "format says?",
                     gs_show_time(p50, a, sizeof a));
}

static int earlier(const void *a, const void *b, const void *ctx)
{
    (void)ctx;
    const int64_t x = *(const int64_t *)a;
    const int64_t y = *(const int64_t *)b;
    return x < y ? -1 : x > y;
}

/* The times between arrivals of a file that is out of order: known if it is short enough to be sorted, else left out. */
static void gaps_of_unsorted(struct gs_info *f)
{
    gs_spread_free(&f->gap_s);
    f->gap_s = (struct gs_spread_of){0};
    if (f->out->jobs + f->out->calls > f->arrivals.n)
        return;
    gs_sort(f->arrivals.v, f->arrivals.n, sizeof *f->arrivals.v, earlier, NULL);
    for (size_t i = 1; i < f->arrivals.n; i++)
        gs_spread_add(&f->gap_s, (double)(f->arrivals.v[i] - f->arrivals.v[i - 1]) / 1e9);
}

static void summarise(struct gs_info *f)
{
    struct gs_trace_summary *out = f->out;
    if (!out->n.sorted)
        gaps_of_unsorted(f);
    out->exact =
        !f->run_s.bins && !f->gpus.bins && !f->gap_s.bins && !f->input.bins && !f->output.bins;
    out->run_s = gs_spread_get(&f->run_s);
    out->gpus = gs_spread_get(&f->gpus);
    out->gap_s = gs_spread_get(&f->gap_s);
    out->input = gs_spread_get(&f->input);
    out->output = gs_spread_get(&f->output);
    out->gpu_hours = gpu_hours(f->gpu_milli_ns);
    if (f->first_ns != GS_NEVER)
        out->span_s = (double)(f->last_ns - f->first_ns) / 1e9;
    (void)take_parts(f, &f->sizes, &out->sizes.v, &out->sizes.n, &out->sizes.cap);
    out->tenants =
        take_parts(f, &f->tenants, &out->tenant_rows.v, &out->tenant_rows.n, &out->tenant_rows.cap);
    if (out->tenants == 0)
        gs_vec_clear(&out->tenant_rows);
    keep_texts(out);
    warn(out);
}

static void info_open(struct gs_info *f)
{
    f->first_ns = f->last_ns = f->before_ns = GS_NEVER;
    gs_intern_init(&f->sizes.ids);
    gs_intern_init(&f->tenants.ids);
}

static void info_close(struct gs_info *f)
{
    gs_spread_free(&f->run_s);
    gs_spread_free(&f->gpus);
    gs_spread_free(&f->gap_s);
    gs_spread_free(&f->input);
    gs_spread_free(&f->output);
    gs_intern_release(&f->sizes.ids);
    gs_intern_release(&f->tenants.ids);
    gs_vec_free(&f->sizes.v);
    gs_vec_free(&f->tenants.v);
    gs_seen_free(&f->users);
    gs_vec_free(&f->arrivals);
}

/* A file of a format without records may be a header alone. */
static enum gs_rc check_rows(const struct gs_trace_summary *out, const struct gs_input *in,
                             int no_records, struct gs_err *err)
{
    if (out->n.rows > out->n.skipped || (no_records && out->figures.n))
        return GS_OK;
    return gs_fail(err, GS_E_INPUT, "%s: no rows%s", in->shown,
                   out->n.rows ? " left: all were skipped" : " behind the header");
}

enum gs_rc gs_trace_info_by(const struct gs_reader *reader, struct gs_input *in,
                            const struct gs_trace_options *o, struct gs_trace_summary *out,
                            struct gs_err *err)
{
    *out = (struct gs_trace_summary){.format_what = reader->what, .units = reader->units};
    struct gs_info f = {.out = out};
    struct gs_intern str;
    gs_intern_init(&str);
    info_open(&f);
    enum gs_rc rc = gs_scan_by(reader, in, o, &str, NULL, &f, &out->n, err);
    if (rc == GS_OK)
        summarise(&f);
    if (rc == GS_OK)
        rc = check_rows(out, in, reader->flags & GS_READER_NO_RECORDS, err);
    info_close(&f);
    gs_intern_release(&str);
    if (rc != GS_OK)
        gs_trace_summary_release(out);
    return rc;
}

enum gs_rc gs_trace_info_input(struct gs_input *in, const struct gs_trace_options *o,
                               struct gs_trace_summary *out, struct gs_err *err)
{
    *out = (struct gs_trace_summary){0};
    const struct gs_reader *reader = NULL;
    const enum gs_rc rc = gs_reader_find(o->format, in, &reader, err);
    return rc == GS_OK ? gs_trace_info_by(reader, in, o, out, err) : rc;
}

enum gs_rc gs_trace_info(const struct gs_trace_options *o, struct gs_trace_summary *out,
                         struct gs_err *err)
{
    gs_require(o && o->path && out);
    *out = (struct gs_trace_summary){0};
    struct gs_input in;
    enum gs_rc rc = gs_input_open(&in, o->path, o->shown, err);
    if (rc == GS_OK)
        rc = gs_trace_info_input(&in, o, out, err);
    gs_input_close(&in);
    return rc;
}

void gs_trace_summary_release(struct gs_trace_summary *s)
{
    gs_vec_free(&s->figures);
    gs_vec_free(&s->sizes);
    gs_vec_free(&s->tenant_rows);
    gs_arena_release(&s->text);
    *s = (struct gs_trace_summary){0};
}
