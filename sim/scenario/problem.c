/* problem.c - the list of what is wrong, sorted by file and line, and cut to what an error message can hold.
 *
 * A file with a slip in every line would drown its reader, so only the first GS_PROBLEMS_MAX are kept and the rest are
 * counted. The caret is put under the byte it means; tabs of the line are repeated above it, so that both lines
 * indent alike wherever the terminal's tab stops are. */
#include "sim/scenario/problem.h"

#include "sim/base/sort.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "sim/base/banned.h"

static const char *keep(struct gs_problems *p, const struct gs_buf *b)
{
    return gs_arena_str(&p->text, gs_buf_cstr(b), b->n);
}

static const char *show_line(struct gs_problems *p, const struct gs_place *at, uint32_t column)
{
    if (!at->text || at->text[0] == '\0')
        return "";
    struct gs_buf b = {0};
    gs_buf_fmt(&b, "    %s\n    ", at->text);
    for (uint32_t i = 0; i < column && at->text[i]; i++)
        gs_buf_str(&b, at->text[i] == '\t' ? "\t" : " ");
    gs_buf_str(&b, "^");
    const char *kept = keep(p, &b);
    gs_buf_free(&b);
    return kept;
}

void gs_problem(struct gs_problems *p, const struct gs_place *at, uint32_t column, const char *fmt,
                ...)
{
    p->total++;
    if (p->v.n >= GS_PROBLEMS_MAX)
        return;
    char msg[1024];
    va_list ap;
    va_start(ap, fmt);
    (void)vsnprintf(msg, sizeof msg, fmt, ap);
    va_end(ap);
    struct gs_buf head = {0};
    if (at->where)
        gs_buf_fmt(&head, "%s: ", at->where);
    gs_buf_str(&head, msg);
    gs_vec_push(&p->v, (struct gs_problem){.file = at->file,
                                           .line = at->line,
                                           .number = (uint32_t)p->v.n,
                                           .head = keep(p, &head),
                                           .shown = show_line(p, at, column)});
    gs_buf_free(&head);
}

static int by_place(const void *a, const void *b, const void *ctx)
{
    const struct gs_problem *x = a;
    const struct gs_problem *y = b;
    (void)ctx;
    if (x->file != y->file)
        return x->file < y->file ? -1 : 1;
    if (x->line != y->line)
        return x->line < y->line ? -1 : 1;
    return x->number < y->number ? -1 : x->number > y->number;
}

/* As many whole problems as fit into the message, then how many are left. */
static void fill_message(const struct gs_problems *p, struct gs_err *err)
{
    enum {
        ROOM_FOR_REST = 40
    };
    struct gs_buf b = {0};
    size_t shown = 0;
    for (; shown < p->v.n; shown++) {
        const struct gs_problem *q = &p->v.v[shown];
        const size_t need = strlen(q->head) + strlen(q->shown) + 2;
        if (shown && b.n + need + ROOM_FOR_REST > sizeof err->msg)
            break;
        gs_buf_fmt(&b, "%s%s%s%s", shown ? "\n" : "", q->head, *q->shown ? "\n" : "", q->shown);
    }
    if (shown < p->total)
        gs_buf_fmt(&b, "\n... and %zu more", p->total - shown);
    gs_fail(err, GS_E_INPUT, "%s", gs_buf_cstr(&b));
    gs_buf_free(&b);
}

enum gs_rc gs_problems_report(struct gs_problems *p, struct gs_buf *out, struct gs_err *err)
{
    if (p->total == 0)
        return GS_OK;
    gs_sort(p->v.v, p->v.n, sizeof *p->v.v, by_place, NULL);
    for (size_t i = 0; i < p->v.n; i++) {
        const struct gs_problem *q = &p->v.v[i];
        gs_buf_fmt(out, "%s%s%s%s", i ? "\n" : "", q->head, *q->shown ? "\n" : "", q->shown);
    }
    if (p->v.n < p->total)
        gs_buf_fmt(out, "\n... and %zu more", p->total - p->v.n);
    if (err)
        fill_message(p, err);
    return GS_E_INPUT;
}

void gs_problems_release(struct gs_problems *p)
{
    gs_arena_release(&p->text);
    gs_vec_free(&p->v);
    *p = (struct gs_problems){0};
}
