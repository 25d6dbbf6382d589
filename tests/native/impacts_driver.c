/* Impacts of the point masses: speeds and impulses, and which rows are active after them. The argument "counted" counts an event of FLOOR
 * first, each time. */
#include "contacts.h"
#include "event_table.h"
#include "impact.h"
#include "point_masses.h"
#include "unilateral_rows.h"

#include <stdlib.h>
#include <string.h>

int main(int n_arguments, char **arguments) {
    int n_counted = 0;
    while (n_counted + 1 < n_arguments && !strcmp(arguments[n_counted + 1], "counted"))
        n_counted++;
    State *state = state_of_settings(n_arguments - n_counted, arguments + n_counted);
    ContactWork *work = create_contact_work(&point_masses);
    Integration result = {.outcome = INTEGRATED};
    int has_changed = 0, active[N_CONTACTS];
    for (int i = 0; i < n_counted; i++)
        count_contact_event(&point_masses, state, FLOOR, 0);
    int outcome = resolve_contacts(&point_masses, state, work, &has_changed, &result);
    for (int i = 0; i < N_CONTACTS; i++)
        active[i] = state->w[IS_EQUATION + i] != 0;
    print_integers("outcome", 1, &outcome);
    print_integers("culprit", 1, &result.culprit);
    print_integers("has_changed", 1, &has_changed);
    print_integers("active", N_CONTACTS, active);
    print_numbers("u", N_SPEEDS, state->w + U);
    print_numbers("impulses", N_ROWS, state->w + IMPULSE);
    free_contact_work(work);
    free(state);
    return 0;
}
