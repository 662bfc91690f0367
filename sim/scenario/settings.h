/* settings.h - a scenario as checked settings: what every later room may rely on, all units resolved, all defaults in place.
 *
 * The INI file is parsed by inih over our own line source (ini.c), each key is looked up in one table (keys.c: section, key, type, default,
 * range, help) that also writes help, the reference page and completion, and every problem in the file is reported in one
 * go with file:line. Paths are relative to the file that names them. Module parameters are checked against the module's own table. */
#ifndef GS_SCENARIO_SETTINGS_H
#define GS_SCENARIO_SETTINGS_H

#include "policies/host/host.h"
#include "sim/base/buf.h"
#include "sim/base/err.h"
#include "sim/base/intern.h"
#include "sim/base/vec.h"
#include "sim/hardware/catalog.h"
#include "sim/scenario/plan.h"
#include "sim/training/train.h"
#include "traces/shape.h"
#include "traces/synth/calls.h"
#include "traces/synth/synth.h"
#include "traces/trace.h"

#include <stdint.h>

enum gs_key_type {
    GS_KEY_TEXT,
    GS_KEY_INT,
    GS_KEY_REAL,
    GS_KEY_BOOL,
    GS_KEY_TIME,
    GS_KEY_MEMORY,
    GS_KEY_MONEY,
    GS_KEY_WORD,     /* one of `words` */
    GS_KEY_CLOCK,    /* a wall clock */
    GS_KEY_FILE,     /* relative to the file that names it */
    GS_KEY_DIST,     /* a distribution of dimension `dim` */
    GS_KEY_ARRIVALS, /* an arrival process */
    GS_KEY_ZONE,
    GS_KEY_MEASURE,   /* 7d | FROM..TO | jobs A..B */
    GS_KEY_ESTIMATE,  /* exact, factor 2, limit 4h, ... */
    GS_KEY_PRIORITY,  /* a whole number or the name of a [priority NAME] */
    GS_KEY_MODULE,    /* the id of a policy module or the name of a [policy NAME] */
    GS_KEY_LIST,      /* words, parted by blanks or commas */
    GS_KEY_SHARE,     /* 80% or 0.8 */
    GS_KEY_NORMALISE, /* gpu reference=V100 default=0.5, ... (traces/shape.h) */
    GS_KEY_RESAMPLE,  /* days block=1d */
    GS_KEY_FEEDBACK,  /* session gap=20m */
    GS_KEY_FORMAT,    /* of traces: gs_trace_formats */
    GS_KEY_RATES,     /* 8000/s 40/s: prefill and decode */
    GS_KEY_BANDWIDTH, /* 400Gb/s 50GB/s: bytes a second, as a whole number or a real */
    GS_KEY_POWER,     /* 700W 1.2MW: watts */
    GS_KEY_AMOUNT,    /* 250000USD */
    GS_KEY_TARIFF,    /* 0.12USD/kWh */
    GS_KEY_PLAN,      /* down n[1-16] at 2d for 4h (plan.h) */
    GS_KEY_WHEN,      /* a time from t = 0, or a wall clock */
    GS_KEY_COUNT
};

/* One row of the key table. */
struct gs_listing_form;

struct gs_key {
    const char *section, *key; /* key may end in ".*" (labels.*) */
    enum gs_key_type type;
    const char *def;       /* as written; NULL = none */
    const char *words;     /* "a|b|c" for WORD and LIST */
    const char *min, *max; /* as written, may be NULL */
    const char *doc;       /* one line */
    uint8_t dim;           /* enum gs_dim of a DIST */
    uint8_t put;           /* how and where the value is stored: this room's affair (value.h) */
    uint8_t unsaid; /* it matters whether the key is said: its default is shown as a remark only */
    uint32_t at;
};
const struct gs_key *gs_keys(size_t *n);

enum gs_mig_strategy { /* of the device plugin */
    GS_MIG_NONE_SHOWN,
    GS_MIG_SINGLE,
    GS_MIG_MIXED
};

struct gs_set_nodes {
    const char *name, *where;
    const char *type; /* server catalog row, or NULL */
    int64_t count;
    const char *inventory, *format;                       /* or a file */
    const char *inventory_shown;                          /* as the scenario writes it */
    const char *gpu;                                      /* override; NULL = the type's */
    int64_t gpus, cpus_milli, memory_mib, gpu_memory_mib; /* -1 = the type's */
    const char *place;                                    /* "zone:z1 rack:r2" or NULL */
    GS_VEC(const char *) labels;                          /* "k=v", sorted */
    double price_per_h;                                   /* NaN = unknown */
    const char *sharing;                                  /* as written, or NULL */
    double switch_cost;                                   /* of a time slice */
    int spread; /* of shares over the GPUs of a node, by default: 0 packed, 1 distributed */
    double oversubscribe_gpu, oversubscribe_memory; /* 1.0 */
    const char *mig;                                /* layout, NULL = no MIG */
    int mig_strategy;                               /* enum gs_mig_strategy */
    int64_t mig_create_ns, mig_mode_ns, mig_reset_ns;
    int64_t from_ns, until_ns; /* owned from, until; 0 and GS_NEVER = always */
    int64_t nics;              /* -1 = the type's */
    double power_cap_w;        /* of a GPU, NaN = none */
};

enum {
    GS_SET_TIERS = 8,
    GS_SET_DIMS = 3
};

struct gs_set_network { /* [network] */
    int kind;           /* none, fat-tree, rail, torus, file */
    const char *topology,
        *topology_shown; /* kind = file: the file; and as the scenario writes it */
    const char *format;  /* of it; NULL = told by the file */
    uint32_t radix, leaf_nodes, tiers, planes;
    const char *links_text, *oversubscription_text, *latency_text, *dims_text;
    int64_t links[GS_SET_TIERS];             /* bytes/s by tier, 0 = not said; [0] is a NIC's */
    uint32_t oversubscription[GS_SET_TIERS]; /* thousandths; [0] unused */
    int64_t latency_ns[GS_SET_TIERS];        /* of a link of the tier */
    uint32_t dims[GS_SET_DIMS], ndims;
    int pxn;
    int duty_cycle;
};

enum gs_price_kind { /* gpu.MODEL, price.TYPE, capex.TYPE */
    GS_PRICE_GPU,
    GS_PRICE_NODE,
    GS_PRICE_CAPEX
};

struct gs_set_price {
    enum gs_price_kind kind;
    const char *key, *name, *where; /* key: as written; name: of the type or model */
    double usd;                     /* an hour, or of a node */
};

struct gs_set_cost { /* [cost] */
    int said;
    int market; /* on-demand, spot, reserved */
    int prices_from, idle_to, share_price;
    const char *cloud, *region, *carbon;
    double energy_usd; /* a kWh, 0 = in the price */
    int64_t pue_milli, life_ns;
    double residual;
    GS_VEC(struct gs_set_price) prices;
};

struct gs_set_power { /* [power] */
    int said;
    double host_w; /* NaN = assumed */
    double context_w, idle_share, gamma;
};

struct gs_set_policy { /* one [policy NAME] */
    const char *name, *module, *where;
    GS_VEC(struct gs_setting) set;
};

enum gs_measure_kind {
    GS_MEASURE_ALL,
    GS_MEASURE_LENGTH,
    GS_MEASURE_RANGE,
    GS_MEASURE_JOBS
};

struct gs_sweep_axis {
    const char *key, *where; /* "policy.order" */
    GS_VEC(const char *) values;
};

struct gs_set_data {             /* what jobs need besides devices; of a [trace] or [workload] */
    const char *sensitivity;     /* LEVEL:FACTOR ... */
    const char *image, *startup; /* layers "cuda:9GiB + 500MiB"; distribution of time */
    const char *checkpoint;      /* "30m", "young", "daly", "none" */
    int64_t checkpoint_mib, checkpoint_ns;
    int checkpoint_async;
    int64_t weights_mib, input, preprocess_milli;
    double input_cache;
    double gpu_utilization;      /* of a job that is alone on its GPU */
    const char *program;         /* of the measured pairs */
    const char *gpu_memory_used; /* distribution of memory, or NULL */
    int64_t gpu_memory_after_ns;
    int isolation; /* enum gs_isolation */
};

struct gs_set_failures { /* [failures]; texts are distributions of time, NULL = none */
    const char *node, *node_repair, *gpu, *gpu_repair, *group, *group_repair, *level, *restart;
    const char *link, *link_repair, *leaf_switch, *switch_repair;
    const char *preset, *log, *log_shown;
    int64_t gpu_hours_ns, retries, spares, spare_delay_ns;
    int said; /* there is such a section */
};

struct gs_set_trace {
    const char *name, *where, *estimate, *duration; /* specs or NULL */
    struct gs_trace_options o;
    struct gs_shape_options shape;
    GS_VEC(const char *) columns; /* what o.columns points at */
    double comm;                  /* share of the run time */
    struct gs_set_data d;
};

struct gs_set_train {            /* a training run; of a [workload] */
    const char *model;           /* row of models.csv; NULL = the jobs are given by duration */
    const char *parallel, *work; /* as written; NULL = not said */
    uint32_t batch, sequence, microbatch, zero, interleave;
    int precision, recompute; /* enum gs_precision, enum gs_recompute */
    double efficiency;        /* 0 = the default */
    struct gs_train_degrees degrees;
    double steps, tokens; /* how much work; the other is 0 */
};

struct gs_set_workload {
    const char *name, *where;
    struct gs_synth s;
    struct gs_set_train t;
    struct gs_set_data d;
};

struct gs_set_calls { /* [service NAME], [agents NAME] */
    const char *name, *where;
    struct gs_synth_calls s;
};

struct gs_set_queue {
    const char *name, *parent, *where;
    double quota, limit, quota_cpus, limit_cpus, weight; /* GPUs / CPUs, -1 = none */
    int32_t priority;
    int isolation; /* enum gs_isolation */
};

struct gs_set_priority {
    const char *name, *where;
    int32_t value;
};

struct gs_settings {
    struct gs_arena text;          /* every string below lives here */
    const char *path, *dir, *stem; /* of the scenario file; "-" = standard input */
    const char *name, *description, *zone;
    uint64_t seed;
    int64_t start_unix_ns; /* GS_NEVER = not said */
    struct gs_zone
        clock_zone; /* of `zone`; without a name: not said, so wall clocks must bring theirs */
    int32_t zone_offset_s; /* its offset at `start`: the run's clock does not change on the way */
    int64_t horizon_ns, warmup_ns; /* GS_NEVER = none */
    enum gs_measure_kind measure;
    int64_t measure_from, measure_to; /* ns, or job numbers */
    int64_t replications;
    int compat_pyss;
    int interference; /* 0 = as the sharing mode has it, else enum gs_interference + 1 */
    const char *catalog, *catalog_shown; /* the user's own, or NULL; as the scenario writes it */
    const char *levels;                  /* [network] levels = "zone block leaf" or NULL */
    struct gs_set_network network;
    struct gs_set_failures failures;
    GS_VEC(struct gs_set_plan) plans; /* [calendar] */
    const char *calendar_file;        /* more of them, or NULL */
    const char *state_from;           /* [state] from = FILE@TIME, as written, or NULL */
    int64_t storage_rate[3], storage_node_rate,
        image_cache_mib; /* [storage]; bytes/s, 0 = not said */
    struct gs_set_cost cost;
    struct gs_set_power power;
    GS_VEC(struct gs_set_nodes) nodes;
    GS_VEC(struct gs_set_queue) queues;
    GS_VEC(struct gs_set_priority) priorities;
    GS_VEC(struct gs_set_trace) traces;
    GS_VEC(struct gs_set_workload) workloads;
    GS_VEC(struct gs_set_calls) calls; /* for `gsim trace generate` only: running them is refused */
    /* [policy] */
    const char *scheduler, *role[GS_ROLE_COUNT]; /* section or module words; NULL = default */
    int64_t cycle_interval_ns;                   /* 0 = after each instant with a change */
    int faults_fallback;                         /* always 0 in this version */
    uint64_t work_budget;
    int queueing; /* default yes; no = loss system */
    int ignore_calendar;
    GS_VEC(struct gs_set_policy)
    policies; /* without presets: a [policy NAME] with module = composite only names parts, and is resolved into role[] */
    /* [output] */
    const char *out_file;
    int64_t series_ns;
    int series_said; /* by the scenario; else the default, which may give way */
    int per_link;
    int compress, waits; /* waits: 0 auto 1 yes 2 no */
    int events;          /* 0 none 1 decisions 2 all */
    const char *group;   /* "queue, kind, size" */
    GS_VEC(struct gs_sweep_axis) sweep;
    GS_VEC(const char *) expect; /* whole lines, checked for a known metric only in this version */
    /* as given: every key in effect with its origin, "section.key = value  # file:line | default | --set" */
    struct gs_buf effective;
    struct gs_buf
        problems; /* after a failed load: every problem, with its line shown; err->msg holds what fits */
};

/* Overrides from the command line or a sweep point: "kind.key=value" or "kind.name.key=value". */
struct gs_override {
    const char *key, *value, *where; /* where: "--set", "[sweep]" */
};

/* Reads, checks, resolves. policy_path is where modules are looked for, so their parameters are checked too. On failure err->msg holds all
 * problems, one a line. *s must be released in any case. */
GS_NODISCARD enum gs_rc gs_settings_load(struct gs_settings *s, const char *path,
                                         const struct gs_override *over, size_t nover,
                                         const char *policy_path, struct gs_err *err);

/* The same from text in memory (created_from of a results file, a fuzzer); src->path is what messages call it and where its folder is. */
struct gs_settings_text {
    const char *path, *text;
    size_t n;
};
GS_NODISCARD enum gs_rc gs_settings_load_text(struct gs_settings *s,
                                              const struct gs_settings_text *src,
                                              const struct gs_override *over, size_t nover,
                                              const char *policy_path, struct gs_err *err);
/* A scenario of which only the jobs and calls matter, for `gsim trace generate`: needs no nodes, looks at no modules. */
GS_NODISCARD enum gs_rc gs_settings_load_jobs(struct gs_settings *s, const char *path,
                                              const struct gs_override *over, size_t nover,
                                              struct gs_err *err);
void gs_settings_release(struct gs_settings *s);
/* Points of the [sweep] in order (product, first axis slowest): fills overrides for point i; returns the number of points (1 without sweep). */
size_t gs_sweep_points(const struct gs_settings *s);
size_t gs_sweep_point(const struct gs_settings *s, size_t i, struct gs_override *out, size_t max,
                      struct gs_buf *label);

/* Text for `gsim help KEY`; 0 if unknown (then *near, if any, is the nearest key). */
int gs_key_help(const char *key, struct gs_buf *out, const char **near);
void gs_key_reference(struct gs_buf *out); /* all keys, as a table */

extern const struct gs_listing_form gs_plans_form; /* of [calendar] file */

#endif
