#include "constraint_matrix.h"

#include "elementary.h"
#include "row_arithmetic.h"

#include <string.h>

int constraint_matrix(const RowTable *table, const double *w, int with_velocities, double *z_of, double *G) {
    int n = 0;
    for (int i = 0; i < table->n_blocks; i++) {
        const RowBlock *block = table->blocks + i;
        int rows = block->n_position + (with_velocities ? block->n_velocity : 0);
        for (int row = 0; w[block->enabled] != 0 && row < rows; row++) {
            double *g = G + n++ * table->nu;
            memset(g, 0, (size_t)table->nu * sizeof(double));
            start_row(table, block, row, w, z_of, g);
            for (int j = 0; j < block->n_path; j++) {
                const RowJoint *joint = table->joints + block->path[j];
                const double *z = z_of + 6 * block->path[j];
                add_projected(g + joint->first, w + joint->H, z, joint->nu);
                if (joint->parent >= 0)
                    add_shifted(z_of + 6 * joint->parent, z, w + joint->l);
                if (is_known(joint, w))
                    memset(g + joint->first, 0, (size_t)joint->nu * sizeof(double));
            }
        }
    }
    return n;
}

double constraint_errors(const RowTable *table, const double *w, int with_velocities, double *errors, int *worst) {
    double largest = 0;
    int n = 0;
    for (int i = 0; i < table->n_blocks; i++) {
        const RowBlock *block = table->blocks + i;
        const double *own = w + (with_velocities ? block->velocity_errors : block->position_errors);
        int rows = block->n_position + (with_velocities ? block->n_velocity : 0);
        for (int row = 0; w[block->enabled] != 0 && row < rows; row++) {
            errors[n++] = own[row];
            if (!(fabs(own[row]) <= largest)) {
                largest = isfinite(own[row]) ? fabs(own[row]) : INFINITY;
                *worst = i;
            }
        }
    }
    return largest;
}

int solve_for_du(const RowTable *table, RowWorkspace *work, int n, double distance) {
    return factor_rows(&work->factors, n, table->nu, work->G, rank_tolerance_at_distance(n, distance)) == FACTORED &&
           solve_rows(&work->factors, work->errors, work->row) == FACTORED;
}
