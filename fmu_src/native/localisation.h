/* Where within a step a witness crosses zero.
 *
 * Twin of engine/mobod/simulate/localisation.py, where the method stands, and what it finds and misses. */
#ifndef MOBOD_LOCALISATION_H
#define MOBOD_LOCALISATION_H

/* a witness at a time, and its rate */
typedef struct {
    double time, value, rate;
} Point;

/* the witness at a time of the step */
typedef Point Sample(void *step, double time);

/* The witness has its old sign at `low`, and not any more at `high`. direction: 1 rising, -1 falling, 0: it did not cross, but the step
 * should end at `high`, an extremum near zero. */
typedef struct {
    int is_found;
    double low, high;
    int direction;
} Crossing;

enum { WANTS_RISING = 1, WANTS_FALLING = 2 };

/* The first crossing in a wanted direction within a step.
 *
 * points  [n]  it at the ends of the parts
 * side    in and out: 1 above zero, -1 below, 0 not known
 * noise   in and out: not 0: it begins at zero, and is on its side, or has one, once it is farther from zero than this */
Crossing first_crossing(Sample *sample, void *step, int n, const Point *points, int wants, double window, double accuracy, int *side,
                        double *noise);

/* s, to which a crossing near a time is localised at least */
double window_at(double time, double window);

int sign_of(double value);

#endif
