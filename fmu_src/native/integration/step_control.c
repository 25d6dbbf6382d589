#include "step_control.h"

#include "elementary.h"
#include "explicit_arithmetic.h"

#include <stddef.h>

static const double SAFETY = 0.9, LEAST_FACTOR = 0.2;

double scaled_error(int n, const double *error, const double *y, const double *y_new, const double *scales, double tolerance, int *worst) {
    double largest = 0;
    *worst = 0;
    for (int i = 0; i < n; i++) {
        double ratio = error_ratio(error[i], y[i], y_new[i], tolerance, scales ? scales[i] : 1);
        if (!isfinite(ratio)) {
            *worst = i;
            return INFINITY;
        }
        if (ratio > largest) {
            *worst = i;
            largest = ratio;
        }
    }
    return largest;
}

double paired_error(double error, double error_below) {
    double size = mobod_hypot(error, 0.1 * error_below);
    return size > 0 && isfinite(size) ? error * (error / size) : size;
}

double growth(double wanted) { return fmax(LEAST_FACTOR, fmin(LARGEST_GROWTH, wanted)); }

double shrinkage(double error, int order) {
    /* an infinite error does not show how much too long the step was */
    if (!isfinite(error))
        return LEAST_FACTOR;
    return fmax(LEAST_FACTOR, SAFETY * mobod_pow(error, -1.0 / (order + 1)));
}

/* the largest of |v_i| / (tolerance (scale + |y_i|)) */
static double size(int n, const double *v, const double *y, const double *scales, double tolerance) {
    int worst;
    return scaled_error(n, v, y, y, scales, tolerance, &worst);
}

double guessed_step(int n, const double *y, const double *y_dot, const double *scales, double time, double tolerance) {
    double size_y = size(n, y, y, scales, tolerance), size_y_dot = time * size(n, y_dot, y, scales, tolerance);
    return time * (size_y < 1e-5 || size_y_dot < 1e-5 ? 1e-6 : 0.01 * size_y / size_y_dot);
}

double first_step(int n, const double *y, const double *y_dot, const double *y_dot_guess, double guess, const double *scales, double time,
                  double tolerance, int order) {
    /* derivatives and the guess by the time in units of the time scale */
    double size_y_dot = time * size(n, y_dot, y, scales, tolerance), size_y_ddot = 0, in_scale = guess / time;
    for (int i = 0; i < n; i++) {
        double change = time * (y_dot_guess[i] - y_dot[i]);
        size_y_ddot = fmax(size_y_ddot, size(1, &change, y + i, scales ? scales + i : NULL, tolerance) / in_scale);
    }

    /* the step that gives an error of 0.01 if the derivatives of that order are as large as the first two */
    double largest = fmax(size_y_dot, size_y_ddot);
    double step = largest <= 1e-15 ? fmax(1e-6, 1e-3 * in_scale) : mobod_pow(0.01 / largest, 1.0 / (order + 1));
    return fmin(100 * guess, time * step);
}
