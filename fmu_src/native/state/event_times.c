#include "event_times.h"

#include "elementary.h"

#include <float.h>

/* ROUND_OFF: relative to the time, the least width of the interval of a crossing.
 * LOCATED: relative to 1 + |t|; importers locate roots to less. */
static const double ROUND_OFF = 64 * DBL_EPSILON, LOCATED = 1e-12;

double window_at(double time, double window) { return fmax(window, ROUND_OFF * fabs(time)); }

double location_of_roots(double time) { return LOCATED * (1 + fabs(time)); }
