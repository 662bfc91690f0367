/* verdicts.c - the cases of a check, its exit status, and the telling for a terminal and for programs. */
#include "analysis/verdicts.h"

#include "sim/base/units.h"
#include "sim/base/utf8.h"

#include <jansson.h>

#include <math.h>
#include <string.h>

#include "sim/base/banned.h"

static const char *const status_words[] = {"pass", "better",   "could not tell",
                                           "fail", "unjudged", "error"};

static const char *keep(struct gs_checked *c, const char *s)
{
    return s ? gs_arena_str(&c->text, s, strlen(s)) : "";
}

void gs_checked_add(struct gs_checked *c, const struct gs_case *k)
{
    gs_vec_push(&c->cases, (struct gs_case){.status = k->status,
                                            .kind = k->kind,
                                            .name = keep(c, k->name),
                                            .was = keep(c, k->was),
                                            .now = keep(c, k->now),
                                            .change = keep(c, k->change),
                                            .message = keep(c, k->message)});
}

size_t gs_checked_count(const struct gs_checked *c, enum gs_case_status s)
{
    size_t n = 0;
    for (size_t i = 0; i < c->cases.n; i++)
        n += c->cases.v[i].status == s;
    return n;
}

void gs_checked_release(struct gs_checked *c)
{
    for (size_t i = 0; i < c->nmoves; i++) {
        gs_free(c->moves[i].name);
        gs_free(c->moves[i].queue);
    }
    gs_vec_free(&c->cases);
    gs_arena_release(&c->text);
    gs_free(c->scenario);
    gs_free(c->note);
    gs_free(c->blind);
    gs_free(c->jobs);
    *c = (struct gs_checked){0};
}

int gs_checked_exit(const struct gs_checked *c, size_t n)
{
    static const int gravest[] = {143, 130, 2, 4, 3, 1, 125};
    for (size_t g = 0; g < sizeof gravest / sizeof *gravest; g++)
        for (size_t i = 0; i < n; i++)
            if (c[i].exit_status == gravest[g])
                return gravest[g];
    return 0;
}

/* ---- for people ---- */

static const char *word_of(const struct gs_checked *c)
{
    switch (c->exit_status) {
    case 0: return "ok";
    case 1: return "FAIL";
    case 125: return "cannot be judged";
    case 130:
    case 143: return "interrupted";
    default: return "ERROR";
    }
}

static void case_line(const struct gs_case *k, struct gs_buf *out)
{
    gs_buf_fmt(out, "    %-8s %s %s", status_words[k->status], k->kind, k->name);
    if (*k->now)
        gs_buf_fmt(out, ": %s%s%s", k->was, *k->was ? " -> " : "", k->now);
    if (*k->change)
        gs_buf_fmt(out, " (%s)", k->change);
    if (*k->message)
        gs_buf_fmt(out, "%s%s", *k->now ? ", " : ": ", k->message);
    gs_buf_str(out, "\n");
}

static void move_line(const struct gs_checked *c, const struct gs_job_move *m, const char *before,
                      struct gs_buf *out)
{
    char a[64], b[64];
    gs_buf_fmt(out, "%sjob %s (%s, %u GPUs): wait ", before, m->name, m->queue, m->gpus);
    if (c->moves_are_changes)
        gs_buf_fmt(out, "%s -> ", gs_show_time(m->wait_a, a, sizeof a));
    gs_buf_fmt(out, "%s, %.1f %% of all %s\n", gs_show_time(m->wait_b, b, sizeof b), 100 * m->share,
               c->moves_are_changes ? "change" : "waiting");
}

/* "night.ini: ok, 9 hold, 7 could not be told (...)". */
static void head_line(const struct gs_checked *c, struct gs_buf *out)
{
    const size_t better = gs_checked_count(c, GS_CASE_BETTER);
    const size_t hold = gs_checked_count(c, GS_CASE_PASS) + better;
    const size_t untold = gs_checked_count(c, GS_CASE_UNTOLD);
    gs_buf_fmt(out, "%s: %s, %zu", c->scenario, word_of(c), hold);
    if (untold)
        gs_buf_fmt(out, " hold, %zu could not be told%s%s%s", untold, c->blind ? " (" : "",
                   c->blind ? c->blind : "", c->blind ? ")" : "");
    else
        gs_buf_fmt(out, " of %zu hold", c->cases.n);
    if (better)
        gs_buf_fmt(out, ", %zu better%s", better,
                   c->moves_are_changes ? "" : " than the baseline (--bless keeps it)");
    if (c->jobs)
        gs_buf_fmt(out, "; jobs: %s", c->jobs);
    gs_buf_fmt(out, "%s%s\n", c->note ? "; " : "", c->note ? c->note : "");
}

void gs_checked_text(const struct gs_checked *c, size_t n, struct gs_buf *out)
{
    size_t good = 0;
    for (size_t i = 0; i < n; i++) {
        good += c[i].exit_status == 0;
        head_line(&c[i], out);
        for (size_t k = 0; k < c[i].cases.n; k++)
            if (c[i].cases.v[k].status != GS_CASE_PASS)
                case_line(&c[i].cases.v[k], out);
        for (size_t k = 0; k < c[i].nmoves; k++)
            move_line(&c[i], &c[i].moves[k], "    ", out);
    }
    gs_buf_fmt(out, "%zu scenario%s: %zu ok, %zu not\n", n, n == 1 ? "" : "s", good, n - good);
}

/* ---- for programs ---- */

static void put(json_t *o, const char *key, const char *s)
{
    (void)json_object_set_new(o, key, json_string(s));
}

static json_t *case_json(const struct gs_case *k)
{
    json_t *o = json_object();
    put(o, "kind", k->kind);
    put(o, "name", k->name);
    put(o, "status", status_words[k->status]);
    put(o, "was", k->was);
    put(o, "now", k->now);
    put(o, "change", k->change);
    put(o, "message", k->message);
    return o;
}

static int append(const char *s, size_t n, void *to)
{
    gs_buf_add(to, s, n);
    return 0;
}

void gs_checked_json(const struct gs_checked *c, size_t n, struct gs_buf *out)
{
    json_t *all = json_array();
    for (size_t i = 0; i < n; i++) {
        json_t *o = json_object(), *cases = json_array();
        put(o, "scenario", c[i].scenario);
        (void)json_object_set_new(o, "exit_status", json_integer(c[i].exit_status));
        put(o, "note", c[i].note ? c[i].note : "");
        put(o, "blind", c[i].blind ? c[i].blind : "");
        for (size_t k = 0; k < c[i].cases.n; k++)
            (void)json_array_append_new(cases, case_json(&c[i].cases.v[k]));
        (void)json_object_set_new(o, "cases", cases);
        (void)json_array_append_new(all, o);
    }
    (void)json_dump_callback(all, append, out, JSON_INDENT(2) | JSON_PRESERVE_ORDER);
    gs_buf_str(out, "\n");
    json_decref(all);
}

/* Text of a format in which some characters are spelled otherwise: as[] holds them and their spellings, and NULL. What no format can
 * hold, control characters and bytes that are not UTF-8, becomes '?'. */
static void spell(struct gs_buf *out, const char *text, const char *const *as)
{
    const size_t n = strlen(text);
    for (size_t i = 0, step = 1; i < n; i += step ? step : 1) {
        const unsigned char c = (unsigned char)text[i];
        const char *const *k = as;
        while (*k && **k != text[i])
            k += 2;
        step = *k ? 1 : gs_utf8_length((const unsigned char *)text + i, n - i);
        if (*k)
            gs_buf_str(out, k[1]);
        else if (step == 0 || c < 0x20 || c == 0x7f)
            gs_buf_str(out, "?");
        else
            gs_buf_add(out, text + i, step);
    }
}

/* ---- JUnit ---- */

static void xml(struct gs_buf *out, const char *text)
{
    static const char *const as[] = {"&",      "&amp;", "<",     "&lt;", ">",  "&gt;", "\"",
                                     "&quot;", "\n",    "&#10;", "\t",   "\t", NULL};
    spell(out, text, as);
}

static void junit_case(const struct gs_checked *c, const struct gs_case *k, struct gs_buf *out)
{
    static const char *const tags[] = {NULL, NULL, "skipped", "failure", "error", "error"};
    gs_buf_str(out, "    <testcase classname=\"");
    xml(out, c->scenario);
    gs_buf_fmt(out, "\" name=\"%s ", k->kind);
    xml(out, k->name);
    if (!tags[k->status]) {
        gs_buf_str(out, "\"/>\n");
        return;
    }
    gs_buf_fmt(out, "\">\n      <%s message=\"", tags[k->status]);
    xml(out, k->was);
    gs_buf_str(out, *k->was && *k->now ? " -&gt; " : "");
    xml(out, k->now);
    gs_buf_str(out, *k->now && *k->message ? ", " : "");
    xml(out, k->message);
    gs_buf_str(out, "\"/>\n    </testcase>\n");
}

static void junit_counts(const struct gs_checked *c, size_t n, struct gs_buf *out)
{
    size_t all = 0, bad = 0, skipped = 0, errors = 0;
    for (size_t i = 0; i < n; i++) {
        all += c[i].cases.n;
        bad += gs_checked_count(&c[i], GS_CASE_FAIL);
        skipped += gs_checked_count(&c[i], GS_CASE_UNTOLD);
        errors +=
            gs_checked_count(&c[i], GS_CASE_UNJUDGED) + gs_checked_count(&c[i], GS_CASE_ERROR);
    }
    gs_buf_fmt(out, " tests=\"%zu\" failures=\"%zu\" errors=\"%zu\" skipped=\"%zu\"", all, bad,
               errors, skipped);
}

void gs_checked_junit(const struct gs_checked *c, size_t n, struct gs_buf *out)
{
    gs_buf_str(out, "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites name=\"gsim check\"");
    junit_counts(c, n, out);
    gs_buf_str(out, ">\n");
    for (size_t i = 0; i < n; i++) {
        gs_buf_str(out, "  <testsuite name=\"");
        xml(out, c[i].scenario);
        gs_buf_str(out, "\"");
        junit_counts(&c[i], 1, out);
        gs_buf_str(out, ">\n");
        for (size_t k = 0; k < c[i].cases.n; k++)
            junit_case(&c[i], &c[i].cases.v[k], out);
        gs_buf_str(out, "  </testsuite>\n");
    }
    gs_buf_str(out, "</testsuites>\n");
}

/* ---- Markdown ---- */

/* A cell of a table: what Markdown would take for its own is escaped. */
static void cell(struct gs_buf *out, const char *text)
{
    static const char *const as[] = {"|", "\\|", "<",  "\\<",  "&",  "\\&", "`", "\\`",
                                     "*", "\\*", "\\", "\\\\", "\n", " ",   NULL};
    gs_buf_str(out, "| ");
    spell(out, text, as);
    gs_buf_str(out, " ");
}

static void moved_rows(const struct gs_checked *c, struct gs_buf *out)
{
    for (size_t k = 0; k < c->cases.n; k++) {
        const struct gs_case *x = &c->cases.v[k];
        if (x->status == GS_CASE_PASS)
            continue;
        cell(out, c->scenario);
        cell(out, x->name);
        cell(out, x->was);
        cell(out, x->now);
        cell(out, x->change);
        cell(out, status_words[x->status]);
        cell(out, x->message);
        gs_buf_str(out, "|\n");
    }
}

void gs_checked_markdown(const struct gs_checked *c, size_t n, struct gs_buf *out)
{
    size_t good = 0, cases = 0, same = 0, untold = 0;
    for (size_t i = 0; i < n; i++) {
        good += c[i].exit_status == 0;
        cases += c[i].cases.n;
        same += gs_checked_count(&c[i], GS_CASE_PASS);
        untold += gs_checked_count(&c[i], GS_CASE_UNTOLD);
    }
    const int status = gs_checked_exit(c, n);
    gs_buf_fmt(out, "### gsim check: %s\n\n",
               status == 0     ? "pass"
               : status == 125 ? "cannot be judged"
                               : "**fail**");
    gs_buf_fmt(out, "%zu of %zu scenarios pass; %zu of %zu checks hold and did not move.\n", good,
               n, same, cases);
    if (untold)
        gs_buf_fmt(out, "%zu could not be told: the runs are too few to see a change there.\n",
                   untold);
    if (same < cases) {
        gs_buf_str(out, "\n| scenario | what | was | now | change | verdict | why |\n"
                        "| --- | --- | --- | --- | --- | --- | --- |\n");
        for (size_t i = 0; i < n; i++)
            moved_rows(&c[i], out);
    }
    for (size_t i = 0; i < n; i++) {
        if (!c[i].nmoves)
            continue;
        gs_buf_fmt(out, "\n%s in %s:\n\n",
                   c[i].moves_are_changes ? "The jobs that explain most of it"
                                          : "The jobs that waited longest",
                   c[i].scenario);
        for (size_t k = 0; k < c[i].nmoves; k++)
            move_line(&c[i], &c[i].moves[k], "- ", out);
    }
}
