#include "ensemble.h"
#include "lanes.h"

#include "elementary.h"

/* members that are advanced side by side */
typedef struct {
    int n;
    Member *members;
    int n_steps;
    LaneRun *runs; /* [n] */
    int n_taken;   /* members whose run was taken, or that have none */
    int has_begun; /* the call has begun for all */
    int any_left;  /* a member has another piece */
} Queue;

/* advance a member until a piece of it can be integrated side by side with others; returns 0 if there is none in this call */
static int prepare_piece(Member *member, int n_steps) {
    while (member->n_left > 0) {
        if (begin_piece(member, member->n_left))
            return 1;
        member->n_left = end_piece(member, member->progress.integration) ? 0 : steps_left(member, n_steps);
    }
    return 0;
}

static LaneRun *next_run(void *owner) {
    Queue *queue = owner;
    while (queue->n_taken < queue->n) {
        LaneRun *run = queue->runs + queue->n_taken;
        Member *member = queue->members + queue->n_taken++;
        if (!queue->has_begun)
            member->n_left = !member->has_ended && begin_call(member) ? steps_left(member, queue->n_steps) : 0;
        if (prepare_piece(member, queue->n_steps)) {
            *run = (LaneRun){.simulation = member->simulation,
                             .t_end = member->t_end,
                             .step_taken = member->step_taken,
                             .member = member,
                             .piece = member->piece};
            return run;
        }
    }
    return NULL;
}

static void end_run(void *owner, LaneRun *run) {
    Queue *queue = owner;
    Member *member = run->member;
    member->n_left = end_piece(member, run->result) ? 0 : steps_left(member, queue->n_steps);
    queue->any_left |= member->n_left > 0;
}

void ensemble_advance_in_lanes(Lanes *lanes, int n, Member *members, int n_steps, LaneRun *runs) {
    Queue queue = {.n = n, .members = members, .n_steps = n_steps, .runs = runs, .any_left = 1};
    const LaneRuns source = {&queue, next_run, end_run};
    for (; queue.any_left; queue.has_begun = 1) {
        queue.any_left = queue.n_taken = 0;
        (members[0].simulation->of_fixed_steps ? take_fixed_steps_side_by_side : integrate_side_by_side)(lanes, &source);
    }
}
