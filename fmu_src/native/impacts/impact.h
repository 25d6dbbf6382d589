/* Impulses by Newton's law of restitution that never add energy.
 *
 * Newton's law for several rows at once may add energy; with restitutions of 0 it never does. If it adds energy, the restitutions are
 * scaled down until it does not. Where bodies jam, the laws of friction may have no solution with bounces; then there are none. */
#ifndef MOBOD_IMPACT_H
#define MOBOD_IMPACT_H

#include "contact_work.h"

/* Compute the impulses of the selected rows, into work->z. Fails as solve_unilateral does. Reads, of each row:
 *
 * before   its rate without impulses
 * bound    the rate that it must have (equations), or the least rate that it may have (others)
 * bounce   the additional rate by restitution
 * noise    energy per impulse that counts as zero */
Outcome solve_without_gain(const Model *model, const State *state, ContactWork *work, int m, int n_equations, const double *upper,
                           Integration *result);

/* The first impacts of a kind after *time that are recorded in w and not in `before`, an earlier w. kind: MEMORY_N_AMBIGUOUS or
 * MEMORY_N_SLIDING. Sets *time to their time, and `names` to the names of the rows, quoted, separated by commas and cut to `size`. Returns
 * 0 if there are none. */
int next_noted_impacts(const Model *model, const double *before, const double *w, int kind, double *time, char *names, size_t size);

#endif
