#include "bounded_steps.h"
#include "contact_work.h"
#include "elementary.h"
#include "evaluation.h"
#include "event_times.h"
#include "events.h"
#include "friction_table.h"
#include "handler_actions.h"
#include "tree.h"
#include "witnesses.h"

#include <float.h>
#include <limits.h>
#include <string.h>

/* late impacts: times the change of the rate in a step */
static const double EXPLAINED = 2;

typedef struct {
    const Model *model;
    State *state;
    Work *integration;
    EventWork *work;
    double start, end;
    int witness;
} Step;

/* move w to a time within the step */
static void move_in_step(Step *step, double time) {
    const Model *model = step->model;
    EventWork *work = step->work;
    if (time == step->end)
        memcpy(work->y, work->y_end, (size_t)y_size(model) * sizeof(double));
    else
        interpolate(y_size(model), step->integration, (time - step->start) / (step->end - step->start), work->y);
    move_to(model, step->state, time, work->y);
    if (time != step->end)
        normalize_quaternions(model, step->state->w);
}

/* the same, and set work->y_dot to the rates there */
static void move_with_rates(Step *step, double time) {
    double length = step->end - step->start;
    interpolate_rate(step->model, step->integration, length, (time - step->start) / length, step->work->y_dot);
    move_in_step(step, time);
}

/* values and rates of the witnesses known at the stage, at a time within the step, into inside_values and inside_rates */
static void sample_all(Step *step, int stage, double time) {
    const Model *model = step->model;
    EventWork *work = step->work;
    size_t n = (size_t)model->events->n_witnesses * sizeof(double);
    int is_start = time == step->start;
    if (!is_start || !work->has_rates) {
        move_with_rates(step, time);
        read_values_and_rates(model, step->state, work, stage, work->y_dot, work->inside_values, work->inside_rates);
    }
    if (!is_start)
        return;
    if (!work->has_rates)
        memcpy(work->rates, work->inside_rates, n);
    work->has_rates = 1;
    memcpy(work->inside_values, work->values, n);
    memcpy(work->inside_rates, work->rates, n);
}

/* the same for one witness, by the sweeps that compute its inputs alone */
static Point sample(void *of, double time) {
    Step *step = of;
    const Model *model = step->model;
    const EventTable *table = model->events;
    EventWork *work = step->work;
    State *state = step->state;
    int i = step->witness, at = table->events[table->triggered[i]].witness, stage = stage_of_witness(model, state, i);
    if (!table->before_one || !has_tangent(table, i) || time == step->start) {
        sample_all(step, stage, time);
        return (Point){time, work->inside_values[i], work->inside_rates[i]};
    }
    const Sweep *const *before = table->before_one + (size_t)i * N_STAGES;
    move_with_rates(step, time);
    compute_witness_inputs(model, state, before, stage);
    run_sweep(model, table->one[i], state);
    compute_input_changes(model, state, work, before, stage, work->y_dot);
    run_tangents(model, table->one[i], state->w, work->dw);
    return (Point){time, state->w[at], work->dw[at]};
}

static double end_of_part(const Step *step, int n_parts, int k) {
    return k == 0 ? step->start : k == n_parts ? step->end : step->start + (step->end - step->start) * k / n_parts;
}

/* evaluate all witnesses at the ends of the parts; rates only if requested; values at the start are known */
static Outcome take_points(Step *step, int stage, int n_parts, int with_rates, Integration *result) {
    const Model *model = step->model;
    EventWork *work = step->work;
    int n = model->events->n_witnesses;

    /* the end comes first, since w is realized there */
    for (int of = n_parts; of < 2 * n_parts + 1; of++) {
        int k = of % (n_parts + 1);
        double time = end_of_part(step, n_parts, k);
        const double *values = k == 0 ? work->values : work->inside_values;
        if (with_rates)
            sample_all(step, stage, time);
        else if (k > 0) {
            if (k < n_parts)
                move_in_step(step, time);
            read_witness_values(model, step->state, stage, work->inside_values);
        }
        for (int i = 0; i < n; i++)
            work->points[i * (n_parts + 1) + k] = (Point){time, values[i], with_rates ? work->inside_rates[i] : NAN};
    }
    for (int k = 0; k <= n_parts; k++)
        for (int i = 0; i < n; i++) {
            Point point = work->points[i * (n_parts + 1) + k];
            if (isnan(point.value))
                return witness_not_a_number(model->events, i, point.time, result);
        }
    return INTEGRATED;
}

/* whether a witness may have crossed in the step, or was expected to */
static int is_near(const Step *step, int n_parts, int i) {
    const State *state = step->state;
    const EventWork *work = step->work;
    const Event *event = step->model->events->events + step->model->events->triggered[i];
    const double *memory = state->w + event->memory;
    if (!is_enabled(event, state))
        return 0;
    return work->expected[i] != NOT_EXPECTED || memory[MEMORY_NOISE] != 0 ||
           !is_far(n_parts + 1, work->points + i * (n_parts + 1), (int)memory[MEMORY_SIDE], state->tolerance);
}

/* a witness that has not crossed: if it is disabled, its sign may have changed all the same */
static void note_far_witness(const EventTable *table, const State *state, EventWork *work, int i, double value) {
    const Event *event = table->events + table->triggered[i];
    const double *memory = state->w + event->memory;
    work->sides[i] = is_enabled(event, state) ? (int)memory[MEMORY_SIDE] : sign_of(value);
    work->side_noises[i] = is_enabled(event, state) ? memory[MEMORY_NOISE] : 0;
    work->crossed[i] = 0;
}

/* the end of the step is right: store the witnesses there */
static void store_witnesses(const EventTable *table, State *state, EventWork *work, int n_parts) {
    for (int i = 0; i < table->n_witnesses; i++) {
        Point end = work->points[i * (n_parts + 1) + n_parts];
        double *memory = state->w + table->events[table->triggered[i]].memory;
        work->values[i] = memory[MEMORY_VALUE] = end.value;
        work->rates[i] = end.rate;
        memory[MEMORY_SIDE] = work->sides[i];
        memory[MEMORY_NOISE] = work->side_noises[i];
        work->crossed_noise[i] = 2 * fabs(end.value);
        work->crossed_rate[i] = end.rate;
        work->expected[i] = NOT_EXPECTED;
    }
    work->missed_by = INFINITY;
}

/* Whether a witness crosses until a time that was not expected to cross at the end of the step. Example: the step was made longer for
 * another witness, and passes the crossing of this one. */
static int crosses_unexpectedly(int n, const EventWork *work, double time) {
    for (int i = 0; i < n; i++)
        if (work->highs[i] <= time && work->crossed[i] && work->expected[i] == NOT_EXPECTED)
            return 1;
    return 0;
}

/* Whether the step ends after the end of a slip, where friction drives the slip. Where errors of steps are as large as speeds, no step may
 * end nearer to the crossing; then a shorter one is more accurate. */
static int is_any_slip_reversed(const Step *step, int n_parts, double window) {
    const State *state = step->state;
    const EventWork *work = step->work;
    const EventTable *table = step->model->events;
    int any = 0;
    for (int i = 0; n_frictions(step->model) && i < table->n_witnesses; i++) {
        const Friction *friction = work->crossed[i] ? friction_of(step->model, table->triggered[i]) : NULL;
        Point end = work->points[i * (n_parts + 1) + n_parts];
        any = any || (friction && state->w[friction->mode] == FRICTION_SLIP && work->side_noises[i] == 0 &&
                      end.value < -slip_round_off(step->model, state, friction) - 2 * window * fabs(end.rate));
    }
    return any;
}

/* An impact that is found only at the end of a step bounces if it is faster than accelerations explain: otherwise a body that rests would
 * bounce from step to step, as high as it falls within one. */
static void note_slow_impacts(const Step *step, int n_parts, double window) {
    const Model *model = step->model;
    const EventWork *work = step->work;
    for (int i = 0; model->contacts && i < model->events->n_witnesses; i++) {
        const Point *points = work->points + i * (n_parts + 1);
        const int contact = model->contacts->contact_of_event[model->events->triggered[i]];
        if (contact < 0 || !work->crossed[i] || !(step->end - work->highs[i] > window))
            continue;
        const double acceleration = fabs(points[n_parts].rate - points[0].rate) / (step->end - step->start);
        work->contacts->slow[contact] = EXPLAINED * acceleration * step->state->fixed_step;
    }
}

static Outcome find_better_end(Step *step, double *better, Integration *result) {
    const EventTable *table = step->model->events;
    State *state = step->state;
    EventWork *work = step->work;
    double window = window_at(fmax(fabs(step->start), fabs(step->end)), 0), target = step->end;
    int n = table->n_witnesses, stage = stage_of_witnesses(step->model, state);
    int n_parts = step->integration->method->degree; /* the step is divided into as many parts as the interpolant has degrees */

    /* compute rates at once if the last step needed them */
    int has_rates = work->needs_rates, needs_rates = 0;
    Outcome outcome = take_points(step, stage, n_parts, has_rates, result);
    for (int i = 0; i < n && outcome == INTEGRATED; i++)
        needs_rates = (work->is_near[i] = is_near(step, n_parts, i)) || needs_rates;
    work->needs_rates = needs_rates;
    if (outcome == INTEGRATED && needs_rates && !has_rates)
        outcome = take_points(step, stage, n_parts, 1, result);
    if (outcome != INTEGRATED)
        return outcome;

    /* the first crossing of each witness */
    double *highs = work->highs;
    int any_expected = 0, n_left = state->is_bounded ? MOST_SAMPLES : INT_MAX;
    double latest = 0;
    for (int i = 0; i < n; i++) {
        const Event *event = table->events + table->triggered[i];
        const Point *points = work->points + i * (n_parts + 1);
        double *memory = state->w + event->memory, noise = memory[MEMORY_NOISE];
        int side = (int)memory[MEMORY_SIDE];
        Crossing crossing = {.is_found = 0};
        step->witness = i;
        note_far_witness(table, state, work, i, points[n_parts].value);
        if (work->is_near[i]) {
            crossing = first_crossing(sample, step, n_parts + 1, points, event->wants, fmax(event->window, window), state->tolerance, &side,
                                      &noise, &n_left);
            work->sides[i] = side;
            work->side_noises[i] = noise;
            work->crossed[i] = crossing.is_found ? crossing.direction : 0;
        }
        highs[i] = crossing.is_found ? crossing.high : INFINITY;
        target = fmin(target, highs[i]);
        any_expected = any_expected || work->expected[i] != NOT_EXPECTED;
        latest = work->crossed[i] ? fmax(latest, step->end - highs[i]) : latest;
    }
    if (state->is_bounded && n_left <= 0)
        note_overrun(state);
    if (work->ends_here) {
        if (latest > window) {
            note_late(state, latest);
            note_overrun(state);
        }
        note_slow_impacts(step, n_parts, window);
        store_witnesses(table, state, work, n_parts);
        work->has_rates = has_rates || needs_rates;
        return INTEGRATED;
    }
    if (target < step->end - window &&
        (!any_expected || step->end - target < work->missed_by / 2 || crosses_unexpectedly(n, work, target))) {
        work->missed_by = any_expected ? step->end - target : INFINITY;
        for (int i = 0; i < n; i++) {
            work->expected[i] = highs[i] <= target + window ? work->crossed[i] : NOT_EXPECTED;
            const int is_slip = work->expected[i] != NOT_EXPECTED && friction_of(step->model, table->triggered[i]);
            work->ends_at_slip = work->ends_at_slip || is_slip;
        }
        *better = target;
        return INTEGRATED;
    }

    /* witnesses that were expected to cross at this end and have not yet crossed */
    int has_noises = 0;
    for (int i = 0; i < n; i++) {
        const Event *event = table->events + table->triggered[i];
        Point end = work->points[i * (n_parts + 1) + n_parts];
        int direction = work->expected[i];
        if (direction == NOT_EXPECTED || direction == 0 || work->crossed[i])
            continue;
        double beyond = end.value - direction * work->side_noises[i]; /* distance beyond the value at which it counts as crossed */
        double to_go = end.rate * direction > 0 ? -beyond / end.rate : INFINITY;
        if (!(0 <= to_go && to_go < INFINITY))
            continue;
        int is_near = to_go <= step->end - step->start;
        if (!is_near || to_go > fmax(window, event->window)) {
            if (!has_noises) {
                move_to(step->model, state, step->end, work->y_end);
                read_noises(step->model, state, work);
                has_noises = 1;
            }
            if (fabs(beyond) > work->noises[i]) {
                if (!is_near || !(to_go < work->missed_by / 2))
                    continue; /* only the interpolant of a longer step crossed, or no other step ends closer to the crossing */
                work->missed_by = to_go;
                *better = step->end + to_go + window / 4;
                return INTEGRATED;
            }
        }
        work->crossed[i] = direction;
    }

    if (is_any_slip_reversed(step, n_parts, window) && step->end - step->start > 2 * window) {
        for (int i = 0; i < n; i++)
            work->expected[i] = NOT_EXPECTED;
        work->ends_at_slip = 1;
        work->missed_by = INFINITY;
        *better = step->start + (step->end - step->start) / 2;
        return INTEGRATED;
    }
    store_witnesses(table, state, work, n_parts);
    work->has_rates = has_rates || needs_rates;
    return INTEGRATED;
}

int keeps_all_signs(const Model *model, State *state, EventWork *work, int n_parts) {
    const EventTable *table = model->events;
    const Step step = {.model = model, .state = state, .work = work};
    for (int i = 0; i < table->n_witnesses; i++) {
        const Point *points = work->points + i * (n_parts + 1);
        for (int k = 0; k <= n_parts; k++)
            if (isnan(points[k].value))
                return 0;
        if (is_near(&step, n_parts, i))
            return 0;
        note_far_witness(table, state, work, i, points[n_parts].value);
    }
    store_witnesses(table, state, work, n_parts);
    work->has_rates = 0;
    return 1;
}

Outcome find_crossings(const Model *model, State *state, Work *integration, EventWork *work, double t, double *better,
                       Integration *result) {
    Step step = {model, state, integration, work, t, state->w[model->time_at], 0};
    *better = INFINITY;
    if (model->events->n_witnesses == 0)
        return INTEGRATED;

    memcpy(work->y_end, state->w + model->y_at, (size_t)y_size(model) * sizeof(double));
    Outcome outcome = find_better_end(&step, better, result);

    /* compute again the values that a search may have overwritten; all other values are still those of the end */
    const EventTable *table = model->events;
    int stage = stage_of_witnesses(model, state), last = STAGE_POSITION;
    for (int i = 0; i < table->n_witnesses; i++) {
        int own = table->events[table->triggered[i]].stage;
        last = own > last ? own : last;
    }
    move_to(model, state, step.end, work->y_end);
    compute_witness_inputs(model, state, sweeps_before(table, last), stage);
    if (table->witnesses)
        run_sweep(model, table->witnesses, state);
    if (!state->inputs) /* an importer may have set other inputs since the step was computed */
        state->realized = STAGE_ACCELERATION;
    return outcome;
}
