/* estimate.c - run-time estimates by word: none, exact, factor, limit, user.
 *
 *   none                 no estimate, even where the trace has one
 *   exact                the true run time (an oracle: no real scheduler has it)
 *   factor DISTRIBUTION  run time x a drawn factor: a model's guess, may be too short
 *   limit TIME           the same for all, as a queue's time limit is
 *   user bias=B sigma=S  what users write: run time x a lognormal factor with median B (default 2) and sigma S (default 0.5), never
 *                        below the run time, rounded up to whole minutes or, with round=popular, to the next of the round
 *                        figures that people write: 5m, 10m, 15m, ... 1h, 2h, ... 12h, 18h, 1d, 36h, 2d, ... 7d, then days
 *
 * That users overestimate, and write round figures, is an old observation (Mu'alem and Feitelson, IEEE TPDS 12, 2001; Tsafrir,
 * Etsion and Feitelson, "Modeling User Runtime Estimates", JSSPP 2005: twenty values make up most of what is written); the lognormal
 * factor is a plain stand-in for their mixtures. A job that never ends gets none,
 * except by limit. Each job draws from its own stream. */
#include "traces/synth/estimate.h"

#include "sim/base/fmath.h"
#include "sim/base/units.h"
#include "traces/synth/words.h"

#include <string.h>

#include "sim/base/banned.h"

#define MINUTE_NS (INT64_C(60) * GS_SECOND)
#define LONGEST   (INT64_MAX / 4)
#define TRACES    UINT32_C(0x8000) /* classes of traces, beside those of [workload] sections */

enum word {
    EST_KEEP_NONE,
    EST_EXACT_RUN,
    EST_TIMES,
    EST_LIMIT_T,
    EST_USER_LIKE
};

struct rule {
    enum word word;
    struct gs_dist *factor;
    int64_t limit_ns;
    double bias, sigma;
    int popular; /* round to the figures that people write */
};

/* Minutes. */
static const int32_t popular[] = {5,    10,   15,   20,   30,   45,   60,   90,   120,
                                  180,  240,  300,  360,  480,  600,  720,  1080, 1440,
                                  2160, 2880, 4320, 5760, 7200, 8640, 10080};

enum {
    POPULAR = sizeof popular / sizeof popular[0]
};

static enum gs_rc read_user(struct gs_words *words, struct rule *r, struct gs_err *err)
{
    r->word = EST_USER_LIKE;
    r->bias = 2;
    r->sigma = 0.5;
    const char *bias = gs_words_key(words, "bias");
    const char *sigma = gs_words_key(words, "sigma");
    const char *round = gs_words_key(words, "round");
    r->popular = round && strcmp(round, "popular") == 0;
    if (round && !r->popular && strcmp(round, "minutes") != 0)
        return gs_fail(err, GS_E_INPUT, "round: '%s' is neither minutes nor popular", round);
    enum gs_rc rc = bias ? gs_parse_real(bias, &r->bias, err) : GS_OK;
    if (rc == GS_OK && sigma)
        rc = gs_parse_real(sigma, &r->sigma, err);
    if (rc == GS_OK && !(r->bias > 0 && r->bias <= 1e6 && r->sigma >= 0 && r->sigma <= 10))
        rc = gs_fail(err, GS_E_INPUT, "bias must be above 0, sigma within 0 to 10");
    return rc;
}

static enum gs_rc read_limit(struct gs_words *words, const char *rest, struct rule *r,
                             struct gs_err *err)
{
    r->word = EST_LIMIT_T;
    while (gs_words_plain(words)) /* "2d 03:15" is two words */
        ;
    const enum gs_rc rc = gs_parse_time(rest, &r->limit_ns, err);
    if (rc == GS_OK && r->limit_ns == 0)
        return gs_fail(err, GS_E_INPUT, "'%s' must be above 0", rest);
    return rc;
}

static enum gs_rc read_rule(const char *spec, const char *dir, struct gs_arena *a, struct rule *r,
                            struct gs_err *err)
{
    struct gs_words words;
    enum gs_rc rc = gs_words_split(spec, a, &words, err);
    if (rc != GS_OK)
        return rc;
    const struct gs_word *first = gs_words_plain(&words);
    const char *name = first ? first->value : "";
    const char *at = strstr(spec, name);
    const char *rest = at ? at + strlen(name) : "";
    rest += strspn(rest, " \t");
    if (strcmp(name, "none") == 0) {
        r->word = EST_KEEP_NONE;
    } else if (strcmp(name, "exact") == 0) {
        r->word = EST_EXACT_RUN;
    } else if (strcmp(name, "factor") == 0) {
        r->word = EST_TIMES;
        return gs_dist_parse(rest, GS_DIM_NONE, dir, a, &r->factor, err);
    } else if (strcmp(name, "limit") == 0) {
        rc = read_limit(&words, rest, r, err);
    } else if (strcmp(name, "user") == 0) {
        rc = read_user(&words, r, err);
    } else {
        return gs_fail(err, GS_E_INPUT,
                       "'%s' is not an estimate (none, exact, factor uniform 1 3, limit 4h, user "
                       "bias=2)",
                       spec);
    }
    return rc == GS_OK ? gs_words_done(&words, err) : rc;
}

static int64_t scaled(int64_t run_ns, double factor)
{
    const double ns = gs_rint_even((double)run_ns * factor);
    if (!(ns < (double)LONGEST))
        return LONGEST;
    return ns < 1 ? 1 : (int64_t)ns;
}

static int64_t round_up(int64_t ns, int64_t unit_ns)
{
    return (ns + unit_ns - 1) / unit_ns * unit_ns;
}

static int64_t round_as_people(int64_t ns)
{
    for (size_t i = 0; i < POPULAR; i++)
        if (ns <= popular[i] * MINUTE_NS)
            return popular[i] * MINUTE_NS;
    return round_up(ns, 1440 * MINUTE_NS);
}

static void estimate(struct gs_job *j, const struct rule *r, struct gs_stream *s)
{
    j->est_ns = -1;
    j->est_source = GS_EST_NONE;
    if (r->word == EST_LIMIT_T) {
        j->est_ns = r->limit_ns;
        j->est_source = GS_EST_LIMIT;
        return;
    }
    if (j->run_ns == GS_NEVER || r->word == EST_KEEP_NONE)
        return;
    if (r->word == EST_EXACT_RUN) {
        j->est_ns = j->run_ns;
        j->est_source = GS_EST_EXACT;
    } else if (r->word == EST_TIMES) {
        j->est_ns = scaled(j->run_ns, gs_dist_draw(r->factor, s));
        j->est_source = GS_EST_MODEL;
    } else {
        const double factor = r->bias * gs_exp(r->sigma * gs_normal(s));
        const int64_t ns = scaled(j->run_ns, factor > 1 ? factor : 1);
        j->est_ns = r->popular ? round_as_people(ns) : round_up(ns, MINUTE_NS);
        j->est_source = GS_EST_USER;
    }
}

enum gs_rc gs_estimate_range(struct gs_workload *w, size_t from_job, const char *spec,
                             uint64_t seed, uint32_t cls, const char *dir, struct gs_err *err)
{
    struct gs_arena arena = {0};
    struct rule r = {0};
    const enum gs_rc rc = read_rule(spec, dir, &arena, &r, err);
    for (size_t i = from_job; rc == GS_OK && i < w->jobs.n; i++) {
        struct gs_stream s;
        gs_stream_init(&s, seed, GS_RNG_ESTIMATE, cls, (uint32_t)w->jobs.v[i].row);
        estimate(&w->jobs.v[i], &r, &s);
    }
    gs_arena_release(&arena);
    return rc;
}

enum gs_rc gs_estimate_apply(struct gs_workload *w, size_t from_job, const char *spec,
                             uint64_t seed, const char *dir, struct gs_err *err)
{
    gs_require(w && spec && from_job <= w->jobs.n);
    const uint32_t source = from_job < w->jobs.n ? w->jobs.v[from_job].source : 0;
    return gs_estimate_range(w, from_job, spec, seed, TRACES | (source & (TRACES - 1)), dir, err);
}
