/* Forces of rows with dry friction that are not equations, in the solution for multipliers.
 *
 * A row carries a given force, or the force of a slip: its sliding force, or its factor times the normal force of its contact. The force
 * of a slip depends on a multiplier, so that the equations are not symmetric. With the multipliers x of the equations, A x = b without
 * slips, and x_n those of the contacts that slip:
 *
 *     A x + W x_n = b,   W = sum of slide A_t over the tangent rows t of each contact;   so   (1 + P A^+ W) x_n = P A^+ b,
 *
 * where P selects the contacts' rows. A^+ is the pseudo-inverse of the symmetric case, so that redundant contacts have multipliers of
 * least norm. The determinant of 1 + P A^+ W is 1 without friction. Where it falls to zero, normal forces grow without bound: the
 * paradox of Painleve, of one contact or of several that jam together. The other principal minors are no criterion where contacts are
 * redundant: with forces of least norm, a single corner may have a negative diagonal entry although all corners together can go on
 * sliding. */
#ifndef MOBOD_CARRIED_ROWS_H
#define MOBOD_CARRIED_ROWS_H

#include "rows.h"

/* Add to eps [nu] the forces that rows carry and that do not depend on multipliers. */
void add_forces_of_carried(const RowTable *table, const double *w, double *eps);

/* before the parts of a solution */
void begin_carried(RowWorkspace *work);

/* Set the multipliers of rows that carry forces, of blocks [n], from those of the normals that they depend on. */
void set_carried(const RowTable *table, int n, const int *blocks, double *w);

/* The rest is of the rows of a part; n: its active ones. */

/* Subtract the effect of forces that do not depend on multipliers from the right sides work->b. */
void subtract_carried(const RowTable *table, const RowPart *part, const double *w, RowWorkspace *work);

/* Change the multipliers in w, which are the solution without slips, to those with slips; and set those of the rows that carry forces.
 * Returns 0 if there is no solution. */
int add_carried(const RowTable *table, const RowPart *part, double *w, RowWorkspace *work, int n);

/* The tangents of both: the same equations for the changes of the multipliers, with the changes of A and of slides on the right sides. */
void subtract_changes_of_carried(const RowTable *table, const RowPart *part, const double *w, const double *dw, RowWorkspace *work);
int add_changes_of_carried(const RowTable *table, const RowPart *part, const double *w, double *dw, RowWorkspace *work, int n);

/* Subtract the effect of all carried forces, by the multipliers in w, from `values` [n]. */
void subtract_effects_of_carried(const RowTable *table, const RowPart *part, const double *w, const RowWorkspace *work, double *values);

/* The adjoints of add_changes_of_carried: from those of the carried multipliers in dw, and x [n] of the active ones, set x to those of the
 * solution without slips. Returns 0 if there is no solution. */
int add_adjoints_of_carried(const RowTable *table, const RowPart *part, const double *w, double *dw, RowWorkspace *work, int n, double *x);

/* The adjoints of subtract_changes_of_carried: from those of the right sides, work->b, and of the carried multipliers. Adds to the adjoints
 * of A, of slides and of given forces. */
void finish_adjoints_of_carried(const RowTable *table, const RowPart *part, const double *w, double *dw, const RowWorkspace *work);

/* If the determinant of 1 + P A^+ W was practically zero or negative in the last solution: the number of the row of the contact that slips
 * with the largest normal force. Else -1. */
int jammed_normal(const RowTable *table, double *w);

#endif
