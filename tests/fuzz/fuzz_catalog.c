/* fuzz_catalog.c - libFuzzer target: any bytes as a user's catalog.
 *
 * Whatever the bytes, reading ends well or with a message, leaks nothing; what was accepted can be shown, and the
 * lookups stand every name in it. */
#include "sim/hardware/table.h"

#include <stdint.h>
#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void show_given(const struct gs_table *t, const struct gs_catalog *c)
{
    struct gs_buf text = {0};
    for (size_t i = 0; i < gs_table_rows(t, c); i++) {
        const void *record = gs_table_row(t, c, i);
        for (size_t k = 0; k < t->nfields && gs_table_given(t, record); k++)
            gs_field_show(&t->fields[k], record, &text);
        if (text.n > 4096)
            gs_buf_clear(&text);
    }
    gs_buf_free(&text);
}

static void look_up(const struct gs_catalog *c)
{
    for (size_t i = 0; i < c->ngpus; i++)
        if (c->gpus[i].given && !gs_catalog_gpu(c, c->gpus[i].name))
            abort();
    for (size_t i = 0; i < c->nservers; i++)
        if (c->servers[i].given && !gs_catalog_server(c, c->servers[i].name))
            abort();
    (void)gs_catalog_server(c, "no such server");
    (void)gs_catalog_nearest_server(c, "no such server");
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct gs_catalog c;
    struct gs_err err = {0};
    if (gs_catalog_load(&c, NULL, &err) != GS_OK)
        abort();
    if (gs_catalog_read(&c, "fuzz.csv", (const char *)data, size, 1, &err) == GS_OK) {
        for (size_t t = 0; t < GS_CATALOG_COUNT; t++)
            show_given(&gs_tables[t], &c);
        look_up(&c);
    } else if (!err.msg[0]) {
        abort();
    }
    gs_catalog_release(&c);
    return 0;
}
