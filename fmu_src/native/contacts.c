#include "contacts.h"

#include "elimination.h"
#include "events.h"
#include "projection.h"
#include "rows.h"
#include "tree.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* as in engine/mobod/simulate/contacts.py, where they are explained */
static const double TIMESCALE = 0.1, CAPTURED = 1e-6, MOMENT = 1e-6 * 0.1, STILL = 1e-9, NOISE = 1e-12, PUSHES = 1e-12, OUTSIDE = 10;
static const double SMALLEST_SCALE = 1e-3;
static const double FAR = DBL_MAX / 2;
enum { ENDLESS = 100, MOST_RAISED = 12, MOST_SPEEDS = 6 };

/* ---- memory ---- */

ContactWork *create_contact_work(const Model *model) {
    const RowTable *table = model->rows;
    if (!model->contacts)
        return NULL;
    size_t m = (size_t)table->n_rows, nu = (size_t)table->nu, n = (size_t)model->contacts->n;
    size_t n_joints = (size_t)table->n_joints, of_rows = complementarity_reals(table->nu, table->n_rows);
    ContactWork *work = calloc(1, sizeof *work);
    if (!work)
        return NULL;
    work->reals = calloc(m * nu + 8 * m + 2 * nu + 6 * n_joints + (size_t)y_size(model) + of_rows, sizeof(double));
    work->integers = calloc(m + 3 * n + complementarity_integers(table->nu, table->n_rows), sizeof(int));
    if (!work->reals || !work->integers) {
        free_contact_work(work);
        return NULL;
    }
    double *next = work->reals;
    double **of_m[] = {&work->a, &work->size, &work->before, &work->bounce, &work->target, &work->z, &work->impulses, &work->best};
    for (size_t i = 0; i < sizeof of_m / sizeof *of_m; i++, next += m)
        *of_m[i] = next;
    work->B = next;
    work->eps = work->B + m * nu;
    work->change = work->eps + nu;
    work->A = work->change + nu;
    work->y = work->A + 6 * n_joints;
    work->rows.reals = work->y + y_size(model);
    work->lines = work->integers;
    work->touching = work->lines + m;
    work->were_held = work->touching + n;
    work->pushing = work->were_held + n;
    work->rows.integers = work->pushing + n;
    return work;
}

void free_contact_work(ContactWork *work) {
    if (!work)
        return;
    free(work->reals);
    free(work->integers);
    free(work);
}

/* ---- rows ---- */

static int line_of(const Model *model, const Contact *contact) { return model->rows->blocks[contact->block].first; }

static double *memory_of(const Model *model, State *state, const Contact *contact) {
    return state->w + model->events->events[contact->event].memory;
}

static void hold(const Model *model, State *state, const int *held) {
    int has_changed = 0;
    for (int i = 0; i < model->contacts->n; i++) {
        double *active = state->w + model->contacts->contacts[i].active;
        has_changed = has_changed || (*active != 0) != (held && held[i]);
        *active = held && held[i];
    }
    if (has_changed)
        invalidate(state, STAGE_DYNAMICS);
}

void release_contacts(const Model *model, State *state) { hold(model, state, NULL); }

static double largest_speed(const Model *model, const State *state) { return largest(state->w + model->y_at + model->n_q, model->n_u); }

/* a row that moves by less is at rest */
static double still(const Model *model, const State *state) {
    return fmax(STILL * (1 + largest_speed(model, state)), state->constraint_tolerance);
}

double rest_noise(const Model *model, const State *state, const Contact *contact, double distance, double rate) {
    double tolerance = state->constraint_tolerance;
    int is_at_rest = state->w[contact->active] == 0 && fabs(distance) <= tolerance && fabs(rate) <= still(model, state);
    return is_at_rest ? 2 * tolerance : 0;
}

int count_contact(const Model *model, State *state, const Contact *contact) {
    double *memory = memory_of(model, state, contact), time = state->w[model->time_at];
    memory[MEMORY_LAST] = time;
    if (time - memory[MEMORY_SINCE] > MOMENT) {
        memory[MEMORY_SINCE] = time;
        memory[MEMORY_N_SHORT] = memory[MEMORY_RAISED] = 0;
    }
    memory[MEMORY_N_SHORT]++;
    if (memory[MEMORY_N_SHORT] > ENDLESS) {
        memory[MEMORY_N_SHORT] = 0;
        memory[MEMORY_RAISED]++;
        if (memory[MEMORY_RAISED] > MOST_RAISED)
            return 0;
    }
    return state->w[contact->active] != 0 ? 1 : -1;
}

/* below it a row that is met is at rest: so bounces end, and the rocking from one row to another */
static double capture_speed(const Model *model, State *state, const Contact *contact, double speed) {
    const double *memory = memory_of(model, state, contact);
    double captured = fmax(2 * state->constraint_tolerance / TIMESCALE, CAPTURED * fmax(memory[MEMORY_IMPACT_SPEED], speed));
    return captured * pow(10, memory[MEMORY_RAISED]);
}

static double bounce_of(const Model *model, State *state, const Contact *contact, double speed) {
    return speed > capture_speed(model, state, contact, speed) ? state->w[contact->restitution] : 0;
}

/* ---- programs ---- */

/* The rows of a program: of bilateral constraints, then the chosen unilateral ones, into lines; E and A of these in w, their columns
 * D^(-1/2) E in B. How many there are; n_equations: of them bilateral. Leaves the flags set and nothing realized from DYNAMICS on. */
static int take_rows(const Model *model, State *state, ContactWork *work, const int *chosen, int *n_equations) {
    const RowTable *table = model->rows;
    const ContactTable *contacts = model->contacts;
    double *w = state->w;
    int m = 0, nu = table->nu;
    hold(model, state, chosen);
    eliminate_rows(table, w);
    for (int i = 0; i < table->n_blocks; i++)
        if (contacts->contact_of_block[i] < 0 && w[table->blocks[i].enabled] != 0)
            for (int row = 0; row < table->blocks[i].n; row++)
                work->lines[m++] = table->blocks[i].first + row;
    *n_equations = m;
    for (int i = 0; i < contacts->n; i++)
        if (chosen[i])
            work->lines[m++] = line_of(model, contacts->contacts + i);

    /* D^-1 = L L^T of each joint; where u_dot is known it is 0 */
    memset(work->B, 0, (size_t)(m * nu) * sizeof(double));
    for (int j = 0; j < table->n_joints; j++) {
        const RowJoint *joint = table->joints + j;
        const double *D = w + joint->D_inverse;
        double L[MOST_SPEEDS * MOST_SPEEDS] = {0};
        int n = joint->nu;
        if (largest(D, n * n) == 0)
            continue;
        for (int k = 0; k < n; k++)
            for (int i = k; i < n; i++) {
                double sum = D[i * n + k];
                for (int l = 0; l < k; l++)
                    sum -= L[i * n + l] * L[k * n + l];
                L[i * n + k] = i == k ? sqrt(sum) : sum / L[k * n + k];
            }
        for (int i = 0; i < m; i++) {
            const double *e = w + table->E + work->lines[i] * nu + joint->first;
            for (int k = 0; k < n; k++)
                for (int l = k; l < n; l++)
                    work->B[i * nu + joint->first + k] += L[l * n + k] * e[l];
        }
    }
    invalidate(state, STAGE_DYNAMICS);
    return m;
}

static Outcome failed(Outcome outcome, const Model *model, const State *state, const Contact *contact, double value, Integration *result) {
    result->outcome = outcome;
    result->culprit = contact->event;
    result->constraint = contact->block;
    result->time = state->w[model->time_at];
    result->value = value;
    return outcome;
}

/* multipliers of the rows that were taken, into work->rows.multipliers */
static Outcome solve(const Model *model, const State *state, ContactWork *work, int m, int n_equations, Integration *result) {
    Complementarity *rows = &work->rows;
    int outcome = solve_complementarity(rows, model->rows->nu, m, n_equations, work->B, work->a, work->size, NULL, NULL, 1);
    if (outcome == ROWS_SOLVED)
        return INTEGRATED;

    /* the first unilateral row that cannot be met, or any of the program */
    int line = work->lines[m - 1];
    for (int i = rows->n_against - 1; outcome == ROWS_CONTRADICT && i >= 0; i--)
        if (rows->against[i] >= n_equations)
            line = work->lines[rows->against[i]];
    for (int i = 0; i < model->contacts->n; i++)
        if (line_of(model, model->contacts->contacts + i) == line)
            return failed(CONTACT_UNSOLVED, model, state, model->contacts->contacts + i, rows->violation, result);
    return CONTACT_UNSOLVED;
}

static Outcome check_projected(const Model *model, const State *state, Projection projection, Integration *result) {
    if (projection.is_done)
        return INTEGRATED;
    result->outcome = CONTACT_NOT_PROJECTED;
    result->constraint = projection.constraint;
    result->culprit = model->contacts->contacts[0].event;
    result->time = state->w[model->time_at];
    result->value = projection.error;
    return CONTACT_NOT_PROJECTED;
}

/* u += M^-1 G^T impulses, by an outward sweep */
static void respond(const Model *model, State *state, ContactWork *work) {
    const RowTable *table = model->rows;
    double *w = state->w, *u = w + table->u;
    int nu = table->nu;
    memset(work->eps, 0, (size_t)nu * sizeof(double));
    for (int row = 0; row < table->n_rows; row++)
        if (work->impulses[row] != 0)
            for (int k = 0; k < nu; k++)
                work->eps[k] += work->impulses[row] * w[table->E + row * nu + k];
    for (int j = table->n_joints - 1; j >= 0; j--) {
        const RowJoint *joint = table->joints + j;
        double *A = work->A + 6 * j, *change = work->change + joint->first;
        memset(A, 0, 6 * sizeof(double));
        if (joint->parent >= 0) {
            const double *of_parent = work->A + 6 * joint->parent, *l = w + joint->l;
            memcpy(A, of_parent, 6 * sizeof(double));
            A[3] += of_parent[1] * l[2] - of_parent[2] * l[1];
            A[4] += of_parent[2] * l[0] - of_parent[0] * l[2];
            A[5] += of_parent[0] * l[1] - of_parent[1] * l[0];
        }
        for (int k = 0; k < joint->nu; k++) {
            change[k] = 0;
            for (int i = 0; joint->parent >= 0 && i < 6; i++)
                change[k] -= w[joint->G + i * joint->nu + k] * A[i];
        }
        add_product(change, w + joint->D_inverse, work->eps + joint->first, joint->nu);
        for (int i = 0; i < 6; i++)
            for (int k = 0; k < joint->nu; k++)
                A[i] += w[joint->H + i * joint->nu + k] * change[k];
    }
    for (int k = 0; k < nu; k++)
        u[k] += work->change[k];
    invalidate(state, STAGE_VELOCITY);
}

/* impulses for restitutions times `scale`, into z, and the kinetic energy that they add */
static Outcome impulses_for(const Model *model, const State *state, ContactWork *work, int m, int n_equations, double scale, double *added,
                            Integration *result) {
    int nu = model->rows->nu;
    for (int i = 0; i < m; i++) {
        double target = -scale * work->bounce[i] * fmin(work->before[i], 0);
        work->a[i] = work->before[i] - target;
        work->size[i] = fabs(work->before[i]) + target;
    }
    Outcome outcome = solve(model, state, work, m, n_equations, result);
    if (outcome != INTEGRATED)
        return outcome;
    memcpy(work->z, work->rows.multipliers, (size_t)m * sizeof(double));
    memset(work->change, 0, (size_t)nu * sizeof(double));
    for (int i = 0; i < m; i++)
        for (int k = 0; k < nu; k++)
            work->change[k] += work->B[i * nu + k] * work->z[i] / 2;
    *added = 0;
    for (int i = n_equations; i < m; i++) {
        double middle = work->before[i];
        for (int k = 0; k < nu; k++)
            middle += work->B[i * nu + k] * work->change[k];
        *added += work->z[i] * middle;
    }
    return INTEGRATED;
}

static Outcome impact(const Model *model, State *state, ContactWork *work, Integration *result) {
    const RowTable *table = model->rows;
    const ContactTable *contacts = model->contacts;
    double *w = state->w, noise = NOISE * (1 + largest_speed(model, state));
    int any = 0;
    for (int i = 0; i < contacts->n; i++)
        any = any || (work->touching[i] && w[contacts->contacts[i].rate] < -noise);
    if (!any)
        return INTEGRATED;

    /* what the rows have, and how much of it is to come back */
    realize(model, state, STAGE_DYNAMICS);
    int n_equations, m = take_rows(model, state, work, work->touching, &n_equations), next = 0;
    for (int i = 0; i < table->n_blocks; i++) {
        const RowBlock *block = table->blocks + i;
        if (contacts->contact_of_block[i] < 0 && w[block->enabled] != 0)
            for (int row = 0; row < block->n; row++)
                work->before[next++] = row < block->n_position + block->n_velocity ? w[block->velocity_errors + row] : 0;
    }
    memset(work->bounce, 0, (size_t)m * sizeof(double));
    for (int i = 0; i < contacts->n; i++)
        if (work->touching[i]) {
            double rate = w[contacts->contacts[i].rate];
            work->before[next] = rate < -noise ? rate : fmax(rate, 0);
            work->bounce[next++] = bounce_of(model, state, contacts->contacts + i, -rate);
        }

    /* Newton's law for several rows at once may gain energy; for restitutions of 0 it never does */
    double added, gained = 0;
    Outcome outcome = impulses_for(model, state, work, m, n_equations, 1, &added, result);
    for (int i = 0; i < m && outcome == INTEGRATED; i++)
        gained += NOISE * fabs(work->z[i]) * fabs(work->before[i]);
    if (outcome == INTEGRATED && added > gained) {
        double low = 0, high = 1;
        outcome = impulses_for(model, state, work, m, n_equations, 0, &added, result);
        memcpy(work->best, work->z, (size_t)m * sizeof(double));
        while (outcome == INTEGRATED && high - low > SMALLEST_SCALE) {
            double middle = (low + high) / 2;
            outcome = impulses_for(model, state, work, m, n_equations, middle, &added, result);
            if (added > gained) {
                high = middle;
            } else {
                low = middle;
                memcpy(work->best, work->z, (size_t)m * sizeof(double));
            }
        }
        memcpy(work->z, work->best, (size_t)m * sizeof(double));
    }
    if (outcome != INTEGRATED)
        return outcome;

    /* what is remembered of it, and the speeds */
    memset(work->impulses, 0, (size_t)table->n_rows * sizeof(double));
    for (int i = 0; i < m; i++)
        work->impulses[work->lines[i]] = work->z[i];
    for (int i = 0; i < contacts->n; i++)
        if (work->touching[i]) {
            const Contact *contact = contacts->contacts + i;
            double *memory = memory_of(model, state, contact);
            memory[MEMORY_IMPACT_SPEED] = fmax(memory[MEMORY_IMPACT_SPEED], -w[contact->rate]);
            for (int k = contact->first; k < contact->first + contact->n; k++)
                w[contacts->contacts[k].impulse] = work->impulses[line_of(model, contacts->contacts + k)];
        }
    respond(model, state, work);
    return INTEGRATED;
}

/* of rows at rest, those of `touching`, the ones that keep others, or themselves, from falling below zero, into `pushing` */
static Outcome find_pushing(const Model *model, State *state, ContactWork *work, Integration *result) {
    const RowTable *table = model->rows;
    const ContactTable *contacts = model->contacts;
    double *w = state->w, energy = 0, slow = still(model, state);
    int nu = table->nu, any = 0, n_equations;
    memset(work->pushing, 0, (size_t)contacts->n * sizeof(int));
    for (int i = 0; i < contacts->n; i++) {
        const Contact *contact = contacts->contacts + i;
        work->touching[i] = work->touching[i] && fabs(w[contact->rate]) <= fmax(slow, capture_speed(model, state, contact, 0));
        any = any || work->touching[i];
    }
    if (!any)
        return INTEGRATED;
    release_contacts(model, state);
    realize(model, state, STAGE_ACCELERATION);
    int m = take_rows(model, state, work, work->touching, &n_equations);

    /* the accelerations of the rows without them, and the sizes of what these are the sum of */
    memset(work->change, 0, (size_t)nu * sizeof(double));
    for (int j = 0; j < table->n_joints; j++) {
        const RowJoint *joint = table->joints + j;
        add_product(work->change + joint->first, w + joint->D_inverse, w + table->eps + joint->first, joint->nu);
    }
    for (int k = 0; k < nu; k++)
        energy += w[table->eps + k] * work->change[k];
    for (int b = 0; b < table->n_blocks; b++)
        for (int row = 0; row < table->blocks[b].n; row++)
            work->impulses[table->blocks[b].first + row] = w[table->blocks[b].bias + row];
    for (int i = 0; i < m; i++) {
        const double *e = w + table->E + work->lines[i] * nu;
        double bias = work->impulses[work->lines[i]];
        work->a[i] = bias;
        work->size[i] = fabs(bias);
        for (int k = 0; k < nu; k++) {
            work->a[i] += e[k] * work->change[k];
            work->size[i] += fabs(e[k]) * fabs(work->change[k]);
        }
    }
    Outcome outcome = solve(model, state, work, m, n_equations, result);
    if (outcome != INTEGRATED)
        return outcome;
    for (int i = 0, next = n_equations; i < contacts->n; i++)
        if (work->touching[i]) {
            double length = 0, bias = fabs(work->impulses[work->lines[next]]);
            for (int k = 0; k < nu; k++)
                length += work->B[next * nu + k] * work->B[next * nu + k];
            length = sqrt(length);
            work->pushing[i] = length > 0 && work->rows.multipliers[next] * length > PUSHES * (sqrt(energy) + bias / length);
            next++;
        }
    return INTEGRATED;
}

Outcome resolve_contacts(const Model *model, State *state, ContactWork *work, int *has_changed, Integration *result) {
    const ContactTable *contacts = model->contacts;
    double *w = state->w, tolerance = state->constraint_tolerance;
    size_t n_y = (size_t)y_size(model) * sizeof(double);
    int any = 0, is_below = 0;
    memcpy(work->y, w + model->y_at, n_y);
    for (int i = 0; i < contacts->n; i++)
        work->were_held[i] = w[contacts->contacts[i].active] != 0;

    /* which rows are met */
    release_contacts(model, state);
    Outcome outcome = check_projected(model, state, project(model, state, tolerance), result);
    if (outcome != INTEGRATED)
        return outcome;
    realize(model, state, STAGE_VELOCITY);
    for (int i = 0; i < contacts->n; i++) {
        const Contact *contact = contacts->contacts + i;
        double distance = w[contact->distance];
        int exists = w[contact->enabled] != 0 && distance < FAR;
        if (exists && distance < -OUTSIDE * tolerance)
            return failed(CONTACT_OUTSIDE, model, state, contact, distance, result);
        work->touching[i] = exists && distance <= (work->were_held[i] ? OUTSIDE : 1) * tolerance;
        any = any || work->touching[i];
        is_below = is_below || (work->touching[i] && distance < -tolerance / 2);
    }

    if (any) {
        if (is_below) {
            hold(model, state, work->touching);
            outcome = check_projected(model, state, project_positions(model, state, tolerance), result);
            release_contacts(model, state);
        }
        if (outcome == INTEGRATED)
            outcome = impact(model, state, work, result);
        realize(model, state, STAGE_VELOCITY);
        if (outcome == INTEGRATED)
            outcome = find_pushing(model, state, work, result);
        if (outcome != INTEGRATED)
            return outcome;
        hold(model, state, work->pushing);
        outcome = check_projected(model, state, project(model, state, tolerance), result);
    }
    *has_changed = memcmp(work->y, w + model->y_at, n_y) != 0;
    for (int i = 0; i < contacts->n; i++)
        *has_changed = *has_changed || work->were_held[i] != (w[contacts->contacts[i].active] != 0);
    return outcome;
}
