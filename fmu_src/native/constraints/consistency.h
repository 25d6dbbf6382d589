/* Whether dependent rows require accelerations that contradict each other.
 *
 * engine/mobod/matter/constraint_rows/constraint_consistency.py describes the criterion. */
#ifndef MOBOD_CONSISTENCY_H
#define MOBOD_CONSISTENCY_H

#include "multiplier_arithmetic.h"
#include "rows.h"

#include <stddef.h>

/* Whether rows of a part contradict each other: A of its n active rows has been factored with this tolerance, and some of them depend on
 * others. Sets work->misses to the residuals of the contradicting rows for the nearest accelerations: those that exceed round-off and the
 * effect of the distance from the manifold. Overwrites the factors. */
int find_contradictions(const RowTable *table, const RowPart *part, const double *w, RowWorkspace *work, int n, WholeSystem whole);

/* Append a quoted name, after a comma, to a list of `length` characters that is cut to `size`. Returns the new length. */
size_t append_name(char *names, size_t size, size_t length, const char *name);

/* Whether the last solution for multipliers found contradicting rows. Writes the names of their constraints, quoted, separated by commas
 * and cut to `size`, and the largest residual. w must be unchanged since that solution. */
int contradictions(const RowTable *table, double *w, char *names, size_t size, double *miss);

/* whether contacts with friction, or dry friction that sticks, are among these rows; w likewise */
int is_friction_contradicting(const RowTable *table, double *w);

#endif
