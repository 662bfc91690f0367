/* mig.c - the rules of mig.h, the search for a placement, layouts by name, and the census of valid
 * sets.
 *
 * Searches are depth first over at most GS_MIG_SLICES_MAX instances of at most 7 starts each; the
 * census goes through the (profile, start) pairs in order, so that each set is met once. */
#include "sim/hardware/mig.h"

#include "sim/base/attr.h"
#include "sim/base/sort.h"
#include "sim/base/units.h"
#include "sim/base/vec.h"

#include <string.h>
#include <strings.h>

#include "sim/base/banned.h"

uint32_t gs_mig_find(const struct gs_mig_geometry *g, const char *name)
{
    for (uint32_t i = 0; i < g->n; i++)
        if (strcasecmp(g->p[i].name, name) == 0)
            return i;
    return GS_MIG_NONE;
}

/* ---- the rules ---- */

/* Instances of so many compute slices; of this kind of media. */
static uint32_t with_compute(const struct gs_mig_geometry *g, const struct gs_mig_set *s,
                             uint32_t compute)
{
    uint32_t n = 0;
    for (uint32_t i = 0; i < g->n; i++)
        n += g->p[i].compute == compute ? s->n[i] : 0;
    return n;
}

static uint32_t with_media(const struct gs_mig_geometry *g, const struct gs_mig_set *s,
                           enum gs_mig_media media)
{
    uint32_t n = 0;
    for (uint32_t i = 0; i < g->n; i++)
        n += g->p[i].media == media ? s->n[i] : 0;
    return n;
}

static int media_allow(const struct gs_mig_geometry *g, const struct gs_mig_set *s,
                       enum gs_mig_media media)
{
    switch (media) {
    case GS_MIG_MEDIA_NONE: return 1;
    case GS_MIG_MEDIA_ALL: return with_media(g, s, GS_MIG_MEDIA_NONE) == s->total;
    case GS_MIG_MEDIA_ME:
        if (with_media(g, s, GS_MIG_MEDIA_ME))
            return 0;
        break;
    case GS_MIG_MEDIA_OWN: break;
    }
    return with_media(g, s, GS_MIG_MEDIA_ALL) == 0;
}

/* All rules but the place. */
static int room_for(const struct gs_mig_geometry *g, const struct gs_mig_set *s, uint32_t profile)
{
    const struct gs_mig_shape *p = &g->p[profile];
    if (s->n[profile] >= p->most || s->compute + p->compute > g->compute)
        return 0;
    if (g->old_driver &&
        ((p->compute == 4 && with_compute(g, s, 3)) || (p->compute == 3 && with_compute(g, s, 4))))
        return 0;
    return media_allow(g, s, (enum gs_mig_media)p->media);
}

static int place_free(const struct gs_mig_set *s, const struct gs_mig_shape *p, uint32_t start)
{
    return (p->starts >> start & 1) && !(s->occupied & gs_mig_mask(p, start));
}

int gs_mig_allows(const struct gs_mig_geometry *g, const struct gs_mig_set *s, uint32_t profile,
                  uint32_t start)
{
    return profile < g->n && start < g->slices && place_free(s, &g->p[profile], start) &&
           room_for(g, s, profile);
}

void gs_mig_put(const struct gs_mig_geometry *g, struct gs_mig_set *s, uint32_t profile,
                uint32_t start)
{
    const struct gs_mig_shape *p = &g->p[profile];
    s->occupied |= gs_mig_mask(p, start);
    s->compute = (uint8_t)(s->compute + p->compute);
    s->n[profile]++;
    s->total++;
}

void gs_mig_take(const struct gs_mig_geometry *g, struct gs_mig_set *s, uint32_t profile,
                 uint32_t start)
{
    const struct gs_mig_shape *p = &g->p[profile];
    gs_require(s->n[profile] && s->total);
    s->occupied &= ~gs_mig_mask(p, start);
    s->compute = (uint8_t)(s->compute - p->compute);
    s->n[profile]--;
    s->total--;
}

uint32_t gs_mig_starts(const struct gs_mig_geometry *g, const struct gs_mig_set *s,
                       uint32_t profile)
{
    uint32_t bits = 0;
    if (!room_for(g, s, profile))
        return 0;
    for (uint32_t at = 0; at < g->slices; at++)
        bits |= (uint32_t)place_free(s, &g->p[profile], at) << at;
    return bits;
}

static uint32_t highest(uint32_t bits)
{
    return 31u - (uint32_t)__builtin_clz(bits);
}

static uint32_t lowest(uint32_t bits)
{
    return (uint32_t)__builtin_ctz(bits);
}

static int goes_high(const struct gs_mig_shape *p)
{
    return p->compute == 1 || p->compute == 3;
}

uint32_t gs_mig_choose(const struct gs_mig_geometry *g, const struct gs_mig_set *s,
                       uint32_t profile)
{
    const uint32_t bits = gs_mig_starts(g, s, profile);
    if (!bits)
        return GS_MIG_NONE;
    return goes_high(&g->p[profile]) ? highest(bits) : lowest(bits);
}

uint32_t gs_mig_placeable(const struct gs_mig_geometry *g, const struct gs_mig_set *s,
                          uint32_t profile)
{
    struct gs_mig_set left = *s;
    uint32_t n = 0;
    for (uint32_t bits; (bits = gs_mig_starts(g, &left, profile)) != 0; n++)
        gs_mig_put(g, &left, profile, highest(bits));
    return n;
}

uint32_t gs_mig_unreachable(const struct gs_mig_geometry *g, const struct gs_mig_set *s)
{
    uint32_t reached = s->occupied;
    for (uint32_t i = 0; i < g->n; i++) {
        const uint32_t bits = gs_mig_starts(g, s, i);
        for (uint32_t at = 0; at < g->slices; at++)
            if (bits >> at & 1)
                reached |= gs_mig_mask(&g->p[i], at);
    }
    return g->slices - (uint32_t)__builtin_popcount(reached);
}

/* ---- the search for a placement ---- */

struct fit {
    const struct gs_mig_geometry *g;
    uint8_t order[GS_MIG_SLICES_MAX]; /* profile of each wanted instance, hardest first */
    uint32_t n;
    struct gs_mig_place *out;
};

static int easier(const struct gs_mig_geometry *g, uint32_t a, uint32_t b)
{
    const int na = __builtin_popcount(g->p[a].starts);
    const int nb = __builtin_popcount(g->p[b].starts);
    if (na != nb)
        return na > nb;
    return g->p[a].size != g->p[b].size ? g->p[a].size < g->p[b].size : a > b;
}

/* Fills order[]; 0 = more instances than slices. */
static int order_wanted(struct fit *f, const uint8_t want[GS_MIG_PROFILES_MAX])
{
    for (uint32_t i = 0; i < f->g->n; i++) {
        for (uint32_t k = 0; k < want[i]; k++) {
            if (f->n == f->g->slices)
                return 0;
            uint32_t at = f->n++;
            while (at && easier(f->g, f->order[at - 1], i)) {
                f->order[at] = f->order[at - 1];
                at--;
            }
            f->order[at] = (uint8_t)i;
        }
    }
    return 1;
}

static int fit_from(struct fit *f, struct gs_mig_set *s, uint32_t i) /* NOLINT(misc-no-recursion) */
{
    if (i == f->n)
        return 1;
    const uint32_t profile = f->order[i];
    uint32_t bits = gs_mig_starts(f->g, s, profile);
    while (bits) {
        const uint32_t at = goes_high(&f->g->p[profile]) ? highest(bits) : lowest(bits);
        bits &= ~(UINT32_C(1) << at);
        f->out[i] = (struct gs_mig_place){(uint8_t)profile, (uint8_t)at};
        gs_mig_put(f->g, s, profile, at);
        if (fit_from(f, s, i + 1))
            return 1;
        gs_mig_take(f->g, s, profile, at);
    }
    return 0;
}

int gs_mig_fit(const struct gs_mig_geometry *g, const struct gs_mig_set *s,
               const uint8_t want[GS_MIG_PROFILES_MAX], struct gs_mig_place *out, uint32_t *n)
{
    struct fit f = {.g = g, .out = out};
    struct gs_mig_set left = *s;
    if (!order_wanted(&f, want) || !fit_from(&f, &left, 0))
        return 0;
    *n = f.n;
    return 1;
}

/* ---- layouts by name ---- */

/* The plain profile of so many compute slices of which most go on a device. */
static uint32_t plain_profile(const struct gs_mig_geometry *g, uint32_t compute)
{
    uint32_t best = GS_MIG_NONE;
    for (uint32_t i = 0; i < g->n; i++)
        if (g->p[i].compute == compute && g->p[i].media == GS_MIG_MEDIA_OWN &&
            (best == GS_MIG_NONE || g->p[i].most > g->p[best].most))
            best = i;
    return best;
}

static int balanced(const struct gs_mig_geometry *g, uint8_t want[GS_MIG_PROFILES_MAX])
{
    const uint32_t one = plain_profile(g, 1);
    const uint32_t two = plain_profile(g, 2);
    const uint32_t three = g->compute >= 7 ? plain_profile(g, 3) : GS_MIG_NONE;
    if (one == GS_MIG_NONE || two == GS_MIG_NONE || (g->compute >= 7 && three == GS_MIG_NONE))
        return 0;
    want[one] = 2;
    want[two] = 1;
    if (three != GS_MIG_NONE)
        want[three] = 1;
    return 1;
}

static enum gs_rc no_such_profile(const struct gs_mig_geometry *g, const char *word,
                                  struct gs_err *err)
{
    const char *names[GS_MIG_PROFILES_MAX] = {0};
    for (uint32_t i = 0; i < g->n; i++)
        names[i] = g->p[i].name;
    const char *near = gs_nearest(word, names, g->n);
    return gs_fail(err, GS_E_INPUT, "%s has no MIG profile '%s'%s%s%s", g->name, word,
                   near ? ": did you mean '" : "", near ? near : "", near ? "'?" : "");
}

/* The profile of "all-PROFILE", where '.' may stand for '+' ("all-1g.5gb.me"). */
static uint32_t named_after_all(const struct gs_mig_geometry *g, const char *name)
{
    const size_t len = strlen(name);
    for (uint32_t i = 0; i < g->n; i++) {
        const char *p = g->p[i].name;
        size_t k = 0;
        while (k < len && p[k] && (p[k] == name[k] || (p[k] == '+' && name[k] == '.')))
            k++;
        if (k == len && !p[k])
            return i;
    }
    return GS_MIG_NONE;
}

/* "1g.10gb:2": adds to want[]. */
static enum gs_rc add_counted(const struct gs_mig_geometry *g, const char *word, size_t len,
                              uint8_t want[GS_MIG_PROFILES_MAX], struct gs_err *err)
{
    char name[64];
    uint32_t count = 1;
    const char *colon = memchr(word, ':', len);
    const size_t n = colon ? (size_t)(colon - word) : len;
    if (colon) {
        const char *c = colon + 1;
        for (count = 0; c < word + len && *c >= '0' && *c <= '9' && count < 100; c++)
            count = count * 10 + (uint32_t)(*c - '0');
        if (c != word + len || count == 0 || count > GS_MIG_SLICES_MAX)
            return gs_fail(err, GS_E_INPUT, "'%.*s' is not PROFILE:COUNT with a count of 1..%d",
                           (int)len, word, GS_MIG_SLICES_MAX);
    }
    if (n == 0 || n >= sizeof name)
        return gs_fail(err, GS_E_INPUT, "'%.*s' is not a MIG profile", (int)len, word);
    memcpy(name, word, n);
    name[n] = '\0';
    const uint32_t i = gs_mig_find(g, name);
    if (i == GS_MIG_NONE)
        return no_such_profile(g, name, err);
    want[i] =
        (uint8_t)(want[i] + count <= GS_MIG_SLICES_MAX ? want[i] + count : GS_MIG_SLICES_MAX + 1);
    return GS_OK;
}

static enum gs_rc read_list(const struct gs_mig_geometry *g, const char *text,
                            uint8_t want[GS_MIG_PROFILES_MAX], struct gs_err *err)
{
    enum gs_rc rc = GS_OK;
    const char *s = text + strspn(text, " \t,");
    if (!*s || *s == '/')
        return gs_fail(err, GS_E_INPUT, "no MIG layout is given");
    while (*s && *s != '/' && !rc) {
        const size_t n = strcspn(s, " \t,/");
        rc = add_counted(g, s, n, want, err);
        s += n;
        s += strspn(s, " \t,");
    }
    return rc;
}

/* What the words mean, as a number of each profile. */
static enum gs_rc read_layout(const struct gs_mig_geometry *g, const char *text, size_t len,
                              uint8_t want[GS_MIG_PROFILES_MAX], struct gs_err *err)
{
    char word[64] = {0};
    if (len >= sizeof word || strncmp(text, "all-", 4) != 0)
        return read_list(g, text, want, err);
    memcpy(word, text, len);
    word[len] = '\0';
    if (strcmp(word, "all-disabled") == 0 || strcmp(word, "all-enabled") == 0)
        return GS_OK;
    if (strcmp(word, "all-balanced") == 0)
        return balanced(g, want)
                   ? GS_OK
                   : gs_fail(err, GS_E_INPUT, "%s has no balanced MIG layout", g->name);
    const uint32_t i = named_after_all(g, word + 4);
    if (i == GS_MIG_NONE)
        return no_such_profile(g, word + 4, err);
    want[i] = (uint8_t)gs_mig_placeable(g, &(struct gs_mig_set){0}, i);
    return GS_OK;
}

enum gs_rc gs_mig_layout(const struct gs_mig_geometry *g, const char *text,
                         struct gs_mig_place *out, uint32_t *n, int *mode, struct gs_err *err)
{
    uint8_t want[GS_MIG_PROFILES_MAX] = {0};
    text += strspn(text, " \t");
    size_t len = strcspn(text, "/");
    while (len && (text[len - 1] == ' ' || text[len - 1] == '\t'))
        len--;
    *n = 0;
    *mode = !(len == 12 && strncmp(text, "all-disabled", len) == 0);
    enum gs_rc rc = read_layout(g, text, len, want, err);
    if (!rc && !gs_mig_fit(g, &(struct gs_mig_set){0}, want, out, n))
        rc = gs_fail(err, GS_E_INPUT, "'%.*s' does not go on one %s", (int)len, text, g->name);
    return rc;
}

/* ---- the census ---- */

/* A multiset as digits of four bits, and whether one of its sets is maximal, in the lowest bit. */
typedef GS_VEC(uint64_t) key_vec;

struct census {
    const struct gs_mig_geometry *g;
    uint32_t only;
    struct gs_mig_counts n;
    key_vec keys;
};

static int can_grow(const struct census *c, const struct gs_mig_set *s)
{
    for (uint32_t i = 0; i < c->g->n; i++)
        if ((c->only >> i & 1) && gs_mig_starts(c->g, s, i))
            return 1;
    return 0;
}

static void note_set(struct census *c, const struct gs_mig_set *s)
{
    uint64_t key = 0;
    const int maximal = !can_grow(c, s);
    for (uint32_t i = 0; i < c->g->n && i < 15; i++)
        key |= (uint64_t)s->n[i] << (4 * (i + 1));
    c->n.sets++;
    c->n.maximal += (uint32_t)maximal;
    gs_vec_push(&c->keys, key | (uint64_t)maximal);
}

/* Sets with pairs (profile, start) from `from` on added, pairs counted profile-major. */
static void grow(struct census *c, struct gs_mig_set *s,
                 uint32_t from) /* NOLINT(misc-no-recursion) */
{
    const struct gs_mig_geometry *g = c->g;
    for (uint32_t pair = from; pair < (uint32_t)g->n * g->slices; pair++) {
        const uint32_t profile = pair / g->slices;
        const uint32_t start = pair % g->slices;
        if (!(c->only >> profile & 1) || !gs_mig_allows(g, s, profile, start))
            continue;
        gs_mig_put(g, s, profile, start);
        note_set(c, s);
        grow(c, s, pair + 1);
        gs_mig_take(g, s, profile, start);
    }
}

static int by_key(const void *a, const void *b, const void *ctx)
{
    const uint64_t x = *(const uint64_t *)a;
    const uint64_t y = *(const uint64_t *)b;
    (void)ctx;
    return (x > y) - (x < y);
}

struct gs_mig_counts gs_mig_count(const struct gs_mig_geometry *g, uint32_t only)
{
    struct census c = {.g = g, .only = only};
    struct gs_mig_set s = {0};
    grow(&c, &s, 0);
    gs_sort(c.keys.v, c.keys.n, sizeof *c.keys.v, by_key, NULL);
    for (size_t i = 0; i < c.keys.n; i++) {
        const uint64_t key = c.keys.v[i], last = i ? c.keys.v[i - 1] : ~key;
        c.n.multisets += key >> 1 != last >> 1;
        c.n.maximal_multisets += (key & 1) && key != last;
    }
    gs_vec_free(&c.keys);
    return c.n;
}
