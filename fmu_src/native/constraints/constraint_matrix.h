/* The matrix G of constraints, their errors, and the shortest change of speeds that removes an error: used by projections. */
#ifndef MOBOD_CONSTRAINT_MATRIX_H
#define MOBOD_CONSTRAINT_MATRIX_H

#include "rows.h"

/* Set G [rows][nu] of enabled constraints: rows of position errors, or (with_velocities) also the other rows that restrict velocities.
 * Columns of mobilities with prescribed speeds are 0, since a projection does not change these; rows that
 * the joints already satisfy are 0. Returns the number of rows. */
int constraint_matrix(const RowTable *table, const double *w, int with_velocities, double *z, double *G);

/* Read the errors of enabled constraints, in the order of constraint_matrix. Returns the largest one; worst: number of its constraint. */
double constraint_errors(const RowTable *table, const double *w, int with_velocities, double *errors, int *worst);

/* Set work->row to the shortest change of speeds du with G du = work->errors, for the n rows of work->G, at a distance from the
 * constraint manifold (see distance_of_errors). Returns 0 if a number is not finite. */
int solve_for_du(const RowTable *table, RowWorkspace *work, int n, double distance);

#endif
