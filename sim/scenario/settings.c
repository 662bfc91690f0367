/* settings.c - from a document of sections and keys to settings: the order of the work, and the sections one by one.
 *
 *     bytes -> ini.c -> document -> overrides -> unknown keys -> [scenario], [network], [priority], ... in a fixed order
 *           -> what no single value can tell (check.c, parts.c) -> settings, or every problem at once
 *
 * A section is filled by walking its kind's rows of the key table: the key's own entry, else the kind's default section's, else the
 * table's default. The same walk writes the list of keys in effect. Priorities are read before jobs, which name them. */
#include "sim/scenario/settings.h"

#include "sim/base/sort.h"
#include "sim/base/units.h"
#include "sim/scenario/load.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "sim/base/banned.h"

/* ---- finding and blaming ---- */

const struct gs_ini_entry *gs_load_entry(const struct gs_load *l, uint32_t section, const char *key)
{
    if (section == GS_NONE)
        return NULL;
    const struct gs_ini_section *s = &l->ini.sections.v[section];
    const struct gs_ini_entry *own = gs_ini_get(&l->ini, section, key);
    const struct gs_kind *kind = gs_kind_find(s->kind);
    if (own || *s->name == '\0' || !kind || (kind->flags & GS_KIND_NAMELESS))
        return own;
    return gs_ini_get(&l->ini, gs_ini_find(&l->ini, s->kind, ""), key);
}

int gs_load_said(const struct gs_load *l, const char *kind, const char *name, const char *key)
{
    const struct gs_key *k = gs_key_find(kind, key);
    gs_assert(!k || !k->def || k->unsaid ||
              k->type == GS_KEY_MODULE); /* else the keys in effect would say it */
    (void)k;
    return gs_load_entry(l, gs_ini_find(&l->ini, kind, name), key) != NULL;
}

void gs_blame(struct gs_load *l, const char *kind, const char *name, const char *key,
              const char *fmt, ...)
{
    char msg[900];
    va_list ap;
    va_start(ap, fmt);
    (void)vsnprintf(msg, sizeof msg, fmt, ap);
    va_end(ap);
    const uint32_t section = gs_ini_find(&l->ini, kind, name);
    const struct gs_ini_entry *e = key ? gs_load_entry(l, section, key) : NULL;
    struct gs_place at = {.file = GS_NONE, .line = GS_NONE, .where = l->ini.files.v[0].path};
    if (e)
        at = e->at;
    else if (section != GS_NONE)
        at = l->ini.sections.v[section].at;
    struct gs_buf head = {0};
    if (section != GS_NONE || *name)
        gs_buf_fmt(&head, "[%s%s%s]%s%s: ", kind, *name ? " " : "", name, key ? " " : "",
                   key ? key : "");
    gs_problem(&l->problems, &at, e ? e->value_column : 0, "%s%s", gs_buf_cstr(&head), msg);
    gs_buf_free(&head);
}

/* ---- what is not known ---- */

static void blame_section(struct gs_load *l, const struct gs_ini_section *s, const char *what)
{
    gs_problem(&l->problems, &s->at, 0, "[%s%s%s]: %s", s->kind, *s->name ? " " : "", s->name,
               what);
}

/* May the section stand, so that its keys are worth a look? */
static int check_section(struct gs_load *l, const struct gs_ini_section *s)
{
    const struct gs_kind *k = gs_kind_find(s->kind);
    if (!k && strchr(s->kind, '.')) {
        blame_section(
            l, s,
            "objects of modules are known to the format but not yet supported by this version");
    } else if (!k) {
        char what[128];
        const char *near = gs_kind_nearest(s->kind);
        gs_fmt(what, sizeof what, "unknown section%s%s%s", near ? ", the nearest known is [" : "",
               near ? near : "", near ? "]" : "");
        blame_section(l, s, what);
    } else if (k->flags & GS_KIND_LATER) {
        blame_section(l, s,
                      "this section is known to the format but not yet supported by this version");
    } else if (*s->name && !(k->flags & GS_KIND_NAMED)) {
        blame_section(l, s, "this section takes no name");
    } else {
        return 1;
    }
    return 0;
}

static void check_key(struct gs_load *l, const struct gs_ini_section *s,
                      const struct gs_ini_entry *e)
{
    const struct gs_kind *k = gs_kind_find(s->kind);
    const int is_instance = strcmp(s->kind, "policy") == 0 && *s->name;
    const int later = gs_key_is_later(k, e->key);
    if (is_instance || gs_key_find(s->kind, e->key) || ((k->flags & GS_KIND_FREE) && !later))
        return;
    char head[256];
    gs_fmt(head, sizeof head, "[%s%s%s] %.100s:", s->kind, *s->name ? " " : "", s->name, e->key);
    const char *dot = strchr(e->key, '.');
    const char *near = gs_key_nearest(s->kind, e->key);
    if (later)
        gs_problem(&l->problems, &e->at, e->key_column,
                   "%s this key is known to the format but not yet supported by this version",
                   head);
    else if (dot && !near)
        gs_problem(
            &l->problems, &e->at, e->key_column,
            "%s unknown key; parameters that modules declare on objects are known to the format but not yet supported by this version",
            head);
    else
        gs_problem(&l->problems, &e->at, e->key_column, "%s unknown key%s%s%s", head,
                   near ? ", the nearest known is '" : "", near ? near : "", near ? "'" : "");
}

static void check_known(struct gs_load *l)
{
    for (uint32_t i = 0; i < l->ini.sections.n; i++) {
        const struct gs_ini_section *s = &l->ini.sections.v[i];
        if (!check_section(l, s))
            continue;
        for (uint32_t j = l->begin[i]; j < l->begin[i + 1]; j++)
            check_key(l, s, &l->ini.entries.v[l->order[j]]);
    }
}

/* ---- filling a section ---- */

/* Entries by section, in the order of their writing: a counting sort. */
static void index_entries(struct gs_load *l)
{
    const size_t nsections = l->ini.sections.n;
    const size_t nentries = l->ini.entries.n;
    l->begin = GS_NEW_N(uint32_t, nsections + 1);
    l->order = GS_NEW_N(uint32_t, nentries);
    l->bad = GS_NEW_N(uint8_t, nentries);
    for (size_t i = 0; i < nentries; i++)
        l->begin[l->ini.entries.v[i].section]++;
    for (size_t i = 0, sum = 0; i <= nsections; i++) { /* begin[i] = where section i ends ... */
        sum += l->begin[i];
        l->begin[i] = (uint32_t)sum;
    }
    for (size_t i = nentries; i-- > 0;) /* ... and counts down to where it begins */
        l->order[--l->begin[l->ini.entries.v[i].section]] = (uint32_t)i;
}

static const char *folder_of(const struct gs_load *l, const struct gs_ini_entry *e)
{
    return l->ini.files.v[e && e->at.file < l->ini.files.n ? e->at.file : 0].dir;
}

static void put_entry(struct gs_load *l, const struct gs_key *k, const struct gs_ini_entry *e,
                      void *base)
{
    const struct gs_value_context c = {
        .s = l->s, .dir = folder_of(l, e), .check_files = 1, .where = e->at.where};
    struct gs_err err = {0};
    uint8_t *bad = &l->bad[e - l->ini.entries.v];
    gs_effective_entry(l, k, e);
    if (gs_value_put(&c, k, e->key, e->value, base, &err) == GS_OK || *bad)
        return;
    *bad = 1;
    const struct gs_ini_section *s = &l->ini.sections.v[e->section];
    gs_problem(&l->problems, &e->at, e->value_column, "[%s%s%s] %.100s: %s", s->kind,
               *s->name ? " " : "", s->name, e->key, err.msg);
}

/* Every entry that a wildcard row stands for: the kind's defaults that the section does not overrule, then its own. */
static void put_wildcard(struct gs_load *l, const struct gs_key *k, uint32_t section, void *base)
{
    const struct gs_ini_section *s = &l->ini.sections.v[section];
    const uint32_t from[2] = {gs_ini_find(&l->ini, s->kind, ""), section};
    for (int pass = 0; pass < 2; pass++) {
        for (uint32_t i = 0;
             from[pass] != GS_NONE && i < l->begin[from[pass] + 1] - l->begin[from[pass]]; i++) {
            const struct gs_ini_entry *e = &l->ini.entries.v[l->order[l->begin[from[pass]] + i]];
            if (gs_key_find(s->kind, e->key) == k &&
                (pass == 1 || !gs_ini_get(&l->ini, section, e->key)))
                put_entry(l, k, e, base);
        }
    }
}

static void put_default(struct gs_load *l, const struct gs_key *k, void *base)
{
    const struct gs_value_context c = {.s = l->s, .dir = "."};
    struct gs_err err = {0};
    if (k->type == GS_KEY_MODULE) { /* a part that is not named is the composite's own */
        const char *scheduler = l->s->scheduler;
        if (!scheduler || strcmp(scheduler, "composite") == 0)
            gs_effective_note(l, k->key, k->def, "default");
        return;
    }
    const enum gs_rc rc = gs_value_put(&c, k, k->key, k->def, base, &err);
    gs_verify(rc == GS_OK); /* the table's own text */
    (k->unsaid ? gs_effective_note : gs_effective_key)(l, k->key, k->def, "default");
}

/* Fills the struct at base from the section (GS_NONE: the kind has none, defaults only). */
static void fill(struct gs_load *l, const char *kind, uint32_t section, void *base)
{
    size_t n = 0;
    const struct gs_key *keys = gs_keys(&n);
    gs_effective_section(l, kind, section == GS_NONE ? "" : l->ini.sections.v[section].name);
    for (size_t i = 0; i < n; i++) {
        const struct gs_key *k = &keys[i];
        if (strcmp(k->section, kind) != 0 || strcmp(k->key, "include") == 0)
            continue;
        const struct gs_ini_entry *e = gs_load_entry(l, section, k->key);
        if (strchr(k->key, '*') && section != GS_NONE)
            put_wildcard(l, k, section, base);
        else if (e)
            put_entry(l, k, e, base);
        else if (k->def)
            put_default(l, k, base);
        /* clocks without a zone may rely on the scenario's from here on; its own fault is told already */
        if (e && strcmp(k->key, "zone") == 0 && base == l->s &&
            gs_zone_parse(e->value, &l->s->clock_zone, NULL) != GS_OK)
            l->s->clock_zone = gs_zone_fixed(0);
    }
}

/* The table's defaults, without a word in the list of keys in effect. */
static void default_values(struct gs_load *l, const char *kind, void *base)
{
    const struct gs_value_context c = {.s = l->s, .dir = "."};
    size_t n = 0;
    const struct gs_key *k = gs_keys(&n);
    for (size_t i = 0; i < n; i++)
        if (strcmp(k[i].section, kind) == 0 && k[i].def)
            gs_verify(gs_value_put(&c, &k[i], k[i].key, k[i].def, base, NULL) == GS_OK);
}

/* ---- the sections ---- */

static int compare_text(const void *a, const void *b, const void *ctx)
{
    (void)ctx;
    return strcmp(*(const char *const *)a, *(const char *const *)b);
}

static void read_nodes(struct gs_load *l, uint32_t section)
{
    const struct gs_ini_section *s = &l->ini.sections.v[section];
    struct gs_set_nodes n = {.name = s->name,
                             .where = s->at.where,
                             .count = 1,
                             .gpus = -1,
                             .cpus_milli = -1,
                             .memory_mib = -1,
                             .gpu_memory_mib = -1,
                             .nics = -1,
                             .power_cap_w = (double)NAN,
                             .price_per_h = (double)NAN,
                             .oversubscribe_gpu = 1,
                             .oversubscribe_memory = 1,
                             .until_ns = GS_NEVER};
    fill(l, "nodes", section, &n);
    const struct gs_ini_entry *inventory = gs_load_entry(l, section, "inventory");
    n.inventory_shown = inventory ? inventory->value : NULL;
    gs_sort(n.labels.v, n.labels.n, sizeof *n.labels.v, compare_text, NULL);
    gs_vec_push(&l->s->nodes, n);
}

static void read_queue(struct gs_load *l, uint32_t section)
{
    const struct gs_ini_section *s = &l->ini.sections.v[section];
    struct gs_set_queue q = {.name = s->name,
                             .where = s->at.where,
                             .quota = -1,
                             .limit = -1,
                             .quota_cpus = -1,
                             .limit_cpus = -1};
    fill(l, "queue", section, &q);
    gs_vec_push(&l->s->queues, q);
}

static void read_priority(struct gs_load *l, uint32_t section)
{
    const struct gs_ini_section *s = &l->ini.sections.v[section];
    struct gs_set_priority p = {.name = s->name, .where = s->at.where};
    fill(l, "priority", section, &p);
    if (!gs_load_entry(l, section, "value"))
        gs_blame(l, "priority", s->name, NULL, "needs a value");
    gs_vec_push(&l->s->priorities, p);
}

static void read_trace(struct gs_load *l, uint32_t section)
{
    const struct gs_ini_section *s = &l->ini.sections.v[section];
    struct gs_set_trace t = {.name = s->name, .where = s->at.where};
    gs_trace_options_init(&t.o);
    fill(l, "trace", section, &t);
    const struct gs_ini_entry *file = gs_load_entry(l, section, "file");
    t.o.shown = file ? file->value : NULL;
    t.o.columns = t.columns.v;
    t.o.ncolumns = t.columns.n;
    gs_vec_push(&l->s->traces, t);
}

static void read_workload(struct gs_load *l, uint32_t section)
{
    const struct gs_ini_section *s = &l->ini.sections.v[section];
    const uint32_t first = l->begin[section];
    const struct gs_ini_entry *e =
        first < l->begin[section + 1] ? &l->ini.entries.v[l->order[first]] : NULL;
    struct gs_set_workload w = {.name = s->name, .where = s->at.where};
    w.t.zero = 1;
    w.t.recompute = GS_RECOMPUTE_SELECTIVE;
    w.s.name = s->name;
    w.s.dir = folder_of(l, e);
    w.s.count = -1;
    w.s.to_ns = GS_NEVER;
    w.s.start_unix_ns = l->s->start_unix_ns;
    w.s.zone_offset_s = l->s->zone_offset_s;
    fill(l, "workload", section, &w);
    gs_vec_push(&l->s->workloads, w);
}

static void read_calls(struct gs_load *l, uint32_t section)
{
    const struct gs_ini_section *s = &l->ini.sections.v[section];
    const uint32_t first = l->begin[section];
    const struct gs_ini_entry *e =
        first < l->begin[section + 1] ? &l->ini.entries.v[l->order[first]] : NULL;
    struct gs_set_calls c = {.name = s->name, .where = s->at.where};
    c.s = (struct gs_synth_calls){.kind = s->kind,
                                  .name = s->name,
                                  .dir = folder_of(l, e),
                                  .count = -1,
                                  .to_ns = GS_NEVER,
                                  .start_unix_ns = l->s->start_unix_ns,
                                  .zone_offset_s = l->s->zone_offset_s};
    fill(l, s->kind, section, &c);
    if (strcmp(s->kind, "agents") == 0)
        c.s.program += GS_PROGRAM_LOOP; /* the words of [agents] begin with it */
    if (c.s.arrivals && (c.s.to_ns == GS_NEVER || c.s.to_ns > l->s->horizon_ns))
        c.s.to_ns = l->s->horizon_ns;
    gs_vec_push(&l->s->calls, c);
}

/* Calls read for every named section of the kind; a kind with nothing but defaults for others is a slip. */
static void read_each(struct gs_load *l, const char *kind,
                      void (*read)(struct gs_load *l, uint32_t section))
{
    size_t named = 0;
    uint32_t nameless = GS_NONE;
    for (uint32_t i = 0; i < l->ini.sections.n; i++) {
        const struct gs_ini_section *s = &l->ini.sections.v[i];
        if (strcmp(s->kind, kind) != 0)
            continue;
        if (*s->name) {
            read(l, i);
            named++;
        } else {
            nameless = i;
        }
    }
    if (nameless != GS_NONE && named == 0)
        gs_blame(l, kind, "", NULL,
                 "without a name it only holds defaults, and there is no [%s NAME]", kind);
}

static void read_scenario(struct gs_load *l)
{
    struct gs_settings *s = l->s;
    fill(l, "scenario", gs_ini_find(&l->ini, "scenario", ""), s);
    const struct gs_ini_entry *catalog =
        gs_load_entry(l, gs_ini_find(&l->ini, "scenario", ""), "catalog");
    s->catalog_shown = catalog ? catalog->value : NULL;
    const int64_t at = s->start_unix_ns == GS_NEVER ? 0 : s->start_unix_ns;
    s->zone_offset_s = s->clock_zone.name[0] ? gs_zone_offset(&s->clock_zone, at) : 0;
    s->name = s->name ? s->name : s->stem;
}

static void note_failures(struct gs_load *l)
{
    struct gs_set_failures *f = &l->s->failures;
    const uint32_t section = gs_ini_find(&l->ini, "failures", "");
    const struct gs_ini_entry *log =
        section == GS_NONE ? NULL : gs_ini_get(&l->ini, section, "log");
    f->said = section != GS_NONE;
    f->log_shown = log ? log->value : NULL;
}

/* The other kinds of which there is one section at most: their keys have their places in *s. */
static void read_single_sections(struct gs_load *l)
{
    size_t n = 0;
    const struct gs_kind *k = gs_kinds(&n);
    for (size_t i = 0; i < n; i++) {
        const uint32_t section = gs_ini_find(&l->ini, k[i].name, "");
        if (k[i].flags == GS_KIND_NAMELESS && section != GS_NONE &&
            strcmp(k[i].name, "scenario") != 0 && strcmp(k[i].name, "output") != 0)
            fill(l, k[i].name, section, l->s);
    }
    /* without these sections their models have the defaults of the table too */
    const char *const models[] = {"cost", "power"};
    for (size_t i = 0; i < sizeof models / sizeof *models; i++) {
        const uint32_t section = gs_ini_find(&l->ini, models[i], "");
        int *said = i == 0 ? &l->s->cost.said : &l->s->power.said;
        *said = section != GS_NONE;
        if (section == GS_NONE)
            default_values(l, models[i], l->s);
    }
    gs_network_read(l);
}

static void read_output(struct gs_load *l)
{
    struct gs_settings *s = l->s;
    fill(l, "output", gs_ini_find(&l->ini, "output", ""), s);
    s->series_said = gs_load_said(l, "output", "", "series");
    if (s->out_file)
        return;
    struct gs_buf b = {0};
    gs_buf_fmt(&b, "results/%s.h5", s->stem);
    s->out_file = gs_arena_str(&s->text, gs_buf_cstr(&b), b.n);
    gs_effective_note(l, "file", s->out_file, "default, under the current folder");
    gs_buf_free(&b);
}

static void read_all(struct gs_load *l)
{
    index_entries(l);
    check_known(l);
    read_scenario(l);
    read_single_sections(l);
    gs_plans_read(l);
    note_failures(l);
    read_each(l, "priority", read_priority);
    read_each(l, "queue", read_queue);
    read_each(l, "nodes", read_nodes);
    read_each(l, "trace", read_trace);
    read_each(l, "workload", read_workload);
    read_each(l, "service", read_calls);
    read_each(l, "agents", read_calls);
    fill(l, "policy", gs_ini_find(&l->ini, "policy", ""), l->s);
    gs_parts_resolve(l);
    read_output(l);
    gs_sweep_read(l);
    gs_check_all(l);
    gs_parts_check(l);
}

/* ---- loading ---- */

static void name_the_file(struct gs_settings *s, const char *path)
{
    const char *slash = strrchr(path, '/');
    const char *base = slash ? slash + 1 : path;
    const char *dot = strrchr(base, '.');
    const size_t n = dot && dot != base ? (size_t)(dot - base) : strlen(base);
    s->path = gs_arena_str(&s->text, path, strlen(path));
    s->dir = gs_path_dir(&s->text, path);
    s->stem = strcmp(path, "-") == 0 || n == 0 ? "stdin" : gs_arena_str(&s->text, base, n);
}

static enum gs_rc load_text(struct gs_settings *s, const struct gs_settings_text *src,
                            const struct gs_override *over, size_t nover, const char *policy_path,
                            int jobs_only, struct gs_err *err)
{
    *s = (struct gs_settings){.start_unix_ns = GS_NEVER, .horizon_ns = GS_NEVER};
    s->power.host_w = (double)NAN;
    name_the_file(s, src->path);
    struct gs_load l = {.s = s, .policy_path = policy_path, .jobs_only = jobs_only};
    l.ini.text = &s->text;
    l.ini.problems = &l.problems;
    gs_ini_read(&l.ini, src->path, src->text, src->n);
    for (size_t i = 0; i < nover; i++) {
        gs_override_apply(&l, &over[i]);
        l.is_point |= strcmp(over[i].where, "[sweep]") == 0;
    }
    if (l.problems.total == 0 ||
        l.ini.sections.n) /* an empty or binary file has been complained about: that is enough */
        read_all(&l);
    const enum gs_rc rc = gs_problems_report(&l.problems, &s->problems, err);
    gs_problems_release(&l.problems);
    gs_ini_release(&l.ini);
    gs_free(l.order);
    gs_free(l.begin);
    gs_free(l.bad);
    return rc;
}

enum gs_rc gs_settings_load_text(struct gs_settings *s, const struct gs_settings_text *src,
                                 const struct gs_override *over, size_t nover,
                                 const char *policy_path, struct gs_err *err)
{
    return load_text(s, src, over, nover, policy_path, 0, err);
}

static enum gs_rc load_file(struct gs_settings *s, const char *path, const struct gs_override *over,
                            size_t nover, const char *policy_path, int jobs_only,
                            struct gs_err *err)
{
    struct gs_settings_text src = {.path = path};
    char *text = NULL;
    *s = (struct gs_settings){0};
    const enum gs_rc rc = gs_ini_slurp(path, 0, &text, &src.n, err);
    if (rc != GS_OK)
        return rc;
    src.text = text;
    const enum gs_rc loaded = load_text(s, &src, over, nover, policy_path, jobs_only, err);
    gs_free(text);
    return loaded;
}

enum gs_rc gs_settings_load(struct gs_settings *s, const char *path, const struct gs_override *over,
                            size_t nover, const char *policy_path, struct gs_err *err)
{
    return load_file(s, path, over, nover, policy_path, 0, err);
}

enum gs_rc gs_settings_load_jobs(struct gs_settings *s, const char *path,
                                 const struct gs_override *over, size_t nover, struct gs_err *err)
{
    return load_file(s, path, over, nover, NULL, 1, err);
}

/* The vectors inside of vectors. */
static void release_inner(struct gs_settings *s)
{
    gs_vec_free(&s->cost.prices);
    for (size_t i = 0; i < s->nodes.n; i++)
        gs_vec_free(&s->nodes.v[i].labels);
    for (size_t i = 0; i < s->traces.n; i++)
        gs_vec_free(&s->traces.v[i].columns);
    for (size_t i = 0; i < s->workloads.n; i++)
        gs_vec_free(&s->workloads.v[i].s.classes);
    for (size_t i = 0; i < s->policies.n; i++)
        gs_vec_free(&s->policies.v[i].set);
    for (size_t i = 0; i < s->sweep.n; i++)
        gs_vec_free(&s->sweep.v[i].values);
}

void gs_settings_release(struct gs_settings *s)
{
    release_inner(s);
    gs_free(s->nodes.v);
    gs_free(s->queues.v);
    gs_free(s->priorities.v);
    gs_free(s->traces.v);
    gs_free(s->workloads.v);
    gs_free(s->calls.v);
    gs_free(s->policies.v);
    gs_free(s->sweep.v);
    gs_vec_free(&s->plans);
    gs_free(s->expect.v);
    gs_buf_free(&s->effective);
    gs_buf_free(&s->problems);
    gs_arena_release(&s->text);
    *s = (struct gs_settings){0};
}
