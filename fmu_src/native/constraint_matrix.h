/* G of constraints, their errors, and the shortest change of speeds that takes one to the other: what projections work with. */
#ifndef MOBOD_CONSTRAINT_MATRIX_H
#define MOBOD_CONSTRAINT_MATRIX_H

#include "rows.h"

/* G [rows][nu] of enabled constraints, those of position errors, or with the others that restrict velocities; 0 for the mobilities whose
 * speeds are known, which a projection does not change. How many rows */
int constraint_matrix(const RowTable *table, const double *w, int with_velocities, double *z, double *G);

/* the errors of enabled constraints, in the order of constraint_matrix; the largest, and the number of the constraint whose it is */
double constraint_errors(const RowTable *table, const double *w, int with_velocities, double *errors, int *worst);

/* The shortest change of speeds that the n rows of work->G take to work->errors, at a distance from where the constraints hold (see
 * distance_of_errors), into work->row; returns 0 where something is not finite. */
int solve_for_du(const RowTable *table, RowWorkspace *work, int n, double distance);

#endif
