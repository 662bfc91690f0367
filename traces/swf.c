/* swf.c - the Standard Workload Format 2.2 of the Parallel Workloads Archive, plain or as real files bend it.
 *
 * Lines that start with ';' are comments, some of them `; Name: value` (swf_header.h says which are used). A job is a line of 18
 * blank-separated fields, -1 = unknown: 1 job number, 2 submit, 3 wait, 4 run time, 5 processors allocated, 6 CPU time, 7
 * memory, 8 processors requested, 9 time requested, 10 memory requested, 11 status, 12 user, 13 group, 14 executable, 15
 * queue, 16 partition, 17 preceding job, 18 think time. Times may have fractions. More than 18 fields are tolerated.
 *
 * What is made of them: processors are those allocated, else those requested; the estimate is the time requested (a user's); status 2
 * to 4 are parts of a job that was checkpointed, whose whole also has a line, so the parts are skipped; a job without run
 * time or processors is skipped. Run time 0 is legal (under half a second). Memory is not carried: sites disagree on its
 * unit. Processors are CPUs unless the scenario gives a ratio of GPUs to processors. Queues, and the job that one waits for (fields
 * 15, 17, 18), are carried from a file that gsim wrote: other files fill them with placeholders.
 * Source: D. Feitelson, "The Standard Workload Format", Parallel Workloads Archive. */
#include "traces/decimal.h"
#include "traces/joblog.h"
#include "traces/reader.h"
#include "traces/swf_header.h"

#include <string.h>

#include "sim/base/banned.h"

#define FIELDS        18
#define FIELD_TEXT    64 /* a number; longer ones are none */
#define PROCS_MAX     INT64_C(100000000)
#define STATUS_FAILED 0
#define STATUS_DONE   1
#define STATUS_PART   2 /* 2, 3 and 4 */
#define STATUS_CANCEL 5

enum field {
    F_JOB = 1,
    F_SUBMIT = 2,
    F_WAIT = 3,
    F_RUN = 4,
    F_PROCS = 5,
    F_PROCS_ASKED = 8,
    F_TIME_ASKED = 9,
    F_STATUS = 11,
    F_USER = 12,
    F_QUEUE = 15,
    F_AFTER = 17,
    F_THINK = 18
};

static const char *const field_names[FIELDS + 1] = {"",
                                                    "1 (job number)",
                                                    "2 (submit time)",
                                                    "3 (wait time)",
                                                    "4 (run time)",
                                                    "5 (processors)",
                                                    "6 (CPU time)",
                                                    "7 (memory)",
                                                    "8 (processors requested)",
                                                    "9 (time requested)",
                                                    "10 (memory requested)",
                                                    "11 (status)",
                                                    "12 (user)",
                                                    "13 (group)",
                                                    "14 (executable)",
                                                    "15 (queue)",
                                                    "16 (partition)",
                                                    "17 (preceding job)",
                                                    "18 (think time)"};

/* One line: where its fields start and how long they are. */
struct line {
    const char *start[FIELDS + 1]; /* by field number */
    size_t length[FIELDS + 1];
    size_t tokens; /* all of them */
};

struct swf_row {
    char job[FIELD_TEXT], user[FIELD_TEXT], queue[FIELD_TEXT], after[FIELD_TEXT];
    int64_t submit_ns, wait_ns, run_ns, procs, procs_asked, asked_ns, status,
        think_ns; /* -1 = unknown */
};

/* How to take a negative time that is not -1: a replay must not guess, the figures of a file count it as unknown. */
enum negative_time {
    NEGATIVE_IS_A_FAULT,
    NEGATIVE_IS_UNKNOWN
};

/* The file under way, and its figures. */
struct own {
    struct gs_input *in;
    int64_t line_no;
    int64_t comments;
    struct gs_swf_header header;
    struct gs_trace_options o; /* those given, with what the header says of processors */
    GS_VEC(uint32_t) place;    /* by job number (string id): which record it is, from 1 */
    gs_i128 proc_ns;
    int64_t first_ns, last_ns, before_ns, run_unknown, procs_unknown, out_of_order, max_procs;
    struct gs_tally widths, status, users;
};

static int is_blank(char c)
{
    return c == ' ' || c == '\t' || c == '\r' || c == '\n' || c == '\f' || c == '\v';
}

static void tokenize(const char *s, const char *end, struct line *l)
{
    l->tokens = 0;
    for (;;) {
        while (s < end && is_blank(*s))
            s++;
        if (s == end)
            return;
        const char *from = s;
        while (s < end && !is_blank(*s))
            s++;
        if (++l->tokens <= FIELDS) {
            l->start[l->tokens] = from;
            l->length[l->tokens] = (size_t)(s - from);
        }
    }
}

/* The next line with fields; tokens = 0 at the end. */
static enum gs_rc next_line(struct own *own, struct line *l, struct gs_err *err)
{
    for (l->tokens = 0; l->tokens == 0;) {
        const char *s = NULL;
        size_t n = 0;
        const enum gs_rc rc = gs_input_line(own->in, &s, &n, err);
        if (rc != GS_OK || n == 0)
            return rc;
        own->line_no++;
        const char *end = s + n;
        while (s < end && is_blank(*s))
            s++;
        if (s == end || *s != ';') {
            tokenize(s, end, l);
            continue;
        }
        own->comments++;
        gs_swf_header_line(&own->header, s, end);
    }
    return GS_OK;
}

/* Field f as text; too long a token is cut, and is then no number. */
static const char *field_text(const struct line *l, enum field f, char buf[FIELD_TEXT])
{
    const size_t n = l->length[f] < FIELD_TEXT ? l->length[f] : FIELD_TEXT - 1;
    memcpy(buf, l->start[f], n);
    buf[n] = '\0';
    return buf;
}

/* Is it one of the spellings of -1, "unknown"? */
static int is_unknown(const char *s)
{
    int64_t x = 0;
    return *s == '-' && gs_decimal_read(s, 3, &x) == GS_DECIMAL_OK && x == -1000;
}

static enum gs_rc take_time(struct gs_row *r, const struct line *l, enum field f,
                            enum negative_time negative, int64_t *out_ns)
{
    char text[FIELD_TEXT];
    *out_ns = -1;
    if (is_unknown(field_text(l, f, text)))
        return GS_OK;
    int64_t x = 0;
    if (negative == NEGATIVE_IS_UNKNOWN && gs_decimal_read(text, 0, &x) <= GS_DECIMAL_INEXACT &&
        x < 0)
        return GS_OK;
    return gs_row_seconds(r, field_names[f], text, out_ns);
}

/* A time that nothing depends on: what is no time is unknown. */
static int64_t time_or_unknown(const struct line *l, enum field f)
{
    char text[FIELD_TEXT];
    int64_t x = 0;
    if (gs_decimal_read(field_text(l, f, text), 9, &x) > GS_DECIMAL_INEXACT)
        return -1;
    return x < 0 || x > GS_TRACE_TIME_MAX ? -1 : x;
}

static enum gs_rc take_int(struct gs_row *r, const struct line *l, enum field f, int64_t *out)
{
    char text[FIELD_TEXT];
    *out = -1;
    if (is_unknown(field_text(l, f, text)))
        return GS_OK;
    return gs_row_int(r, field_names[f], text, PROCS_MAX, out);
}

static enum gs_rc decode(struct gs_row *r, const struct line *l, enum negative_time negative,
                         struct swf_row *out)
{
    *out = (struct swf_row){.submit_ns = -1};
    if (l->tokens < FIELDS) {
        r->why = "wrong number of fields";
        return gs_fail(r->err, GS_E_INPUT,
                       "%s:%lld: %zu fields, expected 18 (skip bad rows with --bad-rows=skip)",
                       r->in->shown, (long long)r->line, l->tokens);
    }
    char text[FIELD_TEXT];
    if (is_unknown(field_text(l, F_SUBMIT, text)))
        return gs_row_bad(r, "no submit time", field_names[F_SUBMIT], text,
                          "is unknown, but a job needs a submit time");
    (void)field_text(l, F_JOB, out->job);
    (void)field_text(l, F_USER, out->user);
    (void)field_text(l, F_QUEUE, out->queue);
    (void)field_text(l, F_AFTER, out->after);
    out->wait_ns = time_or_unknown(l, F_WAIT);
    out->think_ns = time_or_unknown(l, F_THINK);
    enum gs_rc rc = take_time(r, l, F_SUBMIT, NEGATIVE_IS_A_FAULT, &out->submit_ns);
    if (rc == GS_OK)
        rc = take_time(r, l, F_RUN, negative, &out->run_ns);
    if (rc == GS_OK)
        rc = take_int(r, l, F_PROCS, &out->procs);
    if (rc == GS_OK)
        rc = take_int(r, l, F_PROCS_ASKED, &out->procs_asked);
    if (rc == GS_OK)
        rc = take_time(r, l, F_TIME_ASKED, negative, &out->asked_ns);
    if (rc == GS_OK)
        rc = take_int(r, l, F_STATUS, &out->status);
    return rc;
}

/* Lines of 18 numbers, or comments and then a number. */
static int guess(const struct gs_probe *p)
{
    struct gs_input copy = {
        .shown = p->name, .text = gs_strndup(p->text, p->n), .n = p->n, .at_end = 1};
    struct own own = {.in = &copy, .header.unix_start_s = -1};
    struct line l;
    int is_swf = 0;
    if (next_line(&own, &l, NULL) == GS_OK && l.tokens > 0) {
        char text[FIELD_TEXT];
        int64_t x = 0;
        is_swf = (l.tokens >= FIELDS || own.comments > 0) &&
                 gs_decimal_read(field_text(&l, F_JOB, text), 0, &x) == GS_DECIMAL_OK;
    }
    gs_free(copy.text);
    gs_swf_header_free(&own.header);
    return is_swf;
}

/* ---- Jobs -------------------------------------------------------------------------------------- */

static uint8_t end_state(int64_t status)
{
    switch (status) {
    case STATUS_FAILED: return GS_END_FAILED;
    case STATUS_DONE: return GS_END_COMPLETED;
    case STATUS_CANCEL: return GS_END_KILLED;
    default: return GS_END_UNKNOWN;
    }
}

static const char *unusable(const struct swf_row *s)
{
    if (s->status >= STATUS_PART && s->status < STATUS_CANCEL)
        return "partial record of a checkpointed job (status 2 to 4)";
    if (s->run_ns < 0)
        return "no run time recorded";
    if (s->procs <= 0 && s->procs_asked <= 0)
        return "no processors recorded";
    return NULL;
}

/* The user and, of a file that gsim wrote, the queue and the job that this one waits for. */
static void take_names(struct gs_scan *sc, const struct swf_row *s, struct gs_job *j)
{
    const struct own *own = sc->own;
    if (!is_unknown(s->user)) {
        const char *name = gs_swf_name(&own->header.users, s->user);
        char user[FIELD_TEXT + 1];
        (void)gs_fmt(user, sizeof user, "u%s", s->user);
        j->user = gs_intern(sc->str, name ? name : user);
    }
    const char *queue = gs_swf_name(&own->header.queues, s->queue);
    j->queue = queue ? gs_intern(sc->str, queue) : 0;
    if (!own->header.ours || is_unknown(s->after))
        return;
    const uint32_t before = gs_intern(sc->str, s->after);
    j->after = before < own->place.n ? own->place.v[before] : 0;
    if (j->after)
        j->think_ns = s->think_ns > 0 ? s->think_ns : 0;
    else
        gs_count_assume(sc->n, "the preceding job is not in a line before: not waited for", 1);
}

/* The job's number becomes its name; later lines may wait for it. */
static enum gs_rc take_number(struct gs_scan *sc, struct gs_row *r, const struct swf_row *s,
                              struct gs_job *j)
{
    struct own *own = sc->own;
    if (is_unknown(s->job))
        return GS_OK;
    j->name = gs_intern(sc->str, s->job);
    const enum gs_rc rc = gs_scan_unique(sc, r, field_names[F_JOB], j->name);
    if (rc != GS_OK || !own->header.ours)
        return rc;
    while (own->place.n <= j->name)
        gs_vec_push(&own->place, 0);
    own->place.v[j->name] = (uint32_t)sc->records + 1;
    return GS_OK;
}

static enum gs_rc emit(struct gs_scan *sc, struct gs_row *r, const struct swf_row *s)
{
    const char *reason = unusable(s);
    if (reason) {
        gs_row_drop(r, reason);
        return GS_OK;
    }
    const int64_t procs = s->procs > 0 ? s->procs : s->procs_asked;
    struct gs_job j = gs_scan_new_job(sc, r->line);
    j.submit_ns = s->submit_ns;
    j.run_ns = s->run_ns;
    j.start_ns = s->wait_ns >= 0 ? s->submit_ns + s->wait_ns : -1;
    j.end_state = end_state(s->status);
    if (s->asked_ns > 0) {
        j.est_ns = s->asked_ns;
        j.est_source = GS_EST_USER;
    } else {
        gs_count_assume(sc->n, "no estimate in the record", 1);
    }
    take_names(sc, s, &j);
    enum gs_rc rc = gs_log_procs(sc, r, field_names[F_PROCS], &j, procs);
    if (rc == GS_OK)
        rc = take_number(sc, r, s, &j);
    return rc == GS_OK ? gs_scan_job(sc, &j) : rc;
}

/* ---- trace info -------------------------------------------------------------------------------- */

static void count(struct own *g, const struct line *l, const struct swf_row *s)
{
    gs_tally_number(&g->widths, (int64_t)l->tokens, 1);
    gs_tally_number(&g->status, s->status, 1);
    gs_tally_text(&g->users, s->user, 1);
    g->out_of_order += s->submit_ns < g->before_ns;
    g->before_ns = s->submit_ns;
    g->first_ns = s->submit_ns < g->first_ns ? s->submit_ns : g->first_ns;
    g->last_ns = s->submit_ns > g->last_ns ? s->submit_ns : g->last_ns;
    g->run_unknown += s->run_ns < 0;
    g->procs_unknown += s->procs <= 0;
    g->max_procs = s->procs > g->max_procs ? s->procs : g->max_procs;
    if (s->run_ns >= 0 && s->procs > 0)
        g->proc_ns += (gs_i128)s->run_ns * s->procs;
}

/* Seconds to three places; the sums are exact until here. */
static void show_seconds(struct gs_info *f, const char *quantity, gs_i128 ns)
{
    gs_info_decimal(f, quantity, gs_decimal_round(ns, 9, 3), 3);
}

static void show(struct own *g, struct gs_info *f, int64_t jobs)
{
    gs_info_int(f, "header_lines", g->comments);
    gs_info_int(f, "jobs", jobs);
    gs_info_tally(f, "fields", &g->widths, 6);
    if (jobs) {
        show_seconds(f, "first_submit", g->first_ns);
        show_seconds(f, "last_submit", g->last_ns);
    }
    gs_info_int(f, "run_unknown", g->run_unknown);
    gs_info_int(f, "procs_unknown", g->procs_unknown);
    show_seconds(f, "proc_seconds", g->proc_ns);
    gs_info_int(f, "submit_out_of_order", g->out_of_order);
    gs_info_tally(f, "status", &g->status, SIZE_MAX);
    gs_info_int(f, "users", (int64_t)gs_tally_distinct(&g->users));
    gs_info_int(f, "max_procs", g->max_procs);
}

/* ---- The file ---------------------------------------------------------------------------------- */

static enum gs_rc scan_lines(struct gs_scan *sc, struct own *own, int64_t *counted)
{
    struct line l;
    for (;;) {
        enum gs_rc rc = next_line(own, &l, sc->err);
        if (rc != GS_OK || l.tokens == 0)
            return rc;
        if (own->header.unix_start_s >= 0)
            sc->n->origin_unix_ns = own->header.unix_start_s * GS_SECOND;
        if (own->header.procs_are_gpus && !own->o.gpus_per_proc_milli)
            own->o.gpus_per_proc_milli = 1000;
        struct gs_row r = gs_scan_row(sc, own->line_no);
        struct swf_row s;
        rc = decode(&r, &l, sc->info ? NEGATIVE_IS_UNKNOWN : NEGATIVE_IS_A_FAULT, &s);
        if (rc == GS_OK && sc->info) {
            count(own, &l, &s);
            ++*counted;
        }
        if (rc == GS_OK)
            rc = emit(sc, &r, &s);
        rc = gs_row_end(&r, rc);
        if (rc != GS_OK)
            return rc;
    }
}

static enum gs_rc scan(struct gs_scan *sc)
{
    struct own own = {.in = sc->in,
                      .header.unix_start_s = -1,
                      .o = *sc->o,
                      .first_ns = GS_NEVER,
                      .before_ns = INT64_MIN,
                      .last_ns = INT64_MIN};
    int64_t counted = 0;
    const struct gs_trace_options *given = sc->o;
    sc->own = &own;
    sc->o = &own.o;
    const enum gs_rc rc = scan_lines(sc, &own, &counted);
    if (rc == GS_OK && sc->info)
        show(&own, sc->info, counted);
    if (rc == GS_OK && !sc->o->gpus_per_proc_milli)
        gs_count_assume(sc->n, "processors taken as CPUs, no GPUs", sc->n->emitted);
    if (rc == GS_OK)
        gs_count_assume(sc->n, "memory fields not carried", sc->n->emitted);
    sc->o = given;
    gs_swf_header_free(&own.header);
    gs_vec_free(&own.place);
    gs_tally_free(&own.widths);
    gs_tally_free(&own.status);
    gs_tally_free(&own.users);
    return rc;
}

const struct gs_reader gs_reader_swf = {.name = "swf",
                                        .what = "Standard Workload Format 2.2",
                                        .units = "times s from the log's start, processors",
                                        .flags =
                                            GS_READER_IDS | GS_READER_ESTIMATE | GS_READER_PROCS,
                                        .guess = guess,
                                        .scan = scan};
