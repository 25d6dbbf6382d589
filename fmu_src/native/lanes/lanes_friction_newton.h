/* Newton's method on one part of a problem with friction in lanes. Included by files that define MOBOD_LANES. */
#ifndef MOBOD_LANES_FRICTION_NEWTON_H
#define MOBOD_LANES_FRICTION_NEWTON_H

#include "lanes_friction.h"

/* Newton's method from part->z, which changes, in lanes [a condition]; returns the lanes in which it ends with a solution. The others are
 * left to the scalar solver. */
Number newton_in_part(FrictionInLanes *part, Number lanes);

#endif
