/* gsp_partition-fault.c - partitioner: from its third question on it answers what must not be: parameter `how`. Before that, instances of
 * the first profile that is asked for, as many as go on the devices that are in MIG mode. */
#include "gsim/policy.h"

#include "module.h"

#include <string.h>

enum how {
    NONE,
    ILLEGAL_START,
    OVERLAP,
    DESTROY_HELD,
    DESTROY_NOTHING,
    NEGATIVE,
    FOREIGN_DEVICE,
    FOREIGN_PROFILE,
    MODE_BUSY,
    MODE_TWICE,
    TOO_MANY,
    OTHER_ROWS,
    UNKNOWN_ACT,
    DRAIN_NOTHING
};

static const char words[] =
    "none|illegal-start|overlap|destroy-held|destroy-nothing|negative|foreign-device|foreign-profile|"
    "mode-busy|mode-twice|too-many|other-rows|unknown-act|drain-nothing";

struct self {
    enum how how;
    uint32_t asked;
};

static int create(struct gsp_ctx *c, const struct gsp_config *cfg, void **self)
{
    struct self *s = gspl_new(c, sizeof *s);
    if (!s)
        return -1;
    s->how = (enum how)cfg->value[0].i;
    *self = s;
    return 0;
}

static void propose(struct gsp_partitioner_out *out, int act, uint32_t gpu, uint32_t profile,
                    uint32_t start)
{
    out->change[out->count++] = (struct gsp_mig_change){
        .gpu = gpu, .profile = (uint16_t)profile, .start = (uint8_t)start, .act = (uint8_t)act};
}

/* An instance that is held, else any; GSP_NONE = there is none. */
static uint32_t held(const struct gsp_instances *x)
{
    uint32_t best = x->count ? 0 : GSP_NONE;
    for (uint32_t i = 0; i < x->count; i++)
        if (x->state[i] == GSP_INSTANCE_HELD)
            best = i;
    return best;
}

static void fill(struct gsp_ctx *c, const struct gsp_partitioner_in *in,
                 struct gsp_partitioner_out *out)
{
    const struct gsp_mig *mig = c->host->ext(c, GSP_MIG);
    for (uint32_t d = 0; d < in->devices && in->demands; d++) {
        const uint32_t gpu = in->device[d], profile = in->demand[0].profile;
        const uint32_t starts = mig->starts(c, gpu, NULL, 0, profile);
        uint32_t n = 0;
        for (uint32_t i = 0; i < c->view->instances.count; i++)
            n += c->view->instances.gpu[i] == gpu;
        for (uint32_t s = 0; s < 32 && !n; s++)
            if (starts >> s & 1)
                propose(out, GSP_MIG_CREATE, gpu, profile, s);
    }
}

static int fault(enum how how, struct gsp_ctx *c, const struct gsp_partitioner_in *in,
                 struct gsp_partitioner_out *out)
{
    static struct gsp_mig_change own;
    const struct gsp_instances *x = &c->view->instances;
    const uint32_t k = held(x), gpu = in->device[0];
    if (k == GSP_NONE)
        return 0;
    switch (how) {
    case NONE: break;
    case ILLEGAL_START: propose(out, GSP_MIG_CREATE, gpu, x->profile[k], 31); break;
    case OVERLAP: propose(out, GSP_MIG_CREATE, x->gpu[k], x->profile[k], x->start[k]); break;
    case DESTROY_HELD: propose(out, GSP_MIG_DESTROY, x->gpu[k], x->profile[k], x->start[k]); break;
    case DESTROY_NOTHING: propose(out, GSP_MIG_DESTROY, gpu, x->profile[k], 30); break;
    case NEGATIVE: return c->host->fail(c, -5, 0, "on purpose");
    case FOREIGN_DEVICE: propose(out, GSP_MIG_CREATE, 1u << 30, x->profile[k], 0); break;
    case FOREIGN_PROFILE: propose(out, GSP_MIG_CREATE, gpu, 9999, 0); break;
    case MODE_BUSY: propose(out, GSP_MIG_DISABLE, x->gpu[k], 0, 0); break;
    case MODE_TWICE: propose(out, GSP_MIG_ENABLE, x->gpu[k], 0, 0); break;
    case TOO_MANY: out->count = out->room + 1; break;
    case OTHER_ROWS:
        out->change = &own;
        out->count = 1;
        break;
    case UNKNOWN_ACT: propose(out, 77, gpu, x->profile[k], 0); break;
    case DRAIN_NOTHING: propose(out, GSP_MIG_DRAIN, gpu, x->profile[k], 30); break;
    }
    return 0;
}

static int layout(void *self, struct gsp_ctx *c, const struct gsp_partitioner_in *in,
                  struct gsp_partitioner_out *out)
{
    struct self *s = self;
    if (!in->devices || ++s->asked < 3 || s->how == NONE) {
        fill(c, in, out);
        return 0;
    }
    return fault(s->how, c, in, out);
}

static const struct gsp_param params[] = {
    {.name = "how", .type = GSP_WORD, .def = "none", .words = words, .doc = "what it answers"},
    {0}};

static const struct gsp_ops ops = {GSPL_OPS_HEAD, .create = create, .destroy = gspl_destroy_plain};

static const void *extension(const char *id)
{
    static const struct gsp_partitioner table = {.struct_size = (uint32_t)sizeof table,
                                                 .layout = layout};
    return strcmp(id, GSP_PARTITIONER) == 0 ? &table : NULL;
}

static const struct gsp_manifest manifest = {GSPL_MANIFEST_HEAD,
                                             .id = "partition-fault",
                                             .name = "partitioner that faults",
                                             .doc = "faults on purpose, for tests",
                                             .params = params,
                                             .ops = &ops,
                                             .extension = extension};
GSPL_QUERY(manifest)
