#include "lanes.h"

#include "elementary.h"

/* advance a member until a piece of it can be integrated side by side with others; returns 0 if there is none in this call */
static int prepare_piece(Member *member, int n_steps) {
    while (member->n_left > 0) {
        if (member->simulation->of_fixed_steps) {
            member->n_left = take_piece(member, member->n_left) ? 0 : steps_left(member, n_steps);
            continue;
        }
        if (begin_piece(member, member->n_left))
            return 1;
        member->n_left = end_piece(member, member->progress.integration) ? 0 : steps_left(member, n_steps);
    }
    return 0;
}

void ensemble_advance_in_lanes(Lanes *lanes, int n, Member *members, int n_steps, LaneRun *runs) {
    for (int i = 0; i < n; i++)
        members[i].n_left = !members[i].has_ended && begin_call(members + i) ? steps_left(members + i, n_steps) : 0;
    for (;;) {
        int n_runs = 0;
        for (int i = 0; i < n; i++)
            if (prepare_piece(members + i, n_steps))
                runs[n_runs++] = (LaneRun){.simulation = members[i].simulation,
                                           .t_end = members[i].t_end,
                                           .step_taken = members[i].step_taken,
                                           .member = members + i};
        if (!n_runs)
            return;
        integrate_side_by_side(lanes, n_runs, runs);
        for (int i = 0; i < n_runs; i++) {
            Member *member = runs[i].member;
            member->n_left = end_piece(member, runs[i].result) ? 0 : steps_left(member, n_steps);
        }
    }
}
