#include "unilateral_rows.h"

#include "bounded_steps.h"
#include "carried_rows.h"
#include "chosen_friction.h"
#include "contact_arithmetic.h"
#include "contact_table.h"
#include "contact_work.h"
#include "elementary.h"
#include "elimination.h"
#include "friction_table.h"
#include "given_friction.h"
#include "response_arithmetic.h"
#include "scales.h"
#include "tree.h"

#include <float.h>
#include <stdlib.h>
#include <string.h>

/* relative to the accelerations: the least change by a multiplier of an active row */
static const double LEAST_FORCE = 1e-12;
enum { MOST_DECISIONS = 20 }; /* until the rows that press and the loads of joints belong together */

/* ---- memory ---- */

ContactWork *create_contact_work(const Model *model) {
    const RowTable *table = model->rows;
    if (!table)
        return NULL;
    size_t m = (size_t)most_selected_rows(model), nu = (size_t)table->nu, n = (size_t)n_contacts(model);
    size_t n_joints = (size_t)table->n_joints, width = nu + (size_t)table->n_compliant;
    size_t of_rows = complementarity_reals((int)width, (int)m), of_L = (size_t)size_of_L(table) * n_joints;
    ContactWork *work = calloc(1, sizeof *work);
    if (!work)
        return NULL;
    work->friction = model->frictions ? create_chosen_friction(model, (int)width, (int)m) : NULL;
    work->reals = calloc(m * width + 14 * m + 3 * nu + 6 * n_joints + of_L + (size_t)y_size(model) + (size_t)model->n_q + 2 * n + of_rows +
                             reals_of_parts((int)width, (int)m, 0),
                         sizeof(double));
    work->integers =
        calloc(4 * m + 6 * n + complementarity_integers((int)width, (int)m) + integers_of_parts((int)width, (int)m, 0), sizeof(int));
    work->patterns = calloc(m, sizeof(RowPattern));
    work->late = calloc(n + 1, sizeof(LateImpact));
    if (!work->reals || !work->integers || !work->patterns || !work->late || (model->frictions && !work->friction)) {
        free_contact_work(work);
        return NULL;
    }
    double *next = work->reals;
    double **of_m[] = {&work->a,          &work->size,  &work->before,        &work->bound,      &work->bounce,
                       &work->noise,      &work->z,     &work->impulses,      &work->best,       &work->upper,
                       &work->rest_rates, &work->total, &work->earlier_rates, &work->multipliers};
    for (size_t i = 0; i < sizeof of_m / sizeof *of_m; i++, next += m)
        *of_m[i] = next;
    work->B = next;
    work->eps = work->B + m * width;
    work->change = work->eps + nu;
    work->lift = work->change + nu;
    work->A = work->lift + nu;
    work->L = work->A + 6 * n_joints;
    work->y = work->L + of_L;
    work->q = work->y + y_size(model);
    work->drift = work->q + model->n_q;
    work->slow = work->drift + n;
    work->rows.reals = work->slow + n;
    work->parts.reals = work->rows.reals + of_rows;
    work->row_numbers = work->integers;
    work->contact_of_row = work->row_numbers + m;
    work->ambiguous = work->contact_of_row + m;
    work->touching = work->ambiguous + m;
    work->were_active = work->touching + n;
    work->pressing = work->were_active + n;
    work->row_of_contact = work->pressing + n;
    work->pressing_before = work->row_of_contact + n;
    work->in_round = work->pressing_before + n;
    work->block_of_row = work->in_round + n;
    work->rows.integers = work->block_of_row + m;
    work->parts.integers = work->rows.integers + complementarity_integers((int)width, (int)m);
    for (int i = 0; i < table->n_blocks; i++)
        for (int row = 0; row < table->blocks[i].n; row++)
            work->block_of_row[table->blocks[i].first + row] = i;
    return work;
}

void free_contact_work(ContactWork *work) {
    if (!work)
        return;
    free(work->reals);
    free(work->integers);
    free(work->patterns);
    free(work->late);
    free_chosen_friction(work->friction);
    free(work);
}

void bound_contact_work(ContactWork *work, int is_bounded) {
    if (!work)
        return;
    work->cuts = (CutsOfWork){is_bounded, 0, 0};
    work->rows.active_set.is_bounded = is_bounded;
    if (work->friction)
        work->friction->program.is_bounded = is_bounded;
}

void report_overruns(ContactWork *work, State *state) {
    if (!work || !work->cuts.n_overruns)
        return;
    for (int i = 0; i < work->cuts.n_overruns; i++)
        note_overrun(state);
    note_left(state, LEFT_IMPULSE, work->cuts.residual);
    work->cuts.n_overruns = 0;
    work->cuts.residual = 0;
}

/* ---- flags ---- */

void activate_contacts(const Model *model, State *state, const int *mask) {
    int has_changed = 0;
    for (int i = 0; i < n_contacts(model); i++) {
        double *active = state->w + model->contacts->contacts[i].active;
        has_changed = has_changed || (*active != 0) != (mask && mask[i]);
        *active = mask && mask[i];
    }
    if (has_changed)
        invalidate(state, STAGE_DYNAMICS);
}

void release_contacts(const Model *model, State *state) {
    activate_contacts(model, state, NULL);
    if (model->frictions)
        release_friction(model, state);
}

/* ---- problems ---- */

/* whether the rows of a block are equations of a problem */
static int is_bilateral(const Model *model, const State *state, int block) {
    const RowBlock *rows = model->rows->blocks + block;
    int is_decided = rows->carried || (model->contacts && model->contacts->contact_of_block[block] >= 0);
    return !is_decided && !rows->compliant && state->w[rows->enabled] != 0;
}

/* set the flags of compliant rows from a mask [n_compliant]; NULL: none */
static void set_compliant_flags(const RowTable *table, double *w, const int *compliant) {
    for (int i = 0; i < table->n_compliant; i++)
        w[table->blocks[table->compliant[i]].enabled] = compliant && compliant[i];
}

/* Add the compliant rows of a mask to row_numbers: the unilateral ones, or the bilateral ones. Returns the new number of rows. */
static int list_compliant_rows(const RowTable *table, const int *compliant, int are_unilateral, int m, int *row_numbers) {
    for (int i = 0; compliant && i < table->n_compliant; i++) {
        const RowBlock *block = table->blocks + table->compliant[i];
        if (compliant[i] && block->compliant->is_unilateral == are_unilateral)
            row_numbers[m++] = block->first;
    }
    return m;
}

/* clear B of the former problem */
static void clear_rows(ContactWork *work) {
    for (int i = 0; i < work->n_written; i++) {
        const RowPattern *pattern = work->patterns + i;
        double *row = work->B + (size_t)i * (size_t)work->written_width;
        for (int k = 0; k < pattern->n; k++)
            memset(row + pattern->runs[2 * k], 0, (size_t)pattern->runs[2 * k + 1] * sizeof(double));
        if (pattern->column >= 0)
            row[pattern->column] = 0;
    }
}

void begin_rows_of_B(const Model *model, const double *w, ContactWork *work, int m, int n_rigid) {
    const RowTable *table = model->rows;
    clear_rows(work);
    work->n_written = m;
    work->written_width = work->width;
    for (int i = 0; i < m; i++) {
        RowPattern *pattern = work->patterns + i;
        *pattern = (RowPattern){0, NULL, i >= n_rigid && i < work->first_rigid ? table->nu + i - n_rigid : -1};
        if (work->row_numbers[i] < 0) /* the second tangent of a contact that has one, or the normal of a moment */
            continue;
        const RowPath *path = path_of_block(table, table->blocks + work->block_of_row[work->row_numbers[i]], w);
        pattern->n = path->n_runs;
        pattern->runs = path->runs;
    }
}

int list_rows(const Model *model, const State *state, ContactWork *work, const int *chosen, const int *compliant, int levels,
              int *n_equations, int *n_rigid) {
    const RowTable *table = model->rows;
    int m = 0;
    for (int i = 0; i < table->n_blocks; i++)
        if (is_bilateral(model, state, i))
            for (int row = 0; row < (levels == ROWS_OF_POSITIONS ? table->blocks[i].n_position : table->blocks[i].n); row++)
                work->row_numbers[m++] = table->blocks[i].first + row;
    *n_rigid = m;
    *n_equations = m = list_compliant_rows(table, compliant, 0, m, work->row_numbers);
    work->first_rigid = m = list_compliant_rows(table, compliant, 1, m, work->row_numbers);
    work->n_soft = m - *n_rigid;
    work->width = table->nu + work->n_soft;
    for (int i = 0; i < n_contacts(model); i++)
        if (chosen[i] && !has_selected_friction(model, work->friction, i)) {
            work->row_of_contact[i] = m;
            work->row_numbers[m++] = row_number_of(model, model->contacts->contacts + i);
        }
    return model->frictions ? list_friction_rows(model, work, chosen, *n_equations, m) : m;
}

int assemble_rows(const Model *model, State *state, ContactWork *work, const int *chosen, const int *compliant, int levels,
                  int *n_equations) {
    const RowTable *table = model->rows;
    double *w = state->w;
    int n_rigid;
    activate_contacts(model, state, chosen);
    set_compliant_flags(table, w, compliant);
    set_tangent_flags(model, w, work->friction, 1);
    project_rows(table, w);
    set_tangent_flags(model, w, work->friction, 0);
    set_compliant_flags(table, w, NULL); /* compliant rows are equations only within the problem, never in a State */
    const int m = list_rows(model, state, work, chosen, compliant, levels, n_equations, &n_rigid);
    begin_rows_of_B(model, w, work, m, n_rigid);
    factor_joints(table, w, work->L);
    for (int i = 0; i < m; i++)
        if (work->row_numbers[i] >= 0)
            add_row_of_B(table, path_of_block(table, table->blocks + work->block_of_row[work->row_numbers[i]], w), work->L,
                         w + table->E + work->row_numbers[i] * table->nu, work->B + (size_t)i * (size_t)work->width);
    invalidate(state, STAGE_DYNAMICS);
    return m;
}

int read_position_errors(const Model *model, const State *state, double *errors) {
    int n = 0;
    for (int i = 0; i < model->rows->n_blocks; i++)
        for (int row = 0; is_bilateral(model, state, i) && row < model->rows->blocks[i].n_position; row++)
            errors[n++] = state->w[model->rows->blocks[i].position_errors + row];
    return n;
}

double largest_position_error(const Model *model, const State *state) {
    double most = 0;
    for (int i = 0; i < model->rows->n_blocks; i++) {
        const RowBlock *block = model->rows->blocks + i;
        for (int row = 0; is_bilateral(model, state, i) && row < block->n_position; row++) {
            double error = fabs(state->w[block->position_errors + row]) / scale_of_row(model, block->first + row);
            most = error <= most ? most : error; /* NaN counts */
        }
    }
    return most;
}

void read_velocity_errors(const Model *model, const State *state, double *errors) {
    for (int i = 0; i < model->rows->n_blocks; i++) {
        const RowBlock *block = model->rows->blocks + i;
        for (int row = 0; is_bilateral(model, state, i) && row < block->n; row++)
            *errors++ = row < block->n_position + block->n_velocity ? state->w[block->velocity_errors + row] : 0;
    }
}

Outcome solve_unilateral(const Model *model, const State *state, ContactWork *work, int m, int n_equations, const double *upper,
                         Integration *result) {
    Complementarity *rows = &work->rows;
    if (work->friction && work->friction->n_selected)
        return solve_friction(model, state, work, m, n_equations, upper, result);
    IndependentParts *parts = &work->parts;
    const RowProblem whole = {.n = work->width,
                              .m = m,
                              .n_equations = n_equations,
                              .n_boxes = m - n_equations,
                              .B = work->B,
                              .patterns = work->patterns,
                              .a = work->a,
                              .size = work->size,
                              .upper = upper};
    int outcome = ROWS_SOLVED;
    find_parts(parts, &whole);
    for (int i = 0; i < parts->n_parts && outcome == ROWS_SOLVED; i++) {
        gather_part(parts, i);
        const RowProblem *p = &parts->part;
        outcome = solve_complementarity(rows, p->n, p->m, p->n_equations, p->B, p->a, p->size, NULL, p->upper, 1);
        if (outcome == ROWS_NOT_CERTIFIED && work->cuts.is_on) {
            note_cut(work, rows->complementarity);
            outcome = ROWS_SOLVED;
        }
        for (int k = 0; k < p->m && outcome == ROWS_SOLVED; k++)
            work->multipliers[parts->row_of[k]] = rows->multipliers[k];
    }
    rows->multipliers = work->multipliers;
    if (outcome == ROWS_SOLVED)
        return INTEGRATED;

    /* name the first unilateral row that cannot be satisfied, or any row of the problem */
    int last = m - 1;
    while (last > 0 && work->row_numbers[last] < 0)
        last--;
    int line = work->row_numbers[last];
    for (int i = rows->n_against - 1; outcome == ROWS_CONTRADICT && i >= 0; i--)
        if (rows->against[i] >= parts->part.n_equations)
            line = work->row_numbers[parts->row_of[rows->against[i]]];
    for (int i = 0; i < n_contacts(model); i++)
        if (row_number_of(model, model->contacts->contacts + i) == line)
            return contact_failed(CONTACT_UNSOLVED, model, state, model->contacts->contacts + i, rows->violation, result);
    result->culprit = result->constraint = work->block_of_row[line];
    result->time = state->w[model->time_at];
    return result->outcome = STEP_UNSOLVED;
}

void place_impulses(const Model *model, ContactWork *work, int m, const double *z) {
    memset(work->impulses, 0, (size_t)model->rows->n_rows * sizeof(double));
    for (int i = 0; i < m; i++)
        if (work->row_numbers[i] >= 0)
            work->impulses[work->row_numbers[i]] = z[i];
}

void find_response(const Model *model, const State *state, ContactWork *work) {
    find_response_to(model->rows, state->w, work->impulses, work->block_of_row, work->eps, work->A, work->change);
}

void apply_impulses(const Model *model, State *state, ContactWork *work, int m, const double *z) {
    const RowTable *table = model->rows;
    place_impulses(model, work, m, z);
    find_response(model, state, work);
    for (int k = 0; k < table->nu; k++)
        state->w[table->u + k] += work->change[k];
    invalidate(state, STAGE_VELOCITY);
}

double read_free_accelerations(const Model *model, const State *state, ContactWork *work, int m) {
    const RowTable *table = model->rows;
    const double *w = state->w;
    double *change = work->change, *eps = work->eps, energy = 0;
    int nu = table->nu;
    memcpy(eps, w + table->eps, (size_t)nu * sizeof(double));
    add_forces_of_carried(table, w, eps);
    memset(change, 0, (size_t)nu * sizeof(double));
    for (int j = 0; j < table->n_joints; j++) {
        const RowJoint *joint = table->joints + j;
        add_product(change + joint->first, w + joint->D_inverse, eps + joint->first, joint->nu);
    }
    for (int k = 0; k < nu; k++)
        energy += eps[k] * change[k];
    for (int b = 0; b < table->n_blocks; b++)
        for (int row = 0; row < table->blocks[b].n; row++)
            work->impulses[table->blocks[b].first + row] = w[table->blocks[b].bias + row];
    for (int i = 0; i < m; i++) {
        work->a[i] = work->size[i] = 0;
        if (work->row_numbers[i] < 0)
            continue;
        const double *e = w + table->E + work->row_numbers[i] * nu;
        double bias = work->impulses[work->row_numbers[i]];
        work->a[i] = bias;
        work->size[i] = fabs(bias);
        const RowPattern *pattern = work->patterns + i;
        for (int run = 0; run < pattern->n; run++)
            for (int k = pattern->runs[2 * run]; k < pattern->runs[2 * run] + pattern->runs[2 * run + 1]; k++) {
                work->a[i] += e[k] * change[k];
                work->size[i] += fabs(e[k]) * fabs(change[k]);
            }
    }
    return energy;
}

int is_pressing(const ContactWork *work, int row, double energy) {
    const double *B = row_of_B(work, row);
    double bias = fabs(work->impulses[work->row_numbers[row]]), length = sqrt(dot_along_pattern(work->patterns + row, B, B));
    return length > 0 && work->rows.multipliers[row] * length > LEAST_FORCE * (sqrt(energy) + bias / length);
}

double force_noise(const Model *model, const double *w, int row) {
    const RowTable *table = model->rows;
    double largest_part = 0, length = sqrt(own_product(table, w, row));
    for (int i = 0; i < table->n_rows; i++)
        largest_part = fmax(largest_part, fabs(w[table->multipliers + i]) * sqrt(fmax(0, own_product(table, w, i))));
    return length > 0 ? LEAST_FORCE * largest_part / length : 0;
}

/* with given forces of regularised friction */
static Outcome find_pressing_once(const Model *model, State *state, ContactWork *work, const int *resting, Integration *result) {
    const ContactTable *contacts = model->contacts;
    int any = 0, n_equations;
    memset(work->pressing, 0, (size_t)contacts->n * sizeof(int));
    for (int i = 0; i < contacts->n; i++)
        any = any || resting[i];
    if (!any)
        return INTEGRATED;
    activate_contacts(model, state, NULL);
    realize(model, state, STAGE_ACCELERATION);
    int m = assemble_rows(model, state, work, resting, NULL, ROWS_OF_ALL_LEVELS, &n_equations);
    double energy = read_free_accelerations(model, state, work, m);
    Outcome outcome = solve_unilateral(model, state, work, m, n_equations, NULL, result);
    for (int i = 0; i < contacts->n && outcome == INTEGRATED; i++)
        work->pressing[i] = resting[i] && is_pressing(work, work->row_of_contact[i], energy);
    return outcome;
}

Outcome find_pressing(const Model *model, State *state, ContactWork *work, const int *resting, Integration *result) {
    size_t size = (size_t)model->contacts->n * sizeof(int);
    int has_changed = has_regularised_friction(model);
    if (has_changed)
        give_no_friction(model, state);
    Outcome outcome = find_pressing_once(model, state, work, resting, result);
    for (int times = 0; has_changed && outcome == INTEGRATED; times++) {
        memcpy(work->pressing_before, work->pressing, size);
        activate_contacts(model, state, work->pressing);
        outcome = times < MOST_DECISIONS ? give_present_friction(model, state, result) : load_failed(model, state, result);
        if (outcome == INTEGRATED)
            outcome = find_pressing_once(model, state, work, resting, result);
        has_changed = memcmp(work->pressing_before, work->pressing, size) != 0;
    }
    release_given_friction(model, state);
    return outcome;
}
