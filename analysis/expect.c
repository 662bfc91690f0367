/* expect.c - parses and judges the lines of [expect].
 *
 * A limit has the metric's dimension: a time is written with its unit, a share as a ratio (0.7 or 70%), a verdict as its word. What is only known to
 * be larger never meets an upper limit: a percentile on a job that never started is infinite, and the mean over unfinished jobs is a
 * lower bound. No samples, and a saturated run (unless allowed), meet nothing. */
#include "analysis/expect.h"

#include "analysis/compare.h"
#include "sim/base/units.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "sim/base/banned.h"

static const struct {
    const char *sign;
    enum gs_relation rel;
} relations[] = {{"<=", GS_REL_LE}, {">=", GS_REL_GE}, {"==", GS_REL_EQ}, {"!=", GS_REL_NE},
                 {"<", GS_REL_LT},  {">", GS_REL_GT},  {"=", GS_REL_EQ}};

#define NRELATIONS (sizeof relations / sizeof *relations)

const struct gs_metric *gs_metric_named(const char *expr, struct gs_err *err)
{
    size_t n = 0, len = strcspn(expr, "{");
    const struct gs_metric *table = gs_metric_table(&n);
    char name[128];
    while (len && expr[len - 1] == ' ')
        len--;
    (void)gs_fmt(name, sizeof name, "%.*s", (int)(len < 120 ? len : 120), expr);
    for (size_t i = 0; i < n; i++)
        if (strcmp(table[i].name, name) == 0)
            return &table[i];
    const char **names = GS_NEW_N(const char *, n);
    for (size_t i = 0; i < n; i++)
        names[i] = table[i].name;
    const char *near = gs_nearest(name, names, n);
    gs_free(names);
    (void)gs_fail(err, GS_E_INPUT, "unknown metric '%s'%s%s%s (gsim help metrics lists them)", name,
                  near ? ", did you mean '" : "", near ? near : "", near ? "'?" : "");
    return NULL;
}

static enum gs_rc parse_verdict(const char *text, double *out, struct gs_err *err)
{
    for (int v = GS_VERDICT_STABLE; v <= GS_VERDICT_SATURATED; v++) {
        if (strcmp(text, gs_verdict_str((enum gs_verdict)v)) == 0) {
            *out = v;
            return GS_OK;
        }
    }
    return gs_fail(err, GS_E_INPUT, "'%s' is not a verdict (stable, transient, saturated)", text);
}

static enum gs_rc parse_limit(const struct gs_metric *m, const char *text, double *out,
                              struct gs_err *err)
{
    int64_t ns = 0;
    char *end = NULL;
    if (strcmp(m->name, "verdict") == 0)
        return parse_verdict(text, out, err);
    if (strcmp(m->units, "s") == 0) {
        const enum gs_rc rc = gs_parse_time(text, &ns, err);
        *out = gs_seconds(ns);
        return rc;
    }
    *out = strtod(text, &end);
    if (end != text && *end == '%' && strcmp(m->units, "1") == 0) {
        *out /= 100;
        end++;
    }
    if (end == text || *end || !isfinite(*out))
        return gs_fail(err, GS_E_INPUT, "'%s' is not a number%s", text,
                       strcmp(m->units, "1") == 0 ? " (write 12, 0.7 or 70%)" : "");
    return GS_OK;
}

/* Where the sign is: behind the selector, which holds '=' of its own. */
static const char *find_sign(const char *line, size_t *which)
{
    const char *from = strrchr(line, '}');
    const char *at = strpbrk(from ? from : line, "<>=!");
    for (*which = 0; at && *which < NRELATIONS; ++*which)
        if (strncmp(at, relations[*which].sign, strlen(relations[*which].sign)) == 0)
            return at;
    return NULL;
}

static void copy_trimmed(const char *from, const char *to, char *out, size_t cap)
{
    while (from < to && (*from == ' ' || *from == '\t'))
        from++;
    while (from < to && (to[-1] == ' ' || to[-1] == '\t'))
        to--;
    (void)gs_fmt(out, cap, "%.*s", (int)(to - from), from);
}

static enum gs_rc parse_word(struct gs_expect *e, const char *value, struct gs_err *err)
{
    char *end = NULL;
    if (e->rel != GS_REL_EQ)
        return gs_fail(err, GS_E_INPUT, "'%s' takes only '='", e->expr);
    if (e->kind == GS_EXPECT_ALLOW)
        return strcmp(value, "saturated") == 0
                   ? GS_OK
                   : gs_fail(err, GS_E_INPUT, "allow: '%s' is not 'saturated'", value);
    e->digest = strtoull(value, &end, 0);
    if (end == value || *end)
        return gs_fail(err, GS_E_INPUT, "digest: '%s' is not a number (write 0x1f...)", value);
    return GS_OK;
}

enum gs_rc gs_expect_parse(const char *line, struct gs_expect *out, struct gs_err *err)
{
    size_t which = 0;
    char value[128];
    *out = (struct gs_expect){.line = line};
    const char *sign = find_sign(line, &which);
    if (!sign || strlen(line) >= sizeof out->expr)
        return gs_fail(err, GS_E_INPUT, "'%s' is not an expression (write jobs.wait.p95 <= 30m)",
                       line);
    out->rel = relations[which].rel;
    copy_trimmed(line, sign, out->expr, sizeof out->expr);
    const char *after = sign + strlen(relations[which].sign);
    copy_trimmed(after, after + strlen(after), value, sizeof value);
    if (strcmp(out->expr, "digest") == 0 || strcmp(out->expr, "allow") == 0) {
        out->kind = out->expr[0] == 'd' ? GS_EXPECT_DIGEST : GS_EXPECT_ALLOW;
        return parse_word(out, value, err) ? gs_wrap(err, "[expect] %s", line) : GS_OK;
    }
    out->m = gs_metric_named(out->expr, err);
    if (!out->m || parse_limit(out->m, value, &out->limit, err))
        return gs_wrap(err, "[expect] %s", line);
    return GS_OK;
}

static int compares(enum gs_relation rel, double x, double limit)
{
    switch (rel) {
    case GS_REL_LE: return x <= limit;
    case GS_REL_GE: return x >= limit;
    case GS_REL_LT: return x < limit;
    case GS_REL_GT: return x > limit;
    case GS_REL_EQ: return !(x < limit) && !(x > limit);
    case GS_REL_NE: break;
    }
    return x < limit || x > limit;
}

static int wants_more(enum gs_relation rel)
{
    return rel == GS_REL_GE || rel == GS_REL_GT;
}

static int holds_digest(const struct gs_expect *e, const struct gs_expect_fact *f, char *why,
                        size_t cap)
{
    (void)gs_fmt(why, cap, "0x%016llx", (unsigned long long)f->digest);
    return f->digest == e->digest;
}

/* A finite quantile is exact however many samples are cut short; all else is then a lower bound. */
static int is_quantile(const char *name)
{
    const char *dot = strrchr(name, '.');
    return dot && (strcmp(dot, ".max") == 0 || (dot[1] == 'p' && dot[2] >= '0' && dot[2] <= '9'));
}

int gs_expect_holds(const struct gs_expect *e, const struct gs_expect_fact *f, char *why,
                    size_t cap)
{
    char shown[64];
    if (e->kind == GS_EXPECT_ALLOW)
        return 1;
    if (e->kind == GS_EXPECT_DIGEST)
        return holds_digest(e, f, why, cap);
    const int about_verdict = strcmp(e->m->name, "verdict") == 0;
    if (isnan(f->value)) {
        (void)gs_fmt(why, cap, "%s",
                     f->samples ? "no mean: in some of the runs it is infinite (jobs never started)"
                                : "no samples");
        return 0;
    }
    gs_show_figure(e->m, isinf(f->value) ? f->bound : f->value, shown, sizeof shown);
    const int open = f->censored > 0 && !is_quantile(e->m->name);
    (void)gs_fmt(why, cap, "%s%s", isinf(f->value) ? "> " : open ? ">= " : "", shown);
    if (f->verdict == GS_VERDICT_SATURATED && !f->allow_saturated && !about_verdict) {
        (void)gs_fmt(why, cap, "%s%s, but the run is saturated (allow = saturated lets it pass)",
                     open ? ">= " : "", shown);
        return 0;
    }
    if (open && !isinf(f->value) && !wants_more(e->rel)) {
        (void)gs_fmt(why, cap, ">= %s: %llu samples are only known to be larger", shown,
                     (unsigned long long)f->censored);
        return 0;
    }
    return compares(e->rel, f->value, e->limit);
}
