/* All rows of the shared control table against `gsim trace info`: what a right reader reports of each public file. */
#include "sim/base/buf.h"
#include "sim/base/intern.h"
#include "sim/base/units.h"
#include "tests/unit/harness.h"
#include "traces/trace.h"

#include <time.h>

struct control {
    const char *file, *quantity, *value; /* file: DATASET/FILE */
    int done;
};

static struct {
    struct gs_intern text;
    GS_VEC(struct control) rows;
    unsigned files, compared, wrong, unread;
} all;

/* Cuts s at the next TAB or line end; returns what is behind it. */
static char *cut(char *s)
{
    s += strcspn(s, "\t\r\n");
    if (*s)
        *s++ = '\0';
    return s;
}

static const char *keep(const char *s)
{
    return gs_intern_str(&all.text, gs_intern(&all.text, s));
}

static int read_table(void)
{
    char path[1024];
    if (!gs_test_shared_file("traces/CONTROL.tsv", path, sizeof path))
        return 0;
    FILE *f = fopen(path, "r");
    CU_ASSERT_PTR_NOT_NULL_FATAL(f);
    gs_intern_init(&all.text);
    char line[8192];
    while (fgets(line, sizeof line, f)) {
        char *file = cut(line);
        char *quantity = cut(file);
        char *value = cut(quantity);
        (void)cut(value);
        if (strcmp(line, "dataset") == 0)
            continue;
        char name[8300];
        (void)snprintf(name, sizeof name, "%s/%s", line, file);
        gs_vec_push(&all.rows, (struct control){keep(name), keep(quantity), keep(value), 0});
    }
    (void)fclose(f);
    return 1;
}

static const char *figure(const struct gs_trace_summary *s, const char *quantity)
{
    for (size_t i = 0; i < s->figures.n; i++) {
        if (strcmp(s->figures.v[i].name, quantity) == 0)
            return s->figures.v[i].value;
    }
    return NULL;
}

/* All rows of the file that row `first` is of. */
static void compare_file(size_t first)
{
    char name[8300];
    char path[1024];
    const char *file = all.rows.v[first].file;
    (void)snprintf(name, sizeof name, "traces/%s", file);
    struct gs_trace_options o;
    struct gs_trace_summary s = {0};
    struct gs_err err = {0};
    gs_trace_options_init(&o);
    o.path = path;
    const int there = gs_test_shared_file(name, path, sizeof path) != NULL;
    const enum gs_rc rc = there ? gs_trace_info(&o, &s, &err) : GS_E_INPUT;
    all.files++;
    if (rc != GS_OK) {
        printf("%s: %s\n", file, there ? err.msg : "no such file");
        all.unread++;
    }
    for (size_t i = first; i < all.rows.n; i++) {
        struct control *c = &all.rows.v[i];
        if (c->file != file)
            continue;
        const char *got = rc == GS_OK ? figure(&s, c->quantity) : NULL;
        c->done = 1;
        all.compared++;
        if (got && strcmp(got, c->value) == 0)
            continue;
        all.wrong++;
        if (rc == GS_OK)
            printf("%s (%s): %s: expected %s, got %s\n", file, s.n.format, c->quantity, c->value,
                   got ? got : "nothing");
    }
    gs_trace_summary_release(&s);
}

static void every_row_is_reported(void)
{
    if (!read_table())
        GS_SKIP_ALL("no shared material: the control table lies beside the project");
    struct timespec from;
    struct timespec to;
    (void)clock_gettime(CLOCK_MONOTONIC, &from);
    for (size_t i = 0; i < all.rows.n; i++) {
        if (!all.rows.v[i].done)
            compare_file(i);
    }
    (void)clock_gettime(CLOCK_MONOTONIC, &to);
    const double took =
        (double)(to.tv_sec - from.tv_sec) + (double)(to.tv_nsec - from.tv_nsec) / 1e9;
    printf("%u rows of %u files compared in %.1f s: %u differ, %u files not read\n", all.compared,
           all.files, took, all.wrong, all.unread);
    CU_ASSERT_EQUAL(all.wrong, 0);
    CU_ASSERT_EQUAL(all.unread, 0);
    CU_ASSERT_EQUAL(all.compared, all.rows.n);
    CU_ASSERT_TRUE(all.compared >= 900); /* the table itself is whole */
    CU_ASSERT_TRUE(took < 60);
    gs_vec_free(&all.rows);
    gs_intern_release(&all.text);
}

static const struct gs_test tests[] = {{"every row of the control table", every_row_is_reported}};
GS_TEST_MAIN("traces/control", tests)
