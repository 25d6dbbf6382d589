/* Whether dependent rows ask for accelerations that contradict each other.
 *
 * The criterion stands in engine/mobod/matter/constraint_consistency.py. */
#ifndef MOBOD_CONSISTENCY_H
#define MOBOD_CONSISTENCY_H

#include "rows.h"

#include <stddef.h>

/* With work->A of the n active rows, factored with this tolerance, some of which depend on others: whether they contradict each other. Then
 * work->misses has, for the rows that do, what the nearest accelerations miss. Uses up the factors. */
int find_contradictions(const RowTable *table, const double *w, RowWorkspace *work, int n, double tolerance);

/* Add a name, quoted and behind a comma, to a list of `length` characters, which is cut to `size`; how long it is then. */
size_t append_name(char *names, size_t size, size_t length, const char *name);

/* Whether the last solution for multipliers found rows that contradict each other: their constraints' names, quoted and separated by
 * commas, cut to `size`, and the largest miss. Wants w as that left it. */
int contradictions(const RowTable *table, double *w, char *names, size_t size, double *miss);

#endif
