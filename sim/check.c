/* check.c - prepares scenarios and runs all of them in workers; check_judge.c judges each.
 *
 * A run leaves a results file in a folder of its own that goes with the check; figures with a selector come back with the report. Two builds of a
 * module are put in the place of its id: a folder with a link to the file stands before the others on the policy path, so that it does
 * not matter how a scenario names the module. */
#include "sim/check.h"

#include "sim/check_state.h"
#include "sim/workers.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "sim/base/banned.h"

size_t gs_check_run(const struct gs_check_state *c, size_t item, size_t side, size_t tie)
{
    return (item * c->sides + side) * c->ties + tie;
}

void gs_check_h5(const struct gs_check_state *c, size_t run, struct gs_buf *out)
{
    gs_buf_fmt(out, "%s/%zu.h5", c->folder, run);
}

void gs_check_replica_h5(const struct gs_check_state *c, size_t run, size_t replica,
                         struct gs_buf *out)
{
    if (replica == 0)
        gs_check_h5(c, run, out);
    else
        gs_buf_fmt(out, "%s/%zu.%zu.h5", c->folder, run, replica);
}

void gs_check_case(struct gs_check_item *it, enum gs_case_status status, const char *kind,
                   const char *name, const char *message)
{
    gs_checked_add(it->out, &(struct gs_case){
                                .status = status, .kind = kind, .name = name, .message = message});
}

void gs_check_give_up(struct gs_check_item *it, int exit_status, const char *message)
{
    it->out->exit_status = exit_status;
    gs_check_case(it, exit_status == GS_CANNOT_JUDGE ? GS_CASE_UNJUDGED : GS_CASE_ERROR, "run",
                  it->path, message);
}

/* ---- before the runs ---- */

/* Is version a ("0.10.2") later than b? */
static int is_newer(const char *a, const char *b)
{
    for (;;) {
        char *ea = NULL, *eb = NULL;
        const unsigned long x = strtoul(a, &ea, 10), y = strtoul(b, &eb, 10);
        if (x != y)
            return x > y;
        if (*ea != '.' || *eb != '.')
            return *ea == '.' && *eb != '.';
        a = ea + 1;
        b = eb + 1;
    }
}

static int is_folder(const char *path)
{
    struct stat st;
    return stat(path, &st) == 0 && S_ISDIR(st.st_mode);
}

/* x/NAME.ini -> x/NAME.baseline, or FOLDER/NAME.baseline, or the file that was named; of a point, NAME.POINT. */
static void baseline_path(const struct gs_check_ask *ask, const struct gs_check_item *it,
                          struct gs_buf *out)
{
    const char *scenario = it->path;
    const char *slash = strrchr(scenario, '/');
    const char *name = slash ? slash + 1 : scenario;
    const char *dot = strrchr(name, '.');
    const size_t stem = dot && dot > name ? (size_t)(dot - name) : strlen(name);
    if (ask->baseline && !is_folder(ask->baseline)) {
        gs_buf_str(out, ask->baseline);
        return;
    }
    if (ask->baseline)
        gs_buf_fmt(out, "%s/", ask->baseline);
    else
        gs_buf_add(out, scenario, (size_t)(name - scenario));
    gs_buf_add(out, name, stem);
    gs_buf_fmt(out, "%s%s.baseline", it->label.n ? "." : "", gs_buf_cstr(&it->label));
}

static void ask_for(struct gs_check_item *it, const char *expr)
{
    if (!strchr(expr, '{'))
        return;
    for (size_t i = 0; i < it->asked.n; i++)
        if (strcmp(it->asked.v[i], expr) == 0)
            return;
    gs_vec_push(&it->asked, expr);
}

static enum gs_rc read_expectations(struct gs_check_item *it, struct gs_err *err)
{
    for (size_t i = 0; i < it->set.expect.n; i++) {
        struct gs_expect e;
        if (gs_expect_parse(it->set.expect.v[i], &e, err))
            return gs_wrap(err, "%s", it->path);
        gs_vec_push(&it->expect, e);
    }
    for (size_t i = 0; i < it->expect.n; i++) /* they stay where they are from here on */
        if (it->expect.v[i].kind == GS_EXPECT_METRIC)
            ask_for(it, it->expect.v[i].expr);
    for (size_t i = 0; i < it->base.figures.n; i++)
        ask_for(it, it->base.figures.v[i].expr);
    size_t nm = 0;
    (void)gs_metric_table(&nm);
    if (it->asked.n + nm > GS_METRICS_MAX)
        return gs_fail(err, GS_E_INPUT, "%s: %zu figures with a selector are too many (most: %zu)",
                       it->path, it->asked.n, GS_METRICS_MAX - nm);
    return GS_OK;
}

/* `allow` alone says what does not fail. */
static int expects_something(const struct gs_check_item *it)
{
    for (size_t i = 0; i < it->expect.n; i++)
        if (it->expect.v[i].kind != GS_EXPECT_ALLOW)
            return 1;
    return 0;
}

static void prepare(const struct gs_check_state *c, struct gs_check_item *it)
{
    const struct gs_check_ask *ask = c->ask;
    struct gs_err err = {0};
    enum gs_rc rc = GS_OK;
    baseline_path(ask, it, &it->base_path);
    if (it->label.n && ask->baseline && !is_folder(ask->baseline))
        rc = gs_fail(
            &err, GS_E_INPUT,
            "--baseline %s: the points of a [sweep] need a folder of baselines, not one file",
            ask->baseline);
    if (!rc && !ask->old_module)
        rc = gs_baseline_read(&it->base, gs_buf_cstr(&it->base_path), &it->has_base, &err);
    if (!rc && ask->baseline && !it->has_base && !ask->bless && !ask->old_module)
        rc = gs_fail(&err, GS_E_INPUT, "%s: there is no such baseline (write it with --bless)",
                     gs_buf_cstr(&it->base_path));
    const int later = it->base.version && is_newer(it->base.version, GSIM_VERSION);
    /* without looking at modules, so that a scenario that is wrong is told from a module that is */
    if (!rc && gs_settings_load(&it->set, it->path, it->over.v, it->over.n, NULL, &err)) {
        const char *all = it->set.problems.n ? gs_buf_cstr(&it->set.problems) : err.msg;
        gs_check_give_up(it, later ? GS_CANNOT_JUDGE : 2, all);
        return;
    }
    if (!rc)
        rc = read_expectations(it, &err);
    if (rc)
        gs_check_give_up(it, gs_exit_status(rc), err.msg);
    else if (!it->has_base && !expects_something(it) && !ask->bless && !ask->old_module)
        gs_check_give_up(
            it, GS_CANNOT_JUDGE,
            "nothing to judge by: no [expect] and no baseline (write one with --bless)");
}

/* ---- the runs ---- */

/* A replicated file holds the jobs of replication 0; those of the others, for the judgement of jobs, come from each run alone. */
static enum gs_rc run_replicas(const struct gs_check_state *c, size_t run,
                               const struct gs_order *whole, const struct gs_report *rep,
                               struct gs_err *err)
{
    enum gs_rc rc = GS_OK;
    for (int64_t k = 1; k < rep->replications && !rc; k++) {
        char seed[32];
        struct gs_buf h5 = {0};
        struct gs_report *r = NULL;
        size_t n = 0;
        struct gs_order o = *whole;
        struct gs_override *over = GS_NEW_N(struct gs_override, o.nover + 2);
        for (size_t i = 0; i < o.nover; i++)
            over[i] = o.over[i];
        (void)gs_fmt(seed, sizeof seed, "%llu",
                     (unsigned long long)gs_replica_seed(rep->seed, (uint64_t)k));
        over[o.nover++] = (struct gs_override){"scenario.seed", seed, "gsim check"};
        over[o.nover++] = (struct gs_override){"scenario.replications", "1", "gsim check"};
        gs_check_replica_h5(c, run, (size_t)k, &h5);
        o.over = over;
        o.out = h5.s;
        rc = gs_points_run(&o, &r, &n, err);
        gs_free(r);
        gs_free(over);
        gs_buf_free(&h5);
    }
    return rc;
}

static void work(void *ctx, size_t run, void *result)
{
    struct gs_check_state *c = ctx;
    struct gs_check_done *d = result;
    const struct gs_check_ask *ask = c->ask;
    const size_t side = run / c->ties % c->sides;
    struct gs_check_item *it = &c->item.v[run / c->ties / c->sides];
    const char *path = c->sides > 1 ? gs_buf_cstr(&c->path[side]) : ask->policy_path;
    struct gs_settings set = {0};
    struct gs_err err = {0};
    struct gs_buf h5 = {0};
    struct gs_log quiet = *ask->log;
    if (it->out->exit_status)
        return; /* given up */
    d->stage = GS_STAGE_MODULES;
    quiet.level = quiet.level == GS_LOG_VERBOSE ? GS_LOG_VERBOSE : GS_LOG_QUIET;
    quiet.progress = 0;
    d->rc = gs_settings_load(&set, it->path, it->over.v, it->over.n, path, &err);
    if (!d->rc) {
        struct gs_report *r = NULL;
        size_t n = 0;
        gs_check_h5(c, run, &h5);
        d->stage = GS_STAGE_RUN;
        const struct gs_order o = {.scenario = it->path,
                                   .out = gs_buf_cstr(&h5),
                                   .policy_path = path,
                                   .history = ask->history,
                                   .over = it->over.v,
                                   .nover = it->over.n,
                                   .workers = 1,
                                   .tie_seed = run % c->ties,
                                   .log = &quiet,
                                   .ask = it->asked.v,
                                   .nask = it->asked.n};
        d->rc = gs_points_run(&o, &r, &n, &err);
        if (r && n)
            d->rep = r[0];
        gs_free(r);
        if (!d->rc && c->sides > 1 && run % c->ties == 0)
            d->rc = run_replicas(c, run, &o, &d->rep, &err);
    }
    (void)gs_fmt(d->msg, sizeof d->msg, "%s", err.msg);
    gs_settings_release(&set);
    gs_buf_free(&h5);
}

/* A folder whose only file is a link to the build, under the name that its id asks for. */
static enum gs_rc link_build(struct gs_check_state *c, size_t side, const char *build,
                             struct gs_err *err)
{
    char here[4096];
    struct gs_buf dir = {0}, file = {0};
    enum gs_rc rc = GS_OK;
    if (build[0] != '/' && getcwd(here, sizeof here))
        gs_buf_fmt(&file, "%s/", here);
    gs_buf_str(&file, build);
    gs_buf_fmt(&dir, "%s/%s", c->folder, side ? "new" : "old");
    gs_buf_fmt(&c->link[side], "%s/gsp_%s.so", dir.s, c->id);
    if (mkdir(dir.s, 0700) != 0 || symlink(file.s, c->link[side].s) != 0)
        rc = gs_fail(err, GS_E_IO, "%s: cannot be made: %s", c->link[side].s, strerror(errno));
    gs_buf_fmt(&c->path[side], "%s:%s", dir.s, c->ask->policy_path);
    gs_buf_free(&dir);
    gs_buf_free(&file);
    return rc;
}

/* GS_E_MODULE: one does not load. */
static enum gs_rc link_builds(struct gs_check_state *c, struct gs_err *err)
{
    char id[64];
    enum gs_rc rc = GS_OK;
    if (gs_module_id(c->ask->old_module, c->id, sizeof c->id, err) ||
        gs_module_id(c->ask->new_module, id, sizeof id, err))
        return GS_E_MODULE;
    if (strcmp(id, c->id) != 0)
        rc = gs_fail(err, GS_E_INPUT,
                     "%s is module '%s', %s is '%s': --against takes two builds of one module",
                     c->ask->old_module, c->id, c->ask->new_module, id);
    if (!rc)
        rc = link_build(c, 0, c->ask->old_module, err);
    return rc ? rc : link_build(c, 1, c->ask->new_module, err);
}

static enum gs_rc make_folder(struct gs_check_state *c, struct gs_err *err)
{
    const char *tmp = getenv("TMPDIR");
    if (!gs_fmt(c->folder, sizeof c->folder, "%s/gsim-check.XXXXXX", tmp && *tmp ? tmp : "/tmp"))
        (void)gs_fmt(c->folder, sizeof c->folder, "/tmp/gsim-check.XXXXXX");
    return mkdtemp(c->folder)
               ? GS_OK
               : gs_fail(err, GS_E_IO, "%s: cannot be made: %s", c->folder, strerror(errno));
}

static void remove_folder(struct gs_check_state *c)
{
    for (size_t run = 0; run < c->item.n * c->sides * c->ties; run++) {
        const size_t n =
            (size_t)(c->done[run].rep.replications > 1 ? c->done[run].rep.replications : 1);
        for (size_t k = 0; k < n; k++) {
            struct gs_buf h5 = {0};
            gs_check_replica_h5(c, run, k, &h5);
            (void)unlink(h5.s);
            gs_buf_free(&h5);
        }
    }
    for (size_t s = 0; s < 2; s++) {
        char *link = c->link[s].s;
        if (link) {
            (void)unlink(link);
            *strrchr(link, '/') = '\0';
            (void)rmdir(link);
        }
        gs_buf_free(&c->link[s]);
        gs_buf_free(&c->path[s]);
    }
    (void)rmdir(c->folder);
}

static void release_item(struct gs_check_item *it)
{
    gs_settings_release(&it->set);
    gs_buf_free(&it->label);
    gs_vec_free(&it->over);
    gs_vec_free(&it->expect);
    gs_vec_free(&it->asked);
    gs_baseline_release(&it->base);
    gs_buf_free(&it->base_path);
}

/* No scenario that uses the module: nothing was judged, and that must not look like a pass. */
static void refuse_unused(const struct gs_check_state *c)
{
    for (size_t i = 0; i < c->item.n; i++)
        if (c->item.v[i].out->exit_status || !c->item.v[i].out->note)
            return;
    for (size_t i = 0; i < c->item.n; i++)
        gs_check_give_up(&c->item.v[i], GS_CANNOT_JUDGE, c->item.v[i].out->note);
}

/* ---- what is judged ---- */

/* An item a scenario, or one a point where it has a [sweep]. A scenario that cannot be read is an item, which will say so. */
static void list_items(struct gs_check_state *c, const char *path)
{
    const struct gs_check_ask *ask = c->ask;
    struct gs_settings *set = GS_NEW(struct gs_settings);
    struct gs_err ignored = {0};
    const int sweeps =
        !gs_settings_load(set, path, ask->over, ask->nover, NULL, &ignored) && set->sweep.n;
    const size_t points = sweeps ? gs_sweep_points(set) : 1;
    for (size_t i = 0; i < points; i++) {
        struct gs_check_item it = {.path = path};
        gs_vec_reserve(&it.over, ask->nover + set->sweep.n + 1);
        for (size_t k = 0; k < ask->nover; k++)
            gs_vec_push(&it.over, ask->over[k]);
        if (sweeps)
            it.over.n += gs_sweep_point(set, i, it.over.v + it.over.n, set->sweep.n, &it.label);
        gs_vec_push(&c->item, it);
    }
    if (sweeps) {
        gs_vec_push(&c->sweeps, set);
        return;
    }
    gs_settings_release(set);
    gs_free(set);
}

/* Lists and prepares them; rc: why nothing can be judged. */
static void prepare_all(struct gs_check_state *c, struct gs_checked **out, enum gs_rc rc,
                        const struct gs_err *err)
{
    for (size_t i = 0; i < c->ask->nscenarios; i++)
        list_items(c, c->ask->scenario[i]);
    *out = GS_NEW_N(struct gs_checked, c->item.n);
    for (size_t i = 0; i < c->item.n; i++) {
        struct gs_check_item *it = &c->item.v[i];
        struct gs_buf name = {0};
        gs_buf_fmt(&name, "%s%s%s", it->path, it->label.n ? " " : "", gs_buf_cstr(&it->label));
        (*out)[i].scenario = name.s;
        it->out = &(*out)[i];
        if (!rc)
            prepare(c, it);
        else if (rc == GS_E_MODULE)
            gs_check_give_up(it, GS_CANNOT_JUDGE, err->msg);
    }
}

static void release_all(struct gs_check_state *c)
{
    remove_folder(c);
    for (size_t i = 0; i < c->item.n; i++)
        release_item(&c->item.v[i]);
    for (size_t i = 0; i < c->sweeps.n; i++) {
        gs_settings_release(c->sweeps.v[i]);
        gs_free(c->sweeps.v[i]);
    }
    gs_vec_free(&c->item);
    gs_vec_free(&c->sweeps);
    gs_free(c->done);
    gs_free(c->died);
}

enum gs_rc gs_check(const struct gs_check_ask *ask, struct gs_checked **out, size_t *n,
                    struct gs_err *err)
{
    struct gs_check_state c = {
        .ask = ask, .sides = ask->old_module ? 2 : 1, .ties = ask->tie_seeds};
    *out = NULL;
    *n = 0;
    enum gs_rc rc = make_folder(&c, err);
    if (rc)
        return rc;
    if (ask->old_module)
        rc = link_builds(&c, err);
    prepare_all(&c, out, rc, err);
    *n = c.item.n;
    const size_t runs = c.item.n * c.sides * c.ties;
    c.done = GS_NEW_N(struct gs_check_done, runs);
    c.died = GS_NEW_N(int, runs);
    if (rc == GS_E_MODULE)
        rc = GS_OK; /* every scenario says so */
    if (!rc)
        rc = gs_workers_run(&(struct gs_workers){.n = runs,
                                                 .at_once = ask->workers,
                                                 .work = work,
                                                 .ctx = &c,
                                                 .results = c.done,
                                                 .size = sizeof *c.done,
                                                 .died = c.died},
                            err);
    for (size_t i = 0; i < *n && !rc; i++)
        gs_check_judge(&c, i);
    if (!rc && ask->old_module)
        refuse_unused(&c);
    release_all(&c);
    return rc;
}
