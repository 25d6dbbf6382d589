#include "localisation.h"

#include "elementary.h"

#include <float.h>

/* in accuracies: a step ends at an extremum that is closer to zero */
static const double NEAR = 100;
/* a witness is far from zero if its distance exceeds this many times its largest change from point to point */
static const double FAR = 8;
/* relative to a part: the accuracy of the time of an extremum */
static const double EXTREMUM = 1e-9;
/* relative to a step: no separate step is needed for an extremum closer to one of its ends */
static const double EDGE = 1e-3;

enum { MOST_DIVISIONS = 5, MOST_PIECES = 2 << MOST_DIVISIONS };

typedef struct {
    Sample *sample;
    void *step;
    int side;
    double noise;
    int *n_left;
    int n;
    Point points[MOST_PIECES];
} Pieces;

int sign_of(double value) { return (value > 0) - (value < 0); }

static int wants_direction(int wants, int direction) { return (wants & (direction > 0 ? WANTS_RISING : WANTS_FALLING)) != 0; }

/* Find the point where the rate changes its sign, by false position (Illinois), with bisection if that is slow; or an earlier point
 * across zero. */
static Point extremum(const Pieces *pieces, Point a, Point b, double noise, int touches) {
    Point low = a, high = b, best = a;
    double low_rate = a.rate, high_rate = b.rate;
    int across = a.rate > 0 ? 1 : -1;
    while (high.time - low.time > EXTREMUM * (b.time - a.time) && *pieces->n_left > 0) {
        double width = high.time - low.time, time = low.time + width * low_rate / (low_rate - high_rate);
        if (!(low.time < time && time < high.time)) {
            time = low.time + width / 2;
            if (!(low.time < time && time < high.time))
                break;
        }
        --*pieces->n_left;
        Point point = best = pieces->sample(pieces->step, time);
        if (across * point.value > noise || (touches && point.value == 0) || point.rate == 0 || !isfinite(point.rate))
            return point;
        if (point.rate * low.rate > 0) {
            low = point;
            low_rate = point.rate;
            high_rate /= 2;
        } else {
            high = point;
            high_rate = point.rate;
            low_rate /= 2;
        }

        /* equal rates make the next trial a bisection */
        if (high.time - low.time > width / 2) {
            low_rate = sign_of(low.rate);
            high_rate = sign_of(high.rate);
        }
    }
    return best;
}

/* the time of the extremum towards zero of the cubic through both points, if it is beyond zero; else NaN */
static double cubic_crosses(Point a, Point b) {
    /* w(x) = a + a' x + c x^2 + d x^3, x in [0, 1] */
    double h = b.time - a.time, first = h * a.rate, last = h * b.rate, change = b.value - a.value;
    double c = 3 * change - 2 * first - last, d = first + last - 2 * change, discriminant = c * c - 3 * d * first;
    if (d == 0 || !(discriminant > 0))
        return NAN;
    for (int root = 1; root >= -1; root -= 2) {
        double x = (-c + root * sqrt(discriminant)) / (3 * d);
        if (0 < x && x < 1 && a.value * (a.value + x * (first + x * (c + x * d))) <= 0)
            return a.time + x * h;
    }
    return NAN;
}

static void add_pieces(Pieces *pieces, Point a, Point b, int n_divisions) {
    if (a.rate * b.rate < 0) {
        int is_minimum = a.rate < 0;
        /* an extremum towards zero, or, for a witness that began at zero, onto its own side */
        int is_dip = is_minimum ? a.value > 0 && b.value > 0 : a.value < 0 && b.value < 0;
        int is_start = fabs(a.value) <= pieces->noise || (pieces->side * a.value <= 0 && is_minimum == (pieces->side < 0));
        if (is_dip || is_start)
            pieces->points[pieces->n++] = extremum(pieces, a, b, is_dip ? 0 : pieces->noise, is_dip);
    } else if (n_divisions > 0 && a.value * b.value > 0) {
        double time = cubic_crosses(a, b);
        if (a.time < time && time < b.time && *pieces->n_left > 0) {
            --*pieces->n_left;
            Point middle = pieces->sample(pieces->step, time);
            add_pieces(pieces, a, middle, n_divisions - 1);
            add_pieces(pieces, middle, b, n_divisions - 1);
            return;
        }
    }
    pieces->points[pieces->n++] = b;
}

/* Find low and high, at most a window apart. At low the witness has its sign (or low is a); at high it has the other sign, and exceeds
 * the noise. */
static void locate(Sample *sample, void *step, Point a, Point b, int side, double noise, double window, double *low, double *high,
                   int *n_left) {
    Point last = b;
    int slow = 0;
    *low = a.time;
    *high = b.time;
    while (*high - *low > window && *n_left > 0) {
        double width = *high - *low, time = INFINITY;
        if (slow < 2 && last.rate != 0) {
            /* a little beyond the root, so that the other end of the bracket moves too */
            double value = last.value + side * noise;
            time = last.time - value / last.rate + (side * value <= 0 ? -0.25 : 0.25) * window;
        }
        if (!(*low < time && time < *high)) {
            time = *low + width / 2;
            if (!(*low < time && time < *high))
                break;
        }
        --*n_left;
        last = sample(step, time);
        if (side * last.value <= -noise)
            *high = time;
        else
            *low = time;
        slow = *high - *low > width / 2 ? (slow < 2 ? slow + 1 : 2) : 0;
    }
}

/* a step ends at an extremum that is closer to zero than this */
static double margin_of(int n, const Point *points, double accuracy) {
    double length = points[n - 1].time - points[0].time, size = 0;
    for (int i = 0; i < n; i++)
        size = fmax(size, fmax(fabs(points[i].value), length * fabs(points[i].rate)));
    return NEAR * accuracy * size;
}

int is_far(int n, const Point *points, int side, double accuracy) {
    double nearest = INFINITY, size = 0, change = 0;
    for (int i = 0; i < n; i++) {
        nearest = fmin(nearest, side * points[i].value);
        size = fmax(size, fabs(points[i].value));
        if (i > 0)
            change = fmax(change, fabs(points[i].value - points[i - 1].value));
    }
    return nearest > FAR * change + NEAR * accuracy * fmax(size, (n - 1) * change);
}

Crossing first_crossing(Sample *sample, void *step, int n, const Point *points, int wants, double window, double accuracy, int *side,
                        double *noise, int *n_left) {
    double length = points[n - 1].time - points[0].time, margin = margin_of(n, points, accuracy);
    Crossing extremum_near_zero = {.low = points[0].time};

    for (int i = 0; i + 1 < n; i++) {
        Point a = points[i], b = points[i + 1], before = a;
        Pieces pieces; /* not an initialiser, which would clear all its points */
        pieces.sample = sample;
        pieces.step = step;
        pieces.side = *side;
        pieces.noise = *noise;
        pieces.n_left = n_left;
        pieces.n = 0;
        add_pieces(&pieces, a, b, MOST_DIVISIONS);
        for (int k = 0; k < pieces.n; k++) {
            Point point = pieces.points[k];
            if (*noise > 0 && (fabs(point.value) <= *noise || *side * point.value >= 0)) {
                if (fabs(point.value) > *noise) {
                    *side = sign_of(point.value);
                    *noise = 0;
                }
            } else if (*side == 0 || (point.value == 0 && !wants_direction(wants, -*side))) {
                *side = sign_of(point.value);
            } else if (*side * point.value <= 0) {
                if (wants_direction(wants, -*side)) {
                    Crossing found = {.is_found = 1, .direction = -*side};
                    locate(sample, step, before, point, *side, *noise, window, &found.low, &found.high, n_left);
                    return extremum_near_zero.is_found && extremum_near_zero.high < found.high ? extremum_near_zero : found;
                }
                *side = -*side;
                *noise = 0;
            } else if (!extremum_near_zero.is_found && fabs(point.value) < fmin(fmin(fabs(a.value), fabs(b.value)), margin)) {
                double fraction = (point.time - points[0].time) / length;
                extremum_near_zero.is_found = EDGE < fraction && fraction < 1 - EDGE;
                extremum_near_zero.high = point.time;
            }
            before = point;
        }
    }
    return extremum_near_zero;
}
