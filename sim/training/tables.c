/* tables.c - rows of models.csv, gpus.csv and servers.csv as records of the step model (tables.h). */
#include "sim/training/tables.h"

#include <math.h>
#include <string.h>

#include "sim/base/banned.h"

#define USUAL_DOMAIN 8
#define USUAL_NIC    50.0 /* 400 Gb/s */
#define PCIE4        31.5

static uint32_t known(int32_t x)
{
    return x > 0 ? (uint32_t)x : 0;
}

struct gs_lm gs_lm_of(const struct gs_llm *m)
{
    return (struct gs_lm){
        .name = m->name,
        .layers = known(m->layers),
        .hidden = known(m->hidden),
        .q_heads = known(m->q_heads),
        .kv_heads = known(m->kv_heads),
        .head_dim = known(m->head_dim),
        .ffn = known(m->ffn),
        .vocab = known(m->vocab),
        .experts = known(m->experts),
        .topk = known(m->experts_per_token),
        .shared_experts = known(m->shared_experts),
        .moe_ffn = known(m->moe_ffn),
        .dense_layers = known(m->dense_layers),
        .window = known(m->window),
        .window_layers = known(m->window_layers),
        .mtp_layers = known(m->mtp_layers),
        .q_lora = known(m->q_lora),
        .kv_lora = known(m->kv_lora),
        .rope_dim = known(m->rope_dim),
        .gated = strcmp(m->mlp, "plain") != 0,
        .tied = strcmp(m->tied, "yes") == 0,
        .learned_positions = strcmp(m->positions, "learned") == 0,
        .params_e9 = m->params < 0 ? (double)NAN : (double)m->params / 1e9,
        .active_e9 = m->active_params < 0 ? (double)NAN : (double)m->active_params / 1e9,
        .kv_bytes_per_token =
            m->kv_bytes_per_token < 0 ? (double)NAN : (double)m->kv_bytes_per_token,
        .unverified = m->unverified,
    };
}

void gs_train_server_links(const struct gs_server_model *s, uint32_t *domain, double *nic_gbs)
{
    *domain = s->nvlink_domain > s->gpus ? s->nvlink_domain : s->gpus;
    *nic_gbs = s->gpus && s->nics && !isnan(s->nic_gbps) ? s->nic_gbps / 8 * s->nics / s->gpus : 0;
}

/* Of the first server with that GPU whose network is known. */
static void usual_links(const struct gs_catalog *c, const char *gpu, uint32_t *domain,
                        double *nic_gbs)
{
    *domain = 0;
    *nic_gbs = 0;
    for (size_t i = 0; i < c->nservers && *nic_gbs <= 0; i++) {
        const struct gs_server_model *s = &c->servers[i];
        if (strcmp(s->gpu, gpu) == 0 || strstr(s->gpu_alternatives, gpu))
            gs_train_server_links(s, domain, nic_gbs);
    }
}

struct gs_train_gpu gs_train_gpu_of(const struct gs_catalog *c, const struct gs_gpu_model *g,
                                    uint32_t domain, double nic_gbs,
                                    const struct gs_measurements *m)
{
    uint32_t usual;
    double nic;
    usual_links(c, g->name, &usual, &nic);
    struct gs_train_gpu out = {.name = g->name,
                               .tflops = {[GS_PREC_BF16] = g->bf16_tflops,
                                          [GS_PREC_FP16] = g->fp16_tflops,
                                          [GS_PREC_FP8] = g->fp8_tflops,
                                          [GS_PREC_FP4] = g->fp4_tflops},
                               .mem_gbs = g->mem_bw_gbs,
                               .mem_gib = g->memory_mib < 0 ? 0 : (double)g->memory_mib / 1024,
                               .inter_gbs = nic_gbs > 0 ? nic_gbs
                                            : nic > 0   ? nic
                                                        : USUAL_NIC,
                               .generation = gs_gpu_generation(g->arch),
                               .nvlink = g->nvlink_uni_gbs > 0,
                               .nvls = 1,
                               .domain = domain  ? domain
                                         : usual ? usual
                                                 : USUAL_DOMAIN};
    out.intra_gbs = out.nvlink ? g->nvlink_uni_gbs : g->pcie_gbs > 0 ? g->pcie_gbs : PCIE4;
    const struct gs_measured *x = m ? gs_measured_find(m, g->name, 1, out.domain) : NULL;
    out.measured_ranks = x ? out.domain : 0;
    out.measured = x ? &x->curve : NULL;
    return out;
}
