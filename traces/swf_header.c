/* swf_header.c - header comments of a SWF file. A line that is malformed says nothing: comments are free text. Cost: O(bytes). */
#include "traces/swf_header.h"

#include "traces/decimal.h"
#include "traces/reader.h"

#include <string.h>

#include "sim/base/banned.h"

#define LEGEND_MAX 10000000 /* larger numbers are no index into a legend */

static int is_blank(char c)
{
    return c == ' ' || c == '\t' || c == '\r' || c == '\n';
}

static const char *skip_blanks(const char *s, const char *end)
{
    while (s < end && is_blank(*s))
        s++;
    return s;
}

/* A whole number of at most 18 digits at *s, which is moved behind it; -1 if there is none. */
static int64_t take_number(const char **s, const char *end)
{
    char text[19];
    size_t n = 0;
    while (*s < end && **s >= '0' && **s <= '9' && n + 1 < sizeof text)
        text[n++] = *(*s)++;
    text[n] = '\0';
    int64_t x = -1;
    return n && gs_decimal_read(text, 0, &x) == GS_DECIMAL_OK ? x : -1;
}

/* `1 name of the queue` */
static void take_legend(struct gs_swf_header *h, struct gs_swf_legend *l, const char *s,
                        const char *end)
{
    const int64_t number = take_number(&s, end);
    if (!h->ours || number < 0 || number > LEGEND_MAX)
        return;
    s = s < end ? s + 1 : end; /* one blank: a name may begin with more */
    while (l->names.n <= (size_t)number)
        gs_vec_push(&l->names, NULL);
    l->names.v[number] = gs_arena_str(&h->text, s, (size_t)(end - s));
}

static int starts_with(const char *s, const char *end, const char *word)
{
    const size_t n = strlen(word);
    return (size_t)(end - s) >= n && memcmp(s, word, n) == 0;
}

void gs_swf_header_line(struct gs_swf_header *h, const char *s, const char *end)
{
    while (s < end && (*s == ';' || is_blank(*s)))
        s++;
    while (end > s && (end[-1] == '\n' || end[-1] == '\r'))
        end--;
    const char *colon = memchr(s, ':', (size_t)(end - s));
    if (!colon)
        return;
    const char *value = skip_blanks(colon + 1, end);
    if (starts_with(s, end, "UnixStartTime:")) {
        const int64_t x = take_number(&value, end);
        if (x > 0 && x <= GS_TRACE_TIME_MAX / GS_SECOND)
            h->unix_start_s = x;
    } else if (starts_with(s, end, "Conversion:")) {
        h->ours = starts_with(value, end, GS_SWF_CONVERSION);
    } else if (starts_with(s, end, "Note:")) {
        h->procs_are_gpus |= h->ours && starts_with(value, end, GS_SWF_GPUS);
    } else if (starts_with(s, end, "Queue:")) {
        take_legend(h, &h->queues, value, end);
    } else if (starts_with(s, end, "User:")) {
        take_legend(h, &h->users, value, end);
    }
}

const char *gs_swf_name(const struct gs_swf_legend *l, const char *number)
{
    int64_t x = 0;
    if (gs_decimal_read(number, 0, &x) != GS_DECIMAL_OK || x < 0 || (uint64_t)x >= l->names.n)
        return NULL;
    return l->names.v[x];
}

void gs_swf_header_free(struct gs_swf_header *h)
{
    gs_vec_free(&h->queues.names);
    gs_vec_free(&h->users.names);
    gs_arena_release(&h->text);
}
