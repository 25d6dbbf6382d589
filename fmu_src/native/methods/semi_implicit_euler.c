#include "method.h"

/* symplectic Euler: Hairer, Lubich & Wanner, Geometric Numerical Integration (2006), I.1.2; its step is try_semi_implicit_step */
const Method semi_implicit_euler = {
    .name = "SemiImplicitEuler",
    .title = "order 1, symplectic Euler",
    .use = "real time, short steps; long runs without drift of the energy where the mass matrix is constant",
    .order = 1,
    .degree = 2,
    .last = 1,
    .stability = 2,
    .oscillations = 2,
};
