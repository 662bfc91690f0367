/* servegen.c - ServeGen (2025): what drives the clients of a production LLM service, a pair of files a client.
 *
 * chunk-N-trace.csv has no header: start of a window of 600 s, requests a second, coefficient of variation of the gaps, family
 * (Gamma, Weibull or empty), shape, scale. A window of rate 0 is idle. chunk-N-dataset.json: {start of a window:
 * {field: "{value: probability, ...}"}}, windows of 21,600 s or more; some are empty.
 * Both are the parameters of a generator and hold no request. `trace info` shows them; everybody else gets requests that are
 * drawn here, the lengths by servegen_lengths.c.
 *
 * A window of rate r gets exactly its round(600 r) requests (the rate is a count divided by 600), by a renewal process that begins with the
 * window: gaps of the family, shape and scale. Where shape and scale mean longer gaps than the rate, the requests would not fit: all gaps
 * of the window, with the one that leads out of it, are then squeezed by the same factor. Where they mean shorter ones, the requests
 * stand together at the window's begin, as a client that falls silent. No gap is longer than the window.
 * Draws are keyed by (seed, the row's numbers, the window, number of the request), so clients are independent of each other, a window
 * does not depend on those before it, and a file is read the same whatever its name.
 *
 * Invariant: rows = emitted + skipped counts windows; requests are counted in gs_trace_counts.records.
 * Cost: about 6 microseconds a request for Gamma, 0.1 for Weibull. Memory: 56 bytes a window and 8 a request of one window.
 * Source: github.com/alibaba/ServeGen; Xiang et al., arXiv 2505.09999. */
#include "traces/servegen.h"

#include "sim/base/fmath.h"
#include "sim/base/units.h"
#include "traces/decimal.h"
#include "traces/synth/gamma.h"
#include "traces/table.h"

#include <string.h>

#include "sim/base/banned.h"

enum {
    START,
    RATE,
    CV,
    FAMILY,
    SHAPE,
    SCALE,
    COLUMNS
};

static const struct gs_field fields[COLUMNS] = {
    {"start", 0}, {"rate", 0}, {"cv", 0}, {"family", 0}, {"shape", 0}, {"scale", 0},
};

static const struct gs_figure figures[] = {
    {.quantity = "rows", .op = GS_FIG_ROWS},
    {.quantity = "sum_rate", .op = GS_FIG_SUM, .a = "rate", .places = 3},
    {.quantity = "zero_windows", .op = GS_FIG_ZEROS, .a = "rate"},
    {.quantity = "last_start", .op = GS_FIG_LAST, .a = "start"},
    {.quantity = "families", .op = GS_FIG_TALLY, .a = "family", .is = "none"},
};

/* ---- Windows ----------------------------------------------------------------------------------- */

#define WINDOW_S      600
#define RATE_MAX      1e5 /* requests a second of one client: 480 MB of gaps */
#define JOBS_MAX      UINT64_C(100000000)
#define PARAMETER_MAX 1e300

enum family {
    EXPONENTIAL, /* no usable family: as random as can be */
    GAMMA,
    WEIBULL
};

struct window {
    int64_t start_ns, line;
    uint64_t requests;
    double shape, scale;
    enum family family;
    struct gs_gamma gamma;
};

struct client {
    GS_VEC(struct window) windows; /* with requests, in file order */
    uint64_t requests, assumed_exponential;
};

static enum gs_rc read_real(struct gs_row *r, const char *column, const char *s, double max,
                            double *out)
{
    *out = 0;
    if (gs_is_null(s))
        return GS_OK;
    if (gs_parse_real(s, out, NULL) != GS_OK)
        return gs_row_bad(r, "not a number", column, s, "is not a number");
    if (*out < 0)
        return gs_row_bad(r, "negative number", column, s, "is negative");
    if (*out > max)
        return gs_row_bad(r, "absurdly large number", column, s, "is absurdly large");
    return GS_OK;
}

static enum gs_rc read_family(struct gs_row *r, const char *s, struct window *w)
{
    w->family = strcmp(s, "Gamma") == 0 ? GAMMA : strcmp(s, "Weibull") == 0 ? WEIBULL : EXPONENTIAL;
    if (*s && w->family == EXPONENTIAL)
        return gs_row_bad(r, "family of gaps not known", "family", s,
                          "is not a known family of gaps: Gamma, Weibull or nothing");
    return GS_OK;
}

static enum gs_rc take_window(struct gs_scan *s, struct gs_row *r, const char *const *v)
{
    struct client *client = s->own;
    struct window w = {.line = r->line};
    double rate = 0;
    enum gs_rc rc = gs_row_seconds(r, "start", v[START], &w.start_ns);
    if (rc == GS_OK)
        rc = read_real(r, "rate", v[RATE], RATE_MAX, &rate);
    if (rc == GS_OK)
        rc = read_family(r, v[FAMILY], &w);
    if (rc == GS_OK)
        rc = read_real(r, "shape", v[SHAPE], PARAMETER_MAX, &w.shape);
    if (rc == GS_OK)
        rc = read_real(r, "scale", v[SCALE], PARAMETER_MAX, &w.scale);
    if (rc != GS_OK)
        return rc;
    s->n->emitted++;
    w.requests = (uint64_t)gs_rint_even(rate * WINDOW_S);
    if (!w.requests)
        return GS_OK;
    if (w.family == EXPONENTIAL || !(w.shape > 0 && w.scale > 0)) {
        w.family = EXPONENTIAL;
        w.scale = 1 / rate;
        client->assumed_exponential++;
    }
    if (w.family == GAMMA)
        w.gamma = gs_gamma_of(w.shape);
    client->requests += w.requests;
    gs_vec_push(&client->windows, w);
    return GS_OK;
}

static void show_client(struct gs_scan *s, struct gs_info *f)
{
    const struct client *client = s->own;
    gs_info_int(f, "requests", (int64_t)client->requests);
}

static const struct gs_table windows = {
    .fields = fields,
    .nfields = COLUMNS,
    .no_header = 1,
    .figures = figures,
    .nfigures = sizeof figures / sizeof *figures,
    .row = take_window,
    .show = show_client,
};

/* ---- Requests ---------------------------------------------------------------------------------- */

struct drawing {
    struct gs_scan *s;
    struct gs_servegen_lengths *lengths; /* NULL = not known */
    GS_VEC(double) gaps;                 /* of the window under way, s */
    int64_t earliest_ns;                 /* of all requests so far */
    int64_t kept,
        kept_upto_ns; /* at or after `from`: how many, the last of the first `first` of them */
    uint64_t squeezed;
};

/* Nothing from at_ns on can be among the jobs that `to` and `first` ask for. Also true if windows stand out of order: an earlier
 * request that is still to come only moves the bound further down. */
static int is_behind(const struct drawing *d, int64_t at_ns)
{
    const struct gs_trace_options *o = d->s->o;
    if (o->to_ns != GS_NEVER && d->earliest_ns != GS_NEVER && at_ns - d->earliest_ns >= o->to_ns)
        return 1;
    return o->first > 0 && d->kept >= o->first && at_ns > d->kept_upto_ns;
}

static void note_kept(struct drawing *d, int64_t at_ns)
{
    const struct gs_trace_options *o = d->s->o;
    d->earliest_ns = at_ns < d->earliest_ns ? at_ns : d->earliest_ns;
    if (o->from_ns != GS_NEVER && at_ns - d->earliest_ns < o->from_ns)
        return;
    if (d->kept++ < o->first && at_ns > d->kept_upto_ns)
        d->kept_upto_ns = at_ns;
}

static double gap(const struct window *w, double u)
{
    const double x = w->family == GAMMA     ? gs_gamma_quantile(&w->gamma, u)
                     : w->family == WEIBULL ? gs_pow(-gs_log(1 - u), 1 / w->shape)
                                            : -gs_log(1 - u);
    return x * w->scale < WINDOW_S ? x * w->scale : WINDOW_S; /* also what is not finite */
}

static uint64_t bits(double x)
{
    uint64_t b = 0;
    memcpy(&b, &x, sizeof b);
    return b;
}

/* Draws the gaps of a window and returns the factor that makes them fit. */
static double draw_gaps(struct drawing *d, const struct window *w, uint64_t seed, uint32_t no)
{
    struct gs_stream g;
    double total = 0;
    gs_stream_init(&g, seed, GS_RNG_TRACE, 0, no);
    gs_vec_clear(&d->gaps);
    for (uint64_t i = 0; i < w->requests; i++) {
        gs_vec_push(&d->gaps, gap(w, gs_open(&g)));
        total += d->gaps.v[i];
    }
    total += gap(w, gs_open(&g)); /* the one that leads out of it */
    d->squeezed += total > WINDOW_S;
    return total > WINDOW_S ? WINDOW_S / total : 1;
}

static enum gs_rc draw_window(struct drawing *d, const struct window *w)
{
    struct gs_stream g;
    const uint32_t no =
        (uint32_t)(w->start_ns / (WINDOW_S * GS_SECOND)); /* in 100 years: 5 million */
    const uint64_t seed =
        gs_mix64(gs_mix64(d->s->o->seed, w->requests), gs_mix64(bits(w->shape), bits(w->scale)));
    const double factor = draw_gaps(d, w, seed, no);
    gs_stream_init(&g, seed, GS_RNG_TRACE, 1, no);
    double at_s = 0;
    enum gs_rc rc = GS_OK;
    for (uint64_t i = 0; i < w->requests && rc == GS_OK; i++) {
        at_s += d->gaps.v[i] * factor;
        struct gs_call c = gs_scan_new_call(w->line);
        c.arrival_ns = w->start_ns + (int64_t)(at_s * 1e9 + 0.5);
        if (is_behind(d, c.arrival_ns))
            break;
        if (d->lengths)
            gs_servegen_lengths_draw(d->lengths, &g, i, c.arrival_ns, &c);
        note_kept(d, c.arrival_ns);
        rc = gs_scan_call(d->s, &c, NULL);
    }
    return rc;
}

/* Jobs are held in memory and need run times: what cannot be is told before anything is drawn. */
static enum gs_rc check_jobs(const struct drawing *d, const struct client *client, const char *why)
{
    const struct gs_trace_options *o = d->s->o;
    const int64_t zero = client->windows.n ? client->windows.v[0].start_ns : 0;
    if (!d->lengths)
        return gs_fail(
            d->s->err, GS_E_INPUT,
            "%s: nothing tells the lengths of its requests: %s. As jobs they need them: put the "
            "client's -dataset.json beside its -trace.csv",
            d->s->in->shown, why);
    uint64_t wanted = 0;
    for (size_t i = 0; i < client->windows.n; i++) {
        const struct window *w = &client->windows.v[i];
        wanted += o->to_ns == GS_NEVER || w->start_ns - zero < o->to_ns ? w->requests : 0;
    }
    if (o->first > 0 && o->from_ns == GS_NEVER && wanted > (uint64_t)o->first)
        wanted = (uint64_t)o->first;
    if (wanted <= JOBS_MAX)
        return GS_OK;
    return gs_fail(d->s->err, GS_E_INPUT,
                   "%s: stands for %llu requests, more than %llu can be jobs: take its begin with "
                   "first = N or to = TIME",
                   d->s->in->shown, (unsigned long long)wanted, (unsigned long long)JOBS_MAX);
}

static enum gs_rc draw_client(struct drawing *d, const struct client *client)
{
    enum gs_rc rc = GS_OK;
    for (size_t i = 0; i < client->windows.n && rc == GS_OK; i++) {
        const struct window *w = &client->windows.v[i];
        if (is_behind(d, w->start_ns)) {
            d->s->n->emitted--;
            gs_count_skip(d->s->n, "window behind 'to' or 'first': not drawn");
            continue;
        }
        rc = draw_window(d, w);
    }
    return rc;
}

static enum gs_rc draw_all(struct gs_scan *s, const struct client *client)
{
    struct drawing d = {.s = s, .earliest_ns = GS_NEVER, .kept_upto_ns = INT64_MIN};
    struct gs_buf why = {0};
    enum gs_rc rc = gs_servegen_lengths_load(&d.lengths, s->o->path, s->n, &why, s->err);
    if (rc == GS_OK && s->sink->as_jobs)
        rc = check_jobs(&d, client, gs_buf_cstr(&why));
    if (rc == GS_OK)
        rc = draw_client(&d, client);
    gs_count_assume(s->n, "window without a usable family: exponential gaps of its rate",
                    client->assumed_exponential);
    gs_count_assume(s->n, "window whose gaps are longer than its rate allows: squeezed into it",
                    d.squeezed);
    if (d.lengths)
        gs_servegen_lengths_count(d.lengths, s->n);
    else if (rc == GS_OK && s->n->records) {
        struct gs_buf text = {0};
        gs_buf_fmt(&text, "lengths not known: %s", gs_buf_cstr(&why));
        gs_count_assume(s->n, gs_intern_str(s->str, gs_intern(s->str, gs_buf_cstr(&text))),
                        s->n->records);
        gs_buf_free(&text);
    }
    gs_servegen_lengths_free(d.lengths);
    gs_vec_free(&d.gaps);
    gs_buf_free(&why);
    return rc;
}

static enum gs_rc scan_windows(struct gs_scan *s)
{
    struct client client = {0};
    s->own = &client;
    s->drawn = 1;
    enum gs_rc rc = gs_table_scan(s, &windows);
    if (rc == GS_OK && !s->info)
        rc = draw_all(s, &client);
    s->own = NULL;
    gs_vec_free(&client.windows);
    return rc;
}

/* ---- The data set ------------------------------------------------------------------------------ */

static enum gs_rc scan_dataset(struct gs_scan *s)
{
    json_t *all = NULL;
    if (!s->info)
        return gs_fail(s->err, GS_E_INPUT,
                       "%s: holds lengths of requests and not when they came: read the -trace.csv "
                       "beside it, which uses it",
                       s->in->shown);
    enum gs_rc rc = gs_json_document(s->in, &all, s->err);
    if (rc != GS_OK)
        return rc;
    struct gs_tally names = {0};
    s->n->rows = s->n->emitted = json_object_size(all);
    for (void *w = json_object_iter(all); w; w = json_object_iter_next(all, w)) {
        json_t *window = json_object_iter_value(w);
        for (void *f = json_object_iter(window); f; f = json_object_iter_next(window, f))
            gs_tally_text(&names, json_object_iter_key(f), 1);
    }
    if (s->info) {
        struct gs_buf list = {0};
        gs_tally_sort(&names);
        for (size_t i = 0; i < names.rows.n; i++)
            gs_buf_fmt(&list, "%s%s", i ? ";" : "", names.rows.v[i].text);
        gs_info_int(s->info, "windows", (int64_t)json_object_size(all));
        gs_info_text(s->info, "fields", gs_buf_cstr(&list));
        gs_buf_free(&list);
    }
    gs_tally_free(&names);
    json_decref(all);
    return rc;
}

/* ---- Which ------------------------------------------------------------------------------------- */

static const char *skip_blanks(const char *s)
{
    return s + strspn(s, " \t\r\n");
}

/* {"21600": { ... */
static int is_dataset(const char *s)
{
    s = skip_blanks(s);
    if (*s != '{')
        return 0;
    s = skip_blanks(s + 1);
    const size_t digits = *s == '"' ? strspn(s + 1, "0123456789") : 0;
    if (digits == 0 || s[1 + digits] != '"')
        return 0;
    s = skip_blanks(s + digits + 2);
    return *s == ':' && *skip_blanks(s + 1) == '{';
}

/* Six fields, all numbers but the fourth, which names a family or nothing. */
static int is_windows(const char *s)
{
    for (int i = 0; i < COLUMNS; i++) {
        char field[32];
        const size_t n = strcspn(s, ",\r\n");
        int64_t x = 0;
        if (n >= sizeof field)
            return 0;
        memcpy(field, s, n);
        field[n] = '\0';
        if (i == FAMILY ? field[strspn(field, "GammaWeibull")] != '\0'
                        : gs_decimal_read(field, 9, &x) > GS_DECIMAL_INEXACT)
            return 0;
        s += n;
        if (i + 1 < COLUMNS && *s++ != ',')
            return 0;
    }
    return *s != ',';
}

static int guess(const struct gs_probe *p)
{
    return is_windows(p->text) || is_dataset(p->text);
}

static enum gs_rc scan(struct gs_scan *s)
{
    enum gs_rc rc = gs_input_ahead(s->in, 64, s->err);
    if (rc != GS_OK)
        return rc;
    const char *text = s->in->text + s->in->at;
    return *skip_blanks(text) == '{' ? scan_dataset(s) : scan_windows(s);
}

const struct gs_reader gs_reader_servegen = {
    .name = "servegen",
    .what =
        "ServeGen clients (chunk-N-trace.csv, -dataset.json): parameters by window; requests are drawn",
    .units = "window start s, requests a second; tokens",
    .flags = GS_READER_CALLS,
    .guess = guess,
    .scan = scan,
};
