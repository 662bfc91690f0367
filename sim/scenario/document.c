/* document.c - sections and keys of several files put together: the last that was said counts.
 *
 * Sections and entries stand in vectors, in order of first appearance, so that nothing depends on hashing; two hash
 * indexes find them in O(1) expected. Invariant: one section for each (kind, name), one entry for each (section, key). Lines of
 * [expect] have no key and are simply kept. */
#include "sim/base/buf.h"
#include "sim/scenario/ini.h"

#include <string.h>

#include "sim/base/banned.h"

/* ---- paths ---- */

const char *gs_path_dir(struct gs_arena *a, const char *path)
{
    const char *slash = strrchr(path, '/');
    if (!slash)
        return ".";
    return slash == path ? "/" : gs_arena_str(a, path, (size_t)(slash - path));
}

const char *gs_path_join(struct gs_arena *a, const char *dir, const char *name)
{
    if (*name == '/' || *dir == '\0' || strcmp(dir, ".") == 0)
        return name;
    struct gs_buf b = {0};
    gs_buf_fmt(&b, "%s%s%s", dir, dir[strlen(dir) - 1] == '/' ? "" : "/", name);
    const char *joined = gs_arena_str(a, gs_buf_cstr(&b), b.n);
    gs_buf_free(&b);
    return joined;
}

/* ---- sections and keys ---- */

struct section_key {
    const char *kind, *name;
};

struct entry_key {
    uint32_t section;
    const char *key;
};

static int same_section(const void *ctx, uint32_t id, const void *key)
{
    const struct gs_ini_section *s = &((const struct gs_ini *)ctx)->sections.v[id];
    const struct section_key *k = key;
    return strcmp(s->kind, k->kind) == 0 && strcmp(s->name, k->name) == 0;
}

static int same_entry(const void *ctx, uint32_t id, const void *key)
{
    const struct gs_ini_entry *e = &((const struct gs_ini *)ctx)->entries.v[id];
    const struct entry_key *k = key;
    return e->section == k->section && strcmp(e->key, k->key) == 0;
}

static uint64_t hash_section(const char *kind, const char *name)
{
    return gs_hash_mix(gs_hash_bytes(kind, strlen(kind)), gs_hash_bytes(name, strlen(name)));
}

static uint64_t hash_entry(uint32_t section, const char *key)
{
    return gs_hash_mix(gs_hash_bytes(key, strlen(key)), section);
}

uint32_t gs_ini_find(const struct gs_ini *ini, const char *kind, const char *name)
{
    const struct section_key k = {kind, name};
    return gs_map_find(&ini->section_map, hash_section(kind, name), same_section, ini, &k);
}

uint32_t gs_ini_section(struct gs_ini *ini, const char *kind, const char *name,
                        const struct gs_place *at)
{
    const uint32_t found = gs_ini_find(ini, kind, name);
    if (found != GS_NONE)
        return found;
    gs_map_add(&ini->section_map, hash_section(kind, name), (uint32_t)ini->sections.n);
    gs_vec_push(&ini->sections, (struct gs_ini_section){.kind = kind, .name = name, .at = *at});
    return (uint32_t)ini->sections.n - 1;
}

static uint32_t find_entry(const struct gs_ini *ini, uint32_t section, const char *key)
{
    const struct entry_key k = {section, key};
    return gs_map_find(&ini->entry_map, hash_entry(section, key), same_entry, ini, &k);
}

const struct gs_ini_entry *gs_ini_get(const struct gs_ini *ini, uint32_t section, const char *key)
{
    const uint32_t found = section == GS_NONE ? GS_NONE : find_entry(ini, section, key);
    return found == GS_NONE ? NULL : &ini->entries.v[found];
}

void gs_ini_set(struct gs_ini *ini, const struct gs_ini_entry *e)
{
    const uint32_t found = *e->key ? find_entry(ini, e->section, e->key) : GS_NONE;
    if (found != GS_NONE) {
        ini->entries.v[found] = *e;
        return;
    }
    if (*e->key)
        gs_map_add(&ini->entry_map, hash_entry(e->section, e->key), (uint32_t)ini->entries.n);
    gs_vec_reserve(&ini->entries, ini->entries.n + 1);
    gs_require(ini->entries.v);
    ini->entries.v[ini->entries.n++] = *e;
}

/* The section in the merged document; a second one in the same file is a slip. */
static uint32_t merge_section(struct gs_ini *ini, const struct gs_ini_section *s)
{
    const uint32_t id = gs_ini_section(ini, s->kind, s->name, &s->at);
    struct gs_place *before = &ini->sections.v[id].at;
    if (before->file == s->at.file && before->line != s->at.line)
        gs_problem(ini->problems, &s->at, 0, "a second section [%s%s%s] (the first is in line %u)",
                   s->kind, *s->name ? " " : "", s->name, before->line);
    *before = s->at;
    return id;
}

static void merge_entry(struct gs_ini *ini, const struct gs_ini_entry *e)
{
    const struct gs_ini_entry *before = *e->key ? gs_ini_get(ini, e->section, e->key) : NULL;
    if (before && before->at.file == e->at.file)
        gs_problem(ini->problems, &e->at, e->key_column,
                   "a second '%s' in this section (the first is in line %u)", e->key,
                   before->at.line);
    gs_ini_set(ini, e);
}

void gs_ini_merge(struct gs_ini *ini, const struct gs_ini_raw *raw)
{
    uint32_t *id = GS_NEW_N(uint32_t, raw->sections.n);
    for (size_t i = 0; i < raw->sections.n; i++)
        id[i] = merge_section(ini, &raw->sections.v[i]);
    for (size_t i = 0; i < raw->entries.n; i++) {
        struct gs_ini_entry e = raw->entries.v[i];
        e.section = id[e.section];
        merge_entry(ini, &e);
    }
    gs_free(id);
}

void gs_ini_release(struct gs_ini *ini)
{
    gs_vec_free(&ini->files);
    gs_vec_free(&ini->sections);
    gs_vec_free(&ini->entries);
    gs_map_release(&ini->section_map);
    gs_map_release(&ini->entry_map);
}
