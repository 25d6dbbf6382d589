#include "delays.h"
#include "elementary.h"
#include "evaluation.h"
#include "history.h"
#include "tree.h"

#include <float.h>
#include <string.h>

static const double SAFETY = 0.9, LEAST_FACTOR = 0.1, LARGEST_FACTOR = 5;
static const double SHORTEST = 1e-9; /* relative to a step: the least interval between entries */
enum { LAST_ORDER = 5 };             /* number of entries at one time after which the delayed signal is smooth enough */

static History history_of(const Delay *delay, double *w) { return (History){w + delay->memory, delay->capacity, delay->n}; }

static size_t entry_size(const Delay *delay) { return (size_t)(1 + 2 * delay->n); }

/* --------------------------------------------------------------------------------------------------------------------------- reading */

size_t moments_size(const Model *model) { return model->delays ? 3 * (size_t)model->delays->moment_size : 1; }

int run_delay(const void *context, Call *call, const int *at) {
    const Delay *delay = context;
    double *w = call->w;
    History history = history_of(delay, w);
    double time = w[delay->time] - delay->delay;
    (void)at;
    int found = history_find(&history, time), is_empty = !history_count(&history);
    for (int i = 0; i < delay->n; i++) {
        Past past = {0, 0, 0};
        if (found < 0 && delay->before)
            past.value = delay->before[i];
        else if (is_empty)
            past.value = w[delay->operand + i];
        else
            past = history_at(&history, found, time, i);
        w[delay->value + i] = past.value;
        w[delay->slope + i] = past.rate;
    }
    return 0;
}

/* what entry i reads from the record, whose values do not change; 0 if it reads nothing there */
static Past recorded_past(const Delay *delay, const History *history, int found, double time, int i) {
    if (!history_count(history) || (found < 0 && delay->before))
        return (Past){0, 0, 0};
    return history_at(history, found, time, i);
}

int run_delay_tangent(const void *context, Call *call, const int *at) {
    const Delay *delay = context;
    double *w = call->w, *dw = call->dw;
    History history = history_of(delay, w);
    double time = w[delay->time] - delay->delay, change = dw[delay->time];
    (void)at;
    int found = history_find(&history, time), shows_operand = !history_count(&history) && !delay->before;
    for (int i = 0; i < delay->n; i++) {
        Past past = recorded_past(delay, &history, found, time, i);
        dw[delay->value + i] = shows_operand ? dw[delay->operand + i] : past.rate * change;
        dw[delay->slope + i] = past.bend * change;
    }
    return 0;
}

int run_delay_adjoint(const void *context, Call *call, const int *at) {
    const Delay *delay = context;
    double *w = call->w, *dw = call->dw;
    History history = history_of(delay, w);
    double time = w[delay->time] - delay->delay;
    (void)at;
    int found = history_find(&history, time), shows_operand = !history_count(&history) && !delay->before;
    for (int i = 0; i < delay->n; i++) {
        Past past = recorded_past(delay, &history, found, time, i);
        double of_value = dw[delay->value + i], of_slope = dw[delay->slope + i];
        dw[delay->value + i] = dw[delay->slope + i] = 0;
        dw[delay->time] += past.rate * of_value + past.bend * of_slope;
        if (shows_operand)
            dw[delay->operand + i] += of_value;
    }
    return 0;
}

double *excerpt_of_delay(const Delay *delay, double *w, double time, double *excerpt) {
    History history = history_of(delay, w);
    int count = history_count(&history), found = history_find(&history, time - delay->delay), first = found < 0 ? 0 : found;
    int n_entries = count - first < 2 ? count - first : 2;
    *excerpt++ = n_entries;
    for (int i = 0; i < n_entries; i++)
        memcpy(excerpt + (size_t)i * entry_size(delay), history_entry(&history, first + i), entry_size(delay) * sizeof(double));
    return excerpt + 2 * entry_size(delay);
}

/* ------------------------------------------------------------------------------------------------------------------------- recording */

/* set `moment`: for each delay the time, and values and rates of its operand, from w */
static void read_operands(const Model *model, State *state, double *moment) {
    const DelayTable *table = model->delays;
    realize(model, state, table->stage);
    for (int k = 0; k < table->n_delays; k++) {
        const Delay *delay = table->delays + k;
        size_t bytes = (size_t)delay->n * sizeof(double);
        moment[0] = state->w[model->time_at];
        memcpy(moment + 1, state->w + delay->operand, bytes);
        memcpy(moment + 1 + delay->n, state->w + delay->rate, bytes);
        moment += entry_size(delay);
    }
}

/* the same at a time within the step; work->w contains w at its end */
static void read_operands_within(const Model *model, State *state, Work *work, double start, double time, double *moment) {
    double end = work->w[model->time_at];
    interpolate(y_size(model), work, (time - start) / (end - start), state->w + model->y_at);
    normalize_quaternions(model, state->w);
    set_time(model, state, time);
    read_operands(model, state, moment);
}

/* the largest error, over all delays, of a cubic to the moment `to` at its middle; 1 is the limit */
static double largest_miss(const Model *model, State *state, const double *middle, const double *to) {
    const DelayTable *table = model->delays;
    double largest = 0;
    for (int k = 0; k < table->n_delays; k++) {
        const Delay *delay = table->delays + k;
        History history = history_of(delay, state->w);
        const double *newest = history_entry(&history, history_count(&history) - 1);
        for (int i = 0; i < delay->n; i++) {
            double value = middle[1 + i], miss = fabs(history_between(delay->n, middle[0], newest, to, i).value - value);
            largest = fmax(largest, miss / (state->tolerance * (1 + fabs(value))));
        }
        middle += entry_size(delay);
        to += entry_size(delay);
    }
    return largest;
}

/* whether numbers are equal; 0 and -0 are equal although their bits differ */
static int is_same(const double *a, const double *b, size_t n) {
    for (size_t i = 0; i < n; i++)
        if (!(a[i] == b[i]))
            return 0;
    return 1;
}

/* add a moment to all records; returns -1, or the number of a delay whose record is full */
static int record(const Model *model, State *state, const double *moment) {
    const DelayTable *table = model->delays;
    for (int k = 0; k < table->n_delays; k++) {
        History history = history_of(table->delays + k, state->w);
        if (!history_record(&history, moment))
            return k;
        moment += entry_size(table->delays + k);
    }
    return -1;
}

/* the first entry of a record: the value of the operand with rates of 0, since it does not move before the start */
static int record_start(const Delay *delay, const History *history, const double *moment) {
    int has_room = history_record(history, moment);
    if (has_room)
        memset(history_entry(history, 0) + 1 + delay->n, 0, (size_t)delay->n * sizeof(double));
    return has_room;
}

int begin_delays(const Model *model, State *state, double *moments) {
    const DelayTable *table = model->delays;
    double time = state->w[model->time_at];
    const double *moment = moments;
    read_operands(model, state, moments);
    for (int k = 0; k < table->n_delays; k++, moment += entry_size(table->delays + k - 1)) {
        History history = history_of(table->delays + k, state->w);
        history_forget_after(&history, time);
        int newest = history_count(&history) - 1;

        /* start a new record if there is a gap, or if required entries were removed */
        int lacks_past = history_find(&history, time - table->delays[k].delay) < 0 && !history_has_start(&history);
        if (newest >= 0 && (history_entry(&history, newest)[0] < time || lacks_past)) {
            history_forget(&history);
            newest = -1;
        }
        if (newest >= 0 && is_same(history_entry(&history, newest), moment, entry_size(table->delays + k)))
            continue;

        /* if there are several values at one time, keep the first (before the jump) and the last */
        if (newest > 0 && history_entry(&history, newest - 1)[0] == time)
            history_forget_newest(&history);
        if ((newest < 0 && !record_start(table->delays + k, &history, moment)) || !history_record(&history, moment))
            return k;
    }
    return -1;
}

/* the last time at which the delayed time is before a jump */
static double last_before(double jump, double delay) {
    double moment = jump + delay;
    while (moment - delay >= jump)
        moment = mobod_next_below(moment);
    while (mobod_next_above(moment) - delay < jump)
        moment = mobod_next_above(moment);
    return moment;
}

/* The first such time from `time` on, over all recorded jumps. n_entries (may be NULL): number of entries at the time of that jump; for
 * several jumps the least. */
static double first_stop(const Model *model, State *state, double time, int *n_entries) {
    double first = INFINITY;
    for (int k = 0; k < model->delays->n_delays; k++) {
        const Delay *delay = model->delays->delays + k;
        History history = history_of(delay, state->w);
        for (int i = 0, n; i < history_count(&history); i += n) {
            double jump = history_entry(&history, i)[0];
            for (n = 1; i + n < history_count(&history) && history_entry(&history, i + n)[0] == jump; n++)
                ;
            if (n == 1 || jump + 2 * delay->delay < time)
                continue;
            double stop = last_before(jump, delay->delay);
            if (n_entries && stop >= time && (stop < first || (stop == first && n < *n_entries)))
                *n_entries = n;
            if (stop >= time)
                first = fmin(first, stop);
        }
    }
    return first;
}

double next_stop_of_delays(const Model *model, State *state) {
    return first_stop(model, state, mobod_next_above(state->w[model->time_at]), NULL);
}

double next_time_after_jump(const Model *model, State *state) {
    return mobod_next_above(first_stop(model, state, state->w[model->time_at], NULL));
}

int pass_stop_of_delays(const Model *model, State *state, double *moments, double latest, int *full_delay) {
    int n_entries = 0;
    double stop = first_stop(model, state, state->w[model->time_at], &n_entries), after = mobod_next_above(stop);
    if (!(stop <= latest))
        return 0;
    set_time(model, state, after);
    for (int k = 0; k < model->delays->n_delays; k++) {
        History history = history_of(model->delays->delays + k, state->w);
        history_move_newest(&history, after);
    }
    *full_delay = begin_delays(model, state, moments);

    /* a signal with a jump has a corner one delay later, its rate has one after another delay, and so on until it is smooth enough: one
     * more entry each time */
    const double *moment = moments;
    for (int k = 0; k < model->delays->n_delays && n_entries < LAST_ORDER; k++) {
        History history = history_of(model->delays->delays + k, state->w);
        int count = history_count(&history), is_jump = count > 1 && history_entry(&history, count - 2)[0] == after;
        for (int i = 0; i < n_entries && !is_jump && *full_delay < 0; i++)
            *full_delay = history_record(&history, moment) ? -1 : k;
        moment += entry_size(model->delays->delays + k);
    }
    return 1;
}

/* the length of the last recorded interval; the whole step if there is none */
static double first_length(const Model *model, State *state, double step) {
    History history = history_of(model->delays->delays, state->w);
    int count = history_count(&history);
    double before = count > 1 ? history_entry(&history, count - 1)[0] - history_entry(&history, count - 2)[0] : 0;
    return before > 0 ? fmin(2 * before, step) : step;
}

int advance_delays(const Model *model, State *state, Work *work, double start) {
    const DelayTable *table = model->delays;
    double time = start, end = state->w[model->time_at], step = end - start, length = first_length(model, state, step);
    double shortest = fmax(SHORTEST * step, 16 * DBL_EPSILON * fmax(fabs(start), fabs(end)));
    double *at_end = work->moments, *at_middle = at_end + table->moment_size, *at_other = at_middle + table->moment_size;
    int full_delay = -1;
    read_operands(model, state, at_end);
    for (int k = 0; k < table->n_delays; k++) {
        History history = history_of(table->delays + k, state->w);
        history_forget_before(&history, start - table->delays[k].delay);
    }

    /* a copy of w costs less than realizing it again */
    int realized = state->realized;
    copy_numbers(model, work->w, state->w);
    while (time < end && full_delay < 0) {
        int is_last = 1.01 * length >= end - time;
        if (!is_last && 2 * length > end - time)
            length = (end - time) / 2; /* two equal intervals, not a long one and a short one */
        double to = is_last ? end : time + length, *at_to = is_last ? at_end : at_other;
        read_operands_within(model, state, work, start, time + (to - time) / 2, at_middle);
        if (!is_last)
            read_operands_within(model, state, work, start, to, at_to);

        /* the error of a cubic grows with the fourth power */
        double error = largest_miss(model, state, at_middle, at_to);
        double factor = error > 0 ? SAFETY * mobod_pow(error, -0.25) : LARGEST_FACTOR;
        if (error <= 1 || to - time <= shortest) {
            full_delay = record(model, state, at_to);
            time = to;
            length *= fmin(LARGEST_FACTOR, fmax(1, factor));
        } else {
            length = fmax(shortest, (to - time) * fmin(0.5, fmax(LEAST_FACTOR, factor)));
        }
    }

    /* restore w at the end of the step, with the new entries */
    for (int k = 0; k < table->n_delays; k++) {
        History history = history_of(table->delays + k, state->w);
        memcpy(work->w + table->delays[k].memory, history.memory, history_size(&history) * sizeof(double));
    }
    copy_numbers(model, state->w, work->w);
    state->realized = realized;
    return full_delay;
}

int commit_delays(const Model *model, State *state, double *moments) {
    double time = state->w[model->time_at];
    read_operands(model, state, moments);
    for (int k = 0; k < model->delays->n_delays; k++) {
        History history = history_of(model->delays->delays + k, state->w);
        history_forget_after(&history, time);
        history_forget_before(&history, time - model->delays->delays[k].delay - model->delays->longest_step);
    }
    History first = history_of(model->delays->delays, state->w);
    int count = history_count(&first);
    if (count && history_entry(&first, count - 1)[0] == time)
        return -1;
    return record(model, state, moments);
}

/* ----------------------------------------------------------------------------------------------------------------------------- bytes */

int delays_are_sound(const Model *model, double *w) {
    for (int k = 0; model->delays && k < model->delays->n_delays; k++) {
        History history = history_of(model->delays->delays + k, w);
        double before = -DBL_MAX;
        for (int i = 0; i < history_count(&history); i++) {
            double time = history_entry(&history, i)[0];
            if (!(before <= time && time <= DBL_MAX))
                return 0;
            before = time;
        }
    }
    return 1;
}
