/* tally.c - distinct values with their counts: what figures group by.
 *
 * Invariant: a tally holds numbers or texts, not both, so that its order is one. Cost: O(1) expected a value, memory by the
 * number of distinct values. */
#include "sim/base/sort.h"
#include "traces/reader.h"

#include <string.h>

#include "sim/base/banned.h"

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
