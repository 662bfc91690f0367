/* calls.c - token counts, lists of block ids, and request traces of one JSON object a line.
 *
 * A JSON parser keeps integers in 63 bits, but block ids are hashes of 64. So the list of ids is cut out of the line and read here,
 * and the parser gets the line without it, which is also several times faster: nearly all of such a file is ids.
 * Cost: O(bytes); memory: one line. */
#include "traces/calls.h"

#include "sim/base/buf.h"

#include <string.h>

#include "sim/base/banned.h"

#define BLOCKS_KEY "hash_ids"

enum gs_rc gs_row_tokens(struct gs_row *r, const char *column, const char *s, int64_t *out)
{
    *out = -1;
    return gs_is_null(s) ? GS_OK : gs_row_int(r, column, s, GS_TRACE_TOKENS_MAX, out);
}

static int is_blank(char c)
{
    return c == ' ' || c == '\t' || c == '\r' || c == '\n';
}

static const char *skip_blanks(const char *s, const char *end)
{
    while (s < end && is_blank(*s))
        s++;
    return s;
}

/* One unsigned number of 64 bits; NULL if there is none. */
static const char *take_id(const char *s, const char *end, uint64_t *out)
{
    const char *from = s;
    uint64_t x = 0;
    for (; s < end && *s >= '0' && *s <= '9'; s++) {
        const uint64_t digit = (uint64_t)(*s - '0');
        if (x > (UINT64_MAX - digit) / 10)
            return NULL;
        x = x * 10 + digit;
    }
    *out = x;
    return s > from ? s : NULL;
}

enum gs_rc gs_row_blocks(struct gs_row *r, const char *column, const char *s, size_t n, char by,
                         struct gs_blocks *out)
{
    const char *end = s + n;
    gs_vec_clear(&out->ids);
    s = skip_blanks(s, end);
    while (s < end) {
        uint64_t id = 0;
        const char *from = s;
        s = take_id(s, end, &id);
        if (s)
            s = skip_blanks(s, end);
        if (!s || (s < end && *s != by) || out->ids.n == UINT32_MAX) {
            char near[24];
            (void)gs_fmt(near, sizeof near, "%.*s", (int)(end - from < 20 ? end - from : 20), from);
            return gs_row_bad(r, "not a list of block ids", column, near,
                              "is not a block id: a whole number of at most 64 bits");
        }
        gs_vec_push(&out->ids, id);
        s = s < end ? skip_blanks(s + 1, end) : s;
    }
    return GS_OK;
}

/* ---- JSON lines -------------------------------------------------------------------------------- */

/* Behind the string whose opening quote is at s; `end` if it does not close. */
static const char *skip_string(const char *s, const char *end)
{
    for (s++; s < end && *s != '"'; s++) {
        if (*s == '\\' && s + 1 < end)
            s++;
    }
    return s < end ? s + 1 : end;
}

/* Where the value of a member of the outermost object begins, or NULL. Knows of JSON only strings and nesting; the parser finds out
 * afterwards whether the rest is JSON. */
static const char *find_member(const char *s, const char *end, const char *key)
{
    const size_t n = strlen(key);
    int depth = 0;
    while (s < end) {
        if (*s != '"') {
            depth += (*s == '{' || *s == '[') - (*s == '}' || *s == ']');
            s++;
            continue;
        }
        const char *name = s + 1;
        s = skip_string(s, end);
        const int same = depth == 1 && (size_t)(s - name) == n + 1 && memcmp(name, key, n) == 0;
        s = skip_blanks(s, end);
        if (same && s < end && *s == ':')
            return skip_blanks(s + 1, end);
    }
    return NULL;
}

int gs_probe_member(const struct gs_probe *p, const char *key)
{
    const char *s = skip_blanks(p->text, p->text + p->n);
    const char *lf = memchr(s, '\n', p->n - (size_t)(s - p->text));
    const char *end = lf ? lf : p->text + p->n;
    return s < end && *s == '{' && find_member(s, end, key) != NULL;
}

/* The line's object, and the ids of its blocks. A list that is not one of ids is a fault; any other value is left to the parser. */
static enum gs_rc parse(struct gs_row *r, const char *line, size_t n, struct gs_blocks *blocks,
                        json_t **out)
{
    const char *end = line + n;
    const char *list = find_member(line, end, BLOCKS_KEY);
    const char *close =
        list && list < end && *list == '[' ? memchr(list, ']', (size_t)(end - list)) : NULL;
    struct gs_buf rest = {0};
    gs_vec_clear(&blocks->ids);
    enum gs_rc rc = GS_OK;
    if (close) {
        rc = gs_row_blocks(r, BLOCKS_KEY, list + 1, (size_t)(close - list) - 1, ',', blocks);
        gs_buf_add(&rest, line, (size_t)(list - line));
        gs_buf_str(&rest, "null");
        line = close + 1;
    }
    gs_buf_add(&rest, line, (size_t)(end - line));
    json_error_t why;
    *out = rc ? NULL : json_loadb(gs_buf_cstr(&rest), rest.n, JSON_REJECT_DUPLICATES, &why);
    gs_buf_free(&rest);
    if (rc == GS_OK && !*out) {
        r->why = "not JSON";
        rc = gs_fail(r->err, GS_E_INPUT,
                     "%s:%lld: not a JSON object: %s (skip bad rows with "
                     "--bad-rows=skip)",
                     r->in->shown, (long long)r->line, why.text);
    }
    if (rc == GS_OK && !json_is_object(*out)) {
        json_decref(*out);
        *out = NULL;
        r->why = "not a JSON object";
        rc = gs_fail(r->err, GS_E_INPUT,
                     "%s:%lld: not a JSON object (skip bad rows with --bad-rows=skip)",
                     r->in->shown, (long long)r->line);
    }
    return rc;
}

/* Not const: an iterator of jansson wants the object itself. It does not change it. */
static void count_members(struct gs_scan *s, json_t *o, const char *const *known)
{
    static const char *const common[] = {BLOCKS_KEY, "input_length", "output_length"};
    for (void *at = json_object_iter(o); at; at = json_object_iter_next(o, at)) {
        const char *key = json_object_iter_key(at);
        int is_known = 0;
        for (size_t i = 0; i < sizeof common / sizeof *common; i++)
            is_known |= strcmp(key, common[i]) == 0;
        for (size_t i = 0; known[i]; i++)
            is_known |= strcmp(key, known[i]) == 0;
        if (is_known)
            continue;
        char text[96];
        (void)gs_fmt(text, sizeof text, "member '%.60s' is not known and not used", key);
        gs_count_assume(s->n, gs_intern_str(s->str, gs_intern(s->str, text)), 1);
    }
}

/* A request of the file: what all formats tell, then what this one adds. */
static enum gs_rc take_request(struct gs_scan *s, struct gs_row *r, const struct gs_requests *f,
                               json_t *o, const struct gs_blocks *blocks, struct gs_call *c)
{
    char text[64];
    *c = gs_scan_new_call(r->line);
    enum gs_rc rc =
        gs_row_int(r, "input_length", gs_json_text(o, "input_length", text, sizeof text),
                   GS_TRACE_TOKENS_MAX, &c->input);
    if (rc == GS_OK)
        rc = gs_row_int(r, "output_length", gs_json_text(o, "output_length", text, sizeof text),
                        GS_TRACE_TOKENS_MAX, &c->output);
    if (rc == GS_OK)
        rc = f->take(s, r, o, c);
    if (rc != GS_OK)
        return rc;
    c->nblocks = (uint32_t)blocks->ids.n;
    c->block_tokens = c->nblocks ? f->block_tokens : 0;
    count_members(s, o, f->known);
    return GS_OK;
}

struct pass {
    struct gs_scan *s;
    const struct gs_requests *format;
    struct gs_blocks blocks;
    struct gs_prefix prefix;
};

static enum gs_rc take_line(struct pass *p, int64_t line_no, const char *line, size_t n)
{
    struct gs_row r = gs_scan_row(p->s, line_no);
    json_t *o = NULL;
    struct gs_call c;
    enum gs_rc rc = parse(&r, line, n, &p->blocks, &o);
    if (rc == GS_OK)
        rc = take_request(p->s, &r, p->format, o, &p->blocks, &c);
    if (rc == GS_OK && p->s->info)
        gs_prefix_add(&p->prefix, &c, p->blocks.ids.v);
    if (rc == GS_OK)
        rc = gs_scan_call(p->s, &c, p->blocks.ids.v);
    json_decref(o);
    return gs_row_end(&r, rc);
}

enum gs_rc gs_requests_scan(struct gs_scan *s, const struct gs_requests *f)
{
    struct pass p = {.s = s, .format = f};
    enum gs_rc rc = GS_OK;
    for (int64_t line_no = 1; rc == GS_OK; line_no++) {
        const char *line = NULL;
        size_t n = 0;
        rc = gs_input_line(s->in, &line, &n, s->err);
        if (rc != GS_OK || n == 0)
            break;
        if (skip_blanks(line, line + n) < line + n)
            rc = take_line(&p, line_no, line, n);
    }
    if (rc == GS_OK && s->info)
        gs_prefix_show(&p.prefix, s->info);
    gs_prefix_free(&p.prefix);
    gs_vec_free(&p.blocks.ids);
    return rc;
}
