#include "failure_messages.h"
#include "elementary.h"
#include "event_table.h"
#include "failure_causes.h"
#include "impact.h"
#include "logging.h"
#include "step_grid.h"

static const char *const DETERMINE_MODES =
    " Contacts that press or dry friction that sticks are among them: use co-simulation with error control or with fixed steps at "
    "velocity level, which determine which of these contacts open and where slips begin. Model exchange and other fixed steps do not.";

/* what can be done by options of an FMU and of its importer */
static const char *remedy(const Instance *instance, Outcome outcome) {
    const int is_fixed = has_fixed_steps(instance->state);
    switch (outcome) {
    case TOO_INACCURATE:
        return " Or use a larger tolerance.";
    case MOVED_TOO_FAR:
        return " Or use a tolerance of 1e-8 or larger.";
    case HISTORY_FULL:
        return " Export the model again with it, or use a larger tolerance.";
    case TOO_MANY_STEPS:
        return is_fixed ? " Use shorter communication steps, or increase 'max_steps'."
                        : " Use shorter communication steps or a larger tolerance, or increase 'max_steps'.";
    case STEP_NOT_FINITE:
        return is_fixed ? "" : " Export the FMU with shorter ones.";
    case FRICTION_PARADOX:
        return " Or export the FMU with fixed steps at velocity level.";
    case FRICTION_UNSOLVED:
        return instance->of_fixed_steps ? "" : " Or export the FMU with fixed steps at velocity level.";
    default:
        return "";
    }
}

Status log_contradictions(const Instance *instance, double time, LogFailure *log_as) {
    char cause[LONGEST_CAUSE];
    Explanation explanation;
    if (!describe_contradictions(instance->model, instance->state, &explanation, cause, sizeof cause))
        return STATUS_OK;
    return log_as(instance, "at time %.15g s %s%s", time, cause, explanation == EXPLAINED_BY_CONTRADICTING_FRICTION ? DETERMINE_MODES : "");
}

Status log_failure(const Instance *instance, const Integration *failure, LogFailure *log_as) {
    const Model *model = instance->model;
    char cause[LONGEST_CAUSE];
    if (instance->state->stopped)
        return STATUS_ERROR; /* see check_not_stopped */
    Explanation explanation = describe_failure(model, instance->state, instance->of_fixed_steps != NULL, failure, cause, sizeof cause);
    const char *then = explanation == EXPLAINED_BY_OUTCOME                  ? remedy(instance, failure->outcome)
                       : explanation == EXPLAINED_BY_CONTRADICTING_FRICTION ? DETERMINE_MODES
                                                                            : "";

    /* after a failure of an event no shorter step can succeed */
    if (failure->outcome >= WITNESS_NOT_A_NUMBER)
        return log_error(instance, "at time %.15g s %s%s", failure->time, cause, then);
    return log_as(instance, "at time %.15g s %s%s The state from before this call, at %.15g s, is kept.", failure->time, cause, then,
                  instance->w_before[model->time_at]);
}

static void log_sliding_impacts(const Instance *instance) {
    double time = -INFINITY;
    char names[LONGEST_CAUSE / 2], cause[LONGEST_CAUSE];
    while (next_noted_impacts(instance->model, instance->w_before, instance->state->w, MEMORY_N_SLIDING, &time, names, sizeof names)) {
        word_sliding_impacts(names, cause, sizeof cause);
        log_warning(instance, "at time %.15g s %s", time, cause);
    }
}

Status log_noted_impacts(const Instance *instance) {
    double time = -INFINITY;
    char names[LONGEST_CAUSE / 2], cause[LONGEST_CAUSE];
    log_sliding_impacts(instance);
    while (next_noted_impacts(instance->model, instance->w_before, instance->state->w, MEMORY_N_AMBIGUOUS, &time, names, sizeof names)) {
        word_ambiguous_impacts(names, cause, sizeof cause);
        int is_error = instance->interface->ambiguous_is_an_error;
        (is_error ? log_error : log_warning)(instance, "at time %.15g s %s Compare with a run at another tolerance.", time, cause);
        if (is_error)
            return STATUS_ERROR;
    }
    return STATUS_OK;
}
