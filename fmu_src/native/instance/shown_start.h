/* What is read in Initialization Mode: the start of the run that follows from the values that were set.
 *
 * The first time that a computed value is read after values were set, the start is found: constraints are satisfied, and contacts are
 * decided, as when the initialization ends. It lies in Instance.state until the next value is set; then the values that were set are
 * restored. Events that are due at the start are not processed, and code of the host does not run for events. */
#ifndef MOBOD_SHOWN_START_H
#define MOBOD_SHOWN_START_H

#include "instance_data.h"

/* In Initialization Mode: have the State show the start. If there is none, a warning is logged once and returned, and the State keeps the
 * values that were set: the error is that of exit_initialization. In other modes, and if nothing was set since, STATUS_OK. */
Status show_start(Instance *instance);

#endif
