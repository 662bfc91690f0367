/* sensitivity.c - "leaf:1.0 block:1.1 zone:1.3" to factors by distance. Run once a section. */
#include "sim/base/units.h"
#include "sim/effects/effects.h"

#include <string.h>

#include "sim/base/banned.h"

enum {
    MOST = 1000 /* times slower */
};

/* 0 = node, 1 = innermost level, ...; GS_NONE = no such level. */
static uint32_t distance_of(const struct gs_run *r, const char *name)
{
    const struct gs_cluster *c = &r->cluster;
    if (strcmp(name, "node") == 0)
        return 0;
    if (strcmp(name, "cluster") == 0)
        return c->nlevels + 1;
    for (uint32_t l = 0; l < c->nlevels; l++)
        if (strcmp(gs_intern_str(&r->str, c->level_name[l]), name) == 0)
            return c->nlevels - l;
    return GS_NONE;
}

static enum gs_rc no_level(const struct gs_run *r, const char *name, struct gs_err *err)
{
    struct gs_buf known = {0};
    for (uint32_t l = r->cluster.nlevels; l-- > 0;)
        gs_buf_fmt(&known, "%s, ", gs_intern_str(&r->str, r->cluster.level_name[l]));
    const enum gs_rc rc =
        gs_fail(err, GS_E_INPUT,
                "sensitivity: '%s' is not a level of the network; there are node, %scluster", name,
                known.n ? known.s : "");
    gs_buf_free(&known);
    return rc;
}

static enum gs_rc read_pair(struct gs_run *r, char *word, double *factor, struct gs_err *err)
{
    double f = 0;
    char *colon = strchr(word, ':');
    if (!colon)
        return gs_fail(err, GS_E_INPUT, "sensitivity: '%s' is not LEVEL:FACTOR (leaf:1.1)", word);
    *colon = '\0';
    const uint32_t at = distance_of(r, word);
    if (at == GS_NONE)
        return no_level(r, word, err);
    if (gs_parse_real(colon + 1, &f, err))
        return gs_wrap(err, "sensitivity: %s", word);
    if (!(f >= 1 && f <= MOST))
        return gs_fail(err, GS_E_INPUT, "sensitivity: %s: %s is not between 1 and %d", word,
                       colon + 1, MOST);
    factor[at] = f;
    return GS_OK;
}

enum gs_rc gs_network_sensitivity(struct gs_run *r, const char *text, uint32_t *row,
                                  struct gs_err *err)
{
    double factor[GS_LEVELS_MAX + 2] = {0}, last = 1;
    struct gs_sensitivity out = {{0}};
    for (const char *p = text + strspn(text, " \t,"); *p; p += strspn(p, " \t,")) {
        char word[128];
        const size_t n = strcspn(p, " \t,");
        (void)gs_fmt(word, sizeof word, "%.*s", (int)(n < 120 ? n : 120), p);
        const enum gs_rc rc = read_pair(r, word, factor, err);
        if (rc)
            return rc;
        p += n;
    }
    for (uint32_t i = 0; i < GS_LEVELS_MAX + 2; i++) {
        last = factor[i] > 0 ? factor[i] : last;
        out.q[i] = (int64_t)(last * (double)GS_ONE + 0.5);
    }
    gs_vec_push(&r->sensitivities, out);
    *row = (uint32_t)r->sensitivities.n;
    return GS_OK;
}
