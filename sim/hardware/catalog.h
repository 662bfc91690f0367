/* catalog.h - the facts that gsim knows of hardware, models and prices: CSV tables compiled in, which a
 * user's file may override or add to.
 *
 * Every row keeps its source, its confidence letter (A read in a primary source .. C recalled, ? not
 * graded) and the word UNVERIFIED where it stood in the fact file; listings show them, and a run that
 * uses such a row says so. Unknown figures are NaN / -1, never 0 (but the uint32_t counts, which are 0
 * when unknown). A server row may lack CPUs or memory: listing it is fine, a node made from it must be
 * given them.
 *
 * Assumptions: memory in GB in the sources is GiB; the NVLink rate is the sum of all links and both
 * directions; CPUs are cores or vCPUs as sold; TFLOP/s are dense; nic_gbps is one NIC's.
 *
 * A table starts with a header row whose first field names it (`gpu`, `server`, `mig`, ...: the first
 * column of gsim catalog TABLE); further columns may stand in any order. In a user's file columns may be left
 * out. A row that agrees in the table's key columns with an older one replaces it and keeps what it
 * does not give (an empty field does give: "not known"); prices and mfu have no key: rows are added.
 * Rows whose first field starts with # are comments.
 *
 * To add a table: X.csv here, a record below, a line in GS_CATALOG_TABLES, its fields in tables.c. */
#ifndef GS_HARDWARE_CATALOG_H
#define GS_HARDWARE_CATALOG_H

#include "sim/base/err.h"
#include "sim/base/mem.h"

#include <stddef.h>
#include <stdint.h>

/* What every record ends in. */
#define GS_CATALOG_ROW                       \
    const char *source;                      \
    char confidence;    /* A, B, C or '?' */ \
    int32_t unverified; /* 1: UNVERIFIED */  \
    int32_t given       /* 1: a user's row */

struct gs_gpu_model {
    const char *name, *vendor, *arch, *form_factor, *memory_type, *compute_capability;
    const char *nvlink_gen; /* "3", "IF" (Infinity Fabric), "" */
    const char *mig;        /* its geometry in the table mig, "" = none */
    int64_t memory_mib;
    double mem_bw_gbs, tdp_w, idle_w;
    double fp32_tflops, bf16_tflops, fp16_tflops, fp8_tflops, fp4_tflops, int8_tops;
    double measured_bf16_tflops;                 /* by a benchmark of matrix products */
    double nvlink_gbs, nvlink_uni_gbs, pcie_gbs; /* both directions; one; one */
    int32_t nvlink_links, pcie_gen, pcie_lanes;
    int32_t mig_slices_mem, mig_max_instances, sm_count; /* 0 = no MIG */
    GS_CATALOG_ROW;
};

struct gs_server_model {
    const char *name;    /* canonical id: lower case, e.g. "dgx-h100", "p5.48xlarge" */
    const char *aliases; /* "|"-separated further spellings, may be "" */
    const char *title;   /* as the fact file writes it */
    const char *gpu;     /* a gpu model name, the first where several are possible; "" = none */
    const char *gpu_alternatives; /* "|"-separated, may be "" */
    uint32_t gpus, numa_nodes, nics, nvlink_domain;
    int64_t cpus_milli, memory_mib;
    double nic_gbps, nic_total_gbps;
    int32_t sockets;
    int32_t nic_group_gpus, nic_group_nics; /* so many GPUs are nearest to so many NICs */
    const char *nic_at;      /* what such a group shares: switch, root, socket, numa0, numa1, "" */
    const char *nic_type;    /* as "IB NDR", "EFA v2" */
    const char *gpu_numa;    /* "|"-separated GPU ranges of each NUMA node: "0-3|4-7"; "" */
    const char *nvlink;      /* none, pairs, cube-mesh, hybrid-cube-mesh, nvswitch */
    const char *link_matrix; /* of the table links, "" */
    const char *pcie;        /* generation of the host links: 3, 4, 5, C2C (NVLink to the CPU) */
    const char *cpu_model;
    GS_CATALOG_ROW;
};

struct gs_mig_profile {
    const char *gpu;     /* the geometry: what gs_gpu_model.mig names */
    const char *profile; /* "3g.40gb" */
    const char *variant; /* media extension: +me, +me.all, -me, +gfx, "" */
    int32_t gi_id;       /* the driver's number */
    int32_t compute_slices, memory_slices, memory_slices_total;
    int32_t max_instances;
    int32_t sms;        /* -1 = not known */
    uint32_t starts;    /* bit i: an instance may occupy slices i .. i + memory_slices - 1 */
    int64_t memory_mib; /* -1 = not known */
    int32_t nvdec, nvenc, nvjpg, ofa, copy_engines;
    int32_t p2p; /* 0 = no peer access */
    GS_CATALOG_ROW;
};

struct gs_llm {
    const char *name, *attention;
    int32_t layers, hidden, q_heads, kv_heads, head_dim, ffn, vocab;
    int32_t experts, experts_per_token, shared_experts, moe_ffn; /* 0 = dense */
    int64_t params, active_params;                               /* -1 = not known */
    int64_t kv_bytes_per_token;                                  /* BF16, all layers */
    const char *mlp;                   /* gated (three matrices), plain (two) */
    const char *tied;                  /* yes: one embedding at both ends */
    const char *positions;             /* learned: an embedding of each position */
    int32_t dense_layers;              /* of a mixture: the first so many have no experts */
    int32_t window, window_layers;     /* so many layers look back at most so far */
    int32_t mtp_layers;                /* that predict a further token */
    int32_t q_lora, kv_lora, rope_dim; /* of latent attention; 0 = none */
    GS_CATALOG_ROW;
};

/* Of a whole instance. Money is nano-USD per hour, exact; -1 = not offered or not known. */
struct gs_price {
    const char *cloud, *region; /* region "" = the list price */
    const char *instance, *accelerator;
    int32_t count;                  /* accelerators */
    const char *vcpus, *memory_gib; /* may be ranges */
    int64_t on_demand, spot;
    const char *as_of;
    GS_CATALOG_ROW;
};

struct gs_carbon {
    const char *cloud, *region, *country, *city;
    double g_per_kwh, offset_pct;
    GS_CATALOG_ROW;
};

struct gs_gpu_link {
    const char *matrix; /* what gs_server_model.link_matrix names */
    int32_t a, b, nvlinks;
    const char *pcie; /* same-pcie-switch, same-host-bridge, cross-cpu */
    GS_CATALOG_ROW;
};

/* A measured point; bytes -1 or busbw NaN where the source gives no single number (see note). */
struct gs_busbw {
    const char *machine, *fabric, *collective, *algorithm, *note;
    int32_t ranks, nodes;
    int64_t bytes;
    double busbw_gbs;
    GS_CATALOG_ROW;
};

/* All-reduce: two parameters, alpha + bytes / bandwidth; three, with a size s0. */
struct gs_busbw_fit {
    const char *system;
    int32_t ranks, points;
    int64_t min_bytes, max_bytes, s0_bytes_3p;
    double alpha_us_2p, busbw_gbs_2p, rms_log_2p, max_rel_2p;
    double alpha_us_3p, busbw_gbs_3p, rms_log_3p, max_rel_3p;
    GS_CATALOG_ROW;
};

struct gs_failure_fact {
    const char *cluster, *item, *scope, *unit, *note;
    double value; /* NaN: not one number, the unit says all */
    GS_CATALOG_ROW;
};

/* A machine that busbw names. */
struct gs_machine {
    const char *name, *gpu, *sharp; /* sharp: yes = switches between domains reduce */
    int32_t domain;                 /* GPUs that NVLink joins */
    double nic_gbs;                 /* of one GPU, one direction */
    GS_CATALOG_ROW;
};

struct gs_training_run {
    const char *run, *model, *gpu, *precision, *note;
    int64_t params;
    int32_t gpus, tp, pp, cp, dp, ep, seq_len, batch; /* batch in sequences */
    double tokens_per_s, tflops, mfu_pct, hfu_pct;    /* per GPU; of the dense peak */
    int32_t year;
    const char *lm;       /* row of models, "" = shape not known */
    const char *counting; /* of its FLOP: 6n, full, causal (training/lm.h) */
    int32_t zero;         /* how far training state is sharded */
    GS_CATALOG_ROW;
};

/* Two programs on one GPU: speed as a part of that alone; 0 = they do not fit. */
struct gs_program_pair {
    const char *gpu, *a, *b; /* gpu: "v100" stands for all whose name begins so */
    double norm_a, norm_b;
    GS_CATALOG_ROW;
};

/* X(CODE, name, record): the file is name.csv, the vector c->name of c->n##name records. */
#define GS_CATALOG_TABLES(X)               \
    X(GPUS, gpus, gs_gpu_model)            \
    X(SERVERS, servers, gs_server_model)   \
    X(MIG, mig, gs_mig_profile)            \
    X(MODELS, models, gs_llm)              \
    X(PRICES, prices, gs_price)            \
    X(CARBON, carbon, gs_carbon)           \
    X(LINKS, links, gs_gpu_link)           \
    X(BUSBW, busbw, gs_busbw)              \
    X(FITS, fits, gs_busbw_fit)            \
    X(FAILURES, failures, gs_failure_fact) \
    X(MFU, mfu, gs_training_run)           \
    X(SYSTEMS, systems, gs_machine)        \
    X(PAIRS, pairs, gs_program_pair)

enum gs_catalog_table {
#define X(code, name, record) GS_CATALOG_##code,
    GS_CATALOG_TABLES(X)
#undef X
    GS_CATALOG_COUNT
};

struct gs_catalog {
#define X(code, name, record) \
    struct record *name;      \
    size_t n##name;
    GS_CATALOG_TABLES(X)
#undef X
    uint32_t loaded; /* bit t: table t is there */
    struct gs_arena text;
};

/* Reads the tables gpus and servers; then, if override_path is not NULL, that file (with the built-in
 * rows of every table that it names). Nothing stays loaded on error. */
GS_NODISCARD enum gs_rc gs_catalog_load(struct gs_catalog *c, const char *override_path,
                                        struct gs_err *err);
/* Makes sure that a table is there: the built-in rows are read at the first call. Cannot fail. A zeroed
 * catalog is valid here. Records of that table may move; the others stay. */
void gs_catalog_need(struct gs_catalog *c, enum gs_catalog_table t);
void gs_catalog_release(struct gs_catalog *c);
size_t gs_catalog_given(const struct gs_catalog *c); /* rows that a user's file gave or changed */

/* By name or alias, without regard to case; NULL if absent (then gs_catalog_nearest_* helps the
 * message). The model finder needs GS_CATALOG_MODELS, the others what gs_catalog_load reads. */
const struct gs_gpu_model *gs_catalog_gpu(const struct gs_catalog *c, const char *name);
const struct gs_server_model *gs_catalog_server(const struct gs_catalog *c, const char *name);
const struct gs_llm *gs_catalog_model(const struct gs_catalog *c, const char *name);
const char *gs_catalog_nearest_gpu(const struct gs_catalog *c, const char *name);
const char *gs_catalog_nearest_server(const struct gs_catalog *c, const char *name);
const char *gs_catalog_nearest_model(const struct gs_catalog *c, const char *name);

#endif
