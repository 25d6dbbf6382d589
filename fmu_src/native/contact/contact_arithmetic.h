/* Unilateral rows and friction over Numbers: of one run, and of several side by side (lanes.h). */
#ifndef MOBOD_CONTACT_ARITHMETIC_H
#define MOBOD_CONTACT_ARITHMETIC_H

#include "contact_table.h"
#include "event_table.h"
#include "friction_table.h"
#include "number.h"
#include "row_arithmetic.h"
#include "rows.h"
#include "scales.h"
#include "vectors.h"

/* ---- rows in fixed steps, see engagement.h ---- */

/* parts of the memory of a row, as in engine/mobod/matter/unilateral/unilateral.py */
enum { COUNT, LAST_DISTANCE, LAST_RATE };
enum { UNDECIDED = -1 };

/* see row_exists_in_fixed_steps */
static inline Number exists_in_steps(const Contact *contact, const Number *w) {
    const Number has_bound = number_and(number_not_equal(w[contact->enabled], NUMBER(0.0)), is_bound_in(w[contact->distance]));
    return contact->presences < 0 ? has_bound : number_and(has_bound, number_less_equal(NUMBER(0.0), w[contact->presences + 1]));
}

/* see is_engaged */
static inline Number is_engaged_in(const Contact *contact, const Number *w) {
    return number_less(NUMBER(0.0), w[contact->engagement + COUNT]);
}

/* see was_hit */
static inline Number was_hit_in(const Contact *contact, const Number *w) {
    const Number count = w[contact->engagement + COUNT];
    return number_and(number_less(NUMBER(0.0), count), number_less_equal(count, NUMBER(2.0)));
}

/* see note_hits; the count of the step comes after it */
static inline void note_hit(const Contact *contact, Number *w, Number is_hit) {
    Number *count = w + contact->engagement + COUNT;
    *count = number_where(is_hit, NUMBER(1.0), *count);
}

/* count one more step of engagement, or reset the count */
static inline void count_engagement(const Contact *contact, Number *w, Number is_engaged) {
    Number *count = w + contact->engagement + COUNT;
    *count = number_where(is_engaged, number_max(*count, NUMBER(0.0)) + 1.0, NUMBER(0.0));
}

/* after a step of ENGAGEMENT_PREDICTIVE, which has decided for all other rows (note_predicted) */
static inline void forget_undecided(const Contact *contact, Number *w) {
    Number *count = w + contact->engagement + COUNT;
    *count = number_where(number_equal(*count, NUMBER((double)UNDECIDED)), NUMBER(0.0), *count);
}

/* see remember_rows_at_end */
static inline void remember_row(const Contact *contact, Number *w) {
    w[contact->engagement + LAST_DISTANCE] = w[contact->distance];
    w[contact->engagement + LAST_RATE] = w[contact->rate];
}

/* ---- slips ---- */

/* REST_SPEED: relative to the scale of a slip and |u|; REST_TOLERANCES: in tolerances of the integration and of constraints. Slower slips
 * count as rest. */
static const double REST_SPEED = 1e-10, REST_TOLERANCES = 10;

static inline double scale_of_slip(const Model *model, const Friction *friction) {
    return scale_of_fall(model, model->rows->blocks[friction->block].first);
}

/* see slip_speed */
static inline Number speed_of_slip(const Friction *friction, const Number *w) {
    return number_sqrt(dot(friction->n, w + friction->rates, w + friction->rates));
}

/* see slowest_slip; size: that of the speeds */
static inline Number slowest_slip_of(Number size, Number tolerance, Number constraint_tolerance) {
    return number_max(REST_SPEED * size, REST_TOLERANCES * number_max(tolerance * size, constraint_tolerance));
}

/* see raised_rest */
static inline Number raised_rest_of(const Model *model, const Number *w, const Friction *friction, Number slowest) {
    const Number scaled = slowest * scale_of_slip(model, friction);
    const Number raised = w[model->events->events[friction->event].memory + MEMORY_RAISED],
                 is_raised = number_not_equal(raised, NUMBER(0.0));
    return number_any(is_raised) ? number_where(is_raised, scaled * number_pow(NUMBER(10.0), raised), scaled) : scaled;
}

/* ---- the rows B = D^(-1/2) E^T of the problems of unilateral_rows.h ---- */

/* how many numbers L of each joint has room for */
static inline int size_of_L(const RowTable *table) { return table->most_speeds * table->most_speeds; }

/* L [n_joints][size_of_L], with D^-1 = L L^T of each joint; D^-1 is 0 if u_dot is prescribed */
static inline void factor_joints(const RowTable *table, const Number *w, Number *L_of) {
    for (int j = 0; j < table->n_joints; j++) {
        const Number *D = w + table->joints[j].D_inverse;
        Number *L = L_of + j * size_of_L(table);
        const int n = table->joints[j].nu;
        const Number is_zero = number_equal(largest_number(D, n * n), NUMBER(0.0));
        if (number_all(is_zero)) {
            memset(L, 0, (size_t)(n * n) * sizeof(Number));
            continue;
        }
        for (int k = 0; k < n; k++)
            for (int i = k; i < n; i++) {
                Number sum = D[i * n + k];
                for (int l = 0; l < k; l++)
                    sum -= L[i * n + l] * L[k * n + l];
                L[i * n + k] = i == k ? number_sqrt(sum) : sum / L[k * n + k];
            }
        if (number_any(is_zero))
            for (int i = 0; i < n * n; i++)
                L[i] = number_where(is_zero, NUMBER(0.0), L[i]);
    }
}

/* add to a row [nu] of B the column D^(-1/2) e, along its path */
static inline void add_row_of_B(const RowTable *table, const RowPath *path, const Number *L_of, const Number *e, Number *row) {
    for (int j = 0; j < path->n_joints; j++) {
        const RowJoint *joint = table->joints + path->joints[j];
        const Number *L = L_of + path->joints[j] * size_of_L(table);
        for (int k = 0; k < joint->nu; k++) {
            Number sum = row[joint->first + k];
            for (int l = k; l < joint->nu; l++)
                sum += L[l * joint->nu + k] * e[joint->first + l];
            row[joint->first + k] = sum;
        }
    }
}

#endif
