/* gsp_toy-echo.c - a module that fills no role of the scheduler, only the toy role "gsim.echo/1": copies numbers, and counts its calls in
 * its instance's state. With it the tests check that the extension mechanism works for roles that the base table does not know. */
#include "gsim/policy.h"

#include "module.h"

static int create(struct gsp_ctx *c, const struct gsp_config *cfg, void **self)
{
    int64_t *calls = gspl_new(c, sizeof *calls);
    if (!calls)
        return -1;
    *calls = cfg->value[0].i;
    *self = calls;
    return 0;
}

/* out[0] = the number of calls so far, out[1..] = the input, as far as it goes. */
static int echo(void *self, struct gsp_ctx *c, const struct gsp_echo_in *in,
                struct gsp_echo_out *out)
{
    int64_t *calls = self;
    (void)c;
    *calls += 1;
    for (uint32_t i = 0; i < out->n; i++)
        out->value[i] = i == 0 ? *calls : i <= in->n ? in->value[i - 1] : 0;
    return 0;
}

static const struct gsp_echo table = {.struct_size = (uint32_t)sizeof table, .echo = echo};

static int same(const char *a, const char *b)
{
    while (*a && *a == *b) {
        a++;
        b++;
    }
    return *a == *b;
}

static const void *extension(const char *ext_id)
{
    return same(ext_id, "gsim.echo/1") ? &table : NULL;
}

static const struct gsp_param params[] = {
    {"first", GSP_INT, "0", "0", "1000000", NULL, "calls", "where the count of calls begins"},
    {NULL, GSP_INT, NULL, NULL, NULL, NULL, NULL, NULL},
};

static const struct gsp_ops ops = {
    GSPL_OPS_HEAD,
    .create = create,
    .destroy = gspl_destroy_plain,
};

static const struct gsp_manifest manifest = {
    GSPL_MANIFEST_HEAD,     .id = "toy-echo",
    .name = "toy echo",     .doc = "the toy role gsim.echo/1, for tests of the extension mechanism",
    .params = params,       .ops = &ops,
    .extension = extension,
};

GSPL_QUERY(manifest)
