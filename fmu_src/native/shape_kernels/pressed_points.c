#include "pressed_points.h"

#include "space_vectors.h"

#include <string.h>

#define HALF_POINT (-1) /* instead of the number of a feature */

static const double MOST_TURN = 0.5;   /* tangent of the angle by which the direction of a force may turn */
static const double SMALL_SPIN = 1e-8; /* of the force times the size: a moment about the force that is left out */
static const double HALVES = 0.1;      /* of the size: between the halves of a force */

/* The force w d of a point, relative to the stiffness. */
static double force_of(const double *numbers) { return numbers[AT_DISTANCE] < 0 ? -numbers[AT_WEIGHT] * numbers[AT_DISTANCE] : 0; }

/* the sums of force_of, and of force_of times depth; the mean place */
static double sums_of(const Pressed *pressed, double *stored, double *middle) {
    double total = 0;
    *stored = 0;
    set3(middle, 0, 0, 0);
    for (int i = 0; i < pressed->n; i++) {
        const double *numbers = pressed->numbers[i], f = force_of(numbers);
        total += f;
        *stored -= f * numbers[AT_DISTANCE];
        add3(middle, f, numbers + AT_ARM_1);
    }
    if (total > 0)
        scale3(middle, 1 / total, middle);
    return total;
}

/* Two points beside the middle of the force, `length` from each other, which store the same, with half of the force each: of a patch of
 * which one point presses nearly alone, so that it could not carry a moment about the force. */
static void halve_force(double length, Pressed *pressed) {
    double stored, middle[3], along[3] = {0, 0, 0}, across[3];
    const double total = sums_of(pressed, &stored, middle);
    double *one = pressed->numbers[0], *other = pressed->numbers[1];
    const double *n = one + AT_NORMAL;
    along[fabs(n[0]) < fabs(n[1]) ? (fabs(n[0]) < fabs(n[2]) ? 0 : 2) : (fabs(n[1]) < fabs(n[2]) ? 1 : 2)] = length / 2;
    cross3(across, n, along);
    one[AT_DISTANCE] = -stored / total;
    one[AT_WEIGHT] = total * total / (2 * stored);
    copy3(one + AT_ARM_1, middle);
    memcpy(other, one, POINT_SIZE * sizeof(double));
    add3(one + AT_ARM_1, -1, across);
    add3(other + AT_ARM_1, 1, across);
    pressed->on[0][1] = pressed->on[1][1] = HALF_POINT;
    pressed->on[0][0] = 0;
    pressed->on[1][0] = 1;
    pressed->n = 2;
}

/* See follow_gradient. Returns 0, and changes nothing, where the direction of a force would turn by too much. */
static int turn_forces(const double *W, const double *about, double size, Pressed *pressed) {
    double stored, middle[3], moment[3], axis[3], rest[3], spread = 0;
    double forces[MOST_CONTACT_POINTS][3], from[3], turn[3], change[3];
    const double total = sums_of(pressed, &stored, middle);
    copy3(axis, W);
    const double strength = normalize3(axis);
    if (!(total > 0) || !(strength > 0))
        return 1;
    copy3(rest, W);
    for (int i = 0; i < pressed->n; i++)
        add3(rest, -force_of(pressed->numbers[i]), pressed->numbers[i] + AT_NORMAL);
    /* the moment about the middle, less that of the points */
    subtract3(from, about, middle);
    cross3(moment, from, W);
    add3(moment, 1, W + 3);
    for (int i = 0; i < pressed->n; i++) {
        const double *numbers = pressed->numbers[i], f = force_of(numbers);
        scale3(forces[i], f, numbers + AT_NORMAL);
        add3(forces[i], f / total, rest);
        subtract3(from, numbers + AT_ARM_1, middle);
        cross3(turn, from, forces[i]);
        add3(moment, -1, turn);
        add3(from, -dot3(from, axis), axis);
        spread += f * dot3(from, from);
    }
    double spin = dot3(moment, axis);
    if (fabs(spin) <= SMALL_SPIN * total * size)
        spin = 0;
    for (int i = 0; i < pressed->n; i++) {
        const double f = force_of(pressed->numbers[i]);
        subtract3(from, pressed->numbers[i] + AT_ARM_1, middle);
        cross3(change, axis, from);
        if (fabs(spin) * length3(change) > MOST_TURN * spread)
            return 0;
        if (!(spread > 0))
            continue;
        scale3(change, f * spin / spread, change);
        add3(forces[i], 1, change);
        cross3(turn, from, change);
        add3(moment, -1, turn);
    }
    add3(moment, -dot3(moment, axis), axis);
    cross3(turn, axis, moment);
    for (int i = 0; i < pressed->n; i++) {
        double *numbers = pressed->numbers[i];
        const double f = force_of(numbers), now = normalize3(forces[i]);
        add3(numbers + AT_ARM_1, 1 / strength, turn);
        if (!(f > 0) || !(now > 0))
            continue;
        copy3(numbers + AT_NORMAL, forces[i]);
        numbers[AT_DISTANCE] *= f / now;
        numbers[AT_WEIGHT] *= (now / f) * (now / f);
    }
    return 1;
}

void follow_gradient(const double *W, const double *about, double size, Pressed *pressed) {
    if (turn_forces(W, about, size, pressed))
        return;
    halve_force(HALVES * size, pressed);
    turn_forces(W, about, size, pressed);
}
