/* mig.h - where MIG instances may stand: the exact geometry of a device.
 *
 * A device in MIG mode is a line of memory slices. A profile takes `size` of them from one of its
 * legal starts on, and some compute slices that have no place of their own. A set of instances is
 * valid if each stands on a legal start, no two overlap, no profile has more than its largest
 * number, the compute slices suffice, and the media rules hold: at most one +me; beside a +me.all
 * only -me. Drivers before R510 also forbade a profile of 4 compute slices together with one of 3.
 *
 * All questions are about a set (struct gs_mig_set), which is small and passed by address; a profile
 * is named by its position in the geometry. Nothing allocates but gs_mig_count.
 *
 * Sources: the placement lists and the largest numbers are the drivers' listings (the catalog's
 * table `mig`); the rules are those of NVIDIA's MIG guide and of NVML's header. Compute instances
 * within an instance are not modelled: each has one, of its full size. */
#ifndef GS_HARDWARE_MIG_H
#define GS_HARDWARE_MIG_H

#include "sim/base/err.h"

#include <stddef.h>
#include <stdint.h>

enum {
    GS_MIG_PROFILES_MAX = 16, /* of one geometry */
    GS_MIG_SLICES_MAX = 16,
    GS_MIG_COMPUTE_MAX = 8
};

enum gs_mig_media {
    GS_MIG_MEDIA_OWN, /* its part of the engines, if any */
    GS_MIG_MEDIA_ME,  /* +me: the device has one to give */
    GS_MIG_MEDIA_ALL, /* +me.all: all of them */
    GS_MIG_MEDIA_NONE /* -me */
};

struct gs_mig_shape {
    const char *name;      /* "1g.10gb+me" */
    uint8_t compute, size; /* compute slices, memory slices */
    uint8_t most;          /* instances a device */
    uint8_t media;         /* enum gs_mig_media */
    uint16_t sms;          /* 0 = not known */
    uint16_t id;           /* of its name, across devices; from 1 (0 where there is no book) */
    uint32_t mem_mib;      /* 0 = not known */
    uint32_t starts;       /* bit s: it may start at slice s */
};

struct gs_mig_geometry {
    const char *name;        /* "A100-80GB" */
    uint8_t slices, compute; /* of the device */
    uint8_t old_driver;      /* before R510: no 4g beside a 3g */
    uint8_t n;               /* profiles */
    struct gs_mig_shape p[GS_MIG_PROFILES_MAX];
};

/* The instances of a device, as far as the rules look at them. All zero = none. */
struct gs_mig_set {
    uint32_t occupied; /* bit s: slice s */
    uint8_t compute, total;
    uint8_t n[GS_MIG_PROFILES_MAX];
};

struct gs_mig_place {
    uint8_t profile, start;
};

static inline uint32_t gs_mig_mask(const struct gs_mig_shape *p, uint32_t start)
{
    return ((UINT32_C(1) << p->size) - 1) << start;
}

/* The profile of that name (without regard to case), GS_MIG_NONE if the geometry has none. */
#define GS_MIG_NONE UINT32_MAX
uint32_t gs_mig_find(const struct gs_mig_geometry *g, const char *name);
/* May one more instance be created there, now? */
int gs_mig_allows(const struct gs_mig_geometry *g, const struct gs_mig_set *s, uint32_t profile,
                  uint32_t start);
void gs_mig_put(const struct gs_mig_geometry *g, struct gs_mig_set *s, uint32_t profile,
                uint32_t start);
void gs_mig_take(const struct gs_mig_geometry *g, struct gs_mig_set *s, uint32_t profile,
                 uint32_t start);
/* All starts at which one more of the profile may be created now, as bits. */
uint32_t gs_mig_starts(const struct gs_mig_geometry *g, const struct gs_mig_set *s,
                       uint32_t profile);
/* The start that a placer without a plan takes: profiles of 1 and of 3 compute slices from the
 * highest down, others from the lowest up, which keeps the halves whole; GS_MIG_NONE = no room. */
uint32_t gs_mig_choose(const struct gs_mig_geometry *g, const struct gs_mig_set *s,
                       uint32_t profile);
/* How many of the profile may be created one beside the other, taken from the highest start down. */
uint32_t gs_mig_placeable(const struct gs_mig_geometry *g, const struct gs_mig_set *s,
                          uint32_t profile);
/* Free slices that no profile can reach any more. */
uint32_t gs_mig_unreachable(const struct gs_mig_geometry *g, const struct gs_mig_set *s);

/* Places want[profile] instances of each profile beside what is there, or finds that it cannot be
 * done (0), by backtracking: profiles with the fewest starts first, then the larger. out has room for
 * GS_MIG_SLICES_MAX; returns 1 and their number in *n. */
int gs_mig_fit(const struct gs_mig_geometry *g, const struct gs_mig_set *s,
               const uint8_t want[GS_MIG_PROFILES_MAX], struct gs_mig_place *out, uint32_t *n);

/* A layout by name, as places: "all-disabled" is none and *mode 0; "all-enabled" none; "all-PROFILE" as
 * many as go ('.' may stand for '+'); "all-balanced" 2 x 1g, 1 x 2g and, on devices of seven compute
 * slices, 1 x 3g; else a list "1g.10gb:2 3g.40gb" (":1" may be left out). What stands behind a '/' is
 * another device's. */
GS_NODISCARD enum gs_rc gs_mig_layout(const struct gs_mig_geometry *g, const char *text,
                                      struct gs_mig_place *out, uint32_t *n, int *mode,
                                      struct gs_err *err);

/* What the devices of a cluster can be divided into: geometries by the cluster's model index, and the
 * profiles of the catalog by number, equal names having equal numbers. */
struct gs_catalog;

enum {
    GS_MIG_MODELS_MAX = 64
};

struct gs_mig_book {
    struct gs_mig_geometry *of[GS_MIG_MODELS_MAX]; /* NULL = no MIG */
    uint32_t n;                                    /* profiles */
    const char **name;                             /* [n + 1], by id; [0] = "" */
};

/* Numbers the profiles; the catalog must outlive the book, and its table mig stay as it is. */
void gs_mig_book_init(struct gs_mig_book *b, struct gs_catalog *c);
void gs_mig_book_release(struct gs_mig_book *b);
/* The geometry of a GPU of the catalog becomes that of the cluster's model; none if it has no MIG. */
GS_NODISCARD enum gs_rc gs_mig_book_model(struct gs_mig_book *b, const struct gs_catalog *c,
                                          uint32_t model, const char *gpu, struct gs_err *err);
uint16_t gs_mig_book_id(const struct gs_mig_book *b, const char *name); /* 0 = no such profile */

/* Every valid non-empty set, and how many of them are maximal (nothing can be added); the same for
 * the multisets of profiles, where a multiset is maximal if one of its sets is. `only` is a set of
 * profiles as bits. */
struct gs_mig_counts {
    uint32_t sets, maximal, multisets, maximal_multisets;
};
struct gs_mig_counts gs_mig_count(const struct gs_mig_geometry *g, uint32_t only);

#endif
