/* The functions that a master calls at each step, in as few turns as possible.
 *
 * Values that are set wait for the next call and go with it. Values that were read since the last step are read again by the child after a
 * step, since the master will ask for them: so most steps of an FMU take one turn. */
#include "isolated_memory.h"

#include <string.h>

enum { STATUS_OF_WARNING = 1, STATUS_OF_ERROR = 3, STATUS_OF_FATAL_ERROR = 4 };

void forget_values(SharedMemory *memory) {
    for (int i = 0; i < N_READS; i++)
        memory->reads[i].is_known = 0;
}

/* ---- the master ---- */

/* Have the child set the values that wait, and then do the request. Returns the status of what failed, or of the request. */
static int do_request(Side *side, ChildRequest request) {
    SharedMemory *memory = side->memory;
    const double late = side->time_limit > 0 ? seconds_now() + side->time_limit : 0;
    memory->request = request;
    if (!pass_turn(side))
        return STATUS_OF_FATAL_ERROR;
    /* within the step the FMU wants inputs at other times: they are set, and the step goes on */
    while (memory->request == CHILD_UPDATE && request == CHILD_STEP) {
        memory->n_set = memory->n_set_values = 0;
        if (side->update)
            side->update(side->user, memory->update_time);
        if (late > 0 && seconds_now() > late)
            side->end = SIDE_IS_TOO_LATE;
        else if (side->is_interrupted && side->is_interrupted(side->user))
            side->end = SIDE_IS_INTERRUPTED;
        memory->request = CHILD_STEP;
        if (!pass_turn(side))
            return STATUS_OF_FATAL_ERROR;
    }
    memory->n_set = memory->n_set_values = 0;
    return memory->status;
}

int isolated_set_values(void *component) {
    Side *side = component;
    return side->memory->n_set > 0 ? do_request(side, CHILD_SET) : 0;
}

static int refuse(Side *side) {
    keep_logged(side->memory, STATUS_OF_ERROR, "isolation", "too many numbers for one call");
    return STATUS_OF_ERROR;
}

int isolated_fmi3SetFloat64(void *component, const uint32_t *references, size_t n, const double *values, size_t n_values) {
    Side *side = component;
    SharedMemory *memory = side->memory;
    if (side->end != SIDE_WAITS)
        return STATUS_OF_FATAL_ERROR;
    if (n > MOST_SET || n_values > MOST_SET)
        return refuse(side);
    if (memory->n_set + n > MOST_SET || memory->n_set_values + n_values > MOST_SET) {
        if (memory->request == CHILD_UPDATE) /* no other call fits into the step */
            return refuse(side);
        int status = isolated_set_values(side);
        if (status > STATUS_OF_WARNING)
            return status;
    }
    memcpy(memory->set + memory->n_set, references, n * sizeof *references);
    memcpy(memory->set_values + memory->n_set_values, values, n_values * sizeof *values);
    memory->n_set += (uint32_t)n;
    memory->n_set_values += (uint32_t)n_values;
    forget_values(memory);
    return 0;
}

/* the place of these variables, or that which was not used for the longest time */
static Read *place_of(SharedMemory *memory, const uint32_t *references, size_t n, size_t n_values) {
    Read *oldest = &memory->reads[0];
    for (int i = 0; i < N_READS; i++) {
        Read *read = &memory->reads[i];
        if (read->n == n && read->n_values == n_values && memcmp(read->references, references, n * sizeof *references) == 0)
            return read;
        if (read->last_use < oldest->last_use)
            oldest = read;
    }
    memcpy(oldest->references, references, n * sizeof *references);
    oldest->n = (uint32_t)n;
    oldest->n_values = (uint32_t)n_values;
    oldest->is_known = 0;
    return oldest;
}

int isolated_fmi3GetFloat64(void *component, const uint32_t *references, size_t n, double *values, size_t n_values) {
    Side *side = component;
    SharedMemory *memory = side->memory;
    if (side->end != SIDE_WAITS)
        return STATUS_OF_FATAL_ERROR;
    if (n > MOST_READ || n_values > MOST_READ)
        return refuse(side);
    Read *read = place_of(memory, references, n, n_values);
    read->last_use = ++memory->n_uses;
    read->is_used = 1;
    if (!read->is_known) {
        memory->read = (uint32_t)(read - memory->reads);
        int status = do_request(side, CHILD_GET);
        if (status > STATUS_OF_WARNING)
            return status;
    }
    memcpy(values, read->values, n_values * sizeof *values);
    return read->status;
}

int isolated_fmi2GetReal(void *component, const unsigned *references, size_t n, double *values) {
    return isolated_fmi3GetFloat64(component, references, n, values, n);
}

int isolated_fmi2SetReal(void *component, const unsigned *references, size_t n, const double *values) {
    return isolated_fmi3SetFloat64(component, references, n, values, n);
}

int isolated_fmi2DoStep(void *component, double time, double step, int keeps_no_state) {
    Side *side = component;
    forget_values(side->memory);
    side->memory->time = time;
    side->memory->step = step;
    side->memory->keeps_no_state = keeps_no_state;
    return do_request(side, CHILD_STEP);
}

int isolated_fmi3DoStep(void *component, double time, double step, bool keeps_no_state, bool *needs_event, bool *terminates, bool *is_early,
                        double *reached) {
    Side *side = component;
    int status = isolated_fmi2DoStep(side, time, step, keeps_no_state);
    *needs_event = side->memory->needs_event != 0;
    *terminates = side->memory->terminates != 0;
    *is_early = side->memory->is_early != 0;
    *reached = side->memory->reached;
    return status;
}

int isolated_doing(const Side *side) { return side->memory->doing; }

/* ---- the child ---- */

typedef int AccessOfFmi2(void *, const uint32_t *, size_t, double *);
typedef int AccessOfFmi3(void *, const uint32_t *, size_t, double *, size_t);
typedef int StepOfFmi2(void *, double, double, int);
typedef int StepOfFmi3(void *, double, double, bool, bool *, bool *, bool *, double *);

void isolated_use(Side *side, void *instance, int fmi_version, ChildFunction *get, ChildFunction *set, ChildFunction *do_step) {
    side->instance = instance;
    side->fmi_version = fmi_version;
    side->get = get;
    side->set = set;
    side->do_step = do_step;
}

static int access_values(const Side *side, ChildFunction *function, const uint32_t *references, size_t n, double *values, size_t n_values) {
    if (side->fmi_version == 2)
        return ((AccessOfFmi2 *)function)(side->instance, references, n, values);
    return ((AccessOfFmi3 *)function)(side->instance, references, n, values, n_values);
}

static int read_values(const Side *side, Read *read) {
    side->memory->doing = CHILD_GET;
    read->status = access_values(side, side->get, read->references, read->n, read->values, read->n_values);
    read->is_known = read->status >= 0 && read->status <= STATUS_OF_WARNING;
    return read->status;
}

static int do_step(const Side *side) {
    SharedMemory *memory = side->memory;
    bool needs_event = false, terminates = false, is_early = false;
    int status;
    memory->doing = CHILD_STEP;
    memory->reached = memory->time;
    if (side->fmi_version == 2)
        status = ((StepOfFmi2 *)side->do_step)(side->instance, memory->time, memory->step, memory->keeps_no_state);
    else
        status = ((StepOfFmi3 *)side->do_step)(side->instance, memory->time, memory->step, memory->keeps_no_state, &needs_event,
                                               &terminates, &is_early, &memory->reached);
    memory->needs_event = needs_event;
    memory->terminates = terminates;
    memory->is_early = is_early;
    for (int i = 0; i < N_READS; i++) {
        Read *read = &memory->reads[i];
        if (read->is_used && status == 0 && !needs_event && !terminates)
            read_values(side, read);
        read->is_used = 0;
    }
    return status;
}

void isolated_update_fmi3(void *environment, double time, bool sets, bool gets, bool is_end_of_step, bool may_return_early,
                          bool *returns_early, double *early_time) {
    Side *side = side_of_child;
    SharedMemory *memory = side->memory;
    (void)environment, (void)gets, (void)is_end_of_step, (void)may_return_early, (void)early_time;
    if (returns_early)
        *returns_early = false;
    if (!sets)
        return;
    memory->request = CHILD_UPDATE;
    memory->update_time = time;
    if (!pass_turn(side))
        return;
    if (memory->n_set > 0)
        access_values(side, side->set, memory->set, memory->n_set, memory->set_values, memory->n_set_values);
}

void serve_step(Side *side) {
    SharedMemory *memory = side->memory;
    if (memory->n_set > 0) {
        memory->doing = CHILD_SET;
        memory->status = access_values(side, side->set, memory->set, memory->n_set, memory->set_values, memory->n_set_values);
        if (memory->status < 0 || memory->status > STATUS_OF_WARNING)
            return;
    }
    if (memory->request == CHILD_GET)
        memory->status = read_values(side, &memory->reads[memory->read % N_READS]);
    else if (memory->request == CHILD_STEP)
        memory->status = do_step(side);
}
