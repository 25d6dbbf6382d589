/* One part of a problem with friction in lanes, in n columns, of which entries and limits are set. Included by files that define
 * MOBOD_LANES. lanes: a condition, those that take part. */
#ifndef MOBOD_LANES_FRICTION_PART_H
#define MOBOD_LANES_FRICTION_PART_H

#include "lanes_friction.h"

/* y [n]: the sum of rows times multipliers. Both return the lanes that are solved. By its rows; row [n] is a workspace: */
Number solve_part(FrictionInLanes *part, Number lanes, Number *row, Number *y, int n);
/* and one that is solved by dimensions, whose start is accepted (solve_from_start) */
Number accept_start(FrictionInLanes *part, Number lanes, Number *y, int n);

#endif
