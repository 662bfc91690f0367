/* catalog.c - what is loaded of the catalog, and its rows by name.
 *
 * A table's built-in rows are read when it is first asked for, so that a start of gsim does not pay for
 * tables that it does not use. A user's file is read at once and whole, and brings the built-in rows of
 * the tables that it names first; so gs_catalog_need never has to fail. Names are few: lookups are linear,
 * without regard to (ASCII) case. */
#include "sim/hardware/catalog.h"

#include "sim/base/buf.h"
#include "sim/base/units.h"
#include "sim/hardware/table.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

#include "sim/base/banned.h"

#define FILE_CAP ((size_t)16 << 20)

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
    gs_catalog_need(c, GS_CATALOG_GPUS);
    gs_catalog_need(c, GS_CATALOG_SERVERS);
    if (!override_path)
        return GS_OK;
    struct gs_buf text = {0};
    enum gs_rc rc = read_file(override_path, &text, err);
    if (rc == GS_OK)
        rc = gs_catalog_read(c, override_path, gs_buf_cstr(&text), text.n, 1, err);
    gs_buf_free(&text);
    if (rc != GS_OK)
        gs_catalog_release(c);
    return rc;
}

void gs_catalog_need(struct gs_catalog *c, enum gs_catalog_table t)
{
    const struct gs_table *table = &gs_tables[t];
    if (c->loaded >> t & 1)
        return;
    c->loaded |= UINT32_C(1) << t;
    struct gs_err err = {0};
    const enum gs_rc rc = gs_catalog_read(c, table->name, table->text, *table->len, 0, &err);
    gs_require(rc == GS_OK); /* our own text: test_catalog reads all of it */
}

size_t gs_catalog_given(const struct gs_catalog *c)
{
    size_t n = 0;
    for (size_t t = 0; t < GS_CATALOG_COUNT; t++) {
        for (size_t i = 0; i < gs_table_rows(&gs_tables[t], c); i++)
            n += gs_table_given(&gs_tables[t], gs_table_row(&gs_tables[t], c, i)) != 0;
    }
    return n;
}

void gs_catalog_release(struct gs_catalog *c)
{
#define X(code, name, record) gs_free(c->name);
    GS_CATALOG_TABLES(X)
#undef X
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

const struct gs_llm *gs_catalog_model(const struct gs_catalog *c, const char *name)
{
    for (size_t i = 0; i < c->nmodels; i++) {
        if (strcasecmp(c->models[i].name, name) == 0)
            return &c->models[i];
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

const char *gs_catalog_nearest_model(const struct gs_catalog *c, const char *name)
{
    struct words w = {0};
    for (size_t i = 0; i < c->nmodels; i++)
        add_word(&w, c->models[i].name, strlen(c->models[i].name), c->models[i].name);
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
