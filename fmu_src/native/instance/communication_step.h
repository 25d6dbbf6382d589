/* Communication steps of co-simulation. */
#ifndef MOBOD_COMMUNICATION_STEP_H
#define MOBOD_COMMUNICATION_STEP_H

#include "instance_data.h"

/* the end of a communication step */
typedef struct {
    int is_event_pending; /* an event occurred at its time, and is not handled yet */
    int is_terminated;    /* an event has ended the simulation */
    int is_early;         /* its time is before the requested end */
    double time;          /* s */
} StepEnd;

/* Integrate from the current time, which must equal start_time up to round-off, to exactly start_time + step. If the integration fails,
 * nothing changes and the mode is MODE_ERROR. If a part of the step succeeded, the mode is MODE_STEP_FAILED and the status is
 * STATUS_DISCARD: a shorter step from a saved state succeeds. The status is also STATUS_DISCARD if an event has ended the simulation, in
 * this step or before. If `end` is given, the mode stays after STATUS_DISCARD, since nothing has changed; and the end of the simulation is
 * not a failure: `end` describes it. */
MOBOD_API Status do_step(Instance *instance, double start_time, double step, StepEnd *end);
Status step_to(Instance *instance, double start_time, double end_time, StepEnd *end);

#endif
