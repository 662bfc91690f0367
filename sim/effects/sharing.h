/* sharing.h - processes of several jobs on one GPU: how a node shares its GPUs out, and what goes wrong.
 *
 *              a process gets                         memory                          a fatal fault
 *   none       what it asked for, undisturbed         as the ledger accounts          ends its job
 *   time-slice turns of equal length                  no limit of its own: the sum    ends all jobs of the GPU (one fault domain)
 *                                                     may pass what is there
 *   mps        at most its share of the SMs           at most what it claimed         ends all jobs of the GPU
 *   hami       at most its share, on average; with    at most what it claimed         ends its job
 *              :soft also what others leave idle
 *
 * On top of it comes the model of interference ([scenario] interference). Whole GPUs are not shared and feel none of it. The ledger
 * accounts shares in every mode, and memory in all but time-slice, whose devices admit up to N times theirs. */
#ifndef GS_EFFECTS_SHARING_H
#define GS_EFFECTS_SHARING_H

#include "sim/base/err.h"

#include <stdint.h>

struct gs_run;
struct gs_settings;
struct gs_set_nodes;

enum gs_sharing_mode {
    GS_SHARING_NONE,
    GS_SHARING_TIME_SLICE,
    GS_SHARING_MPS,
    GS_SHARING_HAMI
};

struct gs_sharing { /* of the nodes of a section */
    enum gs_sharing_mode mode;
    uint32_t replicas;     /* N of time-slice:N and mps:N; 0 = shares of any size */
    uint32_t switch_milli; /* of a turn, lost to switching */
    int soft;              /* hami: idle share may be used */
    uint32_t node_end;     /* the sections' nodes stand behind each other */
};

enum {
    GS_MPS_CLIENTS = 48, /* of one GPU */
    GS_REPLICAS_MAX = 1000
};

/* What [nodes] sharing and switch_cost say. GS_E_INPUT: not a mode. */
GS_NODISCARD enum gs_rc gs_sharing_parse(const struct gs_set_nodes *n, struct gs_sharing *out,
                                         struct gs_err *err);
/* The job is about to end by a fatal fault: those that share its fault domain fail. */
void gs_sharing_fault(struct gs_run *r, uint32_t slot);

#endif
