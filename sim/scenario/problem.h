/* problem.h - everything that is wrong with a scenario, collected and shown in one go, in the order of its lines. */
#ifndef GS_SCENARIO_PROBLEM_H
#define GS_SCENARIO_PROBLEM_H

#include "sim/base/buf.h"
#include "sim/base/err.h"
#include "sim/base/vec.h"

#include <stdint.h>

/* A place: a line of a file, an argument, or nothing in particular (file GS_NONE). */
struct gs_place {
    uint32_t file, line; /* number of the file in order of reading; GS_NONE sorts last */
    const char *where;   /* "a.ini:12", "--set"; NULL = the scenario as a whole */
    const char *text;    /* the line as it stands, or NULL */
};

struct gs_problem {
    uint32_t file, line, number;
    const char *head, *shown; /* the message; the line and a caret under it ("" = none) */
};

struct gs_problems {
    struct gs_arena text;
    GS_VEC(struct gs_problem) v; /* the first GS_PROBLEMS_MAX */
    size_t total;
};

enum {
    GS_PROBLEMS_MAX = 200
};

/* Adds "where: message" and, if the place has a line, the line with a caret under column `column` (from 0). */
void gs_problem(struct gs_problems *p, const struct gs_place *at, uint32_t column, const char *fmt,
                ...) GS_PRINTF(4, 5);
/* All of them, sorted by place, to out; as many whole ones as fit to err->msg. GS_OK if there are none, else GS_E_INPUT. */
GS_NODISCARD enum gs_rc gs_problems_report(struct gs_problems *p, struct gs_buf *out,
                                           struct gs_err *err);
void gs_problems_release(struct gs_problems *p);

#endif
