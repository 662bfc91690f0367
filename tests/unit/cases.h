/* cases.h - reads the worked cases of the shared folder (cases/theory, one JSON file each) for the suites of policies/lib.
 *
 * A suite lists file-name prefixes; each case that is there calls its function with the parsed file. Without the folder, or without any
 * such case, the test is skipped and says so. */
#ifndef GS_TESTS_CASES_H
#define GS_TESTS_CASES_H

#include "tests/unit/harness.h"

#include <jansson.h>

#include <dirent.h>

typedef void gs_case_fn(const json_t *input, const json_t *expect, double tolerance);

GS_TEST_HELPER double gs_case_number(const json_t *object, const char *key)
{
    return json_number_value(json_object_get(object, key));
}

GS_TEST_HELPER int64_t gs_case_int(const json_t *object, const char *key)
{
    return (int64_t)gs_case_number(object, key);
}

GS_TEST_HELPER const char *gs_case_text(const json_t *object, const char *key)
{
    const char *s = json_string_value(json_object_get(object, key));
    return s ? s : "";
}

/* Copies an array of numbers; returns how many. */
GS_TEST_HELPER size_t gs_case_numbers(const json_t *array, double *out, size_t cap)
{
    size_t n = 0;
    for (; n < json_array_size(array) && n < cap; n++)
        out[n] = json_number_value(json_array_get(array, n));
    return n;
}

GS_TEST_HELPER int gs_case_one(const char *path, const char *kind, gs_case_fn *fn)
{
    json_error_t e;
    json_t *root = json_load_file(path, 0, &e);
    if (!root)
        return 0;
    const int ours = strcmp(gs_case_text(root, "kind"), kind) == 0;
    if (ours)
        fn(json_object_get(root, "input"), json_object_get(root, "expect"),
           gs_case_number(root, "tolerance") + 1e-9);
    json_decref(root);
    return ours;
}

/* Runs fn on every case of a kind, in no particular order; returns how many there were. */
GS_TEST_HELPER int gs_cases(const char *kind, gs_case_fn *fn)
{
    char dir[512], path[1024];
    int n = 0;
    const char *shared = gs_test_shared();
    DIR *d = shared ? opendir(gs_test_path(dir, sizeof dir, shared, "cases/theory")) : NULL;
    for (struct dirent *e = d ? readdir(d) : NULL; e; e = readdir(d)) {
        if (strstr(e->d_name, ".json"))
            n += gs_case_one(gs_test_path(path, sizeof path, dir, e->d_name), kind, fn);
    }
    if (d)
        closedir(d);
    if (n == 0)
        printf("SKIP: no case of kind %s in the shared folder\n", kind);
    return n;
}

#endif
