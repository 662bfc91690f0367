/* hostlist.c - one name of the list after the other: literal parts and brackets, expanded as an odometer. */
#include "sim/base/hostlist.h"

#include "sim/base/buf.h"
#include "sim/base/vec.h"

#include <string.h>

#include "sim/base/banned.h"

#define DIGITS_MAX 18

struct range {
    uint64_t lo, hi;
    int width; /* of the text of lo: zeros in front are kept */
};

/* A literal, or a bracket of ranges. */
struct part {
    const char *text;
    size_t n;
    size_t first, ranges; /* in expand.ranges; 0 ranges = literal */
    size_t at;            /* odometer: range within the bracket, and number within the range */
    uint64_t number;
};

struct expand {
    const char *whole;
    GS_VEC(struct part) parts;
    GS_VEC(struct range) ranges;
    struct gs_buf name;
    size_t count;
    struct gs_err *err;
};

static enum gs_rc wrong(struct expand *x, const char *what, const char *at)
{
    return gs_fail(x->err, GS_E_INPUT, "'%s' is not a list of nodes: %s at '%.20s'", x->whole, what,
                   at);
}

static enum gs_rc read_number(struct expand *x, const char **s, uint64_t *out, int *width)
{
    const size_t n = strspn(*s, "0123456789");
    if (n == 0)
        return wrong(x, "expected a number", *s);
    if (n > DIGITS_MAX)
        return wrong(x, "a number is too long", *s);
    *out = 0;
    for (size_t i = 0; i < n; i++)
        *out = *out * 10 + (uint64_t)((*s)[i] - '0');
    *width = (int)n;
    *s += n;
    return GS_OK;
}

/* "001-128,200]" behind its bracket. */
static enum gs_rc read_bracket(struct expand *x, const char **s)
{
    struct part p = {.first = x->ranges.n};
    for (;;) {
        struct range r = {0};
        int ignored = 0;
        enum gs_rc rc = read_number(x, s, &r.lo, &r.width);
        r.hi = r.lo;
        if (rc == GS_OK && **s == '-') {
            ++*s;
            rc = read_number(x, s, &r.hi, &ignored);
        }
        if (rc != GS_OK)
            return rc;
        if (r.hi < r.lo)
            return wrong(x, "a range runs backwards before", *s);
        if (r.hi - r.lo >= GS_HOSTLIST_MAX)
            return wrong(x, "a range is too long before", *s);
        gs_vec_push(&x->ranges, r);
        p.ranges++;
        if (**s == ']')
            break;
        if (**s != ',')
            return wrong(x, **s ? "expected ',' or ']'" : "a bracket is not closed", *s);
        ++*s;
    }
    ++*s;
    p.number = x->ranges.v[p.first].lo;
    gs_vec_push(&x->parts, p);
    return GS_OK;
}

/* One element of the list, up to a comma. */
static enum gs_rc read_element(struct expand *x, const char **s)
{
    x->parts.n = x->ranges.n = 0;
    while (**s && **s != ',') {
        if (**s == ']')
            return wrong(x, "a bracket is closed that was not opened", *s);
        if (**s == '[') {
            ++*s;
            const enum gs_rc rc = read_bracket(x, s);
            if (rc != GS_OK)
                return rc;
            continue;
        }
        const size_t n = strcspn(*s, ",[]");
        gs_vec_push(&x->parts, ((struct part){.text = *s, .n = n}));
        *s += n;
    }
    return x->parts.n ? GS_OK : wrong(x, "a name is empty", *s);
}

/* The name that the odometer shows. */
static const char *show(struct expand *x)
{
    gs_buf_clear(&x->name);
    for (size_t i = 0; i < x->parts.n; i++) {
        const struct part *p = &x->parts.v[i];
        if (p->ranges)
            gs_buf_fmt(&x->name, "%0*llu", x->ranges.v[p->first + p->at].width,
                       (unsigned long long)p->number);
        else
            gs_buf_add(&x->name, p->text, p->n);
    }
    return gs_buf_cstr(&x->name);
}

/* Turns the odometer; 0 when it has been round. */
static int turn(struct expand *x)
{
    for (size_t i = x->parts.n; i-- > 0;) {
        struct part *p = &x->parts.v[i];
        if (!p->ranges)
            continue;
        if (p->number < x->ranges.v[p->first + p->at].hi) {
            p->number++;
            return 1;
        }
        if (p->at + 1 < p->ranges) {
            p->number = x->ranges.v[p->first + ++p->at].lo;
            return 1;
        }
        p->at = 0;
        p->number = x->ranges.v[p->first].lo;
    }
    return 0;
}

enum gs_rc gs_hostlist_each(const char *text,
                            enum gs_rc (*fn)(void *ctx, const char *name, struct gs_err *err),
                            void *ctx, struct gs_err *err)
{
    struct expand x = {.whole = text, .err = err};
    enum gs_rc rc = GS_OK;
    for (const char *s = text; rc == GS_OK;) {
        rc = read_element(&x, &s);
        if (rc != GS_OK)
            break;
        do {
            rc = ++x.count > GS_HOSTLIST_MAX ? wrong(&x, "more than a million names", text)
                                             : fn(ctx, show(&x), err);
        } while (rc == GS_OK && turn(&x));
        if (*s == '\0')
            break;
        s++;
    }
    gs_vec_free(&x.parts);
    gs_vec_free(&x.ranges);
    gs_buf_free(&x.name);
    return rc;
}
