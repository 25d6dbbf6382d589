/* Where within a step a witness crosses zero.
 *
 * The step's interpolant y(t) makes the witness a function of time, w(t), with the exact derivative w'(t) = dw/dt + dw/dy y'(t). Both are
 * taken at the ends of equal parts of the step: the values, and the rates too where a value comes near zero (is_far). Between two
 * neighbours w crosses where it has another sign, and may have crossed and come back where
 *
 *   - w' changes its sign: then an extremum lies between, which is searched for and looked at. Every dip with one extremum between
 *     neighbours is found, however small and short it is, also one that only touches zero;
 *   - w' does not, but the cubic through both values and rates crosses: then the part is divided at the cubic's extremum.
 *
 * So what can be missed has two extrema between neighbours that the cubic does not see: a dip no deeper than the error of the cubic,
 * max |w''''| (h / n_parts)^4 / 384. All this is of the interpolant, which differs from the solution by a small multiple of the accuracy:
 * where an extremum comes as near to zero as a hundred of that, the step is taken again to end at the extremum, so that the dip is seen by
 * the integrator itself. */
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

/* Whether a witness stays on its side within a step, so far from zero that first_crossing finds nothing. Reads no rates: halfway between
 * two points it would have to move 16 times as fast as the fastest mean rate between neighbours. */
int is_far(int n, const Point *points, int side, double accuracy);

/* s, to which a crossing near a time is localised at least */
double window_at(double time, double window);

int sign_of(double value);

#endif
