/* share.c - see share.h. */
#include "share.h"

#include "gsim/policy.h"

#define KEY_SCALE 0x1p40

double gspl_decay(int64_t dt_ns, int64_t half_life_ns)
{
    return gsp_exp2(-((double)dt_ns / (double)half_life_ns));
}

int64_t gspl_share_key(double usage, double all_usage, double weight, double all_weight)
{
    if (!(usage > 0) || !(all_usage > 0))
        return 0;
    if (!(weight > 0))
        return (int64_t)KEY_SCALE;
    const double ratio = (usage / all_usage) / (weight / all_weight);
    return (int64_t)(KEY_SCALE * (1 - gsp_exp2(-ratio)));
}
