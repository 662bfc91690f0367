/* interference.c - the models as integer arithmetic: one table, two formulas. O(bins). */
#include "sim/hardware/interference.h"

#include "sim/base/mem.h"

#include <stddef.h>
#include <string.h>
#include <strings.h>

/* Middle of the bin of summed utilisation, thousandths; mean speed of a process there, thousandths of that alone. Up to 80 % the
 * means are within measurement noise of 1. The bin of one pair at 200 % is left out. */
static const struct {
    int64_t busy, speed;
} lucid[] = {{700, 1000}, {900, 970},  {1100, 932}, {1300, 869},
             {1500, 804}, {1700, 729}, {1900, 680}};

static int64_t lucid_slowdown(int64_t busy)
{
    enum {
        N = sizeof lucid / sizeof *lucid
    };

    if (busy <= lucid[0].busy)
        return GS_UNDISTURBED;
    for (size_t i = 1; i < N; i++) {
        if (busy > lucid[i].busy)
            continue;
        const int64_t span = lucid[i].busy - lucid[i - 1].busy;
        const int64_t speed = lucid[i - 1].speed * span + /* thousandths times span */
                              (lucid[i].speed - lucid[i - 1].speed) * (busy - lucid[i - 1].busy);
        return GS_UNDISTURBED * 1000 * span / speed;
    }
    return GS_UNDISTURBED * 1000 * busy / (lucid[N - 1].speed * lucid[N - 1].busy);
}

int64_t gs_interference(enum gs_interference model, const struct gs_neighbours *n)
{
    switch (model) {
    case GS_INTERFERE_EQUAL:
        return n->processes < 2 ? GS_UNDISTURBED
                                : GS_UNDISTURBED * n->processes * 1000 / (1000 - n->switch_milli);
    case GS_INTERFERE_LUCID:
        return n->processes < 2 ? GS_UNDISTURBED : lucid_slowdown(n->busy_milli);
    case GS_INTERFERE_NONE:
    case GS_INTERFERE_PAIRS:
    case GS_INTERFERENCE_COUNT: break;
    }
    return GS_UNDISTURBED;
}

/* "v100" names V100-SXM2-32GB and V100. */
static int names_gpu(const char *row, const char *gpu)
{
    const size_t n = strlen(row);
    return strncasecmp(row, gpu, n) == 0 && (gpu[n] == '-' || gpu[n] == '\0');
}

static int64_t slowdown_of_speed(double norm)
{
    if (!(norm > 0))
        return GS_PAIR_MISFIT;
    const int64_t q = (int64_t)((double)GS_UNDISTURBED / norm + 0.5);
    return q > GS_UNDISTURBED ? q : GS_UNDISTURBED;
}

void gs_pairs_make(struct gs_pairs *p, struct gs_catalog *c, const char *const *gpu,
                   const char *const *program)
{
    const size_t square = (size_t)p->programs * p->programs;
    gs_catalog_need(c, GS_CATALOG_PAIRS);
    p->slowdown = GS_NEW_N(int64_t, p->models * square + 1);
    for (size_t i = 0; i < c->npairs; i++) {
        const struct gs_program_pair *row = &c->pairs[i];
        for (uint32_t a = 0; a < p->programs; a++)
            for (uint32_t b = 0; b < p->programs; b++) {
                if (strcmp(row->a, program[a]) != 0 || strcmp(row->b, program[b]) != 0)
                    continue;
                for (uint32_t m = 0; m < p->models; m++) {
                    int64_t *const of = p->slowdown + m * square;
                    if (!names_gpu(row->gpu, gpu[m]))
                        continue;
                    of[b * p->programs + a] = slowdown_of_speed(row->norm_b);
                    of[a * p->programs + b] = slowdown_of_speed(row->norm_a);
                }
            }
    }
}

const char *gs_interference_str(enum gs_interference model)
{
    static const char *const names[] = {
#define X(U, l) #l,
        GS_INTERFERENCES(X)
#undef X
    };
    return model < GS_INTERFERENCE_COUNT ? names[model] : "?";
}
