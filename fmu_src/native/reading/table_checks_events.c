#include "table_checks.h"

#include "elementary.h"
#include "event_table.h"
#include "interpreter.h"
#include "normal_numbers.h"
#include "rows.h"

static const char *fault_of_function(const Checks *checks, const Instruction *instruction) {
    const EventTable *events = checks->model->events;
    if (instruction->number < 0 || !has_items(checks, events->functions, (int64_t)instruction->number + 1) ||
        !has_items(checks, instruction->writes, 2 * (int64_t)instruction->n_writes))
        return "a handler that is cut off";
    if (!is_stage(instruction->invalidates))
        return "a handler of a stage that does not exist";
    for (int i = 0; i < instruction->n_writes; i++)
        if (!are_in_w(checks, instruction->writes[2 * i], instruction->writes[2 * i + 1]))
            return "a handler that sets what is not in w";
    const Kernel *function = events->functions + instruction->number;
    int n_places;
    const uint32_t *sizes;
    const char *fault = fault_of_kernel(checks, function, &n_places, &sizes);
    const Program *program = function->context;
    if (!fault && (!sizes || program->is_tangent || program->is_adjoint))
        fault = "a handler that is no program";
    return fault ? fault : fault_of_call(checks, function, events->at, instruction->at);
}

static const char *fault_of_impulse(const Checks *checks, const Instruction *instruction) {
    const RowTable *rows = checks->model->rows;
    return rows && instruction->number >= 0 && instruction->number < rows->n_blocks &&
                   are_in_w(checks, instruction->at, rows->blocks[instruction->number].n)
               ? NULL
               : "an impulse along what is no constraint";
}

static const char *fault_of_draw(const Checks *checks, const Instruction *instruction) {
    return are_in_w(checks, instruction->at, SIZE_OF_DRAW) && are_in_w(checks, instruction->number, instruction->n_writes)
               ? NULL
               : "random numbers that are not in w";
}

static const char *fault_of_actions(const Checks *checks, const Actions *actions) {
    const char *fault = has_items(checks, actions->instructions, actions->n) ? NULL : "a handler that is cut off";
    for (int i = 0; i < actions->n && !fault; i++) {
        const Instruction *instruction = actions->instructions + i;
        switch (instruction->kind) {
        case DO_FUNCTION:
            fault = fault_of_function(checks, instruction);
            break;
        case DO_REALIZE:
            fault = is_stage(instruction->number) ? NULL : "a stage that does not exist";
            break;
        case DO_PROJECT:
            break;
        case DO_IMPULSE:
            fault = fault_of_impulse(checks, instruction);
            break;
        case DO_DRAW:
            fault = fault_of_draw(checks, instruction);
            break;
        default:
            fault = "a handler that does what does not exist";
        }
    }
    return fault;
}

static const char *fault_of_event(const Checks *checks, const Event *event) {
    if ((int)event->cause < CAUSE_INITIALIZATION || event->cause > CAUSE_UNILATERAL || (event->is_reporter & ~1) || event->is_called ||
        !is_stage(event->stage) || isnan(event->window))
        return "an event of no kind";
    if (!are_in_w(checks, event->enabled, 1) || !are_in_w(checks, event->memory, size_of_memory(event)) ||
        !are_in_w(checks, event->direction, 1) || (event->witness != -1 && !are_in_w(checks, event->witness, 1)))
        return "an event that is not in w";
    const char *fault = fault_of_actions(checks, &event->handling);
    if (!fault)
        fault = fault_of_actions(checks, &event->next);
    return fault ? fault : fault_of_actions(checks, &event->start);
}

static const char *fault_of_sweep_with_tangents(const Checks *checks, const Sweep *sweep) {
    const Model *model = checks->model;
    if (!has_items(checks, sweep, 1))
        return "witnesses that nothing computes";
    const char *fault = fault_of_sweep(checks, sweep, model->kernels, model->n_kernels);
    return fault ? fault : fault_of_sweep(checks, sweep, model->tangents, model->n_kernels);
}

/* checks n sweeps; with may_be_absent, a sweep may be NULL */
static const char *fault_of_sweeps(const Checks *checks, const Sweep *const *sweeps, int64_t n, int may_be_absent) {
    const char *fault = has_items(checks, sweeps, n) ? NULL : "fewer sweeps than witnesses need";
    for (int64_t i = 0; i < n && !fault; i++)
        if (sweeps[i] || !may_be_absent)
            fault = fault_of_sweep_with_tangents(checks, sweeps[i]);
    return fault;
}

const char *fault_of_events(const Checks *checks, const EventTable *events) {
    if (!has_items(checks, events, 1) || !has_items(checks, events->events, events->n) ||
        !has_items(checks, events->names, events->n_names) || !has_items(checks, events->triggered, events->n_witnesses) ||
        !has_items(checks, events->bounds, events->n_bounds) || !are_in_w(checks, events->shared, SIZE_OF_SHARED))
        return "events that are cut off";
    const char *fault = NULL;
    for (int i = 0; i < events->n && !fault; i++)
        fault = fault_of_event(checks, events->events + i);
    for (int i = 0; i < events->n_witnesses && !fault; i++)
        if (events->triggered[i] < 0 || events->triggered[i] >= events->n || events->events[events->triggered[i]].witness < 0)
            fault = "an event without a witness";
    for (int i = 0; i < events->n_bounds && !fault; i++)
        if (!are_in_w(checks, events->bounds[i].at, 1))
            fault = "bounds of what is not in w";
    if (fault || !events->n_witnesses)
        return fault;
    fault = fault_of_sweep_with_tangents(checks, events->witnesses);
    if (!fault)
        fault = fault_of_sweeps(checks, events->before_witnesses, N_STAGES * N_STAGES, 1);
    if (!fault)
        fault = fault_of_sweeps(checks, events->before_one, (int64_t)N_STAGES * events->n_witnesses, 1);
    return fault ? fault : fault_of_sweeps(checks, events->one, events->n_witnesses, 0);
}
