#include "event_times.h"

#include "elementary.h"
#include "scales.h"

#include <float.h>

/* ROUND_OFF: relative to the time, the least width of the interval of a crossing.
 * LOCATED: relative to the time scale and |t|; importers locate roots to less. */
static const double ROUND_OFF = 64 * DBL_EPSILON, LOCATED = 1e-12;

/* relative to a fixed step; at most what engine/mobod/system/measures/sampling.py allows */
static const double SLACK = 1e-6;

double window_at(double time, double window) { return fmax(window, ROUND_OFF * fabs(time)); }

double location_of_roots(const Model *model, double time) { return LOCATED * (time_scale(model) + fabs(time)); }

double end_with_event(const Model *model, double end, double event) {
    return event > end && event <= end + location_of_roots(model, end) ? event : end;
}

int is_due_at_end_of_fixed_step(double next, double end, double h) { return next <= end + SLACK * h; }
