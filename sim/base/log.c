/* log.c - standard error: notes, warnings, and one line of progress.
 *
 * The progress line is rewritten in place on a terminal and never appears elsewhere unless plain
 * lines are asked for; work shorter than a second shows none. Any other message first clears it.
 * The wall clock read here decides nothing but when to print. Colours: always and never say so;
 * auto asks for a terminal and for NO_COLOR to be unset or empty. */
#include "sim/base/log.h"

#include "sim/base/buf.h"
#include "sim/base/map.h"
#include "sim/base/mem.h"
#include "sim/base/units.h"
#include "sim/base/utf8.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "sim/base/banned.h"

enum {
    PROGRESS_NONE,
    PROGRESS_TERMINAL,
    PROGRESS_PLAIN
};

#define SHOW_AFTER_MS     1000
#define TERMINAL_EVERY_MS 200
#define PLAIN_EVERY_MS    10000

static int takes_color(enum gs_color color, int fd)
{
    if (color != GS_COLOR_AUTO)
        return color == GS_COLOR_ALWAYS;
    const char *no_color = getenv("NO_COLOR"); /* NOLINT(concurrency-mt-unsafe): no threads here */
    const char *term = getenv("TERM");         /* NOLINT(concurrency-mt-unsafe) */
    if ((no_color && *no_color) || (term && strcmp(term, "dumb") == 0))
        return 0;
    return isatty(fd);
}

void gs_log_init(struct gs_log *l, enum gs_log_level level, enum gs_color color, int plain_progress)
{
    *l = (struct gs_log){.level = level};
    l->color = takes_color(color, STDERR_FILENO);
    l->color_out = takes_color(color, STDOUT_FILENO);
    if (level != GS_LOG_QUIET) {
        if (plain_progress)
            l->progress = PROGRESS_PLAIN;
        else if (isatty(STDERR_FILENO))
            l->progress = PROGRESS_TERMINAL;
    }
    l->start_ms = l->last_ms = gs_wall_ms();
}

/* Messages quote file names and fields of traces, which anyone may have written. */
static void put_shown(const char *fmt, va_list ap) GS_PRINTF(1, 0);

static void put_shown(const char *fmt, va_list ap)
{
    char text[4096];
    va_list again;
    va_copy(again, ap);
    const int wanted = vsnprintf(text, sizeof text, fmt, ap);
    char *all = wanted < (int)sizeof text ? NULL : gs_alloc((size_t)wanted + 1);
    if (all)
        (void)vsnprintf(all, (size_t)wanted + 1, fmt, again);
    va_end(again);
    struct gs_buf shown = {0};
    if (wanted >= 0)
        gs_utf8_escape(&shown, all ? all : text);
    fputs(gs_buf_cstr(&shown), stderr);
    gs_buf_free(&shown);
    gs_free(all);
}

GS_PRINTF(4, 0)

static void say(struct gs_log *l, const char *ansi, const char *head, const char *fmt, va_list ap)
{
    gs_progress_end(l);
    if (*head)
        fprintf(stderr, "gsim: %s%s%s", l->color ? ansi : "", head,
                l->color && *ansi ? "\x1b[0m" : "");
    else
        fprintf(stderr, "gsim: ");
    put_shown(fmt, ap);
    fputc('\n', stderr);
}

GS_PRINTF(2, 0)

static int is_new(struct gs_log *l, const char *fmt, va_list ap)
{
    char text[1024];
    va_list again;
    va_copy(again, ap);
    const int n = vsnprintf(text, sizeof text, fmt, again);
    va_end(again);
    const uint64_t hash = gs_hash_bytes(text, n < 0 ? 0 : strlen(text));
    for (uint32_t i = 0; i < l->nsaid && i < GS_LOG_SAID; i++)
        if (l->said[i] == hash)
            return 0;
    l->said[l->nsaid++ % GS_LOG_SAID] = hash;
    return 1;
}

void gs_note(struct gs_log *l, const char *fmt, ...)
{
    if (l->level < GS_LOG_NORMAL)
        return;
    va_list ap;
    va_start(ap, fmt);
    if (is_new(l, fmt, ap))
        say(l, "", "", fmt, ap);
    va_end(ap);
}

void gs_detail(struct gs_log *l, const char *fmt, ...)
{
    if (l->level < GS_LOG_VERBOSE)
        return;
    va_list ap;
    va_start(ap, fmt);
    say(l, "", "", fmt, ap);
    va_end(ap);
}

void gs_warn(struct gs_log *l, const char *fmt, ...)
{
    va_list ap;
    va_start(ap, fmt);
    say(l, "\x1b[33m", "warning: ", fmt, ap);
    va_end(ap);
}

void gs_complain(struct gs_log *l, const char *fmt, ...)
{
    va_list ap;
    va_start(ap, fmt);
    say(l, "", "", fmt, ap);
    va_end(ap);
}

int64_t gs_wall_ns(void)
{
    struct timespec t;
    if (clock_gettime(CLOCK_MONOTONIC, &t) != 0)
        return 0;
    return (int64_t)t.tv_sec * GS_SECOND + t.tv_nsec;
}

int64_t gs_wall_ms(void)
{
    return gs_wall_ns() / 1000000;
}

void gs_progress(struct gs_log *l, double sim_s, double done, uint64_t jobs_done, uint64_t events)
{
    if (l->progress == PROGRESS_NONE)
        return;
    const int64_t now = gs_wall_ms();
    const int64_t every = l->progress == PROGRESS_PLAIN ? PLAIN_EVERY_MS : TERMINAL_EVERY_MS;
    if (now - l->start_ms < SHOW_AFTER_MS || now - l->last_ms < every)
        return;
    l->last_ms = now;

    const double spent_s = (double)(now - l->start_ms) / 1000;
    char at[32];
    char jobs[32];
    char speed[32];
    char left[48] = "";
    char time[32];
    if (done > 0 && done <= 1)
        gs_fmt(left, sizeof left, ", %.0f %% done, %s left", done * 100,
               gs_show_time(spent_s * (1 - done) / done, time, sizeof time));
    const int terminal = l->progress == PROGRESS_TERMINAL;
    fprintf(stderr, "%sgsim: %s simulated, %s jobs done, %s events/s%s%s", terminal ? "\r" : "",
            gs_show_time(sim_s, at, sizeof at),
            gs_show_count((int64_t)jobs_done, jobs, sizeof jobs),
            gs_show_count((int64_t)((double)events / spent_s), speed, sizeof speed), left,
            terminal ? "\x1b[K" : "\n");
    (void)fflush(stderr);
    l->open_line = terminal;
}

void gs_progress_end(struct gs_log *l)
{
    if (l->open_line)
        fputs("\r\x1b[K", stderr);
    l->open_line = 0;
}
