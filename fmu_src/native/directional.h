/* Directional derivatives: the changes of variables with changes of other variables. */
#ifndef MOBOD_DIRECTIONAL_H
#define MOBOD_DIRECTIONAL_H

#include "instance.h"

/* d_unknown = d(unknowns)/d(knowns) d_known, exact, at the present values, which do not change.
 *
 * unknowns  [n_unknown] value references of Reals
 * knowns    [n_known]   value references of states, inputs, parameters or time; until initialization ends, of initial conditions
 *
 * A reference that is none of these, or a null pointer, is an error, and then nothing is written; so is a derivative that is not finite,
 * after all have been given. */
MOBOD_API Status directional_derivative(Instance *instance, const unsigned *unknowns, size_t n_unknown, const unsigned *knowns,
                                        size_t n_known, const double *d_known, double *d_unknown);

#endif
