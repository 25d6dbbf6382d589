#include "run_warnings.h"

#include "logging.h"
#include "tree.h"

#include <math.h>

static double length_of(const double *v) { return sqrt(v[0] * v[0] + v[1] * v[1] + v[2] * v[2]); }

/* whether the log has a message on the frame now */
static int logs_deformation(Instance *instance, const Deformation *deformation) {
    const double *w = instance->state->w, *moved = w + deformation->at;
    const double turn = length_of(moved), displacement = length_of(moved + 3);
    const int is_turn = turn > deformation->largest_turn;
    if (!is_turn && !(displacement > deformation->largest_displacement))
        return 0;
    log_warning(instance,
                "at time %.15g s '%s' is %s by %.3g %s by the deformation of '%s'. %s to about %.3g %s: take several flexible bodies "
                "in a row. Later deformations are not logged.",
                w[instance->model->time_at], deformation->frame, is_turn ? "turned" : "displaced", is_turn ? turn : displacement,
                is_turn ? "rad" : "m", deformation->body, deformation->theory,
                is_turn ? deformation->largest_turn : deformation->largest_displacement, is_turn ? "rad" : "m");
    return 1;
}

/* whether the log has a message on the body now */
static int logs_spin(Instance *instance, const Spin *spin) {
    const double *w = instance->state->w;
    const double speed = length_of(w + spin->at), first = spin->first * sqrt(w[spin->scale_at]);
    if (!(speed > spin->largest * first))
        return 0;
    log_warning(instance,
                "at time %.15g s '%s' turns at %.3g rad/s, %.2g of its first angular frequency, %.3g rad/s, without geometric stiffening: "
                "its deflections are not reliable. Take several flexible bodies in a row. Later fast rotations are not logged.",
                w[instance->model->time_at], spin->body, speed, speed / first, first);
    return 1;
}

void warn_of_deformations(Instance *instance) {
    const Model *model = instance->model;
    const Interface *interface = instance->interface;
    State *state = instance->state;
    const int n_deformations = instance->has_warned_of_deformations ? 0 : interface->n_deformations;
    const int n_spins = instance->has_warned_of_spins ? 0 : interface->n_spins;
    if (n_deformations + n_spins == 0 || !logs(instance, LOG_WARNING))
        return;
    realize(model, state, n_spins ? STAGE_VELOCITY : STAGE_POSITION);
    if (state->stopped)
        return;
    for (int i = 0; i < n_deformations && !instance->has_warned_of_deformations; i++)
        instance->has_warned_of_deformations = logs_deformation(instance, interface->deformations + i);
    for (int i = 0; i < n_spins && !instance->has_warned_of_spins; i++)
        instance->has_warned_of_spins = logs_spin(instance, interface->spins + i);
}

void warn_of_depths(Instance *instance) {
    const Interface *interface = instance->interface;
    const double *w = instance->state->w;
    if (instance->has_warned_of_depths || !logs(instance, LOG_WARNING))
        return;
    for (int i = 0; i < interface->n_depths && !instance->has_warned_of_depths; i++) {
        const PressedDepth *depth = interface->depths + i;
        if (!(w[depth->at] > depth->largest))
            continue;
        instance->has_warned_of_depths = 1;
        log_warning(
            instance,
            "at time %.15g s compliant contact '%s' has been %.3g m deep, %.2g of the size of its smaller shape. Deeper than %g of it "
            "the energy is not kept where other features of the shapes begin to press: take a stiffer material. Later depths are "
            "not logged.",
            w[instance->model->time_at], depth->name, w[depth->at + 1], w[depth->at], depth->largest);
    }
}

void warn_of_jams(Instance *instance) {
    const State *state = instance->state;
    if (state->jammed_steps == 0 || instance->has_warned_of_jams || !logs(instance, LOG_WARNING))
        return;
    instance->has_warned_of_jams = 1;
    log_warning(instance,
                "at time %.15g s bodies jam: their contacts contradict each other in this step, so that it keeps gaps which they close in "
                "it, or has no bounces. A body may stop short of a contact, by its speed times the step. Later jams are counted alone.",
                state->first_jam);
}
