/* Moments of friction of contacts: against spin about the normal (drilling) and against rolling.
 *
 * A moment is a friction of its own, as that of the slip: |m| <= mu N at rest, else m = -mu N w / |w|, with the normal force N of its
 * contact, mu in m and the relative angular velocity w along the normal or along both tangents. In the program of friction it is a contact
 * of three rows whose normal is no row of the model but its load: a row with a column of its own, l, and a = -l^2 N, whose multiplier is N.
 * The loads are those of the last solution; the program is solved again until they no longer change. They change little: a moment mu N acts
 * on a normal as a force at the arm mu, which is small beside the body; where it is not, only a part of the changes is taken. Moments thus
 * need no other program, and slip, spin and rolling are independent of each other: each dissipates.
 *
 * Source: Leine, Glocker, A set-valued force law for spatial Coulomb-Contensou friction, Eur. J. Mech. A 22 (2003), where slip and spin are
 * coupled, as under a pressure over a patch; several points of contact do that here. */
#ifndef MOBOD_FRICTION_MOMENTS_H
#define MOBOD_FRICTION_MOMENTS_H

#include "chosen_friction.h"
#include "rows.h"

/* the largest number of rows of a problem: rows of the model, second tangents of contacts that have one, and loads of moments */
int most_selected_rows(const Model *model);

/* Add the selected moments of contacts to the m selected rows, and the columns of their loads to work->width; returns the new number. */
int list_moments(const Model *model, ContactWork *work, int m);

/* the column of a row that is a load, by its number in work->row_numbers; -1: it is none */
int column_of_load(const RowTable *table, const ContactWork *work, int number);

/* After the other rows: write the rows of loads into work->B, as long as the longest row of their moments. */
void write_loads_of_moments(const Model *model, ContactWork *work);

/* Solve the problem, with loads that belong to its solution. Returns as solve_friction_islands, and ROWS_NOT_CERTIFIED if the loads do not
 * settle. */
int solve_with_moments(const Model *model, ContactWork *work, const RowProblem *problem);

#endif
