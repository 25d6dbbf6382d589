/* Undoing a call that fails. */
#ifndef MOBOD_UNDO_H
#define MOBOD_UNDO_H

#include "instance.h"

/* save the numbers of State before w, time, y, and the other numbers of w that the call may change, in Instance.state_before and w_before;
 * and restore them */
void save_w(Instance *instance);
void restore_w(Instance *instance);

/* w[at] as save_w has saved it, for a number that may have changed since */
double saved_number(const Instance *instance, int at);

#endif
