/* catalog_models.h - `gsim catalog collectives` and `gsim catalog steps`: the models beside what was measured. */
#ifndef GS_CATALOG_MODELS_H
#define GS_CATALOG_MODELS_H

#include "sim/hardware/catalog.h"

struct gs_catalog_view {
    const char *name, *doc;
    void (*show)(struct gs_catalog *c, int json);
};

/* NULL = there is no view of that name; i counts through all, NULL behind the last. */
const struct gs_catalog_view *gs_catalog_view_named(const char *name);
const struct gs_catalog_view *gs_catalog_view(size_t i);

#endif
