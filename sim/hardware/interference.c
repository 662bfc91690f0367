/* interference.c - the models as integer arithmetic: one table, two formulas. O(bins). */
#include "sim/hardware/interference.h"

#include <stddef.h>

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
    case GS_INTERFERENCE_COUNT: break;
    }
    return GS_UNDISTURBED;
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
