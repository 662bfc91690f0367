/* check_judge.c - the verdict on a scenario that has run: how the run ended, then [expect], then its baseline or the other build.
 *
 * A failure is certain and outweighs what cannot be judged. Nothing here depends on the order in which workers ended. */
#include "analysis/effective.h"
#include "sim/check_state.h"
#include "sim/textfile.h"

#include <math.h>
#include <string.h>
#include <sys/wait.h>

#include "sim/base/banned.h"

/* 1 if the run ended well; else what became of it is a case. */
static int ran_well(const struct gs_check_state *c, struct gs_check_item *it, size_t run)
{
    const struct gs_check_done *d = &c->done[run];
    char text[160];
    if (c->died[run]) {
        const int s = c->died[run];
        (void)gs_fmt(text, sizeof text, "the simulation was ended by %s %d",
                     WIFSIGNALED(s) ? "signal" : "status",
                     WIFSIGNALED(s) ? WTERMSIG(s) : WEXITSTATUS(s));
        const int stopped = gs_stop_signal ? 128 + gs_stop_signal : 0;
        gs_check_give_up(it, stopped ? stopped : 3, text);
        return 0;
    }
    if (!d->rc)
        return 1;
    gs_check_give_up(it, d->stage == GS_STAGE_MODULES ? GS_CANNOT_JUDGE : gs_exit_status(d->rc),
                     d->msg);
    return 0;
}

/* The value of a figure. A verdict over several runs is that of their mean code, rounded up: one run that does not keep up is not
 * made good by others that do. */
static double value_at(const struct gs_report *rep, const struct gs_metric *m, size_t at)
{
    return strcmp(m->name, "verdict") == 0 ? ceil(rep->value[at]) : rep->value[at];
}

/* ---- [expect] ---- */

/* Where the report holds an expression: in the table, or among the answers. */
static size_t place_of(const struct gs_check_item *it, const struct gs_metric *m, const char *expr)
{
    size_t n = 0;
    const struct gs_metric *table = gs_metric_table(&n);
    if (!strchr(expr, '{'))
        return (size_t)(m - table);
    for (size_t i = 0; i < it->asked.n; i++)
        if (strcmp(it->asked.v[i], expr) == 0)
            return n + i;
    gs_require(0);
    return 0;
}

static int allows_saturated(const struct gs_check_item *it)
{
    int allow = 0;
    for (size_t i = 0; i < it->expect.n; i++)
        allow |= it->expect.v[i].kind == GS_EXPECT_ALLOW;
    return allow;
}

static void judge_expectations(struct gs_check_item *it, const struct gs_report *rep)
{
    const struct gs_metric *m = gs_metric_named("verdict", NULL);
    const double verdict = value_at(rep, m, place_of(it, m, m->name));
    const int allow = allows_saturated(it);
    for (size_t i = 0; i < it->expect.n; i++) {
        const struct gs_expect *e = &it->expect.v[i];
        char why[200];
        if (e->kind == GS_EXPECT_ALLOW)
            continue;
        const size_t at = e->m ? place_of(it, e->m, e->expr) : 0;
        const struct gs_expect_fact f = {.value = e->m ? value_at(rep, e->m, at) : 0,
                                         .bound = rep->bound[at],
                                         .samples = rep->samples[at],
                                         .censored = rep->censored[at],
                                         .digest = rep->digest,
                                         .verdict = (enum gs_verdict)(int)verdict,
                                         .allow_saturated = allow};
        const int holds = gs_expect_holds(e, &f, why, sizeof why);
        gs_checked_add(it->out, &(struct gs_case){.status = holds ? GS_CASE_PASS : GS_CASE_FAIL,
                                                  .kind = "expect",
                                                  .name = e->line,
                                                  .now = why});
    }
}

/* ---- the baseline ---- */

static void add_sections(struct gs_baseline *now, const char *effective)
{
    gs_section_vec sections = {0};
    gs_effective_digests(effective, &sections);
    for (size_t i = 0; i < sections.n; i++)
        gs_baseline_add_section(now, sections.v[i].name, sections.v[i].digest);
    gs_vec_free(&sections);
}

/* Version, digests and inputs of a run, from its results file. */
static enum gs_rc facts_of(const char *h5, struct gs_baseline *now, struct gs_err *err)
{
    struct gs_h5_in *in = NULL;
    size_t n = 0, nd = 0;
    char digest[33];
    *now = (struct gs_baseline){0};
    const enum gs_rc rc = gs_h5_open(&in, h5, err);
    if (rc)
        return rc;
    char *effective = gs_h5_read_attr_str(in, "created_from");
    char **path = gs_h5_read_str(in, "/inputs/path", &n);
    char **sum = gs_h5_read_str(in, "/inputs/xxh128", &nd);
    gs_effective_digest(effective ? effective : "", digest);
    add_sections(now, effective ? effective : "");
    now->version = gs_strdup(GSIM_VERSION);
    now->scenario = gs_strdup(digest);
    now->digest = gs_h5_read_attr_str(in, "digest");
    for (size_t i = 0; i < n && i < nd; i++)
        gs_baseline_add_input(now, path[i], sum[i]);
    gs_free(effective);
    gs_free(path);
    gs_free(sum);
    gs_h5_close(in);
    return GS_OK;
}

static void show_change(const struct gs_baseline_figure *f, double now, char *buf, size_t cap)
{
    char text[64];
    if (isfinite(f->value) && isfinite(now) && fabs(f->value) > 0) {
        (void)gs_fmt(buf, cap, "%+.2f %%", 100 * (now - f->value) / fabs(f->value));
        return;
    }
    gs_show_figure(f->m, now - f->value, text, sizeof text);
    (void)gs_fmt(buf, cap, "%s%s", now > f->value ? "+" : "", isfinite(now - f->value) ? text : "");
}

/* Of a stale baseline, what moved is told and not judged: the settings alone may have moved it. */
static void judge_figures(struct gs_check_item *it, const struct gs_report *rep, int stale)
{
    for (size_t i = 0; i < it->base.figures.n; i++) {
        const struct gs_baseline_figure *f = &it->base.figures.v[i];
        const double x = value_at(rep, f->m, place_of(it, f->m, f->expr));
        const enum gs_move move = gs_baseline_judge(f, x);
        char was[64], now[64], change[64] = "";
        gs_show_figure(f->m, f->value, was, sizeof was);
        gs_show_figure(f->m, x, now, sizeof now);
        if (move)
            show_change(f, x, change, sizeof change);
        gs_checked_add(it->out, &(struct gs_case){.status = stale                   ? GS_CASE_UNTOLD
                                                            : move == GS_MOVE_WORSE ? GS_CASE_FAIL
                                                            : move                  ? GS_CASE_BETTER
                                                                                    : GS_CASE_PASS,
                                                  .kind = "baseline",
                                                  .name = f->expr,
                                                  .was = was,
                                                  .now = now,
                                                  .change = change});
    }
}

enum gs_rc gs_check_write(const char *path, const struct gs_buf *text, struct gs_err *err)
{
    struct gs_textfile f;
    enum gs_rc rc = gs_textfile_open(&f, path, err);
    if (!rc)
        rc = gs_textfile_put(&f, gs_buf_cstr(text), text->n, err);
    return gs_textfile_close(&f, rc, err);
}

/* Why a run is no measure for others, or NULL. */
static const char *why_not_blessed(const struct gs_check_item *it, const struct gs_report *rep)
{
    const struct gs_metric *m = gs_metric_named("verdict", NULL);
    const int verdict = (int)value_at(rep, m, place_of(it, m, m->name));
    if (gs_checked_count(it->out, GS_CASE_FAIL))
        return "not blessed, as an expectation does not hold (--force blesses it all the same)";
    if (verdict == GS_VERDICT_SATURATED && !allows_saturated(it))
        return "not blessed, as the run is saturated: its waits say how long it ran; if that is meant, [expect] "
               "allow = saturated (--force blesses it all the same)";
    return NULL;
}

static enum gs_rc bless(struct gs_check_item *it, const struct gs_report *rep,
                        const struct gs_baseline *now, struct gs_err *err)
{
    const char *slash = strrchr(it->path, '/');
    struct gs_buf text = {0}, note = {0};
    if (!rep->complete)
        return gs_fail(err, GS_E_FAILED, "the run is not complete: it is no baseline");
    if (!it->base.text)
        gs_baseline_first(&it->base, rep->value);
    double *v = GS_NEW_N(double, it->base.figures.n + 1);
    for (size_t i = 0; i < it->base.figures.n; i++) {
        const struct gs_baseline_figure *f = &it->base.figures.v[i];
        v[i] = value_at(rep, f->m, place_of(it, f->m, f->expr));
    }
    gs_baseline_write(&it->base, now, v, slash ? slash + 1 : it->path, &text);
    const enum gs_rc rc = gs_check_write(gs_buf_cstr(&it->base_path), &text, err);
    gs_buf_fmt(&note, "blessed %s", gs_buf_cstr(&it->base_path));
    if (!rc)
        it->out->note = note.s;
    else
        gs_buf_free(&note);
    gs_buf_free(&text);
    gs_free(v);
    return rc;
}

/* The jobs that waited longest, where a figure got worse. */
static enum gs_rc tell_waits(struct gs_check_item *it, const char *h5, struct gs_err *err)
{
    struct gs_job_changes j;
    if (!gs_checked_count(it->out, GS_CASE_FAIL))
        return GS_OK;
    const enum gs_rc rc = gs_longest_waits(h5, &j, err);
    it->out->nmoves = j.nmoves;
    memcpy(it->out->moves, j.moves, sizeof j.moves);
    j.nmoves = 0; /* their names are the verdict's now */
    gs_job_changes_release(&j);
    return rc;
}

static enum gs_rc judge_baseline(const struct gs_check_state *c, struct gs_check_item *it,
                                 const struct gs_report *rep, const char *h5, struct gs_err *err)
{
    struct gs_baseline now;
    char why[200];
    enum gs_rc rc = facts_of(h5, &now, err);
    if (!rc && c->ask->bless) {
        const char *no = c->ask->force ? NULL : why_not_blessed(it, rep);
        if (no)
            gs_check_case(it, GS_CASE_FAIL, "baseline", gs_buf_cstr(&it->base_path), no);
        else
            rc = bless(it, rep, &now, err);
    } else if (!rc && it->has_base && gs_baseline_stale(&it->base, &now, why, sizeof why)) {
        struct gs_buf text = {0};
        gs_buf_fmt(&text, "the baseline is stale: %s (look at it, then --bless)", why);
        it->out->exit_status = GS_CANNOT_JUDGE;
        gs_check_case(it, GS_CASE_UNJUDGED, "baseline", gs_buf_cstr(&it->base_path), text.s);
        judge_figures(it, rep, 1);
        gs_buf_free(&text);
    } else if (!rc && it->has_base) {
        judge_figures(it, rep, 0);
        if (it->base.digest && now.digest && strcmp(it->base.digest, now.digest) == 0)
            it->out->note = gs_strdup("the same events as in the baseline");
        rc = tell_waits(it, h5, err);
    }
    gs_baseline_release(&now);
    return rc;
}

/* ---- all of it ---- */

void gs_check_judge(const struct gs_check_state *c, size_t item)
{
    struct gs_check_item *it = &c->item.v[item];
    struct gs_err err = {0};
    struct gs_buf h5 = {0};
    if (it->out->exit_status)
        return;
    for (size_t k = 0; k < c->sides * c->ties; k++)
        if (!ran_well(c, it, gs_check_run(c, item, 0, 0) + k))
            return;
    const size_t last =
        gs_check_run(c, item, c->sides - 1, 0); /* expectations are those on the new build */
    gs_check_h5(c, last, &h5);
    judge_expectations(it, &c->done[last].rep);
    enum gs_rc rc = c->sides > 1
                        ? gs_check_against(c, item, &err)
                        : judge_baseline(c, it, &c->done[last].rep, gs_buf_cstr(&h5), &err);
    if (rc)
        gs_check_give_up(it, gs_exit_status(rc), err.msg);
    else if (gs_checked_count(it->out, GS_CASE_FAIL))
        it->out->exit_status = 1; /* also where the baseline is stale: the failure is certain */
    else if (c->ask->strict && gs_checked_count(it->out, GS_CASE_UNTOLD))
        it->out->exit_status = GS_CANNOT_JUDGE;
    gs_buf_free(&h5);
}
