/* load.h - a scenario while it is being loaded: what the files of this room share and nobody else sees. */
#ifndef GS_SCENARIO_LOAD_H
#define GS_SCENARIO_LOAD_H

#include "sim/scenario/ini.h"
#include "sim/scenario/keys.h"
#include "sim/scenario/settings.h"
#include "sim/scenario/value.h"

struct gs_load {
    struct gs_settings *s;
    struct gs_ini ini;
    struct gs_problems problems;
    const char *policy_path; /* NULL = modules are not looked at */
    uint32_t *order;         /* entries by section, then as written ... */
    uint32_t *begin;         /* ... those of section i are order[begin[i] .. begin[i + 1]) */
    uint8_t *bad;            /* entries that have been complained about: once is enough */
    int jobs_only;           /* neither nodes nor modules are needed */
    int is_point;            /* an override says [sweep]: this is one point of the product */
};

/* Reports "[kind name] key: ..." at the key's line, or at its section's if the key is not there (key NULL: the section itself). */
void gs_blame(struct gs_load *l, const char *kind, const char *name, const char *key,
              const char *fmt, ...) GS_PRINTF(5, 6);
/* The entry of a key, looked for in the section and then among its kind's defaults; NULL if it was not said. */
const struct gs_ini_entry *gs_load_entry(const struct gs_load *l, uint32_t section,
                                         const char *key);
int gs_load_said(const struct gs_load *l, const char *kind, const char *name, const char *key);

/* overrides.c */
void gs_override_apply(struct gs_load *l,
                       const struct gs_override *o); /* "kind.name.key=value" into the document */
int gs_override_split(const char *path, struct gs_arena *a, const char **kind, const char **name,
                      const char **key); /* 0: not a path */

/* sweep.c */
void gs_sweep_read(struct gs_load *l);

/* plan_csv.c: [calendar] file */
void gs_plans_read(struct gs_load *l);

/* parts.c: [policy], presets, modules and their parameters */
void gs_parts_resolve(struct gs_load *l);
void gs_parts_check(struct gs_load *l);

/* network.c: the lists of [network], and what its kinds need */
void gs_network_read(struct gs_load *l);

/* check.c: what no single value can tell */
void gs_check_all(struct gs_load *l);

/* check_training.c: a workload whose jobs are training runs; settles its kind and its gpus */
void gs_check_training(struct gs_load *l, struct gs_set_workload *w);

/* effective.c */
void gs_effective_section(struct gs_load *l, const char *kind, const char *name);
void gs_effective_key(struct gs_load *l, const char *key, const char *value, const char *origin);
void gs_effective_entry(struct gs_load *l, const struct gs_key *k,
                        const struct gs_ini_entry *e); /* k NULL: not in the table */
void gs_effective_note(struct gs_load *l, const char *key, const char *value,
                       const char *origin); /* as a comment */

#endif
