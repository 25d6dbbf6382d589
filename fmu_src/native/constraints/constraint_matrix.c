#include "constraint_matrix.h"

#include "constraint_arithmetic.h"
#include "elementary.h"

int constraint_matrix(const RowTable *table, const double *w, int with_velocities, double *z_of, double *G) {
    return find_constraint_matrix(table, w, with_velocities, z_of, G);
}

double constraint_errors(const RowTable *table, const double *w, int with_velocities, double *errors, int *worst) {
    double largest;
    find_constraint_errors(table, w, with_velocities, errors, &largest, worst);
    return largest;
}

int solve_for_du(const RowTable *table, RowWorkspace *work, int n, double distance) {
    return factor_G(table, work, n, distance) == FACTORED && solve_for_row(work) == FACTORED;
}
