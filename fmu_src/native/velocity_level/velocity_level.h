/* Fixed steps. Each step solves one quadratic program for speeds and one for coordinates.
 *
 *     u+ is nearest to u + h u_dot, in the norm of M, among all speeds that satisfy the bilateral rows and take no engaged
 *        row further below zero;
 *     q+ = q + h q_dot(u+);  then q moves to satisfy the constraints, by the smallest displacement in the norm of M.
 *
 * u_dot is the acceleration with the bilateral constraints alone. Rows are evaluated at the start of the step, and their own rates are
 * taken into account. An engaged row requires a rate of 0. A predicted row requires -d / h, so that it ends at zero and never below. A row
 * that impacts faster than the step itself explains requires -e times the rate before (Newton). A row below zero is corrected to its
 * tolerance, not to zero, so that a contact at rest stays closed.
 *
 * That is CONSTRAINTS_AT_BEGIN. With CONSTRAINTS_AT_MIDDLE everything is evaluated at the middle of the step (middle_of_step.h), with m
 * for its values:
 *
 *     u+ is nearest to u + h u_dot_m;  a row requires its rate at the end, G_m u+ + h/2 (dG/dt u)_m;
 *     q+ = q_m + h/2 N(q_m) u+,   where a row is hit also with other speeds (hits.h).
 *
 * docs/numerics/index.md derives both, and why the first one gains or loses energy in proportion to h.
 *
 * Source: Lloyd, Stavness, Fels, ArtiSynth (2012); Anitescu & Potra, Nonlinear Dyn. 14 (1997); Stewart & Trinkle, IJNME 39 (1996). At the
 * middle: Moreau, Comput. Methods Appl. Mech. Eng. 177 (1999). */
#ifndef MOBOD_VELOCITY_LEVEL_H
#define MOBOD_VELOCITY_LEVEL_H

#include "integrators.h"
#include "velocity_level_work.h"

#include <stdint.h>

/* At the start of a run, or after a value was set: find the engaged rows, correct coordinates, and take the first samples. Fails with
 * CONTACT_OUTSIDE if shapes overlap that did not at the end of the last step. */
Outcome begin_fixed_steps(const Model *model, State *state, const FixedSteps *steps, VelocityLevelWork *work, Integration *result);

/* the number of steps between two times; the last one may be shorter */
int64_t count_fixed_steps(const FixedSteps *steps, double t_start, double t_end);

/* the end of step number k of n */
double end_of_step(const FixedSteps *steps, double t_start, double t_end, int64_t n, int64_t k);

/* Take steps number `first` to `last` of those from t_start to t_end, counted from 1. If a step fails, the State is undefined. */
Integration take_fixed_steps(const Model *model, State *state, const FixedSteps *steps, VelocityLevelWork *work, double t_start,
                             double t_end, int64_t first, int64_t last);

#endif
