/* Variables that take a next value at the start of each step.
 *
 * A sweep computes the next value like any other number. Only the start of a step copies it to the variable. */
#ifndef MOBOD_AUTO_UPDATES_H
#define MOBOD_AUTO_UPDATES_H

#include "model.h"
#include "outcome.h"
#include "state.h"

/* All places are offsets into w. A next value that is computed at STAGE_TIME or later is taken in each step. One that is computed
 * earlier is taken once, until it is computed again. It is not taken after a handler has set the variable. */
typedef struct {
    const char *name;
    int at, next, n; /* the variable [n], and its next value [n] */
    int used;        /* flag: the next value must not be taken (again); 0 if it is computed at STAGE_TIME or later */
    int stage;       /* the stage whose sweep computes the next value */
    int invalidates; /* the first stage that must be realized again when the variable changes */
    int is_boolean;  /* the variable is 0 or 1 */
} AutoUpdate;

typedef struct AutoUpdateTable {
    int n;
    const AutoUpdate *updates; /* [n] */
} AutoUpdateTable;

/* The start of a step: each variable takes its next value, or the host updates the variables. has_changed: whether accelerations depend
 * on a variable that changed. Leaves time and y unchanged. Returns INTEGRATED, KERNEL_STOPPED or UPDATE_NOT_FINITE; `result` describes
 * the fault. */
Outcome take_next_values(const Model *model, State *state, int *has_changed, Integration *result);

/* whether accelerations would change if the next values were taken */
int next_values_change_rates(const Model *model, State *state);

/* A value was set on which `stage` depends: it and all later stages must be realized again, next values included. After a change by the
 * step itself, `invalidate` suffices, since everything that depends on time is computed again before the next step begins. */
void note_change(const Model *model, State *state, int stage);

/* A handler has set n numbers from `first` on; `stage` is the first stage that depends on them. Call it after note_change. */
void note_set_by_handler(const Model *model, State *state, int first, int n, int stage);

/* the total number of entries of these variables; and copy them */
int size_of_updated(const Model *model);
void read_updated(const Model *model, const State *state, double *values);

#endif
