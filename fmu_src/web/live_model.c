#include "live_model.h"

#include "auto_updates.h"
#include "elementary.h"
#include "events.h"
#include "failure_messages.h"
#include "instance.h"
#include "jacobian.h"
#include "logging.h"
#include "pull.h"
#include "read_blob.h"
#include "run_warnings.h"
#include "set_between_steps.h"
#include "stepwise.h"
#include "tree.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { LONGEST_MESSAGE = 1100 };

/* the model and its run; all NULL before live_open */
static struct {
    Blob *tables;
    const Model *model;
    const Interface *interface;
    Pulls *pulls;
    Simulation *simulation;
    State *seen;                                                               /* the copy of the State that is computed for live_numbers */
    int is_seen_old;                                                           /* it is that of an earlier State */
    int has_warned_of_deformations, has_warned_of_spins, has_warned_of_depths; /* in this run */
    int has_warned_of_jams;                                                    /* the same */
    int *events;                                                               /* how often each was handled */
} live;

static char message[LONGEST_MESSAGE], warning[LONGEST_MESSAGE];

/* ---- messages ---- */

static int fail(const char *why) {
    snprintf(message, sizeof message, "%s", why);
    return 0;
}

static void take_message(const Importer *importer, const char *name, Status status, const char *category, const char *text) {
    (void)importer;
    (void)name;
    (void)category;
    snprintf(status == STATUS_WARNING ? warning : message, LONGEST_MESSAGE, "%s", text);
}

/* what the functions of failure_messages.h read of an instance of an FMU */
static Instance as_instance(void) {
    State *before = live.simulation->before;
    return (Instance){.model = live.model,
                      .interface = live.interface,
                      .importer = {.log_message = take_message},
                      .log_categories = LOG_ALWAYS,
                      .call = "run",
                      .w_before = before ? before->w : live.simulation->state->w,
                      .of_fixed_steps = live.simulation->of_fixed_steps,
                      .state = live.simulation->state};
}

/* the result of a part of the run; after a failure live_message describes it */
static int has_failed(const Progress *progress) {
    if (progress->integration.outcome == INTEGRATED)
        return 0;
    Instance instance = as_instance();
    fail("run: the integration has failed.");
    if (check_not_stopped(&instance) == STATUS_OK)
        log_failure(&instance, &progress->integration, log_error);
    return 1;
}

const char *live_message(void) { return message; }

const char *live_warning(void) { return warning; }

/* ---- the model ---- */

void *live_allocate(size_t size) { return malloc(size); }

void live_release(void *memory) { free(memory); }

static void close_simulation(void) {
    if (live.simulation)
        simulation_close(live.simulation);
    live.simulation = NULL;
}

static int close_all(void) {
    close_simulation();
    free_pulls(live.pulls);
    free_blob(live.tables);
    free(live.seen);
    free(live.events);
    memset(&live, 0, sizeof live);
    return 0;
}

int live_open(const char *bytes, size_t size, int pull_at) {
    const char *fault;
    close_all();
    live.tables = read_blob(bytes, size, &fault);
    if (!live.tables) {
        snprintf(message, sizeof message, "the tables of the model cannot be used: %s.", fault ? fault : "there is no memory for them");
        return 0;
    }
    live.model = model_of_blob(live.tables);
    live.interface = interface_of_blob(live.tables);
    live.pulls = find_pulls(live.model, pull_at);
    live.seen = malloc(state_size(live.model));
    live.events = calloc((size_t)live_n_events() + 1, sizeof(int));
    if (!live.pulls || !live.seen || !live.events) {
        close_all();
        return fail("there is no memory for the model.");
    }
    return live_reset() || close_all();
}

/* ---- the run ---- */

static int count_event(void *observer, int number, int direction, int is_done) {
    (void)observer;
    (void)direction;
    live.events[number] += is_done;
    return 1;
}

/* a simulation with the settings of the tables; 0 if memory is exhausted */
static int open_simulation(void) {
    const Interface *interface = live.interface;
    const double *numbers = interface->numerics, largest = numbers[NUMERICS_LARGEST_STEP];
    const FixedSteps *steps = interface->fixed_steps;
    Simulation *simulation = live.simulation =
        simulation_open(live.model, live.model->start, (int)numbers[NUMERICS_INTEGRATOR], numbers[NUMERICS_TOLERANCE],
                        numbers[NUMERICS_CONSTRAINT_TOLERANCE], largest > 0 ? largest : INFINITY, numbers[NUMERICS_FIXED_STEP],
                        (int64_t)numbers[NUMERICS_MAX_STEPS], interface->impacts);
    if (!simulation)
        return 0;
    simulation_set_hook(simulation, count_event, NULL);
    return simulation_set_tangents(simulation, live.model->tangents, 0) &&
           (!steps || simulation_fix_steps(simulation, steps->step, (int)steps->engagement, (int)steps->constraints_at,
                                           steps->position_iterations, steps->tolerances));
}

int live_reset(void) {
    if (!live.tables)
        return fail("no model is open.");
    close_simulation();
    live.is_seen_old = 1;
    message[0] = warning[0] = '\0';
    live.has_warned_of_deformations = live.has_warned_of_spins = live.has_warned_of_depths = live.has_warned_of_jams = 0;
    memset(live.events, 0, ((size_t)live_n_events() + 1) * sizeof(int));
    if (!open_simulation()) {
        close_simulation();
        return fail("there is no memory for a run.");
    }
    if (live.interface->fixed_steps) {
        const Progress progress = simulation_begin_fixed_steps(live.simulation);
        return !has_failed(&progress);
    }
    const Progress begun = simulation_begin(live.simulation);
    if (has_failed(&begun))
        return 0;
    const Progress processed = simulation_process_events(live.simulation);
    return !has_failed(&processed);
}

double live_time(void) { return live.simulation ? simulation_time(live.simulation) : NAN; }

double live_end_near(double t_end) { return live.simulation ? simulation_end_near(live.simulation, t_end) : t_end; }

static int failed_step(void) {
    simulation_undo(live.simulation);
    return LIVE_FAILED;
}

/* of the copy that is shown, so that the run keeps its bits */
static void warn_of_the_shown_state(void) {
    if (live.interface->n_deformations + live.interface->n_spins + live.interface->n_depths == 0 || !live_numbers(STAGE_VELOCITY))
        return;
    Instance instance = as_instance();
    instance.state = live.seen;
    instance.has_warned_of_deformations = live.has_warned_of_deformations;
    instance.has_warned_of_spins = live.has_warned_of_spins;
    instance.has_warned_of_depths = live.has_warned_of_depths;
    warn_of_deformations(&instance);
    warn_of_depths(&instance);
    live.has_warned_of_depths = instance.has_warned_of_depths;
    live.has_warned_of_deformations = instance.has_warned_of_deformations;
    live.has_warned_of_spins = instance.has_warned_of_spins;
}

/* the end of a step, at its time or by an event */
static int end_step(int result) {
    warn_of_the_shown_state();
    Instance instance = as_instance();
    instance.has_warned_of_jams = live.has_warned_of_jams;
    warn_of_jams(&instance);
    live.has_warned_of_jams = instance.has_warned_of_jams;
    return log_noted_impacts(&instance) == STATUS_OK ? result : failed_step();
}

int live_begin_step(double t_end, int n_steps) {
    if (!live.simulation)
        return fail("no model is open."), LIVE_FAILED;
    if (live_ended_by())
        return LIVE_ENDED;
    if (!(t_end > live_time()) || !isfinite(t_end))
        return fail("run: a step must end later than it begins."), LIVE_FAILED;
    if (!simulation_keep(live.simulation))
        return fail("there is no memory for a step."), LIVE_FAILED;
    return live_continue(t_end, n_steps);
}

int live_continue(double t_end, int n_steps) {
    Progress progress;
    live.is_seen_old = 1;
    for (int n_left = n_steps; n_left > 0;) {
        if (!simulation_advance(live.simulation, t_end, n_left, &progress))
            return end_step(LIVE_REACHED);
        if (has_failed(&progress))
            return failed_step();
        if (live_ended_by())
            return end_step(LIVE_ENDED);
        if (simulation_has_reached(live.simulation, t_end))
            return end_step(LIVE_REACHED);
        n_left -= progress.integration.n_steps > 1 ? progress.integration.n_steps : 1;
    }
    return LIVE_UNDER_WAY;
}

int live_ended_by(void) {
    const EventTable *events = live.model ? live.model->events : NULL;
    return events && live.simulation ? (int)live.simulation->state->w[events->shared + SHARED_TERMINATED] : 0;
}

double live_n_steps(void) { return live.simulation ? (double)live.simulation->n_steps : 0; }

double live_n_evaluations(void) { return live.simulation ? (double)live.simulation->n_evaluations : 0; }

int live_n_events(void) { return live.model && live.model->events ? live.model->events->n : 0; }

const int *live_events(void) { return live.events; }

/* ---- its numbers ---- */

int live_set(int at, double value, int stage) {
    if (!live.simulation || at < 0 || at >= live.model->n_w || stage <= STAGE_MODEL || stage >= N_STAGES)
        return 0;
    simulation_set(live.simulation, 1, &at, &value, stage);
    live.is_seen_old = 1;
    return 1;
}

const double *live_numbers(int stage) {
    if (!live.simulation || stage < STAGE_MODEL || stage >= N_STAGES)
        return NULL;
    if (live.is_seen_old)
        memcpy(live.seen, live.simulation->state, state_size(live.model));
    live.is_seen_old = 0;
    return realize(live.model, live.seen, stage) ? NULL : live.seen->w;
}

int live_pull(int forces_at) {
    if (!live.simulation)
        return 0;
    const int n = choose_pull(live.pulls, forces_at);
    note_change(live.model, live.simulation->state, STAGE_DYNAMICS);
    live.is_seen_old = 1;
    return forces_at < 0 || n > 0;
}

size_t live_size(void) { return live.simulation ? simulation_size(live.simulation) : 0; }

void live_save(char *bytes) { simulation_save(live.simulation, bytes); }

void live_restore(const char *bytes) {
    simulation_restore(live.simulation, bytes);
    live.is_seen_old = 1;
}
