/* The arithmetic of explicit steps over Numbers: of one run, and of several side by side (lanes.h). */
#ifndef MOBOD_EXPLICIT_ARITHMETIC_H
#define MOBOD_EXPLICIT_ARITHMETIC_H

#include "method.h"
#include "number.h"

/* y [n] += factor * the sum of weighted slopes [n_slopes][n]; four entries at once, each with the same sum as one alone */
INLINED void add_slopes(int n, Number *y, Number factor, int n_slopes, const double *weights, const Number *slopes) {
    int i = 0;
    for (; i + 4 <= n; i += 4) {
        Number a = NUMBER(0.0), b = a, c = a, d = a;
        const Number *of = slopes + i;
        for (int j = 0; j < n_slopes; j++, of += n) {
            const double weight = weights[j];
            a += weight * of[0];
            b += weight * of[1];
            c += weight * of[2];
            d += weight * of[3];
        }
        y[i] += factor * a;
        y[i + 1] += factor * b;
        y[i + 2] += factor * c;
        y[i + 3] += factor * d;
    }
    for (; i < n; i++) {
        Number slope = NUMBER(0.0);
        for (int j = 0; j < n_slopes; j++)
            slope += weights[j] * slopes[j * n + i];
        y[i] += factor * slope;
    }
}

/* entry i of the weighted sum of rows [n_rows][n] */
static inline Number weighted(int n_rows, const double *weights, const Number *rows, int n, int i) {
    Number sum = NUMBER(0.0);
    for (int j = 0; j < n_rows; j++)
        sum += weights[j] * rows[j * n + i];
    return sum;
}

/* |error| / (tolerance (scale + max(|y|, |y_new|))), of one entry */
static inline Number error_ratio(Number error, Number y, Number y_new, Number tolerance, double scale) {
    return number_abs(error) / (tolerance * (scale + number_max(number_abs(y), number_abs(y_new))));
}

/* the factor of `growth` (step_control.h) before it is limited */
static inline Number wanted_growth(Number error, Number error_before, const Method *method) {
    const double proportional_gain = 1.0 / (method->estimate_order + 1) - 0.75 * method->integral_gain;
    return 0.9 * number_pow(error, NUMBER(-proportional_gain)) * number_pow(error_before, NUMBER(method->integral_gain));
}

/* the coefficients of the interpolant (method.h), dense [degree][n]; linear in y, the slopes and y_new */
static inline void find_explicit_interpolant(int n, Number *dense, const Method *method, Number step, const Number *y, const Number *slopes,
                                             const Number *y_new) {
    const Tableau *pair = method->pair;
    const Number *first = slopes, *last = slopes + method->last * n;
    const int n_all = pair->n_stages + pair->n_inner;
    for (int i = 0; i < n; i++) {
        Number *r = dense + i, change = y_new[i] - y[i], at_start = step * first[i] - change;
        r[0] = change;
        r[n] = at_start;
        r[2 * n] = change - step * last[i] - at_start;
        for (int k = 0; k < pair->n_dense; k++)
            r[(3 + k) * n] = step * weighted(n_all, pair->dense + k * n_all, slopes, n, i);
    }
}

/* The same for semi-implicit Euler. Where shorter steps end: u changes in proportion to the step, and so do the rates of q that move q. So
 * a step that is taken again to end at a crossing ends there. */
static inline void find_semi_implicit_interpolant(int n, Number *dense, Number step, const Number *y, const Number *slopes,
                                                  const Number *y_new) {
    for (int i = 0; i < n; i++) {
        Number *r = dense + i;
        r[0] = y_new[i] - y[i];
        r[n] = step * slopes[i] - r[0];
    }
}

static inline Number distance(int n, const Number *a, const Number *b) {
    Number sum = NUMBER(0.0);
    for (int i = 0; i < n; i++)
        sum += (a[i] - b[i]) * (a[i] - b[i]);
    return number_sqrt(sum);
}

#endif
