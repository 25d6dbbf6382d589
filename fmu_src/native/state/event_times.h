/* The accuracy of the times of events. */
#ifndef MOBOD_EVENT_TIMES_H
#define MOBOD_EVENT_TIMES_H

#include "model.h"

/* s, the largest width of the interval to which a crossing near a time is localised */
double window_at(double time, double window);

/* s, to which importers locate roots near a time */
double location_of_roots(const Model *model, double time);

/* Time events that are round-off after the end of a step belong to the step: importers sum up communication points, or multiply.
 * docs/decisions/232-events-at-communication-points.md
 *
 * For steps that may end anywhere: the time of the event, at which the step then ends, or `end` if the event is not of this step. */
double end_with_event(const Model *model, double end, double event);
/* for fixed steps of h that end nowhere else: whether an event of the time `next` is due at `end` */
int is_due_at_end_of_fixed_step(double next, double end, double h);

#endif
