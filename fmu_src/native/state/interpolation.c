#include "work.h"

#include "elementary.h"
#include "scales.h"
#include "state.h"
#include "state_arithmetic.h"

void interpolate(int n, const Work *work, double fraction, double *y) {
    interpolate_dense(n, work->method->degree, work->dense, work->y, fraction, y);
}

void interpolate_rate(const Model *model, const Work *work, double step, double fraction, double *y_dot) {
    const int n = y_size(model);
    const double *first = work->slopes, *end = work->slopes + work->method->last * n;
    const int last = work->method->degree - 1;

    /* for smaller changes, differences lose more digits than a straight line between rates does */
    const double is_short = 1e-5;
    int loses_digits = 1;
    for (int i = 0; i < n; i++)
        loses_digits = loses_digits && step * fabs(first[i]) <= is_short * (scale_of_y(model, i) + fabs(work->y[i]));

    for (int i = 0; i < n; i++) {
        if (loses_digits || fraction == 0 || fraction == 1) {
            y_dot[i] = first[i] + fraction * (end[i] - first[i]);
            continue;
        }
        double sum = work->dense[last * n + i], slope = 0;
        for (int k = last - 1; k >= 0; k--) {
            double factor = k % 2 == 0 ? 1 - fraction : fraction;
            slope = factor * slope + (k % 2 == 0 ? -sum : sum);
            sum = work->dense[k * n + i] + factor * sum;
        }
        y_dot[i] = (sum + fraction * slope) / step;
    }
}
