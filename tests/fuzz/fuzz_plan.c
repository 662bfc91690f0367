/* fuzz_plan.c - libFuzzer target: any text as an entry of [calendar], and as a list of nodes.
 *
 * Whatever the text, it is read or refused with a message; of what is read the times are in order, and the names of nodes can be
 * listed. The first byte chooses whether the wall clock of t = 0 is known. */
#include "sim/base/hostlist.h"
#include "sim/base/units.h"
#include "sim/scenario/plan.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum {
    NAMES = 5000 /* of one list are looked at */
};

static enum gs_rc look(void *ctx, const char *name, struct gs_err *err)
{
    size_t *n = ctx;
    if (strchr(name, '['))
        abort();
    return ++*n < NAMES ? GS_OK : gs_fail(err, GS_E_INPUT, "enough");
}

static void list(const char *text)
{
    struct gs_err err = {0};
    size_t n = 0;
    if (gs_hostlist_each(text, look, &n, &err) != GS_OK && !err.msg[0])
        abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    if (size == 0)
        return 0;
    const struct gs_plan_clock clock = {data[0] & 1 ? 1772409600LL * 1000000000 : GS_NEVER,
                                        data[0] & 2 ? 3600 : GS_NO_ZONE};
    struct gs_arena a = {0};
    struct gs_set_plan p = {0};
    struct gs_err err = {0};
    const char *text = gs_arena_str(&a, (const char *)data + 1, size - 1);
    list(text);
    if (gs_plan_parse(text, &clock, &a, &p, &err) == GS_OK) {
        if (p.at_ns < 0 || p.for_ns <= 0 || p.every_ns < 0 || p.notice_ns < 0 || p.rolling < 0)
            abort();
        list(p.nodes);
    } else if (!err.msg[0]) {
        abort();
    }
    gs_arena_release(&a);
    return 0;
}
