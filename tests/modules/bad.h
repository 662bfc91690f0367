/* bad.h - a module that is right in all but one point: gsp_bad-*.c each define that point and include this. The host must refuse each
 * with a message of its own (tests/unit/test_host_load.c). */
#include "gsim/policy.h"

#include "module.h"

#ifndef BAD_MAGIC
#define BAD_MAGIC GSP_MAGIC
#endif
#ifndef BAD_SIZE
#define BAD_SIZE sizeof(struct gsp_manifest)
#endif
#ifndef BAD_MAJOR
#define BAD_MAJOR GSP_ABI_MAJOR
#endif
#ifndef BAD_HOST_MINOR
#define BAD_HOST_MINOR 9
#endif
#ifndef BAD_LAYOUT
#define BAD_LAYOUT GSP_LAYOUT
#endif
#ifndef BAD_NEEDS
#define BAD_NEEDS 0
#endif
#ifndef BAD_CREATE
#define BAD_CREATE gspl_create_nothing
#endif
#ifndef BAD_OPS_SIZE
#define BAD_OPS_SIZE sizeof(struct gsp_ops)
#endif
#ifndef BAD_QUERY
#define BAD_QUERY gsp_query
#endif
#ifndef BAD_ANSWER
#define BAD_ANSWER &manifest
#endif

static const struct gsp_ops ops = {
    .struct_size = (uint32_t)(BAD_OPS_SIZE), .create = BAD_CREATE, .destroy = gspl_destroy_nothing};

static const struct gsp_manifest manifest = {
    .struct_size = (uint32_t)(BAD_SIZE),
    .magic = BAD_MAGIC,
    .abi_major = BAD_MAJOR,
    .abi_minor = GSP_ABI_MINOR,
    .min_host_minor = BAD_HOST_MINOR,
    .layout = BAD_LAYOUT,
    .needs = BAD_NEEDS,
    .id = BAD_ID,
    .name = "bad",
    .version = "1.0",
    .license = "none chosen",
    .doc = "refused by the host",
    .ops = &ops,
};

GSP_EXPORT const struct gsp_manifest *BAD_QUERY(uint32_t host_major, uint32_t host_minor);

const struct gsp_manifest *BAD_QUERY(uint32_t host_major, uint32_t host_minor)
{
    (void)host_major, (void)host_minor, (void)manifest;
    return BAD_ANSWER;
}
