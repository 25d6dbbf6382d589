#include "friction_start.h"

#include "elementary.h"
#include "friction_judge.h"
#include "friction_sticking.h"
#include "friction_tolerances.h"
#include "vectors.h"

static const double STICKS = 1e-12; /* residual of a solution where all stick */

/* Set the multipliers to the start, within the bounds and cones, and judge it. */
static void judge_start(FrictionProgram *program, const double *start) {
    FrictionRows *rows = &program->rows;
    for (int i = 0; i < program->m; i++)
        rows->z[i] = start[i] * program->length[i];
    scale_bounds(program, 1);
    project_multipliers(rows, rows->z);
    for (int i = 0; i < program->m; i++)
        program->multipliers[i] = rows->z[i] / program->length[i];
    judge(program);
}

/* Set the mask of rows that stick if all contacts that press at the start do, or all contacts if none presses. Returns 0 where a contact is
 * at its limit, or has a given slip direction. */
static int choose_sticking(FrictionProgram *program, const double *start) {
    int presses = 0;
    for (int contact = 0, k = program->n_boxes; contact < program->n_contacts; contact++, k += 3) {
        double limit = HOLDS * program->rows.mu[contact] * start[k];
        presses = presses || start[k] > 0;
        if (slip_direction(&program->rows, contact) || (start[k] > 0 && !(sqrt(dot(2, start + k + 1, start + k + 1)) < limit)))
            return 0;
    }
    for (int i = 0; i < program->m; i++)
        program->held[i] = i < program->n_boxes || !presses || start[i - (i - program->n_boxes) % 3] > 0;
    return 1;
}

/* The multipliers with which these rows stick, judged. Returns whether they are a solution. */
static int try_sticking(FrictionProgram *program, const double *start) {
    FrictionRows *rows = &program->rows;
    if (!choose_sticking(program, start))
        return 0;
    for (int i = 0; i < program->m; i++)
        rows->a[i] = program->a[i] / program->length[i];
    program->rounds = 1;
    scale_entries(program);
    if (!find_sticking(&program->scaled, rows->a, program->held, &program->matrix, rows->z, program->work, program->y_fixed))
        return 0;
    for (int i = 0; i < program->m; i++)
        program->multipliers[i] = rows->z[i] / program->length[i];
    judge(program);
    return program->residual <= STICKS;
}

/* The largest change of a rate of a row that presses, scaled like the residual. A solution that removes the speeds which errors of former
 * steps have left has forces that would give these speeds in the next step, with the other sign, and twice as much in two. */
static double largest_change(const FrictionProgram *program, const double *now) {
    double largest = 0;
    for (int i = 0; now && i < program->m; i++)
        if (program->multipliers[i] != 0)
            largest = fmax(largest, fabs(program->w[i] - now[i]) / program->length[i]);
    return largest / program->scale;
}

int solve_from_start(FrictionProgram *program, const double *start, const double *now) {
    judge_start(program, start);
    if (program->residual <= STARTS && largest_change(program, now) <= CHANGES)
        return 1;
    int is_good = program->residual <= GOOD;
    if (try_sticking(program, start))
        return 1;
    if (is_good) {
        program->rounds = 0;
        judge_start(program, start);
    }
    return is_good;
}
