/* Sees to it that Python runs in this process. */
#ifndef MOBOD_LOADER_START_PYTHON_H
#define MOBOD_LOADER_START_PYTHON_H

#include "message.h"

/* Start Python, unless it runs already. slave is the path of slave.py in the FMU. Returns 0, with a fault, if this is not possible.
 *
 * A Python that was started here is never finalized, since NumPy and SciPy do not survive that in another thread than the one that
 * imported them. The thread that calls keeps its thread state, which makes its later calls cheaper. */
int start_python(const char *slave, Message *fault);

/* Instances of all FMUs are made one after the other, in calls between these two: each changes sys.path, which no other thread may search
 * meanwhile. */
void begin_instance(void);
void end_instance(void);

/* describe the Python that runs */
void describe_python(Message *message);

#endif
