/* Changes of a run along directions: the derivatives of y with respect to parameters and start values.
 *
 * A direction is a change of parameters, inputs and y at the start. Each accepted explicit step is differentiated with its size kept: the
 * stages by the tangents of the sweeps, its end by the tangents of what finish_step does. So the changes are exact derivatives of the
 * numbers that the run computes for these steps, except for the part of a projection that is quadratic in the distance to the constraints.
 *
 * At an event whose time depends on the direction, changes jump (saltation.h). */
#ifndef MOBOD_SENSITIVITY_H
#define MOBOD_SENSITIVITY_H

#include "changes.h"

/* the start: satisfy the constraints */
void begin_changes(Sensitivity *changes, const State *state, const InputRamps *ramps);

/* Differentiate the last step, which began at t. The State is that at its end. needs_inside: whether changes_inside will be called. */
void follow_step(Sensitivity *changes, const State *state, const Work *work, const InputRamps *ramps, double t, int needs_inside);

/* The changes at a fraction of the step into rows [n][n_y]. The State is that of the report there (projects: it was projected). */
void changes_inside(Sensitivity *changes, const State *state, const Work *work, double fraction, int projects, double *rows);

#endif
