/* parts.c - [policy] and [policy NAME]: which module takes which decision, and its parameters.
 *
 * A [policy NAME] section is one instance of a module (default: the module called NAME). With `module = composite` it is a preset
 * instead: its keys are the four parts, and `scheduler = NAME` chooses them together, so that one axis of a sweep can compare
 * whole policies. Presets are resolved here; later rooms only see parts. Parameters are checked against the module's own
 * table by the host, all of them at once and, if that fails, one by one to find every slip. */
#include "sim/scenario/load.h"

#include <string.h>

#include "sim/base/banned.h"

static const char *const part_keys[GS_ROLE_COUNT] = {"scheduler", "order",      "placement",
                                                     "backfill",  "preemption", "partitioner"};

static int is_composite(const char *word)
{
    return !word || strcmp(word, "composite") == 0;
}

static int is_named_policy(const struct gs_load *l, uint32_t section)
{
    const struct gs_ini_section *s = &l->ini.sections.v[section];
    return strcmp(s->kind, "policy") == 0 && *s->name != '\0';
}

static int is_preset(const struct gs_load *l, uint32_t section)
{
    const struct gs_ini_entry *e = gs_ini_get(&l->ini, section, "module");
    return e && strcmp(e->value, "composite") == 0;
}

/* The parts that a preset names, into role[]. */
static void read_preset(struct gs_load *l, uint32_t section, const char *role[GS_ROLE_COUNT])
{
    const char *name = l->ini.sections.v[section].name;
    const struct gs_value_context c = {.s = l->s, .dir = "."};
    for (uint32_t i = l->begin[section]; i < l->begin[section + 1]; i++) {
        const struct gs_ini_entry *e = &l->ini.entries.v[l->order[i]];
        size_t r = GS_ROLE_ORDER;
        while (r < GS_ROLE_PARTITIONER && strcmp(part_keys[r], e->key) != 0)
            r++;
        struct gs_err err = {0};
        struct gs_settings *scratch = GS_NEW(struct gs_settings);
        if (strcmp(e->key, "module") == 0)
            ;
        else if (r == GS_ROLE_PARTITIONER)
            gs_blame(
                l, "policy", name, e->key,
                "unknown key, the parts of the composite scheduler are order, placement, backfill, preemption");
        else if (gs_value_put(&c, gs_key_find("policy", e->key), e->key, e->value, scratch, &err) !=
                 GS_OK)
            gs_blame(l, "policy", name, e->key, "%s", err.msg);
        else
            role[r] = e->value;
        gs_free(scratch);
    }
}

static void read_instance(struct gs_load *l, uint32_t section)
{
    const struct gs_ini_section *sec = &l->ini.sections.v[section];
    struct gs_set_policy p = {.name = sec->name, .module = sec->name, .where = sec->at.where};
    for (uint32_t i = l->begin[section]; i < l->begin[section + 1]; i++) {
        const struct gs_ini_entry *e = &l->ini.entries.v[l->order[i]];
        if (strcmp(e->key, "module") == 0)
            p.module = e->value;
        else
            gs_vec_push(&p.set, (struct gs_setting){e->key, e->value, e->at.where});
    }
    gs_vec_push(&l->s->policies, p);
}

void gs_parts_resolve(struct gs_load *l)
{
    struct gs_settings *s = l->s;
    const char *chosen = s->scheduler;
    for (uint32_t i = 0; i < l->ini.sections.n; i++) {
        if (!is_named_policy(l, i))
            continue;
        const char *name = l->ini.sections.v[i].name;
        gs_effective_section(l, "policy", name);
        for (uint32_t j = l->begin[i]; j < l->begin[i + 1]; j++)
            gs_effective_entry(l, NULL, &l->ini.entries.v[l->order[j]]);
        if (!is_preset(l, i)) {
            read_instance(l, i);
            continue;
        }
        const char *unused[GS_ROLE_COUNT] = {0};
        const int is_chosen = chosen && strcmp(name, chosen) == 0;
        read_preset(l, i, is_chosen ? s->role : unused);
        if (is_chosen)
            s->scheduler = NULL;
    }
    if (is_composite(s->scheduler))
        s->scheduler = NULL;
    s->role[GS_ROLE_SCHEDULER] = s->scheduler;
    for (size_t r = GS_ROLE_BACKFILL; r <= GS_ROLE_PREEMPTION; r++)
        if (s->role[r] && strcmp(s->role[r], "none") == 0)
            s->role[r] = NULL;
}

/* ---- modules ---- */

/* Opens a module; a module that cannot be opened is blamed on the key that names it. */
static struct gs_module *open_module(struct gs_load *l, const char *id, const char *name,
                                     const char *key)
{
    struct gs_err err = {0};
    struct gs_module *m = NULL;
    if (gs_module_open(l->policy_path, id, &m, &err) == GS_OK)
        return m;
    gs_blame(l, "policy", name, key, "%s", err.msg);
    return NULL;
}

/* The host says where, "file:line: [policy x] key: "; here the list of problems does. */
static const char *without_place(const char *msg, const struct gs_setting *one, const char *module)
{
    struct gs_buf head = {0};
    gs_buf_fmt(&head, "%s: ", one->where);
    size_t skip = strncmp(msg, gs_buf_cstr(&head), head.n) == 0 ? head.n : 0;
    gs_buf_fmt(&head, "[policy %s] %s: ", module, one->key);
    if (strncmp(msg, gs_buf_cstr(&head), head.n) == 0)
        skip = head.n;
    gs_buf_free(&head);
    return msg + skip;
}

static void check_parameters(struct gs_load *l, const struct gs_set_policy *p)
{
    const int said = gs_load_said(l, "policy", p->name, "module");
    struct gs_module *m = open_module(l, p->module, p->name, said ? "module" : NULL);
    if (!m)
        return;
    struct gs_err all = {0};
    if (gs_module_check(m, p->set.v, (uint32_t)p->set.n, &all) != GS_OK) {
        size_t blamed = 0;
        for (size_t i = 0; i < p->set.n; i++) {
            const struct gs_setting *one = &p->set.v[i];
            struct gs_err err = {0};
            if (gs_module_check(m, one, 1, &err) == GS_OK)
                continue;
            const char *msg = without_place(err.msg, one, p->module);
            gs_blame(l, "policy", p->name, one->key, "%s", msg);
            blamed++;
        }
        if (blamed == 0)
            gs_blame(l, "policy", p->name, NULL, "%s", all.msg);
    }
    gs_module_close(m);
}

static int has_section(const struct gs_settings *s, const char *name)
{
    for (size_t i = 0; i < s->policies.n; i++)
        if (strcmp(s->policies.v[i].name, name) == 0)
            return 1;
    return 0;
}

/* Sections that nobody refers to are more likely a slip than a wish. */
static void check_parts(struct gs_load *l)
{
    struct gs_settings *s = l->s;
    for (size_t r = GS_ROLE_ORDER; r < GS_ROLE_PARTITIONER; r++)
        if (s->scheduler && gs_load_said(l, "policy", "", part_keys[r]))
            gs_blame(l, "policy", "", part_keys[r],
                     "is a part of the composite scheduler, and scheduler = %s is another one",
                     s->scheduler);
    for (size_t r = 0; r < GS_ROLE_COUNT; r++) {
        const uint32_t section = s->role[r] ? gs_ini_find(&l->ini, "policy", s->role[r]) : GS_NONE;
        if (section != GS_NONE && r > 0 && is_preset(l, section))
            gs_blame(l, "policy", "", part_keys[r],
                     "'%s' is a preset of all four parts: use it as scheduler", s->role[r]);
    }
}

void gs_parts_check(struct gs_load *l)
{
    struct gs_settings *s = l->s;
    check_parts(l);
    if (!l->policy_path)
        return;
    for (size_t i = 0; i < s->policies.n; i++)
        check_parameters(l, &s->policies.v[i]);
    for (size_t r = 0; r < GS_ROLE_COUNT; r++) {
        if (!s->role[r] || has_section(s, s->role[r]) ||
            gs_ini_find(&l->ini, "policy", s->role[r]) != GS_NONE)
            continue;
        struct gs_module *m = open_module(l, s->role[r], "", part_keys[r]);
        if (m)
            gs_module_close(m);
    }
}
