/* mig_book.c - geometries from the catalog's rows, and the numbers of profiles.
 *
 * A profile's number is the place of its name's first row in the catalog, so that it does not depend on
 * the cluster. Look-ups are linear: some hundred rows, asked for while a run is prepared. */
#include "sim/base/attr.h"
#include "sim/base/mem.h"
#include "sim/hardware/catalog.h"
#include "sim/hardware/mig.h"

#include <string.h>
#include <strings.h>

#include "sim/base/banned.h"

void gs_mig_book_init(struct gs_mig_book *b, struct gs_catalog *c)
{
    memset(b, 0, sizeof *b);
    gs_catalog_need(c, GS_CATALOG_MIG);
    b->name = gs_zalloc(c->nmig + 1, sizeof *b->name);
    b->name[0] = "";
    for (size_t i = 0; i < c->nmig && b->n < UINT16_MAX; i++)
        if (!gs_mig_book_id(b, c->mig[i].profile))
            b->name[++b->n] = c->mig[i].profile;
}

void gs_mig_book_release(struct gs_mig_book *b)
{
    for (uint32_t m = 0; m < GS_MIG_MODELS_MAX; m++)
        gs_free(b->of[m]);
    gs_free(b->name);
    memset(b, 0, sizeof *b);
}

uint16_t gs_mig_book_id(const struct gs_mig_book *b, const char *name)
{
    for (uint32_t i = 1; i <= b->n; i++)
        if (strcasecmp(b->name[i], name) == 0)
            return (uint16_t)i;
    return 0;
}

/* ---- a geometry from rows ---- */

static const struct {
    const char *variant;
    enum gs_mig_media media;
} media_of[] = {
    {"+me", GS_MIG_MEDIA_ME}, {"+me.all", GS_MIG_MEDIA_ALL}, {"-me", GS_MIG_MEDIA_NONE}};

static enum gs_mig_media read_media(const char *variant)
{
    for (size_t i = 0; i < sizeof media_of / sizeof *media_of; i++)
        if (strcmp(media_of[i].variant, variant) == 0)
            return media_of[i].media;
    return GS_MIG_MEDIA_OWN;
}

/* A row of a user's catalog may be anything. */
static enum gs_rc check_row(const struct gs_mig_geometry *g, const struct gs_mig_profile *r,
                            struct gs_err *err)
{
    const int in_range = r->compute_slices >= 1 && r->compute_slices <= GS_MIG_COMPUTE_MAX &&
                         r->memory_slices >= 1 && r->memory_slices_total >= r->memory_slices &&
                         r->memory_slices_total <= GS_MIG_SLICES_MAX && r->max_instances >= 1 &&
                         r->max_instances <= GS_MIG_SLICES_MAX && r->starts;
    if (!in_range || (g->n && r->memory_slices_total != g->slices))
        return gs_fail(
            err, GS_E_INPUT,
            "catalog: MIG profile %s of %s: slices, starts or number of instances are not "
            "those of a device",
            r->profile, r->gpu);
    if (r->starts >> (r->memory_slices_total - r->memory_slices + 1))
        return gs_fail(err, GS_E_INPUT, "catalog: MIG profile %s of %s would pass the last slice",
                       r->profile, r->gpu);
    if (g->n == GS_MIG_PROFILES_MAX)
        return gs_fail(err, GS_E_INPUT, "catalog: %s has more than %d MIG profiles", r->gpu,
                       GS_MIG_PROFILES_MAX);
    return GS_OK;
}

static void add_profile(struct gs_mig_book *b, struct gs_mig_geometry *g,
                        const struct gs_mig_profile *r)
{
    g->slices = (uint8_t)r->memory_slices_total;
    g->compute = (uint8_t)(r->compute_slices > g->compute ? r->compute_slices : g->compute);
    g->p[g->n++] = (struct gs_mig_shape){.name = r->profile,
                                         .compute = (uint8_t)r->compute_slices,
                                         .size = (uint8_t)r->memory_slices,
                                         .most = (uint8_t)r->max_instances,
                                         .media = (uint8_t)read_media(r->variant),
                                         .sms = (uint16_t)(r->sms > 0 ? r->sms : 0),
                                         .id = gs_mig_book_id(b, r->profile),
                                         .mem_mib = r->memory_mib > 0 ? (uint32_t)r->memory_mib : 0,
                                         .starts = r->starts};
}

enum gs_rc gs_mig_book_model(struct gs_mig_book *b, const struct gs_catalog *c, uint32_t model,
                             const char *gpu, struct gs_err *err)
{
    const struct gs_gpu_model *m = gs_catalog_gpu(c, gpu);
    gs_require(model < GS_MIG_MODELS_MAX);
    if (!m || !m->mig[0] || b->of[model])
        return GS_OK;
    struct gs_mig_geometry *g = GS_NEW(struct gs_mig_geometry);
    g->name = m->mig;
    enum gs_rc rc = GS_OK;
    for (size_t i = 0; i < c->nmig && !rc; i++) {
        if (strcasecmp(c->mig[i].gpu, m->mig) != 0)
            continue;
        rc = check_row(g, &c->mig[i], err);
        if (!rc)
            add_profile(b, g, &c->mig[i]);
    }
    if (rc || !g->n)
        gs_free(g);
    else
        b->of[model] = g;
    return rc;
}
