/* The problem for the speeds at the end of a step, of rows that have been listed (unilateral_rows.h).
 *
 * The rates of rows without impulses contain the change of the rows themselves in the step (drifts), and a contact may still close its gap:
 * parts of the order of h, which are no rates of any speeds of the bodies. Where bodies jam, contacts that all should stick contradict each
 * other by them, and the laws of friction have a solution only with impulses that grow without bound. Then rows are frozen: they are those
 * of the State at which they are evaluated, and contacts keep their gaps. Speeds at which all contacts rest exist then. This is the scheme
 * of Moreau, of the same order. With it a body may stop before it touches: the gap that is left is at most its speed times h.
 *
 * Source: Moreau, Numerical aspects of the sweeping process, Comput. Methods Appl. Mech. Eng. 177 (1999). */
#ifndef MOBOD_LISTED_ROWS_H
#define MOBOD_LISTED_ROWS_H

#include "model.h"
#include "velocity_level_work.h"

/* A part of a step, which changes no State: the problem for speeds. Compute the impulses of the m selected rows into work->rows->z, and the
 * rows that are hit. B, the list of rows, and the numbers of `work` up to the choice of rows are given; read from w: velocity errors of
 * bilateral rows, rates of contacts, and what belongs to friction. is_first: of this step. */
Outcome solve_listed_rows(const Model *model, const State *state, const FixedSteps *steps, VelocityLevelWork *work, double h, int is_first,
                          int m, int n_equations, Integration *result);

#endif
