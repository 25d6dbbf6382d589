#define MOBOD_LANES MOBOD_WIDTH /* of this library */
#include "lanes_friction_part.h"

#include "chosen_friction.h"
#include "step_arithmetic.h"
#include "vectors.h"

#include <string.h>

/* the numbers of a row of a contact: its normal, or a row without friction */
static void set_contact_row(const StepInLanes *step, FrictionInLanes *problem, int row, int contact) {
    const Number free = step->free[contact], least = step->least[contact], bounce = step->target[contact] - least;
    problem->before[row] = free;
    problem->bound[row] = least;
    problem->bounce[row] = bounce;
    problem->noise[row] = NOISE * (number_abs(free) + number_abs(least) + bounce) + number_abs(free - step->start_rates[contact]);
}

/* the numbers of the rows that step->scalar lists, see solve_listed_rows and solve_friction */
static void set_problem(const Lanes *lanes, const StepInLanes *step, FrictionInLanes *problem) {
    const Model *model = lanes->table->model;
    const ContactWork *rows = step->scalar->rows;
    const Number *w = lanes->w, h = lanes->step;
    for (int i = 0; i < n_contacts(model); i++) {
        if (!step->scalar->chosen[i])
            continue;
        const int row = rows->row_of_contact[i];
        set_contact_row(step, problem, row, i);
        problem->limit[row] = NUMBER(INFINITY);
        problem->is_joint[row] = 0;
        problem->start[row] = problem->now[row] = NUMBER(0.0);
    }
    for (int f = 0; f < model->frictions->n; f++) {
        const Friction *friction = friction_at(model, f);
        if (!rows->friction->selected[f])
            continue;
        const int is_joint = friction->contact < 0, first = rows->friction->row[f];
        const Number limit = number_where(step->slips[f], w[friction->kinetic], w[friction->static_limit]);
        for (int k = 0; k < (is_joint ? 1 : 2); k++) {
            const int line = k < friction->n ? model->rows->blocks[friction->block + k].first : -1;
            const Number change = line < 0 ? NUMBER(0.0) : step->rates[line] + step->drifts[line];
            problem->before[first + k] = (line < 0 ? NUMBER(0.0) : w[friction->rates + k]) + change;
            problem->bound[first + k] = problem->bounce[first + k] = NUMBER(0.0);
            problem->noise[first + k] = NOISE * number_abs(problem->before[first + k]) + number_abs(change);
            problem->now[first + k] = line < 0 ? NUMBER(0.0) : w[friction->rates + k];
            problem->start[first + k] = line < 0 ? NUMBER(0.0) : h * w[model->rows->blocks[friction->block + k].carried->given];
        }
        problem->is_joint[first] = is_joint;
        problem->limit[is_joint ? first : first - 1] = is_joint ? h * limit : limit;
        if (is_joint)
            continue;
        problem->now[first - 1] = w[model->contacts->contacts[friction->contact].rate];
        problem->start[first - 1] = h * w[model->rows->blocks[model->contacts->contacts[friction->contact].block].carried->given];
    }
}

/* Gather the entries of a part. Returns the lanes in which the same entries are 0 as in the lane `leading`, for which the parts are. */
static Number gather_entries(const StepInLanes *step, FrictionInLanes *part, int number, int nu, int leading) {
    const ContactWork *rows = step->scalar->rows;
    const IndependentParts *parts = &rows->friction->solution.parts;
    Number are_alike = NUMBER(1.0);
    int n = 0;
    part->m = part->n_boxes = part->first[0] = 0;
    for (int i = parts->first_row[number]; i < parts->first_row[number + 1]; i++) {
        const int row = parts->rows[i];
        const RowPattern *pattern = rows->patterns + row;
        const Number *of_B = step->B + (rows->row_numbers[row] < 0 ? 0 : rows->row_numbers[row]) * nu;
        for (int run = 0; run < pattern->n; run++)
            for (int k = pattern->runs[2 * run]; k < pattern->runs[2 * run] + pattern->runs[2 * run + 1]; k++) {
                const Number is_entry = number_not_equal(of_B[k], NUMBER(0.0));
                are_alike = number_and(are_alike, number_equal(is_entry, NUMBER(is_entry[leading])));
                if (is_entry[leading] == 0)
                    continue;
                part->columns[n] = parts->place[k];
                part->values[n++] = of_B[k];
            }
        part->row_of[part->m++] = row;
        part->first[part->m] = n;
        part->n_boxes += row < rows->friction->n_boxes;
    }
    part->n_contacts = (part->m - part->n_boxes) / 3;
    return are_alike;
}

/* the speed of a slip at the end of the step, see slip_after */
static Number slip_at_end(const StepInLanes *step, const FrictionInLanes *problem, const Friction *friction, int first, const Number *y,
                          int nu) {
    const ContactWork *rows = step->scalar->rows;
    Number after[2] = {NUMBER(0.0), NUMBER(0.0)};
    for (int k = 0; k < friction->n; k++) {
        const RowPattern *pattern = rows->patterns + first + k;
        const Number *of_B = step->B + rows->row_numbers[first + k] * nu;
        Number sum = NUMBER(0.0);
        for (int run = 0; run < pattern->n; run++)
            for (int i = pattern->runs[2 * run]; i < pattern->runs[2 * run] + pattern->runs[2 * run + 1]; i++)
                sum += of_B[i] * y[i];
        after[k] = problem->before[first + k] + sum;
    }
    return number_sqrt(dot(2, after, after));
}

/* whether the impulses add no energy, see solve_without_gain */
static Number add_no_energy(const StepInLanes *step, const FrictionInLanes *problem, int m, Number *change, int nu) {
    const ContactWork *rows = step->scalar->rows;
    Number added = NUMBER(0.0), gained = NUMBER(0.0);
    memset(change, 0, (size_t)nu * sizeof(Number));
    for (int i = 0; i < m; i++) {
        const RowPattern *pattern = rows->patterns + i;
        const Number half = problem->solution[i] / 2.0, *of_B = step->B + (rows->row_numbers[i] < 0 ? 0 : rows->row_numbers[i]) * nu;
        for (int run = 0; run < pattern->n; run++)
            for (int k = pattern->runs[2 * run]; k < pattern->runs[2 * run] + pattern->runs[2 * run + 1]; k++)
                change[k] += half * of_B[k];
    }
    for (int i = 0; i < m; i++) {
        const RowPattern *pattern = rows->patterns + i;
        const Number *of_B = step->B + (rows->row_numbers[i] < 0 ? 0 : rows->row_numbers[i]) * nu;
        Number sum = NUMBER(0.0);
        for (int run = 0; run < pattern->n; run++)
            for (int k = pattern->runs[2 * run]; k < pattern->runs[2 * run] + pattern->runs[2 * run + 1]; k++)
                sum += of_B[k] * change[k];
        added += problem->solution[i] * (problem->before[i] + sum);
        gained += number_abs(problem->solution[i]) * problem->noise[i];
    }
    return number_less_equal(added, gained);
}

/* the lanes in which no contact or joint begins to slip, see begin_slips_in_step; and the modes and impulses of friction */
static Number note_slips(const Lanes *lanes, const StepInLanes *step, const FrictionInLanes *problem, Number solved, const Number *y) {
    const Model *model = lanes->table->model;
    const ChosenFriction *rows = step->scalar->rows->friction;
    const int nu = model->rows->nu;
    Number *w = lanes->w, size = NUMBER(0.0);
    for (int f = 0; f < model->frictions->n; f++)
        for (int row = rows->row[f] - (friction_at(model, f)->contact >= 0);
             rows->selected[f] && row < rows->row[f] + friction_at(model, f)->n; row++)
            size = number_max(size, number_abs(problem->before[row]));
    const Number rest = SLIPS * size;
    for (int f = 0; f < model->frictions->n; f++) {
        const Friction *friction = friction_at(model, f);
        const int first = rows->row[f], is_joint = friction->contact < 0;
        Number mode = NUMBER((double)FRICTION_OPEN), slip = NUMBER(0.0);
        if (rows->selected[f]) {
            const Number limit = number_where(step->slips[f], w[friction->kinetic], w[friction->static_limit]);
            const Number presses = is_joint ? NUMBER(1.0) : number_less(NUMBER(0.0), problem->solution[first - 1]);
            slip = slip_at_end(step, problem, friction, first, y, nu);
            const Number exceeds =
                is_joint ? number_less(lanes->step * w[friction->kinetic], lanes->step * limit) : number_less(w[friction->kinetic], limit);
            solved = number_and(solved, number_not(number_and(number_and(exceeds, presses), number_less(rest, slip))));
            Number has_friction = number_less(NUMBER(0.0), w[friction->static_limit]);
            has_friction = number_or(has_friction, number_less(NUMBER(0.0), w[friction->kinetic]));
            has_friction = number_or(has_friction, number_less(NUMBER(0.0), w[friction->viscous]));
            const Number slips = number_or(number_not(has_friction), number_less(rest, slip));
            mode = number_where(slips, NUMBER((double)FRICTION_SLIP), NUMBER((double)FRICTION_STICK));
            mode = number_where(presses, mode, NUMBER((double)FRICTION_OPEN));
        }
        w[friction->mode] = number_where(solved, mode, w[friction->mode]);
        for (int k = 0; k < friction->n; k++) {
            const Number impulse = rows->selected[f] ? problem->solution[first + k] : NUMBER(0.0);
            w[friction->impulse + k] = number_where(solved, impulse, w[friction->impulse + k]);
        }
    }
    return solved;
}

/* the lanes in which no row is hit, see find_hits */
static Number are_not_hit(const StepInLanes *step, const FrictionInLanes *problem, const Model *model) {
    Number any = NUMBER(0.0);
    for (int i = 0; step->settings.constraints_at == CONSTRAINTS_AT_MIDDLE && i < n_contacts(model); i++) {
        if (!step->scalar->chosen[i])
            continue;
        const Number rate = step->start_rates[i],
                     presses = number_less(NUMBER(0.0), problem->solution[step->scalar->rows->row_of_contact[i]]);
        const Number least = number_max(HIT * number_abs(step->free[i] - rate), step->slowest[i]);
        any = number_or(any, number_and(presses, number_less(rate, -least)));
    }
    return number_not(any);
}

/* an upper bound of the number of entries */
static int n_entries(const ContactWork *rows, int m) {
    int n = 0;
    for (int i = 0; i < m; i++)
        for (int run = 0; run < rows->patterns[i].n; run++)
            n += rows->patterns[i].runs[2 * run + 1];
    return n;
}

int solve_friction_in_lanes(Lanes *lanes, StepInLanes *step, int mask, int leading, int m) {
    const Model *model = lanes->table->model;
    const int nu = model->rows->nu;
    ContactWork *rows = step->scalar->rows;
    IndependentParts *parts = &rows->friction->solution.parts;
    FrictionInLanes *problem = step->friction;
    Number solved = NUMBER(0.0), *y = step->eps, *y_of_part = step->accelerations, *row = step->change;
    if (m > MOST_ROWS_IN_LANES || rows->friction->n_triples == 0 || n_entries(rows, m) > MOST_ENTRIES_IN_LANES)
        return 0;
    for (int k = 0; k < MOBOD_LANES; k++)
        solved[k] = mask >> k & 1;
    const RowProblem whole = {.n = nu,
                              .m = m,
                              .n_boxes = rows->friction->n_boxes,
                              .n_contacts = rows->friction->n_triples,
                              .B = rows->B,
                              .patterns = rows->patterns};
    find_parts(parts, &whole);
    set_problem(lanes, step, problem);
    for (int i = 0; i < m; i++) {
        problem->given_a[i] = problem->before[i] - problem->bound[i] - problem->bounce[i];
        problem->given_size[i] = number_abs(problem->before[i]) + number_abs(problem->bound[i]) + problem->bounce[i];
    }
    memset(y, 0, (size_t)nu * sizeof(Number));
    for (int part = 0; part < parts->n_parts && number_any(solved); part++) {
        const int first_column = parts->first_column[part], n = parts->first_column[part + 1] - first_column;
        solved = number_and(solved, gather_entries(step, problem, part, nu, leading));
        Number has_friction = NUMBER(0.0), are_valid = NUMBER(1.0);
        for (int i = 0; i < problem->n_contacts; i++) {
            const Number mu = problem->limit[problem->row_of[problem->n_boxes + 3 * i]];
            has_friction = number_or(has_friction, number_less(NUMBER(0.0), mu));
            are_valid = number_and(are_valid, number_and(number_less_equal(NUMBER(0.0), mu), number_is_finite(mu)));
        }
        solved = number_and(solved, number_and(has_friction, are_valid));
        if (n == 0 || (problem->m <= n && problem->m > MOST_ROWS_OF_A))
            return 0;
        solved = problem->m > n ? accept_start(problem, solved, y_of_part, n) : solve_part(problem, solved, row, y_of_part, n);
        for (int k = 0; k < n; k++)
            y[parts->columns[first_column + k]] = y_of_part[k];
    }
    solved = number_and(solved, add_no_energy(step, problem, m, step->change, nu));
    solved = number_and(solved, are_not_hit(step, problem, model));
    solved = note_slips(lanes, step, problem, solved, y);
    for (int i = 0; i < m; i++)
        if (rows->row_numbers[i] >= 0) {
            Number *impulse = step->impulses + rows->row_numbers[i];
            *impulse = number_where(solved, problem->solution[i], *impulse);
        }
    int done = 0;
    for (int k = 0; k < MOBOD_LANES; k++)
        done |= (solved[k] != 0) << k;
    return done;
}
