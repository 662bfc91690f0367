/* catalog.h - what is known of GPUs and servers: CSV tables compiled in, a user's file may override
 * or add rows.
 *
 * Every row keeps its source, its confidence letter (A read in a primary source .. C recalled) and
 * the word UNVERIFIED where it stood in the fact file; listings show them, and a run that uses such
 * a row says so. Unknown figures are NaN / -1, never 0 (but counts of NUMA nodes, NICs and NVLink
 * domain, which are 0 when unknown). A server row may lack CPUs or memory: listing it is fine, a
 * node made from it must be given them.
 *
 * Assumptions: memory in GB in the sources is GiB; the NVLink rate is the sum of all links and both
 * directions; CPUs are cores or vCPUs as sold; TFLOP/s are dense; nic_gbps is one NIC's.
 *
 * A table starts with a header row whose first field is `gpu` or `server`; columns may stand in any
 * order. In a user's file columns may be left out: a row that replaces one of the same name keeps
 * what it does not give (an empty field does give: "not known"). Rows whose first field starts with
 * # are comments. */
#ifndef GS_HARDWARE_CATALOG_H
#define GS_HARDWARE_CATALOG_H

#include "sim/base/err.h"
#include "sim/base/mem.h"

#include <stddef.h>
#include <stdint.h>

struct gs_gpu_model {
    const char *name, *vendor, *arch, *form_factor, *source;
    int64_t memory_mib;
    double mem_bw_gbs, bf16_tflops, tdp_w, idle_w, nvlink_gbs; /* NaN = not known */
    int32_t mig_slices_mem, mig_max_instances, sm_count;       /* -1 = not known, 0 = no MIG */
    char confidence;                                           /* A, B, C or '?' */
    int32_t unverified;
};

struct gs_server_model {
    const char *name;    /* canonical id: lower case, e.g. "dgx-h100", "p5.48xlarge" */
    const char *aliases; /* "|"-separated further spellings, may be "" */
    const char *title;   /* as the fact file writes it */
    const char *gpu;     /* a gpu model name, the first where several are possible; "" = none */
    const char *gpu_alternatives; /* "|"-separated, may be "" */
    uint32_t gpus, numa_nodes, nics, nvlink_domain;
    int64_t cpus_milli, memory_mib;
    double nic_gbps;
    const char *source;
    char confidence;
    int32_t unverified;
};

struct gs_catalog {
    struct gs_gpu_model *gpus;
    size_t ngpus;
    struct gs_server_model *servers;
    size_t nservers;
    struct gs_arena text;
};

/* Compiled-in tables; then, if override_path is not NULL, rows of that CSV (same header) replace or
 * add by name. */
GS_NODISCARD enum gs_rc gs_catalog_load(struct gs_catalog *c, const char *override_path,
                                        struct gs_err *err);
void gs_catalog_release(struct gs_catalog *c);
/* By name or alias, without regard to case; NULL if absent (then gs_catalog_nearest_* helps the
 * message). */
const struct gs_gpu_model *gs_catalog_gpu(const struct gs_catalog *c, const char *name);
const struct gs_server_model *gs_catalog_server(const struct gs_catalog *c, const char *name);
const char *gs_catalog_nearest_gpu(const struct gs_catalog *c, const char *name);
const char *gs_catalog_nearest_server(const struct gs_catalog *c, const char *name);

#endif
