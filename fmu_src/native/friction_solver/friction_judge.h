/* The scales of a problem with friction, and the residual by which multipliers are judged (friction_program.h). */
#ifndef MOBOD_FRICTION_JUDGE_H
#define MOBOD_FRICTION_JUDGE_H

#include "friction_program.h"

/* a bound as given, or infinity where that means none */
double friction_bound(double given);

/* the size of the numbers in a, in scaled rows */
double size_of_rows(const FrictionProgram *program);

/* Set the scaled rows. */
void scale_entries(FrictionProgram *program);

/* Set the bounds of scaled rows, where numbers are divided by `unit`. */
void scale_bounds(FrictionProgram *program, double unit);

/* Set y, w, residuals and modes from the multipliers and the given rows. */
void judge(FrictionProgram *program);

#endif
