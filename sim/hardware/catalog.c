/* catalog.c - reads catalog CSV (libcsv) into records by two tables of fields, and finds records by
 * name.
 *
 * The same reader serves the compiled-in text and a user's file; only the name in messages differs.
 * A field table says for each column where it goes in the record and how it is read, so that a new
 * column is one line. Names are few: lookups are linear, without regard to (ASCII) case. All text
 * lives in the catalog's arena. */
#include "sim/hardware/catalog.h"

#include "sim/base/buf.h"
#include "sim/base/units.h"
#include "sim/hardware/embedded.h"

#include <csv.h>

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

#include "sim/base/banned.h"

enum {
    COLUMNS_MAX = 32
};

#define FILE_CAP ((size_t)16 << 20)

enum field_kind {
    TEXT,
    LIST,   /* text, "|"-separated */
    REAL,   /* NaN where empty */
    GIB,    /* MiB as int64, -1 where empty */
    MILLI,  /* thousandths as int64, -1 where empty */
    COUNT,  /* int32, -1 where empty */
    NUMBER, /* uint32, 0 where empty */
    LETTER, /* A, B, C or ?, which also stands for an empty field */
    MARK    /* empty = 0, UNVERIFIED = 1 */
};

struct field {
    const char *column;
    enum field_kind kind;
    size_t offset;
};

#define G(column, kind, member)                             \
    {                                                       \
        column, kind, offsetof(struct gs_gpu_model, member) \
    }
#define S(column, kind, member)                                \
    {                                                          \
        column, kind, offsetof(struct gs_server_model, member) \
    }

/* The first field of each table is the record's name. */
static const struct field gpu_fields[] = {
    G("gpu", TEXT, name),
    G("vendor", TEXT, vendor),
    G("arch", TEXT, arch),
    G("form_factor", TEXT, form_factor),
    G("memory_gib", GIB, memory_mib),
    G("mem_bw_gbs", REAL, mem_bw_gbs),
    G("bf16_tflops", REAL, bf16_tflops),
    G("sm_count", COUNT, sm_count),
    G("tdp_w", REAL, tdp_w),
    G("idle_w", REAL, idle_w),
    G("nvlink_gbs", REAL, nvlink_gbs),
    G("mig_slices_mem", COUNT, mig_slices_mem),
    G("mig_max_instances", COUNT, mig_max_instances),
    G("confidence", LETTER, confidence),
    G("unverified", MARK, unverified),
    G("source", TEXT, source),
};
static const struct field server_fields[] = {
    S("server", TEXT, name),
    S("aliases", LIST, aliases),
    S("title", TEXT, title),
    S("gpu", TEXT, gpu),
    S("gpu_alternatives", LIST, gpu_alternatives),
    S("gpus", NUMBER, gpus),
    S("cpus", MILLI, cpus_milli),
    S("memory_gib", GIB, memory_mib),
    S("numa_nodes", NUMBER, numa_nodes),
    S("nics", NUMBER, nics),
    S("nic_gbps", REAL, nic_gbps),
    S("nvlink_domain", NUMBER, nvlink_domain),
    S("confidence", LETTER, confidence),
    S("unverified", MARK, unverified),
    S("source", TEXT, source),
};
#undef G
#undef S

static const struct table {
    const struct field *fields;
    size_t nfields, record_size;
} tables[] = {
    {gpu_fields, sizeof gpu_fields / sizeof gpu_fields[0], sizeof(struct gs_gpu_model)},
    {server_fields, sizeof server_fields / sizeof server_fields[0], sizeof(struct gs_server_model)},
};

enum {
    GPUS,
    SERVERS,
    NTABLES
};

/* The state of one file being read. libcsv cannot be stopped, so after an error the rest is passed
 * over. */
struct reader {
    struct gs_catalog *c;
    const char *path;
    struct gs_err *err;
    enum gs_rc rc;
    uint64_t line; /* of the field at hand */
    int after_cr;  /* the last line ended in CR: a LF that follows is no line of its own */
    const struct table *table;               /* NULL before the first header */
    const struct field *column[COLUMNS_MAX]; /* what each column of the table is */
    size_t ncolumns;
    size_t at; /* index of the next field in the row */

    enum {
        ROW_NEW,
        ROW_DATA,
        ROW_HEADER,
        ROW_COMMENT
    } row;

    void *record;
};

/* ---- records ---- */

static const char *keep(struct gs_catalog *c, const char *s)
{
    return gs_arena_str(&c->text, s, strlen(s));
}

static void set_unknown(const struct field *f, void *record)
{
    void *at = (char *)record + f->offset;
    switch (f->kind) {
    case TEXT:
    case LIST: memcpy(at, &(const char *){""}, sizeof(const char *)); break;
    case REAL: memcpy(at, &(double){(double)NAN}, sizeof(double)); break;
    case GIB:
    case MILLI: memcpy(at, &(int64_t){-1}, sizeof(int64_t)); break;
    case COUNT: memcpy(at, &(int32_t){-1}, sizeof(int32_t)); break;
    case NUMBER:
    case MARK: memset(at, 0, sizeof(uint32_t)); break;
    case LETTER: *(char *)at = '?'; break;
    }
}

/* Everything unknown. */
static void blank(const struct table *t, void *record)
{
    memset(record, 0, t->record_size);
    for (size_t i = 0; i < t->nfields; i++)
        set_unknown(&t->fields[i], record);
}

/* The record of that exact name (but for case), or a new blank one. Records move: use it before the
 * next call. */
static void *record_named(struct gs_catalog *c, const struct table *t, const char *name)
{
    const int gpu = t == &tables[GPUS];
    size_t *n = gpu ? &c->ngpus : &c->nservers;
    for (size_t i = 0; i < *n; i++) {
        const char *other = gpu ? c->gpus[i].name : c->servers[i].name;
        if (strcasecmp(other, name) == 0)
            return gpu ? (void *)&c->gpus[i] : (void *)&c->servers[i];
    }
    void *record;
    if (gpu) {
        c->gpus = gs_resize(c->gpus, *n + 1, sizeof *c->gpus);
        record = &c->gpus[*n];
    } else {
        c->servers = gs_resize(c->servers, *n + 1, sizeof *c->servers);
        record = &c->servers[*n];
    }
    ++*n;
    blank(t, record);
    return record;
}

/* ---- fields ---- */

static void complain(struct reader *r, const char *column, const char *value, const char *expected)
{
    if (r->rc == GS_OK)
        r->rc = gs_fail(r->err, GS_E_INPUT, "%s:%llu: column '%s': found '%s', expected %s",
                        r->path, (unsigned long long)r->line, column, value, expected);
}

/* Reads a number >= 0, times scale, rounded to a whole; 0 if it is none. */
static int read_scaled(const char *value, double scale, int64_t max, int64_t *out)
{
    double x;
    if (gs_parse_real(value, &x, NULL) != GS_OK || x < 0 || x * scale > (double)max)
        return 0;
    *out = (int64_t)(x * scale + 0.5);
    return 1;
}

static void set_text(struct reader *r, void *at, const char *value)
{
    const char *s = keep(r->c, value);
    memcpy(at, &s, sizeof s);
}

static void set_real(struct reader *r, const struct field *f, void *at, const char *value)
{
    double x;
    if (gs_parse_real(value, &x, NULL) != GS_OK || x < 0)
        complain(r, f->column, value, "a number that is not negative, or nothing");
    else
        memcpy(at, &x, sizeof x);
}

static void set_scaled(struct reader *r, const struct field *f, void *at, const char *value)
{
    int64_t x;
    const double scale = f->kind == GIB ? 1024 : 1000;
    if (!read_scaled(value, scale, INT64_C(1) << 40, &x))
        complain(r, f->column, value, "a number that is not negative, or nothing");
    else
        memcpy(at, &x, sizeof x);
}

static void set_count(struct reader *r, const struct field *f, void *at, const char *value)
{
    int64_t x;
    if (gs_parse_int(value, 0, INT32_MAX, &x, NULL) != GS_OK) {
        complain(r, f->column, value, "a whole number that is not negative, or nothing");
        return;
    }
    if (f->kind == COUNT)
        memcpy(at, &(int32_t){(int32_t)x}, sizeof(int32_t));
    else
        memcpy(at, &(uint32_t){(uint32_t)x}, sizeof(uint32_t));
}

static void set_letter(struct reader *r, const struct field *f, void *at, const char *value)
{
    if (strchr("ABC?", value[0]) && value[1] == '\0')
        *(char *)at = value[0];
    else
        complain(r, f->column, value, "A, B, C, ? or nothing");
}

static void set_mark(struct reader *r, const struct field *f, void *at, const char *value)
{
    if (strcasecmp(value, "UNVERIFIED") == 0)
        memcpy(at, &(int32_t){1}, sizeof(int32_t));
    else
        complain(r, f->column, value, "UNVERIFIED or nothing");
}

static void set_field(struct reader *r, const struct field *f, const char *value)
{
    void *at = (char *)r->record + f->offset;
    if (!value[0]) {
        set_unknown(f, r->record);
        return;
    }
    switch (f->kind) {
    case TEXT:
    case LIST: set_text(r, at, value); break;
    case REAL: set_real(r, f, at, value); break;
    case GIB:
    case MILLI: set_scaled(r, f, at, value); break;
    case COUNT:
    case NUMBER: set_count(r, f, at, value); break;
    case LETTER: set_letter(r, f, at, value); break;
    case MARK: set_mark(r, f, at, value); break;
    }
}

/* ---- rows ---- */

static const struct table *table_of(const char *first)
{
    for (int t = 0; t < NTABLES; t++) {
        if (strcmp(tables[t].fields[0].column, first) == 0)
            return &tables[t];
    }
    return NULL;
}

static void header_field(struct reader *r, const char *value)
{
    if (r->at == COLUMNS_MAX) {
        complain(r, value, value, "no more columns");
        return;
    }
    for (size_t i = 0; i < r->table->nfields; i++) {
        if (strcmp(r->table->fields[i].column, value) != 0)
            continue;
        for (size_t k = 0; k < r->at; k++) {
            if (r->column[k] == &r->table->fields[i])
                complain(r, value, value, "each column once");
        }
        r->column[r->at] = &r->table->fields[i];
        r->ncolumns = r->at + 1;
        return;
    }
    complain(r, value, value, "a column of this table (see gsim help catalog)");
}

/* The first field says what the row is: a comment, a header, or the record of that name. */
static void first_field(struct reader *r, const char *value)
{
    const struct table *t = table_of(value);
    if (value[0] == '#') {
        r->row = ROW_COMMENT;
    } else if (t) {
        r->row = ROW_HEADER;
        r->table = t;
        r->ncolumns = 0;
        header_field(r, value);
    } else if (!r->table) {
        complain(r, "1", value, "a header row that starts with 'gpu' or 'server'");
    } else if (!value[0]) {
        complain(r, r->table->fields[0].column, value, "a name");
    } else {
        r->row = ROW_DATA;
        r->record = record_named(r->c, r->table, value);
        set_field(r, r->column[0], value);
    }
}

static void on_field(void *field, size_t len, void *ctx)
{
    struct reader *r = ctx;
    const char *value = field ? field : "";
    if (r->rc != GS_OK)
        return;
    if (strlen(value) != len)
        complain(r, "?", value, "text without a zero byte");
    else if (r->at == 0)
        first_field(r, value);
    else if (r->row == ROW_HEADER)
        header_field(r, value);
    else if (r->row == ROW_DATA && r->at >= r->ncolumns)
        complain(r, "?", value, "no more fields than the header has");
    else if (r->row == ROW_DATA)
        set_field(r, r->column[r->at], value);
    r->at++;
    for (const char *s = value; *s; s++)
        r->line += *s == '\n';
}

/* End of a row; also called for each empty line (CSV_REPALL_NL), with c = the character that ended
 * it, -1 at the end of the file. */
static void on_row(int c, void *ctx)
{
    struct reader *r = ctx;
    const int second_half = r->after_cr && c == '\n' && r->at == 0;
    r->after_cr = c == '\r';
    if (r->rc == GS_OK && r->row == ROW_DATA && r->at != r->ncolumns)
        r->rc =
            gs_fail(r->err, GS_E_INPUT, "%s:%llu: found %zu fields, expected %zu as in the header",
                    r->path, (unsigned long long)r->line, r->at, r->ncolumns);
    if (!second_half)
        r->line++;
    r->at = 0;
    r->row = ROW_NEW;
}

static enum gs_rc read_csv(struct gs_catalog *c, const char *path, const char *text, size_t len,
                           struct gs_err *err)
{
    struct reader r = {.c = c, .path = path, .err = err, .rc = GS_OK, .line = 1};
    struct csv_parser p;
    if (csv_init(&p, CSV_STRICT | CSV_STRICT_FINI | CSV_APPEND_NULL | CSV_REPALL_NL) != 0)
        return gs_fail(err, GS_E_IO, "cannot start the CSV reader");
    if (csv_parse(&p, text, len, on_field, on_row, &r) != len ||
        csv_fini(&p, on_field, on_row, &r) != 0) {
        if (r.rc == GS_OK)
            r.rc = gs_fail(err, GS_E_INPUT, "%s:%llu: not CSV: %s", path,
                           (unsigned long long)r.line, csv_strerror(csv_error(&p)));
    }
    csv_free(&p);
    if (r.rc == GS_OK && !r.table)
        r.rc = gs_fail(err, GS_E_INPUT,
                       "%s: no header row; expected one that starts with 'gpu' or 'server'", path);
    return r.rc;
}

static enum gs_rc read_file(const char *path, struct gs_buf *text, struct gs_err *err)
{
    char chunk[2048];
    FILE *f = fopen(path, "rb");
    if (!f)
        return gs_fail(err, GS_E_INPUT, "cannot open the catalog '%s': %s", path, strerror(errno));
    size_t n;
    while ((n = fread(chunk, 1, sizeof chunk, f)) > 0 && text->n + n <= FILE_CAP)
        gs_buf_add(text, chunk, n);
    const int failed = ferror(f);
    const int why = errno;
    (void)fclose(f);
    if (failed)
        return gs_fail(err, GS_E_INPUT, "cannot read the catalog '%s': %s", path, strerror(why));
    if (n > 0)
        return gs_fail(err, GS_E_INPUT, "the catalog '%s' has more than %zu bytes", path, FILE_CAP);
    return GS_OK;
}

/* ---- public ---- */

enum gs_rc gs_catalog_load(struct gs_catalog *c, const char *override_path, struct gs_err *err)
{
    memset(c, 0, sizeof *c);
    enum gs_rc rc = read_csv(c, "built-in gpus.csv", gs_csv_gpus, gs_csv_gpus_len, err);
    if (rc == GS_OK)
        rc = read_csv(c, "built-in servers.csv", gs_csv_servers, gs_csv_servers_len, err);
    if (rc == GS_OK && override_path) {
        struct gs_buf text = {0};
        rc = read_file(override_path, &text, err);
        if (rc == GS_OK)
            rc = read_csv(c, override_path, gs_buf_cstr(&text), text.n, err);
        gs_buf_free(&text);
    }
    if (rc != GS_OK)
        gs_catalog_release(c);
    return rc;
}

void gs_catalog_release(struct gs_catalog *c)
{
    gs_free(c->gpus);
    gs_free(c->servers);
    gs_arena_release(&c->text);
    memset(c, 0, sizeof *c);
}

const struct gs_gpu_model *gs_catalog_gpu(const struct gs_catalog *c, const char *name)
{
    for (size_t i = 0; i < c->ngpus; i++) {
        if (strcasecmp(c->gpus[i].name, name) == 0)
            return &c->gpus[i];
    }
    return NULL;
}

/* Is `name` one of the words of a "|"-separated list? */
static int in_list(const char *list, const char *name)
{
    const size_t len = strlen(name);
    while (*list) {
        const size_t word = strcspn(list, "|");
        if (word == len && strncasecmp(list, name, len) == 0)
            return 1;
        list += word + (list[word] == '|');
    }
    return 0;
}

const struct gs_server_model *gs_catalog_server(const struct gs_catalog *c, const char *name)
{
    for (size_t i = 0; i < c->nservers; i++) {
        if (strcasecmp(c->servers[i].name, name) == 0)
            return &c->servers[i];
    }
    for (size_t i = 0; i < c->nservers; i++) {
        if (in_list(c->servers[i].aliases, name))
            return &c->servers[i];
    }
    return NULL;
}

/* ---- "did you mean" ---- */

static const char *lower(struct gs_arena *a, const char *s, size_t len)
{
    char *t = gs_arena_str(a, s, len);
    for (char *p = t; *p; p++) {
        if (*p >= 'A' && *p <= 'Z')
            *p = (char)(*p - 'A' + 'a');
    }
    return t;
}

/* Lower-case words and what each stands for; the nearest word's meaning. */
struct words {
    const char **word, **meaning;
    size_t n, cap;
    struct gs_arena text;
};

static void add_word(struct words *w, const char *word, size_t len, const char *meaning)
{
    if (w->n == w->cap) {
        w->cap = w->cap ? 2 * w->cap : 128;
        w->word = gs_resize((void *)w->word, w->cap, sizeof *w->word);
        w->meaning = gs_resize((void *)w->meaning, w->cap, sizeof *w->meaning);
    }
    w->word[w->n] = lower(&w->text, word, len);
    w->meaning[w->n++] = meaning;
}

static const char *nearest(struct words *w, const char *name)
{
    const char *found = gs_nearest(lower(&w->text, name, strlen(name)), w->word, w->n);
    const char *meaning = NULL;
    for (size_t i = 0; found && i < w->n; i++) {
        if (w->word[i] == found)
            meaning = w->meaning[i];
    }
    gs_free((void *)w->word);
    gs_free((void *)w->meaning);
    gs_arena_release(&w->text);
    return meaning;
}

const char *gs_catalog_nearest_gpu(const struct gs_catalog *c, const char *name)
{
    struct words w = {0};
    for (size_t i = 0; i < c->ngpus; i++)
        add_word(&w, c->gpus[i].name, strlen(c->gpus[i].name), c->gpus[i].name);
    return nearest(&w, name);
}

const char *gs_catalog_nearest_server(const struct gs_catalog *c, const char *name)
{
    struct words w = {0};
    for (size_t i = 0; i < c->nservers; i++) {
        const struct gs_server_model *s = &c->servers[i];
        add_word(&w, s->name, strlen(s->name), s->name);
        for (const char *a = s->aliases; *a;) {
            const size_t len = strcspn(a, "|");
            add_word(&w, a, len, s->name);
            a += len + (a[len] == '|');
        }
    }
    return nearest(&w, name);
}
