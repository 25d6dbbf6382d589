/* By how much a projection onto the constraints has changed the values that were given. */
#ifndef MOBOD_START_CHANGES_H
#define MOBOD_START_CHANGES_H

#include "exported.h"

/* Which changes count, relative to scale + |value|. A projection onto constraints: more than LEAST_CHANGE times their tolerance; with the
 * default tolerance this is the accuracy of a step. A correction that moves coordinates into their limits: more than 1 / LARGE_CHANGE,
 * since limits have tolerances of their own, up to which overlaps are allowed. */
enum { LEAST_CHANGE = 10, LARGE_CHANGE = 100 };

/* The number of the entry that has changed most, relative to scale + |given|, of those that changed by more than `least`; -1: none.
 * scales [n], NULL: all are 1
 *
 * of_speeds: an entry that was 0 does not count, since it is the default: the speeds of a mechanism follow from those that were given. */
int largest_change(int n, const double *given, const double *now, const double *scales, double least, int of_speeds);

/* the same for rows [n_rows][n]; results: `largest` [n_rows] */
MOBOD_API void mobod_largest_changes(int n_rows, int n, const double *given, const double *now, const double *scales, double least,
                                     int of_speeds, int *largest);

#endif
