/* import_csv.c - labels of nodes as a CSV table: a column `node` (or `name`), and one a label, named as the label is.
 *
 * The rows become the object that Kubernetes would print, so that one reader knows what labels mean. */
#include "sim/network/importer_priv.h"

#include <csv.h>
#include <jansson.h>

#include <string.h>

#include "sim/base/banned.h"

struct table {
    json_t *header, *items, *labels;
    size_t column, name_column;
    unsigned line;
    int bad_text;
};

static void on_field(void *bytes, size_t n, void *ctx)
{
    struct table *t = ctx;
    json_t *const s = json_stringn(bytes ? bytes : "", bytes ? n : 0); /* NULL: not UTF-8 */
    t->bad_text |= s == NULL;
    if (t->line == 0) {
        const char *const name = json_string_value(s);
        if (name && (strcmp(name, "node") == 0 || strcmp(name, "name") == 0))
            t->name_column = t->column;
        (void)json_array_append(t->header, s);
    } else if (t->column < json_array_size(t->header) && s) {
        const char *const key = json_string_value(json_array_get(t->header, t->column));
        (void)json_object_set(t->labels, t->column == t->name_column ? "" : key, s);
    }
    json_decref(s);
    t->column++;
}

static void on_row(int c, void *ctx)
{
    struct table *t = ctx;
    (void)c;
    if (t->line++ > 0) {
        json_t *const name = json_object_get(t->labels, "");
        json_t *const meta = json_pack("{s:O?, s:O}", "name", name, "labels", t->labels);
        (void)json_array_append_new(t->items, json_pack("{s:o}", "metadata", meta));
        json_decref(t->labels);
        t->labels = json_object();
    }
    t->column = 0;
}

json_t *gs_import_csv(const struct gs_net_import *in, const char *text, size_t n,
                      struct gs_err *err)
{
    struct csv_parser p;
    struct table t = {.header = json_array(),
                      .items = json_array(),
                      .labels = json_object(),
                      .name_column = SIZE_MAX};
    gs_verify(csv_init(&p, CSV_STRICT) == 0);
    const int whole = csv_parse(&p, text, n, on_field, on_row, &t) == n &&
                      csv_fini(&p, on_field, on_row, &t) == 0;
    csv_free(&p);
    json_t *root = NULL;
    if (!whole || t.bad_text)
        (void)gs_import_fail(in, t.line + 1, err, whole ? "is not UTF-8" : "misplaced quote");
    else if (t.name_column == SIZE_MAX)
        (void)gs_import_fail(in, 1, err,
                             "is neither a Slurm topology nor JSON, and as a table of labels it "
                             "has no column `node`");
    else
        root = json_pack("{s:O}", "items", t.items);
    json_decref(t.header);
    json_decref(t.items);
    json_decref(t.labels);
    return root;
}
