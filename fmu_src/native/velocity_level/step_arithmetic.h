/* The arithmetic of fixed steps at velocity level over Numbers: of one run, and of several side by side (lanes.h).
 * velocity_level.h explains it. */
#ifndef MOBOD_STEP_ARITHMETIC_H
#define MOBOD_STEP_ARITHMETIC_H

#include "contact_arithmetic.h"
#include "response_arithmetic.h"
#include "scales.h"

/* NOISE: relative to the scale of a rate and |u|; slower rows are at rest.
 * CAPTURED: times the change of a rate in a step; a row that impacts no faster is at rest, and does not bounce.
 * HIT: the same; a row that approaches faster is hit, see hits.h.
 * SLIPS: relative to the largest free rate; a slower slip at the end of a step is round-off of a contact that sticks. */
static const double NOISE = 1e-12, CAPTURED = 2, HIT = 0.1, SLIPS = 1e-7;

/* ---- sizes ---- */

/* 1 plus the largest of n entries of y from `first` on, each relative to its scale; see size_of_q and size_of_u */
static inline Number size_of_entries(const Model *model, const Number *y, int first, int n) {
    Number found = NUMBER(0.0);
    for (int i = first; i < first + n; i++)
        found = number_max(found, number_abs(y[i]) / scale_of_y(model, i));
    return 1.0 + found;
}

/* ---- forces that rows carry ---- */

/* Whether a row with friction carries a force that takes no part in the way to the middle: of an impact, or none at all. hit: of its
 * contact */
static inline Number carries_nothing_that_goes_on(const CarriedRow *row, const Number *w, Number hit) {
    const Number is_given = number_equal(w[row->flag], NUMBER((double)CARRIES_GIVEN));
    return number_and(is_given, number_or(hit, number_equal(w[row->given], NUMBER(0.0))));
}

/* see carry_mean_forces */
static inline void carry_forces_of_step(const Model *model, Number *w, Number h) {
    for (int f = 0; f < model->frictions->n; f++) {
        const Friction *friction = friction_at(model, f);
        if (has_no_bodies(model->rows->blocks + friction->block, w))
            continue; /* it was released at the beginning of the step */
        for (int k = 0; k < friction->n; k++) {
            const CarriedRow *row = model->rows->blocks[friction->block + k].carried;
            w[row->flag] = NUMBER((double)CARRIES_GIVEN);
            w[row->given] = w[friction->impulse + k] / h;
        }
        if (friction->contact >= 0) {
            const Contact *contact = model->contacts->contacts + friction->contact;
            const CarriedRow *row = model->rows->blocks[contact->block].carried;
            w[row->flag] = NUMBER((double)CARRIES_GIVEN);
            w[row->given] = w[contact->impulse] / h;
        }
    }
}

/* ---- rates without impulses, see rates_of_step.h ---- */

/* numbers of a step; VelocityLevelWork explains them */
typedef struct {
    Number *rates, *drifts, *ahead; /* [n_rows] */
    Number *V;                      /* [n_joints][6] */
    Number *accelerations;          /* [nu] */
    const Number *u_start;          /* [nu] */
    const Number *removed;          /* [nu] CompliantStep.removed */
    int has_removed;
} FreeRates;

/* in any lane */
static inline int has_prescribed_speeds(const RowTable *table, const Number *w) {
    for (int j = 0; j < table->n_joints; j++)
        if (number_any(are_prescribed_speeds(table->joints + j, w)))
            return 1;
    return 0;
}

/* in the accelerations of the bodies, clear those that are prescribed, or all others */
static inline void clear_accelerations(const RowTable *table, const Number *w, int are_prescribed, Number *accelerations) {
    for (int j = 0; j < table->n_joints; j++) {
        const RowJoint *joint = table->joints + j;
        const Number own = are_prescribed_speeds(joint, w), are_cleared = are_prescribed ? own : number_not(own);
        for (int k = joint->first; k < joint->first + joint->nu; k++)
            accelerations[k] = number_where(are_cleared, NUMBER(0.0), accelerations[k]);
    }
}

/* with rows at the beginning */
static inline void find_rates_from_begin(const RowTable *table, const Number *w, const Number *u_dot, Number h, const FreeRates *step) {
    find_rates_along(table, w, u_dot, step->V, step->rates);
    memcpy(step->accelerations, u_dot, (size_t)table->nu * sizeof(Number));
    clear_accelerations(table, w, 1, step->accelerations);
    find_rates_along(table, w, step->accelerations, step->V, step->drifts);
    for (int i = 0; i < table->n_blocks; i++)
        for (int row = 0; row < table->blocks[i].n; row++) {
            int line = table->blocks[i].first + row;
            step->drifts[line] = h * (step->drifts[line] + w[table->blocks[i].bias + row] - step->rates[line]);
            step->rates[line] *= h;
        }
    if (!step->has_removed)
        return;
    find_rates_along(table, w, step->removed, step->V, step->ahead);
    for (int k = 0; k < table->nu; k++)
        step->accelerations[k] = h * u_dot[k] + step->removed[k];
    find_rates_along(table, w, step->accelerations, step->V, step->rates);
}

/* with rows at the middle, where the speeds in w are not those of the start */
static inline void find_rates_from_middle(const RowTable *table, const Number *w, const Number *u_dot, Number h, const FreeRates *step) {
    const Number *u = w + table->u;

    /* the bias of a row contains the prescribed accelerations, which the change of speeds contains, too */
    memset(step->drifts, 0, (size_t)table->n_rows * sizeof(Number));
    if (has_prescribed_speeds(table, w)) {
        memcpy(step->accelerations, u_dot, (size_t)table->nu * sizeof(Number));
        clear_accelerations(table, w, 0, step->accelerations);
        find_rates_along(table, w, step->accelerations, step->V, step->drifts);
    }
    for (int i = 0; i < table->n_blocks; i++)
        for (int row = 0; row < table->blocks[i].n && !has_no_bodies(table->blocks + i, w); row++) {
            int line = table->blocks[i].first + row;
            step->drifts[line] = h / 2.0 * (w[table->blocks[i].bias + row] - step->drifts[line]);
        }
    for (int k = 0; k < table->nu; k++)
        step->accelerations[k] = step->u_start[k] - u[k] + h * u_dot[k] + step->removed[k];
    find_rates_along(table, w, step->accelerations, step->V, step->rates);

    /* rows of accelerations keep their accelerations; the others have a rate of 0 at the end */
    memset(step->ahead, 0, (size_t)table->n_rows * sizeof(Number));
    if (step->has_removed)
        find_rates_along(table, w, step->removed, step->V, step->ahead);
    for (int i = 0; i < table->n_blocks; i++)
        for (int line = table->blocks[i].first, row = 0; row < table->blocks[i].n_position + table->blocks[i].n_velocity; row++, line++)
            step->ahead[line] = step->rates[line] + step->drifts[line];
}

/* ---- the choice of rows ---- */

/* values of the contacts in a step; VelocityLevelWork explains them */
typedef struct {
    const Number *distances, *start_rates;              /* [contacts] at the start */
    const Number *rates, *drifts;                       /* [n_rows] */
    Number *free, *least, *target, *captured, *slowest; /* [contacts] */
    Index *chosen;
} ContactsOfStep;

/* Whether a row takes part in the problem of ENGAGEMENT_PREDICTIVE from the beginning: without impulses the step takes it to zero, within
 * round-off or within what `reach`, a change of a rate, can do in the step, or it pressed in the last step and does not move away. The rows
 * of bodies that rest on each other would otherwise be chosen by the signs of round-off, and the problem of some of them has another
 * solution than the last one, and needs a second one with rows that the first one violates. More rows change no solution: a row that stays
 * above zero has no impulse. */
static inline Number begins_in_problem(const Contact *contact, const Number *w, Number distance, Number rate, Number free, Number h,
                                       Number round_off, Number reach) {
    const Number above = number_max(distance, NUMBER(0.0)), change = number_max(number_abs(free - rate), reach);
    const Number moves_away = number_and(number_less(round_off, h * rate), number_less(change, rate));
    return number_or(number_less_equal(above + h * (free - reach), round_off),
                     number_and(is_engaged_in(contact, w), number_not(moves_away)));
}

/* The largest change of a rate by forces in this step, relative to the scale of rates, of rows that pressed in the last one: what these
 * rows take from bodies that rest, others can get. */
static inline Number largest_reach(const Model *model, const Number *w, const ContactsOfStep *step) {
    Number largest = NUMBER(0.0);
    for (int i = 0; i < n_contacts(model); i++) {
        const Contact *contact = model->contacts->contacts + i;
        const Number change = number_abs(step->free[i] - step->start_rates[i]) / scale_of_speed(model, contact);
        const Number counts = number_and(exists_in_steps(contact, w), is_engaged_in(contact, w));
        largest = number_max(largest, number_where(counts, change, NUMBER(0.0)));
    }
    return largest;
}

/* Choose the rows of the problem, and set their lower bounds of rates, and their rates after bounces. `rule` is not
 * ENGAGEMENT_AUTOMATIC. noise: relative to the scale of a rate; noise_of_positions: position_round_off */
static inline void choose_rows_of_step(const Model *model, const Number *w, int is_predictive, int is_middle, Number h, Number noise,
                                       Number noise_of_positions, const ContactsOfStep *step) {
    for (int i = 0; i < n_contacts(model); i++) {
        const Contact *contact = model->contacts->contacts + i;
        const int line = row_number_of(model, contact);
        step->free[i] = w[contact->rate] + step->rates[line] + (is_middle ? step->drifts[line] : NUMBER(0.0));
    }
    const Number reach = is_predictive ? largest_reach(model, w, step) : NUMBER(0.0);
    for (int i = 0; i < n_contacts(model); i++) {
        const Contact *contact = model->contacts->contacts + i;
        const Number slowest = noise * scale_of_speed(model, contact);
        const Number noise_of_distance = noise_of_positions * scale_of_distance(model, contact);
        const Number round_off = noise_of_distance + h * slowest, distance = step->distances[i], free = step->free[i];
        const Number rate = step->start_rates[i], exists = exists_in_steps(contact, w);
        const Number captured = CAPTURED * number_abs(free - rate) + slowest;
        Number bounce = number_where(number_less(rate, -captured), w[contact->restitution] * -rate, NUMBER(-INFINITY)), least;
        if (is_predictive) {
            /* A row below zero is corrected by the position correction, without a speed. A row that only others can push to zero has not
             * reached it: it does not bounce, and if it would it waits until it is violated. */
            const Number begins = begins_in_problem(contact, w, distance, rate, free, h, round_off, NUMBER(0.0));
            const Number reach_of_row = number_where(number_less(NUMBER(0.0), bounce), NUMBER(0.0), reach * scale_of_speed(model, contact));
            const Number is_reached = begins_in_problem(contact, w, distance, rate, free, h, round_off, reach_of_row);
            const Number is_chosen = number_and(exists, number_or(begins, is_reached));
            bounce = number_where(number_and(is_chosen, number_not(begins)), NUMBER(-INFINITY), bounce);
            step->chosen[i] = index_of(is_chosen);
            /* and a distance that is round-off is zero: divided by h, its changes would be those of a rate */
            least = number_where(number_less(noise_of_distance, distance), -distance / h, NUMBER(0.0));
        } else {
            step->chosen[i] = index_of(number_and(exists, is_engaged_in(contact, w)));
            least = is_middle ? NUMBER(0.0) : -step->drifts[row_number_of(model, contact)];
        }
        step->slowest[i] = slowest;
        step->least[i] = least;
        step->captured[i] = captured;
        step->target[i] = number_max(bounce, least);
    }
}

/* See change_speeds_of_hits; before [n_joints]: the part of the step before the hit of each joint, 1/2 where there is none. */
static inline void change_speeds_by_hits(const RowTable *table, const Number *before, const Number *u_start, Number *u) {
    for (int j = 0; j < table->n_joints; j++) {
        const RowJoint *joint = table->joints + j;
        const Number is_hit = number_not_equal(before[j], NUMBER(0.5));
        if (!number_any(is_hit))
            continue;
        for (int k = joint->first; k < joint->first + joint->nu; k++)
            u[k] = number_where(is_hit, u[k] + (1.0 - 2.0 * before[j]) * (u[k] - u_start[k]), u[k]);
    }
}

/* whether a row that was not chosen would fall below zero, with this change of its rate */
static inline Number is_violated(const Contact *contact, const Number *w, Number distance, Number free, Number change, Number h) {
    const Number above = number_max(distance, NUMBER(0.0)), after = free + change;
    const Number slack = NOISE * (above + h * (number_abs(free) + number_abs(after)));
    return number_and(exists_in_steps(contact, w), number_less(above + h * after, -slack));
}

#endif
