/* Undoing a call that fails, and the start that is shown in Initialization Mode (shown_start.h). */
#ifndef MOBOD_UNDO_H
#define MOBOD_UNDO_H

#include "instance_data.h"

/* save the numbers of State before w, time, y, and the other numbers of w that the call may change, in Instance.state_before and w_before;
 * and restore them */
void save_w(Instance *instance);
void restore_w(Instance *instance);

/* w[at] as save_w has saved it, for a number that may have changed since */
double saved_number(const Instance *instance, int at);

/* Before the State is changed or copied: have it show the values that were set. */
MOBOD_API void hide_start(Instance *instance);

/* w[at] as it was set, for numbers that can be set */
double number_as_set(const Instance *instance, int at);

/* [n_y] the states as they were set */
const double *states_as_set(const Instance *instance);

#endif
