/* select.c - which jobs a figure is about: "queue=prod, kind=training, gpus=8..64".
 *
 * A selector is a list of KEY=VALUE that must all hold. queue takes its whole subtree; priority, gpus and hour take a number or a range
 * A..B, either end of which may be left out; gpu is the model that the job ran on, or asks for by name if it never
 * ran; hour is the hour of the day of its submission. A key, kind or state that does not exist is an error; a queue, user or model
 * that does not exist selects nothing ("no samples"), because one expression is used on many runs. O(1) a job. */
#include "sim/base/units.h"
#include "sim/metrics/internal.h"

#include <string.h>

#include "sim/base/banned.h"

static const char *const key_names[] = {
#define X(U, l) #l,
    GS_SELECTOR_KEYS(X)
#undef X
};
static const char *const kind_names[] = {
#define X(U, l) #l,
    GS_JOB_KINDS(X)
#undef X
};
static const char *const state_names[] = {
#define X(U, l) #l,
    GS_JOB_STATES(X)
#undef X
};

int gs_queue_within(const struct gs_workload *w, uint32_t q, uint32_t root)
{
    for (size_t depth = 0; q != GS_NONE && depth <= w->queues.n; depth++) {
        if (q == root)
            return 1;
        q = w->queues.v[q].parent;
    }
    return 0;
}

/* Index of a word, or n. */
static size_t find_word(const char *const *words, size_t n, const char *s)
{
    size_t i = 0;
    while (i < n && strcmp(words[i], s) != 0)
        i++;
    return i;
}

static enum gs_rc unknown_word(struct gs_err *err, const char *what, const char *s,
                               const char *const *words, size_t n)
{
    const char *near = gs_nearest(s, words, n);
    struct gs_buf list = {0};
    for (size_t i = 0; i < n; i++)
        gs_buf_fmt(&list, "%s%s", i ? ", " : "", words[i]);
    const enum gs_rc rc =
        near ? gs_fail(err, GS_E_INPUT, "unknown %s '%s', did you mean '%s'? (there are: %s)", what,
                       s, near, gs_buf_cstr(&list))
             : gs_fail(err, GS_E_INPUT, "unknown %s '%s' (there are: %s)", what, s,
                       gs_buf_cstr(&list));
    gs_buf_free(&list);
    return rc;
}

/* "8", "8..64", "8..", "..64". */
static enum gs_rc parse_range(const char *s, int64_t *lo, int64_t *hi, struct gs_err *err)
{
    char from[32];
    const char *dots = strstr(s, "..");
    *lo = INT32_MIN;
    *hi = INT32_MAX;
    if (!dots) {
        const enum gs_rc rc = gs_parse_int(s, *lo, *hi, lo, err);
        *hi = *lo;
        return rc;
    }
    if ((size_t)(dots - s) >= sizeof from)
        return gs_fail(err, GS_E_INPUT, "'%s' is not a range (write 8..64)", s);
    memcpy(from, s, (size_t)(dots - s));
    from[dots - s] = '\0';
    if (from[0]) {
        const enum gs_rc rc = gs_parse_int(from, *lo, *hi, lo, err);
        if (rc)
            return rc;
    }
    if (dots[2]) {
        const enum gs_rc rc = gs_parse_int(dots + 2, INT32_MIN, *hi, hi, err);
        if (rc)
            return rc;
    }
    return *lo <= *hi ? GS_OK : gs_fail(err, GS_E_INPUT, "the range %s is empty", s);
}

static enum gs_rc set_index(struct gs_selector *s, enum gs_selector_key k, size_t i, size_t n)
{
    s->lo[k] = i < n ? (int64_t)i : 1;
    s->hi[k] = i < n ? (int64_t)i : 0;
    return GS_OK;
}

static size_t find_queue(const struct gs_workload *w, const char *name)
{
    size_t i = 0;
    while (i < w->queues.n && strcmp(gs_intern_str(w->str, w->queues.v[i].name), name) != 0)
        i++;
    return i;
}

static size_t find_user(const struct gs_workload *w, const char *name)
{
    size_t i = 0;
    while (i < w->users.n && strcmp(gs_intern_str(w->str, w->users.v[i]), name) != 0)
        i++;
    return i;
}

static enum gs_rc set_key(const struct gs_metrics *m, struct gs_selector *s, enum gs_selector_key k,
                          const char *value, struct gs_err *err)
{
    const struct gs_workload *w = m->cfg.w;
    size_t i;
    switch (k) {
    case GS_SEL_QUEUE: return set_index(s, k, find_queue(w, value), w->queues.n);
    case GS_SEL_USER: return set_index(s, k, find_user(w, value), w->users.n);
    case GS_SEL_KIND:
        i = find_word(kind_names, GS_KIND_COUNT, value);
        if (i == GS_KIND_COUNT)
            return unknown_word(err, "job kind", value, kind_names, GS_KIND_COUNT);
        return set_index(s, k, i, GS_KIND_COUNT);
    case GS_SEL_STATE:
        i = find_word(state_names, GS_STATE_COUNT, value);
        if (i == GS_STATE_COUNT)
            return unknown_word(err, "job state", value, state_names, GS_STATE_COUNT);
        return set_index(s, k, i, GS_STATE_COUNT);
    case GS_SEL_GPU:
        if (!gs_fmt(s->gpu, sizeof s->gpu, "%s", value))
            return gs_fail(err, GS_E_INPUT, "the gpu name '%s' is too long", value);
        return GS_OK;
    case GS_SEL_PRIORITY:
    case GS_SEL_GPUS:
    case GS_SEL_HOUR: return parse_range(value, &s->lo[k], &s->hi[k], err);
    case GS_SEL_COUNT: break;
    }
    return GS_OK;
}

/* Copies [from, to) without blanks at both ends; 0 if it is empty or too long. */
static int trimmed(const char *from, const char *to, char *out, size_t cap)
{
    while (from < to && (*from == ' ' || *from == '\t'))
        from++;
    while (from < to && (to[-1] == ' ' || to[-1] == '\t'))
        to--;
    const size_t n = (size_t)(to - from);
    if (n == 0 || n >= cap)
        return 0;
    memcpy(out, from, n);
    out[n] = '\0';
    return 1;
}

enum gs_rc gs_selector_parse(const struct gs_metrics *m, const char *text, size_t len,
                             struct gs_selector *s, struct gs_err *err)
{
    *s = (struct gs_selector){0};
    const char *end = text + len;
    for (const char *p = text; p < end;) {
        const char *comma = memchr(p, ',', (size_t)(end - p));
        const char *stop = comma ? comma : end;
        const char *eq = memchr(p, '=', (size_t)(stop - p));
        char key[32], value[128];
        if (!eq || !trimmed(p, eq, key, sizeof key) || !trimmed(eq + 1, stop, value, sizeof value))
            return gs_fail(err, GS_E_INPUT, "'%.*s' is not a selector (write key=value, key=value)",
                           (int)(stop - p), p);
        const size_t k = find_word(key_names, GS_SEL_COUNT, key);
        if (k == GS_SEL_COUNT)
            return unknown_word(err, "selector key", key, key_names, GS_SEL_COUNT);
        if (s->given >> k & 1)
            return gs_fail(err, GS_E_INPUT, "selector key '%s' stands twice", key);
        s->given |= 1u << k;
        if (set_key(m, s, (enum gs_selector_key)k, value, err))
            return gs_wrap(err, "selector key '%s'", key);
        p = comma ? comma + 1 : end;
        if (comma && p == end)
            return gs_fail(err, GS_E_INPUT, "a selector ends in a comma");
    }
    return GS_OK;
}

/* Does "A|B|C" name the model? */
static int names_model(const char *list, const char *model)
{
    const size_t n = strlen(model);
    for (const char *p = list; *p;) {
        const size_t len = strcspn(p, "|");
        if (len == n && memcmp(p, model, n) == 0)
            return 1;
        p += len + (p[len] == '|');
    }
    return 0;
}

static int takes_model(const struct gs_metrics *m, const struct gs_selector *s, uint32_t job)
{
    const struct gs_outcome *o = &m->out[job];
    const struct gs_intern *str = m->cfg.w->str;
    if (o->model && m->cfg.cluster && o->model <= m->cfg.cluster->nmodels)
        return strcmp(gs_intern_str(str, m->cfg.cluster->model_name[o->model - 1]), s->gpu) == 0;
    return names_model(gs_intern_str(str, m->cfg.w->jobs.v[job].models), s->gpu);
}

static int64_t hour_of(const struct gs_metrics *m, int64_t submit_ns)
{
    const int64_t day = INT64_C(86400) * GS_SECOND, hour = INT64_C(3600) * GS_SECOND;
    return ((m->cfg.origin_ns % day + day) % day + submit_ns % day) % day / hour;
}

int gs_selector_takes(const struct gs_metrics *m, const struct gs_selector *s, uint32_t job)
{
    const struct gs_job *j = &m->cfg.w->jobs.v[job];
    for (int k = 0; k < GS_SEL_COUNT; k++) {
        if (!(s->given >> k & 1))
            continue;
        int64_t x = 0;
        switch ((enum gs_selector_key)k) {
        case GS_SEL_QUEUE:
            if (s->lo[k] > s->hi[k] || !gs_queue_within(m->cfg.w, j->queue, (uint32_t)s->lo[k]))
                return 0;
            continue;
        case GS_SEL_GPU:
            if (!takes_model(m, s, job))
                return 0;
            continue;
        case GS_SEL_USER: x = j->user; break; /* GS_NONE is no index */
        case GS_SEL_KIND: x = j->kind; break;
        case GS_SEL_PRIORITY: x = j->priority; break;
        case GS_SEL_GPUS: x = j->gpus; break;
        case GS_SEL_STATE: x = m->out[job].state; break;
        case GS_SEL_HOUR: x = hour_of(m, m->out[job].submit_ns); break;
        case GS_SEL_COUNT: break;
        }
        if (x < s->lo[k] || x > s->hi[k])
            return 0;
    }
    return 1;
}
