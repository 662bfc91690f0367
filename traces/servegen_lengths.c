/* servegen_lengths.c - the distributions of a ServeGen data set, and draws from them.
 *
 * {"21600": {"input_tokens": "{136: 0.25, 372: 0.75}", ...}, ...}: the text of a Python dictionary a field, value: probability. Fields that
 * count tokens of the request (input, or text, image, audio and video) are summed to the input; reason_ratio and the counts of
 * images and the like are passed over. A window holds from its start to that of the next; one that is empty takes the
 * lengths of the last before it that is not, else of the first.
 * Probabilities are kept as whole numbers of 10^-15, summed up, so a draw is one integer below the sum and a binary search: no rounding.
 * A draw costs a random number and O(log values) a field; memory is 16 bytes a value. */
#include "sim/base/sort.h"
#include "sim/base/units.h"
#include "traces/decimal.h"
#include "traces/servegen.h"

#include <string.h>
#include <unistd.h>

#include "sim/base/banned.h"

enum {
    INPUT,
    TEXT,
    IMAGE,
    AUDIO,
    VIDEO,
    OUTPUT,
    FIELDS
};

static const char *const fields[FIELDS] = {"input_tokens", "text_tokens",  "image_tokens",
                                           "audio_tokens", "video_tokens", "output_tokens"};

#define PROBABILITY_DIGITS 15
#define PROBABILITY_MAX \
    (INT64_C(2) * 1000000000000000) /* 1 and what rounding may add, generously */

struct point {
    int64_t tokens;
    uint64_t upto; /* probabilities up to and with this one */
};

struct law {
    size_t first, n; /* points; n = 0: the field is not told */
};

struct window {
    int64_t start_ns;
    struct law of[FIELDS];
    size_t use; /* the window whose laws hold here */
};

struct gs_servegen_lengths {
    GS_VEC(struct window) windows; /* by start */
    GS_VEC(struct point) points;
    size_t at; /* the window of the draw before */
    uint64_t borrowed, summed;
};

/* ---- {value: probability, ...} ----------------------------------------------------------------- */

static const char *skip_blanks(const char *s)
{
    return s + strspn(s, " \t\r\n");
}

/* A number up to one of `ends`, which is passed over and kept; NULL if there is none. */
static const char *take_number(const char *s, const char *ends, int scale, int64_t *out, char *end)
{
    char text[48];
    s = skip_blanks(s);
    const size_t n = strcspn(s, " \t\r\n,:}");
    if (n == 0 || n >= sizeof text)
        return NULL;
    memcpy(text, s, n);
    text[n] = '\0';
    s = skip_blanks(s + n);
    if (gs_decimal_read(text, scale, out) > GS_DECIMAL_INEXACT || *out < 0 || !*s ||
        !strchr(ends, *s))
        return NULL;
    *end = *s;
    return s + 1;
}

/* 1 = read; a law whose probabilities are all zero is none. */
static int read_law(struct gs_servegen_lengths *l, const char *s, struct law *law)
{
    char end = ',';
    uint64_t sum = 0;
    law->first = l->points.n;
    s = skip_blanks(s);
    if (*s++ != '{')
        return 0;
    if (*skip_blanks(s) == '}')
        return 1;
    while (end == ',') {
        int64_t tokens = 0;
        int64_t probability = 0;
        s = take_number(s, ":", 0, &tokens, &end);
        if (s)
            s = take_number(s, ",}", PROBABILITY_DIGITS, &probability, &end);
        if (!s || tokens > GS_TRACE_TOKENS_MAX || probability > PROBABILITY_MAX)
            return 0;
        sum += (uint64_t)probability;
        if (sum > (uint64_t)PROBABILITY_MAX)
            return 0;
        if (probability)
            gs_vec_push(&l->points, (struct point){tokens, sum});
    }
    law->n = l->points.n - law->first;
    return !*skip_blanks(s);
}

/* ---- The file ---------------------------------------------------------------------------------- */

static int has_lengths(const struct window *w)
{
    size_t in = 0;
    for (int i = INPUT; i < OUTPUT; i++)
        in += w->of[i].n;
    return in > 0 && w->of[OUTPUT].n > 0;
}

static enum gs_rc take_window(struct gs_servegen_lengths *l, const char *file, const char *start,
                              const json_t *o, struct gs_err *err)
{
    struct window w = {0};
    if (gs_decimal_read(start, 9, &w.start_ns) > GS_DECIMAL_INEXACT || w.start_ns < 0 ||
        w.start_ns > GS_TRACE_TIME_MAX || !json_is_object(o))
        return gs_fail(err, GS_E_INPUT, "%s: '%.40s' is not a window: {start s: {field: law}}",
                       file, start);
    for (int i = 0; i < FIELDS; i++) {
        const json_t *text = json_object_get(o, fields[i]);
        if (text && (!json_is_string(text) || !read_law(l, json_string_value(text), &w.of[i])))
            return gs_fail(
                err, GS_E_INPUT,
                "%s: window '%.40s', field '%s': is not a text {tokens: probability, ...}", file,
                start, fields[i]);
    }
    gs_vec_push(&l->windows, w);
    return GS_OK;
}

static int by_start(const void *a, const void *b, const void *ctx)
{
    (void)ctx;
    const struct window *x = a;
    const struct window *y = b;
    return x->start_ns < y->start_ns ? -1 : x->start_ns > y->start_ns;
}

/* Which laws hold in each window; 0 = in none. */
static int settle(struct gs_servegen_lengths *l)
{
    gs_sort(l->windows.v, l->windows.n, sizeof *l->windows.v, by_start, NULL);
    size_t use = 0;
    while (use < l->windows.n && !has_lengths(&l->windows.v[use]))
        use++;
    if (use == l->windows.n)
        return 0;
    for (size_t i = 0; i < l->windows.n; i++) {
        use = has_lengths(&l->windows.v[i]) ? i : use;
        l->windows.v[i].use = use;
    }
    return 1;
}

static enum gs_rc read_file(struct gs_servegen_lengths *l, const char *path,
                            struct gs_trace_counts *n, struct gs_err *err)
{
    struct gs_input in;
    json_t *all = NULL;
    enum gs_rc rc = gs_input_open(&in, path, NULL, err);
    if (rc == GS_OK)
        rc = gs_json_document(&in, &all, err);
    if (rc == GS_OK && !json_is_object(all))
        rc = gs_fail(err, GS_E_INPUT, "%s: is not a ServeGen data set: {start s: {field: law}}",
                     path);
    for (void *w = json_object_iter(all); w && rc == GS_OK; w = json_object_iter_next(all, w))
        rc = take_window(l, path, json_object_iter_key(w), json_object_iter_value(w), err);
    if (rc == GS_OK)
        rc = gs_count_beside(n, &in, err);
    json_decref(all);
    gs_input_close(&in);
    return rc;
}

/* chunk-0-trace.csv, also .gz: chunk-0-dataset.json or .json.gz, whichever there is. 0 = no such file. */
static int find_file(const char *trace, struct gs_buf *path, struct gs_buf *why)
{
    static const char *const traces[] = {"trace.csv", "trace.csv.gz"};
    static const char *const sets[] = {"dataset.json", "dataset.json.gz"};
    const size_t n = trace ? strlen(trace) : 0;
    for (size_t i = 0; i < 2; i++) {
        const size_t tail = strlen(traces[i]);
        if (n < tail || strcmp(trace + n - tail, traces[i]) != 0)
            continue;
        for (size_t k = 0; k < 2; k++) {
            gs_buf_clear(path);
            gs_buf_add(path, trace, n - tail);
            gs_buf_str(path, sets[k]);
            if (access(gs_buf_cstr(path), F_OK) == 0)
                return 1;
        }
        gs_buf_fmt(why, "there is no %.*sdataset.json or .json.gz", (int)(n - tail), trace);
        return 0;
    }
    gs_buf_str(why, "the trace is not called NAME-trace.csv, so there is no NAME-dataset.json");
    return 0;
}

enum gs_rc gs_servegen_lengths_load(struct gs_servegen_lengths **out, const char *path,
                                    struct gs_trace_counts *n, struct gs_buf *why,
                                    struct gs_err *err)
{
    struct gs_buf file = {0};
    enum gs_rc rc = GS_OK;
    *out = NULL;
    if (find_file(path, &file, why)) {
        *out = gs_zalloc(1, sizeof **out);
        rc = read_file(*out, gs_buf_cstr(&file), n, err);
        const int has = rc == GS_OK && settle(*out);
        if (rc == GS_OK && !has)
            gs_buf_fmt(why, "%s holds none", gs_buf_cstr(&file));
        if (!has) {
            gs_servegen_lengths_free(*out);
            *out = NULL;
        }
    }
    gs_buf_free(&file);
    return rc;
}

void gs_servegen_lengths_free(struct gs_servegen_lengths *l)
{
    if (!l)
        return;
    gs_vec_free(&l->windows);
    gs_vec_free(&l->points);
    gs_free(l);
}

/* ---- Draws ------------------------------------------------------------------------------------- */

/* The last window that starts at or before at_ns, else the first. Arrivals mostly go forward. */
static const struct window *window_of(struct gs_servegen_lengths *l, int64_t at_ns)
{
    while (l->at > 0 && l->windows.v[l->at].start_ns > at_ns)
        l->at--;
    while (l->at + 1 < l->windows.n && l->windows.v[l->at + 1].start_ns <= at_ns)
        l->at++;
    return &l->windows.v[l->at];
}

static int64_t draw(const struct gs_servegen_lengths *l, const struct law *law, struct gs_stream *s)
{
    const struct point *p = l->points.v + law->first;
    const uint64_t u = gs_below(s, p[law->n - 1].upto);
    size_t lo = 0;
    size_t hi = law->n - 1;
    while (lo < hi) {
        const size_t mid = (lo + hi) / 2;
        if (u < p[mid].upto)
            hi = mid;
        else
            lo = mid + 1;
    }
    return p[lo].tokens;
}

void gs_servegen_lengths_draw(struct gs_servegen_lengths *l, struct gs_stream *s, uint64_t no,
                              int64_t at_ns, struct gs_call *c)
{
    const struct window *here = window_of(l, at_ns);
    const struct window *w = &l->windows.v[here->use];
    int parts = 0;
    l->borrowed += w != here;
    c->input = 0;
    for (int i = 0; i < FIELDS; i++) {
        if (!w->of[i].n)
            continue;
        s->draw = no * FIELDS + (uint64_t)i;
        const int64_t tokens = draw(l, &w->of[i], s);
        if (i == OUTPUT)
            c->output = tokens;
        else
            c->input += tokens;
        parts += i != OUTPUT;
    }
    l->summed += parts > 1;
}

void gs_servegen_lengths_count(const struct gs_servegen_lengths *l, struct gs_trace_counts *n)
{
    gs_count_assume(
        n, "lengths: the window tells none, those of the last before it (or of the first) taken",
        l->borrowed);
    gs_count_assume(n, "tokens of text, images, audio and video: summed to the input", l->summed);
}
