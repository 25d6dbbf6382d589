/* Warnings of flexible bodies that leave the range of small deformation, or turn too fast for it. */
#ifndef MOBOD_DEFORMATION_WARNINGS_H
#define MOBOD_DEFORMATION_WARNINGS_H

#include "instance_data.h"

/* Log the first one of each kind of a run, at the end of a step. Realizes STAGE_VELOCITY, which a kernel may stop: see check_not_stopped.
 */
void warn_of_deformations(Instance *instance);

#endif
