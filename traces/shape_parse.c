/* shape_parse.c - the compound values of [trace]: normalise, resample, feedback. Grammar in shape.h; words as in other values (synth/words.h). */
#include "sim/base/units.h"
#include "traces/shape.h"
#include "traces/synth/words.h"

#include <string.h>

#include "sim/base/banned.h"

#define DAY_NS (INT64_C(86400) * GS_SECOND)

/* The first word, which says what kind of value it is. */
static enum gs_rc open_words(const char *text, struct gs_arena *a, struct gs_words *words,
                             const char **kind, struct gs_err *err)
{
    const enum gs_rc rc = gs_words_split(text, a, words, err);
    if (rc)
        return rc;
    const struct gs_word *first = gs_words_plain(words);
    *kind = first ? first->value : "";
    return GS_OK;
}

/* key=TIME above 0, if it is there. */
static enum gs_rc time_key(struct gs_words *words, const char *key, int64_t *out,
                           struct gs_err *err)
{
    const char *text = gs_words_key(words, key);
    const enum gs_rc rc = text ? gs_parse_time(text, out, err) : GS_OK;
    if (rc)
        return gs_wrap(err, "%s", key);
    return *out > 0 ? GS_OK : gs_fail(err, GS_E_INPUT, "%s=%s must be above 0", key, text);
}

static enum gs_rc speed_key(struct gs_words *words, double *out, struct gs_err *err)
{
    const char *text = gs_words_key(words, "default");
    const enum gs_rc rc = text ? gs_parse_real(text, out, err) : GS_OK;
    if (rc)
        return gs_wrap(err, "default");
    return !text || (*out >= 1e-6 && *out <= 1e6)
               ? GS_OK
               : gs_fail(err, GS_E_INPUT, "default=%s is not a speed within 1e-6 to 1e6", text);
}

enum gs_rc gs_shape_parse_normalise(const char *text, struct gs_arena *a,
                                    struct gs_shape_options *o, struct gs_err *err)
{
    static const char *const kinds[] = {"none", "placement", "gpu"};
    struct gs_words words;
    const char *kind = "";
    size_t k = 0;
    enum gs_rc rc = open_words(text, a, &words, &kind, err);
    if (rc)
        return rc;
    while (k < 3 && strcmp(kinds[k], kind) != 0)
        k++;
    if (k == 3)
        return gs_fail(
            err, GS_E_INPUT,
            "'%s' is not one of none, placement, gpu (write gpu reference=V100 default=0.5)", kind);
    o->normalise = (enum gs_normalise)k;
    if (o->normalise == GS_NORMALISE_GPU) {
        o->reference = gs_words_key(&words, "reference");
        o->speeds = gs_words_key(&words, "table");
    }
    if (o->normalise != GS_NORMALISE_NONE)
        rc = speed_key(&words, &o->default_speed, err);
    return rc ? rc : gs_words_done(&words, err);
}

enum gs_rc gs_shape_parse_resample(const char *text, struct gs_arena *a, struct gs_shape_options *o,
                                   struct gs_err *err)
{
    struct gs_words words;
    const char *kind = "";
    int64_t block = DAY_NS;
    enum gs_rc rc = open_words(text, a, &words, &kind, err);
    if (rc)
        return rc;
    if (strcmp(kind, "days") != 0)
        return gs_fail(err, GS_E_INPUT, "'%s' is not known (write days block=1d)", kind);
    rc = time_key(&words, "block", &block, err);
    if (!rc && block % DAY_NS)
        rc = gs_fail(err, GS_E_INPUT, "block: whole days only (write days block=1d)");
    if (!rc && block > 366 * DAY_NS)
        rc = gs_fail(err, GS_E_INPUT, "block: at most 366d");
    if (!rc)
        rc = gs_words_done(&words, err);
    if (!rc)
        o->resample_block_ns = block;
    return rc;
}

enum gs_rc gs_shape_parse_feedback(const char *text, struct gs_arena *a, struct gs_shape_options *o,
                                   struct gs_err *err)
{
    struct gs_words words;
    const char *kind = "";
    int64_t gap = INT64_C(20) * 60 * GS_SECOND;
    const char *by = NULL;
    enum gs_rc rc = open_words(text, a, &words, &kind, err);
    if (rc)
        return rc;
    const int session = strcmp(kind, "session") == 0;
    if (!session && strcmp(kind, "open") != 0)
        return gs_fail(err, GS_E_INPUT, "'%s' is not one of open, session (write session gap=20m)",
                       kind);
    if (session) {
        rc = time_key(&words, "gap", &gap, err);
        by = gs_words_key(&words, "by");
    }
    if (!rc)
        rc = gs_words_done(&words, err);
    if (!rc && by && strcmp(by, "user") != 0 && strcmp(by, "queue") != 0)
        rc = gs_fail(err, GS_E_INPUT, "by=%s is not one of user, queue", by);
    if (rc)
        return rc;
    o->session_gap_ns = session ? gap : 0;
    o->session_by = by && strcmp(by, "queue") == 0 ? GS_SESSION_QUEUE : GS_SESSION_USER;
    return GS_OK;
}
