/* baseline.c - reads, judges and rewrites baselines. A line is cut into words at blanks outside of braces; '#' begins a comment at the start of a line or
 * after a blank. --bless goes through the old text line by line and changes values only, so that a diff shows what moved. O(bytes). */
#include "analysis/baseline.h"

#include "analysis/expect.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "sim/base/banned.h"

#define FILE_MAX   (UINT32_C(1) << 20)
#define WORDS_MAX  8
#define ROUNDING   1e-8 /* values are written with nine digits */
#define TOLERANCE  0.01 /* of a first baseline */
#define PLUS_MINUS "\xc2\xb1"

static const char *const good_words[] = {"lower", "higher", "fixed"};

struct words {
    char *v[WORDS_MAX];
    size_t n;
    size_t comment; /* where it begins in the line, or the line's length */
    char text[600];
};

static int is_blank(char c)
{
    return c == ' ' || c == '\t' || c == '\r';
}

/* 0 if the line has too many words, or is too long. */
static int cut(const char *line, size_t len, struct words *w)
{
    size_t out = 0;
    int depth = 0, in_word = 0;
    *w = (struct words){.comment = len};
    if (len >= sizeof w->text)
        return 0;
    for (size_t i = 0; i < len; i++) {
        const char c = line[i];
        if (c == '#' && !in_word) {
            w->comment = i;
            break;
        }
        depth += (c == '{') - (c == '}');
        if (is_blank(c) && depth <= 0) {
            if (in_word)
                w->text[out++] = '\0';
            in_word = 0;
            continue;
        }
        if (!in_word && w->n == WORDS_MAX)
            return 0;
        if (!in_word)
            w->v[w->n++] = w->text + out;
        in_word = 1;
        w->text[out++] = c;
    }
    w->text[out] = '\0';
    return 1;
}

/* ---- reading ---- */

static int parse_number(const char *s, double *out)
{
    char *end = NULL;
    *out = strtod(s, &end);
    return end != s && *end == '\0';
}

static int parse_tolerance(const char *s, struct gs_baseline_figure *f)
{
    char text[64];
    size_t skip = strncmp(s, PLUS_MINUS, 2) == 0 || strncmp(s, "+-", 2) == 0 ? 2
                  : strncmp(s, "+/-", 3) == 0                                ? 3
                                                                             : 0;
    if (!skip || !gs_fmt(text, sizeof text, "%s", s + skip))
        return 0;
    const size_t n = strlen(text);
    f->relative = n > 0 && text[n - 1] == '%';
    if (f->relative)
        text[n - 1] = '\0';
    if (!parse_number(text, &f->tolerance) || !(f->tolerance >= 0) || isinf(f->tolerance))
        return 0;
    f->tolerance = f->relative ? f->tolerance / 100 : f->tolerance;
    return 1;
}

static int parse_good(const char *s, enum gs_good *out)
{
    for (int g = GS_GOOD_LOWER; g <= GS_GOOD_FIXED; g++) {
        if (strcmp(s, good_words[g]) == 0) {
            *out = (enum gs_good)g;
            return 1;
        }
    }
    return 0;
}

static enum gs_good table_good(const struct gs_metric *m)
{
    return m->direction == GS_LOWER_BETTER    ? GS_GOOD_LOWER
           : m->direction == GS_HIGHER_BETTER ? GS_GOOD_HIGHER
                                              : GS_GOOD_FIXED;
}

static int parse_value(const struct gs_metric *m, const char *s, double *out)
{
    if (strcmp(m->name, "verdict") != 0)
        return parse_number(s, out);
    for (int v = GS_VERDICT_STABLE; v <= GS_VERDICT_SATURATED; v++) {
        *out = v;
        if (strcmp(s, gs_verdict_str((enum gs_verdict)v)) == 0)
            return 1;
    }
    return 0;
}

/* METRIC VALUE [UNIT] [TOLERANCE] [WORD] */
static enum gs_rc parse_figure(const struct words *w, struct gs_baseline_figure *f,
                               struct gs_err *err)
{
    f->m = gs_metric_named(w->v[0], err);
    if (!f->m)
        return GS_E_INPUT;
    f->good = table_good(f->m);
    if (w->n < 2 || !parse_value(f->m, w->v[1], &f->value))
        return gs_fail(err, GS_E_INPUT, "%s: '%s' is not a value", w->v[0],
                       w->n > 1 ? w->v[1] : "");
    const int unitless = strcmp(f->m->units, "1") == 0;
    size_t at = 2;
    if (at < w->n && !unitless && strcmp(w->v[at], f->m->units) == 0)
        at++;
    else if (!unitless)
        return gs_fail(err, GS_E_INPUT, "%s: the value must be followed by its unit, '%s'", w->v[0],
                       f->m->units);
    if (at < w->n && parse_tolerance(w->v[at], f))
        at++;
    if (at < w->n && parse_good(w->v[at], &f->good))
        at++;
    if (at < w->n)
        return gs_fail(err, GS_E_INPUT,
                       "%s: '%s' is neither a tolerance (±1%%, +-0.5) nor one of lower, higher, "
                       "fixed",
                       w->v[0], w->v[at]);
    return GS_OK;
}

static void set_text(char **to, const char *s)
{
    gs_free(*to);
    *to = gs_strdup(s);
}

void gs_baseline_add_input(struct gs_baseline *b, const char *path, const char *digest)
{
    struct gs_baseline_input in = {gs_strdup(path), gs_strdup(digest)};
    for (char *p = in.path; *p; p++)
        if (is_blank(*p) || *p == '#' || *p == '\n')
            *p = '_'; /* a word of the file is not parted */
    gs_vec_push(&b->inputs, in);
}

void gs_baseline_add_section(struct gs_baseline *b, const char *name, const char *digest)
{
    struct gs_baseline_input s = {gs_strdup(name), gs_strdup(digest)};
    gs_vec_push(&b->sections, s);
}

/* "section 1f0c9a2b [nodes h100]": the name may be of several words. */
static int parse_section(struct gs_baseline *b, const struct words *w)
{
    struct gs_buf name = {0};
    if (w->n < 3 || strcmp(w->v[0], "section") != 0)
        return 0;
    for (size_t i = 2; i < w->n; i++)
        gs_buf_fmt(&name, "%s%s", i > 2 ? " " : "", w->v[i]);
    gs_baseline_add_section(b, name.s, w->v[1]);
    gs_buf_free(&name);
    return 1;
}

/* A line of the head: 1 if it was one. */
static int parse_head(struct gs_baseline *b, const struct words *w)
{
    const struct {
        const char *word;
        char **to;
    } one[] = {{"gsim", &b->version}, {"scenario", &b->scenario}, {"digest", &b->digest}};

    for (size_t i = 0; i < sizeof one / sizeof *one; i++) {
        if (w->n == 2 && strcmp(w->v[0], one[i].word) == 0) {
            set_text(one[i].to, w->v[1]);
            return 1;
        }
    }
    if (parse_section(b, w))
        return 1;
    if (w->n != 3 || strcmp(w->v[0], "input") != 0)
        return 0;
    gs_baseline_add_input(b, w->v[1], w->v[2]);
    return 1;
}

static enum gs_rc parse_line(struct gs_baseline *b, const char *line, size_t len, uint32_t number,
                             struct gs_err *err)
{
    struct words w;
    if (!cut(line, len, &w))
        return gs_fail(err, GS_E_INPUT, "too long a line, or too many words");
    if (w.n == 0 || parse_head(b, &w))
        return GS_OK;
    struct gs_baseline_figure f = {.line = number};
    const enum gs_rc rc = parse_figure(&w, &f, err);
    if (rc)
        return rc;
    for (size_t i = 0; i < b->figures.n; i++)
        if (strcmp(b->figures.v[i].expr, w.v[0]) == 0)
            return gs_fail(err, GS_E_INPUT, "%s stands twice, first in line %u", w.v[0],
                           b->figures.v[i].line);
    f.expr = gs_strdup(w.v[0]);
    gs_vec_push(&b->figures, f);
    return GS_OK;
}

enum gs_rc gs_baseline_parse(struct gs_baseline *b, const char *path, const char *text,
                             struct gs_err *err)
{
    uint32_t number = 0;
    *b = (struct gs_baseline){.text = gs_strdup(text)};
    for (const char *p = text; *p;) {
        const size_t n = strcspn(p, "\n");
        if (parse_line(b, p, n, ++number, err))
            return gs_wrap(err, "%s:%u", path, number);
        p += n + (p[n] == '\n');
    }
    return GS_OK;
}

enum gs_rc gs_baseline_read(struct gs_baseline *b, const char *path, int *found, struct gs_err *err)
{
    *b = (struct gs_baseline){0};
    *found = 0;
    FILE *f = fopen(path, "rb");
    if (!f && errno == ENOENT)
        return GS_OK;
    if (!f)
        return gs_fail(err, GS_E_INPUT, "%s: cannot be read: %s", path, strerror(errno));
    char *text = gs_alloc(FILE_MAX + 1);
    const size_t n = fread(text, 1, FILE_MAX, f);
    const int bad = ferror(f), long_one = n == FILE_MAX;
    (void)fclose(f);
    text[n] = '\0';
    enum gs_rc rc = GS_OK;
    if (bad || long_one || strlen(text) != n)
        rc = gs_fail(err, GS_E_INPUT, "%s: %s", path,
                     bad        ? "cannot be read"
                     : long_one ? "is too long for a baseline"
                                : "holds a NUL byte: not a baseline");
    else
        rc = gs_baseline_parse(b, path, text, err);
    *found = 1;
    gs_free(text);
    return rc;
}

void gs_baseline_release(struct gs_baseline *b)
{
    for (size_t i = 0; i < b->inputs.n; i++) {
        gs_free(b->inputs.v[i].path);
        gs_free(b->inputs.v[i].digest);
    }
    for (size_t i = 0; i < b->sections.n; i++) {
        gs_free(b->sections.v[i].path);
        gs_free(b->sections.v[i].digest);
    }
    gs_vec_free(&b->sections);
    for (size_t i = 0; i < b->figures.n; i++)
        gs_free(b->figures.v[i].expr);
    gs_vec_free(&b->inputs);
    gs_vec_free(&b->figures);
    gs_free(b->version);
    gs_free(b->scenario);
    gs_free(b->digest);
    gs_free(b->text);
    *b = (struct gs_baseline){0};
}

/* ---- judging ---- */

static const char *input_digest(const struct gs_baseline *b, const char *path)
{
    for (size_t i = 0; i < b->inputs.n; i++)
        if (strcmp(b->inputs.v[i].path, path) == 0)
            return b->inputs.v[i].digest;
    return NULL;
}

static int has_section(const struct gs_baseline *b, const struct gs_baseline_input *s)
{
    for (size_t i = 0; i < b->sections.n; i++)
        if (strcmp(b->sections.v[i].path, s->path) == 0 &&
            strcmp(b->sections.v[i].digest, s->digest) == 0)
            return 1;
    return 0;
}

/* Appends the sections of a that b does not have like that. */
static void name_changed(const struct gs_baseline *a, const struct gs_baseline *b,
                         struct gs_buf *out)
{
    for (size_t i = 0; i < a->sections.n; i++) {
        const struct gs_baseline_input *s = &a->sections.v[i];
        if (!has_section(b, s) && !strstr(gs_buf_cstr(out), s->path))
            gs_buf_fmt(out, "%s%s", out->n ? ", " : "", s->path);
    }
}

int gs_baseline_stale(const struct gs_baseline *b, const struct gs_baseline *now, char *why,
                      size_t cap)
{
    for (size_t i = 0; i < now->inputs.n; i++) {
        const char *was = input_digest(b, now->inputs.v[i].path);
        if (!was || strcmp(was, now->inputs.v[i].digest) != 0) {
            (void)gs_fmt(why, cap, "the input %s %s since it was blessed", now->inputs.v[i].path,
                         was ? "has changed" : "was not read");
            return 1;
        }
    }
    if (!b->scenario || strcmp(b->scenario, now->scenario) != 0) {
        struct gs_buf where = {0};
        if (b->sections.n)
            name_changed(now, b, &where);
        if (b->sections.n)
            name_changed(b, now, &where);
        (void)gs_fmt(why, cap, "the scenario has changed since it was blessed%s%s",
                     where.n ? ", in " : "", gs_buf_cstr(&where));
        gs_buf_free(&where);
        return 1;
    }
    return 0;
}

static int same(double a, double b)
{
    return !(a < b) && !(a > b);
}

enum gs_move gs_baseline_judge(const struct gs_baseline_figure *f, double value)
{
    if (isnan(f->value) && isnan(value))
        return GS_MOVE_NONE;
    if (isnan(f->value) || isnan(value))
        return GS_MOVE_WORSE; /* samples came or went: not the same figure any more */
    if (same(f->value, value))
        return GS_MOVE_NONE;
    const double room =
        (f->relative ? f->tolerance * fabs(f->value) : f->tolerance) + ROUNDING * fabs(f->value);
    if (isfinite(f->value) && fabs(value - f->value) <= room)
        return GS_MOVE_NONE;
    if (f->good == GS_GOOD_FIXED)
        return GS_MOVE_WORSE;
    return (value < f->value) == (f->good == GS_GOOD_LOWER) ? GS_MOVE_BETTER : GS_MOVE_WORSE;
}

/* ---- writing ---- */

static const char *const first_figures[] = {"verdict",
                                            "gpu.allocation",
                                            "gpu.fragmentation",
                                            "jobs.wait.mean",
                                            "jobs.wait.p50",
                                            "jobs.wait.p95",
                                            "jobs.wait.p99",
                                            "jobs.wait.max",
                                            "jobs.jct.mean",
                                            "jobs.jct.p95",
                                            "jobs.bounded_slowdown.mean",
                                            "jobs.bounded_slowdown.p95",
                                            "jobs.bounded_slowdown.p99",
                                            "jobs.completed",
                                            "jobs.unfinished",
                                            "jobs.rejected",
                                            "jobs.preemptions",
                                            "makespan",
                                            "fairness.jain"};

void gs_baseline_first(struct gs_baseline *b, const double *table_values)
{
    size_t nm = 0;
    const struct gs_metric *table = gs_metric_table(&nm);
    for (size_t k = 0; k < sizeof first_figures / sizeof *first_figures; k++) {
        const struct gs_metric *m = gs_metric_named(first_figures[k], NULL);
        gs_require(m != NULL);
        const double x = table_values[m - table];
        if (isnan(x))
            continue;
        gs_vec_push(&b->figures, (struct gs_baseline_figure){.expr = gs_strdup(m->name),
                                                             .m = m,
                                                             .value = x,
                                                             .tolerance = TOLERANCE,
                                                             .relative = 1,
                                                             .good = table_good(m)});
    }
}

static void write_figure(const struct gs_baseline_figure *f, double value, struct gs_buf *out)
{
    char v[64], t[32] = "";
    if (strcmp(f->m->name, "verdict") == 0 && value >= 0 && value <= GS_VERDICT_SATURATED)
        (void)gs_fmt(v, sizeof v, "%s", gs_verdict_str((enum gs_verdict)(int)value));
    else
        (void)gs_fmt(v, sizeof v, "%.9g%s%s", value, strcmp(f->m->units, "1") == 0 ? "" : " ",
                     strcmp(f->m->units, "1") == 0 ? "" : f->m->units);
    if (f->tolerance > 0 && strcmp(f->m->name, "verdict") != 0)
        (void)gs_fmt(t, sizeof t, PLUS_MINUS "%.6g%s", f->tolerance * (f->relative ? 100 : 1),
                     f->relative ? "%" : "");
    gs_buf_fmt(out, "%-28s %-16s %-4s%s%s", f->expr, v, t, *t ? " " : "  ", good_words[f->good]);
}

static void write_head(const struct gs_baseline *now, struct gs_buf *out)
{
    gs_buf_fmt(out, "gsim %s\nscenario %s\n", now->version, now->scenario);
    for (size_t i = 0; i < now->sections.n; i++)
        gs_buf_fmt(out, "section %s %s\n", now->sections.v[i].digest, now->sections.v[i].path);
    for (size_t i = 0; i < now->inputs.n; i++)
        gs_buf_fmt(out, "input %s %s\n", now->inputs.v[i].path, now->inputs.v[i].digest);
    gs_buf_fmt(out, "digest %s\n", now->digest);
}

static void write_new(const struct gs_baseline *old, const struct gs_baseline *now,
                      const double *values, const char *scenario_name, struct gs_buf *out)
{
    gs_buf_fmt(out,
               "# What %s showed when it was last blessed: metric, value, tolerance, which way is "
               "good.\n# `gsim check` holds a run against it; `gsim check --bless` rewrites the "
               "values and keeps the rest.\n# " PLUS_MINUS
               "1%% (the default) is of the value: a move within it is none; "
               "write here what you agree on, also " PLUS_MINUS
               "30 without %% in the value's unit.\n",
               scenario_name);
    write_head(now, out);
    gs_buf_str(out, "\n");
    for (size_t i = 0; i < old->figures.n; i++) {
        write_figure(&old->figures.v[i], values[i], out);
        gs_buf_str(out, "\n");
    }
}

static int is_head(const struct words *w)
{
    return w->n > 0 && (strcmp(w->v[0], "gsim") == 0 || strcmp(w->v[0], "scenario") == 0 ||
                        strcmp(w->v[0], "section") == 0 || strcmp(w->v[0], "input") == 0 ||
                        strcmp(w->v[0], "digest") == 0);
}

void gs_baseline_write(const struct gs_baseline *old, const struct gs_baseline *now,
                       const double *values, const char *scenario_name, struct gs_buf *out)
{
    size_t figure = 0;
    int head = 0;
    if (!old->text) {
        write_new(old, now, values, scenario_name, out);
        return;
    }
    for (const char *p = old->text; *p;) {
        const size_t n = strcspn(p, "\n");
        struct words w;
        gs_require(cut(p, n, &w)); /* it was read */
        if (is_head(&w) && !head) {
            write_head(now, out);
            head = 1;
        } else if (w.n && !is_head(&w)) {
            write_figure(&old->figures.v[figure], values[figure], out);
            figure++;
            gs_buf_str(out, w.comment < n ? "  " : "");
            gs_buf_add(out, p + w.comment, n - w.comment);
            gs_buf_str(out, "\n");
        } else if (!w.n) {
            gs_buf_add(out, p, n);
            gs_buf_str(out, "\n");
        }
        p += n + (p[n] == '\n');
    }
    if (!head)
        write_head(now, out);
}
