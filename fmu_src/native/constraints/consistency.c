#include "consistency.h"
#include "consistency_arithmetic.h"
#include "constraint_matrix.h"
#include "elementary.h"
#include "vectors.h"

#include <float.h>
#include <string.h>

/* the length of the first step of a projection, in coordinates or in speeds; `from_position_errors`: distance by the position errors */
static double length_of_projection(const RowTable *table, const double *w, RowWorkspace *work, int with_velocities,
                                   double *from_position_errors) {
    int worst, n = constraint_matrix(table, w, with_velocities, work->z, work->G);
    constraint_errors(table, w, with_velocities, work->errors, &worst);
    if (!with_velocities)
        *from_position_errors = distance_of_errors(n, table->nu, work->G, work->errors);
    return solve_for_du(table, work, n, *from_position_errors) ? norm(table->nu, work->row) : INFINITY;
}

/* distance from the manifold: of q in rad and m, plus that of u relative to u */
static double distance(const RowTable *table, const double *w, RowWorkspace *work) {
    double from_position_errors, of_q = length_of_projection(table, w, work, 0, &from_position_errors),
                                 of_u = length_of_projection(table, w, work, 1, &from_position_errors);
    return of_u == 0 ? of_q : of_q + of_u / fmax(norm(table->nu, w + table->u), DBL_MIN);
}

int mark_contradicting(const RowTable *table, const double *w, RowWorkspace *work, int n, double from_manifold) {
    return find_contradicting(table, w, work, n, from_manifold) != 0;
}

int find_contradictions(const RowTable *table, const double *w, RowWorkspace *work, int n, double tolerance) {
    if (!mark_contradicting(table, w, work, n, 0))
        return 0;

    /* The distance from the manifold is computed only if round-off does not explain the residual, because it costs more and overwrites
     * the factors. */
    double from_manifold = distance(table, w, work);
    return factor_semidefinite(&work->factors, n, work->A, tolerance) == FACTORED && mark_contradicting(table, w, work, n, from_manifold);
}

static size_t append(char *text, size_t size, size_t length, const char *more) {
    while (*more && length + 1 < size)
        text[length++] = *more++;
    text[length] = 0;
    return length;
}

size_t append_name(char *names, size_t size, size_t length, const char *name) {
    length = append(names, size, length, length ? ", '" : "'");
    length = append(names, size, length, name);
    return append(names, size, length, "'");
}

int is_friction_contradicting(const RowTable *table, double *w) {
    const double *misses = row_workspace(table, w).misses;
    for (int i = 0; i < table->n_blocks; i++)
        if (table->blocks[i].carried && misses[table->blocks[i].first] > 0)
            return 1;
    return 0;
}

int contradictions(const RowTable *table, double *w, char *names, size_t size, double *miss) {
    const double *misses = row_workspace(table, w).misses;
    size_t length = 0;
    const char *last = "";
    *miss = names[0] = 0;
    for (int i = 0; i < table->n_blocks; i++) {
        const RowBlock *block = table->blocks + i;
        double largest = 0;
        for (int row = block->first; row < block->first + block->n; row++)
            largest = fmax(largest, misses[row]);
        if (largest > 0) {
            if (strcmp(block->name, last) != 0) /* a contact has a block for each of its rows */
                length = append_name(names, size, length, block->name);
            last = block->name;
            *miss = fmax(*miss, largest);
        }
    }
    return *miss > 0;
}
