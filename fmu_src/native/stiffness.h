/* INTEGRATOR_AUTO: explicit steps until stability rather than accuracy limits them, then implicit ones, and back. */
#ifndef MOBOD_STIFFNESS_H
#define MOBOD_STIFFNESS_H

#include "integrators.h"

/* the method of the next step */
const Method *method_in_use(const Model *model, const State *state, const Work *work);

/* Count what the step just taken, of length `step`, says of stiffness, and change the method if enough steps have said so. All that it
 * remembers lies in the State.
 *
 * Explicit steps. Two stages at the end of the step, f at y_stage and at y_new, tell how fast y can decay: lambda = |f_new - f_stage| /
 * |y_new - y_stage|. Where stability limits the steps, h lambda keeps to the limit. So many steps in sequence with no more than a few
 * others between them mean that the system is stiff.
 *
 * Implicit steps. h times the spectral radius of the Jacobian says the same. Where explicit steps would not be shorter than these by more
 * than they are cheaper, several times in sequence, it goes back. If it goes back though explicit steps will be limited by stability, it
 * takes twice as many of them until it tries the implicit ones again.
 *
 * Source: Hairer & Wanner, Solving Ordinary Differential Equations II (1996), IV.2, "Stiffness detection", and the constants of their codes
 * DOPRI5 and DOP853 */
void watch_stiffness(const Model *model, State *state, const Work *work, double step);

/* what State.patience is at first, and at most */
enum { LEAST_PATIENCE = 15, MOST_PATIENCE = 15 << 10 };

#endif
