/* Start values of states, which are set until the initialization ends.
 *
 * A state has an initial condition, a parameter. If nothing else determines it, it also takes a start value itself. Importers may set all
 * start values, also those that the user did not change. So of the two the one counts that differs from its start value in the model
 * description. The order in which they are set does not matter: w holds the value that counts at y_at, the initial condition at
 * y_start_at, and at own_starts_at whether the state has a start value of its own. */
#ifndef MOBOD_START_VALUES_H
#define MOBOD_START_VALUES_H

#include "instance_data.h"

/* whether it is a state or an initial condition */
int is_start_value(const Model *model, const Variable *variable);

/* Set a state or an initial condition before the initialization ends. */
void set_start_value(Instance *instance, const Variable *variable, double value);

/* It is an error, with both names, if a state and its initial condition were set to different values. */
Status check_start_values(const Instance *instance);

/* After a start was not found: the states that motions and locks have set show their initial conditions again. */
void show_start_values(const Model *model, double *w);

#endif
