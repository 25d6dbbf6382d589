#include "contact_moves.h"

#include "elementary.h"
#include "rest_of_contacts.h"
#include "state_sizes.h"

/* relative to the largest change of a coordinate or of a speed: round-off of a projection */
static const double NO_MOTION = 1e-9;

static double largest_of(const double *numbers, int n) {
    double largest = 0;
    for (int i = 0; i < n; i++)
        largest = fmax(largest, fabs(numbers[i]));
    return largest;
}

/* 1: the changes open a contact, -1: they close it, 0: neither, or it is not at its bound. A distance that does not change is decided by
 * its rate, if the contact is at rest. */
static int move_of(const Model *model, const State *state, const double *dw, const Contact *contact, int of_fixed_steps,
                   double least_motion, double least_acceleration) {
    const double *w = state->w;
    const double allowed = tolerance_of_distance(model, state, contact) + resolution_of(model, state, contact);
    const int exists = of_fixed_steps ? row_exists_in_fixed_steps(state, contact) : row_exists(state, contact);
    if (!exists || w[contact->distance] > allowed)
        return 0;
    if (fabs(dw[contact->distance]) > least_motion)
        return dw[contact->distance] > 0 ? 1 : -1;
    if (fabs(dw[contact->rate]) > least_acceleration && fabs(w[contact->rate]) <= rest_speed(model, state, contact))
        return dw[contact->rate] > 0 ? 1 : -1;
    return 0;
}

Moves moves_of_contacts(const Model *model, const State *state, const double *dw, int of_fixed_steps) {
    const double *d_y = dw + model->y_at;
    const double least_motion = NO_MOTION * largest_of(d_y, model->n_q), least = NO_MOTION * largest_of(d_y + model->n_q, model->n_u);
    Moves moves = {NULL, NULL};
    for (int i = 0; i < n_contacts(model); i++) {
        const Contact *contact = model->contacts->contacts + i;
        int move = move_of(model, state, dw, contact, of_fixed_steps, least_motion, least);
        if (move > 0 && !moves.opening)
            moves.opening = contact;
        if (move < 0 && !moves.closing)
            moves.closing = contact;
    }
    return moves;
}
