/* value.h - one value: read by its key's type, checked against its range, stored at its place. */
#ifndef GS_SCENARIO_VALUE_H
#define GS_SCENARIO_VALUE_H

#include "sim/scenario/keys.h"
#include "sim/scenario/settings.h"

/* What reading a value may need besides its text. */
struct gs_value_context {
    struct gs_settings *s; /* its arena holds the strings; its [priority] classes are known */
    const char *dir;       /* folder that relative paths start from */
    int check_files;       /* a FILE must exist */
    const char *where;     /* "file:line" of the value; NULL = not known */
};

/* Reads `text` as a value of k and stores it in the struct at base that the key's section fills (struct gs_set_nodes for
 * [nodes NAME], struct gs_settings for [scenario], ...). `key` is the key as written, for wildcards. On an error
 * nothing is stored and the message says what is wrong with the value, not where it stands. */
GS_NODISCARD enum gs_rc gs_value_put(const struct gs_value_context *c, const struct gs_key *k,
                                     const char *key, const char *text, void *base,
                                     struct gs_err *err);

/* How wall clocks of the scenario are read. */
struct gs_plan_clock gs_value_clock(const struct gs_settings *s);

#endif
