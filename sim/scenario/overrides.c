/* overrides.c - `--set` and [sweep] values: a path to a key, and a value that overrules the file's.
 *
 * A path is kind.key or kind.name.key; a name that holds dots is quoted: nodes."p5.48xlarge".count. Where both readings are
 * possible (queue.quota.cpu) the one that is a known key without a name wins. An override may open a new [queue],
 * [priority] or [policy] section; machines and jobs that the file does not know are more likely a slip. */
#include "sim/base/units.h"
#include "sim/scenario/load.h"

#include <string.h>

#include "sim/base/banned.h"

static const char *piece(struct gs_arena *a, const char *s, size_t n)
{
    return gs_arena_str(a, s, n);
}

int gs_override_split(const char *path, struct gs_arena *a, const char **kind, const char **name,
                      const char **key)
{
    const char *dot = strchr(path, '.');
    if (!dot || dot == path || dot[1] == '\0')
        return 0;
    *kind = piece(a, path, (size_t)(dot - path));
    *name = "";
    *key = dot + 1;
    const struct gs_kind *k = gs_kind_find(*kind);
    if (dot[1] == '"') {
        const char *quote = strchr(dot + 2, '"');
        if (!quote || quote == dot + 2 || quote[1] != '.' || quote[2] == '\0')
            return 0;
        *name = piece(a, dot + 2, (size_t)(quote - dot - 2));
        *key = quote + 2;
    } else if (k && (k->flags & GS_KIND_NAMED) && !gs_key_find(*kind, *key)) {
        const char *end = strchr(*key, '.');
        if (end && end != *key && end[1] != '\0') {
            *name = piece(a, *key, (size_t)(end - *key));
            *key = end + 1;
        }
    }
    *key = piece(a, *key, strlen(*key));
    return 1;
}

/* Can the value be written into an INI file and read back? */
static int is_writable(const char *value)
{
    size_t word = 0;
    for (const char *p = value; *p; p++) {
        word = *p == ' ' ? 0 : word + 1;
        if ((unsigned char)*p < 0x20 || *p == 0x7f || word > 150 ||
            (*p == ';' && p > value && p[-1] == ' '))
            return 0;
    }
    return 1;
}

/* The nearest name of the kind's sections, or NULL. */
static const char *nearest_section(const struct gs_load *l, const char *kind, const char *name)
{
    GS_VEC(const char *) names = {0};
    for (size_t i = 0; i < l->ini.sections.n; i++)
        if (strcmp(l->ini.sections.v[i].kind, kind) == 0 && *l->ini.sections.v[i].name)
            gs_vec_push(&names, l->ini.sections.v[i].name);
    const char *near = gs_nearest(name, names.v, names.n);
    gs_vec_free(&names);
    return near;
}

static int is_known_section(struct gs_load *l, const struct gs_place *at, const char *kind,
                            const char *name)
{
    const int closed =
        strcmp(kind, "nodes") == 0 || strcmp(kind, "trace") == 0 || strcmp(kind, "workload") == 0;
    if (*name == '\0' || !closed || gs_ini_find(&l->ini, kind, name) != GS_NONE)
        return 1;
    const char *near = nearest_section(l, kind, name);
    gs_problem(&l->problems, at, 0, "there is no section [%s %s]%s%s%s", kind, name,
               near ? ", the nearest name is '" : "", near ? near : "", near ? "'" : "");
    return 0;
}

void gs_override_apply(struct gs_load *l, const struct gs_override *o)
{
    struct gs_arena *a = &l->s->text;
    struct gs_buf line = {0};
    gs_buf_fmt(&line, "%s=%s", o->key, o->value);
    const struct gs_place at = {.file = GS_NONE,
                                .line = 0,
                                .where = gs_arena_str(a, o->where, strlen(o->where)),
                                .text = gs_arena_str(a, gs_buf_cstr(&line), line.n)};
    gs_buf_free(&line);
    const char *kind = NULL;
    const char *name = NULL;
    const char *key = NULL;
    if (!gs_override_split(o->key, a, &kind, &name, &key)) {
        gs_problem(&l->problems, &at, 0,
                   "'%s' is not kind.key or kind.name.key (a name with dots is quoted)", o->key);
        return;
    }
    const char *value = o->value + strspn(o->value, " \t");
    size_t n = strlen(value);
    while (n > 0 && (value[n - 1] == ' ' || value[n - 1] == '\t'))
        n--;
    const struct gs_ini_entry e = {.key = key,
                                   .value = gs_arena_str(a, value, n),
                                   .key_column = (uint32_t)(strlen(o->key) - strlen(key)),
                                   .value_column = (uint32_t)strlen(o->key) + 1,
                                   .at = at};
    if (!is_writable(e.value)) {
        gs_problem(
            &l->problems, &at, e.value_column,
            "the value cannot be kept in a scenario file (control characters, ' ;' or a word over 150 bytes)");
        return;
    }
    if (strcmp(kind, "sweep") == 0 || strcmp(kind, "expect") == 0) {
        gs_problem(&l->problems, &at, 0, "[%s] cannot be overruled key by key", kind);
        return;
    }
    if (strcmp(kind, "scenario") == 0 && strcmp(key, "include") == 0) {
        gs_problem(&l->problems, &at, 0,
                   "[scenario] include is read before anything is overruled: write it into the "
                   "file");
        return;
    }
    if (!is_known_section(l, &at, kind, name))
        return;
    struct gs_ini_entry placed = e;
    placed.section = gs_ini_section(&l->ini, kind, name, &at);
    gs_ini_set(&l->ini, &placed);
}
