/* log.h - what the program says to standard error: notes, warnings, progress. Never results. */
#ifndef GS_BASE_LOG_H
#define GS_BASE_LOG_H

#include "sim/base/attr.h"

#include <stdint.h>

enum gs_log_level {
    GS_LOG_QUIET,
    GS_LOG_NORMAL,
    GS_LOG_VERBOSE
};

enum gs_color {
    GS_COLOR_AUTO,
    GS_COLOR_ALWAYS,
    GS_COLOR_NEVER
};

#define GS_LOG_SAID 64

struct gs_log {
    enum gs_log_level level;
    int color;       /* resolved: standard error takes colours */
    int color_out;   /* resolved: standard output takes colours */
    int progress;    /* 0 none, 1 terminal line, 2 plain lines every 10 s */
    int64_t last_ms; /* of the last progress line */
    int64_t start_ms;
    int open_line;              /* a progress line stands on the terminal */
    uint64_t said[GS_LOG_SAID]; /* hashes of the last notes */
    uint32_t nsaid;
};

void gs_log_init(struct gs_log *l, enum gs_log_level level, enum gs_color color,
                 int plain_progress); /* reads NO_COLOR, isatty */
/* NORMAL and up; what one of the last notes said is not said again: the points of a sweep assume the same. */
void gs_note(struct gs_log *l, const char *fmt, ...) GS_PRINTF(2, 3);
void gs_detail(struct gs_log *l, const char *fmt, ...) GS_PRINTF(2, 3); /* VERBOSE */
void gs_warn(struct gs_log *l, const char *fmt, ...)
    GS_PRINTF(2, 3); /* always; "gsim: warning: ..." */
void gs_complain(struct gs_log *l, const char *fmt, ...) GS_PRINTF(2, 3); /* always; "gsim: ..." */
/* Wall-clock milliseconds, monotonic. Only for progress and the figures on standard error. */
int64_t gs_wall_ms(void);
int64_t gs_wall_ns(void);
/* Shows progress if a second has passed since the start and 0.2 s (terminal) or 10 s (plain) since the last line. */
void gs_progress(struct gs_log *l, double sim_s, double done, uint64_t jobs_done, uint64_t events);
void gs_progress_end(struct gs_log *l);

#endif
