/* Unilateral rows of the point masses: their matrix, free accelerations and forces, which of them press, and impulses along them. */
#include "point_masses.h"
#include "tree.h"
#include "unilateral_rows.h"

#include <stdlib.h>

int main(int n_arguments, char **arguments) {
    State *state = state_of_settings(n_arguments, arguments);
    ContactWork *work = create_contact_work(&point_masses);
    Integration result = {.outcome = INTEGRATED};
    int chosen[N_CONTACTS], n_equations;
    read_existing(state, chosen);
    realize(&point_masses, state, STAGE_ACCELERATION);

    /* the problem of all rows that exist */
    int m = assemble_rows(&point_masses, state, work, chosen, NULL, ROWS_OF_ALL_LEVELS, &n_equations);
    double energy = read_free_accelerations(&point_masses, state, work, m), products[N_ROWS * N_ROWS], unit[N_ROWS];
    for (int i = 0; i < m; i++) {
        unit[i] = i + 1;
        for (int k = 0; k < m; k++)
            products[i * m + k] = dot_along_pattern(work->patterns + i, row_of_B(work, i), row_of_B(work, k));
    }
    print_integers("rows", m, work->row_numbers);
    print_integers("n_equations", 1, &n_equations);
    print_numbers("matrix", m * m, products);
    print_numbers("free", m, work->a);
    int outcome = solve_unilateral(&point_masses, state, work, m, n_equations, NULL, &result);
    print_integers("outcome", 1, &outcome);
    print_integers("culprit", 1, &result.culprit);
    if (outcome == INTEGRATED) {
        int presses[N_ROWS];
        for (int i = n_equations; i < m; i++)
            presses[i - n_equations] = is_pressing(work, i, energy);
        print_numbers("multipliers", m, work->rows.multipliers);
        print_integers("presses", m - n_equations, presses);
    }

    /* the change of speeds by the impulses 1, 2, ... */
    double before[N_SPEEDS];
    for (int i = 0; i < N_SPEEDS; i++)
        before[i] = state->w[U + i];
    apply_impulses(&point_masses, state, work, m, unit);
    for (int i = 0; i < N_SPEEDS; i++) {
        double after = state->w[U + i];
        state->w[U + i] = before[i];
        before[i] = after - before[i];
    }
    print_numbers("du", N_SPEEDS, before);

    /* the forces of the rows that press, as equations of a State */
    outcome = find_pressing(&point_masses, state, work, chosen, &result);
    if (outcome == INTEGRATED) {
        activate_contacts(&point_masses, state, work->pressing);
        realize(&point_masses, state, STAGE_ACCELERATION);
        print_integers("pressing", N_CONTACTS, work->pressing);
        print_numbers("state_multipliers", N_ROWS, state->w + MULTIPLIERS);
        print_numbers("u_dot", N_SPEEDS, state->w + U_DOT);
    }
    free_contact_work(work);
    free(state);
    return 0;
}
