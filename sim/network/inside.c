/* inside.c - see inside.h. The best ring is the one whose slowest edge is fastest: for each rate, fastest first, is there a
 * round trip over edges at least so fast? (Held and Karp's subsets, J. SIAM 1962.) */
#include "sim/network/inside.h"

#include "sim/base/mem.h"

#include <ctype.h>
#include <string.h>

#include "sim/base/banned.h"

/* "0-3|4-7": the GPUs of NUMA node 0, of 1, .. */
static void read_numa(struct gs_inside *in, const char *s)
{
    uint32_t node = 0;
    while (*s) {
        uint32_t from = 0, to = 0;
        if (!isdigit((unsigned char)*s)) {
            node += *s == '|';
            s++;
            continue;
        }
        while (isdigit((unsigned char)*s) && from < GS_INSIDE_MAX)
            from = from * 10 + (uint32_t)(*s++ - '0');
        to = from;
        if (*s == '-')
            for (s++, to = 0; isdigit((unsigned char)*s) && to < GS_INSIDE_MAX; s++)
                to = to * 10 + (uint32_t)(*s - '0');
        for (uint32_t g = from; g <= to && g < in->gpus; g++)
            in->numa[g] = (uint8_t)node;
    }
}

static enum gs_pcie_class class_of_word(const char *s)
{
    static const struct {
        const char *word;
        enum gs_pcie_class class;
    } all[] = {{"cross-cpu", GS_PCIE_CROSS_CPU},
               {"same-cpu", GS_PCIE_SAME_CPU},
               {"same-host-bridge", GS_PCIE_HOST_BRIDGE},
               {"multi-pcie-switch", GS_PCIE_MULTI_SWITCH},
               {"same-pcie-switch", GS_PCIE_SINGLE_SWITCH},
               {"same-board", GS_PCIE_SAME_BOARD}};

    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        if (strcmp(s, all[i].word) == 0)
            return all[i].class;
    return GS_PCIE_CROSS_CPU;
}

static void infer_pcie(struct gs_inside *in, const struct gs_server_model *type)
{
    const int on_switch = strcmp(type->nic_at, "switch") == 0 && type->nic_group_gpus > 0;
    for (uint32_t a = 0; a < in->gpus; a++)
        for (uint32_t b = 0; b < in->gpus; b++) {
            enum gs_pcie_class c = GS_PCIE_CROSS_CPU;
            if (on_switch &&
                a / (uint32_t)type->nic_group_gpus == b / (uint32_t)type->nic_group_gpus)
                c = GS_PCIE_SINGLE_SWITCH;
            else if (in->numa[a] != GS_INSIDE_UNKNOWN ? in->numa[a] == in->numa[b]
                                                      : type->numa_nodes == 1)
                c = GS_PCIE_SAME_CPU;
            in->pcie[a][b] = (uint8_t)c;
        }
}

static void read_matrix(struct gs_inside *in, struct gs_catalog *c, const char *matrix)
{
    gs_catalog_need(c, GS_CATALOG_LINKS);
    for (size_t i = 0; i < c->nlinks; i++) {
        const struct gs_gpu_link *l = &c->links[i];
        if (strcmp(l->matrix, matrix) != 0 || l->a < 0 || l->b < 0 || l->nvlinks < 0 ||
            (uint32_t)l->a >= in->gpus || (uint32_t)l->b >= in->gpus)
            continue;
        in->pair[l->a][l->b] = in->pair[l->b][l->a] = (uint8_t)l->nvlinks;
        in->pcie[l->a][l->b] = in->pcie[l->b][l->a] = (uint8_t)class_of_word(l->pcie);
        in->nvlinks[l->a] += (uint32_t)l->nvlinks;
        in->nvlinks[l->b] += (uint32_t)l->nvlinks;
    }
}

/* Every pair of a group of so many has `links`. */
static void join_groups(struct gs_inside *in, uint32_t group, uint32_t links)
{
    for (uint32_t a = 0; a < in->gpus; a++) {
        for (uint32_t b = 0; b < in->gpus; b++)
            if (a != b && a / group == b / group)
                in->pair[a][b] = (uint8_t)links;
        in->nvlinks[a] = links;
    }
}

static void find_domains(struct gs_inside *in)
{
    for (uint32_t a = 0; a < in->gpus; a++)
        in->domain[a] = in->nvlinks[a] ? (uint8_t)a : GS_INSIDE_UNKNOWN;
    for (int moved = 1; moved;) {
        moved = 0;
        for (uint32_t a = 0; a < in->gpus; a++)
            for (uint32_t b = 0; b < in->gpus; b++)
                if (in->pair[a][b] && in->domain[b] < in->domain[a]) {
                    in->domain[a] = in->domain[b];
                    moved = 1;
                }
    }
}

void gs_inside_make(struct gs_inside *in, struct gs_catalog *c, const struct gs_server_model *type,
                    const struct gs_gpu_model *gpu, uint32_t gpus)
{
    memset(in, 0, sizeof *in);
    in->gpus = gpus < GS_INSIDE_MAX ? gpus : GS_INSIDE_MAX;
    memset(in->numa, GS_INSIDE_UNKNOWN, sizeof in->numa);
    memset(in->nic, GS_INSIDE_UNKNOWN, sizeof in->nic);
    if (gpu && gpu->nvlink_uni_gbs > 0 && gpu->nvlink_links > 0)
        in->link_bytes_per_s = (int64_t)(gpu->nvlink_uni_gbs * 1e9 / gpu->nvlink_links + 0.5);
    if (gpu && gpu->pcie_gbs > 0)
        in->pcie_bytes_per_s = (int64_t)(gpu->pcie_gbs * 1e9 + 0.5);
    if (type) {
        const uint32_t links = gpu && gpu->nvlink_links > 0 ? (uint32_t)gpu->nvlink_links : 1;
        read_numa(in, type->gpu_numa);
        if (type->nic_group_gpus > 0 && type->nic_group_nics > 0)
            for (uint32_t g = 0; g < in->gpus; g++)
                in->nic[g] =
                    (uint8_t)(g / (uint32_t)type->nic_group_gpus * (uint32_t)type->nic_group_nics);
        infer_pcie(in, type);
        in->is_switched = strcmp(type->nvlink, "nvswitch") == 0;
        if (in->is_switched)
            join_groups(in, GS_INSIDE_MAX, links);
        else if (strcmp(type->nvlink, "pairs") == 0)
            join_groups(in, 2, links);
        else if (*type->link_matrix)
            read_matrix(in, c, type->link_matrix);
    }
    find_domains(in);
}

int32_t gs_inside_score(const struct gs_inside *in, uint32_t a, uint32_t b)
{
    return a == b ? 0 : 10 * (in->pcie[a][b] + 1) + 100 * in->pair[a][b];
}

int64_t gs_inside_pair_rate(const struct gs_inside *in, uint32_t a, uint32_t b)
{
    return in->pair[a][b] ? in->pair[a][b] * in->link_bytes_per_s : in->pcie_bytes_per_s;
}

/* Is there a round trip through gpu[0..n) over edges of at least `rate`? reach[set] = where a trip from 0 through the set can end. */
static int has_ring(const struct gs_inside *in, const uint32_t *gpu, uint32_t n, int64_t rate,
                    uint16_t *reach)
{
    uint16_t next[GS_INSIDE_RING_MAX] = {0};
    const uint32_t all = 1u << n;
    for (uint32_t i = 0; i < n; i++)
        for (uint32_t j = 0; j < n; j++)
            if (i != j && gs_inside_pair_rate(in, gpu[i], gpu[j]) >= rate)
                next[i] |= (uint16_t)(1u << j);
    memset(reach, 0, all * sizeof *reach);
    reach[1] = 1;
    for (uint32_t set = 1; set < all; set += 2)
        for (uint32_t end = 0; end < n; end++)
            for (uint32_t j = 1; reach[set] >> end & 1 && j < n; j++)
                if (next[end] >> j & 1 && !(set >> j & 1))
                    reach[set | 1u << j] |= (uint16_t)(1u << j);
    return (reach[all - 1] & next[0]) != 0;
}

int64_t gs_inside_ring_rate(const struct gs_inside *in, const uint32_t *gpu, uint32_t n)
{
    int64_t worst = GS_NEVER, best = 0;
    if (n < 2)
        return GS_NEVER;
    for (uint32_t i = 0; i < n; i++) {
        const int64_t rate = gs_inside_pair_rate(in, gpu[i], gpu[(i + 1) % n]);
        worst = rate < worst ? rate : worst;
    }
    if (in->is_switched || n > GS_INSIDE_RING_MAX || n == 2)
        return worst;
    uint16_t *const reach = GS_NEW_N(uint16_t, (size_t)1 << n);
    for (uint32_t i = 0; i < n; i++)
        for (uint32_t j = 0; j < i; j++) {
            const int64_t rate = gs_inside_pair_rate(in, gpu[i], gpu[j]);
            if (rate > best && has_ring(in, gpu, n, rate, reach))
                best = rate;
        }
    gs_free(reach);
    return best;
}

/* NVLinks from one part of a set to the rest. */
static uint32_t across(const struct gs_inside *in, uint64_t part, uint64_t rest)
{
    uint32_t n = 0;
    for (uint32_t a = 0; a < in->gpus; a++)
        for (uint32_t b = 0; part >> a & 1 && b < in->gpus; b++)
            n += rest >> b & 1 ? in->pair[a][b] : 0;
    return n;
}

static uint32_t fewest_links(const struct gs_inside *in, uint64_t set)
{
    uint32_t least = UINT32_MAX, first = GS_NONE;
    for (uint32_t a = 0; a < in->gpus; a++) {
        if (!(set >> a & 1))
            continue;
        first = first == GS_NONE ? a : first;
        if (in->domain[a] != in->domain[first])
            return 0;
        const uint32_t n = across(in, UINT64_C(1) << a, set & ~(UINT64_C(1) << a));
        least = n < least ? n : least;
    }
    return least;
}

uint32_t gs_inside_rings(const struct gs_inside *in, uint64_t set)
{
    const uint64_t all = in->gpus < 64 ? (UINT64_C(1) << in->gpus) - 1 : UINT64_MAX;
    set &= all;
    if (!(set & (set - 1)))
        return 0;
    uint32_t least = fewest_links(in, set);
    if (__builtin_popcountll(set) > GS_INSIDE_CUT_MAX)
        return least;
    for (uint64_t part = (set - 1) & set; part && least; part = (part - 1) & set) {
        const uint32_t n = across(in, part, set & ~part);
        least = n < least ? n : least;
    }
    return least;
}

uint32_t gs_inside_best_rings(const struct gs_inside *in, uint32_t n)
{
    uint32_t best = 0;
    if (in->gpus > GS_INSIDE_CUT_MAX)
        return n < 64 ? gs_inside_rings(in, (UINT64_C(1) << n) - 1)
                      : gs_inside_rings(in, UINT64_MAX);
    for (uint64_t set = 1; set < UINT64_C(1) << in->gpus; set++) {
        if ((uint32_t)__builtin_popcountll(set) != n)
            continue;
        const uint32_t rings = gs_inside_rings(in, set);
        best = rings > best ? rings : best;
    }
    return best;
}
