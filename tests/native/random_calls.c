#include "random_calls.h"
#include "events.h"
#include "logging.h"

#include <math.h>
#include <stdio.h>

uint64_t random_state;
const char *present = "";

/* Marsaglia's xorshift */
uint32_t below(uint32_t n) {
    random_state ^= random_state << 13;
    random_state ^= random_state >> 7;
    random_state ^= random_state << 17;
    return (uint32_t)(random_state >> 32) % n;
}

int one_in(uint32_t n) { return below(n) == 0; }

double real_between(double least, double greatest) { return least + (greatest - least) * (below(1u << 30) / 1073741824.0); }

double odd_real(void) {
    static const double ODD[] = {NAN, INFINITY, -INFINITY, 1e300, -1e300, 5e-324, 0, -0.0, -1, 1e9, 1e-12, 7};
    return ODD[below(sizeof ODD / sizeof ODD[0])];
}

void fail(const char *what) {
    fprintf(stderr, "%s: %s\n", present, what);
    exit(1);
}

/* ------------------------------------------------------------------------------------------------------------------------- memory */

void *room(Session *session, size_t size) {
    void *new_room = malloc(size ? size : 1);
    if (!new_room || session->n_rooms == MOST_ROOMS)
        fail("no room");
    memset(new_room, 0, size ? size : 1);
    return session->rooms[session->n_rooms++] = new_room;
}

void free_rooms(Session *session, int n_to_keep) {
    while (session->n_rooms > n_to_keep)
        free(session->rooms[--session->n_rooms]);
}

void note(Session *session, const void *bytes, size_t size) {
    for (size_t i = 0; bytes && i < size; i++)
        session->hash = (session->hash ^ ((const unsigned char *)bytes)[i]) * UINT64_C(0x100000001b3);
}

void *target(Session *session) {
    session->is_null = one_in(80);
    return session->is_null ? NULL : session->c;
}

void *or_null(void *pointer) { return one_in(50) ? NULL : pointer; }

size_t wrong_now_and_then(size_t n) { return !one_in(20) ? n : one_in(2) ? n + 1 : n ? n - 1 : 2; }

/* --------------------------------------------------------------------------------------------------------------------------- values */

/* neither what counts evaluations, nor locks: switched on, they change speeds when a value is read */
static int is_used(const Variable *variable) { return strcmp(variable->name, "evaluations") != 0 && !strstr(variable->name, "lock_level"); }

static unsigned some_reference(const Interface *interface, Type type, int to_set) {
    static const unsigned UNKNOWN[] = {0xffffffffu, 0x80000000u, 1000000u};
    unsigned reference = 0;
    if (one_in(60))
        return one_in(2) ? UNKNOWN[below(3)] : (unsigned)interface->n_variables;
    if (to_set && type == TYPE_REAL && interface->n_inputs && one_in(2))
        return (unsigned)interface->inputs[below((uint32_t)interface->n_inputs)];
    int is_any = one_in(25);
    for (int i = 0; i < 60; i++) {
        reference = below((uint32_t)interface->n_variables);
        const Variable *variable = interface->variables + reference;
        if (is_used(variable) &&
            (is_any || (variable->type == type && variable->n && (!to_set || variable->settable != SET_NEVER || one_in(10)))))
            return reference;
    }
    return is_used(interface->variables + reference) ? reference : 0;
}

static double clipped(double value, double least, double greatest) { return fmin(fmax(value, least), greatest); }

/* a value to set: near the present one, within the bounds; now and then any */
static double some_value(const Session *session, const Variable *variable) {
    const Interface *interface = session->instance->interface;
    const double now = session->instance->state->w[variable->at], least = variable->least, greatest = variable->greatest;
    if (variable->at == interface->numerics_at + NUMERICS_MAX_STEPS)
        return 1 + below(100);
    if (variable->type == TYPE_BOOLEAN)
        return below(2);
    if (variable->type != TYPE_REAL)
        return clipped(now + below(5) - 2, fmax(least, -100), fmin(greatest, 100));
    if (one_in(40))
        return odd_real();
    return clipped(now + real_between(-0.1, 0.1), least, greatest);
}

Values some_values(Session *session, Type type, int to_set) {
    const Interface *interface = session->instance->interface;
    Values values = {.n = below(4)};
    values.references = room(session, values.n * sizeof(unsigned));
    for (size_t i = 0; i < values.n; i++) {
        values.references[i] = some_reference(interface, type, to_set);
        if (values.references[i] < (unsigned)interface->n_variables)
            values.n_values += (size_t)interface->variables[values.references[i]].n;
    }
    if (session->is_fmi3)
        values.n_values = wrong_now_and_then(values.n_values);
    else
        values.n_values = values.n;
    values.reals = room(session, values.n_values * sizeof(double));
    size_t next = 0;
    for (size_t i = 0; to_set && i < values.n; i++) {
        const int is_known = values.references[i] < (unsigned)interface->n_variables;
        const Variable *variable = interface->variables + (is_known ? values.references[i] : 0);
        for (int k = 0; k < (is_known ? variable->n : 0) && next < values.n_values; k++)
            values.reals[next++] = some_value(session, variable + k);
    }
    values.references = or_null(values.references);
    return values;
}

double time_now(const Session *session) { return session->instance->state->w[session->instance->model->time_at]; }

double some_step(void) {
    switch (below(40)) {
    case 0:
        return odd_real();
    case 1:
        return 1e-12;
    case 2:
        return -0.01;
    case 3:
        return real_between(0.3, 3);
    default:
        return real_between(1e-4, 0.08);
    }
}

double next_time(const Session *session) { return time_now(session) + some_step(); }

int n_states(const Session *session) {
    const Model *model = session->instance->model;
    return model->n_q + model->n_u + model->n_z;
}

int n_indicators(const Session *session) { return n_event_indicators(session->instance->model); }

double *some_states(Session *session) {
    double *y = room(session, (size_t)(n_states(session) + 2) * sizeof(double));
    for (int i = 0; i < n_states(session); i++)
        y[i] = session->instance->state->w[session->instance->model->y_at + i] + real_between(-1e-3, 1e-3);
    if (one_in(30) && n_states(session))
        y[below((uint32_t)n_states(session))] = odd_real();
    return y;
}

char *snapshot(Session *session, size_t *size) {
    const Functions *functions = session->functions;
    if (functions->save(session->c, &session->probe) || functions->size(session->c, session->probe, size))
        fail("the state cannot be saved");
    char *bytes = malloc(*size);
    if (!bytes || functions->to_bytes(session->c, session->probe, bytes, *size))
        fail("the state cannot be serialized");
    return bytes;
}

/* -------------------------------------------------------------------------------------------------------------------------- checks */

static void check_messages(const Session *session, int status, unsigned categories) {
    static const unsigned CATEGORIES[N_STATUSES] = {
        [STATUS_WARNING] = LOG_WARNING, [STATUS_DISCARD] = LOG_DISCARD, [STATUS_ERROR] = LOG_ERROR};
    int n = 0;
    for (int i = 0; i < N_STATUSES; i++)
        n += session->n_messages[i];
    if (status < STATUS_OK || status > STATUS_ERROR)
        fail("no status");
    if (session->is_null) {
        if (status != STATUS_ERROR || n)
            fail("a call without an instance");
        return;
    }
    if (status != STATUS_OK && (categories & CATEGORIES[status]) && !session->n_messages[status])
        fail("no message of its status was logged");
    if (status == STATUS_OK && session->n_messages[STATUS_ERROR])
        fail("an error was logged, and the status is OK");
    if (!categories && n)
        fail("a message, though logging is off");
}

/* how many bytes hold the numbers of w; they come last, before the checksum */
static size_t bytes_of_w(const Model *model) {
    size_t n = 1;
    for (int i = 0; i < model->saved->n; i++)
        n += (size_t)model->saved->ranges[i].count;
    return n * sizeof(double);
}

static void check_unchanged(const Session *session, const RandomCall *call, int status, int mode, const char *before, const char *after,
                            size_t size) {
    const Model *model = session->instance->model;
    const int is_failed = session->instance->state->mode != mode, is_same = memcmp(before, after, size) == 0;
    const size_t n_w = bytes_of_w(model);
    if (is_same || (!call->only_reads && (status < STATUS_DISCARD || (status == STATUS_DISCARD && !session->is_fmi3))))
        return;
    size_t at = 0;
    while (before[at] == after[at])
        at++;
    char what[80];
    snprintf(what, sizeof what, "%s has changed word %d of %d of the state", call->only_reads ? "a call that reads" : "a refused call",
             (int)(at / sizeof(double)), (int)(size / sizeof(double)));
    if (call->only_reads || !is_failed)
        fail(what);
    if (memcmp(before + size - n_w, after + size - n_w, n_w - sizeof(double)) != 0)
        fail("a failed call has changed values");
}

static const RandomCall *some_call(const Session *session, int mode) {
    const RandomCall *calls = session->is_fmi3 ? calls_of_fmi3 : calls_of_fmi2;
    const int is_any = one_in(6);
    uint32_t sum = 0;
    for (const RandomCall *call = calls; call->name; call++)
        sum += (uint32_t)call->weight;
    for (int i = 0;; i++) {
        int number = (int)below(sum);
        const RandomCall *call = calls;
        while (number >= call->weight)
            number -= call++->weight;
        if (is_any || i == 1000 ||
            ((session->instance->state->interface_type == MODEL_EXCHANGE ? call->model_exchange : call->co_simulation) & (unsigned)mode))
            return call;
    }
}

void make_call(Session *session, int inside) {
    static int traces = -1;
    const Instance *instance = session->instance;
    const int mode = instance->state->mode, n_rooms = session->n_rooms;
    const unsigned categories = instance->log_categories;
    const char *outer = present;
    int outer_messages[N_STATUSES];
    size_t size = 0;
    char *before = inside ? NULL : snapshot(session, &size), *after = NULL;
    const RandomCall *call = some_call(session, mode);
    if (traces < 0)
        traces = getenv("TRACE") != NULL;
    char told[200];
    snprintf(told, sizeof told, "%.120s%s%s in mode %d", outer, inside ? ", within: " : ": ", call->name, mode);
    present = told;

    memcpy(outer_messages, session->n_messages, sizeof outer_messages);
    memset(session->n_messages, 0, sizeof session->n_messages);
    session->is_null = 0;
    const int status = call->run(session);
    if (traces)
        fprintf(stderr, "%s at %.17g: %d\n", present, time_now(session), status);
    note(session, call->name, strlen(call->name));
    note(session, &status, sizeof status);
    check_messages(session, status, categories & instance->log_categories);
    const unsigned legal = instance->state->interface_type == MODEL_EXCHANGE ? call->model_exchange : call->co_simulation;
    if (!(legal & (unsigned)mode) && status != STATUS_ERROR)
        fail("an illegal call was not refused");
    free_rooms(session, n_rooms);
    if (!inside) {
        after = snapshot(session, &size);
        check_unchanged(session, call, status, mode, before, after, size);
    }
    free(before);
    free(after);
    memcpy(session->n_messages, outer_messages, sizeof outer_messages);
    session->is_null = 0;
    present = outer;
}
