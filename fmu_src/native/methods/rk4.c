#include "method.h"

/* Kutta (1901); Hairer, Norsett & Wanner, Solving Ordinary Differential Equations I (1993), table II.1.2. The last stage gives the rates at
 * the end of the step. */
static const double c[5] = {0, 1.0 / 2, 1.0 / 2, 1, 1};

/* clang-format off */
static const double a[5 * 5] = {
    0,       0,       0,       0,       0,
    1.0 / 2, 0,       0,       0,       0,
    0,       1.0 / 2, 0,       0,       0,
    0,       0,       1,       0,       0,
    1.0 / 6, 1.0 / 3, 1.0 / 3, 1.0 / 6, 0,
};
/* clang-format on */

static const Tableau tableau = {.n_stages = 5, .c = c, .a = a};

const Method rk4 = {
    .name = "RK4",
    .title = "order 4, classic Runge-Kutta",
    .use = "real time, smooth forces",
    .order = 4,
    .degree = 3,
    .last = 4,
    .stability = 2.75,
    .oscillations = 2.8,
    .pair = &tableau,
};
