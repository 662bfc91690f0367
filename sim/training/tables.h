/* tables.h - models and GPUs of the catalog as the records that the step model works with. */
#ifndef GS_TRAINING_TABLES_H
#define GS_TRAINING_TABLES_H

#include "sim/hardware/catalog.h"
#include "sim/network/measured.h"
#include "sim/training/train.h"

/* The shapes of a model of the catalog, whose text it points to. */
struct gs_lm gs_lm_of(const struct gs_llm *m);
/* A GPU in a machine whose NVLink domain (else node) has so many of them, each with nic_gbs GB/s of network. What is 0 is taken from
 * the first server of the catalog with that GPU; if none tells, 8 GPUs and 50 GB/s. m may be NULL (nothing measured). */
struct gs_train_gpu gs_train_gpu_of(const struct gs_catalog *c, const struct gs_gpu_model *g,
                                    uint32_t domain, double nic_gbs,
                                    const struct gs_measurements *m);
/* GPUs that a server's links join, and GB/s of a GPU's share of its NICs; 0 = not known. */
void gs_train_server_links(const struct gs_server_model *s, uint32_t *domain, double *nic_gbs);

#endif
