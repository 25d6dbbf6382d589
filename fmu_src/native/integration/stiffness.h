/* INTEGRATOR_AUTO: explicit steps until stability rather than accuracy limits them, then implicit steps, and back. */
#ifndef MOBOD_STIFFNESS_H
#define MOBOD_STIFFNESS_H

#include "state.h"
#include "work.h"

/* the method of the next step */
const Method *method_in_use(const State *state, const Work *work);

/* The method of further trials of a step that came too close to a singular configuration, and of the next CAREFUL_STEPS steps:
 * INTEGRATOR_AUTO takes RK45 in place of DOP853, since its fewer stages come close to it less often. */
const Method *method_near_singularity(State *state, const Work *work);

/* count the step that has ended, if it is one of those CAREFUL_STEPS */
void end_careful_step(State *state);

/* Update the counters of stiffness after a trial step of length `step`, and change the method if enough steps agree. All counters are in
 * the State.
 *
 * Explicit steps. Two stages at the end of the step, f at y_stage and at y_new, show how fast y can decay: lambda = |f_new - f_stage| /
 * |y_new - y_stage|. If stability limits the steps, h lambda stays near the limit. Many such steps, with only a few others between them,
 * mean that the system is stiff.
 *
 * Implicit steps. h times the spectral radius of the Jacobian shows the same. If explicit steps would be cheaper in total, several times in
 * sequence, the method changes back. If stability will limit the explicit steps then, twice as many of them are taken before the next
 * change to implicit steps.
 *
 * Source: Hairer & Wanner, Solving Ordinary Differential Equations II (1996), IV.2, "Stiffness detection", and the constants of their
 * codes DOPRI5 and DOP853 */
void watch_stiffness(const Model *model, State *state, const Work *work, double step);

/* The same for an explicit step: its length, and the distances between its last two stages, of y and of the rates. */
void watch_explicit(State *state, const Method *method, double step, double change, double change_of_rates);

#endif
