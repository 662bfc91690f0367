/* test_scenario.c - keys: what each section turns into, and what every slip is told. */
#include "sim/base/units.h"
#include "tests/unit/scenario_help.h"

#include <math.h>

/* ---- what is read ---- */

static void the_least_scenario_has_every_default(void)
{
    struct gs_settings s;
    if (load_good(&s, LEAST)) {
        GS_EQ_STR(s.path, "s.ini");
        GS_EQ_STR(s.dir, ".");
        GS_EQ_STR(s.stem, "s");
        GS_EQ_STR(s.name, "s");
        GS_EQ_STR(s.zone, "UTC");
        GS_EQ_INT(s.seed, 1);
        GS_EQ_INT(s.start_unix_ns, GS_NEVER);
        GS_EQ_INT(s.horizon_ns, GS_NEVER);
        GS_EQ_INT(s.warmup_ns, 0);
        GS_EQ_INT(s.measure, GS_MEASURE_ALL);
        GS_EQ_INT(s.replications, 1);
        GS_EQ_INT(s.compat_pyss + s.faults_fallback + s.events + s.waits, 0);
        CU_ASSERT_PTR_NULL(s.scheduler);
        for (size_t r = 0; r < GS_ROLE_COUNT; r++)
            CU_ASSERT_PTR_NULL(s.role[r]);
        GS_EQ_INT(s.cycle_interval_ns, 0);
        GS_EQ_INT(s.queueing, 1);
        GS_EQ_STR(s.out_file, "results/s.h5");
        GS_EQ_INT(s.series_ns, 60 * GS_SECOND);
        GS_EQ_INT(s.compress, 4);
        GS_EQ_STR(s.group, "queue, kind, size");
        GS_EQ_INT(gs_sweep_points(&s), 1);
    }
    gs_settings_release(&s);
}

static void the_run_as_a_whole(void)
{
    struct gs_settings s;
    if (load_good(
            &s, LEAST
            "[scenario]\nname = n\nseed = 18\nstart = 2026-01-05 00:00:00\nzone = +08:00\nhorizon = 2w\nwarmup = 1d\nmeasure = 2d..2026-01-08T00:00:00\n"
            "replications = 20\ncompat = pyss\n[network]\nlevels = zone block leaf\n")) {
        GS_EQ_INT(s.seed, 18);
        GS_EQ_INT(s.zone_offset_s, 8 * 3600);
        GS_EQ_INT(s.start_unix_ns / GS_SECOND, 1767571200 - 8 * 3600);
        GS_EQ_INT(s.horizon_ns / GS_SECOND, 14 * 86400);
        GS_EQ_INT(s.warmup_ns / GS_SECOND, 86400);
        GS_EQ_INT(s.measure, GS_MEASURE_RANGE);
        GS_EQ_INT(s.measure_from / GS_SECOND, 2 * 86400);
        GS_EQ_INT(s.measure_to / GS_SECOND, 3 * 86400);
        GS_EQ_INT(s.replications, 20);
        GS_EQ_INT(s.compat_pyss, 1);
        GS_EQ_STR(s.levels, "zone block leaf");
    }
    gs_settings_release(&s);
}

static void windows_by_length_and_by_jobs(void)
{
    struct gs_settings s;
    if (load_good(&s, LEAST "[scenario]\nmeasure = 7d\n")) {
        GS_EQ_INT(s.measure, GS_MEASURE_LENGTH);
        GS_EQ_INT(s.measure_to / GS_SECOND, 7 * 86400);
    }
    gs_settings_release(&s);
    if (load_good(&s, LEAST "[scenario]\nmeasure = jobs 1000..5000\n")) {
        GS_EQ_INT(s.measure, GS_MEASURE_JOBS);
        GS_EQ_INT(s.measure_from, 1000);
        GS_EQ_INT(s.measure_to, 5000);
    }
    gs_settings_release(&s);
}

static void nodes_by_type_with_defaults_and_overrides(void)
{
    struct gs_settings s;
    if (load_good(
            &s, WORK
            "[network]\nlevels = zone rack\n[nodes]\ncount = 3\nlabels.team = all\nlabels.rack = r0\n[nodes one]\ntype = dgx-h100\n"
            "[nodes two]\ntype = DGX-A100\ncount = 5\ngpus = 4\ncpus = 12.5\nmemory = 512GiB\ngpu_memory = 80GiB\nlabels.rack = r2\nlabels.disk = ssd\n"
            "price = 2.10USD/h\nplace = zone:z1 rack:r2\noversubscribe = gpu:1.5 memory:120%\n")) {
        const struct gs_set_nodes *n = &s.nodes.v[0];
        GS_EQ_INT(s.nodes.n, 2);
        GS_EQ_STR(n->type, "dgx-h100");
        GS_EQ_INT(n->count, 3);
        GS_EQ_INT(n->gpus + n->cpus_milli + n->memory_mib + n->gpu_memory_mib, -4);
        GS_EQ_INT(n->labels.n, 2);
        GS_EQ_STR(n->labels.v[0], "rack=r0");
        CU_ASSERT(isnan(n->price_per_h));
        GS_NEAR(n->oversubscribe_gpu + n->oversubscribe_memory, 2, 0);
        n = &s.nodes.v[1];
        GS_EQ_INT(n->count, 5);
        GS_EQ_INT(n->gpus, 4);
        GS_EQ_INT(n->cpus_milli, 12500);
        GS_EQ_INT(n->memory_mib, 512 * 1024);
        GS_EQ_INT(n->gpu_memory_mib, 80 * 1024);
        GS_EQ_INT(n->labels.n, 3);
        GS_EQ_STR(n->labels.v[0], "disk=ssd");
        GS_EQ_STR(n->labels.v[1], "rack=r2");
        GS_EQ_STR(n->labels.v[2], "team=all");
        GS_EQ_STR(n->place, "zone:z1 rack:r2");
        GS_NEAR(n->price_per_h, 2.1, 1e-12);
        GS_NEAR(n->oversubscribe_gpu, 1.5, 0);
        GS_NEAR(n->oversubscribe_memory, 1.2, 1e-12);
    }
    gs_settings_release(&s);
}

static void machines_without_a_type(void)
{
    struct gs_settings s;
    if (load_good(
            &s, WORK
            "[nodes cpu]\ncpus = 1\ncount = 128\n[nodes odd]\ngpus = 2\ngpu = Own-1\ngpu_memory = 4GiB\n")) {
        GS_EQ_INT(s.nodes.v[0].gpus, 0);
        GS_EQ_INT(s.nodes.v[0].cpus_milli, 1000);
        GS_EQ_INT(s.nodes.v[0].memory_mib, 0);
        GS_EQ_INT(s.nodes.v[1].cpus_milli, 0);
        GS_EQ_INT(s.nodes.v[1].gpu_memory_mib, 4096);
    }
    gs_settings_release(&s);
}

static void queues_and_priorities(void)
{
    struct gs_settings s;
    if (load_good(
            &s, NODES
            "[workload w]\nduration = 10m\ncount = 1\nqueue = prod\npriority = high\n[queue prod]\nparent = root\nquota = 12.5\nlimit = 20\nweight = 3\n"
            "priority = -2\nquota.cpu = 100\nlimit.cpu = 200\n[queue root]\n[priority high]\nvalue = 1000\n")) {
        const struct gs_set_queue *q = &s.queues.v[0];
        GS_EQ_STR(q->parent, "root");
        GS_NEAR(q->quota, 12.5, 0);
        GS_NEAR(q->limit, 20, 0);
        GS_NEAR(q->weight, 3, 0);
        GS_NEAR(q->quota_cpus, 100, 0);
        GS_NEAR(q->limit_cpus, 200, 0);
        GS_EQ_INT(q->priority, -2);
        CU_ASSERT_PTR_NULL(s.queues.v[1].parent);
        GS_NEAR(s.queues.v[1].quota + s.queues.v[1].limit, -2, 0);
        GS_EQ_INT(s.priorities.v[0].value, 1000);
        GS_EQ_INT(s.workloads.v[0].s.priority,
                  1000); /* classes are known before jobs, wherever they stand */
        GS_EQ_STR(s.workloads.v[0].s.queue, "prod");
    }
    gs_settings_release(&s);
}

static void synthetic_jobs(void)
{
    struct gs_settings s;
    if (load_good(
            &s, NODES
            "[scenario]\nhorizon = 3d\n[workload w]\nkind = training\narrivals = poisson 40/h\nfrom = 1h\ngpus = choice 1:0.7 8:0.3\n"
            "duration = lognormal median=30m sigma=1.7\nestimate = factor 2\ntask_gpus = 4\ncpus_per_gpu = 2.5\nmemory_per_gpu = 16GiB\n"
            "gpu_memory = 10GiB\ngpu = T4|L4\nusers = 7\npreemptible = no\n"
            "[workload late]\narrivals = poisson 1/h\nto = 9d\nduration = 1m\nshare = 0.5\n")) {
        const struct gs_synth *w = &s.workloads.v[0].s;
        GS_EQ_INT(w->kind, GS_KIND_TRAINING);
        GS_EQ_INT(w->count, -1);
        GS_EQ_INT(w->from_ns, 3600 * GS_SECOND);
        GS_EQ_INT(w->to_ns, 3 * 86400 * GS_SECOND); /* arrivals stop at the horizon */
        GS_EQ_STR(w->estimate, "factor 2");
        GS_EQ_INT(w->task_gpus, 4);
        GS_EQ_INT(w->cpus_per_gpu_milli, 2500);
        GS_EQ_INT(w->mem_per_gpu_mib, 16384);
        GS_EQ_INT(w->gpu_mem_mib, 10240);
        GS_EQ_STR(w->gpu, "T4|L4");
        GS_EQ_STR(w->users, "7");
        GS_EQ_INT(w->flags & GS_JOB_PREEMPTIBLE, 0);
        GS_EQ_INT(s.workloads.v[1].s.to_ns, 3 * 86400 * GS_SECOND);
        GS_EQ_INT(s.workloads.v[1].s.flags & GS_JOB_PREEMPTIBLE, GS_JOB_PREEMPTIBLE);
        GS_EQ_STR(s.workloads.v[1].s.share, "0.5");
    }
    gs_settings_release(&s);
}

static void traces_and_their_paths(void)
{
    char path[600];
    char want[700];
    struct gs_settings s;
    struct gs_err err = {0};
    gs_test_write("t.swf", "; none\n", SIZE_MAX, path, sizeof path);
    gs_test_write("nodes.csv", "sn\n", SIZE_MAX, path, sizeof path);
    gs_test_write(
        "t.ini",
        "[nodes n]\ninventory = nodes.csv\n[trace a]\nfile = t.swf\n[trace b]\nfile = t.swf\nformat = swf\nzone = Asia/Shanghai\nfrom = 1h\nto = 2h\n"
        "first = 10\nestimate = exact\nqueue = q\npriority = 3\nbad_rows = skip\ntask_gpus = 0\ngpus_per_proc = 0.5\ntask_procs = 4\ncpus_per_gpu = 2\n"
        "memory_per_gpu = 1GiB\ngpu_spec = no\n",
        SIZE_MAX, path, sizeof path);
    const enum gs_rc rc = gs_settings_load(&s, path, NULL, 0, NULL, &err);
    GS_EQ_STR(err.msg, "");
    if (rc == GS_OK) {
        const struct gs_trace_options *o = &s.traces.v[0].o;
        GS_EQ_STR(o->path, gs_test_tmp_file("t.swf", want, sizeof want));
        GS_EQ_STR(o->shown, "t.swf");
        CU_ASSERT_PTR_NULL(o->format);
        CU_ASSERT_PTR_NULL(o->zone);
        GS_EQ_INT(o->ambiguous, GS_AMBIGUOUS_EARLIER);
        GS_EQ_INT(o->from_ns, GS_NEVER);
        GS_EQ_INT(o->to_ns, GS_NEVER);
        GS_EQ_INT(o->task_gpus, 8);
        GS_EQ_INT(o->task_procs, 1);
        GS_EQ_INT(o->keep_gpu_spec, 1);
        o = &s.traces.v[1].o;
        GS_EQ_STR(o->format, "swf");
        GS_EQ_STR(o->zone, "Asia/Shanghai");
        GS_EQ_INT(o->from_ns, 3600 * GS_SECOND);
        GS_EQ_INT(o->to_ns, 7200 * GS_SECOND);
        GS_EQ_INT(o->first, 10);
        GS_EQ_STR(s.traces.v[1].estimate, "exact");
        GS_EQ_STR(o->queue, "q");
        GS_EQ_INT(o->priority, 3);
        GS_EQ_INT(o->bad_rows, GS_BAD_ROWS_SKIP);
        GS_EQ_INT(o->task_gpus, 0);
        GS_EQ_INT(o->gpus_per_proc_milli, 500);
        GS_EQ_INT(o->task_procs, 4);
        GS_EQ_INT(o->cpus_per_gpu_milli, 2000);
        GS_EQ_INT(o->mem_per_gpu_mib, 1024);
        GS_EQ_INT(o->keep_gpu_spec, 0);
        GS_EQ_STR(s.nodes.v[0].inventory, gs_test_tmp_file("nodes.csv", want, sizeof want));
        GS_EQ_STR(s.nodes.v[0].inventory_shown, "nodes.csv");
        GS_EQ_STR(s.nodes.v[0].format, "openb");
    }
    gs_settings_release(&s);
}

static void parts_and_instances(void)
{
    struct gs_settings s;
    if (load_good(
            &s, LEAST
            "[policy]\norder = fast\nplacement = fgd\nbackfill = none\npreemption = priority\ncycle_interval = 30s\nfaults = stop\nwork_budget = 1000\n"
            "queueing = no\n[policy fast]\nmodule = sjf\nage = 2h\n")) {
        CU_ASSERT_PTR_NULL(s.scheduler);
        GS_EQ_STR(s.role[GS_ROLE_ORDER], "fast");
        GS_EQ_STR(s.role[GS_ROLE_PLACEMENT], "fgd");
        CU_ASSERT_PTR_NULL(s.role[GS_ROLE_BACKFILL]);
        GS_EQ_STR(s.role[GS_ROLE_PREEMPTION], "priority");
        GS_EQ_INT(s.cycle_interval_ns, 30 * GS_SECOND);
        GS_EQ_INT(s.work_budget, 1000);
        GS_EQ_INT(s.queueing, 0);
        GS_EQ_INT(s.policies.n, 1);
        GS_EQ_STR(s.policies.v[0].module, "sjf");
        GS_EQ_STR(s.policies.v[0].set.v[0].key, "age");
        GS_EQ_STR(s.policies.v[0].set.v[0].value, "2h");
        GS_EQ_STR(s.policies.v[0].set.v[0].where, "s.ini:19");
    }
    gs_settings_release(&s);
}

static void a_preset_chooses_all_parts_together(void)
{
    struct gs_settings s;
    if (load_good(
            &s, LEAST
            "[policy]\nscheduler = good\nplacement = bestfit\norder = ljf\n[policy good]\nmodule = composite\norder = sjf\nbackfill = easy\n"
            "[policy plain]\nmodule = composite\n")) {
        CU_ASSERT_PTR_NULL(s.scheduler);
        GS_EQ_STR(s.role[GS_ROLE_ORDER], "sjf");
        GS_EQ_STR(s.role[GS_ROLE_PLACEMENT], "bestfit");
        GS_EQ_STR(s.role[GS_ROLE_BACKFILL], "easy");
        CU_ASSERT_PTR_NULL(s.role[GS_ROLE_PREEMPTION]);
        GS_EQ_INT(s.policies.n, 0);
    }
    gs_settings_release(&s);
}

static void expectations_are_whole_lines(void)
{
    struct gs_settings s;
    if (load_good(
            &s, LEAST
            "[expect]\njobs.wait.p95{queue=prod, kind=training} <= 30m ; slow\ngpu.utilization >=\n   70%\ndigest = 0f\n")) {
        GS_EQ_INT(s.expect.n, 3);
        GS_EQ_STR(s.expect.v[0], "jobs.wait.p95{queue=prod, kind=training} <= 30m");
        GS_EQ_STR(s.expect.v[1], "gpu.utilization >= 70%");
        GS_EQ_STR(s.expect.v[2], "digest = 0f");
    }
    gs_settings_release(&s);
}

/* ---- what is refused ---- */

struct refusal {
    const char *text, *heads;
};

/* Each text is refused with exactly these lines, in the order of the file, each once. */
static const struct refusal refusals[] = {
    {LEAST "[scenario]\nsede = 1\n",
     "s.ini:9: [scenario] sede: unknown key, the nearest known is 'seed'\n"},
    {LEAST "[scenario]\nzzz = 1\n", "s.ini:9: [scenario] zzz: unknown key\n"},
    {LEAST "[nodse x]\na = 1\n",
     "s.ini:8: [nodse x]: unknown section, the nearest known is [nodes]\n"},
    {LEAST "[whatever]\n", "s.ini:8: [whatever]: unknown section\n"},
    {LEAST "[output x]\n", "s.ini:8: [output x]: this section takes no name\n"},
    {LEAST "[plan]\nminimize = cost\n",
     "s.ini:8: [plan]: this section is known to the format but not yet supported by this version\n"},
    {LEAST "[slurm.qos high]\n",
     "s.ini:8: [slurm.qos high]: objects of modules are known to the format but not yet supported by this version\n"},
    {LEAST "nics = 3\n[queue q]\nusers.max = 1\n",
     "s.ini:8: [workload w] nics: unknown key\n"
     "s.ini:10: [queue q] users.max: this key is known to the format but not yet supported by this version\n"},
    {LEAST "[queue q]\nquota.cpus = 1\n",
     "s.ini:9: [queue q] quota.cpus: unknown key, the nearest known is 'quota.cpu'\n"},
    {LEAST "[queue q]\nslurm.grptres = 1\n",
     "s.ini:9: [queue q] slurm.grptres: unknown key; parameters that modules declare on objects are known to the format but not yet supported by this version\n"},
    /* values */
    {LEAST "[nodes h]\ntype = dgx-h100\ncount = twelve\n",
     "s.ini:10: [nodes h] count: 'twelve' is not a whole number\n"},
    {LEAST "[nodes h]\ntype = dgx-h100\ncount = 0\n",
     "s.ini:10: [nodes h] count: '0' is too small (at least 1)\n"},
    {LEAST "[scenario]\nhorizon = 5\n",
     "s.ini:9: [scenario] horizon: '5' is not a time (write 90s, 15m, 2h, 30d, 1w, 250ms, 2d 03:15 or 2-03:15:00)\n"},
    {LEAST "[scenario]\nhorizon = 0s\n",
     "s.ini:9: [scenario] horizon: '0s' is too short (at least 1s)\n"},
    {LEAST "[scenario]\nstart = 2026-01-05T00:00:00\n",
     "s.ini:9: [scenario] start: '2026-01-05T00:00:00' has no zone (add Z or +08:00, or set zone)\n"},
    {LEAST "[scenario]\nzone = Europe/Berln\n",
     "s.ini:9: [scenario] zone: 'Europe/Berln' is not a time zone (write UTC, an offset such as +08:00, a name such as America/Los_Angeles, or a rule such as PST8PDT,M3.2.0,M11.1.0); did you mean 'Europe/Berlin'?\n"},
    {LEAST "[scenario]\nzone = America/New_York\nstart = 2026-11-01T01:30:00\n",
     "s.ini:10: [scenario] start: '2026-11-01T01:30:00' happens twice in America/New_York: write its offset, as in +08:00\n"},
    {LEAST "[scenario]\nmeasure = 3d..1d\n",
     "s.ini:9: [scenario] measure: '3d..1d' is an empty window\n"},
    {LEAST "[scenario]\nmeasure = jobs 5\n",
     "s.ini:9: [scenario] measure: 'jobs 5' is not a range of jobs (write jobs 1000..5000)\n"},
    {LEAST "[scenario]\nmeasure = 1d..2026-01-08T00:00:00Z\n",
     "s.ini:9: [scenario] measure: '2026-01-08T00:00:00Z' is a wall clock, and no start says which one t = 0 is\n"},
    {LEAST "[scenario]\ncompat = slurm\n",
     "s.ini:9: [scenario] compat: 'slurm' is not one of none, pyss\n"},
    {LEAST "[output]\ngroup = queue, colour\n",
     "s.ini:9: [output] group: 'colour' is not one of queue, kind, size, user, priority, gpu\n"},
    {LEAST "[policy]\nqueueing = maybe\n",
     "s.ini:9: [policy] queueing: 'maybe' is not yes or no (also true, false, on, off, 1, 0)\n"},
    {LEAST "[nodes h]\ncpus = 1.00005\n",
     "s.ini:9: [nodes h] cpus: '1.00005' is finer than a thousandth\n"},
    {LEAST "[queue q]\nweight = 0\n",
     "s.ini:9: [queue q] weight: '0' is too small (at least 0.000001)\n"},
    {LEAST "[nodes h]\ntype = dgx-h100\noversubscribe = gpu:0.5\n",
     "s.ini:10: [nodes h] oversubscribe: 'gpu:0.5': a factor is 1 to 1000\n"},
    {LEAST "[nodes h]\ntype = dgx-h100\noversubscribe = 2\n",
     "s.ini:10: [nodes h] oversubscribe: '2' is not a factor (write gpu:1.5 memory:1.2)\n"},
    {LEAST "priority = high\n",
     "s.ini:8: [workload w] priority: 'high' is neither a whole number of 32 bits nor the name of a [priority NAME] section\n"},
    {LEAST "gpu_memory = 5000TiB\n",
     "s.ini:8: [workload w] gpu_memory: '5000TiB' is too much for one GPU\n"},
    {LEAST "[trace t]\nfile = nowhere.swf\n",
     "s.ini:9: [trace t] file: no such file: 'nowhere.swf'\n"},
    {LEAST "[trace t]\nfile = /\n",
     "s.ini:9: [trace t] file: '/' is a directory, expected a file\n"},
    /* the default of several sections is complained about once */
    {NODES
     "[workload]\nusers = x\n[workload a]\nduration = 1m\ncount = 1\n[workload b]\nduration = 1m\ncount = 1\n",
     "s.ini:6: [workload] users: 'x' is not a distribution (write a value, or 'lognormal median=30m sigma=1.7' and the like)\n"},
    /* what no single value can tell */
    {NODES, "s.ini: there is nothing to run: add a section [trace NAME] or [workload NAME]\n"},
    {WORK, "s.ini: the cluster has no nodes: add a section [nodes NAME] with a type and a count\n"},
    {LEAST "[queue]\nweight = 2\n",
     "s.ini:8: [queue]: without a name it only holds defaults, and there is no [queue NAME]\n"},
    {NODES "[workload w]\nduration = 1m\narrivals = poisson 40/h\n",
     "s.ini:7: [workload w] arrivals: have neither count nor to, so a horizon is required (horizon = 7d in [scenario])\n"},
    {NODES "[workload w]\nduration = 1m\n",
     "s.ini:5: [workload w]: needs arrivals, or a count of jobs that arrive at once\n"},
    {NODES "[workload w]\ncount = 1\n", "s.ini:5: [workload w]: needs a duration\n"},
    {NODES "[workload w]\nduration = 1m\ncount = 1\ngpus = 2\nshare = 0.5\n",
     "s.ini:9: [workload w] share: is a part of one GPU and does not go with gpus\n"},
    {NODES "[workload w]\nduration = 1m\narrivals = poisson 1/h\nfrom = 2h\nto = 1h\n",
     "s.ini:9: [workload w] to: is not after from\n"},
    {LEAST "[trace t]\n", "s.ini:8: [trace t]: needs a file\n"},
    {LEAST "[nodes h]\ncount = 2\n",
     "s.ini:8: [nodes h]: needs a type, an inventory, or gpus and cpus\n"},
    {LEAST "[nodes h]\ngpus = 2\n", "s.ini:9: [nodes h] gpus: needs the GPU's model (gpu = ...)\n"},
    {LEAST "[nodes h]\ntype = dgx-h10\n",
     "s.ini:9: [nodes h] type: 'dgx-h10' is not in the catalog of servers, the nearest is 'dgx-h100' (gsim catalog servers lists them)\n"},
    {LEAST "[nodes h]\ntype = dgx-h100\nplace = rack:1\n",
     "s.ini:10: [nodes h] place: 'rack' is not among the levels of [network]\n"},
    {LEAST "[nodes h]\ntype = dgx-h100\nplace = rack\n",
     "s.ini:10: [nodes h] place: 'rack' is not LEVEL:NAME\n"},
    {LEAST "[nodes h]\ntype = dgx-h100\nformat = openb\n",
     "s.ini:10: [nodes h] format: is the format of an inventory, and there is none\n"},
    {LEAST "[nodes h]\ninventory = /dev/null\ncount = 3\n",
     "s.ini:10: [nodes h] count: does not go with inventory, which says it for each node\n"},
    {LEAST "[queue a]\nparent = b\n[queue b]\nparent = a\n",
     "s.ini:9: [queue a] parent: the chain of parents comes back to itself\n"
     "s.ini:11: [queue b] parent: the chain of parents comes back to itself\n"},
    {LEAST "[queue proud]\n[queue a]\nparent = prod\n",
     "s.ini:10: [queue a] parent: there is no [queue prod], the nearest is [queue proud]\n"},
    {LEAST "queue = prdo\n[queue prod]\n",
     "s.ini:8: [workload w] queue: there is no [queue prdo], the nearest is [queue prod]\n"},
    {LEAST "[priority p]\n", "s.ini:8: [priority p]: needs a value\n"},
    {LEAST "[scenario]\nhorizon = 1d\nwarmup = 1d\n",
     "s.ini:10: [scenario] warmup: is not before the horizon\n"},
    {LEAST "[expect]\njobs.wait.p95\n",
     "s.ini:9: [expect] not an expression (write jobs.wait.p95 <= 30m)\n"},
    {LEAST "[expect]\njobs.wait.p95{queue=prod}\n",
     "s.ini:9: [expect] not an expression (write jobs.wait.p95 <= 30m)\n"},
    /* policies */
    {LEAST "[policy]\nscheduler = greedy\norder = fifo\n",
     "s.ini:10: [policy] order: is a part of the composite scheduler, and scheduler = greedy is another one\n"},
    {LEAST "[policy]\nscheduler = exec:foo\n",
     "s.ini:9: [policy] scheduler: 'exec:foo': exec: is known to the format but not yet supported by this version\n"},
    {LEAST "[policy]\norder = p\n[policy p]\nmodule = composite\n",
     "s.ini:9: [policy] order: 'p' is a preset of all four parts: use it as scheduler\n"},
    {LEAST "[policy p]\nmodule = composite\nspeed = 3\n",
     "s.ini:10: [policy p] speed: unknown key, the parts of the composite scheduler are order, placement, backfill, preemption\n"},
    {LEAST "[policy]\nrouter = x\n",
     "s.ini:9: [policy] router: this key is known to the format but not yet supported by this version\n"},
};

static void every_slip_is_told_once_with_its_line(void)
{
    for (size_t i = 0; i < sizeof refusals / sizeof *refusals; i++) {
        struct gs_settings s;
        char heads[4096];
        GS_EQ_INT(load(&s, refusals[i].text), GS_E_INPUT);
        only_heads(gs_buf_cstr(&s.problems), heads, sizeof heads);
        gs_test_eq_str(heads, refusals[i].heads, refusals[i].text, __FILE__, __LINE__);
        gs_settings_release(&s);
    }
}

static void all_problems_are_told_in_the_order_of_the_file(void)
{
    struct gs_settings s;
    struct gs_err err = {0};
    const char *text =
        "[nodes h100]\ntype = dgx-h100\ncount = twelve\n[scenario]\nhorizon = 5\nsede = 1\n[workload w]\nduration = lognormal\na:b\n";
    const struct gs_settings_text src = {"s.ini", text, strlen(text)};
    GS_EQ_INT(gs_settings_load_text(&s, &src, NULL, 0, NULL, &err), GS_E_INPUT);
    char heads[4096];
    only_heads(gs_buf_cstr(&s.problems), heads, sizeof heads);
    GS_EQ_STR(
        heads,
        "s.ini:3: [nodes h100] count: 'twelve' is not a whole number\n"
        "s.ini:5: [scenario] horizon: '5' is not a time (write 90s, 15m, 2h, 30d, 1w, 250ms, 2d 03:15 or 2-03:15:00)\n"
        "s.ini:6: [scenario] sede: unknown key, the nearest known is 'seed'\n"
        "s.ini:7: [workload w]: needs arrivals, or a count of jobs that arrive at once\n"
        "s.ini:8: [workload w] duration: 'lognormal' needs sigma (lognormal median=30m sigma=1.7)\n"
        "s.ini:9: expected 'key = value'\n");
    gs_settings_release(&s);
}

static void a_problem_shows_the_line_and_points_at_the_place(void)
{
    struct gs_settings s;
    GS_EQ_INT(load(&s, LEAST "[scenario]\nseed\t= x ; one\n"), GS_E_INPUT);
    GS_EQ_STR(gs_buf_cstr(&s.problems), "s.ini:9: [scenario] seed: 'x' is not a whole number\n"
                                        "    seed\t= x ; one\n"
                                        "        \t  ^");
    gs_settings_release(&s);
}

static void a_message_that_is_too_long_counts_the_rest(void)
{
    struct gs_settings s;
    struct gs_err err = {0};
    struct gs_buf text = {0};
    gs_buf_str(&text, LEAST "[scenario]\n");
    for (int i = 0; i < 300; i++)
        gs_buf_fmt(&text, "unheard%d = 1\n", i);
    const struct gs_settings_text src = {"s.ini", gs_buf_cstr(&text), text.n};
    GS_EQ_INT(gs_settings_load_text(&s, &src, NULL, 0, NULL, &err), GS_E_INPUT);
    GS_HAS(err.msg, "s.ini:9: [scenario] unheard0: unknown key\n");
    GS_HAS(err.msg, "\n... and 28");
    GS_HAS(gs_buf_cstr(&s.problems), "unheard199");
    GS_HAS(gs_buf_cstr(&s.problems), "\n... and 100 more");
    gs_buf_free(&text);
    gs_settings_release(&s);
}

/* ---- modules ---- */

static void modules_and_their_parameters_are_checked(void)
{
    struct gs_settings s;
    struct gs_err err = {0};
    const char *text = LEAST
        "[policy]\norder = fiffo\nplacement = none-such-thing\n[policy mine]\nmodule = fifo\nspeed = 3\nweight = 4\n";
    const struct gs_settings_text src = {"s.ini", text, strlen(text)};
    if (access(GSIM_POLICY_DIR "/gsp_fifo.so", R_OK) != 0)
        GS_SKIP("the modules are not built");
    GS_EQ_INT(gs_settings_load_text(&s, &src, NULL, 0, GSIM_POLICY_DIR, &err), GS_E_INPUT);
    GS_HAS(gs_buf_cstr(&s.problems),
           "s.ini:9: [policy] order: no policy module 'fiffo' (did you mean 'fifo'?");
    GS_HAS(gs_buf_cstr(&s.problems),
           "s.ini:10: [policy] placement: no policy module 'none-such-thing'");
    GS_HAS(gs_buf_cstr(&s.problems),
           "s.ini:13: [policy mine] speed: module 'fifo' has no parameter 'speed'");
    GS_HAS(gs_buf_cstr(&s.problems),
           "s.ini:14: [policy mine] weight: module 'fifo' has no parameter 'weight'");
    gs_settings_release(&s);
}

/* ---- help ---- */

static void help_comes_from_the_table(void)
{
    struct gs_buf out = {0};
    const char *near = NULL;
    GS_EQ_INT(gs_key_help("horizon", &out, &near), 1);
    GS_HAS(gs_buf_cstr(&out), "[scenario] horizon: arrivals stop");
    gs_buf_clear(&out);
    GS_EQ_INT(gs_key_help("queue.weight", &out, &near), 1);
    GS_HAS(gs_buf_cstr(&out), "[queue NAME] weight: ");
    GS_HAS(gs_buf_cstr(&out), "default: 1\n");
    gs_buf_clear(&out);
    GS_EQ_INT(gs_key_help("[nodes]", &out, &near), 1);
    GS_HAS(gs_buf_cstr(&out), "[nodes NAME] labels.*: ");
    GS_EQ_INT(gs_key_help("horizn", &out, &near), 0);
    GS_EQ_STR(near, "horizon");
    GS_EQ_INT(gs_key_help("qqqqq", &out, &near), 0);
    CU_ASSERT_PTR_NULL(near);
    gs_buf_free(&out);
}

static void the_reference_names_every_key(void)
{
    struct gs_buf out = {0};
    size_t n = 0;
    const struct gs_key *keys = gs_keys(&n);
    gs_key_reference(&out);
    for (size_t i = 0; i < n; i++) {
        char row[128];
        (void)snprintf(row, sizeof row, "| `%s` |", keys[i].key);
        GS_HAS(gs_buf_cstr(&out), row);
        CU_ASSERT(keys[i].doc && *keys[i].doc);
    }
    gs_buf_free(&out);
}

static const struct gs_test tests[] = {
    {"the least scenario has every default", the_least_scenario_has_every_default},
    {"the run as a whole", the_run_as_a_whole},
    {"windows by length and by jobs", windows_by_length_and_by_jobs},
    {"nodes by type, with defaults and overrides", nodes_by_type_with_defaults_and_overrides},
    {"machines without a type", machines_without_a_type},
    {"queues and priorities", queues_and_priorities},
    {"synthetic jobs", synthetic_jobs},
    {"traces and their paths", traces_and_their_paths},
    {"parts and instances", parts_and_instances},
    {"a preset chooses all parts together", a_preset_chooses_all_parts_together},
    {"expectations are whole lines", expectations_are_whole_lines},
    {"every slip is told once, with its line", every_slip_is_told_once_with_its_line},
    {"all problems are told in the order of the file",
     all_problems_are_told_in_the_order_of_the_file},
    {"a problem shows the line and points at the place",
     a_problem_shows_the_line_and_points_at_the_place},
    {"a message that is too long counts the rest", a_message_that_is_too_long_counts_the_rest},
    {"modules and their parameters are checked", modules_and_their_parameters_are_checked},
    {"help comes from the table", help_comes_from_the_table},
    {"the reference names every key", the_reference_names_every_key},
};
GS_TEST_MAIN("scenario/settings", tests)
