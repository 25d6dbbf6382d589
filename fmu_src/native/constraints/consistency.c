#include "consistency.h"
#include "consistency_arithmetic.h"
#include "constraint_arithmetic.h"
#include "elementary.h"
#include "row_factors.h"
#include "vectors.h"

#include <float.h>
#include <string.h>

static double length_along(const RowPart *part, const double *u) {
    double squares = 0;
    for (int k = 0; k < part->n_runs; k++)
        squares += dot(part->runs[2 * k + 1], u + part->runs[2 * k], u + part->runs[2 * k]);
    return sqrt(squares);
}

/* the length of the first step of a projection of a part, in coordinates or in speeds; `from_position_errors`: distance by the position
 * errors */
static double length_of_projection(const RowTable *table, const RowPart *part, const double *w, RowWorkspace *work, int with_velocities,
                                   double *from_position_errors) {
    for (int i = 0; i < part->n_blocks; i++) {
        const RowBlock *block = table->blocks + part->blocks[i];
        const double *own = w + (with_velocities ? block->velocity_errors : block->position_errors);
        find_matrix_of_block(table, block, w, with_velocities, work->z, work->G);
        for (int row = 0; row < n_errors(block, w, with_velocities); row++)
            work->errors[block->first + row] = own[row];
    }
    if (!with_velocities)
        *from_position_errors = distance_by_rows(table, part->n_blocks, part->blocks, w, work->G, work->errors);
    const double largest_entry = largest_of_G(table, part->n_blocks, part->blocks, w, with_velocities, work->G);
    double *kept = work->factors.reals;
    int *order = work->factors.order;
    const int is_solved =
        factor_part_of_G(table, part, w, work, with_velocities, largest_entry, *from_position_errors, kept, order) == FACTORED &&
        solve_part_of_G(table, part, w, work, with_velocities, kept, order) == FACTORED;
    return is_solved ? length_along(part, work->row) : INFINITY;
}

/* The square of the speeds that a bias depends on: its change by du is at most 2 u du + du^2, relative to u^2 and the accelerations of
 * known motions. Speeds of round-off explain no residual of these. */
static double square_of_speeds(const RowTable *table, const RowPart *part, const double *w) {
    const double length = length_along(part, w + table->u);
    double largest = 0;
    for (int i = 0; i < part->n_blocks; i++) {
        const RowBlock *block = table->blocks + part->blocks[i];
        const RowPath *path = path_of(table, block, w);
        for (int body = 0; w[block->enabled] != 0 && body < path->n_bodies; body++)
            for (int k = 0; k < 6; k++)
                largest = fmax(largest, fabs(w[path->motions[2 * body + 1] + k]));
    }
    return length * length + largest;
}

/* distance of a part from the manifold: of q in rad and m, plus that of u relative to the speeds that biases depend on */
static double distance(const RowTable *table, const RowPart *part, const double *w, RowWorkspace *work) {
    double from_position_errors, of_q = length_of_projection(table, part, w, work, 0, &from_position_errors),
                                 of_u = length_of_projection(table, part, w, work, 1, &from_position_errors);
    return of_u == 0 ? of_q : of_q + of_u / sqrt(fmax(square_of_speeds(table, part, w), DBL_MIN));
}

int find_contradictions(const RowTable *table, const RowPart *part, const double *w, RowWorkspace *work, int n, WholeSystem whole) {
    if (find_contradicting(table, part, w, work, n, whole.largest_size, 0) == 0)
        return 0;

    /* The distance from the manifold is computed only if round-off does not explain the residual, because it costs more and overwrites
     * the factors. */
    double from_manifold = distance(table, part, w, work);
    return factor_active_rows(table, part, w, work, n, whole) == FACTORED &&
           find_contradicting(table, part, w, work, n, whole.largest_size, from_manifold) != 0;
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
