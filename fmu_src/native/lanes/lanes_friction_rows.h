/* The scaled rows of one part of a problem with friction in lanes, w = A z + a, with the operations of friction_rows.c in the same order.
 * Included by files that define MOBOD_LANES. */
#ifndef MOBOD_LANES_FRICTION_ROWS_H
#define MOBOD_LANES_FRICTION_ROWS_H

#include "lanes_friction.h"

/* the natural map, dw = A dz, w = A z + a, and the residual, which overwrites part->r */
void map_naturally(const FrictionInLanes *part, const Number *z, const Number *w, Number *r);
void find_changes_of_part(const FrictionInLanes *part, const Number *dz, Number *dw);
void find_rates_of_part(const FrictionInLanes *part, const Number *z, Number *w);
Number residual_of(FrictionInLanes *part, const Number *z, const Number *w);

/* See solve_symmetric: b becomes the solution of M x = b, by the upper half of M [n][n]. Returns the lanes in which M is positive. */
Number eliminate_symmetric(int n, Number *M, Number *b);

#endif
