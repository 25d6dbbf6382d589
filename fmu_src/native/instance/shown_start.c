#include "shown_start.h"

#include "events.h"
#include "instance.h"
#include "logging.h"
#include "undo.h"

/* find the start without messages; 0 if there is none, and the State is then as it was */
static int try_start(Instance *instance) {
    const unsigned categories = instance->log_categories;
    EventWork *events = instance->work.events;
    save_w(instance);
    instance->log_categories = 0;
    if (events)
        events->is_preview = 1;
    Status status = find_start(instance);
    const int is_found = check_not_stopped(instance) == STATUS_OK && status == STATUS_OK;
    if (events)
        events->is_preview = 0;
    instance->log_categories = categories;
    if (!is_found)
        restore_w(instance);
    return is_found;
}

Status show_start(Instance *instance) {
    if (instance->state->mode != MODE_INITIALIZATION || instance->shown != START_NOT_SOUGHT)
        return STATUS_OK;
    if (try_start(instance)) {
        instance->shown = START_FOUND;
        return STATUS_OK;
    }
    instance->shown = START_NOT_FOUND;
    return log_warning(instance, "the values that were set give no start. Until others are set, values that are read are those that were "
                                 "set, and do not satisfy constraints. At the end of the initialization this is an error, which gives the "
                                 "reason.");
}
