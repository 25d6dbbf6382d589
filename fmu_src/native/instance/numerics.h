/* The settings of the integration that the importer may change: numbers of w, Numerics of model.h. */
#ifndef MOBOD_NUMERICS_H
#define MOBOD_NUMERICS_H

#include "instance_data.h"

/* NULL if the variable may have this value, which lies within its bounds; else what is wrong with it */
const char *fault_of_setting(const Instance *instance, const Variable *variable, double value);

/* Let the settings in w take effect, and log them if they differ from those in effect. If they contradict each other, log an error, and
 * change nothing. Called at the start, and before each communication step. */
Status apply_numerics(Instance *instance);

/* Show in w what steps of bounded work have left, and in how many steps bodies have jammed, after a communication step. */
void show_step_results(Instance *instance);

#endif
