/* One part of a problem with friction in lanes, with the operations of the scalar solver in the same order. */
#define MOBOD_LANES MOBOD_WIDTH /* of this library */
#include "lanes_friction_part.h"

#include "complementarity.h"
#include "friction_tolerances.h"
#include "lanes_friction_newton.h"
#include "lanes_friction_rows.h"
#include "vectors.h"

#include <float.h>
#include <string.h>

/* see sparse_dot */
static Number entries_times(const FrictionInLanes *part, const Number *values, int i, const Number *v) {
    Number even = NUMBER(0.0), odd = NUMBER(0.0);
    int k = part->first[i], end = part->first[i + 1];
    for (; k + 1 < end; k += 2) {
        even += values[k] * v[part->columns[k]];
        odd += values[k + 1] * v[part->columns[k + 1]];
    }
    if (k < end)
        even += values[k] * v[part->columns[k]];
    return even + odd;
}

/* see copy_rows of friction_program.c; returns the lanes whose rows are all longer than round-off, and whose numbers are finite */
static Number measure_rows(FrictionInLanes *part) {
    const int m = part->m;
    Number longest = NUMBER(0.0), shortest = NUMBER(INFINITY), are_good = NUMBER(1.0);
    for (int i = 0; i < m; i++) {
        Number square = NUMBER(0.0);
        for (int k = part->first[i]; k < part->first[i + 1]; k++)
            square += part->values[k] * part->values[k];
        part->length[i] = number_sqrt(square);
        longest = number_max(longest, part->length[i]);
        shortest = number_min(shortest, part->length[i]);
        are_good = number_and(are_good, number_and(number_is_finite(part->length[i]), number_is_finite(part->given_a[part->row_of[i]])));
        are_good = number_and(are_good, number_is_finite(part->given_size[part->row_of[i]]));
    }
    for (int i = 0; i < part->n_contacts; i++) {
        Number *length = part->length + part->n_boxes + 3 * i;
        length[0] = length[1] = length[2] = number_max(length[0], number_max(length[1], length[2]));
    }
    return number_and(are_good, number_less(number_max(ROUND_OFF * longest, NUMBER(DBL_MIN)), shortest));
}

/* see size_of_rows */
static Number size_of_part(const FrictionInLanes *part) {
    Number largest = NUMBER(0.0);
    for (int i = 0; i < part->m; i++) {
        const int is_normal = i >= part->n_boxes && (i - part->n_boxes) % 3 == 0;
        const Number size = number_abs(part->given_size[part->row_of[i]]), a = part->given_a[part->row_of[i]];
        const Number own = number_max(is_normal ? size - number_max(a, NUMBER(0.0)) : size, NUMBER(0.0)) / part->length[i];
        largest = number_max(largest, own);
    }
    return largest;
}

/* see scale_bounds */
static void scale_bounds_of_part(FrictionInLanes *part, Number unit) {
    for (int i = 0; i < part->n_boxes; i++) {
        const Number factor = part->length[i] / unit, limit = part->limit[part->row_of[i]];
        const Number bound = number_where(number_less_equal(NUMBER(DBL_MAX), limit), NUMBER(INFINITY), limit);
        part->lower[i] = (part->is_joint[part->row_of[i]] ? -bound : NUMBER(0.0)) * factor;
        part->upper[i] = bound * factor;
    }
}

/* see project_multipliers */
static void project_in_cones(const FrictionInLanes *part, Number *z) {
    for (int i = 0; i < part->n_boxes; i++)
        z[i] = number_min(number_max(z[i], part->lower[i]), part->upper[i]);
    for (int k = part->n_boxes; k < part->m; k += 3) {
        z[k] = number_max(z[k], NUMBER(0.0));
        const Number limit = part->limit[part->row_of[k]] * z[k], length = number_sqrt(z[k + 1] * z[k + 1] + z[k + 2] * z[k + 2]);
        for (int i = 0; i < 2; i++)
            z[k + 1 + i] = number_where(number_less(limit, length), limit / length * z[k + 1 + i], z[k + 1 + i]);
    }
}

/* see reduce_rows, without equations; returns the unit */
static Number reduce_part(FrictionInLanes *part, Number *row, int n) {
    const int m = part->m;
    const Number size = size_of_part(part), unit = number_where(number_less(NUMBER(DBL_MIN), size), size, NUMBER(1.0));
    part->size = size / unit;
    scale_bounds_of_part(part, unit);
    for (int i = 0; i < m; i++) {
        const Number factor = 1.0 / part->length[i];
        for (int k = part->first[i]; k < part->first[i + 1]; k++)
            part->scaled[k] = factor * part->values[k];
    }
    memset(part->A, 0, (size_t)(m * m) * sizeof(Number));
    memset(row, 0, (size_t)n * sizeof(Number));
    for (int i = 0; i < m; i++) {
        const int first = part->first[i], end = part->first[i + 1];
        if (first == end)
            continue;
        for (int k = first; k < end; k++)
            row[part->columns[k]] = part->scaled[k];
        for (int j = 0; j <= i; j++) {
            const int other = part->first[j], end_of_other = part->first[j + 1];
            if (other < end_of_other && part->columns[other] <= part->columns[end - 1] &&
                part->columns[end_of_other - 1] >= part->columns[first])
                part->A[i * m + j] = part->A[j * m + i] = entries_times(part, part->scaled, j, row);
        }
        for (int k = first; k < end; k++)
            row[part->columns[k]] = NUMBER(0.0);
    }
    for (int i = 0; i < m; i++)
        part->a[i] = part->given_a[part->row_of[i]] / part->length[i] / unit;
    return unit;
}

/* see solve_symmetric; A has LEAST_EPSILON on its diagonal. Returns the lanes in which the matrix is positive. */
static Number solve_for_unknowns(FrictionInLanes *part, int n, Number *b) {
    Number *M = part->M;
    for (int i = 0; i < n; i++) {
        const Number *A = part->A + part->place[i] * part->m;
        for (int j = i; j < n; j++)
            M[i * n + j] = A[part->place[j]];
        M[i * n + i] += LEAST_EPSILON;
    }
    return eliminate_symmetric(n, M, b);
}

/* the lanes in which no contact that presses at part->z is at its limit, and those in which the same press as in the lane `leading` */
static void find_pressing_lanes(const FrictionInLanes *part, int leading, Number *hold, Number *are_alike) {
    *hold = *are_alike = NUMBER(1.0);
    for (int k = part->n_boxes; k < part->m; k += 3) {
        const Number *z = part->z + k, is_pressing = number_less(NUMBER(0.0), z[0]), limit = HOLDS * part->limit[part->row_of[k]] * z[0];
        const Number holds = number_less(z[1] * z[1] + z[2] * z[2], limit * limit);
        *are_alike = number_and(*are_alike, number_equal(is_pressing, NUMBER(is_pressing[leading])));
        *hold = number_and(*hold, number_or(number_not(is_pressing), holds));
    }
}

/* See stick_where_pressed: part->trial becomes the multipliers with which all contacts stick that press at part->z in the lane `leading`.
 * Returns the lanes in which this gives a solution. */
static Number stick_in_part(FrictionInLanes *part, Number lanes, int leading) {
    const int m = part->m;
    int n = 0, presses = 0;
    for (int k = part->n_boxes; k < m; k += 3)
        presses |= part->z[k][leading] > 0;
    for (int i = 0; i < part->n_boxes; i++)
        part->place[n++] = i;
    for (int k = part->n_boxes; k < m; k += 3)
        for (int i = 0; i < 3 && (!presses || part->z[k][leading] > 0); i++)
            part->place[n++] = k + i;
    memset(part->trial, 0, (size_t)m * sizeof(Number));
    for (int pass = 0; pass < 2 && number_any(lanes); pass++) {
        find_rates_of_part(part, part->trial, part->w);
        for (int i = 0; i < n; i++)
            part->unknowns[i] = -part->w[part->place[i]];
        lanes = number_and(lanes, solve_for_unknowns(part, n, part->unknowns));
        for (int i = 0; i < n; i++) {
            lanes = number_and(lanes, number_is_finite(part->unknowns[i]));
            part->trial[part->place[i]] += part->unknowns[i];
        }
    }
    find_rates_of_part(part, part->trial, part->w);
    return number_and(lanes, number_less_equal(residual_of(part, part->trial, part->w), NUMBER(GOOD)));
}

/* Try sticking in lanes, with the contacts that press in each of them, and set part->best where they do. Returns these lanes. */
static Number stick_where_pressed_in_lanes(FrictionInLanes *part, Number lanes) {
    Number stick = NUMBER(0.0);
    for (int leading = 0; leading < MOBOD_LANES; leading++) {
        Number hold, are_alike;
        if (lanes[leading] == 0)
            continue;
        find_pressing_lanes(part, leading, &hold, &are_alike);
        const Number tried = number_and(lanes, number_and(hold, are_alike));
        lanes = number_and(lanes, number_not(are_alike));
        if (!number_any(tried))
            continue;
        const Number found = stick_in_part(part, tried, leading);
        for (int i = 0; i < part->m; i++)
            part->best[i] = number_where(found, part->trial[i], part->best[i]);
        stick = number_or(stick, found);
    }
    return stick;
}

/* See restore_multipliers and judge: the solution of the rows from part->best, and y [n] of the columns. Returns the residual, infinite if
 * a number is not finite. change: the largest change of the rate of a row with an impulse, see largest_change */
static Number judge_part(FrictionInLanes *part, Number unit, Number *y, int n, Number *change) {
    const int m = part->m;
    Number are_finite = NUMBER(1.0);
    memset(y, 0, (size_t)n * sizeof(Number));
    for (int i = 0; i < m; i++) {
        const Number multiplier = part->best[i] * unit / part->length[i];
        part->solution[part->row_of[i]] = multiplier;
        if (number_any(multiplier))
            for (int k = part->first[i]; k < part->first[i + 1]; k++)
                y[part->columns[k]] += multiplier * part->values[k];
    }
    const Number scale = number_max(size_of_part(part) + norm(n, y), NUMBER(DBL_MIN));
    *change = NUMBER(0.0);
    for (int i = 0; i < m; i++) {
        const int row = part->row_of[i];
        const Number w = entries_times(part, part->values, i, y) + part->given_a[row], multiplier = part->solution[row];
        const Number own_change = number_max(*change, number_abs(w - part->now[row]) / part->length[i]);
        *change = number_where(multiplier, own_change, *change);
        part->w[i] = w / part->length[i] / scale;
        part->z[i] = multiplier * part->length[i] / scale;
        are_finite = number_and(are_finite, number_is_finite(w));
    }
    *change = *change / scale;
    scale_bounds_of_part(part, scale);
    map_naturally(part, part->z, part->w, part->r);
    for (int i = 0; i < m; i++)
        are_finite = number_and(are_finite, number_is_finite(part->r[i]));
    const Number largest = number_max(largest_number(part->r, m), DBL_EPSILON * largest_number(part->z, m));
    return number_where(number_and(are_finite, number_is_finite(scale)), largest, NUMBER(INFINITY));
}

Number accept_start(FrictionInLanes *part, Number lanes, Number *y, int n) {
    Number change;
    lanes = number_and(lanes, measure_rows(part));
    for (int i = 0; i < part->m; i++)
        part->best[i] = part->start[part->row_of[i]] * part->length[i];
    scale_bounds_of_part(part, NUMBER(1.0));
    project_in_cones(part, part->best);
    const Number residual = judge_part(part, NUMBER(1.0), y, n, &change);
    return number_and(lanes, number_and(number_less_equal(residual, NUMBER(STARTS)), number_less_equal(change, NUMBER(CHANGES))));
}

Number solve_part(FrictionInLanes *part, Number lanes, Number *row, Number *y, int n) {
    Number ignored;
    lanes = number_and(lanes, measure_rows(part));
    const Number unit = reduce_part(part, row, n);
    for (int i = 0; i < part->m; i++)
        part->z[i] = part->start[part->row_of[i]] * part->length[i] / unit;
    project_in_cones(part, part->z);
    find_rates_of_part(part, part->z, part->w);
    Number are_solved = number_less_equal(residual_of(part, part->z, part->w), NUMBER(GOOD));
    memcpy(part->best, part->z, (size_t)part->m * sizeof(Number));
    Number left = number_and(lanes, number_not(are_solved));
    if (number_any(left)) {
        are_solved = number_or(are_solved, stick_where_pressed_in_lanes(part, left));
        left = number_and(lanes, number_not(are_solved));
    }
    if (number_any(left)) {
        const Number found = newton_in_part(part, left);
        for (int i = 0; i < part->m; i++)
            part->best[i] = number_where(found, part->z[i], part->best[i]);
        are_solved = number_or(are_solved, found);
    }
    lanes = number_and(lanes, are_solved);
    if (!number_any(lanes))
        return lanes;
    const Number residual = judge_part(part, unit, y, n, &ignored);
    return number_and(lanes, number_less_equal(residual, NUMBER(largest_certified_residual())));
}
