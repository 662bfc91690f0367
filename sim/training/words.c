/* words.c - the words of a scenario that describe a training run: degrees of parallelism, amounts of work. */
#include "sim/base/units.h"
#include "sim/training/train.h"

#include <string.h>

#include "sim/base/banned.h"

#define GPUS_MAX (1u << 20)
#define WORK_MAX 1e18

/* Copies the next word and moves on; 0 at the end, or at one that is too long. */
static int next_word(const char **text, char *word, size_t cap)
{
    const char *p = *text + strspn(*text, " \t,");
    const size_t n = strcspn(p, " \t,");
    if (n >= cap)
        return 0;
    *text = p + n;
    if (n == 0)
        return 0;
    memcpy(word, p, n);
    word[n] = '\0';
    return 1;
}

enum gs_rc gs_train_degrees_parse(const char *text, struct gs_train_degrees *out,
                                  struct gs_err *err)
{
    const struct {
        const char *name;
        uint32_t *at;
    } names[] = {{"tp:", &out->tp},
                 {"pp:", &out->pp},
                 {"cp:", &out->cp},
                 {"dp:", &out->dp},
                 {"ep:", &out->ep}};

    char word[32];
    unsigned seen = 0;
    *out = (struct gs_train_degrees){1, 1, 1, 1, 1};
    while (next_word(&text, word, sizeof word)) {
        size_t k = 0;
        int64_t degree;
        while (k < 5 && strncmp(word, names[k].name, 3) != 0)
            k++;
        if (k == 5 || gs_parse_int(word + 3, 1, GPUS_MAX, &degree, NULL) != GS_OK)
            return gs_fail(err, GS_E_INPUT, "'%s' is no degree (write tp:8 pp:4 cp:1 dp:16 ep:1)",
                           word);
        if (seen & 1u << k)
            return gs_fail(err, GS_E_INPUT, "'%s' says it twice", word);
        seen |= 1u << k;
        *names[k].at = (uint32_t)degree;
    }
    if (*text)
        return gs_fail(err, GS_E_INPUT, "'%.40s' is no degree (write tp:8 pp:4 cp:1 dp:16 ep:1)",
                       text);
    const double gpus = (double)out->tp * out->pp * out->cp * out->dp;
    if (gpus > GPUS_MAX)
        return gs_fail(err, GS_E_INPUT, "%.0f GPUs are more than %u", gpus, GPUS_MAX);
    return GS_OK;
}

enum gs_rc gs_train_work_parse(const char *text, double *steps, double *tokens, struct gs_err *err)
{
    char number[64], unit[64], rest[64];
    double x = 0;
    *steps = *tokens = 0;
    const int ok = next_word(&text, number, sizeof number) && next_word(&text, unit, sizeof unit) &&
                   !next_word(&text, rest, sizeof rest) && !*text &&
                   gs_parse_real(number, &x, NULL) == GS_OK && x > 0 && x <= WORK_MAX;
    if (ok && (strcmp(unit, "steps") == 0 || strcmp(unit, "step") == 0))
        *steps = x;
    else if (ok && strcmp(unit, "tokens") == 0)
        *tokens = x;
    else
        return gs_fail(err, GS_E_INPUT, "is no amount of work (write 10000 steps, or 15e9 tokens)");
    return GS_OK;
}
