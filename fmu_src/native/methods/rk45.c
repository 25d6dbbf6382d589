#include "method.h"

/* Dormand & Prince, A family of embedded Runge-Kutta formulae, J. Comp. Appl. Math. 6 (1980), RK5(4)7M;
 * Hairer, Norsett & Wanner, Solving Ordinary Differential Equations I (1993), table II.5.2 */
static const double c[7] = {0, 1.0 / 5, 3.0 / 10, 4.0 / 5, 8.0 / 9, 1, 1};

/* clang-format off */
static const double a[7 * 7] = {
    0,              0,               0,              0,            0,               0,         0,
    1.0 / 5,        0,               0,              0,            0,               0,         0,
    3.0 / 40,       9.0 / 40,        0,              0,            0,               0,         0,
    44.0 / 45,      -56.0 / 15,      32.0 / 9,       0,            0,               0,         0,
    19372.0 / 6561, -25360.0 / 2187, 64448.0 / 6561, -212.0 / 729, 0,               0,         0,
    9017.0 / 3168,  -355.0 / 33,     46732.0 / 5247, 49.0 / 176,   -5103.0 / 18656, 0,         0,
    35.0 / 384,     0,               500.0 / 1113,   125.0 / 192,  -2187.0 / 6784,  11.0 / 84, 0,
};
/* clang-format on */

static const double error[7] = {71.0 / 57600, 0, -71.0 / 16695, 71.0 / 1920, -17253.0 / 339200, 22.0 / 525, -1.0 / 40};

/* the authors' code DOPRI5 */
static const double dense[7] = {-12715105075.0 / 11282082432,  0,
                                87487479700.0 / 32700410799,   -10690763975.0 / 1880347072,
                                701980252875.0 / 199316789632, -1453857185.0 / 822651844,
                                69997945.0 / 29380423};

static const Tableau tableau = {.n_stages = 7, .c = c, .a = a, .error = error, .n_dense = 1, .dense = dense};

const Method rk45 = {
    .name = "RK45",
    .title = "order 5(4), Dormand and Prince",
    .use = "most mechanisms",
    .order = 5,
    .estimate_order = 4,
    .degree = 4,
    .last = 6,
    .integral_gain = 0.04,
    .stability = 3.25,
    .pair = &tableau,
};
