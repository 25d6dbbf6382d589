/* Modes of friction of the point masses, of which all rows that exist are at rest, and the forces and accelerations with these modes. */
#include "chosen_friction.h"
#include "friction.h"
#include "point_masses.h"
#include "tree.h"
#include "unilateral_rows.h"

#include <stdlib.h>

int main(int n_arguments, char **arguments) {
    State *state = state_of_settings(n_arguments, arguments);
    ContactWork *work = create_contact_work(&point_masses);
    Integration result = {.outcome = INTEGRATED};
    int resting[N_CONTACTS], modes[N_FRICTIONS];
    read_existing(state, resting);
    int outcome = find_modes(&point_masses, state, work, resting, &result);
    for (int i = 0; i < N_FRICTIONS; i++)
        modes[i] = (int)state->w[MODE + i];
    print_integers("outcome", 1, &outcome);
    print_integers("modes", N_FRICTIONS, modes);
    print_integers("pressing", N_CONTACTS, work->pressing);
    print_numbers("direction", 2, state->w + DIRECTION);

    activate_contacts(&point_masses, state, work->pressing);
    apply_modes(&point_masses, state);
    realize(&point_masses, state, STAGE_ACCELERATION);
    print_numbers("multipliers", N_ROWS, state->w + MULTIPLIERS);
    print_numbers("u_dot", N_SPEEDS, state->w + U_DOT);
    free_contact_work(work);
    free(state);
    return 0;
}
