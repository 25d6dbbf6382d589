/* Dry friction of joints that depends on the load of the bearing.
 *
 * The friction of a joint that slips is (limit + coefficient x), x the load. The load g(x) follows from the joint's reaction, which depends
 * on the friction. A part of the sweep of ACCELERATION, from the multipliers to the reactions, is repeated until x = g(x) for all loads:
 * first with x = 0, then by a secant for each load. The result depends on the State alone. If no joint slips under its load, once is
 * enough. Where there is no solution, as in a guide that jams, the loads become NaN.
 *
 * Tangents repeat the same part for the changes of the loads, and adjoints for the adjoints. Regularised friction (given_friction.h) is a
 * slip whose direction is u / sqrt(u^2 + transition_speed^2). */
#ifndef MOBOD_JOINT_LOADS_H
#define MOBOD_JOINT_LOADS_H

#include "kernel.h"
#include "rows.h"

/* kernels at the beginning and at the end of this part; context: a RowTable */
KernelFunction run_load_begin, run_load_begin_tangent, run_load_begin_adjoint;
KernelFunction run_load_check, run_load_check_tangent, run_load_check_adjoint;

/* whether the last evaluation found no loads; not if the reason is that forces are not finite */
int have_no_solution(const RowTable *table, const double *w);

#endif
