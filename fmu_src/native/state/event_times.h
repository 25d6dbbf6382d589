/* The accuracy of the times of events. */
#ifndef MOBOD_EVENT_TIMES_H
#define MOBOD_EVENT_TIMES_H

#include "model.h"

/* s, the largest width of the interval to which a crossing near a time is localised */
double window_at(double time, double window);

/* s, to which importers locate roots near a time */
double location_of_roots(const Model *model, double time);

#endif
