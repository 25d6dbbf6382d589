/* Event mode: discrete values change, and the state with them. Of model exchange, and of co-simulation where the importer handles events.
 */
#ifndef MOBOD_EVENT_MODE_H
#define MOBOD_EVENT_MODE_H

#include "instance_data.h"

/* the changes by an update of discrete states, and the time of the next one */
typedef struct {
    int is_terminated;  /* an event has ended the simulation */
    int states_changed; /* y has changed */
    int has_next_time;
    double next_time; /* s, of the next event that is due at a known time */
} EventInfo;

void enter_event_mode(Instance *instance);

/* Process the events at the present time, once: no second update is needed. In model exchange, project the state onto its constraints
 * first. If it fails, nothing changes and the mode is MODE_ERROR. */
Status update_discrete_states(Instance *instance, EventInfo *info);

/* return to MODE_STEP or MODE_CONTINUOUS */
void leave_event_mode(Instance *instance);

#endif
