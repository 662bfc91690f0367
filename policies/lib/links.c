/* links.c - see links.h. A partition's first set holds the lowest place that is left; where the sizes do not divide, one set is
 * short (the original pads it with nobody) and can neither be granted nor hold what is required. */
#include "links.h"

struct search {
    const int32_t *score;
    const uint32_t *available;
    uint32_t gpus, size, pad, required; /* required: bits by place */
    struct gspl_link_memo *memo;        /* [2][1 << n]: without, with the short set still to come */
    uint32_t n;
};

int64_t gspl_link_score(const int32_t *score, uint32_t gpus, const uint32_t *set, uint32_t n)
{
    int64_t sum = 0;
    for (uint32_t i = 0; i < n; i++)
        for (uint32_t j = i + 1; j < n; j++)
            sum += score[set[i] * gpus + set[j]];
    return sum;
}

static uint32_t members(const struct search *s, uint32_t set, uint32_t *out)
{
    uint32_t n = 0;
    for (uint32_t i = 0; i < s->n; i++)
        if (set >> i & 1)
            out[n++] = s->available[i];
    return n;
}

static int64_t score_of(const struct search *s, uint32_t set)
{
    uint32_t list[GSPL_LINKS_MAX];
    const uint32_t n = members(s, set, list);
    return gspl_link_score(s->score, s->gpus, list, n);
}

static uint32_t count(uint32_t x)
{
    uint32_t n = 0;
    for (; x; x &= x - 1)
        n++;
    return n;
}

/* Does the original try set a before set b? Compared place by place, nobody last. */
static int before(uint32_t a, uint32_t b)
{
    while (a && b) {
        const uint32_t x = a & (~a + 1), y = b & (~b + 1);
        if (x != y)
            return x < y;
        a ^= x;
        b ^= y;
    }
    return a != 0 && b == 0;
}

/* The next subset of `of` with as many bits as `sub`, 0 behind the last: steps over the positions of the bits of `of`. */
static uint32_t next_subset(uint32_t sub, uint32_t of, uint32_t k)
{
    for (;;) {
        sub = (sub - of) & of; /* the next subset of any size */
        if (sub == 0 || count(sub) == k)
            return sub;
    }
}

/* Makes *m the partition of `left` that begins with `set`, if that is better. with: a short set is still to come behind it. */
static void try_set(const struct search *s, uint32_t left, uint32_t set, int with,
                    struct gspl_link_memo *m)
{
    const uint32_t then = left ^ set;
    const int64_t behind = then || with ? s->memo[(with ? 1u << s->n : 0) + then].best : 0;
    const int64_t total = behind + score_of(s, set);
    if (behind >= 0 && (total > m->best || (total == m->best && before(set, m->set))))
        *m = (struct gspl_link_memo){total, set};
}

/* The best partition of `left`; with: the short set is still to come. */
static struct gspl_link_memo solve(const struct search *s, uint32_t left, int with)
{
    const uint32_t low = left & (~left + 1), rest = left ^ low;
    struct gspl_link_memo m = {-1, 0};
    for (int is_short = 0; is_short <= with; is_short++) {
        const uint32_t size = s->size - (is_short ? s->pad : 0);
        uint32_t sub = 0;
        do {
            if (size > 1 && (sub = next_subset(sub, rest, size - 1)) == 0)
                break;
            const uint32_t set = low | sub, hit = set & s->required;
            if (hit == 0 || (!is_short && hit == s->required))
                try_set(s, left, set, with > is_short, &m);
        } while (sub);
    }
    return m;
}

static void fill_memo(const struct search *s)
{
    const uint32_t half = 1u << s->n;
    s->memo[0] = (struct gspl_link_memo){0, 0};
    s->memo[half] = (struct gspl_link_memo){-1, 0};
    for (uint32_t left = 1; left < half; left++) {
        const uint32_t n = count(left), hit = left & s->required;
        for (int with = 0; with <= (s->pad > 0 ? 1 : 0); with++) {
            const int fits = (n + (with ? s->pad : 0)) % s->size == 0;
            s->memo[(with ? half : 0) + left] = fits && (hit == 0 || hit == s->required)
                                                    ? solve(s, left, with)
                                                    : (struct gspl_link_memo){-1, 0};
        }
    }
}

/* Bits of the required devices; 0 in *all if one of them is not free. */
static uint32_t required_bits(const uint32_t *available, uint32_t n, const uint32_t *required,
                              uint32_t nrequired, int *all)
{
    uint32_t bits = 0;
    *all = 1;
    for (uint32_t r = 0; r < nrequired; r++) {
        uint32_t i = 0;
        while (i < n && available[i] != required[r])
            i++;
        if (i == n)
            *all = 0;
        else
            bits |= 1u << i;
    }
    return bits;
}

/* NOLINTNEXTLINE(readability-function-size): the call of the device plugin, whose lists come as pairs */
uint32_t gspl_best_effort(const int32_t *score, uint32_t gpus, const uint32_t *available,
                          uint32_t n, const uint32_t *required, uint32_t nrequired, uint32_t size,
                          struct gspl_link_memo *memo, uint32_t *out)
{
    int all = 0;
    if (size == 0 || n < size || n > GSPL_LINKS_MAX || nrequired > size)
        return 0;
    struct search s = {.score = score,
                       .available = available,
                       .gpus = gpus,
                       .size = size,
                       .pad = (size - n % size) % size,
                       .required = required_bits(available, n, required, nrequired, &all),
                       .memo = memo,
                       .n = n};
    if (!all)
        return 0;
    fill_memo(&s);
    uint32_t left = (1u << n) - 1, chosen = 0;
    int with = s.pad > 0;
    int64_t best = -1;
    if (memo[(with ? 1u << n : 0) + left].best < 0)
        return 0;
    while (left) {
        const uint32_t set = memo[(with ? 1u << n : 0) + left].set;
        const int is_short = count(set) < size;
        if (!is_short && (set & s.required) == s.required && score_of(&s, set) > best) {
            best = score_of(&s, set);
            chosen = set;
        }
        with = with && !is_short;
        left ^= set;
    }
    return members(&s, chosen, out);
}
