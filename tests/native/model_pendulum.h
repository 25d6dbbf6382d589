/* A model written by hand, with everything that the contract knows: a damped pendulum driven by a torque, and a rigid body that turns
 * freely. Where its numbers lie. */
#ifndef MOBOD_MODEL_PENDULUM_H
#define MOBOD_MODEL_PENDULUM_H

#include "model.h"

enum { N_Q = 5, N_U = 4, N_Z = 1, N_Y = N_Q + N_U + N_Z };

/* entries of y, its derivative and its start */
enum { ANGLE, QUATERNION, RATE = QUATERNION + 4, SPIN, WORK = SPIN + 3 };

enum {
    TIME,
    Y,
    Y_DOT = Y + N_Y,
    Y_START = Y_DOT + N_Y,

    /* parameters */
    LENGTH = Y_START + 2 * N_Y, /* m */
    MASS,                       /* kg, at the rod's end */
    GRAVITY,                    /* m/s^2 */
    GRAVITY_ENABLED,            /* 0 or 1 */
    DAMPING,                    /* N m s */
    DRAG,                       /* N m s^2, times |rate| rate */
    AMPLITUDE,                  /* N m, of the drive */
    FREQUENCY,                  /* rad/s, of the drive */
    FAULT_TIME,                 /* s, from when on the angular acceleration is not a number */
    MOMENTS,                    /* [3] kg m^2, principal, of the free body */

    /* input */
    TORQUE = MOMENTS + 3, /* N m */

    /* computed */
    INERTIA,     /* kg m^2, about the pivot */
    DRIVE,       /* N m */
    SINE,        /* of the angle */
    HEIGHT,      /* m, above the pivot */
    APPLIED,     /* N m, sum of all torques */
    ENERGY,      /* J, of the pendulum */
    EVALUATIONS, /* how often the accelerations have been computed */

    SETTINGS, /* [N_NUMERICS] of the integration */
    N_W = SETTINGS + N_NUMERICS
};

#endif
