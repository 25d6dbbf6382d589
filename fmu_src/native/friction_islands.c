#include "friction_islands.h"

#include <string.h>

size_t friction_island_reals(int n, int m, int n_contacts) {
    return (size_t)m + (size_t)n + (size_t)m * (size_t)n + 5 * (size_t)m + 3 * (size_t)n_contacts;
}

size_t friction_island_integers(int n, int m, int n_contacts) { return 2 * (size_t)n + 2 * (size_t)m + (size_t)n_contacts; }

/* one part, and the places of its columns, rows and contacts in the whole */
typedef struct {
    FrictionProblem problem;
    double *B, *a, *size, *lower, *upper, *start, *mu, *slip;
    int *columns, *rows, *contacts;
} Island;

static int root_of(int *parents, int column) {
    while (parents[column] != column)
        column = parents[column] = parents[parents[column]];
    return column;
}

/* Join the columns in which a row is not 0 with a column, or -1; returns one of them. */
static int join(const FrictionProblem *problem, int row, int column, int *parents) {
    const double *values = problem->B + (size_t)row * (size_t)problem->n;
    for (int k = 0; k < problem->n; k++) {
        if (values[k] == 0)
            continue;
        int root = root_of(parents, k);
        if (column >= 0)
            parents[root] = root_of(parents, column);
        column = root_of(parents, root);
    }
    return column;
}

/* the number of the contact that a row belongs to; -1: none */
static int contact_of_row(const FrictionProblem *problem, int row) {
    int first = problem->n_equations + problem->n_boxes;
    return row < first ? -1 : (row - first) / 3;
}

/* Set for each row the column that stands for its part. Returns whether there is more than one part. */
static int find_parts(const FrictionProblem *problem, int *parents, int *column_of_row) {
    for (int k = 0; k < problem->n; k++)
        parents[k] = k;
    for (int i = 0; i < problem->m; i++) {
        int contact = contact_of_row(problem, i), is_first = contact < 0 || contact != contact_of_row(problem, i - 1);
        column_of_row[i] = join(problem, i, is_first ? -1 : column_of_row[i - 1], parents);
    }
    for (int i = problem->m - 2; i >= 0; i--) /* a contact whose first rows are 0 */
        if (contact_of_row(problem, i) >= 0 && contact_of_row(problem, i) == contact_of_row(problem, i + 1))
            column_of_row[i] = column_of_row[i + 1];
    int first = -1, n_parts = 0;
    for (int i = 0; i < problem->m; i++) {
        if (column_of_row[i] < 0)
            continue;
        column_of_row[i] = root_of(parents, column_of_row[i]);
        first = first < 0 ? column_of_row[i] : first;
        n_parts = n_parts > 1 || column_of_row[i] != first ? 2 : 1;
    }
    for (int i = 0; i < problem->m; i++)
        if (column_of_row[i] < 0)
            column_of_row[i] = first; /* a row that nothing moves is checked with the first part */
    return n_parts > 1;
}

static void place_island(const FrictionProblem *whole, FrictionSolution *solution, Island *island) {
    double *next = solution->reals + whole->m + whole->n;
    island->B = next;
    island->a = next += whole->m * whole->n;
    island->size = next += whole->m;
    island->lower = next += whole->m;
    island->upper = next += whole->m;
    island->start = next += whole->m;
    island->mu = next += whole->m;
    island->slip = island->mu + whole->n_contacts;
    island->rows = solution->integers + whole->n + whole->m;
    island->columns = island->rows + whole->m;
    island->contacts = island->columns + whole->n;
}

/* add a row of the whole to the part */
static void add_row(const FrictionProblem *whole, Island *island, int row) {
    FrictionProblem *part = &island->problem;
    int at = part->m++, contact = contact_of_row(whole, row), box = row - whole->n_equations;
    island->rows[at] = row;
    island->a[at] = whole->a[row];
    island->size[at] = whole->size[row];
    if (whole->start)
        island->start[at] = whole->start[row];
    for (int k = 0; k < part->n; k++)
        island->B[at * part->n + k] = whole->B[(size_t)row * (size_t)whole->n + (size_t)island->columns[k]];
    if (row < whole->n_equations) {
        part->n_equations++;
    } else if (contact < 0) {
        island->lower[part->n_boxes] = whole->lower[box];
        island->upper[part->n_boxes++] = whole->upper[box];
    } else if ((row - whole->n_equations - whole->n_boxes) % 3 == 0) {
        island->mu[part->n_contacts] = whole->mu[contact];
        memcpy(island->slip + 2 * part->n_contacts, whole->slip + 2 * contact, 2 * sizeof(double));
        island->contacts[part->n_contacts++] = contact;
    }
}

/* gather the rows of a part */
static void gather(const FrictionProblem *whole, int *parents, const int *column_of_row, int root, Island *island) {
    FrictionProblem *part = &island->problem;
    *part = (FrictionProblem){.B = island->B,
                              .a = island->a,
                              .size = island->size,
                              .lower = island->lower,
                              .upper = island->upper,
                              .mu = island->mu,
                              .start = whole->start ? island->start : NULL,
                              .slip = island->slip};
    for (int k = 0; k < whole->n; k++)
        if (root_of(parents, k) == root)
            island->columns[part->n++] = k;
    for (int i = 0; i < whole->m; i++)
        if (column_of_row[i] == root)
            add_row(whole, island, i);
}

static int solve_one(FrictionProgram *program, const FrictionProblem *p) {
    return solve_friction_program(program, p->n, p->m, p->n_equations, p->n_boxes, p->B, p->a, p->size, p->lower, p->upper, p->mu, p->start,
                                  NULL, p->slip);
}

/* the last row that is no equation among those that contradict each other, or -1 */
static int held_row(const FrictionProgram *program, const FrictionProblem *problem) {
    int held = -1;
    for (int i = 0; i < program->n_against; i++)
        held = program->against[i] >= problem->n_equations ? program->against[i] : held;
    return held;
}

int solve_friction_islands(FrictionProgram *program, const FrictionProblem *problem, FrictionSolution *solution) {
    int *parents = solution->integers, *column_of_row = parents + problem->n;
    solution->multipliers = solution->reals;
    solution->y = solution->reals + problem->m;
    solution->residual = 0;
    solution->worst_contact = solution->held = -1;
    if (!find_parts(problem, parents, column_of_row)) {
        int outcome = solve_one(program, problem);
        solution->multipliers = program->multipliers;
        solution->y = program->y;
        solution->residual = program->residual;
        solution->worst_contact = program->worst_contact;
        solution->held = outcome == ROWS_CONTRADICT ? held_row(program, problem) : -1;
        return outcome;
    }

    Island island;
    place_island(problem, solution, &island);
    memset(solution->reals, 0, (size_t)(problem->m + problem->n) * sizeof(double));
    for (int i = 0; i < problem->m; i++) {
        int root = column_of_row[i], is_known = 0;
        for (int k = 0; k < i && !is_known; k++)
            is_known = column_of_row[k] == root;
        if (is_known)
            continue;
        gather(problem, parents, column_of_row, root, &island);
        int outcome = solve_one(program, &island.problem);
        solution->residual = program->residual > solution->residual ? program->residual : solution->residual;
        if (outcome != ROWS_SOLVED) {
            solution->worst_contact = program->worst_contact < 0 ? -1 : island.contacts[program->worst_contact];
            int held = outcome == ROWS_CONTRADICT ? held_row(program, &island.problem) : -1;
            solution->held = held < 0 ? -1 : island.rows[held];
            return outcome;
        }
        for (int k = 0; k < island.problem.m; k++)
            solution->multipliers[island.rows[k]] = program->multipliers[k];
        for (int k = 0; k < island.problem.n; k++)
            solution->y[island.columns[k]] = program->y[k];
    }
    return ROWS_SOLVED;
}
