/* Impulses by Newton's law that gain no energy, whatever is said of restitutions.
 *
 * Newton's law for several rows at once may gain energy; with restitutions of 0 it never does. So they are scaled down until it does not.
 */
#ifndef MOBOD_IMPACT_H
#define MOBOD_IMPACT_H

#include "unilateral_rows.h"

/* Of the rows that were taken, into work->z: rates `before` without impulses, `bound` that they are to have or not to fall below, `bounce`
 * of a restitution that they are to have besides, and how much energy by an impulse is taken for nothing, `noise`. Fails as
 * solve_unilateral does. */
Outcome solve_without_gain(const Model *model, const State *state, ContactWork *work, int m, int n_equations, const double *upper,
                           Integration *result);

#endif
