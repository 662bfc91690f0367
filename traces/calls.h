/* calls.h - what the readers of request traces share: token counts, lists of prefix blocks, JSON lines, figures of prefix reuse.
 *
 * Block ids are unsigned 64-bit numbers and are never cut or rounded: producers hash into the whole range. */
#ifndef GS_TRACES_CALLS_H
#define GS_TRACES_CALLS_H

#include "sim/base/map.h"
#include "sim/base/vec.h"
#include "traces/reader.h"

struct gs_blocks {
    GS_VEC(uint64_t) ids;
};

/* 0..GS_TRACE_TOKENS_MAX; null = -1, not recorded. */
GS_NODISCARD enum gs_rc gs_row_tokens(struct gs_row *r, const char *column, const char *s,
                                      int64_t *out);
/* Ids parted by `by`, with blanks between; s[0..n) is all of the list. Replaces *out. */
GS_NODISCARD enum gs_rc gs_row_blocks(struct gs_row *r, const char *column, const char *s, size_t n,
                                      char by, struct gs_blocks *out);

/* ---- JSON lines, one request a line: input_length, output_length, hash_ids and what a format adds ---- */

struct gs_requests {
    uint32_t block_tokens;
    const char *const *known; /* further members, ends with NULL; others are counted as not used */
    /* Arrival, names and what else the format tells of a request. Texts of o live until it returns. */
    enum gs_rc (*take)(struct gs_scan *s, struct gs_row *r, const json_t *o, struct gs_call *c);
};

/* Goes through the file; with s->info, shows the figures of prefix reuse. */
GS_NODISCARD enum gs_rc gs_requests_scan(struct gs_scan *s, const struct gs_requests *f);
/* Does the first line of the probe, which must be a JSON object, have this member? For guess functions. */
int gs_probe_member(const struct gs_probe *p, const char *key);

/* ---- Figures of prefix reuse (prefix.c) ---- */

struct gs_block_seen {
    uint64_t id;
    int64_t row; /* the last one that had it */
};

/* Sums over requests in file order, with an unlimited cache. 24 bytes a distinct block. */
struct gs_prefix {
    GS_VEC(struct gs_block_seen) seen;
    struct gs_map index; /* id -> place in seen */
    struct gs_tally times;
    gs_i128 input, output, ids;
    int64_t rows, first_ns, last_ns, out_of_order, zero_output;
    int64_t ceil_ok, floor_ok, leading_hits, hits, rows_with_repeats;
    uint64_t largest;
};

void gs_prefix_add(struct gs_prefix *p, const struct gs_call *c, const uint64_t *blocks);
void gs_prefix_show(struct gs_prefix *p, struct gs_info *f);
void gs_prefix_free(struct gs_prefix *p);

#endif
