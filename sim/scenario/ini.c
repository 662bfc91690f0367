/* ini.c - reading INI files through inih, with a line source of our own in front of it.
 *
 * inih cuts what is longer than its buffers without a word, takes ':' for '=', and knows no line numbers in its handler. So each
 * raw line goes through next_line() first, which counts, checks and only then hands it on; a line that is refused reaches
 * inih as an empty one, and the reading goes on to find further problems. [expect] lines are whole expressions, not
 * keys, and are taken here. Limits: a line 198 bytes, a header 48, a file 1 MiB
 * and 10,000 sections, a chain of includes 16 files.
 *
 * Files are read from the including to the included one and merged in the opposite order, so that later values win.
 * Memory O(bytes), time O(bytes) expected: sections and keys are found through hash indexes. */
#include "sim/scenario/ini.h"

#include "sim/base/buf.h"
#include "sim/base/utf8.h"

#include <ini.h>

#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#include "sim/base/banned.h"

enum {
    LINE_MAX_BYTES = 198,
    HEADER_MAX_BYTES = 48,
    FILE_MAX_BYTES = 1 << 20,
    FILES_MAX = 16,
    SECTIONS_MAX = 10000
};

/* The line source and what it remembers between lines. */
struct source {
    struct gs_ini *ini;
    struct gs_ini_raw *raw;
    const char *next, *end; /* of the text */
    uint32_t file, line;
    struct gs_place at;  /* of the current line */
    int in_section;      /* a section that is worth filling is open */
    int is_expect;       /* ... and it is [expect] */
    int continues;       /* the current line adds to the value above */
    int open_value;      /* there is a value above, in raw->entries' last */
    int refused_value;   /* there was one, but its line was refused */
    struct gs_buf value; /* the value so far */
};

/* ---- text ---- */

static int is_blank(char c)
{
    return c == ' ' || c == '\t' || c == '\r' || c == '\v' || c == '\f';
}

static const char *skip_blanks(const char *s)
{
    while (is_blank(*s))
        s++;
    return s;
}

/* Where a value ends: at the comment " ;" or the line's end, without the blanks before it. */
static size_t value_length(const char *s)
{
    size_t n = 0;
    while (s[n] && !(s[n] == ';' && n > 0 && is_blank(s[n - 1])))
        n++;
    while (n > 0 && is_blank(s[n - 1]))
        n--;
    return n;
}

/* The first byte that no text has: a control character or broken UTF-8; -1 if there is none. */
static long find_junk(const char *s, size_t n)
{
    for (size_t i = 0; i < n;) {
        const unsigned char c = (unsigned char)s[i];
        const size_t step = gs_utf8_length((const unsigned char *)s + i, n - i);
        if (step == 0 || c == 0x7f || (c < 0x20 && c != '\t' && c != '\r' && c != '\n'))
            return (long)i;
        i += step;
    }
    return -1;
}

/* ---- the line source ---- */

static void close_value(struct source *s)
{
    if (s->open_value)
        gs_vec_last(&s->raw->entries).value =
            gs_arena_str(s->ini->text, gs_buf_cstr(&s->value), s->value.n);
    s->open_value = 0;
    s->refused_value = 0;
    gs_buf_clear(&s->value);
}

static void refuse_value(struct source *s)
{
    close_value(s);
    s->refused_value = 1;
}

static void add_entry(struct source *s, const char *key, const char *value, size_t n,
                      uint32_t key_column)
{
    close_value(s);
    const char *text = s->at.text;
    const char *equals = strchr(text, '=');
    const uint32_t value_column =
        *key && equals ? (uint32_t)(skip_blanks(equals + 1) - text) : key_column;
    gs_vec_push(&s->raw->entries,
                (struct gs_ini_entry){.section = (uint32_t)s->raw->sections.n - 1,
                                      .key = gs_arena_str(s->ini->text, key, strlen(key)),
                                      .value = "",
                                      .key_column = key_column,
                                      .value_column = value_column,
                                      .at = s->at});
    gs_buf_add(&s->value, value, n);
    s->open_value = 1;
}

static void add_to_value(struct source *s, const char *value, size_t n)
{
    if (n && s->value.n)
        gs_buf_str(&s->value, " ");
    gs_buf_add(&s->value, value, n);
}

/* "[kind name]": checked here, opened here; inih only follows. Returns whether it may see the line. */
static int take_header(struct source *s, const char *line)
{
    struct gs_problems *p = s->ini->problems;
    close_value(s);
    s->in_section = 0;
    s->is_expect = 0;
    const char *end = strchr(line, ']');
    if (!end) {
        gs_problem(p, &s->at, 0, "a section header without its ']'");
        return 0;
    }
    const char *rest = skip_blanks(end + 1);
    if (*rest && *rest != ';' && *rest != '#') {
        gs_problem(p, &s->at, (uint32_t)(rest - line), "text after the section header");
        return 0;
    }
    if (end - line - 1 > HEADER_MAX_BYTES) {
        gs_problem(p, &s->at, 0, "a section header of %d bytes (at most %d)", (int)(end - line - 1),
                   HEADER_MAX_BYTES);
        return 0;
    }
    const char *kind = skip_blanks(line + 1);
    const char *kind_end = kind;
    while (kind_end < end && !is_blank(*kind_end))
        kind_end++;
    const char *name = skip_blanks(kind_end);
    const char *name_end = name;
    while (name_end < end && !is_blank(*name_end))
        name_end++;
    if (kind_end == kind || skip_blanks(name_end) != end ||
        memchr(name, '"', (size_t)(name_end - name))) {
        gs_problem(p, &s->at, 0,
                   "a section header is [kind] or [kind name], the name without blanks and quotes");
        return 0;
    }
    if (s->raw->sections.n == SECTIONS_MAX) {
        gs_problem(p, &s->at, 0, "over %d sections, this is not a scenario", SECTIONS_MAX);
        s->next = s->end;
        return 0;
    }
    gs_vec_push(
        &s->raw->sections,
        (struct gs_ini_section){.kind = gs_arena_str(s->ini->text, kind, (size_t)(kind_end - kind)),
                                .name = gs_arena_str(s->ini->text, name, (size_t)(name_end - name)),
                                .at = s->at});
    s->in_section = 1;
    s->is_expect = strcmp(gs_vec_last(&s->raw->sections).kind, "expect") == 0;
    return 1;
}

/* An indented line: returns whether inih may see it. */
static int take_continuation(struct source *s, const char *start)
{
    if (s->open_value && s->is_expect) {
        add_to_value(s, start, value_length(start));
        return 0;
    }
    if (!s->open_value && !s->refused_value)
        gs_problem(
            s->ini->problems, &s->at, (uint32_t)(start - s->at.text),
            "an indented line adds to the value above, and there is none (keys start in the first column)");
    s->continues = s->open_value;
    return s->open_value;
}

/* "key = value": returns whether inih may see it. */
static int take_key(struct source *s, const char *line)
{
    struct gs_problems *p = s->ini->problems;
    if (!s->in_section) {
        if (s->raw->sections.n == 0)
            gs_problem(p, &s->at, 0, "a key before the first [section]");
        refuse_value(s);
        return 0;
    }
    if (s->is_expect) {
        add_entry(s, "", line, value_length(line), 0);
        return 0;
    }
    const size_t n = value_length(line);
    const char *equals = memchr(line, '=', n);
    const char *colon = memchr(line, ':', equals ? (size_t)(equals - line) : n);
    if (equals == line)
        gs_problem(p, &s->at, 0, "a value without a key");
    else if (colon && equals)
        gs_problem(p, &s->at, (uint32_t)(colon - line), "a key cannot hold ':'");
    else if (!equals)
        gs_problem(p, &s->at, (uint32_t)(colon ? (size_t)(colon - line) : n),
                   "expected 'key = value'");
    else
        return 1;
    refuse_value(s);
    return 0;
}

/* Decides what inih sees of the line: itself, or nothing. */
static int take_line(struct source *s, const char *line, size_t n)
{
    s->continues = 0;
    const char *start = skip_blanks(line);
    if (*start == '\0' || *start == ';' || *start == '#')
        return 0;
    if (n > LINE_MAX_BYTES) {
        s->at.text = NULL;
        gs_problem(
            s->ini->problems, &s->at, 0,
            "a line of %zu bytes (at most %d: continue it, an indented line adds to the value above)",
            n, LINE_MAX_BYTES);
        if (start == line)
            refuse_value(s);
        if (*start == '[')
            s->in_section = s->is_expect = 0;
        return 0;
    }
    if (start > line)
        return take_continuation(s, start);
    return *line == '[' ? take_header(s, line) : take_key(s, line);
}

/* inih's reader: the next line without its end, or an empty one in place of a line that is none of its business. */
static char *next_line(char *str, int num, void *stream)
{
    struct source *s = stream;
    if (s->next >= s->end)
        return NULL;
    const char *stop = memchr(s->next, '\n', (size_t)(s->end - s->next));
    size_t n = (size_t)((stop ? stop : s->end) - s->next);
    const char *begin = s->next;
    s->next += n + (stop != NULL);
    while (n > 0 && begin[n - 1] == '\r')
        n--;
    char where[512];
    s->line++;
    gs_fmt(where, sizeof where, "%s:%u", s->ini->files.v[s->file].path, s->line);
    const char *line = gs_arena_str(s->ini->text, begin, n);
    s->at = (struct gs_place){.file = s->file,
                              .line = s->line,
                              .where = gs_arena_str(s->ini->text, where, strlen(where)),
                              .text = line};
    const int pass = take_line(s, line, n);
    gs_require(!pass || n < (size_t)num);
    memcpy(str, pass ? line : "", pass ? n + 1 : 1);
    return str;
}

/* inih's handler: a key with its value, or a further piece of the last one. */
static int take_value(void *user, const char *section, const char *key, const char *value)
{
    struct source *s = user;
    (void)section; /* cut at 49 bytes; the line source knows better */
    if (s->continues)
        add_to_value(s, value, value_length(value));
    else
        add_entry(s, key, value, strlen(value), 0);
    return 1;
}

/* ---- files ---- */

static enum gs_rc read_stream(FILE *f, const char *path, char **text, size_t *n, struct gs_err *err)
{
    char *buf = gs_alloc(FILE_MAX_BYTES + 1);
    *n = fread(buf, 1, FILE_MAX_BYTES + 1, f);
    if (ferror(f) || *n > FILE_MAX_BYTES) {
        gs_free(buf);
        return ferror(f) ? gs_fail(err, GS_E_IO, "%s: cannot be read", path)
                         : gs_fail(err, GS_E_INPUT, "%s: larger than 1 MiB, this is not a scenario",
                                   path);
    }
    buf[*n] = '\0';
    *text = buf;
    return GS_OK;
}

enum gs_rc gs_ini_slurp(const char *path, int regular_only, char **text, size_t *n,
                        struct gs_err *err)
{
    *text = NULL;
    if (strcmp(path, "-") == 0)
        return read_stream(stdin, "standard input", text, n, err);
    struct stat st;
    if (stat(path, &st) != 0)
        return gs_fail(err, GS_E_INPUT, "%s: no such file", path);
    if (S_ISDIR(st.st_mode))
        return gs_fail(err, GS_E_INPUT, "%s: is a directory, expected a scenario file", path);
    if (regular_only && !S_ISREG(st.st_mode))
        return gs_fail(err, GS_E_INPUT, "%s: is not a regular file", path);
    FILE *f = fopen(path, "rb");
    if (!f)
        return gs_fail(err, GS_E_INPUT, "%s: cannot be opened (permission?)", path);
    const enum gs_rc rc = read_stream(f, path, text, n, err);
    (void)fclose(f);
    return rc;
}

/* Is it text at all? Reports the first byte that is not, with its line. */
static int is_text(struct gs_ini *ini, uint32_t file, const char *text, size_t n)
{
    const char *path = ini->files.v[file].path;
    const long junk = find_junk(text, n);
    const int empty = n == 0;
    if (!empty && junk < 0)
        return 1;
    struct gs_place at = {.file = file, .line = 1, .where = path};
    if (empty) {
        gs_problem(ini->problems, &at, 0, "is empty, expected a scenario");
        return 0;
    }
    for (long i = 0; i < junk; i++)
        at.line += text[i] == '\n';
    char where[512];
    gs_fmt(where, sizeof where, "%s:%u", path, at.line);
    at.where = where;
    gs_problem(ini->problems, &at, 0,
               "byte 0x%02x: this is not a text file (UTF-8 without control characters)",
               (unsigned)(unsigned char)text[junk]);
    return 0;
}

static void parse_file(struct gs_ini *ini, uint32_t file, const char *text, size_t n,
                       struct gs_ini_raw *raw)
{
    static const char bom[] = "\xef\xbb\xbf";
    if (n >= 3 && memcmp(text, bom, 3) == 0) {
        text += 3;
        n -= 3;
    }
    if (!is_text(ini, file, text, n))
        return;
    struct source s = {.ini = ini, .raw = raw, .next = text, .end = text + n, .file = file};
    (void)ini_parse_stream(next_line, &s, take_value,
                           &s); /* its complaints are ours, made with more words */
    close_value(&s);
    gs_buf_free(&s.value);
}

/* The file's own `include` in [scenario], or NULL. */
static const struct gs_ini_entry *find_include(const struct gs_ini_raw *raw)
{
    for (size_t i = 0; i < raw->entries.n; i++) {
        const struct gs_ini_entry *e = &raw->entries.v[i];
        const struct gs_ini_section *sec = &raw->sections.v[e->section];
        if (strcmp(e->key, "include") == 0 && strcmp(sec->kind, "scenario") == 0 && *e->value)
            return e;
    }
    return NULL;
}

/* Opens what e names as the next file of the chain; NULL and a problem if it cannot be. */
static char *open_include(struct gs_ini *ini, const struct gs_ini_entry *e, size_t *n)
{
    const struct gs_ini_file from = gs_vec_last(&ini->files);
    const char *path = gs_path_join(ini->text, from.dir, e->value);
    for (size_t i = 0; i < ini->files.n; i++) {
        if (strcmp(ini->files.v[i].path, path) == 0 || ini->files.n >= FILES_MAX) {
            gs_problem(ini->problems, &e->at, e->value_column, "[scenario] include: '%s' %s", path,
                       ini->files.n >= FILES_MAX ? "is the 17th file of a chain (at most 16)"
                                                 : "includes itself");
            return NULL;
        }
    }
    struct gs_err err = {0};
    char *text = NULL;
    if (gs_ini_slurp(path, 1, &text, n, &err) != GS_OK) {
        gs_problem(ini->problems, &e->at, e->value_column, "[scenario] include: %s", err.msg);
        return NULL;
    }
    const char *folder = gs_path_dir(ini->text, e->value);
    const char *rel =
        strcmp(folder, ".") == 0 ? from.rel : gs_path_join(ini->text, from.rel, folder);
    gs_vec_push(&ini->files, (struct gs_ini_file){
                                 .path = path, .dir = gs_path_dir(ini->text, path), .rel = rel});
    return text;
}

/* ---- the whole ---- */

void gs_ini_read(struct gs_ini *ini, const char *path, const char *text, size_t n)
{
    struct gs_ini_raw raw[FILES_MAX] = {0};
    const char *shown = strcmp(path, "-") == 0 ? "standard input" : path;
    gs_vec_push(&ini->files,
                (struct gs_ini_file){.path = gs_arena_str(ini->text, shown, strlen(shown)),
                                     .dir = gs_path_dir(ini->text, path),
                                     .rel = ""});
    parse_file(ini, 0, text, n, &raw[0]);
    for (const struct gs_ini_entry *e = find_include(&raw[0]); e;) {
        size_t size = 0;
        char *included = open_include(ini, e, &size);
        if (!included)
            break;
        const uint32_t file = (uint32_t)ini->files.n - 1;
        parse_file(ini, file, included, size, &raw[file]);
        gs_free(included);
        e = find_include(&raw[file]);
    }
    for (size_t i = ini->files.n; i-- > 0;) {
        gs_ini_merge(ini, &raw[i]);
        gs_vec_free(&raw[i].sections);
        gs_vec_free(&raw[i].entries);
    }
}
