#include "friction_islands.h"

#include <string.h>

/* the last row that is no equation among those that contradict each other, or -1 */
static int held_row(const FrictionProgram *program, const RowProblem *problem) {
    int held = -1;
    for (int i = 0; i < program->n_against; i++)
        held = program->against[i] >= problem->n_equations ? program->against[i] : held;
    return held;
}

int solve_friction_islands(FrictionProgram *program, const RowProblem *problem, FrictionSolution *solution) {
    IndependentParts *parts = &solution->parts;
    solution->residual = solution->is_cut = 0;
    solution->worst_contact = solution->held = -1;
    memset(solution->y, 0, (size_t)problem->n * sizeof(double));
    find_parts(parts, problem);
    program->is_nearest = 1; /* as without friction; accelerations that contradict each other are found before */
    for (int i = 0; i < parts->n_parts; i++) {
        gather_sparse_part(parts, i);
        const RowProblem *p = &parts->part;
        int outcome = solve_sparse_program(program, &parts->entries, p->n_equations, p->n_boxes, p->a, p->size, p->lower, p->upper, p->mu,
                                           p->is_moment, p->start, p->now, NULL, p->slip);
        solution->residual = program->residual > solution->residual ? program->residual : solution->residual;
        if (program->is_bounded && (program->is_cut || outcome == ROWS_NOT_CERTIFIED)) {
            solution->is_cut = 1;
            outcome = ROWS_SOLVED;
        }
        if (outcome != ROWS_SOLVED) {
            solution->worst_contact = program->worst_contact < 0 ? -1 : parts->contact_of[program->worst_contact];
            int held = outcome == ROWS_CONTRADICT ? held_row(program, p) : -1;
            solution->held = held < 0 ? -1 : parts->row_of[held];
            return outcome;
        }
        for (int k = 0; k < p->m; k++)
            solution->multipliers[parts->row_of[k]] = program->multipliers[k];
        for (int k = 0; k < p->n; k++)
            solution->y[parts->column_of[k]] = program->y[k];
    }
    return ROWS_SOLVED;
}
