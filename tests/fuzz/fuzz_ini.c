/* fuzz_ini.c - libFuzzer target: any bytes as a scenario file.
 *
 * Whatever the bytes, loading ends with settings or with problems, leaks nothing, and what was accepted can be read again from its
 * list of keys in effect. Modules are not looked for. The first byte chooses whether an override is applied, too. */
#include "sim/scenario/settings.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static enum gs_rc load_bytes(struct gs_settings *s, const char *text, size_t n, int overrule)
{
    static const struct gs_override over = {"scenario.seed", "5", "--set"};
    const struct gs_settings_text src = {"fuzz.ini", text, n};
    struct gs_err err = {0};
    return gs_settings_load_text(s, &src, &over, overrule ? 1 : 0, NULL, &err);
}

/* What was accepted must be accepted again when it is written out. */
static void check_again(const struct gs_settings *s)
{
    struct gs_settings again;
    if (load_bytes(&again, gs_buf_cstr(&s->effective), s->effective.n, 0) != GS_OK)
        abort();
    gs_settings_release(&again);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct gs_settings s;
    const int overrule = size > 0 && data[0] == '#';
    if (load_bytes(&s, (const char *)data, size, overrule) == GS_OK) {
        if (s.effective.n < 100000)
            check_again(&s);
        struct gs_override point[16];
        struct gs_buf label = {0};
        (void)gs_sweep_point(&s, gs_sweep_points(&s) - 1, point, 16, &label);
        gs_buf_free(&label);
    } else if (s.problems.n == 0) {
        abort();
    }
    gs_settings_release(&s);
    return 0;
}
