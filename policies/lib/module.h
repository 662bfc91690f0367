/* module.h - what every bundled module repeats: the fixed part of its manifest, its one export, and an instance without state.
 *
 * A module outside this repository needs none of this: policies/template.c spells it out from gsim/policy.h alone. */
#ifndef GSP_LIB_MODULE_H
#define GSP_LIB_MODULE_H

#include "gsim/policy.h"

/* First fields of a manifest; the rest (id, name, doc, ops, ...) follows by name. */
#define GSPL_MANIFEST_HEAD                                                       \
    .struct_size = (uint32_t)sizeof(struct gsp_manifest), .magic = GSP_MAGIC,    \
    .abi_major = GSP_ABI_MAJOR, .abi_minor = GSP_ABI_MINOR, .min_host_minor = 9, \
    .layout = GSP_LAYOUT, .version = "0.1.0", .license = "none chosen"

#define GSPL_OPS_HEAD .struct_size = (uint32_t)sizeof(struct gsp_ops)

/* The export: hands out the manifest to a host of the same major version. */
#define GSPL_QUERY(manifest)                                                       \
    const struct gsp_manifest *gsp_query(uint32_t host_major, uint32_t host_minor) \
    {                                                                              \
        (void)host_minor;                                                          \
        return host_major == GSP_ABI_MAJOR ? &(manifest) : NULL;                   \
    }

/* create and destroy of a module that keeps nothing. */
static inline int gspl_create_nothing(struct gsp_ctx *c, const struct gsp_config *cfg, void **self)
{
    (void)c;
    (void)cfg;
    *self = NULL;
    return 0;
}

static inline void gspl_destroy_nothing(struct gsp_ctx *c, void *self)
{
    (void)c;
    (void)self;
}

/* create for a module with a state struct: zeroed memory, or the host's error. destroy: gives it back. */
static inline void *gspl_new(struct gsp_ctx *c, size_t bytes)
{
    void *p = c->host->mem_alloc(c, bytes);
    if (!p)
        (void)c->host->fail(c, -1, 0, "out of the memory that an instance may hold");
    return p;
}

static inline void gspl_destroy_plain(struct gsp_ctx *c, void *self)
{
    c->host->mem_free(c, self);
}

#endif
