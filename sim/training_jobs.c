/* training_jobs.c - from the words of a [workload] to a run time, a communication share and a memory account (training_jobs.h). */
#include "sim/training_jobs.h"

#include "sim/base/fmath.h"
#include "sim/training/tables.h"

#include <math.h>
#include <string.h>

#define RUN_MAX_S 3155760000.0 /* 100 years */

struct gs_training {
    GS_VEC(struct gs_training_job) runs;
    struct gs_measurements measurements;
};

static struct gs_training *training(struct gs_run *r)
{
    if (!r->training) {
        r->training = GS_NEW(struct gs_training);
        gs_catalog_need(&r->catalog, GS_CATALOG_MODELS);
        gs_measurements_load(&r->training->measurements, &r->catalog);
    }
    return r->training;
}

void gs_training_release(struct gs_run *r)
{
    if (!r->training)
        return;
    gs_vec_free(&r->training->runs);
    gs_measurements_release(&r->training->measurements);
    gs_free(r->training);
    r->training = NULL;
}

/* Is the GPU among "A|B"? Nothing said: any. */
static int accepts(const char *list, const char *gpu)
{
    const size_t n = strlen(gpu);
    for (const char *p = list ? list : gpu; p && *p; p = strchr(p, '|') ? strchr(p, '|') + 1 : NULL)
        if (strncmp(p, gpu, n) == 0 && (p[n] == '\0' || p[n] == '|'))
            return 1;
    return 0;
}

/* The first machine of the cluster with a GPU that will do. */
static int reference_gpu(struct gs_run *r, const struct gs_settings *s, const char *list,
                         struct gs_train_gpu *out)
{
    for (size_t i = 0; i < s->nodes.n; i++) {
        const struct gs_set_nodes *n = &s->nodes.v[i];
        const struct gs_server_model *server =
            n->type ? gs_catalog_server(&r->catalog, n->type) : NULL;
        const char *name = n->gpu ? n->gpu : server ? server->gpu : "";
        const struct gs_gpu_model *g = *name ? gs_catalog_gpu(&r->catalog, name) : NULL;
        if (!g || !accepts(list, g->name))
            continue;
        uint32_t domain = 0;
        double nic = 0;
        if (server)
            gs_train_server_links(server, &domain, &nic);
        if (n->gpus >= 0)
            domain = (uint32_t)n->gpus;
        *out = gs_train_gpu_of(&r->catalog, g, domain, nic, &training(r)->measurements);
        if (n->gpu_memory_mib >= 0)
            out->mem_gib = (double)n->gpu_memory_mib / 1024;
        return 1;
    }
    return 0;
}

static struct gs_train spec_of(const struct gs_set_train *t, const struct gs_lm *lm)
{
    return (struct gs_train){.lm = *lm,
                             .batch = t->batch,
                             .sequence = t->sequence,
                             .microbatch = t->microbatch,
                             .tp = t->degrees.tp,
                             .pp = t->degrees.pp,
                             .cp = t->degrees.cp,
                             .dp = t->degrees.dp,
                             .ep = t->degrees.ep,
                             .interleave = t->interleave,
                             .zero = t->zero,
                             .precision = (enum gs_precision)t->precision,
                             .recompute = (enum gs_recompute)t->recompute,
                             .efficiency = t->efficiency};
}

static enum gs_rc settle(struct gs_run *r, const struct gs_settings *s,
                         const struct gs_set_workload *w, struct gs_training_job *run,
                         struct gs_err *err)
{
    (void)training(r);
    const struct gs_llm *row = gs_catalog_model(&r->catalog, w->t.model);
    if (!row)
        return gs_fail(err, GS_E_INPUT, "model: no '%s' in the catalog of models", w->t.model);
    const struct gs_lm lm = gs_lm_of(row);
    if (!reference_gpu(r, s, w->s.gpu, &run->gpu))
        return gs_fail(
            err, GS_E_INPUT,
            "model: no node has a GPU of the catalog that the jobs accept, so that their step time is not known");
    run->train = spec_of(&w->t, &lm);
    const enum gs_rc rc = gs_train_complete(&run->train, &run->gpu, err);
    if (rc)
        return rc;
    const struct gs_train_place tight = gs_train_tightest(&run->train, &run->gpu);
    gs_train_step(&run->train, &run->gpu, &tight, &run->step);
    const double per_step = (double)run->train.batch * run->train.sequence;
    run->steps = w->t.steps > 0 ? w->t.steps : w->t.tokens / per_step;
    if (!(run->steps * run->step.step_s <= RUN_MAX_S))
        return gs_fail(err, GS_E_INPUT, "work: %g steps of %g s are over 100 years", run->steps,
                       run->step.step_s);
    run->run_ns = gs_ns(run->steps * run->step.step_s);
    return GS_OK;
}

static void weigh(struct gs_run *r, struct gs_training_job *run)
{
    struct gs_buf b = {0};
    gs_memory_train(&run->train, run->gpu.mem_gib, &run->memory, &b);
    run->arithmetic = gs_arena_str(&r->text, gs_buf_cstr(&b), b.n);
    gs_buf_clear(&b);
    gs_buf_fmt(&b, "does not fit into the memory of its GPUs: %s", run->arithmetic);
    run->misfit = gs_arena_str(&r->text, gs_buf_cstr(&b), b.n);
    gs_buf_free(&b);
}

enum gs_rc gs_training_add(struct gs_run *r, const struct gs_settings *s,
                           const struct gs_set_workload *w, struct gs_synth *synth,
                           struct gs_err *err)
{
    struct gs_training_job run = {.section = w->name};
    if (!w->t.model)
        return GS_OK;
    const enum gs_rc rc = settle(r, s, w, &run, err);
    if (rc)
        return gs_wrap(err, "[workload %s]", w->name);
    weigh(r, &run);
    const struct gs_train_place tight = gs_train_tightest(&run.train, &run.gpu);
    const struct gs_train_pace pace = gs_train_pace(&run.train, &run.gpu, &tight);
    gs_vec_push(&training(r)->runs, run);
    synth->run_ns = run.run_ns;
    synth->comm = (double)pace.communication / 1073741824.0;
    synth->train = (uint32_t)training(r)->runs.n;
    if (!w->s.gpu) /* a step time of one GPU is not that of another */
        synth->gpu = run.gpu.name;
    return GS_OK;
}

const struct gs_training_job *gs_training_of(const struct gs_run *r, const struct gs_job *j)
{
    return j->train ? &r->training->runs.v[j->train - 1] : NULL;
}

const char *gs_training_misfit(const struct gs_run *r, const struct gs_job *j)
{
    const struct gs_training_job *run = gs_training_of(r, j);
    return run && !run->memory.fits ? run->misfit : NULL;
}

size_t gs_training_jobs(const struct gs_run *r)
{
    return r->training ? r->training->runs.n : 0;
}

const struct gs_training_job *gs_training_job(const struct gs_run *r, size_t i)
{
    return &r->training->runs.v[i];
}
