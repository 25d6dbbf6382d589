#include "position_correction.h"

#include "bounded_steps.h"
#include "contact_arithmetic.h"
#include "coordinate_changes.h"
#include "projection.h"
#include "rows.h"
#include "tree.h"
#include "unilateral_rows.h"

static const double RISE = 0.25; /* tolerances that rows may be below zero where they rise, see position_correction.h */

/* Set rows->a to the errors to correct: those of bilateral rows, and of the chosen unilateral rows. Open rows, which the correction would
 * lower, may end at their tolerance; others below zero stay where they are or rise to it. work->rates: the errors where rows rise further.
 * Returns how many there are. */
static int read_errors(const Model *model, const State *state, const FixedSteps *steps, VelocityLevelWork *work) {
    ContactWork *rows = work->rows;
    int m = read_position_errors(model, state, rows->a);
    for (int i = 0; i < n_contacts(model); i++) {
        const Contact *contact = model->contacts->contacts + i;
        const double distance = state->w[contact->distance], tolerance = steps->tolerances[i];
        const int is_open = !is_engaged(state, contact) && distance >= 0;
        if (!work->chosen[i])
            continue;
        rows->a[m] = is_open || distance < -tolerance ? distance + tolerance : 0;
        work->rates[m++] = is_open ? distance + tolerance : fmin(distance + RISE * tolerance, 0);
    }
    for (int i = 0; i < m; i++)
        rows->size[i] = fabs(rows->a[i]);
    return m;
}

/* whether any error of constraints, or of a chosen row, exceeds `allowed`, relative to its scale */
static int has_errors(const Model *model, const State *state, const VelocityLevelWork *work, int m, double allowed) {
    int found = !(largest_position_error(model, state) <= allowed);
    for (int i = n_contacts(model) - 1; i >= 0; i--)
        if (work->chosen[i])
            found = !(fabs(work->rows->a[--m]) <= allowed * scale_of_distance(model, model->contacts->contacts + i)) || found;
    return found;
}

/* Of m selected rows, raise those of each part of the problem that has a row below its tolerance: other bodies stay where they are.
 * Returns whether there are any. */
static int raise_parts(VelocityLevelWork *work, int m, int n_equations) {
    ContactWork *rows = work->rows;
    IndependentParts *parts = &rows->parts;
    const RowProblem whole = {
        .n = rows->width, .m = m, .n_equations = n_equations, .n_boxes = m - n_equations, .B = rows->B, .patterns = rows->patterns};
    int any = 0;
    find_parts(parts, &whole);
    for (int i = 0; i < parts->n_parts; i++) {
        int has_sunk = 0;
        for (int k = parts->first_row[i]; k < parts->first_row[i + 1]; k++)
            has_sunk = has_sunk || (parts->rows[k] >= n_equations && rows->a[parts->rows[k]] < 0);
        for (int k = parts->first_row[i]; k < parts->first_row[i + 1] && has_sunk; k++) {
            const int row = parts->rows[k];
            rows->a[row] = row < n_equations ? rows->a[row] : work->rates[row];
            rows->size[row] = fabs(rows->a[row]);
        }
        any = any || has_sunk;
    }
    return any;
}

/* Choose the open rows that the displacement rows->change takes below their tolerances. Returns whether there are any. */
static int choose_lowered(const Model *model, const State *state, const FixedSteps *steps, VelocityLevelWork *work) {
    int any = 0;
    if (n_contacts(model) == 0)
        return 0;
    rates_along(model->rows, state->w, work->rows->change, work->V, work->rates);
    for (int i = 0; i < n_contacts(model); i++) {
        const Contact *contact = model->contacts->contacts + i;
        const double after = state->w[contact->distance] + work->rates[row_number_of(model, contact)];
        if (!work->chosen[i] && row_exists_in_fixed_steps(state, contact) && after < -steps->tolerances[i])
            any = work->chosen[i] = 1;
    }
    return any;
}

/* Find the displacement of least size for the chosen rows, into rows->change. rises: whether rows may rise further than to their
 * tolerances; out: whether any have to. Releases all unilateral rows. */
static Outcome find_displacement(const Model *model, State *state, const FixedSteps *steps, VelocityLevelWork *work, int *rises,
                                 Integration *result) {
    ContactWork *rows = work->rows;
    int n_equations;
    realize(model, state, STAGE_DYNAMICS);
    read_errors(model, state, steps, work);
    const int m = assemble_rows(model, state, rows, work->chosen, NULL, ROWS_OF_POSITIONS, &n_equations);
    *rises = *rises && m > n_equations && raise_parts(work, m, n_equations);
    const Outcome outcome = solve_unilateral(model, state, rows, m, n_equations, NULL, result);
    if (outcome == INTEGRATED) {
        place_impulses(model, rows, m, rows->rows.multipliers);
        find_response(model, state, rows);
    }
    release_contacts(model, state);
    return outcome;
}

/* One iteration of Newton's method, unless no error exceeds `allowed`, relative to its scale; has_moved: whether it was done. */
static Outcome correct_once(const Model *model, State *state, const FixedSteps *steps, VelocityLevelWork *work, double allowed,
                            int *has_moved, Integration *result) {
    realize(model, state, STAGE_VELOCITY);
    for (int i = 0; i < n_contacts(model); i++) {
        const Contact *contact = model->contacts->contacts + i;
        work->chosen[i] = row_exists_in_fixed_steps(state, contact) && (is_engaged(state, contact) || state->w[contact->distance] < 0);
    }
    const int m = read_errors(model, state, steps, work);
    *has_moved = has_errors(model, state, work, m, allowed);
    if (!*has_moved)
        return INTEGRATED;

    Outcome outcome = INTEGRATED;
    int rises = rule_of_model(model, steps->engagement) == ENGAGEMENT_PREDICTIVE, is_found = 0, is_last = 0;
    for (int n = 0; !is_last; n++) {
        if (work->rows->cuts.is_on && n == MOST_DISPLACEMENTS) {
            note_cut(work->rows, 0); /* rows end below zero, and are corrected in the next step */
            break;
        }
        outcome = find_displacement(model, state, steps, work, &rises, result);
        is_found = is_found || outcome == INTEGRATED;
        is_last = outcome == INTEGRATED ? !choose_lowered(model, state, steps, work) : !rises;
        rises = rises && outcome == INTEGRATED;
    }
    if (!is_found)
        return outcome;
    result->outcome = INTEGRATED;
    return move_coordinates(model, state, work->rows->change, result);
}

Outcome correct_positions(const Model *model, State *state, const FixedSteps *steps, VelocityLevelWork *work, Integration *result) {
    realize(model, state, STAGE_VELOCITY);
    if (model->contacts)
        update_engagement(model, state, rule_of_model(model, steps->engagement), steps->tolerances);
    Outcome outcome = INTEGRATED;
    int continues = 1;
    for (int i = 0; i < steps->position_iterations && continues && outcome == INTEGRATED; i++)
        outcome = correct_once(model, state, steps, work, i ? state->constraint_tolerance : 0, &continues, result);
    if (state->is_bounded && outcome == INTEGRATED) {
        realize(model, state, STAGE_VELOCITY);
        if (!(largest_position_error(model, state) <= state->constraint_tolerance)) {
            note_constraint_errors(model, state, state->constraint_tolerance, 0);
            note_overrun(state);
        }
    }
    return outcome;
}
