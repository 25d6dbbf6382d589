/* Changes of all numbers of an instance with some of them, in Instance.dw, also at the start. In Initialization Mode an initial condition
 * stands for the state before constraints are satisfied and quaternions are normalized: its changes pass through both. */
#ifndef MOBOD_CHANGES_AT_START_H
#define MOBOD_CHANGES_AT_START_H

#include "contact_moves.h"
#include "instance_data.h"

/* whether y may depend on the knowns from this stage on by what is done with it at the start */
int are_of_start(const Instance *instance, int first_stage);

/* begin to compute changes from first_stage on; recompute the stages in which earlier changes were computed */
void begin_tangents(Instance *instance, int *first_stage);

/* From the changes of knowns in dw, those of all numbers up to last_stage. first_stage: the first one that depends on the knowns, or in
 * which there are changes from before. Returns how contacts move with changes of start values. */
Moves find_changes_of_all(Instance *instance, int first_stage, int last_stage);

/* compute in dw how velocities change with time and y */
void change_time_and_y(Instance *instance, double d_time, const double *d_y);

#endif
