/* How the rates of y change with y and with time: columns by the tangents of the sweeps, or by differences. */
#ifndef MOBOD_JACOBIAN_H
#define MOBOD_JACOBIAN_H

#include "model.h"
#include "state.h"

/* what implicit steps need beside Work */
typedef struct ImplicitWork {
    const Kernel *tangents;     /* [n_kernels] of all kernels of the sweeps to STAGE_ACCELERATION; NULL: there are not all */
    double *tangents_scratch;   /* what they compute in between; NULL: that of w serves */
    int has_asked_for_tangents; /* nobody has more than these */
    int has_jacobian;           /* J and f_t are those of the y and the time at which the step begins, */
    double radius;              /* and this is the spectral radius of J, 1/s */
    double *J;                  /* [n_y][n_y] */
    double *f_t;                /* [n_y] */
    double *W;                  /* [n_y][n_y] factors of 1 / (h gamma) - J */
    double *before, *after;     /* [n_y] */
    double *dw;                 /* [n_w] 0 between two calls */
    int *pivots;                /* [n_y] */
    double *reals;              /* the room of all these */
} ImplicitWork;

/* so many entries y may have for INTEGRATOR_AUTO to take implicit steps: their factors take as long as many explicit steps beyond it */
enum { MOST_IMPLICIT = 1000 };

/* NULL if there is no memory for it */
ImplicitWork *create_implicit_work(const Model *model);
void free_implicit_work(ImplicitWork *work);

/* From here on columns are computed by these tangents [n_kernels], which may be some only or NULL; their scratch has n_scratch numbers.
 * Returns 0 if there is no memory for that. */
int set_tangents(const Model *model, ImplicitWork *work, const Kernel *tangents, int n_scratch);

/* Set J, f_t and radius for the time and y that lie in w, where the rates are y_dot [n_y] and the next step is about `step` long. Leaves
 * nothing realized from STAGE_TIME on if it took differences. Returns -1, or the first column of J that cannot be had (n_y: f_t).
 * n_evaluations: is increased by those of differences. */
int compute_jacobian(const Model *model, State *state, ImplicitWork *work, const double *y_dot, double step, int *n_evaluations);

#endif
