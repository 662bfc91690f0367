/* swf.c - the Standard Workload Format 2.2 of the Parallel Workloads Archive, plain or as real files bend it.
 *
 * Lines that start with ';' are comments, some of them `; Name: value`; of these only UnixStartTime is used. A job is a line of 18
 * blank-separated fields, -1 = unknown: 1 job number, 2 submit, 3 wait, 4 run time, 5 processors allocated, 6 CPU time, 7
 * memory, 8 processors requested, 9 time requested, 10 memory requested, 11 status, 12 user, 13 group, 14 executable, 15
 * queue, 16 partition, 17 preceding job, 18 think time. Times may have fractions. More than 18 fields are tolerated.
 *
 * What is made of them: processors are those allocated, else those requested; the estimate is the time requested (a user's); status 2
 * to 4 are parts of a job that was checkpointed, whose whole also has a line, so the parts are skipped; a job without run
 * time or processors is skipped. Run time 0 is legal (under half a second). Memory is not carried: sites disagree on its
 * unit. Processors are CPUs unless the scenario gives a ratio of GPUs to processors.
 * Source: D. Feitelson, "The Standard Workload Format", Parallel Workloads Archive. */
#include "traces/decimal.h"
#include "traces/reader.h"

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
    F_RUN = 4,
    F_PROCS = 5,
    F_PROCS_ASKED = 8,
    F_TIME_ASKED = 9,
    F_STATUS = 11,
    F_USER = 12
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
    char job[FIELD_TEXT], user[FIELD_TEXT];
    int64_t submit_ns, run_ns, procs, procs_asked, asked_ns, status; /* -1 = unknown */
};

/* How to take a negative time that is not -1: a replay must not guess, the figures of a file count it as unknown. */
enum negative_time {
    NEGATIVE_IS_A_FAULT,
    NEGATIVE_IS_UNKNOWN
};

struct scan {
    const struct gs_input *in;
    size_t at;
    int64_t line_no;
    int64_t comments;
    int64_t unix_start_s; /* -1 = not said */
};

static int is_blank(char c)
{
    return c == ' ' || c == '\t' || c == '\r' || c == '\f' || c == '\v';
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

/* `; UnixStartTime: 1015000000` */
static void read_comment(struct scan *sc, const char *s, const char *end)
{
    static const char key[] = "UnixStartTime:";
    sc->comments++;
    while (s < end && (*s == ';' || is_blank(*s)))
        s++;
    if ((size_t)(end - s) < sizeof key || memcmp(s, key, sizeof key - 1) != 0)
        return;
    struct line l;
    tokenize(s + sizeof key - 1, end, &l);
    char text[FIELD_TEXT];
    int64_t x = 0;
    if (l.tokens < 1 || l.length[1] >= sizeof text)
        return;
    memcpy(text, l.start[1], l.length[1]);
    text[l.length[1]] = '\0';
    if (gs_decimal_read(text, 0, &x) == GS_DECIMAL_OK && x > 0 &&
        x <= GS_TRACE_TIME_MAX / GS_SECOND)
        sc->unix_start_s = x;
}

/* The next line with fields; 0 at the end. */
static int next_line(struct scan *sc, struct line *l)
{
    while (sc->at < sc->in->n) {
        const char *s = sc->in->text + sc->at;
        const char *lf = memchr(s, '\n', sc->in->n - sc->at);
        const char *end = lf ? lf : sc->in->text + sc->in->n;
        sc->at = (size_t)(end - sc->in->text) + (lf != NULL);
        sc->line_no++;
        while (s < end && is_blank(*s))
            s++;
        if (s < end && *s == ';') {
            read_comment(sc, s, end);
            continue;
        }
        tokenize(s, end, l);
        if (l->tokens > 0)
            return 1;
    }
    return 0;
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

static int guess(const struct gs_input *in, const struct gs_csv *head)
{
    (void)head;
    struct scan sc = {.in = in, .unix_start_s = -1};
    struct line l;
    if (!next_line(&sc, &l))
        return 0;
    char text[FIELD_TEXT];
    int64_t x = 0;
    return (l.tokens >= FIELDS || sc.comments > 0) &&
           gs_decimal_read(field_text(&l, F_JOB, text), 0, &x) == GS_DECIMAL_OK;
}

/* ---- Jobs -------------------------------------------------------------------------------------- */

/* Processors as CPUs: equal tasks whose sum is exact, so the largest divisor of procs that task_procs allows. */
static void split_cpus(const struct gs_trace_options *o, int64_t procs, struct gs_job *j)
{
    int64_t each = o->task_procs && o->task_procs < procs ? o->task_procs : procs;
    while (procs % each != 0)
        each--;
    j->tasks = (uint32_t)(procs / each);
    j->cpus_milli = each * 1000;
}

static void split_gpus(struct gs_read *rd, int64_t procs, struct gs_job *j)
{
    const int64_t milli = procs * rd->o->gpus_per_proc_milli;
    j->gpus = (uint32_t)((milli + 999) / 1000);
    if (milli % 1000)
        gs_count_assume(rd->n, "processors are no whole number of GPUs: rounded up", 1);
    gs_read_split(rd, j);
}

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

static enum gs_rc emit(struct gs_read *rd, struct gs_row *r, const struct swf_row *s)
{
    const char *reason = unusable(s);
    if (reason) {
        gs_count_skip(rd->n, reason);
        return GS_OK;
    }
    const int64_t procs = s->procs > 0 ? s->procs : s->procs_asked;
    if (rd->o->gpus_per_proc_milli &&
        procs > GS_TRACE_GPUS_MAX * 1000 / rd->o->gpus_per_proc_milli) {
        char text[FIELD_TEXT];
        (void)gs_fmt(text, sizeof text, "%lld", (long long)procs);
        return gs_row_bad(r, "absurdly large number", field_names[F_PROCS], text,
                          "is absurd: over a million GPUs");
    }
    struct gs_job j = gs_read_job(rd, r->line);
    j.submit_ns = s->submit_ns;
    j.run_ns = s->run_ns;
    j.end_state = end_state(s->status);
    if (s->asked_ns > 0) {
        j.est_ns = s->asked_ns;
        j.est_source = GS_EST_USER;
    } else {
        gs_count_assume(rd->n, "no estimate in the record", 1);
    }
    if (!is_unknown(s->user)) {
        char user[FIELD_TEXT + 1];
        (void)gs_fmt(user, sizeof user, "u%s", s->user);
        j.user = gs_intern(rd->w->str, user);
    }
    if (rd->o->gpus_per_proc_milli)
        split_gpus(rd, procs, &j);
    else
        split_cpus(rd->o, procs, &j);
    if (!is_unknown(s->job)) {
        j.name = gs_intern(rd->w->str, s->job);
        const enum gs_rc rc = gs_read_unique(rd, r, field_names[F_JOB], j.name);
        if (rc != GS_OK)
            return rc;
    }
    gs_read_emit(rd, &j);
    return GS_OK;
}

static enum gs_rc read_jobs(struct gs_read *rd)
{
    struct scan sc = {.in = rd->in, .unix_start_s = -1};
    struct line l = {0};
    enum gs_rc rc = GS_OK;
    while (rc == GS_OK && next_line(&sc, &l)) {
        rd->n->rows++;
        struct gs_row r = {rd->in, sc.line_no, rd->o->bad_rows, rd->n, NULL, rd->err};
        struct swf_row s;
        rc = decode(&r, &l, NEGATIVE_IS_A_FAULT, &s);
        if (rc == GS_OK)
            rc = emit(rd, &r, &s);
        rc = gs_row_end(&r, rc);
    }
    if (sc.unix_start_s >= 0)
        rd->n->origin_unix_ns = sc.unix_start_s * GS_SECOND;
    if (!rd->o->gpus_per_proc_milli)
        gs_count_assume(rd->n, "processors taken as CPUs, no GPUs", rd->n->emitted);
    gs_count_assume(rd->n, "memory fields not carried", rd->n->emitted);
    return rc;
}

/* ---- trace info -------------------------------------------------------------------------------- */

struct figures {
    gs_i128 proc_ns;
    int64_t first_ns, last_ns, before_ns, run_unknown, procs_unknown, out_of_order, max_procs;
    struct gs_tally widths, status, users;
};

static void add_row(struct figures *g, struct gs_info *f, const struct line *l,
                    const struct swf_row *s)
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
    if (s->run_ns >= 0 && s->procs > 0) {
        g->proc_ns += (gs_i128)s->run_ns * s->procs;
        gs_vec_push(&f->run_s, (double)s->run_ns / 1e9);
        gs_vec_push(&f->gpus, (double)s->procs);
    }
    f->n.emitted++;
}

/* Seconds to three places, half up; the sums are exact until here. */
static void show_seconds(struct gs_info *f, const char *quantity, gs_i128 ns)
{
    gs_info_decimal(f, quantity, (ns / 500000 + 1) / 2, 3);
}

static void show(struct figures *g, struct gs_info *f, int64_t comments)
{
    gs_info_int(f, "header_lines", comments);
    gs_info_int(f, "jobs", (int64_t)f->n.emitted);
    gs_info_tally(f, "fields", &g->widths, 6);
    show_seconds(f, "first_submit", g->first_ns);
    show_seconds(f, "last_submit", g->last_ns);
    gs_info_int(f, "run_unknown", g->run_unknown);
    gs_info_int(f, "procs_unknown", g->procs_unknown);
    show_seconds(f, "proc_seconds", g->proc_ns);
    gs_info_int(f, "submit_out_of_order", g->out_of_order);
    gs_info_tally(f, "status", &g->status, SIZE_MAX);
    gs_info_int(f, "users", (int64_t)gs_tally_distinct(&g->users));
    gs_info_int(f, "max_procs", g->max_procs);
}

static enum gs_rc info(struct gs_info *f)
{
    struct figures g = {.first_ns = GS_NEVER, .before_ns = INT64_MIN, .last_ns = INT64_MIN};
    struct scan sc = {.in = f->in, .unix_start_s = -1};
    struct line l = {0};
    enum gs_rc rc = GS_OK;
    f->size_unit = "processor";
    while (rc == GS_OK && next_line(&sc, &l)) {
        struct gs_row r = gs_info_row(f, sc.line_no);
        struct swf_row s;
        rc = decode(&r, &l, NEGATIVE_IS_UNKNOWN, &s);
        if (rc == GS_OK)
            add_row(&g, f, &l, &s);
        rc = gs_row_end(&r, rc);
    }
    if (rc == GS_OK)
        show(&g, f, sc.comments);
    gs_tally_free(&g.widths);
    gs_tally_free(&g.status);
    gs_tally_free(&g.users);
    return rc;
}

const struct gs_reader gs_reader_swf = {"swf", 1, guess, read_jobs, info};
