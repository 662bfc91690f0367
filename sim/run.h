/* run.h - one simulation: everything that changes hangs off struct gs_run.
 *
 * world.c    settings -> cluster, queues, workload      prepare.c  what stands between a filled world and its first event
 * run.c      the loop, passes and samples                      life.c     what happens to a job
 * effects/   what slows or stops a running job
 * outfile.c  the results file                                  points.c  sweep points and replications, in worker processes
 *
 * Order of use: gs_run_init; fill `cluster` and `w` (gs_world_build does it from a scenario; reproductions do it by hand); gs_run_prepare; roles by
 * gs_run_role; gs_run_go; read outcomes or gs_run_write; gs_run_release in any case. Invariant: the ledger alone says
 * who holds what; a job record is in exactly one of new, waiting, running, ended, rejected.
 *
 * A job that the trace says was tried several times runs each recorded attempt for its recorded time: at the end of all but the last it
 * gives its devices back and waits again. A job that waits for another (`after`) arrives its think time after that one's end,
 * whichever end it is. */
#ifndef GS_RUN_H
#define GS_RUN_H

#include "policies/host/host.h"
#include "sim/base/log.h"
#include "sim/effects/data.h"
#include "sim/effects/network.h"
#include "sim/effects/sharing.h"
#include "sim/engine/engine.h"
#include "sim/metrics/metrics.h"
#include "sim/network/topology.h"
#include "sim/scenario/settings.h"

#include <stdint.h>

enum gs_event_kind {
    GS_EV_JOB_END = 1, /* subject job, object attempt */
    GS_EV_ARRIVAL,     /* subject job */
    GS_EV_RELEASE,     /* a held job may go; subject job */
    GS_EV_TIMER,       /* subject instance, object timer row */
    GS_EV_PASS,
    GS_EV_SAMPLE,
    GS_EV_END,
    GS_EV_FAILURE,  /* subject what, object which (failures.c) */
    GS_EV_CALENDAR, /* subject entry, object phase (calendar.c) */
    GS_EV_HISTORY,  /* the time of an act of the warm start, or its end */
    GS_EV_PACE,     /* paces of jobs that were touched at this instant */
    GS_EV_TRANSFER, /* subject group of the shared links: its last byte is there */
    GS_EV_MIG,      /* a change of MIG is done: subject instance, or device with object 1 */
    GS_EV_EFFECT    /* subject job, object effect, code and attempt (effects/pace.c) */
};

enum gs_decision {
    GS_DECIDE_START = 0x100,
    GS_DECIDE_EVICT,
    GS_DECIDE_REJECT,
    GS_DECIDE_RESERVE,
    GS_DECIDE_HOLD,
    GS_DECIDE_FAIL /* object 1: stopped as planned */
};

struct gs_file_read { /* one file read: a row of /inputs */
    const char *path;
    int beside; /* looked up by the reader of the row before, not a trace of its own */
    struct gs_trace_counts n;
    struct gs_shape_report shaped; /* all 0 where nothing was done to its jobs */
};

struct gs_attempt {
    uint32_t job, number, node;
    int64_t start_ns, end_ns; /* end -1 = open */
    double lost_gpu_s;
    uint8_t outcome; /* enum gs_attempt_end */
};

struct gs_reservation {
    uint32_t job;
    uint8_t fate; /* 0 kept 1 moved 2 dropped */
    int64_t made_ns, at_ns;
};

struct gs_node_section { /* nodes that one [nodes] section made: they stand together */
    const char *name;
    uint32_t first, count;
};

struct gs_outage { /* a row of /outages (outage.h) */
    uint8_t kind, planned;
    uint32_t node, gpu, link; /* GS_NONE where it is not of that */
    int64_t start_ns, end_ns; /* end -1 = open */
    uint32_t cause;           /* string id */
};

struct gs_stop {    /* a row of /stops: attempts that were stopped for one cause */
    uint32_t cause; /* string id */
    uint8_t planned;
    uint64_t attempts;
    double lost_gpu_s;
};

struct gs_run {
    struct gs_log *log;
    uint64_t seed, tie_seed;
    enum gs_bad_rows bad_rows;
    int compat;   /* submissions before terminations, passes not coalesced */
    int queueing; /* 0 = loss system */
    int ignore_calendar;
    int64_t horizon_ns, cycle_interval_ns, series_ns;
    int series_adapts; /* series_ns is a default: a run that is too long for it gets a longer one */
    enum gs_measure_kind measure;
    int64_t measure_from, measure_to, warmup_ns;
    int64_t origin_ns; /* local wall clock of t = 0, 0 = not known */
    struct gs_intern str;
    struct gs_arena text;
    struct gs_catalog catalog;
    struct gs_cluster cluster;
    struct gs_workload w;
    struct gs_training
        *training; /* runs of jobs that are given by a model (training_jobs.h); NULL = none */
    struct gs_live live;
    struct gs_queue_state queues;
    const struct gs_workload
        *typical_source; /* NULL = w: the input whose frequent requests are the typical tasks */
    gs_typical_vec typical;
    struct gsp_typical typical_view;
    struct gs_attr_table attrs;   /* in `text` */
    struct gs_topology *topology; /* NULL = [network] kind none: distance costs nothing */
    struct gs_engine eng;
    struct gs_host *host;
    struct gs_metrics *m;
    struct gs_mig_state *mig;         /* mig.c, NULL = nobody speaks of MIG */
    GS_VEC(struct gs_outage) outages; /* outage.h */
    struct gs_outage_state *outage_state;
    GS_VEC(struct gs_stop) stops;
    uint64_t background, background_alone; /* pending events that go on by themselves */
    struct gs_calendar *calendar;          /* calendar.h; NULL = nothing is planned */
    GS_VEC(struct gs_node_section) node_sections;
    struct gs_failures *failures; /* failures.h */
    uint64_t unverified_failures; /* rates that were recalled and not read */
    int64_t retries;              /* failures that a job survives; -1 = any number */
    struct gs_checkpoint_state *checkpoint;
    struct gs_history *history; /* warm start, NULL = from nothing */
    /* What slows or stops jobs (effects/), NULL where the scenario does not use it. */
    struct gs_links_state *links;
    struct gs_storage_state *storage;
    struct gs_startup_state *startup;
    struct gs_input_state *input;
    struct gs_network_state *network;
    struct gs_sharing_state *sharing;
    GS_VEC(struct gs_sharing) sharing_of; /* by [nodes] section */
    int interference;                     /* enum gs_interference; -1 = as the mode has it */
    int duty_cycle;                       /* jobs ask links for no more than they use alone */
    GS_VEC(struct gs_sensitivity) sensitivities; /* to distance; rows of gs_job.sensitivity */
    struct gs_power_state *power; /* effects/power.h; NULL = no [cost], [power] nor cap */
    GS_VEC(struct gs_data_spec) data;
    GS_VEC(struct gs_layer) layers;
    int64_t storage_rate[3], storage_node_rate; /* bytes/s by enum gs_site, 0 = infinitely fast */
    int64_t image_cache_mib;                    /* of a node */
    struct gs_pace_state
        *pace; /* effects/pace.c; NULL = every job runs at the pace of its reference */
    struct gs_frag_meter *frag;
    struct gs_window window;
    GS_VEC(struct gs_file_read) inputs;
    GS_VEC(struct gs_module *) modules;
    uint32_t role[GS_ROLE_COUNT]; /* instance bound to each role, GS_NONE */
    const char *role_text[GS_ROLE_COUNT];
    GS_VEC(uint64_t) model_masks; /* by string id of a constraint; UINT64_MAX-1 = not asked yet */
    uint32_t *slot_of;            /* [jobs] live slot or GS_NONE */
    uint32_t *part; /* [jobs] recorded attempt that it is in; NULL = no job has several */
    uint32_t *waiter,
        *next_waiter; /* [jobs] first job that waits for its end, next one that waits for
                                       the same; GS_NONE ends; NULL = no job waits for another */
    uint32_t *node_seen, node_stamp; /* [nodes] scratch: counted in this stamp */
    uint32_t next_arrival;
    int has_estimates; /* every job has one; set by gs_prepare_jobs */
    uint64_t counted_left, jobs_done, oracle, unverified_nodes;
    int64_t end_ns, next_cycle_ns;
    uint32_t ahead;  /* job whose rows were last fetched ahead of its end */
    int measure_due; /* capacity changed, and the pass of this instant will look at it */
    GS_VEC(struct gs_held) held;
    GS_VEC(uint64_t) timer_tags;
    struct gs_h5 *out; /* while writing; NULL = no file */
    struct gs_h5_table *alloc, *attempts, *waits, *evlog, *link_series;
    int events_wanted; /* 0 none 1 decisions 2 all */
    int want_waits;    /* a row a stretch of waiting; decided before gs_run_prepare */
    GS_VEC(struct gs_reservation) reservations;
    uint32_t
        *reservation_of; /* [jobs] its open row + 1, 0 = none; made with the first reservation */
    uint32_t memory_oversubscription_milli; /* 0 = none */
    enum gs_rc io_rc;                       /* first failure of a growing table */
    struct gs_err io_err;
    int interrupted; /* 130, 143 */
    enum gs_verdict verdict;
    /* tells an observer after each pass, for reproductions */
    void (*observe)(void *ctx, struct gs_run *run);
    void *observe_ctx;
    int64_t wall_ns;
    uint64_t visited_hash; /* debug: of the last visit of all state */
};

void gs_run_init(struct gs_run *r, struct gs_log *log);
void gs_run_release(struct gs_run *r);
/* Cluster, queues, traces and synthetic jobs of a scenario. */
GS_NODISCARD enum gs_rc gs_world_build(struct gs_run *r, const struct gs_settings *s,
                                       struct gs_err *err);
/* world_network.c: joins the nodes as [network] says and names the groups of its levels. first: the node with
 * which each [nodes] section begins, and one more entry for the end. */
GS_NODISCARD enum gs_rc gs_world_network(struct gs_run *r, const struct gs_settings *s,
                                         const uint32_t *first, struct gs_err *err);
/* One line for people: "rail, 2 tiers of switches: ..."; nothing without a network. */
void gs_world_network_text(const struct gs_run *r, struct gs_buf *b);
/* world_cost.c: what nodes cost and draw. */
GS_NODISCARD enum gs_rc gs_world_cost(struct gs_run *r, const struct gs_settings *s,
                                      const uint32_t *first, struct gs_err *err);
/* Roles as [policy] says. */
GS_NODISCARD enum gs_rc gs_world_policies(struct gs_run *r, const struct gs_settings *s,
                                          const char *policy_path, struct gs_err *err);
/* After cluster and workload are filled: seals, typical tasks, window, metrics, host. */
GS_NODISCARD enum gs_rc gs_run_prepare(struct gs_run *r, struct gs_err *err);
/* prepare.c, the two steps of it: seals the jobs, window, queues, typical tasks; then, with metrics made, what is counted. */
GS_NODISCARD enum gs_rc gs_prepare_world(struct gs_run *r, struct gs_err *err);
void gs_prepare_jobs(struct gs_run *r);
/* Binds a role to a module (a fresh instance of it with these settings; section = its name). */
GS_NODISCARD enum gs_rc gs_run_role(struct gs_run *r, enum gs_role role, const char *policy_path,
                                    const char *module, const char *section,
                                    const struct gs_setting *set, uint32_t n, struct gs_err *err);
/* Runs to the end. With r->out set, allocation rows are streamed to it. GS_E_MODULE, GS_E_INT, GS_E_TERM leave a valid, incomplete run. */
GS_NODISCARD enum gs_rc gs_run_go(struct gs_run *r, struct gs_err *err);
uint64_t gs_run_models(
    struct gs_run *r,
    uint32_t text); /* mask of a constraint "A|B": 0 = any, UINT64_MAX = none of the cluster's */
/* A file that was read besides traces, with its digest, as a row of /inputs. */
struct gs_input;
void gs_run_note_input(struct gs_run *r, const struct gs_input *in, const char *shown,
                       const char *format, uint64_t rows);
/* Keeps the first failure of a table that rows are streamed to; the next pass ends the run with it. */
void gs_run_note_io(struct gs_run *r, enum gs_rc rc, const struct gs_err *err);
void gs_run_visit(struct gs_run *r, struct gs_visitor *v);
extern volatile int
    gs_stop_signal; /* set by the handlers that main installs: the one exception to no global state */

/* The half-written results file, for a signal handler that has to leave none; NULL = there is none. */
extern const char *volatile gs_part_path;

/* outfile.c */
struct gs_outfile {
    const char *path, *history, *label; /* label: of the sweep point, may be NULL */
    const struct gs_settings *set; /* for created_from and the policy attributes; may be NULL */
    int compress, complete;
    int64_t replications; /* runs that the figures come from; 0 = 1 */
    const char *note;     /* why they are fewer than asked for; may be NULL */
    const char *group, *exit_reason;
    char data_digest[33];
    /* writes the groups of the metrics room instead of gs_metrics_write: replications add to it */
    enum gs_rc (*extra)(void *ctx, struct gs_run *r, struct gs_err *err);
    void *extra_ctx;
};
GS_NODISCARD enum gs_rc gs_outfile_open(struct gs_run *r, const struct gs_outfile *o,
                                        struct gs_err *err);
void gs_outfile_attempt(struct gs_run *r, const struct gs_attempt *a);
void gs_outfile_wait(struct gs_run *r, uint32_t job, int64_t start_ns, int64_t end_ns,
                     const struct gs_wait_why *why);
GS_NODISCARD enum gs_rc gs_outfile_finish(struct gs_run *r, struct gs_outfile *o,
                                          struct gs_err *err);

#endif
