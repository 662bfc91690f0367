/* verdicts.h - what a check found, scenario by scenario and case by case, and its four tellings: text, JSON, JUnit XML, Markdown.
 *
 * Nothing here reads a clock: equal runs give equal bytes. */
#ifndef GS_ANALYSIS_VERDICTS_H
#define GS_ANALYSIS_VERDICTS_H

#include "analysis/compare.h"
#include "sim/base/buf.h"

enum gs_case_status {
    GS_CASE_PASS,
    GS_CASE_BETTER, /* passes, and the baseline can be blessed anew */
    GS_CASE_UNTOLD, /* the runs are too few, or too unlike each other, to say */
    GS_CASE_FAIL,
    GS_CASE_UNJUDGED, /* nothing can be said: a stale baseline, a module that does not load */
    GS_CASE_ERROR     /* bad input, a fault, an I/O error */
};

struct gs_case {
    enum gs_case_status status;
    const char *kind;      /* expect, baseline, against, run */
    const char *name;      /* the expression or figure */
    const char *was, *now; /* limit or base, and what was found; "" where there is none */
    const char *change;    /* "+3.2 %", or "" */
    const char *message;   /* "" = nothing to say */
};

struct gs_checked { /* one scenario */
    char *scenario;
    int exit_status; /* of this one alone: 0 1 2 3 4 125 */
    GS_VEC(struct gs_case) cases;
    struct gs_arena text;               /* of the cases */
    char *blind;                        /* what could not have been seen, or NULL */
    char *jobs;                         /* who waited longer and shorter, or NULL */
    char *note;                         /* one line, such as "blessed x.baseline" */
    struct gs_job_move moves[GS_MOVES]; /* the jobs that explain most, where a figure got worse */
    size_t nmoves;
    int moves_are_changes; /* wait_a and wait_b; else only wait_b, the longest waits */
};

void gs_checked_add(struct gs_checked *c,
                    const struct gs_case *k); /* copies the strings; NULL = "" */
size_t gs_checked_count(const struct gs_checked *c, enum gs_case_status s);
void gs_checked_release(struct gs_checked *c);

/* The status of a whole suite: interrupts aside, the gravest of bad input (2), I/O (4), fault (3), failure (1), not judged (125). */
int gs_checked_exit(const struct gs_checked *c, size_t n);

void gs_checked_text(const struct gs_checked *c, size_t n, struct gs_buf *out);
void gs_checked_json(const struct gs_checked *c, size_t n, struct gs_buf *out);
void gs_checked_junit(const struct gs_checked *c, size_t n, struct gs_buf *out);
void gs_checked_markdown(const struct gs_checked *c, size_t n, struct gs_buf *out);

#endif
