/* One step, tried: what explicit and implicit methods have in common. */
#ifndef MOBOD_STEP_H
#define MOBOD_STEP_H

#include "integrators.h"

/* Each of these tries a step of a method: from work->y, whose rates are work->slopes[0], at the time that lies in w, to time t_new in w.
 * Returns its scaled error, infinite if something in it is not finite; `trial` says what was worst. Of an implicit step the Jacobian is
 * known. */
double try_explicit_step(const Model *model, State *state, Work *work, const Method *method, double step, double t_new, Integration *trial);
double try_implicit_step(const Model *model, State *state, Work *work, const Method *method, double step, double t_new, Integration *trial);

void set_time(const Model *model, State *state, double time);

/* y_dot at the time and y that lie in w; -1, or the first entry that is not finite, which is 0 where a kernel stopped it. What has no value
 * does not stop more than this. */
int evaluate(const Model *model, State *state, double *y_dot);

/* The same for a stage of a step at this time, counted; returns 0, with what is wrong in `trial`, if it is not finite. */
int evaluate_stage(const Model *model, State *state, double time, double *y_dot, Integration *trial);

/* Bring y in w, at the end of a step or within it (is_inside), to where the constraints hold; returns 0, with what is wrong in `trial`, if
 * that cannot be done or moves it too far. `before` [n_y] is a workspace. */
int settle_step(const Model *model, State *state, int is_inside, double *before, Integration *trial);

/* The end of a step at t_new, where y lies in w. The quaternions are brought to unit length, and y to where the constraints hold, before
 * the rates are evaluated, into `y_dot` [n_y]. That changes y by less than the error of the step, and the error estimate by less still; and
 * the rates that the next step starts with are those of the y that it starts with, at no cost. Returns 0, with what is wrong in `trial`. */
int finish_step(const Model *model, State *state, Work *work, double t_new, double *y_dot, Integration *trial);

/* Take from an error estimate [n_y] what the projection of finish_step has taken away. */
void clean_error(const Model *model, State *state, Work *work, double *error);

/* Set work->dense for a step just taken. Returns 0, with what is wrong in `trial`, if rates that it needs are not finite. */
int make_interpolant(const Model *model, State *state, Work *work, const Method *method, double step, Integration *trial);

#endif
