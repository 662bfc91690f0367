/* check_against.c - the new build of a module against the old one: each figure, then the jobs.
 *
 * A figure holds only where a worsening beyond the tolerance can be ruled out: every pair is equal, or the interval of the difference
 * ends within the tolerance (a test of non-inferiority). Worse is what Holm's p says and what is beyond the tolerance. All the rest could not be
 * told, and is said with the change that could have been seen and the replications that it would take. One run a side has no chance
 * in it: there the difference itself is judged. The jobs are tested apart (analysis/job_test.h). */
#include "analysis/job_test.h"
#include "sim/base/units.h"
#include "sim/check_state.h"

#include <math.h>
#include <string.h>

#include "sim/base/banned.h"

/* What is judged when nothing is named: means, and the tails where a change of order shows first. */
static const char *const judged[] = {"gpu.allocation",
                                     "gpu.fragmentation",
                                     "jobs.wait.mean",
                                     "jobs.wait.p50",
                                     "jobs.wait.p95",
                                     "jobs.wait.p99",
                                     "jobs.wait.max",
                                     "jobs.jct.mean",
                                     "jobs.jct.p95",
                                     "jobs.bounded_slowdown.mean",
                                     "jobs.bounded_slowdown.p95",
                                     "jobs.bounded_slowdown.p99",
                                     "jobs.unfinished",
                                     "jobs.rejected",
                                     "jobs.failed",
                                     "jobs.preemptions",
                                     "makespan",
                                     "fairness.jain"};

struct
    blind { /* over the figures that could not be told: the smallest changes that could have been seen, as shares */
    double least, most;
    size_t pairs;
};

/* How far the interval reaches on the bad side. */
static double worst_of(const struct gs_compare_row *r)
{
    const double half = r->pairing == GS_PAIR_SINGLE ? 0 : r->d.half;
    return (r->metric->direction == GS_HIGHER_BETTER ? -r->d.diff : r->d.diff) + half;
}

static enum gs_case_status status_of(const struct gs_compare_row *r, double tolerance)
{
    const double room = tolerance * fabs(r->d.mean_a);
    const int large = !(fabs(r->d.diff) <= room); /* also of a difference that is no number */
    if (r->outcome == GS_CMP_WORSE && large)
        return GS_CASE_FAIL;
    if (r->outcome == GS_CMP_EQUAL && !r->missing)
        return GS_CASE_PASS;
    if (r->outcome == GS_CMP_UNKNOWN || (r->missing && r->pairing != GS_PAIR_SINGLE))
        return GS_CASE_UNTOLD;
    if (r->outcome == GS_CMP_BETTER && large)
        return GS_CASE_BETTER;
    if (r->metric->direction == GS_NEUTRAL || worst_of(r) <= room)
        return GS_CASE_PASS;
    return GS_CASE_UNTOLD;
}

/* A share in percent, three digits and no exponent: "4.18", "17438". */
static const char *percent(double share, char *buf, size_t cap)
{
    (void)gs_fmt(buf, cap, fabs(share) < 9.995 ? "%.3g" : "%.0f", 100 * share);
    return buf;
}

/* "changes below 12 % are invisible, 1 % takes about 900 replications" */
static void why_untold(const struct gs_compare *cmp, const struct gs_compare_row *r,
                       const struct gs_check_ask *ask, struct blind *blind, struct gs_buf *out)
{
    const double base = fabs(r->d.mean_a), level = 1 - ask->compare.alpha;
    const double alpha =
        ask->compare.alpha / (double)(cmp->families.v[0].n ? cmp->families.v[0].n : 1);
    const double seen = gs_stats_detectable(&r->d, level, alpha, r->d.na);
    char text[64];
    if (r->missing || r->outcome == GS_CMP_UNKNOWN) {
        gs_buf_fmt(out, "%zu runs have no finite value", r->missing);
    } else if (r->artefact) {
        gs_show_figure(r->metric, r->tie_spread, text, sizeof text);
        gs_buf_fmt(out, "within what another order of simultaneous events makes (%s)", text);
    } else if (!(base > 0)) {
        gs_show_figure(r->metric, seen, text, sizeof text);
        gs_buf_fmt(out, "changes below %s are invisible", text);
    } else {
        const size_t need = gs_stats_needed(&r->d, level, alpha, ask->tolerance * base);
        gs_buf_fmt(out, "changes below %s %% are invisible; ",
                   percent(seen / base, text, sizeof text));
        if (need)
            gs_buf_fmt(out, "to see %.3g %% takes about %zu replications", 100 * ask->tolerance,
                       need);
        else
            gs_buf_fmt(out, "no number of replications in reach shows %.3g %%",
                       100 * ask->tolerance);
        blind->least = fmin(blind->least, seen / base);
        blind->most = fmax(blind->most, seen / base);
        blind->pairs = r->d.na;
    }
}

static void judge_row(struct gs_check_item *it, const struct gs_compare *cmp,
                      const struct gs_compare_row *r, const struct gs_check_ask *ask,
                      struct blind *blind)
{
    const double rel = fabs(r->d.mean_a) > 0 ? r->d.diff / fabs(r->d.mean_a) : (double)NAN;
    const enum gs_case_status status = status_of(r, ask->tolerance);
    char was[64], now[64], change[96] = "";
    struct gs_buf message = {0};
    gs_show_figure(r->metric, r->inf_a > 0 ? r->bound_a : r->d.mean_a, was, sizeof was);
    gs_show_figure(r->metric, r->inf_b > 0 ? r->bound_b : r->d.mean_b, now, sizeof now);
    if (status != GS_CASE_PASS && isfinite(rel) && isfinite(r->d.half))
        (void)gs_fmt(change, sizeof change, "%+.2f %% +/- %.2f", 100 * rel,
                     100 * r->d.half / fabs(r->d.mean_a));
    else if (status != GS_CASE_PASS && isfinite(rel))
        (void)gs_fmt(change, sizeof change, "%+.2f %%", 100 * rel);
    if (status == GS_CASE_UNTOLD)
        why_untold(cmp, r, ask, blind, &message);
    else if (status != GS_CASE_PASS && !isnan(r->p_holm))
        gs_buf_fmt(&message, "p = %.3g over %zu pairs", r->p_holm, r->d.na);
    gs_checked_add(it->out, &(struct gs_case){.status = status,
                                              .kind = "against",
                                              .name = r->metric->name,
                                              .was = was,
                                              .now = now,
                                              .change = change,
                                              .message = gs_buf_cstr(&message)});
    gs_buf_free(&message);
}

static void tell_blind(struct gs_checked *out, const struct blind *b)
{
    struct gs_buf text = {0};
    char share[32];
    if (!b->pairs)
        return;
    gs_buf_fmt(&text, "replications = %zu: changes below %s", b->pairs,
               percent(b->least, share, sizeof share));
    if (b->most > 1.05 * b->least)
        gs_buf_fmt(&text, " to %s", percent(b->most, share, sizeof share));
    gs_buf_str(&text, " % are invisible");
    out->blind = text.s;
}

/* ---- the jobs ---- */

static enum gs_rc read_changes(const struct gs_check_state *c, size_t item, size_t n,
                               struct gs_job_changes *j, const char **why_not, struct gs_err *err)
{
    enum gs_rc rc = GS_OK;
    for (size_t k = 0; k < n && !rc; k++) {
        struct gs_buf a = {0}, b = {0};
        gs_check_replica_h5(c, gs_check_run(c, item, 0, 0), k, &a);
        gs_check_replica_h5(c, gs_check_run(c, item, 1, 0), k, &b);
        rc = gs_compare_jobs(a.s, b.s, "", &j[k], err);
        if (!rc && j[k].why_not)
            *why_not = j[k].why_not;
        gs_buf_free(&a);
        gs_buf_free(&b);
    }
    return rc;
}

static void job_case(struct gs_check_item *it, const struct gs_job_test *t)
{
    char median[64], now[200], message[120] = "";
    const char *sign = t->median > 0 ? "+" : "";
    gs_show_time(isnan(t->median) ? 0 : t->median, median, sizeof median);
    (void)gs_fmt(now, sizeof now, "%zu waited longer, %zu shorter, median change %s%s", t->longer,
                 t->shorter, sign, median);
    if (!isnan(t->p))
        (void)gs_fmt(message, sizeof message,
                     "losers %.1f %% of the moved, p = %.3g over %zu seeds", 100 * t->share, t->p,
                     t->seeds);
    gs_checked_add(it->out, &(struct gs_case){.status = t->worse ? GS_CASE_FAIL : GS_CASE_PASS,
                                              .kind = "against",
                                              .name = "jobs",
                                              .now = now,
                                              .message = message});
    it->out->jobs = gs_strdup(now);
}

/* room: what a wait may grow by, the tolerance of the mean wait of the old build. */
static enum gs_rc judge_jobs(const struct gs_check_state *c, struct gs_check_item *it, size_t item,
                             struct gs_err *err)
{
    const struct gs_report *old = &c->done[gs_check_run(c, item, 0, 0)].rep;
    const size_t n = old->replications > 1 ? (size_t)old->replications : 1;
    const struct gs_metric *m = gs_metric_named("jobs.wait.mean", NULL);
    struct gs_job_changes *j = GS_NEW_N(struct gs_job_changes, n);
    struct gs_job_test t;
    size_t nm = 0;
    const char *why_not = NULL;
    const double wait = old->value[m - gs_metric_table(&nm)];
    const enum gs_rc rc = read_changes(c, item, n, j, &why_not, err);
    if (!rc && why_not) {
        gs_check_case(it, GS_CASE_UNTOLD, "against", "jobs", why_not);
    } else if (!rc) {
        gs_job_test(j, n, isfinite(wait) ? c->ask->tolerance * wait : 0, c->ask->compare.alpha, &t);
        job_case(it, &t);
    }
    for (size_t k = 0; k < n; k++)
        gs_job_changes_release(&j[k]);
    gs_free(j);
    return rc;
}

/* ---- all of it ---- */

static enum gs_rc judge_sides(const struct gs_check_state *c, struct gs_check_item *it, size_t item,
                              struct gs_compare *cmp, struct gs_err *err)
{
    struct blind blind = {(double)INFINITY, 0, 0};
    if (cmp->same_digests) {
        gs_check_case(it, GS_CASE_PASS, "against", "the same events and decisions", "");
        return GS_OK;
    }
    for (size_t i = 0; i < cmp->rows.n; i++)
        judge_row(it, cmp, &cmp->rows.v[i], c->ask, &blind);
    tell_blind(it->out, &blind);
    it->out->nmoves = cmp->jobs.nmoves;
    it->out->moves_are_changes = 1;
    memcpy(it->out->moves, cmp->jobs.moves, sizeof it->out->moves);
    cmp->jobs.nmoves = 0;
    return c->ask->compare.nmetric ? GS_OK : judge_jobs(c, it, item, err);
}

/* The files of one side, joined by commas. */
static void side_list(const struct gs_check_state *c, size_t item, size_t side, struct gs_buf *out)
{
    for (size_t t = 0; t < c->ties; t++) {
        gs_buf_str(out, t ? "," : "");
        gs_check_h5(c, gs_check_run(c, item, side, t), out);
    }
}

enum gs_rc gs_check_against(const struct gs_check_state *c, size_t item, struct gs_err *err)
{
    struct gs_check_item *it = &c->item.v[item];
    struct gs_side side[2] = {0};
    struct gs_compare cmp = {0};
    struct gs_compare_ask ask = c->ask->compare;
    enum gs_rc rc = GS_OK;
    ask.jobs = 1;
    if (!ask.nmetric) {
        ask.metric = judged;
        ask.nmetric = sizeof judged / sizeof *judged;
    }
    for (size_t s = 0; s < 2 && !rc; s++) {
        struct gs_buf list = {0};
        side_list(c, item, s, &list);
        rc = gs_side_load(&side[s], gs_buf_cstr(&list), err);
        gs_buf_free(&list);
    }
    if (!rc && !strstr(side[1].files.v[0].modules, gs_buf_cstr(&c->link[1]))) {
        struct gs_buf note = {0};
        gs_buf_fmt(&note, "does not use the module '%s'", c->id);
        it->out->note = note.s;
    } else if (!rc) {
        rc = gs_compare(&side[0], &side[1], &ask, &cmp, err);
        if (!rc)
            rc = judge_sides(c, it, item, &cmp, err);
    }
    gs_compare_release(&cmp);
    gs_side_release(&side[0]);
    gs_side_release(&side[1]);
    return rc;
}
