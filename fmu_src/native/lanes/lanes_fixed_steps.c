/* Fixed steps at velocity level of several runs: which runs are in the lanes, and which steps are taken alone. */
#define MOBOD_LANES MOBOD_WIDTH /* of this library */
#include "lanes_velocity_level.h"

#include "event_times.h"
#include "samples_of_step.h"

/* steps that a run takes alone after one that a lane could not take; twice as many each time, so that runs which always need other work
 * cost little more than alone */
enum { LEAST_PATIENCE_OF_LANES = 1, MOST_PATIENCE_OF_LANES = 64 };

static int is_done(const LaneRun *run) { return run->result.outcome != INTEGRATED || run->piece.first > run->piece.last; }

/* whether the steps of a run may be taken in the lanes; the first run decides which steps these are */
static int is_suitable(Lanes *lanes, const LaneRun *run) {
    const Simulation *simulation = run->simulation;
    const FixedSteps *own = &simulation->fixed_steps;
    if (simulation->state->hooks || simulation->state->inputs || simulation->changes ||
        simulation->state->impacts != IMPACTS_SIMULTANEOUS || !can_step_in_lanes(simulation->model, own))
        return 0;
    if (!lanes->fixed_step)
        lanes->fixed_step = create_step_in_lanes(simulation->model, own);
    const FixedSteps *settings = lanes->fixed_step ? &lanes->fixed_step->settings : NULL;
    return settings && own->engagement == settings->engagement && own->constraints_at == settings->constraints_at &&
           own->position_iterations == settings->position_iterations;
}

/* Take the next steps of a run alone, from the State, whose numbers are those at the end of the last step. */
static void take_alone(Lanes *lanes, LaneRun *run, int64_t n) {
    Simulation *simulation = run->simulation;
    const int64_t left = run->piece.last - run->piece.first + 1, count = n < left ? n : left;
    const Integration taken = take_fixed_steps(simulation->model, simulation->state, &simulation->fixed_steps, simulation->of_fixed_steps,
                                               run->piece.t_start, run->piece.t_end, run->piece.first, run->piece.first + count - 1);
    const int64_t n_steps = run->result.n_steps + taken.n_steps, n_evaluations = run->result.n_evaluations + taken.n_evaluations;
    lanes->n_alone += taken.n_steps;
    run->piece.first += count;
    run->result = taken;
    run->result.n_steps = n_steps;
    run->result.n_evaluations = n_evaluations;
}

/* copy numbers of a run to its lane */
static void copy_to_lane(Lanes *lanes, int k, const double *w, int first, int end) {
    for (int i = first; i < end; i++)
        lanes->w[i][k] = w[i];
}

/* A run takes a lane: its numbers that are not computed. The others are computed again in all lanes. */
static void enter(Lanes *lanes, int k, LaneRun *run) {
    const Simulation *simulation = run->simulation;
    const Model *model = simulation->model;
    StepInLanes *step = lanes->fixed_step;
    copy_to_lane(lanes, k, simulation->state->w, 0, model->computed_at);
    copy_to_lane(lanes, k, simulation->state->w, model->y_start_at, model->scratch_at);
    for (int i = 0; i < n_contacts(model); i++)
        step->tolerances[i][k] = simulation->fixed_steps.tolerances[i];
    lanes->tolerance[k] = simulation->state->tolerance;
    lanes->constraint_tolerance[k] = simulation->state->constraint_tolerance;
    lanes->lanes[k] = (Lane){.run = run, .has_numbers = 1};
    lanes->realized = STAGE_TOPOLOGY;
}

/* let runs begin until one takes lane k, or there are no more */
static void begin_runs(Lanes *lanes, int k) {
    const LaneRuns *runs = lanes->runs;
    LaneRun *run;
    while (!lanes->lanes[k].run && (run = runs->next(runs->owner))) {
        run->result = (Integration){.outcome = INTEGRATED, .step_size = run->simulation->fixed_steps.step};
        run->n_steps = count_fixed_steps(&run->simulation->fixed_steps, run->piece.t_start, run->piece.t_end);
        run->patience = LEAST_PATIENCE_OF_LANES;
        if (is_done(run) || !is_suitable(lanes, run)) {
            take_alone(lanes, run, run->piece.last);
            runs->has_ended(runs->owner, run);
        } else {
            enter(lanes, k, run);
        }
    }
}

/* copy the numbers of a lane to one that has never had a run, so that its results are ordinary */
static void fill_lanes(Lanes *lanes, int from) {
    const Model *model = lanes->table->model;
    for (int k = 0; k < MOBOD_LANES; k++) {
        if (lanes->lanes[k].has_numbers)
            continue;
        lanes->lanes[k].has_numbers = 1;
        for (int i = 0; i < model->computed_at; i++)
            lanes->w[i][k] = lanes->w[i][from];
        for (int i = model->y_start_at; i < model->scratch_at; i++)
            lanes->w[i][k] = lanes->w[i][from];
        for (int i = 0; i < n_contacts(model); i++)
            lanes->fixed_step->tolerances[i][k] = lanes->fixed_step->tolerances[i][from];
        lanes->tolerance[k] = lanes->tolerance[from];
        lanes->constraint_tolerance[k] = lanes->constraint_tolerance[from];
        lanes->step[k] = lanes->step[from];
        lanes->t[k] = lanes->t[from];
        lanes->t_new[k] = lanes->t_new[from];
    }
}

/* whether a sample is due at the end of the next step of a lane, which the run then takes alone */
static int has_due_sample(const Lanes *lanes, int k) {
    const Model *model = lanes->table->model;
    for (int i = 0; lanes->fixed_step->has_samples && i < model->events->n; i++) {
        const Event *event = model->events->events + i;
        if (event->cause == CAUSE_SAMPLE &&
            is_due_at_end_of_fixed_step(lanes->w[event->memory + MEMORY_NEXT][k], lanes->t_new[k], lanes->step[k]))
            return 1;
    }
    return 0;
}

/* the times of the next step of a lane */
static void plan(Lanes *lanes, int k) {
    Lane *lane = lanes->lanes + k;
    const LaneRun *run = lane->run;
    const FixedPiece *piece = &run->piece;
    lanes->t[k] = lanes->w[lanes->table->model->time_at][k];
    lanes->t_new[k] = end_of_step(&run->simulation->fixed_steps, piece->t_start, piece->t_end, run->n_steps, piece->first);
    lanes->step[k] = lanes->t_new[k] - lanes->t[k];
    lane->is_unusual = has_due_sample(lanes, k);
}

/* Undo the step of a lane, and take it alone, with some of the next ones; then the run goes on in its lane, if it is not done. */
static void step_alone(Lanes *lanes, int k) {
    LaneRun *run = lanes->lanes[k].run;
    write_changed(lanes, lanes->fixed_step, k, 1);
    take_alone(lanes, run, run->patience);
    run->patience = run->patience < MOST_PATIENCE_OF_LANES ? 2 * run->patience : MOST_PATIENCE_OF_LANES;
    if (is_done(run))
        return;
    read_changed(lanes, lanes->fixed_step, k);
}

/* complete the step of a lane */
static void complete(Lanes *lanes, int k) {
    LaneRun *run = lanes->lanes[k].run;
    if (lanes->lanes[k].is_unusual) {
        step_alone(lanes, k);
    } else {
        lanes->n_in_lanes++;
        run->patience = LEAST_PATIENCE_OF_LANES;
        run->result.n_steps++;
        run->result.n_evaluations++;
        run->piece.first++;
        if (lanes->fixed_step->has_samples)
            lanes->w[lanes->table->model->events->shared + SHARED_UNTIL][k] = lanes->t_new[k];
        if (is_done(run))
            write_changed(lanes, lanes->fixed_step, k, 0);
    }
    if (!is_done(run))
        return;
    lanes->lanes[k].run = NULL;
    lanes->runs->has_ended(lanes->runs->owner, run);
}

void take_fixed_steps_side_by_side(Lanes *lanes, const LaneRuns *runs) {
    lanes->runs = runs;
    for (int k = 0; k < MOBOD_LANES; k++)
        lanes->lanes[k] = (Lane){.run = NULL};
    for (;;) {
        int from = -1;
        for (int k = 0; k < MOBOD_LANES; k++) {
            begin_runs(lanes, k);
            if (!lanes->lanes[k].run)
                continue;
            plan(lanes, k);
            from = k;
        }
        if (from < 0)
            return;
        fill_lanes(lanes, from);
        step_in_lanes(lanes, lanes->fixed_step);
        for (int k = 0; k < MOBOD_LANES; k++)
            if (lanes->lanes[k].run)
                complete(lanes, k);
    }
}
