/* model.h - queueing models as runs of the simulator: Poisson classes of jobs on servers of one GPU each, and what is known about them in
 * closed form.
 *
 * A model is simulated with 20 replications of 10^5 jobs (fixed seeds, the first tenth not counted); the 99.9 % t-interval of each figure
 * must contain the closed form and be narrow. Time unit: 1 s. */
#ifndef GS_TESTS_THEORY_MODEL_H
#define GS_TESTS_THEORY_MODEL_H

#include <stddef.h>
#include <stdint.h>

enum {
    GS_MODEL_CLASSES = 2,
    GS_MODEL_FIGURES = 4,
    GS_MODEL_REPLICATIONS = 20,
    GS_MODEL_JOBS = 100000
};

/* With probability p[i] exponential of mean m[i]; or always d. */
struct gs_service {
    double d;
    double p[2], m[2];
};

struct gs_model_class {
    double lam;
    struct gs_service s;
};

struct gs_model {
    const char *name;
    uint32_t servers;
    uint32_t classes;
    struct gs_model_class cls[GS_MODEL_CLASSES]; /* the first has the highest priority */
    const char *order, *preemption;              /* modules, NULL = none */
    int loss;                                    /* who finds no server is lost */
    uint32_t jobs;                               /* a replication, 0 = 10^5 */
};

/* What is compared: a metric of the results and its value in theory. */
struct gs_figure {
    const char *metric;
    double value;
    double width; /* the interval's half-width is below this share of the value; 0 = 4 % */
};

double gs_service_moment(const struct gs_service *s, int k); /* E[S], E[S^2] for k = 1, 2 */

/* Closed forms. a = offered load in servers. */
double gs_erlang_b(uint32_t servers, double a);
double gs_erlang_c(uint32_t servers, double a);
double gs_wait_mmc(uint32_t servers, double lam, double mu);
double gs_wait_mg1(const struct gs_model_class *c);              /* Pollaczek-Khinchine */
double gs_wait_priority(const struct gs_model *m, uint32_t cls); /* Cobham: not preemptive */
double gs_time_preemptive(const struct gs_model *m,
                          uint32_t cls); /* preemptive resume: time in the system */
double gs_wait_sjf_exponential(double lam,
                               double mu); /* Phipps: shortest job first, not preemptive */

/* Simulates the model and asserts that each figure's interval contains its value and is narrow. */
void gs_model_check(const struct gs_model *m, const struct gs_figure *f, size_t n);

#endif
