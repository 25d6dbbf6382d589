/* Calls of instances whose tables may be wrong: none may leave its memory. */
#ifndef MOBOD_TABLES_IN_USE_H
#define MOBOD_TABLES_IN_USE_H

#include "communication_step.h"
#include "directional.h"
#include "instance.h"
#include "read_blob.h"
#include "saved_states.h"
#include "state.h"
#include "values.h"

#include <stdlib.h>

enum { MOST_VALUES = 64, N_STEPS = 3 };

static void ignore(const Importer *importer, const char *name, Status status, const char *category, const char *message) {
    (void)importer, (void)name, (void)status, (void)category, (void)message;
}

static void read_all(Instance *instance) {
    for (int i = 0; i < instance->interface->n_variables; i++) {
        const unsigned reference = (unsigned)i;
        double real;
        int integer;
        if (instance->interface->variables[i].type == TYPE_REAL)
            get_reals(instance, &reference, 1, &real, 1);
        else if (instance->interface->variables[i].type == TYPE_INTEGER)
            get_integers(instance, &reference, 1, &integer, 1, TYPE_INTEGER);
        else
            get_booleans(instance, &reference, 1, &integer, 1);
    }
}

static void save_and_restore(Instance *instance) {
    void *saved = NULL, *again = NULL;
    size_t size;
    if (save_state(instance, &saved) == STATUS_OK && saved_state_size(instance, saved, &size) == STATUS_OK) {
        char *bytes = malloc(size);
        if (bytes && saved_state_to_bytes(instance, saved, bytes, size) == STATUS_OK &&
            saved_state_from_bytes(instance, bytes, size, &again) == STATUS_OK)
            restore_state(instance, again);
        free(bytes);
    }
    if (saved)
        free_saved_state(instance, &saved);
    if (again)
        free_saved_state(instance, &again);
}

static void differentiate(Instance *instance) {
    unsigned of[MOST_VALUES], by[1] = {0};
    double seeds[1] = {1}, changes[MOST_VALUES];
    const int n = instance->interface->n_variables < MOST_VALUES ? instance->interface->n_variables : MOST_VALUES;
    for (int i = 0; i < n; i++)
        of[i] = (unsigned)i;
    for (int i = 0; i < n; i++) {
        by[0] = (unsigned)i;
        directional_derivative(instance, (Derivatives){of, (size_t)n, by, 1}, seeds, 1, changes, (size_t)n);
    }

    /* backwards, of one unknown with respect to all states */
    double seed = 1;
    const Model *model = instance->model;
    for (int i = 0; i < n; i++) {
        size_t n_knowns = 0;
        unsigned states[MOST_VALUES];
        for (int k = 0; k < n; k++) {
            const int entry = instance->interface->variables[k].at - model->y_at;
            if (entry >= 0 && entry < y_size(model) && instance->interface->variables[k].n == 1)
                states[n_knowns++] = (unsigned)k;
        }
        by[0] = (unsigned)i;
        adjoint_derivative(instance, (Derivatives){by, 1, states, n_knowns}, &seed, 1, changes, n_knowns);
    }
}

/* NULL if there is no memory for it */
static Instance *instance_of(const Blob *blob) {
    return create_instance(model_of_blob(blob), interface_of_blob(blob), "changed", (Importer){.log_message = ignore});
}

/* whether it can go on */
static int initialize(Instance *instance) {
    const double tolerance = 1e-4;
    set_up_experiment(instance, 0, NULL, &tolerance);
    return enter_initialization(instance) == STATUS_OK && exit_initialization(instance) == STATUS_OK;
}

/* communication step number i, and what can be read at its end */
static void step_and_read(Instance *instance, int i) {
    static const double TIMES[N_STEPS + 1] = {0, 0.01, 0.13, 0.3};
    do_step(instance, TIMES[i], TIMES[i + 1] - TIMES[i], NULL);
    read_all(instance);
    differentiate(instance);
}

#endif
