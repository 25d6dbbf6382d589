#include "set_between_steps.h"
#include "auto_updates.h"
#include "unilateral_rows.h"

#include <string.h>

int set_number(const Model *model, State *state, int at, double value, int stage) {
    /* compared as bits, since 0 == -0 */
    if (memcmp(state->w + at, &value, sizeof value) == 0)
        return 0;
    state->w[at] = value;
    note_change(model, state, stage);
    return 1;
}

Projection project_what_was_set(const Model *model, State *state, EventWork *events) {
    if (model->contacts) {
        release_contacts(model, state);
        events->resolves_contacts = 1;
    }
    Projection projection = project(model, state, state->constraint_tolerance);
    if (projection.is_done && !state->stopped)
        state->was_set = 0;
    return projection;
}
