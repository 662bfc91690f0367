/* effective.c - created_from as lines of settings. The text is our own (sim/scenario/effective.c): a header, then "key = value ; origin", a long
 * value going on in indented lines; what is a default says so, and is left out, so that a new key of a later version changes nothing. */
#include "analysis/effective.h"

#include "sim/base/err.h"
#include "sim/base/vec.h"

#include <xxhash.h>

#include <string.h>

#include "sim/base/banned.h"

static int starts(const char *s, const char *with)
{
    return strncmp(s, with, strlen(with)) == 0;
}

/* Without a trailing " ; origin"; the length that is left. */
static size_t without_origin(const char *line, size_t n)
{
    for (size_t i = n; i-- > 2;)
        if (line[i - 2] == ' ' && line[i - 1] == ';' && line[i] == ' ')
            return i - 2;
    return n;
}

static int is_default(const char *line, size_t n)
{
    static const char mark[] = " ; default";
    const size_t len = sizeof mark - 1;
    return n >= len && memcmp(line + n - len, mark, len) == 0;
}

/* Does the key name things, or say where results go? */
static int is_label(const char *section, const char *line)
{
    return starts(section, "[output") || starts(section, "[expect") ||
           (starts(section, "[scenario]") &&
            (starts(line, "name =") || starts(line, "description =")));
}

/* Appends the setting that begins at *p, its following lines included, and moves *p behind it. */
static void take_setting(const char **p, const char *section, struct gs_buf *out)
{
    const char *line = *p;
    size_t n = strcspn(line, "\n");
    struct gs_buf text = {0};
    int skip = is_label(section, line);
    gs_buf_add(&text, line, without_origin(line, n));
    const char *at = line + n + (line[n] == '\n');
    while (*at == ' ' || *at == '\t') {
        const char *from = at + strspn(at, " \t");
        n = strcspn(from, "\n");
        gs_buf_str(&text, " ");
        gs_buf_add(&text, from, without_origin(from, n));
        line = from;
        at = from + n + (from[n] == '\n');
    }
    skip |= is_default(line, n);
    if (!skip)
        gs_buf_fmt(out, "%s %s\n", section, gs_buf_cstr(&text));
    gs_buf_free(&text);
    *p = at;
}

void gs_effective_lines(const char *effective, struct gs_buf *out)
{
    char section[256] = "[]";
    for (const char *p = effective; *p;) {
        const size_t n = strcspn(p, "\n");
        if (*p == '[')
            (void)gs_fmt(section, sizeof section, "%.*s", (int)(n < 200 ? n : 200), p);
        if (*p != '[' && *p != ';' && *p != '#' && n > 0)
            take_setting(&p, section, out);
        else
            p += n + (p[n] == '\n');
    }
}

void gs_effective_digest(const char *effective, char out[33])
{
    struct gs_buf text = {0};
    gs_effective_lines(effective, &text);
    const XXH128_hash_t h = XXH3_128bits(gs_buf_cstr(&text), text.n);
    (void)gs_fmt(out, 33, "%016llx%016llx", (unsigned long long)h.high64,
                 (unsigned long long)h.low64);
    gs_buf_free(&text);
}

/* ---- where two differ ---- */

struct line {
    const char *s;
    size_t n, section; /* section: length of "[kind name]" */
};

typedef GS_VEC(struct line) line_vec;

static void cut_lines(const struct gs_buf *text, line_vec *out)
{
    for (const char *p = gs_buf_cstr(text); *p;) {
        const size_t n = strcspn(p, "\n");
        const char *close = memchr(p, ']', n);
        gs_vec_push(out, (struct line){p, n, close ? (size_t)(close - p) + 1 : 0});
        p += n + (p[n] == '\n');
    }
}

void gs_effective_digests(const char *effective, gs_section_vec *out)
{
    struct gs_buf text = {0};
    line_vec lines = {0};
    gs_effective_lines(effective, &text);
    cut_lines(&text, &lines);
    for (size_t i = 0; i < lines.n;) {
        struct gs_section_digest d;
        const struct line *first = &lines.v[i];
        size_t end = i + 1; /* a section's settings stand together */
        while (end < lines.n && lines.v[end].section == first->section &&
               memcmp(lines.v[end].s, first->s, first->section) == 0)
            end++;
        const struct line *last = &lines.v[end - 1];
        const XXH64_hash_t h = XXH3_64bits(first->s, (size_t)(last->s + last->n - first->s));
        (void)gs_fmt(d.name, sizeof d.name, "%.*s", (int)first->section, first->s);
        (void)gs_fmt(d.digest, sizeof d.digest, "%08x", (unsigned)(h >> 32));
        gs_vec_push(out, d);
        i = end;
    }
    gs_vec_free(&lines);
    gs_buf_free(&text);
}

static int has_line(const line_vec *v, const struct line *l)
{
    for (size_t i = 0; i < v->n; i++)
        if (v->v[i].n == l->n && memcmp(v->v[i].s, l->s, l->n) == 0)
            return 1;
    return 0;
}

static int of_no_matter(const struct line *l)
{
    return starts(l->s, "[policy") || starts(l->s, "[scenario] seed =") ||
           starts(l->s, "[scenario] replications =");
}

static void name_sections(const line_vec *a, const line_vec *b, struct gs_buf *out)
{
    for (size_t i = 0; i < a->n; i++) {
        char section[260];
        const struct line *l = &a->v[i];
        if (of_no_matter(l) || has_line(b, l))
            continue;
        (void)gs_fmt(section, sizeof section, "%.*s", (int)l->section, l->s);
        if (!strstr(gs_buf_cstr(out), section))
            gs_buf_fmt(out, "%s%s", out->n ? ", " : "", section);
    }
}

void gs_effective_sections(const char *a, const char *b, struct gs_buf *out)
{
    struct gs_buf ta = {0}, tb = {0};
    line_vec la = {0}, lb = {0};
    gs_effective_lines(a, &ta);
    gs_effective_lines(b, &tb);
    cut_lines(&ta, &la);
    cut_lines(&tb, &lb);
    name_sections(&la, &lb, out);
    name_sections(&lb, &la, out);
    gs_vec_free(&la);
    gs_vec_free(&lb);
    gs_buf_free(&ta);
    gs_buf_free(&tb);
}
