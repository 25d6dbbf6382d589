#include "state_sizes.h"

double size_of_q(const Model *model, const State *state) { return 1 + largest_in_scales(model, state->w + model->y_at, 0, model->n_q); }

double size_of_u(const Model *model, const State *state) {
    return 1 + largest_in_scales(model, state->w + model->y_at, model->n_q, model->n_u);
}
