/* gsp_attrs.c - order part: by a column of the trace that gsim does not know, `urgency`, the highest first; jobs without it last. Checks
 * on the way that the rows of view->attrs are sorted and that host->attr finds each of them. */
#include "gsim/policy.h"

#include "module.h"

static int rows_are_sound(struct gsp_ctx *c)
{
    const struct gsp_attrs *a = &c->view->attrs;
    for (uint32_t i = 0; i < a->count; i++) {
        if (i && (a->subject[i] < a->subject[i - 1] ||
                  (a->subject[i] == a->subject[i - 1] && a->key[i] <= a->key[i - 1])))
            return 0;
        if (c->host->attr(c, a->kind[i], a->subject[i], c->host->str(c, a->key[i])) != i)
            return 0;
    }
    return c->host->attr(c, GSP_SUBJECT_JOB, 0, "no such key") == GSP_NONE &&
           c->host->attr(c, GSP_SUBJECT_JOB + 1, 0, "urgency") == GSP_NONE;
}

static int order(void *self, struct gsp_ctx *c, const gsp_job *job, uint32_t n, int64_t *key)
{
    const struct gsp_jobs *jobs = &c->view->jobs;
    (void)self;
    if (!GSP_HAS(c->view, attrs) || !GSP_HAS(c->host, attr) || !(c->view->have & GSP_HAVE_ATTRS))
        return c->host->fail(c, -1, 0, "the host shows no attributes");
    if (!rows_are_sound(c))
        return c->host->fail(c, -2, 0, "the rows of attributes are not sound");
    for (uint32_t i = 0; i < n; i++) {
        const uint32_t row =
            c->host->attr(c, GSP_SUBJECT_JOB, jobs->id[GSP_INDEX(job[i])], "urgency");
        const double x = row == GSP_NONE ? -1 : c->view->attrs.number[row];
        key[i] = x == x ? -(int64_t)x : 1; /* NaN: not a number */
    }
    return 0;
}

static const struct gsp_ops ops = {
    GSPL_OPS_HEAD,
    .create = gspl_create_nothing,
    .destroy = gspl_destroy_nothing,
    .order = order,
};

static const struct gsp_manifest manifest = {
    .struct_size = (uint32_t)sizeof(struct gsp_manifest),
    .magic = GSP_MAGIC,
    .abi_major = GSP_ABI_MAJOR,
    .abi_minor = GSP_ABI_MINOR,
    .min_host_minor = 10,
    .layout = GSP_LAYOUT,
    .version = "0.1.0",
    .license = "none chosen",
    .caps = GSP_CAP_ORDER_STATIC,
    .id = "attrs",
    .name = "by attribute",
    .doc = "jobs by the column `urgency` of their trace",
    .ops = &ops,
};

GSPL_QUERY(manifest)
