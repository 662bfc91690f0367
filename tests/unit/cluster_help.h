/* cluster_help.h - what the suites of the cluster share: small clusters, one-line takes, and copies
 * to compare byte for byte. */
#ifndef GS_TESTS_CLUSTER_HELP_H
#define GS_TESTS_CLUSTER_HELP_H

#include "sim/base/mem.h"
#include "sim/cluster/cluster.h"
#include "tests/unit/harness.h"

/* A cluster with its strings. */
struct rig {
    struct gs_intern str;
    struct gs_cluster c;
};

GS_TEST_HELPER struct gs_node_spec spec(const char *name, uint32_t gpus)
{
    return (struct gs_node_spec){.name = name,
                                 .type = "box",
                                 .model = gpus ? "A100" : "",
                                 .gpus = gpus,
                                 .cpus_milli = 64000,
                                 .mem_mib = 512 * 1024,
                                 .gpu_mem_mib = gpus ? 40960 : 0,
                                 .gpu_cap_milli = 1000,
                                 .price_per_h = 1.5};
}

GS_TEST_HELPER uint32_t add(struct rig *r, struct gs_node_spec s)
{
    struct gs_err err;
    uint32_t id = GS_NONE;
    if (gs_cluster_add_node(&r->c, &s, &id, &err) != GS_OK) {
        printf("%s\n", err.msg);
        exit(1);
    }
    return id;
}

/* n nodes of `gpus` devices: 64 CPUs, 512 GiB, 40 GiB a device. */
GS_TEST_HELPER void rig_up(struct rig *r, uint32_t n, uint32_t gpus)
{
    gs_intern_init(&r->str);
    gs_cluster_init(&r->c, &r->str);
    for (uint32_t i = 0; i < n; i++) {
        char name[16];
        (void)snprintf(name, sizeof name, "n%" PRIu32, i);
        (void)add(r, spec(name, gpus));
    }
}

GS_TEST_HELPER void rig_down(struct rig *r)
{
    gs_cluster_release(&r->c);
    gs_intern_release(&r->str);
}

GS_TEST_HELPER struct gs_take whole(uint32_t gpu)
{
    return (struct gs_take){
        .gpu = gpu, .partition = GS_NONE, .milli = 1000, .mem_mib = 0, .whole = 1};
}

GS_TEST_HELPER struct gs_take share(uint32_t gpu, uint32_t milli, uint32_t mem)
{
    return (struct gs_take){.gpu = gpu, .partition = GS_NONE, .milli = milli, .mem_mib = mem};
}

GS_TEST_HELPER struct gs_take slice(uint32_t gpu, uint32_t part, uint32_t milli, uint32_t mem)
{
    return (struct gs_take){
        .gpu = gpu, .partition = part, .milli = milli, .mem_mib = mem, .whole = 1};
}

/* An instance as it is asked for: compute sevenths, 4864 MiB a slice. */
GS_TEST_HELPER struct gs_partition want(uint32_t gpu, uint8_t start, uint8_t size, uint8_t compute)
{
    return (struct gs_partition){.gpu = gpu,
                                 .slice_start = start,
                                 .slice_size = size,
                                 .compute_slices = compute,
                                 .sms = (uint16_t)(14 * compute),
                                 .profile = 3,
                                 .cap_milli = 1000u * compute / 7,
                                 .cap_mem_mib = 4864u * size};
}

#define AUDIT(r)                                                                        \
    do {                                                                                \
        struct gs_err audit_err = {0};                                                  \
        gs_test_report(gs_ledger_audit(&(r)->c, &audit_err),                            \
                       audit_err.msg[0] ? audit_err.msg : "audit", __FILE__, __LINE__); \
    } while (0)

/* All that the ledger may change, but the epochs, the dirty list and the undo log, as bytes. */
struct copy {
    unsigned char *bytes;
    size_t n, cap;
};

GS_TEST_HELPER void copy_add(struct copy *k, const void *p, size_t n)
{
    if (k->n + n > k->cap) {
        k->cap = 2 * (k->n + n);
        k->bytes = gs_resize(k->bytes, k->cap, 1);
    }
    if (n)
        memcpy(k->bytes + k->n, p, n);
    k->n += n;
}

GS_TEST_HELPER struct copy copy_of(const struct gs_cluster *c)
{
    struct copy k = {0};
    const size_t n = c->nnodes;
    const size_t g = c->ngpus;
#define NODES(f) copy_add(&k, c->f, n * sizeof *c->f)
#define GPUS(f)  copy_add(&k, c->f, g * sizeof *c->f)
#define ONE(f)   copy_add(&k, &c->f, sizeof c->f)
    NODES(free_cpus_milli);
    NODES(free_mem_mib);
    NODES(free_gpus);
    NODES(free_share);
    NODES(task_kinds);
    NODES(node_tasks);
    NODES(node_mig);
    NODES(node_up);
    NODES(use);
    copy_add(&k, c->kind_count, n * GS_TASK_KINDS * sizeof *c->kind_count);
    GPUS(gpu_free_milli);
    GPUS(gpu_free_mem_mib);
    GPUS(gpu_part);
    GPUS(gpu_claims);
    GPUS(gpu_shares);
    GPUS(gpu_mode);
    ONE(nparts);
    ONE(part_free);
    ONE(nclaims);
    ONE(claim_free);
    copy_add(&k, c->part, c->nparts * sizeof *c->part);
    copy_add(&k, c->claim, c->nclaims * sizeof *c->claim);
    ONE(total_gpus);
    ONE(idle_gpus);
    ONE(held_milli);
    ONE(free_milli_total);
    ONE(total_cpus_milli);
    ONE(held_cpus_milli);
#undef NODES
#undef GPUS
#undef ONE
    return k;
}

GS_TEST_HELPER bool copy_matches(const struct copy *k, const struct gs_cluster *c)
{
    struct copy now = copy_of(c);
    const bool same = now.n == k->n && memcmp(now.bytes, k->bytes, k->n) == 0;
    gs_free(now.bytes);
    return same;
}

#endif
