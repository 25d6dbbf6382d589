/* The unknowns of a step of Newton's method on the natural map, and its known part. */
#ifndef MOBOD_FRICTION_UNKNOWNS_H
#define MOBOD_FRICTION_UNKNOWNS_H

#include "friction_rows.h"

/* Multipliers of single rows, whose equation is that of the row; normals, which change tangents and moments that slip, too, and whose
 * equation is that of the normal; and changes of the tangents across the slip, whose equation is r across the slip. */
enum { SINGLE, NORMAL, ACROSS };

/* add an unknown to the first n, with its factors of the three rows; returns the new number */
int add_unknown(FrictionRows *rows, int n, int kind, int row, double first, double second, double third);

/* set the unknowns of a step, and its known part dz; returns their number */
int find_unknowns(FrictionRows *rows);

/* the entry of v [m] that belongs to the equation of an unknown */
static inline double in_equation(const FrictionRows *rows, int unknown, const double *v) {
    const double *at = v + rows->place[unknown], *factor = rows->factors + 3 * unknown;
    return rows->kind[unknown] == ACROSS ? factor[0] * (factor[1] * at[1] + factor[2] * at[2]) : at[0];
}

/* the contact that an unknown with friction belongs to */
static inline int contact_of_unknown(const FrictionRows *rows, int unknown) { return (rows->place[unknown] - rows->n_boxes) / 3; }

#endif
