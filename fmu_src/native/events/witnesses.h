/* The values of witnesses, their rates and their round-off, at the time and y in w. */
#ifndef MOBOD_WITNESSES_H
#define MOBOD_WITNESSES_H

#include "event_work.h"

/* the stage at which a witness is known; STAGE_POSITION for the distance of a free unilateral row */
int stage_of_witness(const Model *model, const State *state, int witness);

/* the stage at which all witnesses are known */
int stage_of_witnesses(const Model *model, const State *state);

/* whether its rate follows from the tangents of the stages, and not from a difference */
int has_tangent(const EventTable *table, int witness);

/* set the time and y in w */
void move_to(const Model *model, State *state, double time, const double *y);

/* the sweeps of each stage that compute the inputs of the witnesses known at `stage`; NULL: all sweeps */
const Sweep *const *sweeps_before(const EventTable *table, int stage);

/* Do the sweeps [N_STAGES] up to a stage, without marking the State as realized. NULL: realize the State. */
void compute_witness_inputs(const Model *model, State *state, const Sweep *const *sweeps, int stage);

/* the changes of the results of these sweeps, in work->dw, if time changes at rate 1 and y at the rates y_dot */
void compute_input_changes(const Model *model, State *state, EventWork *work, const Sweep *const *sweeps, int stage, const double *y_dot);

/* evaluate witnesses; values of witnesses that are not known at the stage have no meaning */
void read_witness_values(const Model *model, State *state, int stage, double *values);

/* evaluate the witnesses that are known at the stage, and their rates along y_dot */
void read_values_and_rates(const Model *model, State *state, EventWork *work, int stage, const double *y_dot, double *values,
                           double *rates);

/* Bound the round-off of the witnesses: the largest change of each one when y changes in its last places. Writes work->noises. */
void read_noises(const Model *model, State *state, EventWork *work);

/* returns WITNESS_NOT_A_NUMBER, for this witness; or if one of the values is not a number, else INTEGRATED */
Outcome witness_not_a_number(const EventTable *table, int witness, double time, Integration *result);
Outcome check_witness_values(const EventTable *table, const double *values, double time, Integration *result);

#endif
