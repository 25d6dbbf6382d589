#include "bare_model.h"

#include "bare_memory.h"
#include "communication_step.h"
#include "instance.h"
#include "logging.h"
#include "values.h"

enum { LONGEST_MESSAGE = 400 };

/* at the beginning of the memory; the numbers of the instance follow */
typedef struct {
    Instance *instance; /* NULL: there is none */
    size_t bytes;
    double from, step; /* s: equal steps are counted from here, so that their times are not a running sum, */
    double count;      /* and how many they are */
    char message[LONGEST_MESSAGE];
} BareModel;

static void keep_message(const Importer *importer, const char *name, Status status, const char *category, const char *message) {
    (void)name, (void)status, (void)category;
    BareModel *model = importer->environment;
    size_t n = strlen(message);
    n = n < LONGEST_MESSAGE ? n : LONGEST_MESSAGE - 1;
    memcpy(model->message, message, n);
    model->message[n] = '\0';
}

static Status fault(BareModel *model, const char *message) {
    keep_message(&(Importer){.environment = model}, NULL, STATUS_ERROR, NULL, message);
    return STATUS_ERROR;
}

/* the model, for a call; NULL if its start has failed */
static BareModel *called(void *memory, const char *call) {
    BareModel *model = memory;
    if (!model->instance)
        return NULL;
    model->message[0] = '\0';
    model->instance->call = call;
    return model;
}

static Status set_group(Instance *instance, const BareGroup *group, const double *reals, const int *wholes) {
    Status status = group->n_reals ? set_reals(instance, group->reals, group->n_reals, reals, group->n_reals) : STATUS_OK;
    if (status == STATUS_OK && group->n_booleans)
        status = set_booleans(instance, group->booleans, group->n_booleans, wholes, group->n_booleans);
    if (status == STATUS_OK && group->n_integers)
        status = set_integers(instance, group->integers, group->n_integers, wholes + group->n_booleans, group->n_integers, TYPE_INTEGER);
    return status;
}

static Status start(Instance *instance, double start_time, const BareGroup *const groups[], const double *const reals[],
                    const int *const wholes[], size_t n_groups) {
    Status status = set_up_experiment(instance, start_time, NULL, NULL);
    for (size_t i = 0; status == STATUS_OK && i < n_groups; i++)
        if (reals[i])
            status = set_group(instance, groups[i], reals[i], wholes[i]);
    if (status == STATUS_OK)
        status = enter_initialization(instance);
    return status == STATUS_OK ? exit_initialization(instance) : status;
}

Status bare_start(void *memory, size_t size, double start_time, const BareGroup *const groups[], const double *const reals[],
                  const int *const wholes[], size_t n_groups) {
    BareModel *model = memory;
    *model = (BareModel){.instance = NULL};
    bare_give_memory((unsigned char *)memory + sizeof *model, size - sizeof *model);
    Importer importer = {.log_message = keep_message, .environment = model};
    Instance *instance = create_instance(&mobod_model, &mobod_interface, mobod_interface.model_name, importer);
    model->bytes = sizeof *model + bare_taken();
    bare_give_memory(NULL, 0);
    if (!instance)
        return fault(model, "model_init: the memory is too small. Is it that of the header of this model?");
    instance->call = "model_init";
    set_interface_type(instance, CO_SIMULATION);
    const Status status = start(instance, start_time, groups, reals, wholes, n_groups);
    model->instance = status > STATUS_WARNING ? NULL : instance;
    return status;
}

Status bare_set(void *memory, const BareGroup *group, const double *reals, const int *wholes) {
    BareModel *model = called(memory, "model_set");
    return model ? set_group(model->instance, group, reals, wholes) : STATUS_ERROR;
}

Status bare_get(void *memory, const BareGroup *group, double *reals, int *wholes) {
    BareModel *model = called(memory, "model_get");
    if (!model)
        return STATUS_ERROR;
    Status status = group->n_reals ? get_reals(model->instance, group->reals, group->n_reals, reals, group->n_reals) : STATUS_OK;
    if (status <= STATUS_WARNING && group->n_booleans)
        status = get_booleans(model->instance, group->booleans, group->n_booleans, wholes, group->n_booleans);
    if (status <= STATUS_WARNING && group->n_integers)
        status =
            get_integers(model->instance, group->integers, group->n_integers, wholes + group->n_booleans, group->n_integers, TYPE_INTEGER);
    return status;
}

Status bare_step(void *memory, double step) {
    BareModel *model = called(memory, "model_step");
    if (!model)
        return STATUS_ERROR;
    State *state = model->instance->state;
    if (state->mode == MODE_ERROR)
        return fault(model, "model_step: an earlier step has failed. Begin again with model_init.");
    const double time = bare_time(memory);
    if (step != model->step || time != model->from + model->count * step) {
        model->from = time;
        model->step = step;
        model->count = 0;
    }
    const Status status = step_to(model->instance, time, model->from + (model->count + 1) * step, NULL);
    if (status <= STATUS_WARNING)
        model->count++;
    if (state->mode == MODE_STEP_FAILED) /* nothing has changed */
        state->mode = MODE_STEP;
    return status;
}

double bare_time(const void *memory) {
    const BareModel *model = memory;
    return model->instance ? model->instance->state->w[model->instance->model->time_at] : (double)NAN;
}

const char *bare_message(const void *memory) { return ((const BareModel *)memory)->message; }

size_t bare_bytes(const void *memory) { return ((const BareModel *)memory)->bytes; }
