/* The equations of a problem with friction (friction_program.h): they are factored, and what remains of the other rows is orthogonal to
 * them. */
#ifndef MOBOD_FRICTION_EQUATIONS_H
#define MOBOD_FRICTION_EQUATIONS_H

#include "friction_program.h"

/* Write B as whole rows. */
void write_whole_rows(FrictionProgram *program);

/* Solve the equations alone, for y_fixed and missed. Returns ROWS_SOLVED or what solve_friction_program returns. */
int solve_equations(FrictionProgram *program);

/* Take note of a row that equations hold: its w is `rate` whatever the multipliers are. Returns whether that is no contradiction. */
int accept_held(FrictionProgram *program, int row, double rate);

/* Take the equations out of the other rows, scaled, into `turned`; set A, and a, which is not scaled. Returns ROWS_SOLVED or
 * ROWS_CONTRADICT.
 */
int turn_rows(FrictionProgram *program);

/* Set the multipliers of all rows as given from those of the scaled ones, z, whose numbers are divided by `unit`. */
void restore_multipliers(FrictionProgram *program, const double *z, double unit);

#endif
