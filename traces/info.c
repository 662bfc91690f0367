/* info.c - `gsim trace info`: the figures by which a copy of a public trace is told to be whole, then what it holds in words.
 *
 * Each format's reader computes its own control figures (exact integers and decimals, so that two tools can be compared
 * character by character); here are the tallies and the spelling they share, and the part for people, whose lines start with
 * "# " so that the rest stays a table of quantity, TAB, value. Cost: O(rows log rows). */
#include "sim/base/sort.h"
#include "sim/base/units.h"
#include "traces/decimal.h"
#include "traces/reader.h"

#include <string.h>

#include "sim/base/banned.h"

/* ---- Tallies ----------------------------------------------------------------------------------- */

static struct gs_tally_row *tally_row(struct gs_tally *t, const char *s)
{
    if (!t->open) {
        gs_intern_init(&t->ids);
        gs_vec_push(&t->rows, (struct gs_tally_row){.text = ""});
        t->open = 1;
    }
    const uint32_t id = gs_intern(&t->ids, s);
    if (id == t->rows.n)
        gs_vec_push(&t->rows, (struct gs_tally_row){.text = gs_intern_str(&t->ids, id)});
    t->rows.v[id].seen++;
    return &t->rows.v[id];
}

void gs_tally_text(struct gs_tally *t, const char *s, int64_t count)
{
    tally_row(t, s)->count += count;
}

void gs_tally_number(struct gs_tally *t, int64_t x, int64_t count)
{
    char text[32];
    (void)gs_fmt(text, sizeof text, "%lld", (long long)x);
    struct gs_tally_row *row = tally_row(t, text);
    row->number = x;
    row->count += count;
}

size_t gs_tally_distinct(const struct gs_tally *t)
{
    size_t n = 0;
    for (size_t i = 0; i < t->rows.n; i++)
        n += t->rows.v[i].seen > 0;
    return n;
}

static int tally_order(const void *a, const void *b, const void *ctx)
{
    (void)ctx;
    const struct gs_tally_row *x = a;
    const struct gs_tally_row *y = b;
    if (x->number != y->number)
        return x->number < y->number ? -1 : 1;
    return strcmp(x->text, y->text);
}

void gs_tally_sort(struct gs_tally *t)
{
    size_t kept = 0;
    for (size_t i = 0; i < t->rows.n; i++) {
        if (t->rows.v[i].seen > 0)
            t->rows.v[kept++] = t->rows.v[i];
    }
    t->rows.n = kept;
    gs_sort(t->rows.v, kept, sizeof *t->rows.v, tally_order, NULL);
}

void gs_tally_free(struct gs_tally *t)
{
    if (t->open)
        gs_intern_release(&t->ids);
    gs_vec_free(&t->rows);
    t->open = 0;
}

/* ---- Lines ------------------------------------------------------------------------------------- */

void gs_info_int(struct gs_info *f, const char *quantity, int64_t x)
{
    gs_buf_fmt(f->out, "%s\t%lld\n", quantity, (long long)x);
}

void gs_info_decimal(struct gs_info *f, const char *quantity, gs_i128 x, int scale)
{
    gs_buf_fmt(f->out, "%s\t", quantity);
    gs_decimal_add(f->out, x, scale);
    gs_buf_str(f->out, "\n");
}

void gs_info_text(struct gs_info *f, const char *quantity, const char *s)
{
    gs_buf_fmt(f->out, "%s\t%s\n", quantity, s);
}

void gs_info_tally(struct gs_info *f, const char *quantity, struct gs_tally *t, size_t most)
{
    gs_tally_sort(t);
    gs_buf_fmt(f->out, "%s\t", quantity);
    for (size_t i = 0; i < t->rows.n && i < most; i++)
        gs_buf_fmt(f->out, "%s%s:%lld", i ? ";" : "", t->rows.v[i].text,
                   (long long)t->rows.v[i].count);
    gs_buf_str(f->out, "\n");
}

void gs_info_clock(struct gs_info *f, const char *quantity, int64_t unix_ns)
{
    char text[64];
    (void)gs_show_clock(unix_ns, 0, text, sizeof text);
    if (strlen(text) > 19) { /* 2017-09-04T10:30:41 and its zone */
        text[10] = ' ';
        text[19] = '\0';
    }
    gs_info_text(f, quantity, text);
}

struct gs_row gs_info_row(struct gs_info *f, int64_t line)
{
    f->n.rows++;
    return (struct gs_row){
        .in = f->in, .line = line, .bad_rows = f->bad_rows, .n = &f->n, .err = f->err};
}

/* ---- In words ---------------------------------------------------------------------------------- */

static double median(double *v, size_t n)
{
    gs_sort_doubles(v, n);
    return gs_quantile(v, n, 0.5);
}

static void add_words(struct gs_info *f, const char *format)
{
    char a[64];
    char b[64];
    gs_buf_fmt(f->out, "# format: %s; file: %s, xxh128 %s\n", format,
               gs_show_bytes((double)f->in->stored, a, sizeof a), f->in->digest);
    gs_buf_fmt(f->out, "# rows: %s read", gs_show_count((int64_t)f->n.rows, a, sizeof a));
    gs_buf_fmt(f->out, ", %s skipped\n", gs_show_count((int64_t)f->n.skipped, a, sizeof a));
    for (uint32_t i = 0; i < f->n.nwhy; i++)
        gs_buf_fmt(f->out, "# skipped: %llu, %s\n", (unsigned long long)f->n.why[i].n,
                   f->n.why[i].reason);
    if (f->run_s.n == 0)
        return;
    const double run = median(f->run_s.v, f->run_s.n);
    const double size = median(f->gpus.v, f->gpus.n);
    gs_buf_fmt(f->out, "# median job: runs %s", gs_show_time(run, a, sizeof a));
    gs_buf_fmt(f->out, " on %g %s%s; the longest %s", size, f->size_unit ? f->size_unit : "GPU",
               size > 1 || size < 1 ? "s" : "",
               gs_show_time(f->run_s.v[f->run_s.n - 1], b, sizeof b));
    gs_buf_fmt(f->out, ", the largest %g\n", f->gpus.v[f->gpus.n - 1]);
}

enum gs_rc gs_trace_info_input(const struct gs_input *in, const char *format, enum gs_bad_rows bad,
                               struct gs_buf *out, struct gs_err *err)
{
    struct gs_buf text = {0};
    struct gs_info f = {.in = in, .bad_rows = bad, .out = &text, .err = err};
    const struct gs_reader *reader = NULL;
    enum gs_rc rc = gs_reader_find(format, in, &reader, err);
    if (rc == GS_OK)
        rc = reader->info(&f);
    if (rc == GS_OK && f.n.rows == f.n.skipped)
        rc = gs_fail(err, GS_E_INPUT, "%s: no rows%s", in->shown,
                     f.n.rows ? " left: all were skipped" : " behind the header");
    if (rc == GS_OK) {
        add_words(&f, reader->name);
        gs_buf_str(out, gs_buf_cstr(&text)); /* all or nothing */
    }
    gs_buf_free(&text);
    gs_vec_free(&f.run_s);
    gs_vec_free(&f.gpus);
    return rc;
}

enum gs_rc gs_trace_info(const char *path, const char *format, enum gs_bad_rows bad,
                         struct gs_buf *out, struct gs_err *err)
{
    gs_require(path && out);
    struct gs_input in;
    enum gs_rc rc = gs_input_read(&in, path, NULL, err);
    if (rc == GS_OK)
        rc = gs_trace_info_input(&in, format, bad, out, err);
    gs_input_release(&in);
    return rc;
}
