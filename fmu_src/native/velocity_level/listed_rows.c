#include "listed_rows.h"

#include "friction_steps.h"
#include "impact.h"
#include "momentum_of_hits.h"
#include "rows.h"
#include "step_arithmetic.h"
#include "tree.h"
#include "unilateral_rows.h"

#include <math.h>

/* what find_hits reads */
static HitRows hit_rows(const VelocityLevelWork *work) {
    return (HitRows){work->chosen,
                     work->start.distances,
                     work->start.rates,
                     work->free,
                     work->target,
                     work->slowest,
                     work->turns.any ? work->turns.impulses : NULL};
}

/* the lower bound of the rate of a chosen contact. A contact rests if the forces of this step could close its gap. */
static double least_rate(const VelocityLevelWork *work, int contact) {
    const double least = work->least[contact], change = fabs(work->free[contact] - work->start.rates[contact]);
    const int is_frozen = work->frozen == ALL_ROWS_FROZEN || (work->frozen == RESTING_ROWS_FROZEN && -least <= change);
    return is_frozen ? fmax(least, 0) : least;
}

Outcome solve_listed_rows(const Model *model, const State *state, const FixedSteps *steps, VelocityLevelWork *work, double h, int is_first,
                          int m, int n_equations, Integration *result) {
    ContactWork *rows = work->rows;
    const CompliantStep *compliant = &work->compliant;
    const double *turns = work->turns.any ? work->turns.rates : NULL;
    const int is_middle = steps->constraints_at == CONSTRAINTS_AT_MIDDLE;
    read_velocity_errors(model, state, rows->before);
    for (int i = 0; i < rows->first_rigid - rows->n_soft; i++) {
        if (compliant->has_removed || is_middle)
            rows->before[i] += work->ahead[rows->row_numbers[i]];
        rows->bound[i] = rows->bounce[i] = 0;
        rows->noise[i] = NOISE * fabs(rows->before[i]) + fabs(rows->before[i]);
    }
    set_compliant_rows(model, compliant, rows, turns, NOISE);
    for (int i = 0; i < n_contacts(model); i++)
        if (work->chosen[i]) {
            int next = rows->row_of_contact[i];
            const int line = row_number_of(model, model->contacts->contacts + i);
            const double drift = work->frozen && is_middle ? work->drifts[line] : 0, least = least_rate(work, i);
            rows->before[next] = work->free[i] - drift + (turns ? turns[line] : 0);
            rows->bound[next] = least;
            rows->bounce[next] = turns ? 0 : fmax(work->target[i], least) - least;
            double size = fabs(rows->before[next]) + fabs(rows->bound[next]) + rows->bounce[next];
            rows->noise[next] = NOISE * size + fabs(work->free[i] - work->start.rates[i]);
        }
    if (model->frictions)
        set_friction_of_step(model, state, rows, turns, h, is_first, work->frozen != NO_ROWS_FROZEN, NOISE);
    Outcome outcome = m ? solve_without_gain(model, state, rows, m, n_equations, NULL, result) : INTEGRATED;
    if (outcome == INTEGRATED && model->frictions && begin_slips_in_step(model, state, rows, h))
        outcome = solve_without_gain(model, state, rows, m, n_equations, NULL, result);
    if (outcome == INTEGRATED && model->contacts) {
        find_hits(model, rows, hit_rows(work), h, &work->hits);
        find_free_impacts(model, rows, work->chosen, &work->hits, &work->free_impacts);
        work->hits.any = work->hits.any && is_middle;
    }
    return outcome;
}
