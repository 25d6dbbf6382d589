/* Newton's method of friction_newton.c on a part of a problem in lanes, with the operations of the scalar one in the same order.
 *
 * Lanes have different unknowns: each row has a place in the equations of all lanes, and in a lane where it is no unknown its equation is
 * that of the unit matrix, which changes no bits of the others. */
#define MOBOD_LANES MOBOD_WIDTH /* of this library */
#include "lanes_friction_newton.h"

#include "friction_tolerances.h"
#include "lanes_friction_rows.h"
#include "vectors.h"

#include <string.h>

/* the unknowns of a contact, and the known part of its step; see add_contact */
static void add_contact(FrictionInLanes *part, int k) {
    NewtonInLanes *newton = &part->newton;
    const Number *z = part->z + k, *w = part->w + k, mu = part->limit[part->row_of[k]];
    const Number normal = z[0] - w[0], x[2] = {z[1] - w[1], z[2] - w[2]};
    const Number length = number_sqrt(x[0] * x[0] + x[1] * x[1]), limit = mu * normal;
    const Number is_open = number_less_equal(normal, NUMBER(0.0)), presses = number_not(is_open);
    const Number sticks = number_and(presses, number_less_equal(length, limit)), slips = number_and(presses, number_not(sticks));
    const Number d[2] = {x[0] / length, x[1] / length}, along = mu * z[0] - (z[1] * d[0] + z[2] * d[1]);
    const Number of_slips[3] = {NUMBER(0.0), along * d[0], along * d[1]};
    for (int i = 0; i < 3; i++) {
        newton->dz[k + i] = number_where(is_open, -z[i], number_where(slips, of_slips[i], NUMBER(0.0)));
        newton->is_single[k + i] = sticks;
    }
    newton->slips[k] = slips;
    newton->along[k][0] = mu * d[0];
    newton->along[k][1] = mu * d[1];
    newton->across[k][0] = limit / length;
    newton->across[k][1] = -d[1];
    newton->across[k][2] = d[0];
}

/* Set the unknowns of a step, and its known part. Returns the lanes in which all unknowns are single rows. */
static Number find_unknowns(FrictionInLanes *part) {
    NewtonInLanes *newton = &part->newton;
    Number slips = NUMBER(0.0);
    for (int i = 0; i < part->n_boxes; i++) {
        const Number x = part->z[i] - part->w[i], is_below = number_less(x, part->lower[i]), is_above = number_less(part->upper[i], x);
        newton->dz[i] =
            number_where(is_below, part->lower[i] - part->z[i], number_where(is_above, part->upper[i] - part->z[i], NUMBER(0.0)));
        newton->is_single[i] = number_and(number_less_equal(part->lower[i], x), number_less_equal(x, part->upper[i]));
    }
    for (int k = part->n_boxes; k < part->m; k += 3) {
        add_contact(part, k);
        slips = number_or(slips, newton->slips[k]);
    }
    return number_not(slips);
}

/* whether row i is the normal of a contact, or its first tangent: the places of the unknowns of a slip */
static int is_normal(const FrictionInLanes *part, int i) { return i >= part->n_boxes && (i - part->n_boxes) % 3 == 0; }
static int is_across(const FrictionInLanes *part, int i) { return i >= part->n_boxes && (i - part->n_boxes) % 3 == 1; }

/* the entry of v [m] that belongs to the equation at place i; see in_equation */
static Number in_equation(const FrictionInLanes *part, int i, const Number *v) {
    const NewtonInLanes *newton = &part->newton;
    if (is_across(part, i)) {
        const Number *factor = newton->across[i - 1];
        const Number of_slip = factor[0] * (factor[1] * v[i] + factor[2] * v[i + 1]);
        return number_where(newton->slips[i - 1], of_slip, number_where(newton->is_single[i], v[i], NUMBER(0.0)));
    }
    const Number is_unknown = is_normal(part, i) ? number_or(newton->slips[i], newton->is_single[i]) : newton->is_single[i];
    return number_where(is_unknown, v[i], NUMBER(0.0));
}

/* column [m] = A times the change of multipliers by the unknown at place j; see find_column */
static void find_column(const FrictionInLanes *part, int j, Number *column) {
    const int m = part->m;
    const NewtonInLanes *newton = &part->newton;
    const Number *A = part->A + j * m, single = newton->is_single[j];
    for (int i = 0; i < m; i++) {
        column[i] = number_where(single, A[i], NUMBER(0.0));
        if (is_normal(part, j)) {
            const Number *factor = newton->along[j], of_slip = A[i] + factor[0] * A[m + i] + factor[1] * A[2 * m + i];
            column[i] = number_where(newton->slips[j], of_slip, column[i]);
        } else if (is_across(part, j)) {
            const Number *factor = newton->across[j - 1], of_slip = 0.0 + factor[1] * A[i] + factor[2] * A[m + i];
            column[i] = number_where(newton->slips[j - 1], of_slip, column[i]);
        }
    }
}

/* whether there is an unknown at place i */
static Number is_unknown(const FrictionInLanes *part, int i) {
    const NewtonInLanes *newton = &part->newton;
    const Number slips = is_normal(part, i) ? newton->slips[i] : is_across(part, i) ? newton->slips[i - 1] : NUMBER(0.0);
    return number_or(newton->is_single[i], slips);
}

/* the matrix of the equations, with 1 on the diagonal where there is no unknown */
static void find_matrix(FrictionInLanes *part, Number *M) {
    const int m = part->m;
    NewtonInLanes *newton = &part->newton;
    for (int j = 0; j < m; j++) {
        find_column(part, j, newton->column);
        for (int i = 0; i < m; i++)
            M[i * m + j] = in_equation(part, i, newton->column);
        M[j * m + j] = number_where(is_unknown(part, j), M[j * m + j], NUMBER(1.0));
        if (is_across(part, j))
            M[j * m + j] = number_where(newton->slips[j - 1], M[j * m + j] + (1.0 - newton->across[j - 1][0]), M[j * m + j]);
    }
}

/* See factor_lu: b becomes the solution of M x = b. Returns the lanes in which all pivots are finite, and not 0. */
static Number solve_by_lu(int n, Number *M, Number *b) {
    Number has_pivots = NUMBER(1.0);
    for (int k = 0; k < n; k++) {
        Number *row = M + k * n, size = number_abs(row[k]), pivot = NUMBER((double)k);
        for (int i = k + 1; i < n; i++) {
            const Number other = number_abs(M[i * n + k]), is_larger = number_less(size, other);
            pivot = number_where(is_larger, NUMBER((double)i), pivot);
            size = number_where(is_larger, other, size);
        }
        has_pivots = number_and(has_pivots, number_and(number_is_finite(size), number_less(NUMBER(0.0), size)));
        for (int i = k + 1; i < n; i++) {
            const Number is_pivot = number_equal(pivot, NUMBER((double)i));
            if (!number_any(is_pivot))
                continue;
            for (int j = 0; j < n; j++) {
                const Number kept = row[j];
                row[j] = number_where(is_pivot, M[i * n + j], kept);
                M[i * n + j] = number_where(is_pivot, kept, M[i * n + j]);
            }
            const Number kept = b[k];
            b[k] = number_where(is_pivot, b[i], kept);
            b[i] = number_where(is_pivot, kept, b[i]);
        }
        for (int i = k + 1; i < n; i++) {
            Number *other = M + i * n;
            const Number factor = other[k] /= row[k];
            if (number_any(factor))
                add_multiple_apart(n - k - 1, other + k + 1, -factor, row + k + 1);
        }
    }
    for (int i = 1; i < n; i++)
        for (int j = 0; j < i; j++)
            b[i] -= M[i * n + j] * b[j];
    for (int i = n - 1; i >= 0; i--) {
        for (int j = i + 1; j < n; j++)
            b[i] -= M[i * n + j] * b[j];
        b[i] /= M[i * n + i];
    }
    return has_pivots;
}

/* Solve for the step dz, and dw = A dz. Returns the lanes of `lanes` that have one. See find_step */
static Number find_step(FrictionInLanes *part, Number lanes) {
    const int m = part->m;
    NewtonInLanes *newton = &part->newton;
    const Number is_symmetric = find_unknowns(part);
    Number *u = part->unknowns, *general = newton->general_unknowns, has_step = NUMBER(1.0);
    find_changes_of_part(part, newton->dz, newton->dw);
    for (int i = 0; i < m; i++) {
        Number right = number_where(is_unknown(part, i), -part->w[i], NUMBER(0.0));
        if (is_across(part, i)) {
            const Number *factor = newton->across[i - 1], of_slip = -(factor[1] * part->z[i] + factor[2] * part->z[i + 1]);
            right = number_where(newton->slips[i - 1], of_slip, right);
        }
        u[i] = general[i] = right - in_equation(part, i, newton->dw);
    }
    find_matrix(part, part->M);
    if (number_any(number_and(lanes, number_not(is_symmetric)))) {
        memcpy(newton->general, part->M, (size_t)(m * m) * sizeof(Number));
        has_step = solve_by_lu(m, newton->general, general);
    }
    if (number_any(number_and(lanes, is_symmetric)))
        has_step = number_where(is_symmetric, eliminate_symmetric(m, part->M, u), has_step);
    for (int i = 0; i < m; i++) {
        u[i] = number_where(is_symmetric, u[i], general[i]);
        has_step = number_and(has_step, number_is_finite(u[i]));
    }
    for (int i = 0; i < part->n_boxes; i++)
        newton->dz[i] = number_where(newton->is_single[i], newton->dz[i] + u[i], newton->dz[i]);
    for (int k = part->n_boxes; k < m; k += 3) {
        const Number slips = newton->slips[k], *along = newton->along[k], *across = newton->across[k];
        for (int i = 0; i < 3; i++) {
            Number *dz = newton->dz + k + i, of_slip = i == 0 ? *dz + u[k] : *dz + u[k] * along[i - 1];
            if (i > 0)
                of_slip += u[k + 1] * across[i];
            *dz = number_where(slips, of_slip, number_where(newton->is_single[k + i], *dz + u[k + i], *dz));
        }
    }
    find_changes_of_part(part, newton->dz, newton->dw);
    return number_and(lanes, has_step);
}

/* Take the step in lanes, or the part of it that decreases the squared norm. Returns the lanes in which one does; *square becomes that
 * after it. See take_step */
static Number take_step(FrictionInLanes *part, Number lanes, Number *square) {
    const int m = part->m;
    NewtonInLanes *newton = &part->newton;
    Number *z = part->trial, *w = newton->trial_w, taken = NUMBER(0.0), left = lanes;
    for (double of_step = 1; of_step > SHORTEST && number_any(left); of_step /= 2) {
        for (int i = 0; i < m; i++) {
            z[i] = part->z[i] + of_step * newton->dz[i];
            w[i] = part->w[i] + of_step * newton->dw[i];
        }
        map_naturally(part, z, w, part->r);
        const Number next = dot(m, part->r, part->r);
        const Number decreases = number_and(left, number_less(next, (1 - DECREASE * of_step) * *square));
        for (int i = 0; i < m; i++) {
            part->z[i] = number_where(decreases, z[i], part->z[i]);
            part->w[i] = number_where(decreases, w[i], part->w[i]);
        }
        *square = number_where(decreases, next, *square);
        taken = number_or(taken, decreases);
        left = number_and(left, number_not(decreases));
    }
    return taken;
}

/* add epsilon to the diagonal of A, which is kept; NULL: take it away */
static void shift_diagonal(FrictionInLanes *part, const Number *epsilon) {
    for (int i = 0; i < part->m; i++) {
        if (!epsilon)
            part->A[i * part->m + i] = part->newton.diagonal[i];
        else
            part->A[i * part->m + i] = part->newton.diagonal[i] + *epsilon;
    }
}

Number newton_in_part(FrictionInLanes *part, Number lanes) {
    const int m = part->m;
    NewtonInLanes *newton = &part->newton;
    if (m > MOST_ROWS_OF_NEWTON)
        return NUMBER(0.0);
    for (int k = part->n_boxes; k < m; k += 3)
        lanes = number_and(lanes, number_less(NUMBER(0.0), part->limit[part->row_of[k]]));
    for (int i = 0; i < m; i++)
        newton->diagonal[i] = part->A[i * m + i];
    find_rates_of_part(part, part->z, part->w);
    Number residual = residual_of(part, part->z, part->w), square = dot(m, part->r, part->r), going = lanes;
    for (int i = 0; i < FIRST_STEPS; i++) {
        going = number_and(going, number_not(number_less_equal(residual, NUMBER(SOLVED))));
        if (!number_any(going))
            break;
        const Number epsilon = number_min(number_max(PART_OF_NORM * number_sqrt(square), NUMBER(LEAST_EPSILON)), NUMBER(LARGEST_EPSILON));
        shift_diagonal(part, &epsilon);
        const Number has_step = find_step(part, going);
        shift_diagonal(part, NULL);
        lanes = number_and(lanes, number_or(has_step, number_not(going))); /* without a step: alone */
        add_multiple_apart(m, newton->dw, -epsilon, newton->dz);
        going = take_step(part, has_step, &square);
        if (number_any(going))
            residual = number_where(going, residual_of(part, part->z, part->w), residual);
    }
    find_rates_of_part(part, part->z, part->w);
    return number_and(lanes, number_less_equal(residual_of(part, part->z, part->w), NUMBER(GOOD)));
}
