/* csv.c - a gzip'd CSV like the Philly list, read by gsim and by zlib + libcsv alone, in one program and one run.
 *
 * The baseline unpacks block by block and tokenises, with callbacks that only count; gsim does that too and makes something of it: rows
 * with named columns; jobs of a workload (times by zone, numbers, tenants); the figures of `trace info`. Goal: at most 2.5
 * times the baseline for rows and jobs. Parts take turns, and each ratio is of the fastest round of each. */
#include "tests/bench/csv.h"

#include "sim/base/buf.h"
#include "sim/base/err.h"
#include "sim/base/units.h"
#include "traces/reader.h"

#include <csv.h>
#include <zlib.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define BLOCK   ((size_t)1 << 17)
#define TENANTS 15

struct packed {
    unsigned char *v;
    size_t n, text;
    unsigned rows;
};

static uint64_t next(uint64_t *x)
{
    *x = *x * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return *x >> 33;
}

/* Rows as the list has them: newest first, run times of a few digits, few sizes, tenants of six hex digits. */
static void make_rows(struct gs_buf *out, unsigned rows)
{
    uint64_t x = 42;
    int64_t t = INT64_C(1513900000);
    gs_buf_str(out, "timestamp,duration,num_gpus,gpu_time,cluster\n");
    for (unsigned i = 0; i < rows; i++) {
        char clock[64];
        const unsigned gpus = next(&x) % 20 ? 1 : 1u << next(&x) % 6;
        const unsigned run = (unsigned)(next(&x) % 1000 * (next(&x) % 50 + 1));
        t -= (int64_t)(next(&x) % 20);
        (void)gs_show_clock(t * GS_SECOND, 0, clock, sizeof clock);
        gs_buf_fmt(out, "%.10s %.8s,%u.0,%u,%u.0,%06x\n", clock, clock + 11, run, gpus, run * gpus,
                   (unsigned)(next(&x) % TENANTS * 1118481 + 3735928));
    }
}

static int pack(struct packed *p, unsigned rows)
{
    struct gs_buf text = {0};
    make_rows(&text, rows);
    z_stream z = {0};
    if (deflateInit2(&z, 6, Z_DEFLATED, 15 + 16, 8, Z_DEFAULT_STRATEGY) != Z_OK)
        return 0;
    const size_t cap = deflateBound(&z, text.n);
    *p = (struct packed){.v = malloc(cap), .text = text.n, .rows = rows};
    z.next_in = (Bytef *)text.s;
    z.avail_in = (uInt)text.n;
    z.next_out = p->v;
    z.avail_out = (uInt)cap;
    const int ok = p->v && deflate(&z, Z_FINISH) == Z_STREAM_END;
    p->n = cap - z.avail_out;
    (void)deflateEnd(&z);
    gs_buf_free(&text);
    return ok;
}

/* ---- zlib and libcsv alone --------------------------------------------------------------------- */

struct seen {
    size_t fields, rows;
};

static void on_field(void *s, size_t n, void *ctx)
{
    (void)s;
    (void)n;
    ((struct seen *)ctx)->fields++;
}

static void on_row(int end, void *ctx)
{
    (void)end;
    ((struct seen *)ctx)->rows++;
}

static size_t alone(const struct packed *p)
{
    static unsigned char block[BLOCK];
    struct csv_parser csv;
    struct seen seen = {0};
    z_stream z = {0};
    if (inflateInit2(&z, 15 + 16) != Z_OK || csv_init(&csv, CSV_APPEND_NULL) != 0)
        return 0;
    z.next_in = p->v;
    z.avail_in = (uInt)p->n;
    for (int rc = Z_OK; rc == Z_OK;) {
        z.next_out = block;
        z.avail_out = (uInt)sizeof block;
        rc = inflate(&z, Z_NO_FLUSH);
        (void)csv_parse(&csv, block, sizeof block - z.avail_out, on_field, on_row, &seen);
    }
    (void)csv_fini(&csv, on_field, on_row, &seen);
    csv_free(&csv);
    (void)inflateEnd(&z);
    return seen.rows;
}

/* ---- gsim -------------------------------------------------------------------------------------- */

static size_t as_rows(const struct packed *p)
{
    struct gs_input in;
    struct gs_csv c;
    struct gs_err err;
    size_t rows = 0;
    int more = 0;
    if (gs_input_from(&in, p->v, p->n, "bench", &err) != GS_OK)
        return 0;
    enum gs_rc rc = gs_csv_open(&c, &in, &err);
    for (rc = rc ? rc : gs_csv_next(&c, &more, &err); !rc && more;
         rc = gs_csv_next(&c, &more, &err))
        rows++;
    gs_csv_close(&c);
    gs_input_close(&in);
    return rc ? 0 : rows + 1;
}

static size_t as_jobs(const struct packed *p)
{
    struct gs_input in;
    struct gs_err err;
    struct gs_intern str;
    struct gs_workload w;
    struct gs_trace_options o;
    struct gs_trace_counts n;
    if (gs_input_from(&in, p->v, p->n, "bench", &err) != GS_OK)
        return 0;
    gs_intern_init(&str);
    gs_workload_init(&w, &str);
    gs_trace_options_init(&o);
    const enum gs_rc rc = gs_trace_read_input(&w, 0, &o, &in, &n, &err);
    if (rc)
        (void)fprintf(stderr, "%s\n", err.msg);
    const size_t rows = rc ? 0 : w.jobs.n + 1;
    gs_workload_release(&w);
    gs_intern_release(&str);
    gs_input_close(&in);
    return rows;
}

static enum gs_rc count_job(void *ctx, const struct gs_job *j,
                            const struct gs_job_attempt *attempts, const struct gs_job_attr *attrs,
                            struct gs_err *err)
{
    (void)j;
    (void)attempts;
    (void)attrs;
    (void)err;
    ++*(size_t *)ctx;
    return GS_OK;
}

static size_t as_stream(const struct packed *p)
{
    struct gs_input in;
    struct gs_err err;
    struct gs_intern str;
    struct gs_trace_options o;
    struct gs_trace_counts n;
    size_t rows = 0;
    const struct gs_sink sink = {.ctx = &rows, .job = count_job};
    if (gs_input_from(&in, p->v, p->n, "bench", &err) != GS_OK)
        return 0;
    gs_intern_init(&str);
    gs_trace_options_init(&o);
    const enum gs_rc rc = gs_scan_input(&in, &o, &str, &sink, &n, &err);
    gs_intern_release(&str);
    gs_input_close(&in);
    return rc ? 0 : rows + 1;
}

static size_t as_figures(const struct packed *p)
{
    struct gs_input in;
    struct gs_err err;
    struct gs_trace_options o;
    struct gs_trace_summary s;
    if (gs_input_from(&in, p->v, p->n, "bench", &err) != GS_OK)
        return 0;
    gs_trace_options_init(&o);
    const enum gs_rc rc = gs_trace_info_input(&in, &o, &s, &err);
    const size_t rows = rc ? 0 : s.n.rows + 1;
    gs_trace_summary_release(&s);
    gs_input_close(&in);
    return rows;
}

static const struct {
    const char *name;
    size_t (*run)(const struct packed *p); /* rows and the header */
} parts[] = {{"zlib + libcsv alone", alone},
             {"gsim, rows", as_rows},
             {"gsim, records one by one", as_stream},
             {"gsim, jobs of a workload", as_jobs},
             {"gsim, trace info", as_figures}};

enum {
    NPARTS = sizeof parts / sizeof parts[0]
};

static double processor_s(void)
{
    struct timespec t;
    return clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t) == 0
               ? (double)t.tv_sec + (double)t.tv_nsec / 1e9
               : 0;
}

int bench_csv(int rounds, unsigned rows)
{
    struct packed p = {0};
    double best[NPARTS] = {0};
    int failed = !pack(&p, rows);
    printf("csv: %u rows, %.1f MB of text, %.1f MB packed\n", rows, (double)p.text / 1e6,
           (double)p.n / 1e6);
    for (int round = 0; round < (rounds < 3 ? 3 : rounds) && !failed; round++) {
        for (size_t i = 0; i < NPARTS; i++) {
            const double from = processor_s();
            failed |= parts[i].run(&p) != (size_t)rows + 1;
            const double took = processor_s() - from;
            best[i] = round == 0 || took < best[i] ? took : best[i];
        }
    }
    for (size_t i = 0; i < NPARTS && !failed; i++)
        printf("  %-26s %5.2f x\n", parts[i].name, best[i] / best[0]);
    if (failed)
        printf("  a part failed\n");
    free(p.v);
    return failed;
}
