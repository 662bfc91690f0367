/* points.c - runs the points of a scenario. A point is: settings with its overrides -> world -> run -> file -> report. */
#include "sim/points.h"

#include "sim/base/fmath.h"
#include "sim/base/rng.h"
#include "sim/base/units.h"

#include <errno.h>
#include <math.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#define OVER_MAX 256

struct point {
    int whole; /* a worker runs all its replications, not one */
    int told;  /* its inputs were told with an earlier point */
    const struct gs_order *o;
    struct gs_override over[OVER_MAX];
    size_t nover;
    struct gs_buf label;
    struct gs_settings set;
    int64_t replication; /* number, 0 = the first */
    int64_t replications;
    struct gs_report *others; /* reports of replications 1.. */
};

/* ---- one simulation ---- */

static void read_values(struct gs_run *r, struct gs_report *rep)
{
    struct gs_value_row row[GS_METRICS_MAX];
    rep->nvalues = (uint32_t)gs_metric_eval_all(r->m, row, GS_METRICS_MAX);
    for (uint32_t i = 0; i < rep->nvalues; i++) {
        rep->value[i] = row[i].value;
        rep->bound[i] = row[i].bound;
        rep->samples[i] = row[i].samples;
        rep->censored[i] = row[i].censored;
        rep->few[i] = (uint8_t)(row[i].few != 0);
        rep->ci_low[i] = row[i].ci_low;
        rep->ci_high[i] = row[i].ci_high;
    }
}

/* Why jobs were rejected, with counts, in order of first appearance. */
static void list_rejects(struct gs_run *r, struct gs_report *rep)
{
    uint32_t reason[4] = {0}, n[4] = {0}, kinds = 0;
    size_t len = 0;
    for (uint32_t i = 0; i < r->w.jobs.n; i++) {
        const struct gs_outcome *o = gs_metrics_outcome(r->m, i);
        uint32_t k = 0;
        if (o->state != GS_STATE_REJECTED)
            continue;
        while (k < kinds && reason[k] != o->reason)
            k++;
        if (k == 4)
            k = 3; /* the rest is counted with the last that has a place */
        else if (k == kinds)
            reason[kinds++] = o->reason;
        n[k]++;
    }
    for (uint32_t k = 0; k < kinds; k++) {
        (void)gs_fmt(rep->rejects + len, sizeof rep->rejects - len, "%s%u: %s", k ? "; " : "", n[k],
                     gs_intern_str(&r->str, reason[k]));
        len = strlen(rep->rejects);
    }
}

static void fill_report(struct gs_run *r, struct gs_report *rep)
{
    list_rejects(r, rep);
    const struct gs_host_stats *h = gs_host_get_stats(r->host);
    read_values(r, rep);
    rep->seed = r->seed;
    rep->digest = r->eng.digest;
    rep->events = r->eng.events;
    rep->passes = h->passes;
    rep->starts = h->starts;
    rep->scores = h->scores;
    rep->module_calls = h->module_calls;
    rep->jobs = r->w.jobs.n;
    rep->oracle = r->oracle;
    rep->unverified = r->unverified_nodes;
    for (size_t i = 0; i < r->inputs.n; i++) {
        rep->skipped += r->inputs.v[i].n.skipped;
        for (uint32_t k = 0; k < r->inputs.v[i].n.nassumed; k++)
            rep->assumed += r->inputs.v[i].n.assumed[k].n;
    }
    rep->verdict = (int)r->verdict;
    rep->end_s = (double)r->end_ns / 1e9;
    rep->wall_ns = r->wall_ns;
    rep->module_ns = h->module_ns;
    size_t len = 0;
    rep->policy[0] = '\0';
    for (int i = 0; i < GS_ROLE_COUNT; i++)
        if (r->role[i] != GS_NONE && len + 80 < sizeof rep->policy) {
            (void)gs_fmt(rep->policy + len, sizeof rep->policy - len, "%s%s", len ? "+" : "",
                         r->role_text[i]);
            len = strlen(rep->policy);
        }
    if (!len)
        (void)gs_fmt(rep->policy, sizeof rep->policy, "composite");
}

/* Tells, once, what was assumed and skipped. */
static void tell_inputs(const struct gs_run *r)
{
    for (size_t i = 0; i < r->inputs.n; i++) {
        const struct gs_file_read *in = &r->inputs.v[i];
        gs_note(r->log, "read %s as %s: %llu rows, %llu skipped", in->path, in->n.format,
                (unsigned long long)in->n.rows, (unsigned long long)in->n.skipped);
        for (uint32_t k = 0; k < in->n.nwhy; k++)
            gs_note(r->log, "  skipped, %s: %llu", in->n.why[k].reason,
                    (unsigned long long)in->n.why[k].n);
        for (uint32_t k = 0; k < in->n.nassumed; k++)
            gs_note(r->log, "  assumed, %s: %llu", in->n.assumed[k].what,
                    (unsigned long long)in->n.assumed[k].n);
        if (in->n.out_of_order)
            gs_note(r->log, "  out of order, sorted: %llu", (unsigned long long)in->n.out_of_order);
    }
}

static const char *exit_reason(enum gs_rc rc, const struct gs_err *err)
{
    if (rc == GS_E_INT)
        return "interrupted";
    if (rc == GS_E_TERM)
        return "terminated";
    return rc ? err->msg : "done";
}

/* The 95 % t-interval of the mean over replications, in replication order. The value stays that of replication 0, which the file's
 * detailed groups hold and from which it can be recomputed; the mean is the middle of the interval. */
static void interval(const struct point *p, const struct gs_report *first, uint32_t i,
                     struct gs_value_row *row)
{
    struct gs_sum sum = {0}, sq = {0};
    int64_t n = p->replications;
    for (int64_t k = 0; k < n; k++)
        gs_sum_add(&sum, k ? p->others[k - 1].value[i] : first->value[i]);
    double mean = gs_sum_get(&sum) / (double)n;
    for (int64_t k = 0; k < n; k++) {
        double d = (k ? p->others[k - 1].value[i] : first->value[i]) - mean;
        gs_sum_add(&sq, d * d);
    }
    double half =
        gs_t_inv(0.975, (uint32_t)(n - 1)) * sqrt(gs_sum_get(&sq) / (double)(n - 1) / (double)n);
    row->ci_low = mean - half;
    row->ci_high = mean + half;
}

static enum gs_rc write_replications(const struct point *p, const struct gs_report *first,
                                     struct gs_run *r, struct gs_err *err)
{
    size_t n = (size_t)p->replications, nm = 0;
    const struct gs_metric *table = gs_metric_table(&nm);
    double *v = GS_NEW_N(double, n);
    uint64_t *u = GS_NEW_N(uint64_t, n);
    const struct gs_column head[] = {
        {"index", GS_U64, "1", "number of the replication", NULL, NULL},
        {"seed", GS_U64, "1", "seed it ran with", NULL, NULL},
        {"digest", GS_U64, "1", "digest of its events and decisions", NULL, NULL}};
    enum gs_rc rc = GS_OK;
    for (int c = 0; c < 3 && !rc; c++) {
        for (size_t k = 0; k < n; k++) {
            const struct gs_report *q = k ? &p->others[k - 1] : first;
            u[k] = c == 0 ? k : c == 1 ? q->seed : q->digest;
        }
        rc = gs_h5_column(r->out, "replications", &head[c], u, n, err);
    }
    for (uint32_t i = 0; i < first->nvalues && i < nm && !rc; i++) {
        struct gs_column col = {table[i].name,       GS_F64, table[i].units,
                                table[i].definition, NULL,   NULL};
        for (size_t k = 0; k < n; k++)
            v[k] = k ? p->others[k - 1].value[i] : first->value[i];
        rc = gs_h5_column(r->out, "replications", &col, v, n, err);
    }
    gs_free(v);
    gs_free(u);
    return rc;
}

/* The metrics room's groups, with intervals over replications in /summary. */
static enum gs_rc write_with_intervals(void *ctx, struct gs_run *r, struct gs_err *err)
{
    struct point *p = ctx;
    static const uint32_t parts =
        GS_WRITE_TENANTS | GS_WRITE_JOBS | GS_WRITE_SERIES | GS_WRITE_SUMMARY_BY;
    struct gs_report *first = GS_NEW(struct gs_report);
    struct gs_value_row row[GS_METRICS_MAX];
    read_values(r, first);
    first->seed = r->seed;
    first->digest = r->eng.digest;
    size_t n = gs_metric_eval_all(r->m, row, GS_METRICS_MAX);
    for (uint32_t i = 0; i < n; i++)
        interval(p, first, i, &row[i]);
    enum gs_rc rc = gs_metrics_write_parts(r->m, r->out, parts, p->set.group, err);
    if (!rc)
        rc = gs_summary_write(r->out, row, n, err);
    if (!rc)
        rc = write_replications(p, first, r, err);
    gs_free(first);
    return rc;
}

/* [output] waits: auto means yes, up to a million jobs. */
static int wants_waits(const struct gs_run *r, const struct point *p)
{
    if (p->o->no_file || p->replication || p->set.waits == 2)
        return 0;
    return p->set.waits == 1 || r->w.jobs.n <= 1000000;
}

static enum gs_rc build(struct gs_run *r, struct point *p, struct gs_report *rep,
                        struct gs_err *err)
{
    const struct gs_order *o = p->o;
    int64_t t0 = gs_wall_ns();
    const uint64_t seed = p->set.seed;
    /* within what --seed takes, so that any replication can be run alone */
    r->seed = p->replication ? gs_mix64(seed, (uint64_t)p->replication) & INT64_MAX : seed;
    r->tie_seed = o->tie_seed;
    r->bad_rows = o->bad_rows;
    enum gs_rc rc = gs_world_build(r, &p->set, err);
    r->want_waits = wants_waits(r, p);
    if (!rc) {
        rc = gs_run_prepare(r, err);
        rc = rc ? gs_wrap(err, "%s", p->set.path) : GS_OK;
    }
    if (!rc)
        rc = gs_world_policies(r, &p->set, o->policy_path, err);
    rep->read_ns = gs_wall_ns() - t0;
    return rc;
}

/* Runs a built world; an interrupted run and one that its module stopped leave a valid file, too. */
static enum gs_rc run_built(struct gs_run *r, struct point *p, struct gs_report *rep,
                            struct gs_err *err)
{
    struct gs_outfile of = {.path = rep->path,
                            .label = rep->label,
                            .history = p->o->history,
                            .set = &p->set,
                            .compress = p->set.compress,
                            .group = p->set.group};
    const int file = !p->o->no_file && p->replication == 0;
    if (p->replications > 1) {
        of.extra = write_with_intervals;
        of.extra_ctx = p;
    }
    enum gs_rc rc = file ? gs_outfile_open(r, &of, err) : GS_OK;
    if (rc)
        return rc;
    rc = gs_run_go(r, err);
    if (rc == GS_E_INPUT) /* such as a time series without end */
        return gs_wrap(err, "%s", p->set.path);
    if (rc && rc != GS_E_MODULE && !r->interrupted)
        return rc;
    fill_report(r, rep);
    rep->complete = of.complete = rc == GS_OK;
    of.exit_reason = exit_reason(rc, err);
    const int64_t t0 = gs_wall_ns();
    struct gs_err write_err = {0};
    enum gs_rc wrote = file ? gs_outfile_finish(r, &of, &write_err) : GS_OK;
    rep->write_ns = gs_wall_ns() - t0;
    memcpy(rep->data_digest, of.data_digest, sizeof rep->data_digest);
    return wrote && !rc ? gs_fail(err, wrote, "%s", write_err.msg) : rc;
}

static enum gs_rc simulate(struct point *p, struct gs_report *rep, struct gs_err *err)
{
    struct gs_run *r = GS_NEW(struct gs_run);
    gs_run_init(r, p->o->log);
    enum gs_rc rc = build(r, p, rep, err);
    if (!rc && p->replication == 0 && !p->told)
        tell_inputs(r);
    if (!rc)
        rc = run_built(r, p, rep, err);
    rep->peak_rss = gs_peak_rss();
    rep->rc = rc;
    if (rc)
        (void)gs_fmt(rep->msg, sizeof rep->msg, "%s", err->msg);
    gs_run_release(r);
    gs_free(r);
    return rc;
}

/* ---- workers ---- */

static int interrupted(enum gs_rc rc)
{
    return rc == GS_E_INT || rc == GS_E_TERM;
}

struct worker {
    pid_t pid;
    int fd;
    size_t job;
};

static void write_all(int fd, const void *p, size_t n)
{
    for (const char *s = p; n;) {
        ssize_t k = write(fd, s, n);
        if (k < 0 && errno == EINTR)
            continue;
        if (k <= 0)
            return;
        s += k;
        n -= (size_t)k;
    }
}

static int read_all(int fd, void *p, size_t n)
{
    for (char *s = p; n;) {
        ssize_t k = read(fd, s, n);
        if (k < 0 && errno == EINTR)
            continue;
        if (k <= 0)
            return 0;
        s += k;
        n -= (size_t)k;
    }
    return 1;
}

static enum gs_rc run_point(struct point *p, struct gs_report *rep, struct gs_err *err);

static enum gs_rc start_worker(struct worker *w, size_t job, struct point *p, struct gs_report *rep,
                               struct gs_err *err)
{
    int fd[2];
    if (pipe(fd))
        return gs_fail(err, GS_E_IO, "cannot make a pipe for a worker: %s", strerror(errno));
    (void)fflush(NULL);
    pid_t pid = fork();
    if (pid < 0) {
        (void)close(fd[0]);
        (void)close(fd[1]);
        return gs_fail(err, GS_E_IO, "cannot start a worker: %s", strerror(errno));
    }
    if (pid == 0) {
        struct gs_err e = {0};
        (void)close(fd[0]);
        struct gs_order *alone = gs_alloc(sizeof *alone); /* goes with the process */
        *alone = *p->o;
        alone->workers = 1;
        alone->log->progress = 0;
        p->o = alone;
        (void)(p->whole ? run_point(p, rep, &e) : simulate(p, rep, &e));
        write_all(fd[1], rep, sizeof *rep);
        _exit(0);
    }
    (void)close(fd[1]);
    *w = (struct worker){pid, fd[0], job};
    return GS_OK;
}

static void finish_worker(struct worker *w, struct gs_report *rep)
{
    int status = 0;
    struct gs_report got;
    int ok = read_all(w->fd, &got, sizeof got);
    (void)close(w->fd);
    while (waitpid(w->pid, &status, 0) < 0 && errno == EINTR)
        ;
    w->pid = 0;
    if (ok) {
        *rep = got;
        return;
    }
    rep->rc = gs_stop_signal == SIGINT    ? GS_E_INT
              : gs_stop_signal == SIGTERM ? GS_E_TERM
                                          : GS_E_MODULE;
    if (WIFSIGNALED(status))
        (void)gs_fmt(rep->msg, sizeof rep->msg, "the worker of '%s' was ended by signal %d",
                     rep->label, WTERMSIG(status));
    else
        (void)gs_fmt(rep->msg, sizeof rep->msg, "the worker of '%s' ended with status %d",
                     rep->label, WEXITSTATUS(status));
}

/* Runs jobs 0..n-1 (points[i] -> reports[i]) with at most `workers` at once; they are awaited in order, so results do not depend on timing. */
static enum gs_rc run_workers(struct point *points, struct gs_report *reports, size_t n,
                              uint32_t workers, struct gs_err *err)
{
    size_t slots = workers ? workers : 1;
    struct worker *w = GS_NEW_N(struct worker, slots);
    enum gs_rc rc = GS_OK;
    size_t started = 0, done = 0;
    int stop = 0; /* start no more of them */
    while (done < n) {
        while (started < n && started - done < slots && !stop) {
            const enum gs_rc made = start_worker(&w[started % slots], started, &points[started],
                                                 &reports[started], err);
            started += made == GS_OK;
            stop |= made != GS_OK;
            rc = rc ? rc : made;
        }
        if (started == done)
            break;
        finish_worker(&w[done % slots], &reports[done]);
        stop |= interrupted(reports[done].rc) || (reports[done].rc && !points[done].whole);
        if (reports[done].rc && !rc)
            rc = gs_fail(err, reports[done].rc, "%s%s%s", reports[done].label,
                         reports[done].label[0] ? ": " : "", reports[done].msg);
        done++;
    }
    gs_free(w);
    return rc;
}

/* ---- points ---- */

/* A results file holds the scenario it was made from: it runs again from that alone. */
static enum gs_rc load_results(struct point *p, struct gs_err *err)
{
    struct gs_h5_in *f = NULL;
    enum gs_rc rc = gs_h5_open(&f, p->o->scenario, err);
    if (rc)
        return rc;
    char *text = gs_h5_read_attr_str(f, "created_from");
    char *path = gs_h5_read_attr_str(f, "scenario_path");
    gs_h5_close(f);
    if (!text || !path)
        rc = gs_fail(err, GS_E_INPUT,
                     "%s: holds no scenario (attributes created_from, scenario_path)",
                     p->o->scenario);
    else
        rc = gs_settings_load_text(
            &p->set, &(struct gs_settings_text){.path = path, .text = text, .n = strlen(text)},
            p->over, p->nover, p->o->policy_path, err);
    gs_free(text);
    gs_free(path);
    return rc;
}

static int is_results_file(const char *path)
{
    static const char magic[8] = "\211HDF\r\n\032\n";
    char head[8] = "";
    FILE *f = strcmp(path, "-") == 0 ? NULL : fopen(path, "rb");
    if (!f)
        return 0;
    const size_t n = fread(head, 1, sizeof head, f);
    (void)fclose(f);
    return n == sizeof head && memcmp(head, magic, sizeof head) == 0;
}

static enum gs_rc load_point(struct point *p, struct gs_err *err)
{
    if (is_results_file(p->o->scenario))
        return load_results(p, err);
    return gs_settings_load(&p->set, p->o->scenario, p->over, p->nover, p->o->policy_path, err);
}

static void slug(char *s)
{
    for (; *s; s++)
        if (!((*s >= 'a' && *s <= 'z') || (*s >= 'A' && *s <= 'Z') || (*s >= '0' && *s <= '9') ||
              *s == '.' || *s == '-' || *s == '_'))
            *s = '-';
}

static enum gs_rc make_folder(const char *path, struct gs_err *err)
{
    const char *cut = strrchr(path, '/');
    if (!cut || cut == path)
        return GS_OK;
    char *dir = gs_strndup(path, (size_t)(cut - path));
    enum gs_rc rc = GS_OK;
    if (mkdir(dir, 0777) && errno != EEXIST)
        rc = gs_fail(err, GS_E_IO, "cannot make the folder '%s': %s", dir, strerror(errno));
    gs_free(dir);
    return rc;
}

/* NAME.h5, or NAME.POINT.h5 for a point of a sweep. */
static enum gs_rc out_path(const struct point *p, struct gs_report *rep, struct gs_err *err)
{
    const char *base = p->o->out ? p->o->out : p->set.out_file;
    char made[900], label[256];
    if (!base) {
        (void)gs_fmt(made, sizeof made, "results/%s.h5", p->set.stem);
        base = made;
    }
    (void)gs_fmt(label, sizeof label, "%s", rep->label);
    slug(label);
    size_t n = strlen(base);
    int fits = !label[0] ? gs_fmt(rep->path, sizeof rep->path, "%s", base)
               : n > 3 && strcmp(base + n - 3, ".h5") == 0
                   ? gs_fmt(rep->path, sizeof rep->path, "%.*s.%s.h5", (int)(n - 3), base, label)
                   : gs_fmt(rep->path, sizeof rep->path, "%s.%s.h5", base, label);
    if (!fits)
        return gs_fail(err, GS_E_INPUT, "the name of the results file is too long");
    if (p->o->no_file)
        return GS_OK;
    enum gs_rc rc = make_folder(rep->path, err);
    return rc ? rc : gs_h5_probe(rep->path, err);
}

static void base_overrides(struct point *p)
{
    for (size_t i = 0; i < p->o->nover && i < OVER_MAX; i++)
        p->over[p->nover++] = p->o->over[i];
}

static void free_point(struct point *p)
{
    gs_settings_release(&p->set);
    gs_buf_free(&p->label);
    gs_free(p->others);
}

/* Replications 1.. of a point in workers, then number 0 here, with the file. */
static enum gs_rc run_point(struct point *p, struct gs_report *rep, struct gs_err *err)
{
    p->replications = p->set.replications;
    if (p->replications < 1)
        p->replications = 1;
    rep->replications = p->replications;
    if (p->replications == 1)
        return simulate(p, rep, err);
    size_t n = (size_t)p->replications - 1;
    p->others = GS_NEW_N(struct gs_report, n);
    struct point *q = GS_NEW_N(struct point, n);
    for (size_t i = 0; i < n; i++) {
        q[i] = *p;
        q[i].whole = 0;
        q[i].replication = (int64_t)i + 1;
        (void)gs_fmt(p->others[i].label, sizeof p->others[i].label, "replication %zu", i + 1);
    }
    enum gs_rc rc = run_workers(q, p->others, n, p->o->workers, err);
    gs_free(q);
    if (rc) {
        rep->rc = rc;
        return rc;
    }
    rc = simulate(p, rep, err);
    for (uint32_t i = 0; i < rep->nvalues && !rc; i++) {
        struct gs_value_row row = {0};
        interval(p, rep, i, &row);
        rep->ci_low[i] = row.ci_low;
        rep->ci_high[i] = row.ci_high;
        for (size_t k = 0; k < n; k++) {
            rep->samples[i] += p->others[k].samples[i];
            rep->censored[i] += p->others[k].censored[i];
        }
    }
    for (uint32_t i = 0; i < rep->nvalues && !rc; i++)
        rep->value[i] = (rep->ci_low[i] + rep->ci_high[i]) / 2; /* what is printed is the mean */
    return rc;
}

/* One point after the other. A point that fails does not take the others with it; its error is the sweep's. */
static enum gs_rc run_in_turn(struct point *p, struct gs_report *reports, size_t n,
                              struct gs_err *err)
{
    enum gs_rc first = GS_OK;
    for (size_t i = 0; i < n && !interrupted(first); i++) {
        struct gs_err e = {0};
        const enum gs_rc rc = run_point(&p[i], &reports[i], &e);
        if (rc && (!first || interrupted(rc)))
            first = gs_fail(err, rc, "point %s: %s", reports[i].label, e.msg);
    }
    return first;
}

static enum gs_rc run_sweep(struct point *first, size_t n, struct gs_report *reports,
                            struct gs_err *err)
{
    struct point *p = GS_NEW_N(struct point, n);
    enum gs_rc rc = GS_OK;
    size_t ready = 0;
    for (; ready < n && !rc; ready++) {
        struct point *q = &p[ready];
        q->o = first->o;
        q->replications = 1;
        q->whole = 1;
        q->told = ready > 0;
        base_overrides(q);
        q->nover +=
            gs_sweep_point(&first->set, ready, q->over + q->nover, OVER_MAX - q->nover, &q->label);
        (void)gs_fmt(reports[ready].label, sizeof reports[ready].label, "%s",
                     gs_buf_cstr(&q->label));
        rc = load_point(q, err);
        if (!rc)
            rc = out_path(q, &reports[ready], err);
        if (rc)
            gs_wrap(err, "point %s", reports[ready].label);
    }
    if (!rc && first->o->workers > 1) {
        rc = run_workers(p, reports, n, first->o->workers, err);
    } else {
        rc = run_in_turn(p, reports, n, err);
    }
    for (size_t i = 0; i < ready; i++)
        free_point(&p[i]);
    gs_free(p);
    return rc;
}

/* Every problem of the scenario, once; the error that carries on is then empty. */
void gs_problems_say(struct gs_log *log, const struct gs_settings *s, struct gs_err *err)
{
    if (!s->problems.n)
        return;
    gs_complain(log, "%s", gs_buf_cstr(&s->problems));
    err->msg[0] = '\0';
}

enum gs_rc gs_points_run(const struct gs_order *o, struct gs_report **reports, size_t *n,
                         struct gs_err *err)
{
    struct point first = {.o = o, .replications = 1};
    base_overrides(&first);
    *n = 1;
    *reports = NULL;
    enum gs_rc rc = load_point(&first, err);
    if (rc) {
        gs_problems_say(o->log, &first.set, err);
        free_point(&first);
        return rc;
    }
    if (first.set.expect.n)
        gs_note(o->log, "[expect]: kept, but not judged by this version (lines: %zu)",
                first.set.expect.n);
    *n = gs_sweep_points(&first.set);
    *reports = GS_NEW_N(struct gs_report, *n);
    if (first.set.sweep.n) {
        rc = run_sweep(&first, *n, *reports, err);
    } else {
        rc = out_path(&first, &(*reports)[0], err);
        if (!rc)
            rc = run_point(&first, &(*reports)[0], err);
    }
    free_point(&first);
    return rc;
}
