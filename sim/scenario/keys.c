/* keys.c - every key that this version acts on, in one table; what is known of a key, is known here.
 *
 * The table drives reading (type, range and where the value goes), the list of keys in effect (default), the help and the
 * reference page (the last column). A key that the format reserves for later versions stands in its kind's `later` list, so
 * that it is refused with a message of its own instead of being taken for a slip. Rows of a kind stand together, in the
 * order in which `validate --show` prints them. Look-ups are linear: a scenario has some dozen keys. */
#include "sim/scenario/keys.h"

#include "sim/base/buf.h"
#include "sim/base/units.h"

#include <stddef.h>
#include <string.h>

#include "sim/base/banned.h"

#define KEY(kind_, key_, type_, put_, owner_, field_, ...)                           \
    {                                                                                \
        .section = kind_, .key = key_, .type = GS_KEY_##type_, .put = GS_PUT_##put_, \
        .at = (uint32_t)offsetof(struct owner_, field_), __VA_ARGS__                 \
    }
#define SCENARIO(key_, type_, put_, field_, ...) \
    KEY("scenario", key_, type_, put_, gs_settings, field_, __VA_ARGS__)
#define NODES(key_, type_, put_, field_, ...) \
    KEY("nodes", key_, type_, put_, gs_set_nodes, field_, __VA_ARGS__)
#define NETWORK(key_, type_, put_, field_, ...) \
    KEY("network", key_, type_, put_, gs_settings, network.field_, __VA_ARGS__)
#define QUEUE(key_, type_, put_, field_, ...) \
    KEY("queue", key_, type_, put_, gs_set_queue, field_, __VA_ARGS__)
#define TRACE(key_, type_, put_, field_, ...) \
    KEY("trace", key_, type_, put_, gs_set_trace, field_, __VA_ARGS__)
#define WORK(key_, type_, put_, field_, ...) \
    KEY("workload", key_, type_, put_, gs_set_workload, field_, __VA_ARGS__)
#define CALLS(kind_, key_, type_, put_, field_, ...) \
    KEY(kind_, key_, type_, put_, gs_set_calls, field_, __VA_ARGS__)
/* Keys that a [trace] and a [workload] have alike, about what their jobs need besides devices. */
/* clang-format off */
#define DATA(X) \
    X("sensitivity", TEXT, STR, d.sensitivity, .doc = "how distance slows a job, instead of comm: run time by the narrowest level that its nodes share, as a multiple of that on one node: leaf:1.05 block:1.1 cluster:1.3"), \
    X("image", TEXT, STR, d.image, .doc = "container image, as layers: cuda:9GiB + torch:6GiB + 500MiB; a node pulls from [storage] registry those that it lacks"), \
    X("startup", DIST, STR, d.startup, .dim = GS_DIM_TIME, .doc = "time from the last node being ready to the first useful work, drawn an attempt"), \
    X("weights", MEMORY, I64, d.weights_mib, .max = "1024TiB", .doc = "what each node reads from [storage] before work begins"), \
    X("checkpoint", TEXT, STR, d.checkpoint, .doc = "how often the job saves its work: a time, or young or daly (the optimum for the failures of [failures]), or none"), \
    X("checkpoint_size", MEMORY, I64, d.checkpoint_mib, .max = "1024TiB", .doc = "what all of the job writes to [storage] for one; without it, of a job with a model 14 bytes a parameter"), \
    X("checkpoint_time", TIME, I64, d.checkpoint_ns, .doc = "how long one takes, instead of what [storage] needs for its size"), \
    X("checkpoint_async", BOOL, INT, d.checkpoint_async, .def = "no", .doc = "whether work goes on while it is written"), \
    X("input", BANDWIDTH, I64, d.input, .min = "0", .doc = "data that a GPU takes in at full speed, from [storage]"), \
    X("input_cache", SHARE, REAL, d.input_cache, .max = "1", .doc = "part of it that the node itself has"), \
    X("preprocess", REAL, MILLI, d.preprocess_milli, .min = "0", .max = "1000", .doc = "CPU cores a GPU that keep up with it at full speed; with fewer the job waits for input"), \
    X("gpu_utilization", SHARE, REAL, d.gpu_utilization, .max = "1", .doc = "part of its time that a GPU is busy with a job that has it alone; without it all; matters where GPUs are shared"), \
    X("isolation", WORD, INT, d.isolation, .def = "none", .words = "none|process|hardware", .doc = "who may share a GPU with a job: process = of other tenants only who can neither reach its memory nor end it by a fault (hami); hardware = nobody of another tenant, unless each has a MIG instance; its tenant is its queue"), \
    X("program", TEXT, STR, d.program, .doc = "what the jobs run, for interference = pairs: a name of gsim catalog pairs"), \
    X("gpu_memory_used", DIST, STR, d.gpu_memory_used, .dim = GS_DIM_MEMORY, .doc = "memory that a job really takes on a GPU that it shares, drawn a job: what does not fit fails with oom; without it no more than it may"), \
    X("gpu_memory_after", TIME, I64, d.gpu_memory_after_ns, .def = "1m", .min = "1s", .max = "365d", .doc = "time from the start until it has taken it"),
/* clang-format on */

#define STORAGE(key_, type_, field_, ...) \
    KEY("storage", key_, type_, I64, gs_settings, field_, __VA_ARGS__)
#define FAILURES(key_, type_, put_, field_, ...) \
    KEY("failures", key_, type_, put_, gs_settings, failures.field_, __VA_ARGS__)
#define COST(key_, type_, put_, field_, ...) \
    KEY("cost", key_, type_, put_, gs_settings, cost.field_, __VA_ARGS__)
#define POWER(key_, field_, ...) \
    KEY("power", key_, POWER, REAL, gs_settings, power.field_, __VA_ARGS__)
#define POLICY(key_, type_, put_, field_, ...) \
    KEY("policy", key_, type_, put_, gs_settings, field_, __VA_ARGS__)
#define OUTPUT(key_, type_, put_, field_, ...) \
    KEY("output", key_, type_, put_, gs_settings, field_, __VA_ARGS__)

/* clang-format off */
static const struct gs_key keys[] = {
    SCENARIO("name", TEXT, STR, name, .doc = "title of the run; without it the file's name"),
    SCENARIO("description", TEXT, STR, description, .doc = "the question that the scenario answers"),
    SCENARIO("seed", INT, U64, seed, .def = "1", .min = "0", .doc = "of every random stream: equal seeds, equal jobs"),
    SCENARIO("zone", ZONE, STR, zone, .def = "UTC", .doc = "of wall clocks without one, and of hours of the day"),
    SCENARIO("start", CLOCK, I64, start_unix_ns, .doc = "wall clock of t = 0"),
    SCENARIO("horizon", TIME, I64, horizon_ns, .min = "1s", .doc = "arrivals stop and running work is cut off here"),
    SCENARIO("warmup", TIME, I64, warmup_ns, .def = "0s", .doc = "jobs submitted before it are not counted"),
    SCENARIO("measure", MEASURE, MEASURE, measure, .doc = "the measured window: jobs submitted in it are counted; without it all after warmup"),
    SCENARIO("replications", INT, I64, replications, .def = "1", .min = "1", .max = "10000", .doc = "runs with seeds of their own, for confidence intervals"),
    SCENARIO("compat", WORD, INT, compat_pyss, .def = "none", .words = "none|pyss", .doc = "another simulator's order of events at one instant"),
    SCENARIO("catalog", FILE, PATH, catalog, .doc = "hardware of your own: CSV tables that replace and add rows (gsim help catalog)"),
    SCENARIO("interference", WORD, INT, interference, .def = "auto", .words = "auto|none|equal|lucid|pairs", .doc = "how jobs that share a GPU slow each other, on nodes with sharing: equal (turns), lucid (by the sum of their gpu_utilization), pairs (as measured for their programs), none; auto: equal with time-slice, else none"),
    SCENARIO("include", TEXT, NONE, name, .doc = "a file that is read first; what stands in this one overrules it"),

    NODES("type", TEXT, STR, type, .doc = "a server of the catalog (gsim catalog servers)"),
    NODES("count", INT, I64, count, .min = "1", .max = "10000000", .doc = "how many of them; without it one"),
    NODES("inventory", FILE, PATH, inventory, .doc = "a file with one row a node, instead of type and count"),
    NODES("format", WORD, STR, format, .words = "openb|spot", .doc = "of the inventory; told by its header without it"),
    NODES("place", LIST, STR, place, .doc = "where they stand: LEVEL:NAME for levels of [network]"),
    NODES("gpu", TEXT, STR, gpu, .doc = "GPU model, instead of the type's (gsim catalog gpus)"),
    NODES("gpus", INT, I64, gpus, .min = "0", .max = "1024", .doc = "GPUs a node, instead of the type's"),
    NODES("cpus", REAL, MILLI, cpus_milli, .min = "0", .max = "1000000", .doc = "CPUs a node, instead of the type's"),
    NODES("memory", MEMORY, I64, memory_mib, .max = "1024TiB", .doc = "memory a node, instead of the type's"),
    NODES("gpu_memory", MEMORY, I64, gpu_memory_mib, .max = "4TiB", .doc = "memory a GPU, instead of the model's"),
    NODES("nics", INT, I64, nics, .min = "1", .max = "64", .doc = "NICs a node on the compute network, instead of the type's"),
    NODES("mig", TEXT, STR, mig, .doc = "MIG layout of its GPUs: all-balanced, all-1g.10gb, 3g.40gb:1 2g.20gb 1g.10gb:2, all-enabled (MIG mode, no instances), all-disabled; layouts GPU by GPU are parted by /, the last one repeats"),
    NODES("mig_strategy", WORD, INT, mig_strategy, .def = "mixed", .words = "none|single|mixed", .doc = "none: instances cannot be asked for; single: all are alike, and a request for one GPU gets one; mixed: by profile"),
    NODES("mig_create", TIME, I64, mig_create_ns, .def = "1s", .max = "7d", .doc = "time from a partitioner's decision to an instance that can be used"),
    NODES("mig_mode", TIME, I64, mig_mode_ns, .def = "0s", .max = "7d", .doc = "time of a change of the MIG mode, in which the GPU is of no use; no measured value is known (UNVERIFIED)"),
    NODES("mig_reset", TIME, I64, mig_reset_ns, .def = "0s", .max = "7d", .doc = "the same, in addition, of the reset that such a change needs on Ampere (UNVERIFIED)"),
    NODES("labels.*", TEXT, LABEL, labels, .doc = "a label of every node of the section"),
    NODES("price", MONEY, REAL, price_per_h, .doc = "of one node while it is up"),
    NODES("power_cap", POWER, REAL, power_cap_w, .doc = "of one GPU: what it draws at most, which slows its computing (gsim help power)"),
    NODES("from", WHEN, I64, from_ns, .doc = "the nodes are there from then on; without it from the beginning"),
    NODES("until", WHEN, I64, until_ns, .doc = "and leave then; without it they stay"),
    NODES("sharing", TEXT, STR, sharing, .def = "none", .doc = "how jobs share a GPU: none (undisturbed), time-slice:N (N replicas in turn, no limit of memory), mps or mps:N (part of the SMs and of memory), hami (hard limits), hami:soft (idle share may be used), mig (by instances: as mig = all-enabled where mig says no layout)"),
    NODES("replicas", WORD, INT, spread, .def = "packed", .words = "packed|distributed", .doc = "which GPU of the node a share gets, unless the policy picks one: that with least free, or that with most (the default of NVIDIA's device plugin)"),
    NODES("switch_cost", SHARE, REAL, switch_cost, .max = "0.9", .doc = "with time-slice: part of a turn that is lost to switching; no published value is known"),
    NODES("oversubscribe", LIST, OVERSUBSCRIBE, oversubscribe_gpu, .doc = "how far GPU shares and GPU memory may be promised beyond what is there: gpu:1.5 memory:1.2"),

    {.section = "network", .key = "levels", .type = GS_KEY_LIST, .put = GS_PUT_STR, .at = (uint32_t)offsetof(struct gs_settings, levels),
     .doc = "names of the topology's levels, outermost first: zone block leaf; the innermost name those of the network"},
    NETWORK("kind", WORD, INT, kind, .def = "none", .words = "none|fat-tree|rail|torus|file", .doc = "fat-tree: all NICs of a node on one leaf; rail: NIC i of each node of a unit on leaf i; torus: a grid; file: as a file says"),
    NETWORK("radix", INT, U32, radix, .def = "64", .min = "4", .max = "65536", .doc = "ports of a switch"),
    NETWORK("leaf_nodes", INT, U32, leaf_nodes, .def = "0", .min = "0", .max = "65536", .doc = "nodes of a leaf (fat-tree) or of a scalable unit (rail); 0 = half the ports of a leaf"),
    NETWORK("tiers", INT, U32, tiers, .def = "0", .min = "0", .max = "3", .doc = "tiers of switches: 1 leaf, 2 and spine, 3 and core; 0 = as few as the radix allows"),
    NETWORK("planes", INT, U32, planes, .def = "1", .min = "1", .max = "16", .doc = "parallel networks that share a NIC's rate: how many switches, not how fast"),
    NETWORK("links", LIST, STR, links_text, .doc = "rate of a cable by tier: NIC, leaf to spine, spine to core (a torus: by dimension); without it the NICs' as the servers' type says"),
    NETWORK("oversubscription", LIST, STR, oversubscription_text, .def = "1", .doc = "cables down for each one up, of leaves, of spines; 1 where none is said"),
    NETWORK("latency", LIST, STR, latency_text, .def = "500ns", .doc = "of a link by tier, the last stands for the rest; UNVERIFIED beyond one switch"),
    NETWORK("pxn", BOOL, INT, pxn, .def = "yes", .doc = "traffic to another rail goes over NVLink to the GPU of that rail first"),
    NETWORK("duty_cycle", BOOL, INT, duty_cycle, .def = "no", .doc = "no: jobs send all the time, which overstates contention between those that communicate rarely; yes: on average no more than they do alone, as if bursts of different jobs never met"),
    NETWORK("dims", TEXT, STR, dims_text, .doc = "torus: its size, 8x8 or 4x4x4"),
    NETWORK("topology", FILE, PATH, topology, .doc = "kind = file: what joins the nodes, which it names"),
    NETWORK("format", WORD, STR, format, .words = "slurm|topograph|labels", .doc = "of the topology file: Slurm's topology.conf or topology.yaml, topograph's output, node labels; told by the file without it"),

    QUEUE("parent", TEXT, STR, parent, .doc = "the queue above"),
    QUEUE("quota", REAL, REAL, quota, .min = "0", .max = "1000000000", .doc = "GPUs deserved"),
    QUEUE("limit", REAL, REAL, limit, .min = "0", .max = "1000000000", .doc = "GPUs that it may hold at most"),
    QUEUE("weight", REAL, REAL, weight, .def = "1", .min = "0.000001", .max = "1000000000", .doc = "share of what is left over"),
    QUEUE("priority", INT, I32, priority, .def = "0", .min = "-2147483648", .max = "2147483647", .doc = "larger goes first"),
    QUEUE("isolation", WORD, INT, isolation, .def = "none", .words = "none|process|hardware", .doc = "at least, of its jobs and of those of the queues below it"),
    QUEUE("quota.cpu", REAL, REAL, quota_cpus, .min = "0", .max = "1000000000", .doc = "CPUs deserved"),
    QUEUE("limit.cpu", REAL, REAL, limit_cpus, .min = "0", .max = "1000000000", .doc = "CPUs that it may hold at most"),

    {.section = "priority", .key = "value", .type = GS_KEY_INT, .put = GS_PUT_I32, .at = (uint32_t)offsetof(struct gs_set_priority, value),
     .min = "-2147483648", .max = "2147483647", .doc = "larger goes first"},

    TRACE("format", FORMAT, STR, o.format, .doc = "of the file; without it guessed from the content"),
    TRACE("file", FILE, PATH, o.path, .doc = "the trace, plain or gzip"),
    TRACE("zone", ZONE, STR, o.zone, .doc = "of wall clocks in the file that name none; without it the format's own"),
    TRACE("ambiguous", WORD, INT, o.ambiguous, .def = "earlier", .words = "earlier|later|error", .doc = "what a wall clock that happens twice (or never) when the clocks change is taken for"),
    TRACE("from", TIME, I64, o.from_ns, .doc = "jobs submitted earlier are left out (time from the trace's first job)"),
    TRACE("to", TIME, I64, o.to_ns, .doc = "jobs submitted at or after it are left out"),
    TRACE("first", INT, I64, o.first, .min = "1", .doc = "only so many jobs, the earliest"),
    TRACE("duration", DIST, STR, duration, .dim = GS_DIM_TIME, .doc = "run times of jobs for which the file has none; without it they run until the end"),
    TRACE("estimate", ESTIMATE, STR, estimate, .doc = "run-time estimates for all jobs of the trace, in place of those that it has (gsim help estimates)"),
    TRACE("queue", TEXT, STR, o.queue, .doc = "of jobs for which the file names none"),
    TRACE("priority", PRIORITY, I32, o.priority, .def = "0", .doc = "of every job"),
    TRACE("bad_rows", WORD, INT, o.bad_rows, .def = "error", .words = "error|skip", .doc = "what a row that makes no sense does"),
    TRACE("task_gpus", INT, U32, o.task_gpus, .def = "8", .min = "0", .max = "1024", .doc = "largest task of a gang where the file gives only a total; 0 = never split"),
    TRACE("gpus_per_proc", REAL, MILLI32, o.gpus_per_proc_milli, .def = "0", .min = "0", .max = "1024", .doc = "swf: GPUs a processor stands for; 0 = processors are CPUs"),
    TRACE("task_procs", INT, U32, o.task_procs, .def = "1", .min = "0", .max = "1000000", .doc = "swf as CPUs: processors a task; 0 = the job is one task"),
    TRACE("cpus_per_gpu", REAL, MILLI, o.cpus_per_gpu_milli, .def = "0", .min = "0", .max = "10000", .doc = "CPUs where the file has none"),
    TRACE("memory_per_gpu", MEMORY, I64, o.mem_per_gpu_mib, .def = "0MiB", .max = "1024TiB", .doc = "memory where the file has none"),
    TRACE("gpu_spec", BOOL, INT, o.keep_gpu_spec, .def = "yes", .doc = "openb: keep to the GPU models that a job names"),
    TRACE("cpu_jobs", BOOL, INT, o.cpu_jobs, .def = "no", .doc = "keep jobs that ask for no GPU, where the format mixes both"),
    TRACE("throughputs", FILE, PATH, o.throughputs, .doc = "gavel: measured steps a second, which make a run time of a number of steps"),
    TRACE("throughput_gpu", TEXT, STR, o.throughput_gpu, .def = "v100", .doc = "gavel: the GPU type of that file that is the reference"),
    TRACE("token_rates", RATES, RATES, o.prefill_rate, .doc = "request traces as jobs: a call runs input / prefill rate + output / decode rate"),
    TRACE("call_gpus", INT, U32, o.call_gpus, .def = "1", .min = "0", .max = "1024", .doc = "GPUs of a call that is replayed as a job"),
    TRACE("call_share", REAL, MILLI32, o.call_share_milli, .def = "1", .min = "0.001", .max = "1", .doc = "part of the GPU, of a call on one"),
    TRACE("column.*", TEXT, COLUMN, columns, .doc = "gsim: the header name that stands for a column: column.submit = arrival_time"),
    TRACE("normalise", NORMALISE, SHAPE, shape, .def = "none", .doc = "recorded run time divided by its slow-down on the GPU, or the spread, that the trace names"),
    TRACE("comm", SHARE, REAL, comm, .max = "1", .doc = "part of the run time on the reference placement that is communication, of jobs on several GPUs; what the network makes of it is in the results"),
    TRACE("repeat", INT, U32, shape.repeat, .def = "1", .min = "1", .max = "100000", .doc = "the whole trace so many times, one after the other"),
    TRACE("resample", RESAMPLE, SHAPE, shape, .doc = "days of the trace drawn with replacement, weekdays kept, another draw a replication"),
    TRACE("jitter", TIME, I64, shape.jitter_ns, .def = "0s", .doc = "each submission moved at random by up to so much, another draw a replication"),
    TRACE("load", SHARE, REAL, shape.load, .doc = "offered load that the trace is brought to, as a share of the cluster's capacity between its first and last submission"),
    TRACE("method", WORD, INT, shape.method, .def = "users", .unsaid = 1, .words = "users|thin|compress|size", .doc = "load: what is changed for it"),
    TRACE("feedback", FEEDBACK, SHAPE, shape, .def = "open", .doc = "session: a user's next job comes its recorded think time after the end of the job that it had waited for; by=queue where the trace names no users"),

    DATA(TRACE)

    WORK("kind", WORD, INT, s.kind, .def = "batch", .unsaid = 1, .words = "training|finetuning|batch|interactive", .doc = "what the jobs are, for groups of the results"),
    WORK("arrivals", ARRIVALS, STR, s.arrivals, .doc = "the arrival process; without it all arrive at `from`"),
    WORK("count", INT, I64, s.count, .min = "1", .max = "100000000", .doc = "how many jobs; without it as many as arrive until `to`"),
    WORK("from", TIME, I64, s.from_ns, .def = "0s", .doc = "arrivals begin"),
    WORK("to", TIME, I64, s.to_ns, .doc = "arrivals end; without it at the horizon"),
    WORK("model", TEXT, STR, t.model, .doc = "a language model (gsim catalog models) whose training the jobs are: their run time is that of `work`, modelled from operations, memory traffic and communication, in place of duration"),
    WORK("work", TEXT, STR, t.work, .doc = "with model: how much of it: 10000 steps, 15e9 tokens"),
    WORK("batch", INT, U32, t.batch, .min = "1", .max = "1000000", .doc = "with model: sequences of a step, over all GPUs"),
    WORK("sequence", INT, U32, t.sequence, .min = "1", .max = "16777216", .doc = "with model: tokens of a sequence"),
    WORK("parallel", TEXT, STR, t.parallel, .doc = "with model: degrees of tensor, pipeline, context, data and expert parallelism: tp:8 pp:4 cp:1 dp:16 ep:1; GPUs = tp x pp x cp x dp; without it dp = gpus"),
    WORK("precision", WORD, INT, t.precision, .words = "bf16|fp16|fp8|fp4", .doc = "with model: of matrix products; without it bf16"),
    WORK("microbatch", INT, U32, t.microbatch, .min = "1", .max = "1000000", .doc = "with model: sequences of a rank at a time; without it one with pipeline stages, else as many as fit"),
    WORK("interleave", INT, U32, t.interleave, .min = "1", .max = "1000", .doc = "with model: model chunks of a pipeline stage; without it 4, or as many as it has layers"),
    WORK("zero", INT, U32, t.zero, .min = "0", .max = "3", .doc = "with model: what data-parallel ranks share: 0 nothing, 1 optimizer state, 2 gradients too, 3 weights too; without it 1"),
    WORK("recompute", WORD, INT, t.recompute, .words = "none|selective|full", .doc = "with model: activations that the backward pass makes again; without it selective"),
    WORK("efficiency", REAL, REAL, t.efficiency, .min = "0.01", .max = "1", .doc = "with model: of the peak rate that matrix products reach; without it what published runs show (gsim catalog steps)"),
    WORK("gpus", DIST, STR, s.gpus, .def = "1", .unsaid = 1, .dim = GS_DIM_NONE, .doc = "GPUs a job"),
    WORK("duration", DIST, STR, s.duration, .dim = GS_DIM_TIME, .doc = "run time on the reference placement"),
    WORK("duration.*", DIST, CLASS, s.classes, .dim = GS_DIM_TIME, .doc = "the same of jobs of these sizes: duration.8, duration.2..4, duration.16.."),
    WORK("comm", SHARE, REAL, s.comm, .max = "1", .doc = "part of the run time on the reference placement that is communication; what the network makes of it is in the results"),
    WORK("idle", SHARE, REAL, s.idle, .max = "1", .doc = "part of the run time in which the job holds its GPUs and does nothing with them"),
    WORK("estimate", ESTIMATE, STR, s.estimate, .def = "none", .doc = "what the scheduler is told of the run time"),
    WORK("share", DIST, STR, s.share, .dim = GS_DIM_SHARE, .doc = "part of one GPU, instead of whole ones"),
    WORK("mig", TEXT, STR, s.mig, .doc = "MIG profile: each GPU asked for is one instance, a task of its own; or several with weights: 1g.10gb:0.7 2g.20gb:0.2 none:0.1"),
    WORK("task_gpus", INT, U32, s.task_gpus, .def = "8", .min = "1", .max = "1024", .doc = "largest task of a gang"),
    WORK("cpus_per_gpu", REAL, MILLI, s.cpus_per_gpu_milli, .def = "0", .min = "0", .max = "10000", .doc = "CPUs a GPU, where cpus is not given"),
    WORK("memory_per_gpu", MEMORY, I64, s.mem_per_gpu_mib, .def = "0MiB", .max = "1024TiB", .doc = "memory a GPU, where memory is not given"),
    WORK("cpus", DIST, STR, s.cpus, .dim = GS_DIM_NONE, .doc = "CPUs a task"),
    WORK("memory", DIST, STR, s.memory, .dim = GS_DIM_MEMORY, .doc = "memory a task"),
    WORK("gpu_memory", MEMORY, U32, s.gpu_mem_mib, .def = "0MiB", .doc = "memory on each GPU; 0 = in proportion to the share"),
    WORK("gpu", TEXT, STR, s.gpu, .doc = "GPU models that will do: A|B"),
    WORK("users", DIST, STR, s.users, .def = "0", .dim = GS_DIM_NONE, .doc = "how many users the jobs come from, by Zipf's law with exponent 1.1; or the distribution of their numbers: zipf n=50 s=1.4; 0 = none are told"),
    WORK("queues", DIST, STR, s.queues, .dim = GS_DIM_NONE, .doc = "tenants q0, q1, ..., drawn as users are, instead of queue"),
    WORK("clients", INT, U32, s.clients, .def = "1", .min = "1", .max = "100000", .doc = "the arrivals are a sum of so many independent streams; without users a job's client is its user"),
    WORK("clients.s", REAL, REAL, s.clients_s, .def = "1", .min = "0", .max = "10", .doc = "exponent of Zipf's law of the clients' rates; 0 = all alike"),
    WORK("repeats", REAL, REAL, s.repeats, .def = "0", .min = "0", .max = "0.999", .doc = "probability that a job is the one before, submitted once more"),
    WORK("failures", TEXT, STR, s.failures, .doc = "probability that a job fails, and after which share of its run time: 0.1 uniform 0 1"),
    WORK("kills", TEXT, STR, s.kills, .doc = "the same, that its user kills it"),
    WORK("after", TEXT, STR, s.after, .doc = "a section that stands before this one: job i waits for the end of its job i, and lag=5m longer"),
    WORK("queue", TEXT, STR, s.queue, .def = "default", .doc = "the jobs' tenant"),
    WORK("priority", PRIORITY, I32, s.priority, .def = "0", .doc = "of every job"),
    WORK("preemptible", BOOL, PREEMPTIBLE, s.flags, .def = "yes", .doc = "whether a job may be stopped for another"),

    DATA(WORK)

    STORAGE("read", BANDWIDTH, storage_rate[0], .doc = "shared storage: what all jobs together can read"),
    STORAGE("write", BANDWIDTH, storage_rate[1], .doc = "what all jobs together can write"),
    STORAGE("registry", BANDWIDTH, storage_rate[2], .doc = "of the registry that images are pulled from"),
    STORAGE("node", BANDWIDTH, storage_node_rate, .doc = "of one node to all of these; without it no bound"),
    STORAGE("image_cache", MEMORY, image_cache_mib, .def = "500GiB", .max = "1024TiB", .doc = "room on a node for layers of images"),

    FAILURES("node", DIST, STR, node, .dim = GS_DIM_TIME, .doc = "time from a node's coming up to its failure"),
    FAILURES("node_repair", DIST, STR, node_repair, .dim = GS_DIM_TIME, .doc = "time that it is then down"),
    FAILURES("gpu", DIST, STR, gpu, .dim = GS_DIM_TIME, .doc = "the same of one GPU, whose node goes on without it"),
    FAILURES("gpu_repair", DIST, STR, gpu_repair, .dim = GS_DIM_TIME, .doc = "time that it is then out of order"),
    FAILURES("group", DIST, STR, group, .dim = GS_DIM_TIME, .doc = "the same of all nodes of a group at once, such as a rack that loses power"),
    FAILURES("group_repair", DIST, STR, group_repair, .dim = GS_DIM_TIME, .doc = "time that they are then down"),
    FAILURES("level", TEXT, STR, level, .def = "rack", .doc = "level of [network] whose groups fail together; node = each by itself"),
    FAILURES("link", DIST, STR, link, .dim = GS_DIM_TIME, .doc = "the same of the cable of a NIC ([network]); jobs whose traffic crosses it stand still until it is repaired"),
    FAILURES("link_repair", DIST, STR, link_repair, .dim = GS_DIM_TIME, .doc = "time that it is then down"),
    FAILURES("switch", DIST, STR, leaf_switch, .dim = GS_DIM_TIME, .doc = "the same of a leaf switch with all its cables"),
    FAILURES("switch_repair", DIST, STR, switch_repair, .dim = GS_DIM_TIME, .doc = "time that they are then down"),
    FAILURES("job_gpu_time", TIME, I64, gpu_hours_ns, .doc = "mean GPU time of a job between failures of its own: with twice the GPUs it fails twice as often"),
    FAILURES("preset", TEXT, STR, preset, .doc = "published rates: llama3, rsc-1, rsc-2, lablup-b200 (gsim catalog failures)"),
    FAILURES("log", FILE, PATH, log, .doc = "recorded failures as a CSV: time, node, gpu, duration, cause"),
    FAILURES("restart", DIST, STR, restart, .dim = GS_DIM_TIME, .doc = "time to useful work of every attempt but the first, besides the job's startup"),
    FAILURES("retries", INT, I64, retries, .def = "-1", .min = "-1", .max = "1000000", .doc = "failures that a job survives; -1 = any number"),
    FAILURES("spares", INT, I64, spares, .def = "0", .min = "0", .max = "1000000", .doc = "the last so many nodes are kept ready, and take the place of nodes that fail"),
    FAILURES("spare_delay", TIME, I64, spare_delay_ns, .def = "0s", .doc = "until such a node is in service"),

    {.section = "calendar", .key = "file", .type = GS_KEY_FILE, .put = GS_PUT_PATH, .at = (uint32_t)offsetof(struct gs_settings, calendar_file),
     .doc = "planned changes as a CSV, whose columns gsim help calendar lists"},
    {.section = "calendar", .key = "*", .type = GS_KEY_PLAN, .put = GS_PUT_PLAN, .at = (uint32_t)offsetof(struct gs_settings, plans),
     .doc = "a change by any name: add, remove, drain, down, up or reserve NODES at WHEN [for TIME] [every TIME [until WHEN]] [rolling N] [notice TIME] [queue QUEUE] [reason WORDS]"},

    {.section = "state", .key = "from", .type = GS_KEY_TEXT, .put = GS_PUT_STR, .at = (uint32_t)offsetof(struct gs_settings, state_from),
     .doc = "a warm start: RESULTS.h5@TIME, the state of a run of the same workload at that time (without @TIME at its end); or a CSV of running jobs (gsim help state)"},

    CALLS("service", "requests", ARRIVALS, STR, s.arrivals, .doc = "the arrival process of sessions; without it all begin at `from`"),
    CALLS("service", "count", INT, I64, s.count, .min = "1", .max = "100000000", .doc = "how many sessions; without it as many as arrive until `to`"),
    CALLS("service", "from", TIME, I64, s.from_ns, .def = "0s", .doc = "arrivals begin"),
    CALLS("service", "to", TIME, I64, s.to_ns, .doc = "arrivals end; without it at the horizon"),
    CALLS("service", "clients", INT, U32, s.clients, .def = "1", .min = "1", .max = "100000", .doc = "the arrivals are a sum of so many independent streams, each with a prefix of its own"),
    CALLS("service", "clients.s", REAL, REAL, s.clients_s, .def = "1", .min = "0", .max = "10", .doc = "exponent of Zipf's law of the clients' rates; 0 = all alike"),
    CALLS("service", "prompt", DIST, STR, s.prompt, .dim = GS_DIM_NONE, .doc = "tokens that a turn brings"),
    CALLS("service", "output", DIST, STR, s.output, .dim = GS_DIM_NONE, .doc = "tokens of an answer"),
    CALLS("service", "prefix", DIST, STR, s.prefix, .dim = GS_DIM_NONE, .doc = "tokens that all sessions of a client begin with: a system prompt"),
    CALLS("service", "answer", DIST, STR, s.answer, .dim = GS_DIM_TIME, .doc = "time of an answer, as a trace records it; without it none is recorded and the next call follows at once"),
    CALLS("service", "context_max", INT, I64, s.context_max, .def = "0", .min = "0", .max = "1000000000", .doc = "longest input, tokens: of a longer one the latest are kept; 0 = no bound"),
    CALLS("service", "block_tokens", INT, U32, s.block_tokens, .def = "0", .min = "0", .max = "1000000", .doc = "prefix blocks of so many tokens are written; 0 = none"),
    CALLS("service", "turns", DIST, STR, s.steps, .dim = GS_DIM_NONE, .doc = "requests of a conversation, each with all that was said before"),
    CALLS("service", "think", DIST, STR, s.think, .dim = GS_DIM_TIME, .doc = "time from an answer to the next turn"),

    CALLS("agents", "arrivals", ARRIVALS, STR, s.arrivals, .doc = "the arrival process of sessions; without it all begin at `from`"),
    CALLS("agents", "count", INT, I64, s.count, .min = "1", .max = "100000000", .doc = "how many sessions; without it as many as arrive until `to`"),
    CALLS("agents", "from", TIME, I64, s.from_ns, .def = "0s", .doc = "arrivals begin"),
    CALLS("agents", "to", TIME, I64, s.to_ns, .doc = "arrivals end; without it at the horizon"),
    CALLS("agents", "clients", INT, U32, s.clients, .def = "1", .min = "1", .max = "100000", .doc = "the arrivals are a sum of so many independent streams, each with a prefix of its own"),
    CALLS("agents", "clients.s", REAL, REAL, s.clients_s, .def = "1", .min = "0", .max = "10", .doc = "exponent of Zipf's law of the clients' rates; 0 = all alike"),
    CALLS("agents", "prompt", DIST, STR, s.prompt, .dim = GS_DIM_NONE, .doc = "tokens that a task, a stage or a worker begins with"),
    CALLS("agents", "output", DIST, STR, s.output, .dim = GS_DIM_NONE, .doc = "tokens of an answer"),
    CALLS("agents", "prefix", DIST, STR, s.prefix, .dim = GS_DIM_NONE, .doc = "tokens that all sessions of a client begin with: a system prompt"),
    CALLS("agents", "answer", DIST, STR, s.answer, .dim = GS_DIM_TIME, .doc = "time of an answer, as a trace records it; without it none is recorded and the next call follows at once"),
    CALLS("agents", "context_max", INT, I64, s.context_max, .def = "0", .min = "0", .max = "1000000000", .doc = "longest input, tokens: of a longer one the latest are kept; 0 = no bound"),
    CALLS("agents", "block_tokens", INT, U32, s.block_tokens, .def = "0", .min = "0", .max = "1000000", .doc = "prefix blocks of so many tokens are written; 0 = none"),
    CALLS("agents", "program", WORD, INT, s.program, .def = "loop", .words = "loop|chain|fan-out", .doc = "loop: model and tools by turns; chain: stages that pass on their answers; fan-out: a planner, workers, a join"),
    CALLS("agents", "steps", DIST, STR, s.steps, .dim = GS_DIM_NONE, .doc = "calls of the model in a loop, stages of a chain, rounds of a fan-out"),
    CALLS("agents", "tool", DIST, STR, s.tool, .dim = GS_DIM_TIME, .doc = "loop: time of a tool; without it there are none"),
    CALLS("agents", "result", DIST, STR, s.result, .dim = GS_DIM_NONE, .doc = "loop: tokens that a tool's result adds to the context"),
    CALLS("agents", "width", DIST, STR, s.width, .dim = GS_DIM_NONE, .doc = "fan-out: workers of a round; without it 4"),

    COST("gpu.*", MONEY, PRICE, said, .doc = "of one GPU of the model MODEL: gpu.H100-SXM5-80GB = 2.10USD/h"),
    COST("price.*", MONEY, PRICE, said, .doc = "of one node of the type TYPE: price.p5.48xlarge = 55.04USD/h; before gpu.MODEL"),
    COST("capex.*", AMOUNT, PRICE, said, .doc = "what one node of the type TYPE was bought for: written off evenly over its life"),
    COST("life", TIME, I64, life_ns, .def = "1461d", .min = "1d", .doc = "of nodes that were bought"),
    COST("residual", SHARE, REAL, residual, .max = "1", .doc = "part of capex that is left at the end of life; without it none"),
    COST("market", WORD, INT, market, .def = "on-demand", .words = "on-demand|spot|reserved", .doc = "how nodes are paid for; which of the catalog's prices is taken"),
    COST("prices", WORD, INT, prices_from, .def = "none", .words = "none|catalog", .doc = "catalog: nodes whose type is sold as such cost what the catalog says (gsim catalog prices)"),
    COST("cloud", TEXT, STR, cloud, .doc = "of the catalog's prices: AWS, Azure, ..."),
    COST("region", TEXT, STR, region, .doc = "of the catalog's prices: us-east-1; without it the first that is listed"),
    COST("energy", TARIFF, REAL, energy_usd, .doc = "price of energy, beside that of nodes; without it energy is in the price"),
    COST("pue", REAL, MILLI, pue_milli, .def = "1", .min = "1", .max = "5", .doc = "energy of the building / energy of its computers"),
    COST("carbon", TEXT, STR, carbon, .doc = "grams of CO2 a kWh, or a region of the catalog: gcp:europe-west4 (gsim catalog carbon)"),
    COST("idle_to", WORD, INT, idle_to, .def = "none", .words = "none|quota|use|peak", .doc = "who pays for capacity that nobody held: nobody, queues by quota, or all by use or by peak"),
    COST("share_price", WORD, INT, share_price, .def = "larger", .words = "memory|compute|larger", .doc = "what a share or a slice of a GPU costs: its part of the memory, of the compute, or the larger one"),

    POWER("host", host_w, .doc = "of a node that is up, without its GPUs; without it 200 W and 100 W a GPU, an assumption"),
    POWER("context", context_w, .def = "40W", .doc = "that a job adds to a GPU before it computes: 26 to 66 W were measured"),
    KEY("power", "idle", SHARE, REAL, gs_settings, power.idle_share, .def = "12%", .max = "1", .doc = "idle power of a GPU as a part of its TDP, where the catalog knows none"),
    KEY("power", "gamma", REAL, REAL, gs_settings, power.gamma, .def = "1", .min = "0.5", .max = "5", .doc = "active power grows with utilisation to this power; under a cap speed falls with its inverse"),

    POLICY("scheduler", MODULE, STR, scheduler, .def = "composite", .doc = "who decides: composite (the four parts below), a module, or a [policy NAME]"),
    POLICY("order", MODULE, STR, role[GS_ROLE_ORDER], .def = "fifo", .doc = "composite: in which order waiting jobs are looked at"),
    POLICY("placement", MODULE, STR, role[GS_ROLE_PLACEMENT], .def = "firstfit", .doc = "composite: which node and GPUs"),
    POLICY("backfill", MODULE, STR, role[GS_ROLE_BACKFILL], .def = "none", .doc = "composite: who may go before a job that does not fit"),
    POLICY("preemption", MODULE, STR, role[GS_ROLE_PREEMPTION], .def = "none", .doc = "composite: who is stopped for whom"),
    POLICY("partitioner", MODULE, STR, role[GS_ROLE_PARTITIONER], .def = "none", .doc = "which MIG instances exist, on nodes with mig = ..."),
    POLICY("cycle_interval", TIME, I64, cycle_interval_ns, .def = "0s", .doc = "time between scheduling passes; 0s = after each instant with a change"),
    POLICY("faults", WORD, INT, faults_fallback, .def = "stop", .words = "stop", .doc = "what a module's fault does: it ends the run, and the results so far are kept"),
    POLICY("work_budget", INT, U64, work_budget, .def = "0", .min = "0", .doc = "units of work that a module may use in a pass; 0 = no bound"),
    POLICY("calendar", WORD, INT, ignore_calendar, .def = "respect", .words = "respect|ignore", .doc = "respect: a job with an estimate is not placed where it would run into what [calendar] plans; ignore: it is, and is then stopped"),
    POLICY("queueing", BOOL, INT, queueing, .def = "yes", .doc = "no: a job that cannot start at once is rejected (a loss system)"),

    OUTPUT("file", TEXT, PATH, out_file, .doc = "the results file; without it results/NAME.h5 under the current folder"),
    OUTPUT("series", TIME, I64, series_ns, .def = "60s", .unsaid = 1, .min = "1s", .doc = "interval of the time series; the default gives way to a longer one where a run is too long for it"),
    OUTPUT("events", WORD, INT, events, .def = "none", .words = "none|decisions|all", .doc = "the log of events"),
    OUTPUT("waits", WORD, INT, waits, .def = "auto", .words = "auto|yes|no", .doc = "each wait with its cause; auto: up to a million jobs"),
    OUTPUT("per_link", BOOL, INT, per_link, .def = "no", .doc = "what each shared link carried, at the interval of the series: rows of /series/links for links that carry something"),
    OUTPUT("group", LIST, STR, group, .def = "queue, kind, size", .words = "queue|kind|size|user|priority|gpu", .doc = "by what the summary is also split"),
    OUTPUT("compress", INT, INT, compress, .def = "4", .min = "0", .max = "9", .doc = "level of compression of the results file"),

    {.section = "sweep", .key = "seeds", .type = GS_KEY_TEXT, .put = GS_PUT_NONE, .doc = "1..10: an axis over scenario.seed"},
};

#define LATER(kind_, flags_, doc_) {.name = (kind_), .flags = (flags_) | GS_KIND_LATER, .later = "|", .doc = (doc_)}
static const struct gs_kind kinds[] = {
    {"scenario", GS_KIND_NAMELESS, "|stop|", "the run as a whole"},
    {"nodes", GS_KIND_NAMED, "|taints|zone|cloud|", "machines"},
    {"network", GS_KIND_NAMELESS, "|", "how they are connected"},
    {"failures", GS_KIND_NAMELESS, "|", "what breaks, and for how long"},
    {"calendar", GS_KIND_NAMELESS, "|", "planned changes of the cluster"},
    {"state", GS_KIND_NAMELESS, "|", "a warm start"},
    {"storage", GS_KIND_NAMELESS, "|", "shared storage and the image registry"},
    {"cost", GS_KIND_NAMELESS, "|", "prices, energy and who pays"},
    {"power", GS_KIND_NAMELESS, "|cap|", "the power model"},
    {"queue", GS_KIND_NAMED, "|quota.memory|limit.memory|weight.|users.|preemptible|allow|deny|", "a tenant"},
    {"priority", GS_KIND_NAMED, "|preempts|", "a priority class"},
    {"trace", GS_KIND_NAMED, "|", "a recorded workload"},
    {"workload", GS_KIND_NAMED, "|elastic|topology|request_error|", "synthetic jobs"},
    {"service", GS_KIND_NAMED, "|model|gpu|engine.|replicas|startup.|timeout|retry|max_queue|shed|slo.|metrics_delay|router|autoscaler|queue|priority|users|repeat|", "requests of online inference, for gsim trace generate"},
    {"agents", GS_KIND_NAMED, "|deadline|", "agentic sessions, for gsim trace generate"},
    {"policy", GS_KIND_NAMELESS | GS_KIND_NAMED, "|router|autoscaler|engine|provisioner|", "who decides what"},
    {"output", GS_KIND_NAMELESS, "|requests|decisions|per_gpu|", "the results file"},
    {"sweep", GS_KIND_NAMELESS | GS_KIND_FREE, "|engine|", "keys that are varied: KEY = a | b, KEY = lo..hi step N, seeds = 1..10"},
    {"expect", GS_KIND_NAMELESS | GS_KIND_FREE, "|", "what the run must show; each line is one expression"},
    LATER("provision", GS_KIND_NAMED, "nodes that come and go"),
    LATER("telemetry", GS_KIND_NAMELESS, "what policies see of measured load"),
    LATER("commit", GS_KIND_NAMELESS, "how the world answers a policy"),
    LATER("plan", GS_KIND_NAMELESS, "capacity planning"),
};

/* clang-format on */

enum {
    NKEYS = sizeof keys / sizeof *keys,
    NKINDS = sizeof kinds / sizeof *kinds
};

static const char *const type_names[GS_KEY_COUNT] = {
    [GS_KEY_TEXT] = "text",
    [GS_KEY_INT] = "whole number",
    [GS_KEY_REAL] = "number",
    [GS_KEY_BOOL] = "yes or no",
    [GS_KEY_TIME] = "time (90s, 15m, 2h, 30d)",
    [GS_KEY_MEMORY] = "memory (512MiB, 80GiB)",
    [GS_KEY_MONEY] = "price (2.10USD/h)",
    [GS_KEY_AMOUNT] = "amount (250000USD)",
    [GS_KEY_TARIFF] = "price of energy (0.12USD/kWh)",
    [GS_KEY_WORD] = "word",
    [GS_KEY_CLOCK] = "wall clock (2026-01-05T00:00:00Z)",
    [GS_KEY_FILE] = "file",
    [GS_KEY_DIST] = "distribution (lognormal median=30m sigma=1.7)",
    [GS_KEY_ARRIVALS] = "arrival process (poisson 40/h)",
    [GS_KEY_ZONE] = "zone (UTC, +08:00, America/Los_Angeles)",
    [GS_KEY_MEASURE] = "window (7d, 1d..8d, jobs 1000..5000)",
    [GS_KEY_ESTIMATE] = "estimate (exact, factor 2, limit 4h, user, none)",
    [GS_KEY_PRIORITY] = "whole number or [priority] class",
    [GS_KEY_MODULE] = "policy module or [policy] section",
    [GS_KEY_LIST] = "list",
    [GS_KEY_SHARE] = "share (80%, 0.8)",
    [GS_KEY_NORMALISE] = "none, placement or gpu (gpu reference=V100 default=0.5 table=FILE)",
    [GS_KEY_RESAMPLE] = "blocks of days (days block=1d)",
    [GS_KEY_FEEDBACK] = "open or session (session gap=20m by=user|queue)",
    [GS_KEY_FORMAT] = "format (gsim trace info --help lists them)",
    [GS_KEY_RATES] = "two rates, prefill and decode (8000/s 40/s)",
    [GS_KEY_BANDWIDTH] = "bandwidth (400Gb/s, 50GB/s)",
    [GS_KEY_POWER] = "power (700W, 12kW)",
    [GS_KEY_PLAN] = "planned change (down n[01-16] at 2d for 4h)",
    [GS_KEY_WHEN] = "time from t = 0, or a wall clock (30d, 2026-01-05T00:00:00Z)",
};

const struct gs_key *gs_keys(size_t *n)
{
    *n = NKEYS;
    return keys;
}

const struct gs_kind *gs_kinds(size_t *n)
{
    *n = NKINDS;
    return kinds;
}

const char *gs_key_type_str(enum gs_key_type t)
{
    return t < GS_KEY_COUNT ? type_names[t] : "?";
}

const struct gs_kind *gs_kind_find(const char *name)
{
    for (size_t i = 0; i < NKINDS; i++)
        if (strcmp(kinds[i].name, name) == 0)
            return &kinds[i];
    return NULL;
}

/* Does the row stand for this key? "labels.*" stands for "labels.rack". */
static int row_is(const struct gs_key *k, const char *kind, const char *key)
{
    const size_t n = strlen(k->key);
    if (strcmp(k->section, kind) != 0)
        return 0;
    if (k->key[n - 1] == '*')
        return strncmp(k->key, key, n - 1) == 0 && key[n - 1] != '\0';
    return strcmp(k->key, key) == 0;
}

const struct gs_key *gs_key_find(const char *kind, const char *key)
{
    for (size_t i = 0; i < NKEYS; i++)
        if (row_is(&keys[i], kind, key))
            return &keys[i];
    return NULL;
}

int gs_key_is_later(const struct gs_kind *k, const char *key)
{
    const size_t n = strlen(key);
    for (const char *p = k->later; *p && p[1]; p = strchr(p + 1, '|')) {
        const char *word = p + 1;
        const size_t m = (size_t)(strchr(word, '|') - word);
        if (word[m - 1] == '.' ? n > m && memcmp(word, key, m) == 0
                               : n == m && memcmp(word, key, m) == 0)
            return 1;
    }
    return 0;
}

const char *gs_key_nearest(const char *kind, const char *key)
{
    const char *words[NKEYS];
    size_t n = 0;
    for (size_t i = 0; i < NKEYS; i++)
        if (strcmp(keys[i].section, kind) == 0)
            words[n++] = keys[i].key;
    return gs_nearest(key, words, n);
}

const char *gs_kind_nearest(const char *name)
{
    const char *words[NKINDS];
    size_t n = 0;
    for (size_t i = 0; i < NKINDS; i++)
        if (!(kinds[i].flags & GS_KIND_LATER))
            words[n++] = kinds[i].name;
    return gs_nearest(name, words, n);
}

/* ---- help ---- */

static void show_words(const struct gs_key *k, struct gs_buf *out)
{
    for (const char *p = k->words; *p; p++)
        gs_buf_add(out, *p == '|' ? ", " : p, *p == '|' ? 2 : 1);
}

static void show_key(const struct gs_key *k, struct gs_buf *out)
{
    const struct gs_kind *kind = gs_kind_find(k->section);
    gs_require(kind); /* every key of the table is of a kind of the table */
    const int named = (kind->flags & GS_KIND_NAMED) && !(kind->flags & GS_KIND_NAMELESS);
    gs_buf_fmt(out, "[%s%s] %s: %s\n  type: %s", k->section, named ? " NAME" : "", k->key, k->doc,
               gs_key_type_str(k->type));
    if (k->words) {
        gs_buf_str(out, ": ");
        show_words(k, out);
    }
    if (k->min || k->max)
        gs_buf_fmt(out, "\n  range: %s..%s", k->min ? k->min : "", k->max ? k->max : "");
    gs_buf_fmt(out, "\n  default: %s\n", k->def ? k->def : "none");
}

/* `nodes.count`, and where a section has a name, `nodes.dgx.count`. */
static int is_dotted(const struct gs_key *k, const char *word)
{
    const size_t n = strlen(k->section);
    const struct gs_kind *kind = gs_kind_find(k->section);
    const char *last = strrchr(word, '.');
    if (!last || strncmp(word, k->section, n) != 0 || word[n] != '.')
        return 0;
    return row_is(k, k->section, word + n + 1) ||
           (kind && kind->flags & GS_KIND_NAMED && row_is(k, k->section, last + 1));
}

/* `count`, `nodes.count`, `nodes` (all its keys), `[nodes]`. */
int gs_key_help(const char *key, struct gs_buf *out, const char **near)
{
    char word[128];
    size_t n = strlen(key);
    const int bracketed = n > 2 && key[0] == '[' && key[n - 1] == ']';
    gs_fmt(word, sizeof word, "%.*s", (int)(bracketed && n < sizeof word ? n - 2 : n),
           key + bracketed);
    int found = 0;
    const struct gs_kind *kind = gs_kind_find(word);
    if (kind) {
        gs_buf_fmt(out, "[%s%s]: %s%s\n", word, kind->flags & GS_KIND_NAMED ? " NAME" : "",
                   kind->doc,
                   kind->flags & GS_KIND_LATER
                       ? " (known to the format, not yet supported by this version)"
                       : "");
        found = 1;
    }
    const char *dot = strchr(word, '.');
    for (size_t i = 0; i < NKEYS; i++) {
        const struct gs_key *k = &keys[i];
        const int any = k->key[0] == '*'; /* a name that the user makes up */
        if (is_dotted(k, word) || (!any && row_is(k, k->section, word)) ||
            (kind && strcmp(k->section, kind->name) == 0)) {
            show_key(k, out);
            found = 1;
        }
    }
    if (near)
        *near = NULL;
    if (!found && near) {
        const char *words[NKEYS + NKINDS];
        for (size_t i = 0; i < NKEYS + NKINDS; i++)
            words[i] = i < NKEYS ? keys[i].key : kinds[i - NKEYS].name;
        *near = gs_nearest(dot ? dot + 1 : word, words, NKEYS + NKINDS);
    }
    return found;
}

void gs_key_reference(struct gs_buf *out)
{
    const char *section = "";
    for (size_t i = 0; i < NKEYS; i++) {
        const struct gs_key *k = &keys[i];
        if (strcmp(section, k->section) != 0) {
            const struct gs_kind *kind = gs_kind_find(k->section);
            gs_require(kind);
            gs_buf_fmt(
                out,
                "%s[%s%s] %s\n\n| key | value | default | what it says |\n| --- | --- | --- | --- |\n",
                *section ? "\n" : "", k->section, kind->flags & GS_KIND_NAMELESS ? "" : " NAME",
                kind->doc);
            section = k->section;
        }
        gs_buf_fmt(out, "| `%s` | ", k->key);
        if (k->words)
            show_words(k, out);
        else
            gs_buf_str(out, gs_key_type_str(k->type));
        gs_buf_fmt(out, " | %s | %s |\n", k->def ? k->def : "", k->doc);
    }
}
