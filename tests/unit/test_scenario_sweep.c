/* test_scenario_sweep.c - overrides, the product of a sweep, and the list of keys in effect. */
#include "tests/unit/scenario_help.h"

static enum gs_rc load_over(struct gs_settings *s, const char *text, const char *key,
                            const char *value, const char *where)
{
    const struct gs_override o = {key, value, where};
    return load_n(s, text, strlen(text), &o, 1);
}

/* ---- overrides ---- */

static void overrides_overrule_the_file(void)
{
    struct gs_settings s;
    static const struct gs_override over[] = {
        {"scenario.seed", "9", "--set"},
        {"nodes.a.cpus", "3", "--set"},
        {"nodes.\"p5.48xlarge\".count", "7", "--set"},
        {"queue.quota.cpu", " 5 ", "--set"},
        {"queue.q.limit", "4", "--set"},
        {"policy.order", "sjf", "--set"},
        {"policy.sjf.age", "2h", "--set"},
        {"nodes.a.labels.rack", "r7", "--set"},
    };
    static const char text[] =
        LEAST "[nodes p5.48xlarge]\ntype = p5.48xlarge\n[policy]\norder = ljf\n";
    GS_EQ_INT(load_n(&s, text, sizeof text - 1, over, sizeof over / sizeof *over), GS_OK);
    GS_EQ_STR(gs_buf_cstr(&s.problems), "");
    if (s.problems.n == 0) {
        GS_EQ_INT(s.seed, 9);
        GS_EQ_INT(s.nodes.v[0].cpus_milli, 3000);
        GS_EQ_STR(s.nodes.v[0].labels.v[0], "rack=r7");
        GS_EQ_INT(s.nodes.v[1].count, 7);
        GS_EQ_STR(s.queues.v[0].name, "q"); /* opened by the override */
        GS_NEAR(s.queues.v[0].limit, 4, 0);
        GS_NEAR(s.queues.v[0].quota_cpus, 5, 0); /* from the default of all queues */
        GS_EQ_STR(s.role[GS_ROLE_ORDER], "sjf");
        GS_EQ_STR(s.policies.v[0].set.v[0].value, "2h");
    }
    gs_settings_release(&s);
}

static void overrides_that_hit_nothing_are_refused(void)
{
    static const struct {
        const char *key, *value, *problems;
    } refusals[] = {
        {"seed", "1",
         "--set: 'seed' is not kind.key or kind.name.key (a name with dots is quoted)\n    seed=1\n    ^"},
        {"scenario.sede", "1",
         "--set: [scenario] sede: unknown key, the nearest known is 'seed'\n    scenario.sede=1\n             ^"},
        {"scenario.seed", "x",
         "--set: [scenario] seed: 'x' is not a whole number\n    scenario.seed=x\n                  ^"},
        {"scenari.seed", "1",
         "--set: [scenari]: unknown section, the nearest known is [scenario]\n    scenari.seed=1\n    ^"},
        {"nodes.b.count", "1", "--set: there is no section [nodes b]\n    nodes.b.count=1\n    ^"},
        {"nodes.\"b.c\"", "1",
         "--set: 'nodes.\"b.c\"' is not kind.key or kind.name.key (a name with dots is quoted)\n    nodes.\"b.c\"=1\n    ^"},
        {"scenario.name", "a ; b",
         "--set: the value cannot be kept in a scenario file (control characters, ' ;' or a word over 150 bytes)\n    scenario.name=a ; b\n                  ^"},
        {"sweep.seeds", "1..3",
         "--set: [sweep] cannot be overruled key by key\n    sweep.seeds=1..3\n    ^"},
    };

    for (size_t i = 0; i < sizeof refusals / sizeof *refusals; i++) {
        struct gs_settings s;
        GS_EQ_INT(load_over(&s, LEAST, refusals[i].key, refusals[i].value, "--set"), GS_E_INPUT);
        GS_EQ_STR(gs_buf_cstr(&s.problems), refusals[i].problems);
        gs_settings_release(&s);
    }
}

/* ---- sweeps ---- */

static void the_first_axis_is_the_slowest(void)
{
    struct gs_settings s;
    if (load_good(&s, LEAST "[sweep]\npolicy.order = fifo | sjf\nnodes.a.count = 1..5 step 2\n")) {
        static const char *const labels[] = {"order=fifo,a.count=1", "order=fifo,a.count=3",
                                             "order=fifo,a.count=5", "order=sjf,a.count=1",
                                             "order=sjf,a.count=3",  "order=sjf,a.count=5"};
        struct gs_override over[4];
        struct gs_buf label = {0};
        GS_EQ_INT(gs_sweep_points(&s), 6);
        for (size_t i = 0; i < 6; i++) {
            GS_EQ_INT(gs_sweep_point(&s, i, over, 4, &label), 2);
            GS_EQ_STR(gs_buf_cstr(&label), labels[i]);
            GS_EQ_STR(over[0].key, "policy.order");
            GS_EQ_STR(over[1].where, "[sweep]");
        }
        GS_EQ_STR(over[1].value, "5");
        gs_buf_free(&label);
    }
    gs_settings_release(&s);
}

static void ranges_are_counted_in_decimals(void)
{
    static const struct {
        const char *axis, *values;
    } ranges[] = {
        {"seeds = 1..4", "1 2 3 4"},
        {"queue.q.weight = 0.7..0.9 step 0.1", "0.7 0.8 0.9"},
        {"queue.q.weight = 1..2 step 0.25", "1 1.25 1.5 1.75 2"},
        {"scenario.horizon = 10d..30d step 10d", "10d 20d 30d"},
        {"queue.q.priority = -2..2 step 2", "-2 0 2"},
        {"queue.q.weight = 1..1.9", "1"},
        {"scenario.measure = 1d..2d", NULL}, /* a range with a unit has no step of its own */
    };

    for (size_t i = 0; i < sizeof ranges / sizeof *ranges; i++) {
        struct gs_settings s;
        char text[300];
        (void)snprintf(text, sizeof text, "%s[queue q]\n[sweep]\n%s\n", LEAST, ranges[i].axis);
        const enum gs_rc rc = load(&s, text);
        GS_EQ_INT(rc, ranges[i].values ? GS_OK : GS_E_INPUT);
        struct gs_buf values = {0};
        for (size_t j = 0; rc == GS_OK && j < s.sweep.v[0].values.n; j++)
            gs_buf_fmt(&values, "%s%s", j ? " " : "", s.sweep.v[0].values.v[j]);
        if (ranges[i].values)
            GS_EQ_STR(gs_buf_cstr(&values), ranges[i].values);
        gs_buf_free(&values);
        gs_settings_release(&s);
    }
}

static void labels_are_fit_for_file_names(void)
{
    struct gs_settings s;
    if (load_good(&s,
                  LEAST "[sweep]\nworkload.w.duration = lognormal median=30m sigma=1.7 | 5m\n")) {
        struct gs_override over[1];
        struct gs_buf label = {0};
        GS_EQ_INT(gs_sweep_point(&s, 0, over, 1, &label), 1);
        GS_EQ_STR(gs_buf_cstr(&label), "w.duration=lognormal-median-30m-sigma-1.7");
        gs_buf_free(&label);
    }
    gs_settings_release(&s);
}

static void every_value_of_an_axis_is_checked_before_any_runs(void)
{
    static const struct {
        const char *axis, *heads;
    } refusals[] = {
        {"policy.order = fifo | sjf |",
         "s.ini:9: [sweep] policy.order: an empty value (write KEY = a | b | c, or KEY = lo..hi step N)\n"},
        {"nodes.a.count = 1 | two | 0",
         "s.ini:9: [sweep] nodes.a.count: 'two' is not a whole number\ns.ini:9: [sweep] nodes.a.count: '0' is too small (at least 1)\n"},
        {"nodes.a.cuont = 1",
         "s.ini:9: [sweep] nodes.a.cuont: unknown key, the nearest known is 'count'\n"},
        {"nods.a.count = 1",
         "s.ini:9: [sweep] nods.a.count: unknown key, the nearest known is 'nodes'\n"},
        {"count = 1",
         "s.ini:9: [sweep] 'count' is neither seeds, kind.key nor kind.name.key (a name with dots is quoted)\n"},
        {"seeds = 3..1", "s.ini:9: [sweep] seeds: the range is empty\n"},
        {"seeds = 1..9 step 0", "s.ini:9: [sweep] seeds: the step is not positive\n"},
        {"seeds = 1..90000", "s.ini:9: [sweep] seeds: more than 10,000 values\n"},
        {"scenario.horizon = 1d..9d step 1h",
         "s.ini:9: [sweep] scenario.horizon: lo, hi and step need the same unit (lo..hi step N)\n"},
        {"engine = slurm",
         "s.ini:9: [sweep] engine: this key is known to the format but not yet supported by this version\n"},
        {"seeds = 1..1000\nnodes.a.count = 1..1000",
         "s.ini:8: [sweep]: the product has more than 100,000 points\n"},
    };

    for (size_t i = 0; i < sizeof refusals / sizeof *refusals; i++) {
        struct gs_settings s;
        char text[300];
        char heads[1024];
        (void)snprintf(text, sizeof text, "%s[sweep]\n%s\n", LEAST, refusals[i].axis);
        GS_EQ_INT(load(&s, text), GS_E_INPUT);
        only_heads(gs_buf_cstr(&s.problems), heads, sizeof heads);
        GS_EQ_STR(heads, refusals[i].heads);
        gs_settings_release(&s);
    }
}

/* ---- keys in effect ---- */

static const char rich[] =
    "[scenario]\ndescription = a text that is long enough to be broken over several lines when it is written, because it has more than\n"
    "  one hundred and twenty bytes, and which holds #hash marks and a;semicolon, too; all of that has to survive the way\n"
    "horizon = 9d\nseed = 4\n[network]\nlevels = zone rack\n[nodes]\nlabels.team = x\n[nodes p5.48xlarge]\ntype = p5.48xlarge\ncount = 2\nplace = zone:a\n"
    "[nodes own]\ncpus = 1.5\nlabels.disk = ssd\n[queue a]\nquota = 3\n[queue b]\nparent = a\n[priority high]\nvalue = 7\n"
    "[workload]\nusers = 3\n[workload w]\nduration = mixture 0.8 (lognormal median=30m sigma=1.7) 0.2 (constant 5m)\narrivals = poisson 4/h\npriority = high\n"
    "[workload v]\nshare = 0.5\nduration = 1m\ncount = 3\n"
    "[policy]\nscheduler = good\n[policy good]\nmodule = composite\norder = sjf\n[policy q]\nmodule = ljf\nx = 1\n[output]\nevents = all\n"
    "[sweep]\nseeds = 1..3\n[expect]\njobs.wait.p95{queue=a} <= 30m\ndigest = 3\n";

static void keys_in_effect_can_be_read_again(void)
{
    struct gs_settings s;
    struct gs_settings again;
    char first[16384];
    char second[16384];
    if (load_good(&s, rich)) {
        GS_HAS(gs_buf_cstr(&s.effective), "\nseed = 4 ; s.ini:5\n");
        GS_HAS(gs_buf_cstr(&s.effective), "\nwarmup = 0s ; default\n");
        GS_HAS(gs_buf_cstr(&s.effective), "\nusers = 3 ; s.ini:24\n");
        only_keys(gs_buf_cstr(&s.effective), first, sizeof first);
        if (load_good(&again, gs_buf_cstr(&s.effective))) {
            only_keys(gs_buf_cstr(&again.effective), second, sizeof second);
            GS_EQ_STR(second, first);
            GS_EQ_STR(again.description, s.description);
            GS_EQ_INT(again.nodes.n, s.nodes.n);
            GS_EQ_INT(again.workloads.v[0].s.priority, 7);
            GS_EQ_STR(again.role[GS_ROLE_ORDER], "sjf");
            GS_EQ_INT(again.expect.n, 2);
        }
        gs_settings_release(&again);
    }
    gs_settings_release(&s);
}

static void a_point_of_a_sweep_stands_alone(void)
{
    struct gs_settings s;
    GS_EQ_INT(load_over(&s, LEAST "[sweep]\nseeds = 1..3\n", "scenario.seed", "2", "[sweep]"),
              GS_OK);
    GS_HAS(gs_buf_cstr(&s.effective), "\nseed = 2 ; [sweep]\n");
    CU_ASSERT_PTR_NULL(strstr(gs_buf_cstr(&s.effective), "seeds"));
    gs_settings_release(&s);
}

static void paths_of_included_files_are_kept_relative_to_the_scenario(void)
{
    char path[600];
    struct gs_settings s;
    struct gs_err err = {0};
    (void)mkdir(gs_test_tmp_file("sub", path, sizeof path), 0700);
    gs_test_write("sub/t.swf", "; none\n", SIZE_MAX, path, sizeof path);
    gs_test_write("sub/base.ini", NODES "[trace t]\nfile = t.swf\n", SIZE_MAX, path, sizeof path);
    gs_test_write("top.ini", "[scenario]\ninclude = sub/base.ini\n[output]\nfile = out/x.h5\n",
                  SIZE_MAX, path, sizeof path);
    GS_EQ_INT(gs_settings_load(&s, path, NULL, 0, NULL, &err), GS_OK);
    GS_EQ_STR(err.msg, "");
    char want[700];
    GS_EQ_STR(s.traces.v[0].o.path, gs_test_tmp_file("sub/t.swf", want, sizeof want));
    GS_EQ_STR(s.out_file, gs_test_tmp_file("out/x.h5", want, sizeof want));
    GS_HAS(gs_buf_cstr(&s.effective), "\nfile = sub/t.swf");
    GS_HAS(gs_buf_cstr(&s.effective), "\nfile = out/x.h5");
    gs_settings_release(&s);
}

static const struct gs_test tests[] = {
    {"overrides overrule the file", overrides_overrule_the_file},
    {"overrides that hit nothing are refused", overrides_that_hit_nothing_are_refused},
    {"the first axis is the slowest", the_first_axis_is_the_slowest},
    {"ranges are counted in decimals", ranges_are_counted_in_decimals},
    {"labels are fit for file names", labels_are_fit_for_file_names},
    {"every value of an axis is checked before any runs",
     every_value_of_an_axis_is_checked_before_any_runs},
    {"keys in effect can be read again", keys_in_effect_can_be_read_again},
    {"a point of a sweep stands alone", a_point_of_a_sweep_stands_alone},
    {"paths of included files are kept relative to the scenario",
     paths_of_included_files_are_kept_relative_to_the_scenario},
};
GS_TEST_MAIN("scenario/sweep", tests)
