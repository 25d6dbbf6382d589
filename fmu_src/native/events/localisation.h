/* The time within a step at which a witness crosses zero.
 *
 * The step's interpolant y(t) makes the witness a function of time, w(t), with the exact derivative w'(t) = dw/dt + dw/dy y'(t). Its values
 * are computed at the ends of equal parts of the step. Its rates are computed too if a value is near zero (is_far). Between two
 * neighbouring points, w crosses zero if its sign differs. It may also cross zero and return:
 *
 * - If w' changes its sign, there is an extremum between the points. It is located and its value is checked. So every dip with a single
 *   extremum between neighbours is found, however small or short it is, and also a dip that only touches zero.
 * - If w' keeps its sign but the cubic through both values and rates crosses zero, the part is divided at the extremum of the cubic.
 *
 * So a dip can be missed only if it has two extrema between neighbours and the cubic does not show it. Its depth is then at most the
 * error of the cubic, max |w''''| (h / n_parts)^4 / 384. All this holds for the interpolant, whose distance from the solution is a small
 * multiple of the accuracy. If an extremum is closer to zero than a hundred times the accuracy, the step is repeated and ends at the
 * extremum. Then the integrator itself computes the value there. */
#ifndef MOBOD_LOCALISATION_H
#define MOBOD_LOCALISATION_H

/* the value and the rate of a witness at a time */
typedef struct {
    double time, value, rate;
} Point;

/* computes the witness at a time within the step */
typedef Point Sample(void *step, double time);

/* The witness has its old sign at `low`, and no longer at `high`. direction: 1 rising, -1 falling, 0: it did not cross, but the step
 * should end at `high`, an extremum near zero. */
typedef struct {
    int is_found;
    double low, high;
    int direction;
} Crossing;

enum { WANTS_RISING = 1, WANTS_FALLING = 2 };

/* The first crossing in a wanted direction within a step.
 *
 * points  [n]  the witness at the ends of the parts
 * wants   WANTS_..., the directions that count
 * side    in and out: sign of the witness: 1 above zero, -1 below, 0 not known
 * noise   in and out: if not 0, the witness begins at zero; its sign counts once its distance from zero exceeds this
 * n_left  in and out: how many samples may be taken. When there are none left, `high` is as late as it was found until then */
Crossing first_crossing(Sample *sample, void *step, int n, const Point *points, int wants, double window, double accuracy, int *side,
                        double *noise, int *n_left);

/* Whether a witness keeps its sign within a step, and is so far from zero that first_crossing finds nothing. Reads no rates: to reach
 * zero halfway between two points, the witness would have to move 16 times as fast as its fastest mean rate between neighbours. */
int is_far(int n, const Point *points, int side, double accuracy);

int sign_of(double value);

#endif
