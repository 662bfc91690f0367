/* scenario_help.h - loading scenarios from text in tests, and what is compared of them. */
#ifndef GS_TESTS_SCENARIO_HELP_H
#define GS_TESTS_SCENARIO_HELP_H

#include "sim/scenario/settings.h"
#include "tests/unit/harness.h"

/* The least that a scenario needs. */
#define NODES "[nodes a]\ngpus = 2\ngpu = T4\ncpus = 8\n"
#define WORK  "[workload w]\nduration = 10m\ncount = 5\n"
#define LEAST NODES WORK

GS_TEST_HELPER enum gs_rc load_n(struct gs_settings *s, const char *text, size_t n,
                                 const struct gs_override *over, size_t nover)
{
    struct gs_err err = {0};
    const struct gs_settings_text src = {"s.ini", text, n};
    return gs_settings_load_text(s, &src, over, nover, NULL, &err);
}

GS_TEST_HELPER enum gs_rc load(struct gs_settings *s, const char *text)
{
    return load_n(s, text, strlen(text), NULL, 0);
}

/* Loads, and says what was wrong if that fails. */
GS_TEST_HELPER bool load_good(struct gs_settings *s, const char *text)
{
    const bool good = load(s, text) == GS_OK;
    if (!good)
        printf("unexpected: %s\nin:\n%s\n", gs_buf_cstr(&s->problems), text);
    gs_test_report(good, "the scenario loads", __FILE__, __LINE__);
    return good;
}

/* The problems without the lines that are shown under them, each ended by a newline. */
GS_TEST_HELPER void only_heads(const char *problems, char *out, size_t cap)
{
    size_t n = 0;
    for (const char *p = problems; *p;) {
        const size_t len = strcspn(p, "\n");
        if (strncmp(p, "    ", 4) != 0 && n + len + 2 < cap) {
            memcpy(out + n, p, len);
            n += len;
            out[n++] = '\n';
        }
        p += len + (p[len] == '\n');
    }
    out[n] = '\0';
}

/* The list of keys in effect without comments, blank lines and blanks at line ends. */
GS_TEST_HELPER void only_keys(const char *effective, char *out, size_t cap)
{
    size_t n = 0;
    for (const char *p = effective; *p;) {
        const size_t len = strcspn(p, "\n");
        const char *comment = NULL;
        for (size_t i = 1; i < len && !comment; i++)
            if (p[i] == ';' && p[i - 1] == ' ')
                comment = p + i;
        size_t keep = comment ? (size_t)(comment - p) : len;
        while (keep && p[keep - 1] == ' ')
            keep--;
        if (keep && *p != ';' && n + keep + 2 < cap) {
            memcpy(out + n, p, keep);
            n += keep;
            out[n++] = '\n';
        }
        p += len + (p[len] == '\n');
    }
    out[n] = '\0';
}

#endif
