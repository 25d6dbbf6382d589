/* Impacts in turn in a fixed step (IMPACTS_SEQUENTIAL; impacts_in_turn.h explains the rounds).
 *
 * The rounds come before the problem of the step. Rows that approach are those that the step takes to zero: chosen ones, and those that
 * their rate after the last round takes there. They approach if they do so faster than the forces of the step explain, as rows that bounce
 * in IMPACTS_SIMULTANEOUS. The sum of their impulses belongs to the step. In its problem no row bounces. */
#ifndef MOBOD_TURNS_OF_STEP_H
#define MOBOD_TURNS_OF_STEP_H

#include "velocity_level_work.h"

/* Resolve the impacts of a step, after the choice of its rows, into work->turns, and choose their rows. Fails as solve_unilateral does. */
Outcome resolve_turns(const Model *model, State *state, const FixedSteps *steps, VelocityLevelWork *work, double h, Integration *result);

#endif
