#include "method.h"

/* Bogacki & Shampine, A 3(2) pair of Runge-Kutta formulas, Appl. Math. Lett. 2 (1989); its interpolant is the cubic one */
static const double c[4] = {0, 1.0 / 2, 3.0 / 4, 1};

/* clang-format off */
static const double a[4 * 4] = {
    0,       0,       0,       0,
    1.0 / 2, 0,       0,       0,
    0,       3.0 / 4, 0,       0,
    2.0 / 9, 1.0 / 3, 4.0 / 9, 0,
};
/* clang-format on */

static const double error[4] = {-5.0 / 72, 1.0 / 12, 1.0 / 9, -1.0 / 8};

static const Tableau tableau = {.n_stages = 4, .c = c, .a = a, .error = error};

const Method rk23 = {
    .name = "RK23",
    .title = "order 3(2), Bogacki and Shampine",
    .use = "coarse accuracy, forces that are not smooth",
    .order = 3,
    .estimate_order = 2,
    .degree = 3,
    .last = 3,
    .integral_gain = 0.04,
    .stability = 2.5,
    .pair = &tableau,
};
