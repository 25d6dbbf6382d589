#include "velocity_level_work.h"

#include "chosen_friction.h"
#include "events.h"
#include "friction_table.h"
#include "rows.h"
#include "samples_of_step.h"
#include "unilateral_rows.h"

#include <stdlib.h>

VelocityLevelWork *create_velocity_level_work(const Model *model) {
    const RowTable *table = model->rows;
    size_t n = (size_t)n_contacts(model), n_soft = (size_t)n_compliant(model), m = table ? (size_t)table->n_rows : 0;
    size_t nu = table ? (size_t)table->nu : 0, n_joints = table ? (size_t)table->n_joints : 0, n_y = (size_t)y_size(model);
    size_t n_parts = table ? (size_t)most_selected_rows(model) : 0, n_carried = 3 * (size_t)n_frictions(model);
    VelocityLevelWork *work = calloc(1, sizeof *work);
    if (!work)
        return NULL;
    work->reals = calloc(9 * n + 7 * n_soft + 5 * m + 6 * n_joints + 3 * nu + 3 * n_y + n_joints + 7 * n_parts + 1, sizeof(double));
    work->integers = calloc(3 * n + n_soft + n_carried + n_joints + nu + n_parts + 1, sizeof(int));
    work->rows = table ? create_contact_work(model) : NULL;
    work->events = has_samples(model) ? create_event_work(model, NULL) : NULL;
    if (!work->reals || !work->integers || (table && !work->rows) || (has_samples(model) && !work->events)) {
        free_velocity_level_work(work);
        return NULL;
    }
    work->free = work->reals;
    work->least = work->free + n;
    work->target = work->least + n;
    work->captured = work->target + n;
    work->slowest = work->captured + n;
    work->leans = work->slowest + n;
    work->rates = work->leans + 2 * n;
    work->drifts = work->rates + m;
    work->ahead = work->drifts + m;
    work->V = work->ahead + m;
    work->accelerations = work->V + 6 * n_joints;
    work->y = work->accelerations + nu;
    work->start.y = work->y + n_y;
    work->start.distances = work->start.y + n_y;
    work->start.rates = work->start.distances + n;
    work->hits.before = work->start.rates + n;
    work->hits.of_parts = work->hits.before + n_joints;
    work->turns.impulses = work->hits.of_parts + n_parts;
    work->turns.rates = work->turns.impulses + m;
    work->turns.speeds = work->turns.rates + m;
    work->compliant.removed = work->turns.speeds + nu;
    work->compliant.a = work->compliant.removed + nu;
    work->compliant.R = work->compliant.a + n_soft;
    work->compliant.free = work->compliant.R + n_soft;
    work->compliant.distances = work->compliant.free + n_soft;
    work->compliant.rates = work->compliant.distances + n_soft;
    work->compliant.compliances = work->compliant.rates + n_soft;
    work->compliant.damping = work->compliant.compliances + n_soft;
    work->free_impacts.momenta = work->compliant.damping + n_soft;
    work->free_impacts.y = work->free_impacts.momenta + 6 * n_parts;
    work->chosen = work->integers;
    work->presses = work->chosen + n;
    work->hits.contacts = work->presses + n;
    work->start.taken = work->hits.contacts + n;
    work->compliant.chosen = work->start.taken + n_carried;
    work->free_impacts.part = work->compliant.chosen + n_soft;
    work->free_impacts.part_of_speed = work->free_impacts.part + n_joints;
    work->free_impacts.is_free = work->free_impacts.part_of_speed + nu;
    return work;
}

void free_velocity_level_work(VelocityLevelWork *work) {
    if (!work)
        return;
    free(work->reals);
    free(work->integers);
    free_contact_work(work->rows);
    free_event_work(work->events);
    free(work);
}
