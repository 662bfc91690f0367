/* outfile.c - the results file of one run: what no other room knows - attributes, inputs, allocations, attempts, reservations, events.
 *
 * Opened before the run, so that an unwritable place is found at once and allocation rows leave memory by chunk; finished after it. */
#include "sim/base/units.h"
#include "sim/effects/power.h"
#include "sim/hardware/interference.h"
#include "sim/mig.h"
#include "sim/outage.h"
#include "sim/outlinks.h"
#include "sim/run.h"

#include <stdio.h>
#include <string.h>

#define HEX64 "0x%016llx"

static const char *const outcome_names[] = {
#define X(U, l) #l,
    GS_ATTEMPT_ENDS(X)
#undef X
        NULL};
static const char *const fate_names[] = {"kept", "moved", "dropped", NULL};

static const struct gs_column attempt_columns[] = {
    {"job", GS_U32, "1", "row of the job in /jobs", NULL, NULL},
    {"attempt", GS_U32, "1", "number of the attempt, from 1", NULL, NULL},
    {"start_s", GS_F64, "s", "start of the attempt", NULL, NULL},
    {"end_s", GS_F64, "s", "end of the attempt, NaN = not ended", NULL, NULL},
    {"outcome", GS_U8, "1", "how the attempt ended", NULL, outcome_names},
    {"lost_gpu_s", GS_F64, "s",
     "GPU-seconds of work that were lost with it; 0 where the trace records a failure, since it does not tell",
     NULL, NULL},
    {"node", GS_U32, "1", "first node, row in /cluster/nodes", NULL, NULL},
};

static const char *const cause_names[] = {
#define X(U, l) #l,
    GS_CAUSES(X)
#undef X
        NULL};
static const char *const blocker_names[] = {"none", "job", "queue", "level", "node", NULL};

static const struct gs_column wait_columns[] = {
    {"job", GS_U32, "1", "row of the job in /jobs", NULL, NULL},
    {"start_s", GS_F64, "s", "start of a stretch of waiting with one cause", NULL, NULL},
    {"end_s", GS_F64, "s", "end of the stretch", NULL, NULL},
    {"cause", GS_U8, "1", "why the job waited", NULL, cause_names},
    {"blocker_kind", GS_U8, "1", "what stood in its way when the stretch began", NULL,
     blocker_names},
    {"blocker", GS_U32, "1", "row of that job or queue", NULL, NULL},
};

static const struct gs_column reservation_columns[] = {
    {"job", GS_U32, "1", "row of the job in /jobs", NULL, NULL},
    {"made_s", GS_F64, "s", "when the reservation was made", NULL, NULL},
    {"start_s", GS_F64, "s", "start that was promised", NULL, NULL},
    {"fate", GS_U8, "1",
     "kept: started by then; moved: another start was promised; dropped: neither", NULL,
     fate_names},
};

static const struct gs_column event_columns[] = {
    {"seq", GS_U64, "1", "number of the record", NULL, NULL},
    {"time_s", GS_F64, "s", "simulated time", NULL, NULL},
    {"kind", GS_U32, "1", "class + 256 x kind of the event; decisions have kinds from 256", NULL,
     NULL},
    {"subject", GS_U32, "1", "what it is about, as its kind says", NULL, NULL},
    {"object", GS_U32, "1", "second word, as its kind says", NULL, NULL},
    {"result", GS_U64, "1", "word that entered the digest", NULL, NULL},
    {"digest", GS_U64, "1", "digest after this record", NULL, NULL},
};

static const struct gs_column ring_columns[] = {
    {"block", GS_U64, "1", "number of the block of 65,536 events", NULL, NULL},
    {"digest", GS_U64, "1", "digest at its end", NULL, NULL},
};

static const struct gs_column input_columns[] = {
    {"path", GS_STR, "1", "file as the scenario writes it", NULL, NULL},
    {"format", GS_STR, "1", "format it was read as", NULL, NULL},
    {"bytes", GS_U64, "B", "size as stored", NULL, NULL},
    {"xxh128", GS_STR, "1", "digest of the stored bytes", NULL, NULL},
    {"rows", GS_U64, "1", "data rows read", NULL, NULL},
    {"rows_skipped", GS_U64, "1", "rows that gave no job or node", NULL, NULL},
    {"why", GS_STR, "1",
     "reasons for skipped rows, assumptions made, with counts, and what was done to the jobs", NULL,
     NULL},
};

#define LEN(a) (sizeof(a) / sizeof *(a))

/* ---- streams ---- */

static void log_event(void *ctx, const struct gs_logged *e)
{
    struct gs_run *r = ctx;
    struct gs_err err = {0};
    double t = (double)e->time_ns / 1e9;
    const void *row[] = {&e->seq,    &t,         &e->cls_kind, &e->subject,
                         &e->object, &e->result, &e->digest};
    if (r->io_rc || (r->events_wanted == 1 && (e->cls_kind >> 8) < 0x100))
        return;
    gs_run_note_io(r, gs_h5_table_row(r->evlog, row, &err), &err);
}

const char *volatile gs_part_path;

enum gs_rc gs_outfile_open(struct gs_run *r, const struct gs_outfile *o, struct gs_err *err)
{
    enum gs_rc rc = gs_h5_create(&r->out, o->path, o->compress, err);
    if (!rc) {
        char part[4096];
        (void)gs_fmt(part, sizeof part, "%s.part", o->path);
        gs_part_path = gs_arena_str(&r->text, part, strlen(part));
    }
    if (!rc)
        rc = gs_alloc_table_open(r->out, gs_mig_names(r), &r->alloc, err);
    if (!rc)
        rc = gs_h5_table_open(r->out, "attempts", attempt_columns, LEN(attempt_columns),
                              &r->attempts, err);
    if (!rc && r->want_waits)
        rc = gs_h5_table_open(r->out, "waits", wait_columns, LEN(wait_columns), &r->waits, err);
    if (!rc && o->set && o->set->per_link)
        rc = gs_outfile_link_series(r, err);
    r->events_wanted = o->set ? o->set->events : 0;
    if (!rc && r->events_wanted) {
        rc = gs_h5_table_open(r->out, "events", event_columns, LEN(event_columns), &r->evlog, err);
        r->eng.log = log_event;
        r->eng.log_ctx = r;
    }
    return rc;
}

void gs_outfile_attempt(struct gs_run *r, const struct gs_attempt *a)
{
    struct gs_err err = {0};
    if (!r->attempts || r->io_rc)
        return;
    double start = gs_seconds(a->start_ns), end = gs_seconds(a->end_ns);
    const void *row[] = {&a->job, &a->number, &start, &end, &a->outcome, &a->lost_gpu_s, &a->node};
    gs_run_note_io(r, gs_h5_table_row(r->attempts, row, &err), &err);
}

void gs_outfile_wait(struct gs_run *r, uint32_t job, int64_t start_ns, int64_t end_ns,
                     const struct gs_wait_why *why)
{
    struct gs_err err = {0};
    if (!r->waits || r->io_rc)
        return;
    const double start = gs_seconds(start_ns), end = gs_seconds(end_ns);
    const void *row[] = {&job, &start, &end, &why->cause, &why->blocker_kind, &why->blocker};
    gs_run_note_io(r, gs_h5_table_row(r->waits, row, &err), &err);
}

/* ---- groups ---- */

static enum gs_rc write_reservations(struct gs_run *r, struct gs_err *err)
{
    struct gs_h5_table *t = NULL;
    if (!r->reservations.n)
        return GS_OK;
    enum gs_rc rc = gs_h5_table_open(r->out, "reservations", reservation_columns,
                                     LEN(reservation_columns), &t, err);
    for (size_t i = 0; i < r->reservations.n && !rc; i++) {
        const struct gs_reservation *v = &r->reservations.v[i];
        double made = gs_seconds(v->made_ns), at = gs_seconds(v->at_ns);
        const void *row[] = {&v->job, &made, &at, &v->fate};
        rc = gs_h5_table_row(t, row, err);
    }
    enum gs_rc close = t ? gs_h5_table_close(t, rc ? NULL : err) : GS_OK;
    return rc ? rc : close;
}

static enum gs_rc write_ring(struct gs_run *r, struct gs_err *err)
{
    size_t n = r->eng.nring;
    if (r->events_wanted || !n)
        return GS_OK;
    uint64_t *col = GS_NEW_N(uint64_t, n);
    for (size_t i = 0; i < n; i++)
        col[i] = r->eng.ring[i].block;
    enum gs_rc rc = gs_h5_column(r->out, "events", &ring_columns[0], col, n, err);
    for (size_t i = 0; i < n; i++)
        col[i] = r->eng.ring[i].digest;
    if (!rc)
        rc = gs_h5_column(r->out, "events", &ring_columns[1], col, n, err);
    gs_free(col);
    return rc;
}

static void counts_text(const struct gs_file_read *in, struct gs_buf *b)
{
    const struct gs_trace_counts *c = &in->n;
    for (uint32_t i = 0; i < c->nwhy; i++)
        gs_buf_fmt(b, "%s%s: %llu", b->n ? "; " : "", c->why[i].reason,
                   (unsigned long long)c->why[i].n);
    for (uint32_t i = 0; i < c->nassumed; i++)
        gs_buf_fmt(b, "%s%s: %llu", b->n ? "; " : "", c->assumed[i].what,
                   (unsigned long long)c->assumed[i].n);
    if (c->out_of_order)
        gs_buf_fmt(b, "%sout of order, sorted: %llu", b->n ? "; " : "",
                   (unsigned long long)c->out_of_order);
    if (c->duplicates)
        gs_buf_fmt(b, "%sexact repeats, kept: %llu", b->n ? "; " : "",
                   (unsigned long long)c->duplicates);
    for (const char *s = in->shaped.said; *s; s += *s == '\n') {
        const size_t n = strcspn(s, "\n");
        gs_buf_fmt(b, "%s%.*s", b->n ? "; " : "", (int)n, s);
        s += n;
    }
}

static enum gs_rc write_inputs(struct gs_run *r, struct gs_err *err)
{
    size_t n = r->inputs.n;
    if (!n)
        return GS_OK;
    const char **text = GS_NEW_N(const char *, n);
    uint64_t *num = GS_NEW_N(uint64_t, n);
    struct gs_buf *why = GS_NEW_N(struct gs_buf, n);
    enum gs_rc rc = GS_OK;
    for (size_t c = 0; c < LEN(input_columns) && !rc; c++) {
        for (size_t i = 0; i < n; i++) {
            const struct gs_file_read *in = &r->inputs.v[i];
            if (c == 6)
                counts_text(in, &why[i]);
            const char *const words[] = {in->path, in->n.format,        NULL, in->n.digest, NULL,
                                         NULL,     gs_buf_cstr(&why[i])};
            const uint64_t numbers[] = {0, 0, in->n.bytes, 0, in->n.rows, in->n.skipped, 0};
            text[i] = words[c];
            num[i] = numbers[c];
        }
        rc = gs_h5_column(r->out, "inputs", &input_columns[c],
                          input_columns[c].type == GS_STR ? (const void *)text : (const void *)num,
                          n, err);
    }
    for (size_t i = 0; i < n; i++)
        gs_buf_free(&why[i]);
    gs_free(why);
    gs_free(num);
    gs_free(text);
    return rc;
}

/* ---- attributes ---- */

static void policy_text(const struct gs_run *r, struct gs_buf *b)
{
    if (r->role[GS_ROLE_SCHEDULER] == GS_NONE)
        gs_buf_str(b, "composite");
    for (int i = 0; i < GS_ROLE_COUNT; i++)
        if (r->role[i] != GS_NONE)
            gs_buf_fmt(b, "%s%s=%s", b->n ? " " : "", gs_role_str((enum gs_role)i),
                       r->role_text[i]);
}

static void modules_text(const struct gs_run *r, struct gs_buf *b)
{
    for (size_t i = 0; i < r->modules.n; i++) {
        const struct gsp_manifest *m = gs_module_manifest(r->modules.v[i]);
        gs_buf_fmt(b, "%s%s %s (%s)", i ? "; " : "", m->id, m->version ? m->version : "",
                   gs_module_path(r->modules.v[i]));
    }
}

static int64_t time_origin(const struct gs_run *r, const struct gs_outfile *o, int32_t *offset_s)
{
    *offset_s = o->set ? o->set->zone_offset_s : 0;
    if (o->set && o->set->start_unix_ns != GS_NEVER)
        return o->set->start_unix_ns;
    for (size_t i = 0; i < r->inputs.n; i++) {
        if (r->inputs.v[i].n.origin_unix_ns != GS_NEVER && r->inputs.v[i].n.rows) {
            *offset_s = r->inputs.v[i].n.origin_offset_s;
            return r->inputs.v[i].n.origin_unix_ns;
        }
    }
    return GS_NEVER;
}

static uint32_t largest_cap(const uint32_t *have, const uint32_t *base, uint32_t n,
                            uint32_t base_value)
{
    uint32_t most = 1000;
    for (uint32_t i = 0; i < n; i++) {
        uint32_t b = base ? base[i] : base_value;
        uint32_t x = b ? (uint32_t)((uint64_t)have[i] * 1000 / b) : 1000;
        if (x > most)
            most = x;
    }
    return most;
}

struct text_attr {
    const char *name, *value;
};

static enum gs_rc write_texts(struct gs_run *r, const struct gs_outfile *o, struct gs_err *err)
{
    char digest[32], abi[32], origin[64] = "";
    struct gs_buf policy = {0}, modules = {0};
    int32_t offset = 0;
    int64_t zero = time_origin(r, o, &offset);
    (void)gs_fmt(digest, sizeof digest, HEX64, (unsigned long long)r->eng.digest);
    (void)gs_fmt(abi, sizeof abi, "%u.%u", GSP_ABI_MAJOR, GSP_ABI_MINOR);
    if (zero != GS_NEVER)
        (void)gs_show_clock(zero, offset, origin, sizeof origin);
    policy_text(r, &policy);
    modules_text(r, &modules);
    const struct text_attr a[] = {
        {"schema", "gsim/1.0"},
        {"gsim_version", GSIM_VERSION},
        {"abi_version", abi},
        {"title", o->set && o->set->name ? o->set->name : ""},
        {"history", o->history ? o->history : ""},
        {"exit_reason", o->exit_reason ? o->exit_reason : ""},
        {"created_from", o->set ? gs_buf_cstr(&o->set->effective) : ""},
        {"sweep_label", o->label ? o->label : ""},
        {"scenario_path", o->set && o->set->path ? o->set->path : ""},
        {"time_origin", origin},
        {"verdict", gs_verdict_str(r->verdict)},
        {"digest", digest},
        {"policy", gs_buf_cstr(&policy)},
        {"policy_modules", gs_buf_cstr(&modules)},
        {"cost_assumptions", r->power && r->power->assumed ? r->power->assumed : ""},
        {"replications_note", o->note ? o->note : ""}};
    enum gs_rc rc = GS_OK;
    for (size_t i = 0; i < LEN(a) && !rc; i++)
        rc = gs_h5_attr_str(r->out, a[i].name, a[i].value, err);
    gs_buf_free(&policy);
    gs_buf_free(&modules);
    return rc;
}

static enum gs_rc write_numbers(struct gs_run *r, const struct gs_outfile *o, struct gs_err *err)
{
    struct gs_window w = gs_metrics_window(r->m);
    enum gs_rc rc = gs_h5_attr_u64(r->out, "seed", r->seed, err);
    if (!rc)
        rc = gs_h5_attr_u64(r->out, "tie_seed", r->tie_seed, err);
    if (!rc)
        rc = gs_h5_attr_i64(r->out, "complete", o->complete, err);
    if (!rc)
        rc = gs_h5_attr_f64(r->out, "end_s", (double)r->end_ns / 1e9, err);
    if (!rc)
        rc = gs_h5_attr_f64(r->out, "warmup_s", (double)r->warmup_ns / 1e9, err);
    if (!rc)
        rc = gs_h5_attr_f64(r->out, "measure_from_s", (double)w.from_ns / 1e9, err);
    if (!rc)
        rc = gs_h5_attr_f64(r->out, "measure_to_s", (double)w.to_ns / 1e9, err);
    if (!rc)
        rc = gs_h5_attr_i64(r->out, "replications", o->replications ? o->replications : 1, err);
    if (!rc)
        rc = gs_h5_attr_i64(r->out, "gpu_oversubscription_milli",
                            largest_cap(r->cluster.gpu_cap_milli, NULL, r->cluster.ngpus, 1000),
                            err);
    if (!rc)
        rc = gs_h5_attr_i64(
            r->out, "gpu_memory_oversubscription_milli",
            r->memory_oversubscription_milli ? r->memory_oversubscription_milli : 1000, err);
    if (!rc && r->sharing)
        rc = gs_h5_attr_str(r->out, "interference",
                            r->interference < 0
                                ? "auto: equal on time-sliced GPUs, else none"
                                : gs_interference_str((enum gs_interference)r->interference),
                            err);
    return rc;
}

static enum gs_rc close_table(struct gs_h5_table **t, enum gs_rc rc, struct gs_err *err)
{
    enum gs_rc mine = *t ? gs_h5_table_close(*t, rc ? NULL : err) : GS_OK;
    *t = NULL;
    return rc ? rc : mine;
}

static enum gs_rc write_cluster(struct gs_run *r, struct gs_err *err)
{
    size_t n = 0;
    const struct gs_node_life *lives = gs_outage_lives(r, r->end_ns, &n);
    const enum gs_rc rc = gs_cluster_write(&r->cluster, r->out, r->end_ns, lives, n, err);
    return rc ? rc : gs_outfile_links(r, err);
}

enum gs_rc gs_outfile_finish(struct gs_run *r, struct gs_outfile *o, struct gs_err *err)
{
    enum gs_rc rc = r->io_rc ? gs_fail(err, r->io_rc, "%s", r->io_err.msg) : GS_OK;
    rc = close_table(&r->alloc, rc, err);
    rc = close_table(&r->attempts, rc, err);
    rc = close_table(&r->waits, rc, err);
    rc = close_table(&r->evlog, rc, err);
    rc = close_table(&r->link_series, rc, err);
    if (!rc)
        rc = write_texts(r, o, err);
    if (!rc)
        rc = write_numbers(r, o, err);
    if (!rc)
        rc = write_inputs(r, err);
    if (!rc)
        rc = write_ring(r, err);
    if (!rc)
        rc = write_reservations(r, err);
    if (!rc)
        rc = gs_mig_write(r, r->out, err);
    if (!rc)
        rc = gs_outage_write(r, err);
    if (!rc)
        rc = write_cluster(r, err);
    if (!rc && o->extra)
        rc = o->extra(o->extra_ctx, r, err);
    else if (!rc)
        rc = gs_metrics_write(r->m, r->out, o->group, err);
    if (rc) {
        gs_h5_abandon(r->out);
        r->out = NULL;
        return rc;
    }
    struct gs_h5 *f = r->out;
    r->out = NULL;
    gs_part_path = NULL;
    return gs_h5_finish(f, o->data_digest, err);
}
