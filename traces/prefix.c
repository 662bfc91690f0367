/* prefix.c - how much of the requests' input an unlimited cache of prefix blocks would have held: the figures that tell a copy of a
 * trace with block ids to be whole.
 *
 * An id names a block and everything before it, so equal ids mean an equal prefix. Rows are taken in file order; a block that
 * stands twice in one row is a hit of neither. The last block of a request may be partly full, hence ceil(input / block).
 * Cost: O(1) a block. */
#include "sim/base/buf.h"
#include "traces/calls.h"

#include "sim/base/banned.h"

#define NS_PER_MS_DIGITS 6

static int same_id(const void *ctx, uint32_t at, const void *key)
{
    const struct gs_prefix *p = ctx;
    return p->seen.v[at].id == *(const uint64_t *)key;
}

static void add_blocks(struct gs_prefix *p, const uint64_t *blocks, size_t n)
{
    int leading = 1;
    int repeats = 0;
    for (size_t i = 0; i < n; i++) {
        const uint64_t hash = gs_hash_mix(0, blocks[i]);
        const uint32_t at = gs_map_find(&p->index, hash, same_id, p, &blocks[i]);
        p->largest = blocks[i] > p->largest ? blocks[i] : p->largest;
        const int repeat = at != GS_NONE && p->seen.v[at].row == p->rows;
        const int hit = at != GS_NONE && !repeat;
        leading &= hit;
        repeats |= repeat;
        p->hits += hit;
        p->leading_hits += leading;
        if (at == GS_NONE) {
            gs_map_add(&p->index, hash, (uint32_t)p->seen.n);
            gs_vec_push(&p->seen, (struct gs_block_seen){blocks[i], p->rows});
        } else {
            p->seen.v[at].row = p->rows;
        }
    }
    p->rows_with_repeats += repeats;
    p->ids += (gs_i128)n;
}

void gs_prefix_add(struct gs_prefix *p, const struct gs_call *c, const uint64_t *blocks)
{
    const int64_t block = c->block_tokens;
    p->out_of_order += p->rows > 0 && c->arrival_ns < p->last_ns;
    p->first_ns = p->rows ? p->first_ns : c->arrival_ns;
    p->last_ns = c->arrival_ns;
    p->rows++;
    p->input += c->input > 0 ? c->input : 0;
    p->output += c->output > 0 ? c->output : 0;
    p->zero_output += c->output == 0;
    if (c->input >= 0 && block > 0) {
        p->ceil_ok += c->nblocks == (c->input + block - 1) / block;
        p->floor_ok += c->nblocks == c->input / block;
    }
    gs_tally_number(&p->times, c->arrival_ns, 1);
    add_blocks(p, blocks, c->nblocks);
}

void gs_prefix_show(struct gs_prefix *p, struct gs_info *f)
{
    struct gs_buf largest = {0};
    gs_buf_fmt(&largest, "%llu", (unsigned long long)p->largest);
    gs_info_int(f, "rows", p->rows);
    gs_info_decimal(f, "sum_input", p->input, 0);
    gs_info_decimal(f, "sum_output", p->output, 0);
    gs_info_decimal(f, "first_ms", p->first_ns, NS_PER_MS_DIGITS);
    gs_info_decimal(f, "last_ms", p->last_ns, NS_PER_MS_DIGITS);
    gs_info_int(f, "out_of_order", p->out_of_order);
    gs_info_decimal(f, "hash_ids", p->ids, 0);
    gs_info_int(f, "distinct_hash_ids", (int64_t)p->seen.n);
    gs_info_text(f, "max_hash_id", gs_buf_cstr(&largest));
    gs_info_int(f, "len_rule_ok", p->ceil_ok);
    gs_info_int(f, "len_rule_floor_ok", p->floor_ok);
    gs_info_int(f, "prefix_hit_blocks_infinite", p->leading_hits);
    gs_info_int(f, "hit_blocks_infinite", p->hits);
    gs_info_int(f, "distinct_timestamps", (int64_t)gs_tally_distinct(&p->times));
    gs_info_int(f, "rows_with_repeated_id", p->rows_with_repeats);
    gs_info_int(f, "zero_output", p->zero_output);
    gs_buf_free(&largest);
}

void gs_prefix_free(struct gs_prefix *p)
{
    gs_vec_free(&p->seen);
    gs_map_release(&p->index);
    gs_tally_free(&p->times);
}
