#include "deformation_warnings.h"

#include "logging.h"
#include "tree.h"

#include <math.h>

static double length_of(const double *v) { return sqrt(v[0] * v[0] + v[1] * v[1] + v[2] * v[2]); }

void warn_of_deformations(Instance *instance) {
    const Model *model = instance->model;
    const Interface *interface = instance->interface;
    State *state = instance->state;
    if (!interface->n_deformations || instance->has_warned_of_deformations || !logs(instance, LOG_WARNING))
        return;
    realize(model, state, STAGE_POSITION);
    if (state->stopped)
        return;
    for (int i = 0; i < interface->n_deformations; i++) {
        const Deformation *deformation = interface->deformations + i;
        const double *moved = state->w + deformation->at;
        const double turn = length_of(moved), displacement = length_of(moved + 3);
        const int is_turn = turn > deformation->largest_turn;
        if (!is_turn && !(displacement > deformation->largest_displacement))
            continue;
        instance->has_warned_of_deformations = 1;
        log_warning(instance,
                    "at time %.15g s '%s' is %s by %.3g %s by the deformation of '%s'. %s to about %.3g %s: take several flexible bodies "
                    "in a row. Later deformations are not logged.",
                    state->w[model->time_at], deformation->frame, is_turn ? "turned" : "displaced", is_turn ? turn : displacement,
                    is_turn ? "rad" : "m", deformation->body, deformation->theory,
                    is_turn ? deformation->largest_turn : deformation->largest_displacement, is_turn ? "rad" : "m");
        return;
    }
}
