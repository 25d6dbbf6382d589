/* The numbers of fixed steps at velocity level in lanes. */
#define MOBOD_LANES MOBOD_WIDTH /* of this library */
#include "lanes_friction.h"
#include "lanes_velocity_level.h"

#include "contact_arithmetic.h"
#include "contact_slots.h"
#include "friction_table.h"
#include "samples_of_step.h"
#include "unilateral_rows.h"

#include <stdlib.h>

/* whether the rows of a block are equations of each step, with position errors, which each step corrects */
static int has_corrections(const Model *model, int number) {
    const RowBlock *block = model->rows->blocks + number;
    const int is_unilateral = model->contacts && model->contacts->contact_of_block[number] >= 0;
    return !is_unilateral && !block->carried && block->n_position > 0;
}

int can_step_in_lanes(const Model *model, const FixedSteps *settings) {
    if (!model->rows || model->auto_updates || model->delays || model->own_errors || model->rows->n_compliant || model->rows->n_loads ||
        has_slots(model))
        return 0;
    for (int i = 0; i < model->rows->n_blocks; i++)
        if (has_corrections(model, i))
            return 0;
    for (int f = 0; f < n_frictions(model); f++)
        if (friction_at(model, f)->is_moment)
            return 0;
    return !model->contacts || rule_of_model(model, settings->engagement) == ENGAGEMENT_PREDICTIVE;
}

/* add `count` offsets to a list; list: NULL to count them */
static int add_offsets(int *list, int n, int first, int count) {
    for (int i = 0; list && i < count; i++)
        list[n + i] = first + i;
    return n + count;
}

/* what samples change */
static int list_samples(const Model *model, int *list, int n) {
    n = add_offsets(list, n, model->events->shared, SIZE_OF_SHARED);
    for (int i = 0; i < model->events->n; i++) {
        const Event *event = model->events->events + i;
        if (!is_sample(event))
            continue;
        n = add_offsets(list, n, event->memory, size_of_memory(event));
        for (int k = 0; k < event->handling.n; k++) {
            const Instruction *instruction = event->handling.instructions + k;
            for (int j = 0; instruction->kind == DO_FUNCTION && j < instruction->n_writes; j++)
                n = add_offsets(list, n, instruction->writes[2 * j], instruction->writes[2 * j + 1]);
        }
    }
    return n;
}

/* all numbers that steps change */
static int list_changed(const Model *model, int *list) {
    int n = add_offsets(list, 0, model->time_at, 1);
    n = add_offsets(list, n, model->y_at, y_size(model));
    n = has_samples(model) ? list_samples(model, list, n) : n;
    for (int i = 0; i < n_contacts(model); i++) {
        const Contact *contact = model->contacts->contacts + i;
        n = add_offsets(list, n, contact->active, 1);
        n = add_offsets(list, n, contact->impulse, 1);
        n = add_offsets(list, n, contact->engagement, 3);
    }
    for (int f = 0; f < n_frictions(model); f++) {
        const Friction *friction = friction_at(model, f);
        const int contact = friction->contact < 0 ? -1 : model->contacts->contacts[friction->contact].block;
        n = add_offsets(list, n, friction->mode, 1);
        n = add_offsets(list, n, friction->impulse, friction->n);
        for (int k = contact < 0 ? 0 : -1; k < friction->n; k++) {
            const RowBlock *block = model->rows->blocks + (k < 0 ? contact : friction->block + k);
            if (k >= 0)
                n = add_offsets(list, n, block->enabled, 1);
            n = add_offsets(list, n, block->carried->flag, 1);
            n = add_offsets(list, n, block->carried->given, 1);
        }
    }
    return n;
}

/* what the problem of a lane reads from w, see solve_listed_rows */
static int list_read(const Model *model, int *list) {
    int n = 0;
    for (int i = 0; i < model->rows->n_blocks; i++) {
        const RowBlock *block = model->rows->blocks + i;
        if (!block->carried && !(model->contacts && model->contacts->contact_of_block[i] >= 0))
            n = add_offsets(list, n, block->velocity_errors, block->n_position + block->n_velocity);
    }
    for (int f = 0; f < n_frictions(model); f++) {
        const Friction *friction = friction_at(model, f);
        const int singles[] = {friction->kinetic, friction->static_limit, friction->viscous};
        for (int i = 0; i < 3; i++)
            n = add_offsets(list, n, singles[i], 1);
        n = add_offsets(list, n, friction->rates, friction->n);
        for (int k = 0; k < friction->n; k++)
            n = add_offsets(list, n, model->rows->blocks[friction->block + k].carried->given, 1);
        if (friction->contact < 0)
            continue;
        const Contact *contact = model->contacts->contacts + friction->contact;
        n = add_offsets(list, n, contact->rate, 1);
        n = add_offsets(list, n, model->rows->blocks[contact->block].carried->given, 1);
    }
    return n;
}

StepInLanes *create_step_in_lanes(const Model *model, const FixedSteps *settings) {
    const RowTable *table = model->rows;
    const size_t n = (size_t)n_contacts(model), m = (size_t)table->n_rows, nu = (size_t)table->nu, n_y = (size_t)y_size(model);
    const size_t n_joints = (size_t)table->n_joints, n_changed = (size_t)list_changed(model, NULL), n_read = (size_t)list_read(model, NULL);
    StepInLanes *step = calloc(1, sizeof *step);
    if (!step)
        return NULL;
    const struct {
        Number **array;
        size_t size;
    } arrays[] = {{&step->kept, n_changed},
                  {&step->y, n_y},
                  {&step->y_new, n_y},
                  {&step->distances, n},
                  {&step->start_rates, n},
                  {&step->free, n},
                  {&step->least, n},
                  {&step->target, n},
                  {&step->captured, n},
                  {&step->slowest, n},
                  {&step->tolerances, n},
                  {&step->leans, 2 * n},
                  {&step->slips, (size_t)n_frictions(model)},
                  {&step->rates, m},
                  {&step->drifts, m},
                  {&step->ahead, m},
                  {&step->impulses, m},
                  {&step->V, 6 * n_joints},
                  {&step->A, 6 * n_joints},
                  {&step->accelerations, nu},
                  {&step->removed, nu},
                  {&step->eps, nu},
                  {&step->change, nu},
                  {&step->hits, n},
                  {&step->before, n_joints},
                  {&step->L, (size_t)size_of_L(table) * n_joints},
                  {&step->B, m * nu}};
    const size_t of_friction = model->frictions ? sizeof(FrictionInLanes) / sizeof(Number) : 0;
    size_t all = n + of_friction + 1; /* of `chosen`, and one more to align the first one */
    for (size_t i = 0; i < sizeof arrays / sizeof *arrays; i++)
        all += arrays[i].size;
    step->memory = calloc(all, sizeof(Number));
    step->changed = calloc(n_changed + n_read + (size_t)table->n_blocks, sizeof(int));
    step->scalar = create_velocity_level_work(model);
    if (!step->memory || !step->changed || !step->scalar) {
        free_step_in_lanes(step);
        return NULL;
    }
    Number *next = (Number *)(((uintptr_t)step->memory + sizeof(Number) - 1) / sizeof(Number) * sizeof(Number));
    for (size_t i = 0; i < sizeof arrays / sizeof *arrays; i++) {
        *arrays[i].array = next;
        next += arrays[i].size;
    }
    step->chosen = (Index *)(void *)next;
    step->friction = model->frictions ? (FrictionInLanes *)(void *)(next + n) : NULL;
    step->settings = *settings;
    step->has_samples = has_samples(model);
    step->n_changed = list_changed(model, step->changed);
    step->read = step->changed + n_changed;
    step->n_read = list_read(model, step->read);
    step->blocks = step->read + n_read;
    return step;
}

void free_step_in_lanes(StepInLanes *step) {
    if (!step)
        return;
    free_velocity_level_work(step->scalar);
    free(step->changed);
    free(step->memory);
    free(step);
}

void read_changed(Lanes *lanes, StepInLanes *step, int k) {
    const State *state = lanes->lanes[k].run->simulation->state;
    for (int i = 0; i < step->n_changed; i++)
        lanes->w[step->changed[i]][k] = state->w[step->changed[i]];
    const int unchanged = step->has_samples ? STAGE_TOPOLOGY : STAGE_INSTANCE; /* by steps */
    lanes->realized = lanes->realized < unchanged ? lanes->realized : unchanged;
}

void write_changed(const Lanes *lanes, const StepInLanes *step, int k, int are_kept) {
    State *state = lanes->lanes[k].run->simulation->state;
    for (int i = 0; i < step->n_changed; i++)
        state->w[step->changed[i]] = are_kept ? step->kept[i][k] : lanes->w[step->changed[i]][k];
    state->realized = state->realized < STAGE_INSTANCE ? state->realized : STAGE_INSTANCE;
}
