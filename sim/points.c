/* points.c - runs the points of a scenario. A point is: settings with its overrides -> world -> run -> file -> report. */
#include "sim/points.h"

#include "sim/base/rng.h"
#include "sim/base/units.h"
#include "sim/replicas.h"

#include <errno.h>
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
    struct gs_pool_run *pool; /* [replications] samples of each; NULL with one */
    int64_t asked;            /* replications that the scenario asks for */
};

/* ---- one simulation ---- */

static void put_value(struct gs_report *rep, uint32_t i, const struct gs_value_row *row)
{
    rep->value[i] = row->value;
    rep->bound[i] = row->bound;
    rep->samples[i] = row->samples;
    rep->censored[i] = row->censored;
    rep->few[i] = (uint8_t)(row->few != 0);
    rep->ci_low[i] = row->ci_low;
    rep->ci_high[i] = row->ci_high;
    rep->pooled[i] = row->pooled;
}

static void read_values(struct gs_run *r, struct gs_report *rep)
{
    struct gs_value_row row[GS_METRICS_MAX];
    rep->nvalues = (uint32_t)gs_metric_eval_all(r->m, row, GS_METRICS_MAX);
    for (uint32_t i = 0; i < rep->nvalues; i++)
        put_value(rep, i, &row[i]);
}

/* What the order asks beyond the table; an expression that says nothing of this run is bad input. */
static enum gs_rc read_answers(struct gs_run *r, const struct gs_order *o, struct gs_report *rep,
                               struct gs_err *err)
{
    gs_require(rep->nvalues + o->nask <= GS_METRICS_MAX);
    for (size_t k = 0; k < o->nask; k++) {
        struct gs_value_row row;
        if (gs_metric_eval(r->m, o->ask[k], &row, err))
            return GS_E_INPUT;
        put_value(rep, rep->nvalues + rep->nasked++, &row);
    }
    return GS_OK;
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
    rep->draws = h->draws;
    rep->jobs = r->w.jobs.n;
    rep->oracle = r->oracle;
    rep->unverified = r->unverified_nodes;
    for (size_t i = 0; i < r->inputs.n; i++) {
        rep->skipped += r->inputs.v[i].n.skipped - r->inputs.v[i].n.left_out;
        rep->draws += r->inputs.v[i].n.records;
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

/* A line each for the steps that gs_shape_apply took. */
static void tell_shapes(const struct gs_run *r, const char *said)
{
    for (const char *s = said; *s; s += *s == '\n') {
        const size_t n = strcspn(s, "\n");
        gs_note(r->log, "  %.*s", (int)n, s);
        s += n;
    }
}

/* Tells, once, what was assumed, skipped and left out. What was assumed of rows that were left out later is among the counts: they are
 * of all rows read, and say so. */
static void tell_inputs(const struct gs_run *r)
{
    for (size_t i = 0; i < r->inputs.n; i++) {
        const struct gs_file_read *in = &r->inputs.v[i];
        char of[64] = "", left[64] = "";
        if (in->beside) {
            gs_note(r->log, "  with %s beside it", in->path);
            continue;
        }
        if (in->n.left_out) {
            (void)gs_fmt(of, sizeof of, " (of all rows read)");
            (void)gs_fmt(left, sizeof left, ", %llu left out", (unsigned long long)in->n.left_out);
        }
        gs_note(r->log, "read %s as %s: %llu rows, %llu skipped%s", in->path, in->n.format,
                (unsigned long long)in->n.rows,
                (unsigned long long)(in->n.skipped - in->n.left_out), left);
        if (in->n.records)
            gs_note(r->log, "  requests drawn from what the rows say: %llu",
                    (unsigned long long)in->n.records);
        for (uint32_t k = 0; k < in->n.nwhy; k++)
            gs_note(r->log, "  %s, %s: %llu", in->n.why[k].asked ? "left out" : "skipped",
                    in->n.why[k].reason, (unsigned long long)in->n.why[k].n);
        for (uint32_t k = 0; k < in->n.nassumed; k++)
            gs_note(r->log, "  assumed, %s: %llu%s", in->n.assumed[k].what,
                    (unsigned long long)in->n.assumed[k].n, of);
        if (in->n.out_of_order)
            gs_note(r->log, "  out of order, sorted: %llu", (unsigned long long)in->n.out_of_order);
        tell_shapes(r, in->shaped.said);
    }
}

static void tell_series(const struct gs_run *r, int64_t default_ns)
{
    char now[64], was[64];
    gs_note(r->log, "assumed: time series with a row every %s, since the run is too long for %s",
            gs_show_time((double)r->series_ns / 1e9, now, sizeof now),
            gs_show_time((double)default_ns / 1e9, was, sizeof was));
}

/* The scenario in effect without its comments, which tell where a value stands and change with every line that is moved. */
static void without_origins(const char *text, struct gs_buf *out)
{
    for (const char *s = text; *s; s += *s == '\n') {
        const char *end = s + strcspn(s, "\n"), *cut = strstr(s, " ; ");
        if (*s != ';')
            gs_buf_add(out, s, (size_t)((cut && cut < end ? cut : end) - s));
        gs_buf_str(out, "\n");
        s = end;
    }
}

/* A results file of another scenario is about to be replaced: that may be what was meant, but is not done in silence. */
static void tell_replaced(const struct gs_run *r, const char *path, const struct gs_settings *set)
{
    struct gs_h5_in *f = NULL;
    struct gs_err ignored = {0};
    struct gs_buf was = {0}, is = {0};
    if (access(path, F_OK) || gs_h5_open(&f, path, &ignored))
        return;
    char *text = gs_h5_read_attr_str(f, "created_from");
    gs_h5_close(f);
    if (text) {
        without_origins(text, &was);
        without_origins(gs_buf_cstr(&set->effective), &is);
        if (strcmp(gs_buf_cstr(&was), gs_buf_cstr(&is)) != 0)
            gs_note(r->log, "replaces %s of another scenario; -o names another file", path);
    }
    gs_free(text);
    gs_buf_free(&was);
    gs_buf_free(&is);
}

static const char *exit_reason(enum gs_rc rc, const struct gs_err *err)
{
    if (rc == GS_E_INT)
        return "interrupted";
    if (rc == GS_E_TERM)
        return "terminated";
    return rc ? err->msg : "done";
}

static struct gs_replicas replicas_of(const struct point *p, const struct gs_report *first)
{
    return (struct gs_replicas){.first = first,
                                .others = p->others,
                                .n = p->replications,
                                .pool = p->pool,
                                .group = p->set.group};
}

/* The metrics room's groups of replication 0, with what all of them say. */
static enum gs_rc write_with_intervals(void *ctx, struct gs_run *r, struct gs_err *err)
{
    const struct gs_replicas *all = ctx;
    return gs_replicas_write(all, r, err);
}

/* [output] waits: auto means yes, up to a million jobs. */
static int wants_waits(const struct gs_run *r, const struct point *p)
{
    if (p->o->no_file || p->replication || p->set.waits == 2)
        return 0;
    return p->set.waits == 1 || r->w.jobs.n <= 1000000;
}

uint64_t gs_replica_seed(uint64_t seed, uint64_t number)
{
    return number ? gs_mix64(seed, number) & INT64_MAX : seed;
}

static enum gs_rc build(struct gs_run *r, struct point *p, struct gs_report *rep,
                        struct gs_err *err)
{
    const struct gs_order *o = p->o;
    int64_t t0 = gs_wall_ns();
    r->seed = gs_replica_seed(p->set.seed, (uint64_t)p->replication);
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

static const char only_one[] =
    "one run was made, without an interval: nothing that the scenario names differs between replications";

/* Samples of this replication for the pooled quantiles; with the last of them, number 0, the quantiles themselves. */
static void pool_samples(struct point *p, struct gs_run *r, struct gs_report *rep)
{
    if (!p->pool)
        return;
    struct gs_pool_run *mine = &p->pool[p->replication];
    if (r->w.jobs.n * (uint64_t)p->replications <= GS_POOL_MOST)
        gs_pool_read(mine, r->m);
    gs_groups_pack(r->m, p->set.group, &mine->groups);
    if (p->replication)
        return;
    size_t nm = 0;
    (void)gs_metric_table(&nm);
    gs_pool_quantiles(p->pool, (size_t)p->replications, rep->pooled, nm);
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
    struct gs_replicas all = replicas_of(p, rep);
    const int file = !p->o->no_file && p->replication == 0;
    of.replications = p->replications;
    if (p->replications > 1) {
        of.extra = write_with_intervals;
        of.extra_ctx = &all;
    }
    if (file)
        tell_replaced(r, rep->path, &p->set);
    enum gs_rc rc = file ? gs_outfile_open(r, &of, err) : GS_OK;
    if (rc)
        return rc;
    rc = gs_run_go(r, err);
    if (rc == GS_E_INPUT) /* such as a time series without end */
        return gs_wrap(err, "%s", p->set.path);
    if (rc && rc != GS_E_MODULE && !r->interrupted)
        return rc;
    fill_report(r, rep);
    if (r->series_ns != p->set.series_ns && p->replication == 0)
        tell_series(r, p->set.series_ns);
    if (!rc)
        rc = read_answers(r, p->o, rep, err);
    if (rc == GS_E_INPUT)
        return gs_wrap(err, "%s", p->set.path);
    pool_samples(p, r, rep);
    of.note = p->asked > p->replications && !rep->draws ? only_one : NULL;
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

static void send_samples(int fd, const struct gs_pool_run *s)
{
    write_all(fd, &s->known, sizeof s->known);
    write_all(fd, s->n, sizeof s->n);
    for (int f = 0; f < GS_SAMPLE_FAMILIES; f++)
        write_all(fd, s->v[f], s->n[f] * sizeof *s->v[f]);
    write_all(fd, &s->groups.n, sizeof s->groups.n);
    write_all(fd, gs_buf_cstr(&s->groups), s->groups.n);
}

/* 0 if the worker broke off. */
static int receive_samples(int fd, struct gs_pool_run *s)
{
    *s = (struct gs_pool_run){0};
    int ok = read_all(fd, &s->known, sizeof s->known) && read_all(fd, s->n, sizeof s->n);
    for (int f = 0; f < GS_SAMPLE_FAMILIES && ok; f++) {
        s->v[f] = GS_NEW_N(double, s->n[f] + 1);
        ok = read_all(fd, s->v[f], s->n[f] * sizeof *s->v[f]);
    }
    size_t n = 0;
    ok = ok && read_all(fd, &n, sizeof n);
    if (ok && n) {
        char *text = gs_alloc(n);
        ok = read_all(fd, text, n);
        gs_buf_add(&s->groups, text, n);
        gs_free(text);
    }
    s->known &= ok;
    return ok;
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
        if (p->replication && alone->log->level == GS_LOG_NORMAL)
            alone->log->level = GS_LOG_QUIET; /* the first one tells */
        p->o = alone;
        (void)(p->whole ? run_point(p, rep, &e) : simulate(p, rep, &e));
        write_all(fd[1], rep, sizeof *rep);
        if (!p->whole && p->pool)
            send_samples(fd[1], &p->pool[p->replication]);
        _exit(0);
    }
    (void)close(fd[1]);
    *w = (struct worker){pid, fd[0], job};
    return GS_OK;
}

static void finish_worker(struct worker *w, const struct point *p, struct gs_report *rep)
{
    int status = 0;
    struct gs_report got;
    int ok = read_all(w->fd, &got, sizeof got);
    if (ok && !p->whole && p->pool)
        ok = receive_samples(w->fd, &p->pool[p->replication]);
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
        finish_worker(&w[done % slots], &points[done], &reports[done]);
        stop |= interrupted(reports[done].rc) || (reports[done].rc && !points[done].whole);
        /* bad input is the scenario's, whichever replication met it first */
        const int name_it =
            reports[done].label[0] && (points[done].whole || reports[done].rc != GS_E_INPUT);
        if (reports[done].rc && !rc)
            rc = gs_fail(err, reports[done].rc, "%s%s%s", name_it ? reports[done].label : "",
                         name_it ? ": " : "", reports[done].msg);
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
static enum gs_rc replicate(struct point *p, struct gs_report *rep, struct gs_err *err)
{
    const size_t n = (size_t)p->replications - 1;
    p->others = GS_NEW_N(struct gs_report, n);
    p->pool = GS_NEW_N(struct gs_pool_run, n + 1);
    struct point *q = GS_NEW_N(struct point, n);
    for (size_t i = 0; i < n; i++) {
        q[i] = *p;
        q[i].whole = 0;
        q[i].replication = (int64_t)i + 1;
        (void)gs_fmt(p->others[i].label, sizeof p->others[i].label, "replication %zu", i + 1);
    }
    enum gs_rc rc = run_workers(q, p->others, n, p->o->workers, err);
    gs_free(q);
    if (rc)
        rep->rc = rc;
    else
        rc = simulate(p, rep, err);
    const struct gs_replicas all = replicas_of(p, rep);
    if (!rc)
        gs_replicas_conclude(&all, rep);
    for (size_t i = 0; i <= n; i++)
        gs_pool_release(&p->pool[i]);
    gs_free(p->pool);
    p->pool = NULL;
    return rc;
}

/* Where only a policy could draw random numbers, a first run tells whether it does: if not, that run is all there is to be had. */
static enum gs_rc run_point(struct point *p, struct gs_report *rep, struct gs_err *err)
{
    p->asked = p->set.replications < 1 ? 1 : p->set.replications;
    rep->asked = p->asked;
    if (p->asked == 1 || !gs_replicas_vary(&p->set)) {
        p->replications = rep->replications = 1;
        const enum gs_rc rc = simulate(p, rep, err);
        if (rc || p->asked == 1 || rep->draws == 0) {
            if (!rc && p->asked > 1)
                gs_note(p->o->log, "replications = %lld: %s", (long long)p->asked, only_one);
            return rc;
        }
        struct gs_report blank = {.asked = p->asked};
        memcpy(blank.label, rep->label, sizeof blank.label);
        memcpy(blank.path, rep->path, sizeof blank.path);
        *rep = blank;
        p->told = 1;
    }
    p->replications = rep->replications = p->asked;
    return replicate(p, rep, err);
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
        gs_note(o->log, "[expect]: %zu lines, which gsim check judges", first.set.expect.n);
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
