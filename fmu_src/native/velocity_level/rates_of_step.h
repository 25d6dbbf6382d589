/* How the rates of rows change in a fixed step without impulses. */
#ifndef MOBOD_RATES_OF_STEP_H
#define MOBOD_RATES_OF_STEP_H

#include "velocity_level_work.h"

/* The change of the rates of rows, from those in w to the end of the step: by the change of speeds without impulses (rates), and by the
 * change of the rows themselves (drifts); and that which impulses of bilateral rows undo (ahead). */
void find_free_rates(const Model *model, const State *state, const FixedSteps *steps, VelocityLevelWork *work, double h);

#endif
