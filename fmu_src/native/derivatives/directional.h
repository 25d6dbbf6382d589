/* Derivatives of variables with respect to others, at the present values, which do not change. */
#ifndef MOBOD_DIRECTIONAL_H
#define MOBOD_DIRECTIONAL_H

#include "instance_data.h"

/* The Reals between which derivatives are taken, as value references. Knowns are states, inputs, parameters or time; until initialization
 * ends, also initial conditions. A reference that is none of these, or a null pointer, is an error, and then nothing is written. */
typedef struct {
    const unsigned *unknowns;
    size_t n_unknown;
    const unsigned *knowns;
    size_t n_known;
} Derivatives;

/* d_unknown = d(unknowns)/d(knowns) d_known, exact; n_...: numbers of entries. A derivative that is not finite is an error, after all have
 * been given. */
MOBOD_API Status directional_derivative(Instance *instance, Derivatives of, const double *d_known, size_t n_d_known, double *d_unknown,
                                        size_t n_d_unknown);

/* d_known = d_unknown^T d(unknowns)/d(knowns), exact */
MOBOD_API Status adjoint_derivative(Instance *instance, Derivatives of, const double *d_unknown, size_t n_d_unknown, double *d_known,
                                    size_t n_d_known);

/* The first time derivatives of Reals, exact: along the motion, with the inputs' rates at the end of the last communication step. Orders
 * other than 1 are errors. */
MOBOD_API Status output_derivatives(Instance *instance, const unsigned *references, size_t n, const int *orders, double *values,
                                    size_t n_values);

#endif
