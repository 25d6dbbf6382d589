#include "model.h"
#include "model_pendulum.h"

/* clang-format off */
static const Variable variables[] = { /* the tests read this table: a line is a variable, from value reference 0 on */
    {"time", TIME, STAGE_MODEL, STAGE_TIME, SET_NEVER, 0},
    {"motor.torque", TORQUE, STAGE_MODEL, STAGE_DYNAMICS, SET_ANY_TIME, 0},
    {"gravity.magnitude", GRAVITY, STAGE_MODEL, STAGE_DYNAMICS, SET_ANY_TIME, 0},
    {"gravity.enabled", GRAVITY_ENABLED, STAGE_MODEL, STAGE_DYNAMICS, SET_ANY_TIME, 1},
    {"damper.damping", DAMPING, STAGE_MODEL, STAGE_DYNAMICS, SET_ANY_TIME, 0},
    {"damper.drag", DRAG, STAGE_MODEL, STAGE_DYNAMICS, SET_ANY_TIME, 0},
    {"drive.amplitude", AMPLITUDE, STAGE_MODEL, STAGE_TIME, SET_ANY_TIME, 0},
    {"drive.frequency", FREQUENCY, STAGE_MODEL, STAGE_TIME, SET_ANY_TIME, 0},
    {"fault.time", FAULT_TIME, STAGE_MODEL, STAGE_ACCELERATION, SET_ANY_TIME, 0},
    {"rod.length", LENGTH, STAGE_MODEL, STAGE_INSTANCE, SET_BEFORE_START, 0},
    {"rod.mass", MASS, STAGE_MODEL, STAGE_INSTANCE, SET_BEFORE_START, 0},
    {"pendulum.q_start", Y_START + ANGLE, STAGE_MODEL, STAGE_POSITION, SET_BEFORE_START, 0},
    {"body.q_start[1]", Y_START + QUATERNION, STAGE_MODEL, STAGE_POSITION, SET_BEFORE_START, 0},
    {"body.q_start[2]", Y_START + QUATERNION + 1, STAGE_MODEL, STAGE_POSITION, SET_BEFORE_START, 0},
    {"body.q_start[3]", Y_START + QUATERNION + 2, STAGE_MODEL, STAGE_POSITION, SET_BEFORE_START, 0},
    {"body.q_start[4]", Y_START + QUATERNION + 3, STAGE_MODEL, STAGE_POSITION, SET_BEFORE_START, 0},
    {"pendulum.u_start", Y_START + RATE, STAGE_MODEL, STAGE_VELOCITY, SET_BEFORE_START, 0},
    {"body.u_start[1]", Y_START + SPIN, STAGE_MODEL, STAGE_VELOCITY, SET_BEFORE_START, 0},
    {"body.u_start[2]", Y_START + SPIN + 1, STAGE_MODEL, STAGE_VELOCITY, SET_BEFORE_START, 0},
    {"body.u_start[3]", Y_START + SPIN + 2, STAGE_MODEL, STAGE_VELOCITY, SET_BEFORE_START, 0},
    {"motor.work_start", Y_START + WORK, STAGE_MODEL, STAGE_DYNAMICS, SET_BEFORE_START, 0},
    {"pendulum.q", Y + ANGLE, STAGE_MODEL, STAGE_POSITION, SET_NEVER, 0},
    {"body.q[1]", Y + QUATERNION, STAGE_MODEL, STAGE_POSITION, SET_NEVER, 0},
    {"body.q[2]", Y + QUATERNION + 1, STAGE_MODEL, STAGE_POSITION, SET_NEVER, 0},
    {"body.q[3]", Y + QUATERNION + 2, STAGE_MODEL, STAGE_POSITION, SET_NEVER, 0},
    {"body.q[4]", Y + QUATERNION + 3, STAGE_MODEL, STAGE_POSITION, SET_NEVER, 0},
    {"pendulum.u", Y + RATE, STAGE_MODEL, STAGE_VELOCITY, SET_NEVER, 0},
    {"body.u[1]", Y + SPIN, STAGE_MODEL, STAGE_VELOCITY, SET_NEVER, 0},
    {"body.u[2]", Y + SPIN + 1, STAGE_MODEL, STAGE_VELOCITY, SET_NEVER, 0},
    {"body.u[3]", Y + SPIN + 2, STAGE_MODEL, STAGE_VELOCITY, SET_NEVER, 0},
    {"motor.work", Y + WORK, STAGE_MODEL, STAGE_DYNAMICS, SET_NEVER, 0},
    {"der(pendulum.q)", Y_DOT + ANGLE, STAGE_ACCELERATION, STAGE_REPORT, SET_NEVER, 0},
    {"der(pendulum.u)", Y_DOT + RATE, STAGE_ACCELERATION, STAGE_REPORT, SET_NEVER, 0},
    {"pendulum.height", HEIGHT, STAGE_POSITION, STAGE_REPORT, SET_NEVER, 0},
    {"pendulum.energy", ENERGY, STAGE_REPORT, STAGE_REPORT, SET_NEVER, 0},
    {"evaluations", EVALUATIONS, STAGE_MODEL, STAGE_REPORT, SET_NEVER, 0},
    {"der(body.q[1])", Y_DOT + QUATERNION, STAGE_ACCELERATION, STAGE_REPORT, SET_NEVER, 0},
};
/* clang-format on */

const Interface mobod_interface = {
    .model_name = "pendulum",
    .token = "{6f1c9f52-5f0e-4c62-9f0b-3a51d1f6a0c7}",
    .tolerance = 1e-6,
    .n_variables = sizeof variables / sizeof variables[0],
    .variables = variables,
};
