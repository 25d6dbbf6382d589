#include "model_pendulum.h"
#include "model.h"

#include "elementary.h"
#include "integrators.h"

#include <float.h>

/* ---------------------------------------------------------------------------------------------------------------------------- kernels */

/* mass, length -> inertia */
static int point_mass(const void *context, Call *call, const int *at) {
    double *w = call->w;
    (void)context;
    w[at[2]] = w[at[0]] * w[at[1]] * w[at[1]];
    return 0;
}

/* time, amplitude, frequency -> torque */
static int sinusoid(const void *context, Call *call, const int *at) {
    double *w = call->w;
    (void)context;
    w[at[3]] = w[at[1]] * mobod_sin(w[at[2]] * w[at[0]]);
    return 0;
}

/* angle, length -> sine, height */
static int rod_position(const void *context, Call *call, const int *at) {
    double *w = call->w;
    (void)context;
    double angle = w[at[0]], length = w[at[1]];
    w[at[2]] = mobod_sin(angle);
    w[at[3]] = -length * mobod_cos(angle);
    return 0;
}

/* rate -> derivative of the angle */
static int pin_q_dot(const void *context, Call *call, const int *at) {
    double *w = call->w;
    (void)context;
    w[at[1]] = w[at[0]];
    return 0;
}

/* quaternion, angular velocity in the body -> derivative of the quaternion; Shuster (1993), eq. 305, scalar first */
static int ball_q_dot(const void *context, Call *call, const int *at) {
    double *w = call->w;
    (void)context;
    const double *e = w + at[0], *v = w + at[1];
    double e_dot[4] = {
        -(e[1] * v[0] + e[2] * v[1] + e[3] * v[2]) / 2,
        (e[0] * v[0] + e[2] * v[2] - e[3] * v[1]) / 2,
        (e[0] * v[1] + e[3] * v[0] - e[1] * v[2]) / 2,
        (e[0] * v[2] + e[1] * v[1] - e[2] * v[0]) / 2,
    };
    for (int i = 0; i < 4; i++)
        w[at[2] + i] = e_dot[i];
    return 0;
}

/* enabled, mass, length, gravity, sine -> added to the torque */
static int weight(const void *context, Call *call, const int *at) {
    double *w = call->w;
    (void)context;
    w[at[5]] -= w[at[0]] * w[at[1]] * w[at[2]] * w[at[3]] * w[at[4]];
    return 0;
}

/* damping, drag, rate -> added to the torque */
static int resistance(const void *context, Call *call, const int *at) {
    double *w = call->w;
    (void)context;
    double rate = w[at[2]];
    w[at[3]] -= w[at[0]] * rate + w[at[1]] * fabs(rate) * rate;
    return 0;
}

/* torque -> added to the torque */
static int add(const void *context, Call *call, const int *at) {
    double *w = call->w;
    (void)context;
    w[at[1]] += w[at[0]];
    return 0;
}

/* time, fault time, torque, inertia -> angular acceleration */
static int pin_u_dot(const void *context, Call *call, const int *at) {
    double *w = call->w;
    (void)context;
    w[at[4]] = w[at[0]] < w[at[1]] ? w[at[2]] / w[at[3]] : NAN;
    return 0;
}

/* moments, angular velocity -> angular acceleration of a body without load: Euler's equations */
static int ball_u_dot(const void *context, Call *call, const int *at) {
    double *w = call->w;
    (void)context;
    const double *m = w + at[0], *v = w + at[1];
    double v_dot[3] = {(m[1] - m[2]) * v[1] * v[2] / m[0], (m[2] - m[0]) * v[2] * v[0] / m[1], (m[0] - m[1]) * v[0] * v[1] / m[2]};
    for (int i = 0; i < 3; i++)
        w[at[2] + i] = v_dot[i];
    return 0;
}

/* torque, rate -> power */
static int power(const void *context, Call *call, const int *at) {
    double *w = call->w;
    (void)context;
    w[at[2]] = w[at[0]] * w[at[1]];
    return 0;
}

/* counts its calls */
static int count(const void *context, Call *call, const int *at) {
    double *w = call->w;
    (void)context;
    w[at[0]] += 1;
    return 0;
}

/* inertia, rate, mass, gravity, height -> energy */
static int energy(const void *context, Call *call, const int *at) {
    double *w = call->w;
    (void)context;
    w[at[5]] = w[at[0]] * w[at[1]] * w[at[1]] / 2 + w[at[2]] * w[at[3]] * w[at[4]];
    return 0;
}

enum {
    POINT_MASS,
    SINUSOID,
    ROD_POSITION,
    PIN_Q_DOT,
    BALL_Q_DOT,
    WEIGHT,
    RESISTANCE,
    ADD,
    PIN_U_DOT,
    BALL_U_DOT,
    POWER,
    COUNT,
    ENERGY_,
    N_KERNELS
};

static const Kernel kernels[N_KERNELS] = {
    {point_mass, NULL}, {sinusoid, NULL},  {rod_position, NULL}, {pin_q_dot, NULL}, {ball_q_dot, NULL}, {weight, NULL}, {resistance, NULL},
    {add, NULL},        {pin_u_dot, NULL}, {ball_u_dot, NULL},   {power, NULL},     {count, NULL},      {energy, NULL}};

/* ----------------------------------------------------------------------------------------------------------------------------- sweeps */

/* clang-format off */
static const Sweep instance = {0, NULL, 1, (const int[]){POINT_MASS}, (const int[]){0}, (const int[]){MASS, LENGTH, INERTIA}, NULL};
static const Sweep time = {0, NULL, 1, (const int[]){SINUSOID}, (const int[]){0}, (const int[]){TIME, AMPLITUDE, FREQUENCY, DRIVE}, NULL};
static const Sweep position = {0, NULL, 1, (const int[]){ROD_POSITION}, (const int[]){0}, (const int[]){Y + ANGLE, LENGTH, SINE, HEIGHT}, NULL};
static const Sweep velocity = {0, NULL, 2, (const int[]){PIN_Q_DOT, BALL_Q_DOT}, (const int[]){0, 2}, (const int[]){
    Y + RATE, Y_DOT + ANGLE,
    Y + QUATERNION, Y + SPIN, Y_DOT + QUATERNION,
}, NULL};
static const Sweep dynamics = {1, (const int[]){APPLIED, 1}, 4, (const int[]){WEIGHT, RESISTANCE, ADD, ADD}, (const int[]){0, 6, 10, 12},
                               (const int[]){
    GRAVITY_ENABLED, MASS, LENGTH, GRAVITY, SINE, APPLIED,
    DAMPING, DRAG, Y + RATE, APPLIED,
    DRIVE, APPLIED,
    TORQUE, APPLIED,
}, NULL};
static const Sweep acceleration = {0, NULL, 4, (const int[]){PIN_U_DOT, BALL_U_DOT, POWER, COUNT}, (const int[]){0, 5, 8, 11},
                                   (const int[]){
    TIME, FAULT_TIME, APPLIED, INERTIA, Y_DOT + RATE,
    MOMENTS, Y + SPIN, Y_DOT + SPIN,
    TORQUE, Y + RATE, Y_DOT + WORK,
    EVALUATIONS,
}, NULL};
static const Sweep report = {0, NULL, 1, (const int[]){ENERGY_}, (const int[]){0},
                             (const int[]){INERTIA, Y + RATE, MASS, GRAVITY, HEIGHT, ENERGY}, NULL};
/* clang-format on */

static const Sweep *const sweeps[N_STAGES] = {
    [STAGE_INSTANCE] = &instance, [STAGE_TIME] = &time,         [STAGE_POSITION] = &position,
    [STAGE_VELOCITY] = &velocity, [STAGE_DYNAMICS] = &dynamics, [STAGE_ACCELERATION] = &acceleration,
    [STAGE_REPORT] = &report,
};

static const double start[N_W] = {
    [Y_START + ANGLE] = 0.4,    [Y_START + QUATERNION] = 1,  [Y_START + RATE] = -0.3, [Y_START + SPIN] = 0.7,
    [Y_START + SPIN + 1] = 2.1, [Y_START + SPIN + 2] = -0.2, [LENGTH] = 0.8,          [MASS] = 1.3,
    [GRAVITY] = 9.81,           [GRAVITY_ENABLED] = 1,       [DAMPING] = 0.2,         [DRAG] = 0.05,
    [AMPLITUDE] = 1.7,          [FREQUENCY] = 3.1,           [FAULT_TIME] = 1e300,    [MOMENTS] = 0.4,
    [MOMENTS + 1] = 0.7,        [MOMENTS + 2] = 0.9,
};

static const char *const y_names[N_Y] = {"pendulum.q", "body.q[1]", "body.q[2]", "body.q[3]", "body.q[4]",
                                         "pendulum.u", "body.u[1]", "body.u[2]", "body.u[3]", "motor.work"};

static const char *const y_units[N_Y] = {"rad", "1", "1", "1", "1", "rad/s", "rad/s", "rad/s", "rad/s", "J"};

static const int quaternions[] = {Y + QUATERNION};

static const SavedRange saved_ranges[] = {
    {TIME, 1 + N_Y, REAL_NUMBER, -DBL_MAX, DBL_MAX},
    {Y_START, N_Y, REAL_NUMBER, -DBL_MAX, DBL_MAX},
    {Y_START + N_Y, N_Y, WHOLE_NUMBER, 0, 1},
    {LENGTH, GRAVITY_ENABLED - LENGTH, REAL_NUMBER, -DBL_MAX, DBL_MAX},
    {GRAVITY_ENABLED, 1, WHOLE_NUMBER, 0, 1},
    {DAMPING, INERTIA - DAMPING, REAL_NUMBER, -DBL_MAX, DBL_MAX},
    {SETTINGS + NUMERICS_MAX_STEPS, 1, WHOLE_NUMBER, 1, LARGEST_MAX_STEPS},
    {SETTINGS + NUMERICS_INTEGRATOR, 1, WHOLE_NUMBER, INTEGRATOR_AUTO, N_INTEGRATORS - 1},
    {SETTINGS + NUMERICS_TOLERANCE, N_NUMERICS - NUMERICS_TOLERANCE, REAL_NUMBER, 0, DBL_MAX},
};
static const SavedTable saved = {sizeof saved_ranges / sizeof saved_ranges[0], saved_ranges};

static const int all_of_w[] = {0, N_W};

const Model mobod_model = {
    .name = "pendulum",
    .n_w = N_W,
    .n_copied = 1,
    .copied = all_of_w,
    .n_q = N_Q,
    .n_u = N_U,
    .n_z = N_Z,
    .time_at = TIME,
    .y_at = Y,
    .y_dot_at = Y_DOT,
    .y_start_at = Y_START,
    .start = start,
    .y_names = y_names,
    .y_units = y_units,
    .n_quaternions = 1,
    .quaternions = quaternions,
    .n_kernels = N_KERNELS,
    .kernels = kernels,
    .sweeps = sweeps,
    .saved = &saved,
};
