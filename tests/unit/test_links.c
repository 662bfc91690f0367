/* test_links.c - scores of links between GPUs and the best-effort choice, against the worked cases and against trying everything. */
#include "policies/lib/links.h"
#include "sim/base/rng.h"
#include "tests/unit/harness.h"

#include <ctype.h>
#include <dirent.h>

struct world {
    int32_t score[16 * 16];
    uint32_t available[16], required[16], expected[16];
    uint32_t n, nrequired, size, nexpected;
};

static uint32_t read_numbers(const char *s, uint32_t *out)
{
    uint32_t n = 0;
    while (*s && n < 16) {
        if (isdigit((unsigned char)*s)) {
            out[n++] = (uint32_t)strtoul(s, NULL, 10);
            while (isdigit((unsigned char)*s))
                s++;
        } else {
            s++;
        }
    }
    return n;
}

static int32_t score_of_words(const char *s)
{
    static const struct {
        const char *word;
        int32_t score;
    } all[] = {{"cross_cpu", GSPL_LINK_CROSS_CPU},         {"same_cpu", GSPL_LINK_SAME_CPU},
               {"host_bridge", GSPL_LINK_HOST_BRIDGE},     {"multi_switch", GSPL_LINK_MULTI_SWITCH},
               {"single_switch", GSPL_LINK_SINGLE_SWITCH}, {"same_board", GSPL_LINK_SAME_BOARD}};

    int32_t sum = 0;
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        sum += strstr(s, all[i].word) ? all[i].score : 0;
    const char *nv = strstr(s, "nv");
    return sum + (nv ? (int32_t)strtol(nv + 2, NULL, 10) * GSPL_LINK_NVLINK : 0);
}

static bool read_case(const char *path, struct world *w, char *steps, size_t cap)
{
    char line[512];
    FILE *f = fopen(path, "r");
    memset(w, 0, sizeof *w);
    steps[0] = '\0';
    while (f && fgets(line, sizeof line, f)) {
        char *eq = strchr(line, '=');
        uint32_t pair[16];
        if (!eq)
            continue;
        if (strncmp(line, "link.", 5) == 0 && read_numbers(line, pair) >= 2)
            w->score[pair[0] * 16 + pair[1]] = w->score[pair[1] * 16 + pair[0]] =
                score_of_words(eq);
        else if (strncmp(line, "available", 9) == 0)
            w->n = read_numbers(eq, w->available);
        else if (strncmp(line, "required", 8) == 0)
            w->nrequired = read_numbers(eq, w->required);
        else if (strncmp(line, "size", 4) == 0)
            w->size = (uint32_t)strtoul(eq + 1, NULL, 10);
        else if (strncmp(line, "set", 3) == 0)
            w->nexpected = read_numbers(eq, w->expected);
        else if (strncmp(line, "step.", 5) == 0)
            (void)snprintf(steps + strlen(steps), cap - strlen(steps), "%s", eq + 1);
    }
    if (f)
        (void)fclose(f);
    return f != NULL;
}

static uint32_t bits_of(const uint32_t *list, uint32_t n)
{
    uint32_t bits = 0;
    for (uint32_t i = 0; i < n; i++)
        bits |= 1u << list[i];
    return bits;
}

static void run_case(const char *path)
{
    static struct gspl_link_memo memo[2 << 16];
    struct world w;
    char steps[2048];
    uint32_t got[16];
    CU_ASSERT_TRUE_FATAL(read_case(path, &w, steps, sizeof steps));
    if (!*steps) {
        const uint32_t n = gspl_best_effort(w.score, 16, w.available, w.n, w.required, w.nrequired,
                                            w.size, memo, got);
        GS_EQ_INT(bits_of(got, n), bits_of(w.expected, w.nexpected));
        return;
    }
    uint32_t free_bits = 0;
    for (uint32_t i = 0; i < 16; i++)
        for (uint32_t j = 0; j < 16; j++)
            if (w.score[i * 16 + j])
                free_bits |= 1u << i;
    for (char *line = steps, *next; *line; line = next) { /* size:S set:a,b */
        char *const end = strchr(line, '\n');
        next = end ? end + 1 : line + strlen(line);
        if (end)
            *end = '\0';
        const char *size = strstr(line, "size:"), *set = strstr(line, "set:");
        CU_ASSERT_TRUE_FATAL(size && set);
        w.nexpected = read_numbers(set, w.expected);
        w.n = 0;
        for (uint32_t i = 0; i < 16; i++)
            if (free_bits >> i & 1)
                w.available[w.n++] = i;
        const uint32_t n = gspl_best_effort(w.score, 16, w.available, w.n, NULL, 0,
                                            (uint32_t)strtoul(size + 5, NULL, 10), memo, got);
        GS_EQ_INT(bits_of(got, n), bits_of(w.expected, w.nexpected));
        free_bits &= ~bits_of(got, n);
    }
}

static void worked_cases(void)
{
    char dir[512], path[1024];
    int n = 0;
    if (!gs_test_shared_file("cases/gpu-schedulers", dir, sizeof dir))
        GS_SKIP("no worked cases of schedulers");
    DIR *d = opendir(dir);
    for (struct dirent *e = d ? readdir(d) : NULL; e; e = readdir(d))
        if (strncmp(e->d_name, "dp-besteffort-", 14) == 0 ||
            strncmp(e->d_name, "dp-sequence-", 12) == 0) {
            run_case(gs_test_path(path, sizeof path, dir, e->d_name));
            n++;
        }
    if (d)
        (void)closedir(d);
    printf("%d worked cases\n", n);
    CU_ASSERT_TRUE(n >= 8);
}

/* The definition, word by word: every partition in order, the first of the best. */
struct naive {
    const int32_t *score;
    uint32_t n, size, pad, required;
    int64_t best;
    uint32_t chosen;
    uint32_t set[16], nsets;
};

static int64_t naive_score(const struct naive *v, uint32_t set)
{
    int64_t sum = 0;
    for (uint32_t i = 0; i < v->n; i++)
        for (uint32_t j = i + 1; j < v->n; j++)
            if (set >> i & 1 && set >> j & 1)
                sum += v->score[i * 16 + j];
    return sum;
}

static void naive_judge(struct naive *v)
{
    int64_t total = 0, top = -1;
    uint32_t holder = 0;
    for (uint32_t k = 0; k < v->nsets; k++) {
        const int full = (uint32_t)__builtin_popcount(v->set[k]) == v->size;
        const int64_t own = naive_score(v, v->set[k]);
        total += own;
        if (full && (v->set[k] & v->required) == v->required && own > top) {
            top = own;
            holder = v->set[k];
        }
    }
    if (top >= 0 && total > v->best) {
        v->best = total;
        v->chosen = holder;
    }
}

/* Items n .. n + pad - 1 are nobody; combinations in lexicographic order. */
static void naive_walk(struct naive *v, uint32_t left, uint32_t set, uint32_t from, uint32_t have)
{
    const uint32_t items = v->n + v->pad, nobody = ((1u << v->pad) - 1) << v->n;
    if (have == v->size) {
        if ((set & nobody) && (set & nobody) != nobody)
            return;
        v->set[v->nsets++] = set & ~nobody;
        left &= ~set;
        if (left)
            naive_walk(v, left, 0, 0, 0);
        else
            naive_judge(v);
        v->nsets--;
        return;
    }
    for (uint32_t i = from; i < items; i++) {
        if (!(left >> i & 1))
            continue;
        naive_walk(v, left, set | 1u << i, i + 1, have + 1);
        if (have == 0)
            return; /* the lowest that is left */
    }
}

static void as_trying_everything(void)
{
    static struct gspl_link_memo memo[2 << 16];
    for (uint32_t round = 0; round < 400; round++) {
        struct gs_stream rng;
        int32_t score[16 * 16] = {0};
        uint32_t available[16], required[16], got[16], nrequired = 0;
        gs_stream_init(&rng, round, GS_RNG_TEST, 1, 0);
        const uint32_t n = 1 + (uint32_t)gs_below(&rng, 8);
        const uint32_t size = 1 + (uint32_t)gs_below(&rng, n);
        struct naive v = {.score = score, .n = n, .size = size, .best = -1};
        v.pad = (size - n % size) % size;
        for (uint32_t i = 0; i < n; i++) {
            available[i] = i;
            if (gs_below(&rng, 6) == 0 && nrequired < size) {
                v.required |= 1u << i;
                required[nrequired++] = i;
            }
            for (uint32_t j = 0; j < i; j++) /* few values: many ties */
                score[i * 16 + j] = score[j * 16 + i] = 10 * (int32_t)gs_below(&rng, 3);
        }
        naive_walk(&v, (1u << (n + v.pad)) - 1, 0, 0, 0);
        const uint32_t k =
            gspl_best_effort(score, 16, available, n, required, nrequired, size, memo, got);
        GS_EQ_INT(bits_of(got, k), v.chosen);
    }
}

static const struct gs_test tests[] = {
    {"worked cases", worked_cases},
    {"as trying everything", as_trying_everything},
};
GS_TEST_MAIN("policies/links", tests)
