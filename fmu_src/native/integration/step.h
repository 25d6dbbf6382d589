/* One trial step: the parts that explicit and implicit methods share. */
#ifndef MOBOD_STEP_H
#define MOBOD_STEP_H

#include "model.h"
#include "outcome.h"
#include "state.h"
#include "work.h"

/* Try a step of a method: from work->y, with rates work->slopes[0], at the time in w, to t_new. Returns its scaled error, which is
 * infinite if a number in it is not finite, and 0 if the method has no error estimate; `trial` describes the worst entry. The implicit step
 * needs the Jacobian in work->implicit. */
double try_explicit_step(const Model *model, State *state, Work *work, const Method *method, double step, double t_new, Integration *trial);
double try_implicit_step(const Model *model, State *state, Work *work, const Method *method, double step, double t_new, Integration *trial);

/* Semi-implicit Euler, also called symplectic:
 *
 *     u+ = u + h u_dot(t, q, u, z),  z+ = z + h z_dot(t, q, u, z),  q+ = q + h N(q) u+
 *
 * u_dot satisfies the constraints of accelerations; finish_step does the rest. Prescribed speeds in the last equation are those of the
 * start. Returns as try_explicit_step. */
double try_semi_implicit_step(const Model *model, State *state, Work *work, double step, double t_new, Integration *trial);

/* As `evaluate`, for a stage of a step at this time; the evaluation is counted. Returns 0, and describes the fault in `trial`, if an entry
 * is not finite. */
int evaluate_stage(const Model *model, State *state, double time, double *y_dot, Integration *trial);

/* the same at the time and y in w */
int evaluate_realized(const Model *model, State *state, double *y_dot, Integration *trial);

/* Project y in w onto the constraints at a stage that only an interpolant needs: off them by the error in the middle of a step,
 * accelerations would be inaccurate where rows nearly depend on each other. Returns 0, and describes the fault in `trial`, if that fails.
 */
int project_stage(const Model *model, State *state, double time, Integration *trial);

/* Project y in w onto the constraints, at the end of a step or within it (is_inside). Returns 0, and describes the fault in `trial`, if
 * that fails or moves y too far; fixed steps may move it by as much as their error. `before` [n_y] is a workspace. */
int project_step(const Model *model, State *state, int is_inside, double *before, Integration *trial);

/* Whether y [n_y], within a step, violates the constraints by no more than project_step may move it there. Near a singular configuration a
 * projection moves it by more. Leaves it in w. */
int nearly_satisfies(const Model *model, State *state, double time, const double *y);

/* Set w to a time within the last step, from t, by a shorter step of its method. It is more accurate than the interpolant, and is projected
 * as the end of a step. Overwrites the slopes. Returns 0 if the method is not explicit, or if that fails as a step may. */
int step_inside(const Model *model, State *state, Work *work, double t, double time, Integration *trial);

/* Finish a step at t_new, with y in w: normalize quaternions, project y onto the constraints, then evaluate the rates into `y_dot`
 * [n_y]. The projection changes y by less than the error of the step, and the error estimate by less still. The next step then starts
 * with the rates of its own initial y, without another evaluation. Returns 0, and describes the fault in `trial`, if it fails. */
int finish_step(const Model *model, State *state, Work *work, double t_new, double *y_dot, Integration *trial);

/* Subtract from an error estimate [n_y] the part that the projection of finish_step has removed. */
void remove_projected_error(const Model *model, State *state, Work *work, double *error);

/* Compute the interpolant work->dense of the last step. Returns 0, and describes the fault in `trial`, if rates that it needs are not
 * finite. */
int make_interpolant(const Model *model, State *state, Work *work, const Method *method, double step, Integration *trial);

/* The coefficients of the interpolant of an explicit step, work->dense, from work->y, all slopes, and y_new; linear in these. */
void make_explicit_interpolant(int n, const Work *work, const Method *method, double step, const double *y_new);

#endif
