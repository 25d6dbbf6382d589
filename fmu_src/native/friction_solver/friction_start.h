/* Problems with friction whose solution follows from the multipliers of the last step. They are judged by the entries of rows, before any
 * product of rows is computed. */
#ifndef MOBOD_FRICTION_START_H
#define MOBOD_FRICTION_START_H

#include "friction_program.h"

/* Without equations and compliance: whether the start [m] is a solution, or the multipliers with which the contacts that press at the start
 * stick. If none presses, all contacts are tried. Sets the members of `program` that describe the solution. */
int solve_from_start(FrictionProgram *program, const double *start, const double *now);

/* Give y the order of the columns of the problem: all that is done after the start is judged has another one, so that bodies that touch
 * follow each other. */
void restore_columns(FrictionProgram *program);

#endif
