/* keys.h - the tables of what may stand in a scenario: kinds of sections, keys, and what later versions will know. */
#ifndef GS_SCENARIO_KEYS_H
#define GS_SCENARIO_KEYS_H

#include "sim/scenario/settings.h"

enum gs_kind_flags {
    GS_KIND_NAMED = 1u << 0, /* [kind NAME]; without a name it holds defaults for the named ones */
    GS_KIND_NAMELESS = 1u << 1, /* [kind] */
    GS_KIND_FREE = 1u << 2,     /* the keys are not ours: [sweep], [expect], [policy NAME] */
    GS_KIND_LATER = 1u << 3     /* known to the format, not to this version */
};

struct gs_kind {
    const char *name;
    uint32_t flags;
    const char *
        later; /* "|a|b|": keys known to the format, not to this version; a trailing '.' stands for all keys that start so */
    const char *doc;
};

/* How a value is stored at its offset (struct gs_key, put). */
enum gs_put {
    GS_PUT_NONE, /* checked, not stored: settings.c reads it by name */
    GS_PUT_STR,  /* const char * */
    GS_PUT_I64,
    GS_PUT_I32,
    GS_PUT_U64,
    GS_PUT_U32,
    GS_PUT_INT, /* also the position of a WORD */
    GS_PUT_REAL,
    GS_PUT_MILLI, /* a REAL as int64_t thousandths */
    GS_PUT_MILLI32,
    GS_PUT_PATH,          /* as opened */
    GS_PUT_MEASURE,       /* the three fields of struct gs_settings */
    GS_PUT_LABEL,         /* one more of struct gs_set_nodes */
    GS_PUT_OVERSUBSCRIBE, /* two fields of struct gs_set_nodes */
    GS_PUT_PREEMPTIBLE,   /* a BOOL as the job flag */
    GS_PUT_SHAPE,         /* fields of struct gs_shape_options, by the key's type */
    GS_PUT_RATES,         /* two fields of struct gs_trace_options */
    GS_PUT_PLAN,          /* one more of struct gs_settings: the change that the key names */
    GS_PUT_PRICE,         /* one more of struct gs_set_cost */
    GS_PUT_CLASS,         /* one more of struct gs_synth: duration.SIZES */
    GS_PUT_COLUMN         /* one more pair of struct gs_set_trace */
};

const struct gs_kind *gs_kinds(size_t *n);
const struct gs_kind *gs_kind_find(const char *name); /* NULL if unknown */
/* The row of a key, wildcards ("labels.*") matched; NULL if unknown. */
const struct gs_key *gs_key_find(const char *kind, const char *key);
int gs_key_is_later(const struct gs_kind *k, const char *key);
const char *gs_key_nearest(const char *kind, const char *key); /* of that kind, or NULL */
const char *gs_kind_nearest(const char *name);
const char *gs_key_type_str(enum gs_key_type t); /* "a time (90s, 15m, 2h, 30d)" */

#endif
