/* ini.h - INI files as lists of sections and keys, includes merged, before anything is known of their meaning. */
#ifndef GS_SCENARIO_INI_H
#define GS_SCENARIO_INI_H

#include "sim/base/map.h"
#include "sim/base/mem.h"
#include "sim/base/vec.h"
#include "sim/scenario/problem.h"

#include <stdint.h>

struct gs_ini_entry {
    uint32_t section;        /* index into sections */
    const char *key, *value; /* of an [expect] line: key "" and the whole line */
    uint32_t key_column, value_column;
    struct gs_place at;
};

struct gs_ini_section {
    const char *kind, *name; /* name "" = nameless */
    struct gs_place at;
};

struct gs_ini_file {
    const char *path; /* as opened, and in messages; "-" = standard input */
    const char *dir;  /* folder that its relative paths start from */
    const char *rel;  /* the same folder as seen from the first file's, "" = the same */
};

/* Sections in order of first appearance (included files first), one entry for each (section, key): the last that was said. */
struct gs_ini {
    struct gs_arena *text;
    struct gs_problems *problems;
    GS_VEC(struct gs_ini_file) files;
    GS_VEC(struct gs_ini_section) sections;
    GS_VEC(struct gs_ini_entry) entries;
    struct gs_map section_map, entry_map;
};

/* What one file holds; entries' sections are indexes into its own. */
struct gs_ini_raw {
    GS_VEC(struct gs_ini_section) sections;
    GS_VEC(struct gs_ini_entry) entries;
};

/* Adds a file's sections and keys; what was said before, by files that it includes, is overruled. */
void gs_ini_merge(struct gs_ini *ini, const struct gs_ini_raw *raw);

/* Reads text (n bytes, any bytes) as `path`, follows `include` in [scenario], merges. What is wrong goes to ini->problems. */
void gs_ini_read(struct gs_ini *ini, const char *path, const char *text, size_t n);
/* The bytes of a file ("-" = standard input), at most 1 MiB, terminated; to be freed by gs_free. */
GS_NODISCARD enum gs_rc gs_ini_slurp(const char *path, int regular_only, char **text, size_t *n,
                                     struct gs_err *err);
/* Finds or adds a section; finds or replaces a key (section of e must be set). */
uint32_t gs_ini_section(struct gs_ini *ini, const char *kind, const char *name,
                        const struct gs_place *at);
uint32_t gs_ini_find(const struct gs_ini *ini, const char *kind,
                     const char *name); /* GS_NONE if absent */
void gs_ini_set(struct gs_ini *ini, const struct gs_ini_entry *e);
const struct gs_ini_entry *gs_ini_get(const struct gs_ini *ini, uint32_t section,
                                      const char *key); /* NULL if absent */
void gs_ini_release(struct gs_ini *ini);

/* "dir/name", or name if it is absolute or dir is "" or "."; in the arena. */
const char *gs_path_join(struct gs_arena *a, const char *dir, const char *name);
const char *gs_path_dir(struct gs_arena *a, const char *path); /* "." if it has none */

#endif
