#include "failure_messages.h"
#include "auto_updates.h"
#include "consistency.h"
#include "delays.h"
#include "elementary.h"
#include "events.h"
#include "handler_actions.h"
#include "impact.h"
#include "logging.h"
#include "projection.h"
#include "rims.h"
#include "rows.h"
#include "step_grid.h"

#define FIXED_POINTS                                                                                                                       \
    "Give a circle or a cylinder points that are fixed on it (points=4; of a robot cylinder_points=4), and take a circle with points in "  \
    "place of a torus"

static const char *const DETERMINE_MODES =
    " Contacts that press or dry friction that sticks are among them: use co-simulation with error control or with fixed steps at "
    "velocity level, which determine which of these contacts open and where slips begin. Model exchange and other fixed steps do not.";

Status log_contradictions(const Instance *instance, double time, LogFailure *log_as) {
    const RowTable *rows = instance->model->rows;
    char names[512];
    double miss;
    if (!rows || !contradictions(rows, instance->state->w, names, sizeof names, &miss))
        return STATUS_OK;
    return log_as(instance,
                  "at time %.15g s constraints contradict each other: no accelerations satisfy all of %s; the nearest accelerations "
                  "violate them by %.3g "
                  "in the unit of the error per s^2. Remove or disable one of them, or make their prescribed motions agree.%s",
                  time, names, miss, is_friction_contradicting(rows, instance->state->w) ? DETERMINE_MODES : "");
}

/* log the failure of an event */
static Status log_event_failure(const Instance *instance, const Integration *failure) {
    const Model *model = instance->model;
    const char *event = model->events->events[failure->culprit].name;
    double time = failure->time, value = failure->value;
    switch (failure->outcome) {
    case CONTACT_OUTSIDE:
        return log_error(instance,
                         "at time %.15g s '%s' is outside its limit: its distance is %g, and must not be below zero. Start from a state "
                         "without distances below "
                         "zero, and let event handlers set only such states.",
                         time, event, value);
    case CONTACT_UNSOLVED:
        return log_error(instance,
                         "at time %.15g s the impulses or forces of unilateral constraints cannot be computed: '%s' contradicts other "
                         "constraints. Look for a motion or a lock that drives its distance below zero.",
                         time, event);
    case FRICTION_UNSOLVED:
        return log_error(instance,
                         "at time %.15g s no forces or impulses were found that satisfy the laws of dry friction: the best ones leave a "
                         "relative residual of %.1e, the largest one at '%s'. Lower the friction, or describe stacks and grasps by fewer "
                         "points.",
                         time, value, event);
    case FRICTION_PARADOX:
        return log_error(instance,
                         "contact '%s' cannot slide on at t = %.15g s: with mu = %g its normal force would grow without bound (Painleve). "
                         "Lower the friction, use fixed steps at velocity level, or a compliant contact.",
                         event, time, value);
    case CONTACT_LIES_FLAT:
        return log_error(
            instance,
            "at time %.15g s contact '%s' lies flat, or nearly: its nearest point goes around its rim by %.3g rad in a step. " FIXED_POINTS
            ", or use shorter steps.",
            time, event, value);
    case CONTACT_NOT_PROJECTED:
        return log_error(
            instance,
            "at time %.15g s constraint '%s' cannot be satisfied together with the active unilateral constraints: an error of %g "
            "remains. Look for constraints that contradict the active limits.",
            time, constraint_name(model, failure->constraint), value);
    case CONTACT_CHATTERING:
        return log_error(
            instance,
            "at time %.15g s contact '%s' chatters: it opens and closes again and again, and a larger capture speed does not stop "
            "it. Give it a restitution of 0 or a compliance.",
            time, event);
    case WITNESS_NOT_A_NUMBER:
        return contact_of(model, failure->culprit)
                   ? log_error(instance,
                               "at time %.15g s the distance or the force of '%s' is not a number. Look for a joint at a singularity of "
                               "its coordinates.",
                               time, event)
                   : log_error(
                         instance,
                         "at time %.15g s the witness of event '%s' is not a number. Look for a division by zero or a value outside of "
                         "a function's domain.",
                         time, event);
    case EVENT_CHATTERING:
        return log_error(
            instance,
            "at time %.15g s event '%s' chatters: it occurs again and again, last after %g s. Let its handler stop the repetition "
            "when the changes become small.",
            time, event, value);
    case HANDLER_OUT_OF_BOUNDS:
        return log_error(instance, "at time %.15g s the handler of event '%s' sets '%s' to %g. Its value must be from %g to %g.", time,
                         event, model->events->bounds[failure->constraint].name, value, model->events->bounds[failure->constraint].least,
                         model->events->bounds[failure->constraint].greatest);
    case HANDLER_NOT_PROJECTED:
        return log_error(
            instance,
            "at time %.15g s the state after the handler of event '%s' does not satisfy constraint '%s', and the projection leaves "
            "an error of %g. Let the handler set values that nearly satisfy the constraints.",
            time, event, constraint_name(model, failure->constraint), value);
    case HANDLER_IMPULSE:
        return log_error(instance,
                         "at time %.15g s no impulse by event '%s' along constraint '%s' gives the velocity errors that its restitution "
                         "requires. The constraint contradicts other ones, or its bodies have prescribed motions or no mass.",
                         time, event, constraint_name(model, failure->constraint));
    case HANDLER_SCHEDULES_PAST:
        return log_error(instance, "at time %.15g s event '%s' schedules its next time at %.15g s, which is not later than now.", time,
                         event, value);
    default:
        return log_error(instance,
                         "at time %.15g s the handler of event '%s' sets a value that is not finite: %g. Look for a division by zero or a "
                         "value outside of a function's domain.",
                         time, event, value);
    }
}

#define STATE_IS_KEPT "The state from before this call, at %.15g s, is kept."

Status log_failure(const Instance *instance, const Integration *failure, LogFailure *log_as) {
    const Model *model = instance->model;
    double time = failure->time, kept = instance->w_before[model->time_at];
    int culprit = failure->culprit;
    Status contradiction;
    const int is_fixed = has_fixed_steps(instance->state);
    const char *at_last = is_fixed ? "" : ", even with the smallest step";
    if (instance->state->stopped)
        return STATUS_ERROR; /* see check_not_stopped */
    if (failure->outcome == JOINT_JAMMED)
        return log_error(instance,
                         "at time %.15g s the friction of '%s' has no solution: it grows with the load that it causes, or redundant "
                         "constraints leave the load open. Lower the friction of the load, or lengthen the guide.",
                         time, constraint_name(model, culprit));
    if (failure->outcome >= WITNESS_NOT_A_NUMBER)
        return log_event_failure(instance, failure);
    const Contact *flat = flat_contact(model, instance->state, failure->outcome);
    if (flat)
        return log_as(instance,
                      "at time %.15g s contact '%s' lies flat, where the nearest point of its rim is not determined. " FIXED_POINTS
                      ". " STATE_IS_KEPT,
                      time, model->events->events[flat->event].name, kept);
    switch (failure->outcome) {
    case NOT_FINITE:
        if ((contradiction = log_contradictions(instance, time, log_as)) != STATUS_OK)
            return contradiction;
        return log_as(instance,
                      "at time %.15g s the derivative of '%s' is %g%s. " STATE_IS_KEPT
                      " Look for a division by zero or a value outside of a function's domain%s.",
                      time, model->y_names[culprit], failure->value, at_last, kept,
                      is_fixed ? ", or use shorter steps, which stiff forces need" : "");
    case TOO_INACCURATE:
        return log_as(instance,
                      "at time %.15g s even a step of %g s is not accurate enough: the error of '%s' is %g times the limit of the "
                      "tolerance %g. " STATE_IS_KEPT " Look for a discontinuity or a very stiff element, or use a larger tolerance.",
                      time, failure->step_size, model->y_names[culprit], failure->value, instance->state->tolerance, kept);
    case NOT_PROJECTED:
        return log_as(instance,
                      "at time %.15g s constraint '%s' is not satisfied%s: an error of %g remains. " STATE_IS_KEPT
                      " Look for constraints that contradict each other, or for a closed loop that is blocked%s.",
                      time, constraint_name(model, culprit), at_last, failure->value, kept, is_fixed ? ", or use shorter steps" : "");
    case MOVED_TOO_FAR:
        return log_as(instance,
                      "at time %.15g s constraint '%s' changes '%s' by %g after a step, even after the smallest one. This is too "
                      "inaccurate. " STATE_IS_KEPT
                      " Look for a configuration where a closed loop can continue in several ways, such as all bars in line. "
                      "Near it, speeds are accurate only to about 1e-8. Use a tolerance of 1e-8 or larger, or keep the loop away from this "
                      "configuration by bars of other lengths or by a limit.",
                      time, model->rows->blocks[failure->constraint].name, model->y_names[culprit], failure->value, kept);
    case HISTORY_FULL:
        return log_as(instance,
                      "at time %.15g s the record of delay '%s' is full: it has %d entries for %g s. Export the model with a larger "
                      "capacity, Delay(..., capacity=%d), or use a larger tolerance.",
                      time, model->delays->delays[culprit].name, model->delays->delays[culprit].capacity,
                      model->delays->delays[culprit].delay, 2 * model->delays->delays[culprit].capacity);
    case UPDATE_NOT_FINITE:
        return log_as(instance,
                      "at time %.15g s the next value of '%s' is %g. " STATE_IS_KEPT
                      " Look for a division by zero or a value outside of a function's domain.",
                      time, model->auto_updates->updates[culprit].name, failure->value, kept);
    case TOO_MANY_STEPS:
        if (is_fixed)
            return log_as(instance,
                          "%.0f integration steps of %g s were tried, up to %.15g s, and 'max_steps' allows no more. " STATE_IS_KEPT
                          " Use shorter communication steps, or increase 'max_steps'.",
                          failure->value, failure->step_size, time, kept);
        return log_as(
            instance,
            "%.0f integration steps were tried, up to %.15g s, and 'max_steps' allows no more. The next step would be %.3g s long; "
            "the error of '%s' is the largest. " STATE_IS_KEPT " Look for stiffness, damping or events that require short steps. Use "
            "shorter communication steps or a larger tolerance, or increase 'max_steps'.",
            failure->value, time, failure->step_size, culprit < y_size(model) ? model->y_names[culprit] : "", kept);
    case STEP_NOT_FINITE:
        if ((contradiction = log_contradictions(instance, time, log_as)) != STATUS_OK)
            return contradiction;
        return log_as(instance,
                      "at time %.15g s '%s' is %g after a step. " STATE_IS_KEPT
                      " Look for forces that are not finite. Stiff forces need shorter steps%s.",
                      time, model->y_names[culprit], failure->value, kept, is_fixed ? "" : ": export the FMU with shorter ones");
    case STEP_UNSOLVED:
        return log_as(instance,
                      "at time %.15g s the impulses of constraints cannot be computed, because of round-off at constraint '%s'. Look for "
                      "constraints that nearly depend on each other.",
                      time, model->rows->blocks[culprit].name);
    default:
        return log_as(instance, "at time %.15g s the quaternion that begins with '%s' is zero. " STATE_IS_KEPT, time,
                      model->y_names[model->quaternions[culprit] - model->y_at], kept);
    }
}

Status log_ambiguous_impacts(const Instance *instance) {
    double time = -INFINITY;
    char names[512];
    while (next_ambiguous_impacts(instance->model, instance->w_before, instance->state->w, &time, names, sizeof names)) {
        int is_error = instance->interface->ambiguous_is_an_error;
        (is_error ? log_error : log_warning)(
            instance,
            "at time %.15g s impacts of %s follow each other too fast to tell their order. The later motion depends on this order, and so "
            "it may "
            "depend on the tolerance. Compare with a run at another tolerance. The motion is unique with a restitution of 0 or with "
            "compliant limits.",
            time, names);
        if (is_error)
            return STATUS_ERROR;
    }
    return STATUS_OK;
}
