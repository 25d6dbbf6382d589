/* Warnings of what makes a run doubtful, each of which is logged once in a run. */
#ifndef MOBOD_RUN_WARNINGS_H
#define MOBOD_RUN_WARNINGS_H

#include "instance_data.h"

/* At the end of a step: log flexible bodies that leave the range of small deformation, or turn too fast for it; the first one of each kind.
 * Realizes STAGE_VELOCITY, which a kernel may stop: see check_not_stopped. */
void warn_of_deformations(Instance *instance);

/* At the end of a step: log the first compliant contact of convex shapes that overlap deeper than its forces keep the energy. Realizes
 * nothing. */
void warn_of_depths(Instance *instance);

/* At the end of a communication step: log the first step at velocity level in which bodies have jammed. */
void warn_of_jams(Instance *instance);

#endif
