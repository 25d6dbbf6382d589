#include "method.h"

/* Ralston, Runge-Kutta methods with minimum error bounds, Math. Comp. 16 (1962): of three stages and order 3, with the least bound of the
 * error. The last stage gives the rates at the end of the step. */
static const double c[4] = {0, 1.0 / 2, 3.0 / 4, 1};

/* clang-format off */
static const double a[4 * 4] = {
    0,       0,       0,       0,
    1.0 / 2, 0,       0,       0,
    0,       3.0 / 4, 0,       0,
    2.0 / 9, 1.0 / 3, 4.0 / 9, 0,
};
/* clang-format on */

static const Tableau tableau = {.n_stages = 4, .c = c, .a = a};

const Method rk3 = {
    .name = "RK3",
    .title = "order 3, Ralston",
    .use = "real time with strong dampers: stable with a sixth fewer evaluations than RK4",
    .order = 3,
    .degree = 3,
    .last = 3,
    .stability = 2.5,
    .oscillations = 1.7,
    .pair = &tableau,
};
