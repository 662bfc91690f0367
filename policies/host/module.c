/* module.c - opens a policy module: search, load, and every check that can be made before its code decides anything.
 *
 * Order of checks (each with its own message): open, symbol, manifest, magic, size, major, minor, layout, needs, id grammar, id equal to the
 * file's name, required ops. Parameters are checked against the module's table, so that a typing error in a scenario
 * is found before the run. dlopen RTLD_NOW|RTLD_LOCAL: a missing symbol is an error here, and no module sees another. */
#include "policies/host/host_internal.h"
#include "sim/base/buf.h"
#include "sim/base/sort.h"
#include "sim/base/units.h"

#include <dirent.h>
#include <dlfcn.h>
#include <elf.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define KNOWN_NEEDS ((uint64_t)(GSP_NEED_ESTIMATES | GSP_NEED_TASK_KINDS | GSP_NEED_TYPICAL))

static int id_ok(const char *id)
{
    size_t n = strlen(id);
    if (n < 2 || n > 32)
        return 0;
    return strspn(id, "abcdefghijklmnopqrstuvwxyz0123456789-") == n;
}

/* "dir/gsp_NAME.so" -> NAME in out; 0 if the file name has another form. */
static int id_of_path(const char *path, char *out, size_t cap)
{
    const char *base = strrchr(path, '/');
    base = base ? base + 1 : path;
    size_t n = strlen(base);
    if (n < 8 || strncmp(base, "gsp_", 4) != 0 || strcmp(base + n - 3, ".so") != 0 || n - 7 >= cap)
        return 0;
    memcpy(out, base + 4, n - 7);
    out[n - 7] = '\0';
    return 1;
}

static enum gs_rc check_manifest(const char *path, const struct gsp_manifest *m, struct gs_err *err)
{
    char id[64];
    if (!m)
        return gs_fail(err, GS_E_INPUT, "%s: the module declines this host (ABI %u.%u)", path,
                       GSP_ABI_MAJOR, GSP_ABI_MINOR);
    if (m->magic != GSP_MAGIC)
        return gs_fail(err, GS_E_INPUT, "%s: wrong magic 0x%08x: not a gsim policy module", path,
                       m->magic);
    if (m->struct_size < offsetof(struct gsp_manifest, extension))
        return gs_fail(err, GS_E_INPUT,
                       "%s: manifest of %u bytes is too small: built against an unknown header",
                       path, m->struct_size);
    if (m->abi_major != GSP_ABI_MAJOR)
        return gs_fail(err, GS_E_INPUT,
                       "%s: built for ABI major %u, this host has %u: rebuild the module", path,
                       m->abi_major, GSP_ABI_MAJOR);
    if (m->min_host_minor > GSP_ABI_MINOR)
        return gs_fail(err, GS_E_INPUT,
                       "%s: needs a host with ABI minor %u, this one has %u: use a newer gsim",
                       path, m->min_host_minor, GSP_ABI_MINOR);
    if (m->layout != GSP_LAYOUT)
        return gs_fail(
            err, GS_E_INPUT,
            "%s: layout fingerprint 0x%08x differs from the host's 0x%08x: built for another machine or header",
            path, m->layout, GSP_LAYOUT);
    if (m->needs & ~KNOWN_NEEDS)
        return gs_fail(err, GS_E_INPUT,
                       "%s: needs something that this host does not know (bits 0x%llx)", path,
                       (unsigned long long)(m->needs & ~KNOWN_NEEDS));
    if (!m->id || !id_ok(m->id))
        return gs_fail(err, GS_E_INPUT, "%s: id '%s' is not 2 to 32 of a-z 0-9 -", path,
                       m->id ? m->id : "");
    if (!id_of_path(path, id, sizeof id) || strcmp(id, m->id) != 0)
        return gs_fail(err, GS_E_INPUT, "%s: a module with id '%s' must be in a file gsp_%s.so",
                       path, m->id, m->id);
    if (!m->ops || !m->ops->create || !m->ops->destroy)
        return gs_fail(err, GS_E_INPUT, "%s: create and destroy are required", path);
    if (m->ops->struct_size < sizeof *m->ops)
        return gs_fail(err, GS_E_INPUT,
                       "%s: table of %u bytes of ops is too small: built against an unknown header",
                       path, m->ops->struct_size);
    return GS_OK;
}

/* The loader maps what the headers say and faults where a copied or half-built file ends before that. So: does every segment, and
 * the table of sections, which stands last, lie within the file? Anything but a 64-bit ELF file is left to the loader. */
static int is_cut_short(const char *path)
{
    FILE *f = fopen(path, "rb");
    struct stat st;
    Elf64_Ehdr head;
    if (!f)
        return 0;
    const int elf = fstat(fileno(f), &st) == 0 && S_ISREG(st.st_mode) &&
                    fread(&head, sizeof head, 1, f) == 1 &&
                    memcmp(head.e_ident, ELFMAG, SELFMAG) == 0 &&
                    head.e_ident[EI_CLASS] == ELFCLASS64 && head.e_phentsize == sizeof(Elf64_Phdr);
    const uint64_t size = elf ? (uint64_t)st.st_size : 0;
    int cut = elf && (head.e_shoff > size ||
                      (uint64_t)head.e_shnum * head.e_shentsize > size - head.e_shoff);
    if (elf && !cut && (head.e_phoff > size || fseek(f, (long)head.e_phoff, SEEK_SET) != 0))
        cut = 1;
    for (uint32_t i = 0; elf && !cut && i < head.e_phnum; i++) {
        Elf64_Phdr part;
        cut = fread(&part, sizeof part, 1, f) != 1 || part.p_offset > size ||
              part.p_filesz > size - part.p_offset;
    }
    (void)fclose(f);
    return cut;
}

/* Loads the file and asks for its manifest, unchecked; the caller closes *handle. */
static enum gs_rc query_file(const char *path, void **handle, const struct gsp_manifest **m,
                             struct gs_err *err)
{
    if (is_cut_short(path))
        return gs_fail(err, GS_E_INPUT,
                       "cannot load policy module: %s: the file is cut short (build it again)",
                       path);
    void *dl = dlopen(path, RTLD_NOW | RTLD_LOCAL);
    if (!dl)
        return gs_fail(err, GS_E_INPUT, "cannot load policy module: %s", dlerror());

    union {
        void *p;
        gsp_query_fn *fn;
    } sym = {.p = dlsym(dl, "gsp_query")};

    if (!sym.p) {
        dlclose(dl);
        return gs_fail(err, GS_E_INPUT, "%s: exports no gsp_query: not a gsim policy module", path);
    }
    *handle = dl;
    *m = sym.fn(GSP_ABI_MAJOR, GSP_ABI_MINOR);
    return GS_OK;
}

static enum gs_rc open_file(const char *path, struct gs_module **out, struct gs_err *err)
{
    void *dl = NULL;
    const struct gsp_manifest *m = NULL;
    enum gs_rc rc = query_file(path, &dl, &m, err);
    if (rc)
        return rc;
    gs_verify(dl);
    rc = check_manifest(path, m, err);
    if (rc) {
        dlclose(dl);
        return rc;
    }
    gs_verify(m); /* check_manifest refuses NULL */
    struct gs_module *mod = GS_NEW(struct gs_module);
    mod->dl = dl;
    mod->m = m;
    mod->path = gs_strdup(path);
    while (m->params && m->params[mod->nparams].name)
        mod->nparams++;
    *out = mod;
    return GS_OK;
}

/* Calls fn for each folder of a ':'-separated list. fn returns 1 to stop. */
static void each_dir(const char *list, int (*fn)(void *ctx, const char *dir), void *ctx)
{
    char dir[4096];
    while (list && *list) {
        size_t n = strcspn(list, ":");
        if (n && n < sizeof dir) {
            memcpy(dir, list, n);
            dir[n] = '\0';
            if (fn(ctx, dir))
                return;
        }
        list += n + (list[n] == ':');
    }
}

struct find {
    const char *id;
    char path[4300];
    int found;
};

static int try_dir(void *ctx, const char *dir)
{
    struct find *f = ctx;
    if (!gs_fmt(f->path, sizeof f->path, "%s/gsp_%s.so", dir, f->id))
        return 0;
    f->found = access(f->path, R_OK) == 0;
    return f->found;
}

struct name_list {
    GS_VEC(char *) ids;
};

static void collect_id(void *ctx, const char *path, const char *id)
{
    (void)path;
    struct name_list *l = ctx;
    gs_vec_push(&l->ids, gs_strdup(id));
}

static enum gs_rc not_found(const char *path_list, const char *id, struct gs_err *err)
{
    struct name_list l = {0};
    gs_module_scan(path_list, collect_id, &l);
    const char *const *words = (const char *const *)(const void *)l.ids.v;
    const char *near = l.ids.n ? gs_nearest(id, words, l.ids.n) : NULL;
    enum gs_rc rc =
        near ? gs_fail(
                   err, GS_E_INPUT,
                   "no policy module '%s' (did you mean '%s'? see gsim policy list); looked in %s",
                   id, near, path_list)
             : gs_fail(err, GS_E_INPUT,
                       "no policy module '%s' (see gsim policy list); looked in %s", id, path_list);
    for (size_t i = 0; i < l.ids.n; i++)
        gs_free(l.ids.v[i]);
    gs_vec_free(&l.ids);
    return rc;
}

enum gs_rc gs_module_open(const char *path_list, const char *id, struct gs_module **m,
                          struct gs_err *err)
{
    *m = NULL;
    if (strchr(id, '/'))
        return open_file(id, m, err);
    if (!id_ok(id))
        return gs_fail(
            err, GS_E_INPUT,
            "'%s' is not a module id (2 to 32 of a-z 0-9 -; a file is written with a slash)", id);
    struct find f = {.id = id};
    each_dir(path_list, try_dir, &f);
    if (!f.found)
        return not_found(path_list, id, err);
    return open_file(f.path, m, err);
}

enum gs_rc gs_module_id(const char *path, char *id, size_t cap, struct gs_err *err)
{
    void *dl = NULL;
    const struct gsp_manifest *m = NULL;
    char file[4300];
    /* without a slash the loader would search its own folders */
    (void)gs_fmt(file, sizeof file, "%s%s", strchr(path, '/') ? "" : "./", path);
    enum gs_rc rc = query_file(file, &dl, &m, err);
    if (rc)
        return rc;
    gs_verify(dl);
    const int known = m && m->magic == GSP_MAGIC && m->id && id_ok(m->id);
    if (!known || !gs_fmt(id, cap, "%s", m->id))
        rc = gs_fail(err, GS_E_INPUT, "%s: is not a policy module for this host", path);
    dlclose(dl);
    return rc;
}

void gs_module_close(struct gs_module *m)
{
    if (!m)
        return;
    dlclose(m->dl);
    gs_free(m->path);
    gs_free(m);
}

const struct gsp_manifest *gs_module_manifest(const struct gs_module *m)
{
    return m->m;
}

const char *gs_module_path(const struct gs_module *m)
{
    return m->path;
}

struct scan {
    void (*fn)(void *ctx, const char *path, const char *id);
    void *ctx;
};

static int cmp_str(const void *a, const void *b, const void *ctx)
{
    (void)ctx;
    return strcmp(*(char *const *)a, *(char *const *)b);
}

static int scan_dir(void *ctx, const char *dir)
{
    struct scan *s = ctx;
    DIR *d = opendir(dir);
    if (!d)
        return 0;
    GS_VEC(char *) names = {0};
    for (struct dirent *e = readdir(d); e; e = readdir(d)) {
        char id[64];
        if (id_of_path(e->d_name, id, sizeof id))
            gs_vec_push(&names, gs_strdup(id));
    }
    closedir(d);
    gs_sort(names.v, names.n, sizeof *names.v, cmp_str, NULL);
    for (size_t i = 0; i < names.n; i++) {
        char path[4300];
        if (gs_fmt(path, sizeof path, "%s/gsp_%s.so", dir, names.v[i]))
            s->fn(s->ctx, path, names.v[i]);
        gs_free(names.v[i]);
    }
    gs_vec_free(&names);
    return 0;
}

void gs_module_scan(const char *path_list, void (*fn)(void *ctx, const char *path, const char *id),
                    void *ctx)
{
    struct scan s = {fn, ctx};
    each_dir(path_list, scan_dir, &s);
}

/* ---- parameters ---- */

static enum gs_rc parse_word(const struct gsp_param *p, const char *text, struct gsp_value *v,
                             struct gs_err *err)
{
    const char *w = p->words ? p->words : "";
    for (int64_t i = 0; *w; i++) {
        size_t n = strcspn(w, "|");
        if (strlen(text) == n && strncmp(w, text, n) == 0) {
            v->i = i;
            return GS_OK;
        }
        w += n + (w[n] == '|');
    }
    return gs_fail(err, GS_E_INPUT, "'%s' is not one of %s", text, p->words ? p->words : "(none)");
}

static enum gs_rc parse_value(const struct gsp_param *p, const char *text, struct gs_arena *a,
                              struct gsp_value *v, struct gs_err *err)
{
    int b = 0;
    enum gs_rc rc = GS_OK;
    switch (p->type) {
    case GSP_INT: rc = gs_parse_int(text, INT64_MIN, INT64_MAX, &v->i, err); break;
    case GSP_REAL: rc = gs_parse_real(text, &v->f, err); break;
    case GSP_RATIO: rc = gs_parse_ratio(text, &v->f, err); break;
    case GSP_BOOL:
        rc = gs_parse_bool(text, &b, err);
        v->i = b;
        break;
    case GSP_TIME: rc = gs_parse_time(text, &v->i, err); break;
    case GSP_MEMORY: rc = gs_parse_memory(text, &v->i, err); break;
    case GSP_WORD: rc = parse_word(p, text, v, err); break;
    case GSP_TEXT: break;
    }
    if (!rc)
        v->s = gs_arena_str(a, text, strlen(text));
    return rc;
}

static int is_real(const struct gsp_param *p)
{
    return p->type == GSP_REAL || p->type == GSP_RATIO;
}

static enum gs_rc check_range(const struct gsp_param *p, const char *text,
                              const struct gsp_value *v, struct gs_arena *a, struct gs_err *err)
{
    struct gsp_value lim = {0};
    if (p->min) {
        enum gs_rc rc = parse_value(p, p->min, a, &lim, err);
        if (rc)
            return rc;
        if (is_real(p) ? v->f < lim.f : v->i < lim.i)
            return gs_fail(err, GS_E_INPUT, "%s is below the smallest value %s", text, p->min);
    }
    if (p->max) {
        enum gs_rc rc = parse_value(p, p->max, a, &lim, err);
        if (rc)
            return rc;
        if (is_real(p) ? v->f > lim.f : v->i > lim.i)
            return gs_fail(err, GS_E_INPUT, "%s is above the largest value %s", text, p->max);
    }
    return GS_OK;
}

static enum gs_rc unknown_param(const struct gs_module *m, const struct gs_setting *s,
                                struct gs_err *err)
{
    const char *words[64];
    size_t n = 0;
    for (uint32_t i = 0; i < m->nparams && n < 64; i++)
        words[n++] = m->m->params[i].name;
    const char *near = n ? gs_nearest(s->key, words, n) : NULL;
    if (near)
        return gs_fail(err, GS_E_INPUT,
                       "%s: module '%s' has no parameter '%s' (did you mean '%s'?)", s->where,
                       m->m->id, s->key, near);
    return gs_fail(err, GS_E_INPUT,
                   "%s: module '%s' has no parameter '%s' (see gsim policy show %s)", s->where,
                   m->m->id, s->key, m->m->id);
}

enum gs_rc gs_module_values(const struct gs_module *m, const char *section,
                            const struct gs_setting *s, uint32_t n, struct gs_arena *text,
                            struct gsp_value *out, struct gs_err *err)
{
    for (uint32_t i = 0; i < m->nparams; i++) {
        const struct gsp_param *p = &m->m->params[i];
        enum gs_rc rc = parse_value(p, p->def ? p->def : "", text, &out[i], err);
        if (rc)
            return gs_wrap(err, "%s: module '%s': default of '%s'", m->path, m->m->id, p->name);
    }
    for (uint32_t k = 0; k < n; k++) {
        uint32_t i = 0;
        while (i < m->nparams && strcmp(m->m->params[i].name, s[k].key) != 0)
            i++;
        if (i == m->nparams)
            return unknown_param(m, &s[k], err);
        enum gs_rc rc = parse_value(&m->m->params[i], s[k].value, text, &out[i], err);
        if (!rc)
            rc = check_range(&m->m->params[i], s[k].value, &out[i], text, err);
        if (rc)
            return gs_wrap(err, "%s: [policy %s] %s", s[k].where, section, s[k].key);
    }
    return GS_OK;
}

enum gs_rc gs_module_check(const struct gs_module *m, const struct gs_setting *s, uint32_t n,
                           struct gs_err *err)
{
    struct gs_arena a = {0};
    struct gsp_value *v = GS_NEW_N(struct gsp_value, m->nparams + 1);
    enum gs_rc rc = gs_module_values(m, m->m->id, s, n, &a, v, err);
    gs_free(v);
    gs_arena_release(&a);
    return rc;
}
