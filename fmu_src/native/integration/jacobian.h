/* The Jacobian of the rates of y with respect to y and time: columns by the tangents of the sweeps, or by differences. */
#ifndef MOBOD_JACOBIAN_H
#define MOBOD_JACOBIAN_H

#include "model.h"
#include "state.h"

/* workspace of implicit steps, in addition to Work */
typedef struct ImplicitWork {
    const Kernel *tangents;     /* [n_kernels] tangents of all kernels of the sweeps to STAGE_ACCELERATION; NULL: some are missing */
    double *tangents_scratch;   /* scratch memory of the tangents; NULL: that of w is used */
    int has_asked_for_tangents; /* the tangents have been requested from the host; no others will follow */
    int has_jacobian;           /* J and f_t belong to the y and the time at which the step begins, */
    double radius;              /* and radius is the spectral radius of J, 1/s */
    double *J;                  /* [n_y][n_y] */
    double *f_t;                /* [n_y] */
    double *W;                  /* [n_y][n_y] factors of 1 / (h gamma) - J */
    double *before, *after;     /* [n_y] */
    double *dw;                 /* [n_w] 0 between two calls; memory of its own */
    int *pivots;                /* [n_y] */
    double *reals;              /* the memory of all others */
} ImplicitWork;

/* the largest number of entries of y for which INTEGRATOR_AUTO takes implicit steps: beyond it, their factorisation takes as long as
 * many explicit steps */
enum { MOST_IMPLICIT = 1000 };

/* NULL if memory is exhausted */
ImplicitWork *create_implicit_work(const Model *model);
void free_implicit_work(ImplicitWork *work);

/* Make room for w of another model with the same y. work may be NULL. Returns 0 if memory is exhausted. */
int grow_implicit_work(ImplicitWork *work, const Model *from, const Model *to);

/* Compute columns by these tangents [n_kernels] from now on. Some may be missing, or `tangents` may be NULL. Their scratch memory has
 * n_scratch numbers. Returns 0 if memory is exhausted. */
int set_tangents(const Model *model, ImplicitWork *work, const Kernel *tangents, int n_scratch);

/* Set J, f_t and radius for the time and y in w, where the rates are y_dot [n_y]. `step` is the approximate length of the next step. If
 * differences were used, nothing remains realized from STAGE_TIME on. Returns -1, or the first column of J that cannot be computed (n_y:
 * f_t). n_evaluations is increased by the evaluations for differences. */
int compute_jacobian(const Model *model, State *state, ImplicitWork *work, const double *y_dot, double step, int *n_evaluations);

#endif
