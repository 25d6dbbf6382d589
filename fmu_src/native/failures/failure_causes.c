#include "failure_causes.h"
#include "auto_updates.h"
#include "consistency.h"
#include "contact_pool.h"
#include "contact_table.h"
#include "delays.h"
#include "elementary.h"
#include "events.h"
#include "friction_table.h"
#include "handler_actions.h"
#include "projection.h"
#include "rims.h"
#include "rows.h"
#include "step_grid.h"

#include <float.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

/* what the words are about, and where they go */
typedef struct {
    const Model *model;
    const State *state;
    const Integration *failure;
    int is_fixed, at_velocity_level;
    char *text;
    size_t size, length;
} Words;

static void add(Words *words, const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    int n = vsnprintf(words->text + words->length, words->size - words->length, format, arguments);
    va_end(arguments);
    words->length += n < 0 ? 0 : (size_t)n;
    if (words->length >= words->size)
        words->length = words->size - 1;
}

/* a number with its unit; "1" is no unit. A NaN has no sign, as platforms print it differently */
static void add_number(Words *words, int digits, double value, const char *unit) {
    int has_unit = strcmp(unit, "1") != 0;
    if (isnan(value))
        add(words, "nan");
    else
        add(words, "%.*g", digits, value);
    add(words, "%s%s", has_unit ? " " : "", has_unit ? unit : "");
}

/* the entry of y that failed; empty if there is none */
static const char *culprit_of_y(const Words *words) {
    int culprit = words->failure->culprit;
    return culprit >= 0 && culprit < y_size(words->model) ? words->model->y_names[culprit] : "";
}

static const char *event_name(const Words *words) { return words->model->events->events[words->failure->culprit].name; }

#define FIXED_POINTS                                                                                                                       \
    "Give a circle or a cylinder points that are fixed on it (points=4; of a robot UrdfContact(cylinder_points=4)), and take a circle "    \
    "with points in place of a torus"

static void word_outside(Words *words) {
    const Integration *failure = words->failure;
    const Contact *contact = contact_of(words->model, failure->culprit);
    if (words->at_velocity_level) {
        add(words, "contact '%s' overlaps: its distance is ", event_name(words));
        add_number(words, 9, failure->value, contact->unit);
        add(words, ", and no start may be below zero by more than ten tolerances. No other contact is deeper. Move the bodies apart, by "
                   "coordinates or by frames of the shapes, or set a larger tolerance of the contact (tolerance = ...).");
        return;
    }
    if (failure->constraint >= 0)
        add(words, "the handler of event '%s' failed: ", words->model->events->events[failure->constraint].name);
    add(words, "'%s' is outside its limit: its distance is ", event_name(words));
    add_number(words, 9, failure->value, contact->unit);
    add(words, ", and must not be below zero. Start from a state without distances below zero, and let event handlers set only such "
               "states.");
}

static void word_chattering(Words *words) {
    const Event *event = words->model->events->events + words->failure->culprit;
    int is_zeno = memory_of(event, (double *)(uintptr_t)words->state->w)[MEMORY_N_SHORT] <= MANY_SHORT;
    add(words, "event '%s' chatters: it occurred again, %.3g s after the last time; ", event->name, words->failure->value);
    if (is_zeno)
        add(words, "each interval is shorter than the one before.");
    else
        add(words, "it has done so %d times at practically one time.", MANY_SHORT);
    add(words, " Let its handler stop the repetition when the changes become small: by event.terminate_when(condition), by disabling the "
               "event, or by enabling a constraint that replaces it.");
}

static void word_out_of_bounds(Words *words) {
    const Bound *bound = words->model->events->bounds + words->failure->constraint;
    add(words, "the handler of event '%s' failed: it sets '%s' to ", event_name(words), bound->name);
    add_number(words, 9, words->failure->value, bound->unit);
    add(words, ", which is out of bounds. It must be ");
    if (bound->greatest < DBL_MAX)
        add(words, "from %g to %g.", bound->least, bound->greatest);
    else
        add(words, "at least %g.", bound->least);
}

static void word_unsolved_friction(Words *words) {
    add(words,
        "no %s were found that satisfy the laws of dry friction: the best ones leave a relative residual of %.1e, the largest one at "
        "'%s'. ",
        words->at_velocity_level ? "impulses of the step" : "forces or impulses", words->failure->value, event_name(words));
    add(words, "%s describe stacks and grasps by fewer points.",
        words->at_velocity_level ? "Take other steps, lower the friction, or" : "Lower the friction, or");
}

static void word_full_pool(Words *words) {
    const ContactTable *contacts = words->model->contacts;
    const int contact = contacts->contact_of_event[words->failure->culprit];
    const SlotPool *pool = NULL;
    for (int i = 0; i < contacts->n_pools; i++)
        if (contacts->pools[i].first == contact)
            pool = contacts->pools + i;
    add(words,
        "the pool of contacts '%s' is full: it has %d slots, and %.0f points of contact are near. Give it more: "
        "contacts.rigid(slots=%.0f). If bodies are faster than they should be, take shorter steps: a stiff drive may have made them so.",
        pool ? pool->name : event_name(words), pool ? pool->n : 0, words->failure->value, ceil(1.5 * words->failure->value));
}

static void word_flat_rim(Words *words, const char *name) {
    add(words, "contact '%s' lies flat, where the nearest point of its rim is not determined. " FIXED_POINTS ".", name);
}

/* a failure of an event or of a contact */
static void word_failure_of_event(Words *words) {
    const Model *model = words->model;
    const Integration *failure = words->failure;
    const char *event = event_name(words);
    switch (failure->outcome) {
    case CONTACT_OUTSIDE:
        word_outside(words);
        break;
    case CONTACT_UNSOLVED:
        add(words,
            "the impulses or forces of unilateral constraints cannot be computed: '%s' contradicts other constraints. Look for a "
            "motion or a lock that drives its distance below zero.",
            event);
        break;
    case CONTACT_POOL_FULL:
        word_full_pool(words);
        break;
    case FRICTION_UNSOLVED:
        word_unsolved_friction(words);
        break;
    case FRICTION_PARADOX:
        add(words,
            "contact '%s' cannot slide on: with mu = %.6g its normal force would grow without bound (Painleve). Lower the friction, take "
            "fixed steps (integrator='velocity_level'), whose impulses have a limit, or "
            "use a compliant contact, where there is one of its shapes.",
            event, failure->value);
        break;
    case CONTACT_LIES_FLAT:
        if (!(failure->value > 0)) { /* not in a fixed step */
            word_flat_rim(words, event);
            break;
        }
        add(words,
            "contact '%s' lies flat, or nearly: its nearest point goes around its rim by %.3g rad in a step. " FIXED_POINTS
            ", or use shorter steps.",
            event, failure->value);
        break;
    case CONTACT_NOT_PROJECTED:
        add(words,
            "constraint '%s' cannot be satisfied together with the active unilateral constraints: an error of %.3g remains. Look for "
            "constraints that contradict the active limits.",
            constraint_name(model, failure->constraint), failure->value);
        break;
    case CONTACT_CHATTERING:
        add(words,
            "contact '%s' chatters: it opens and closes, or sticks and slips, again and again, so that time hardly advances, and a larger "
            "capture speed does not stop it. Give it a restitution of 0 or a compliance.",
            event);
        break;
    case WITNESS_NOT_A_NUMBER:
        if (contact_of(model, failure->culprit))
            add(words, "the distance or the force of '%s' is not a number. Look for a joint at a singularity of its coordinates.", event);
        else
            add(words, "the witness of event '%s' is not a number. Look for a division by zero or a value outside of a function's domain.",
                event);
        break;
    case EVENT_CHATTERING:
        word_chattering(words);
        break;
    case HANDLER_OUT_OF_BOUNDS:
        word_out_of_bounds(words);
        break;
    case HANDLER_NOT_PROJECTED:
        add(words,
            "the handler of event '%s' failed: the state after it does not satisfy constraint '%s', and the projection leaves an error "
            "of %.3g. Let it set values that nearly satisfy the constraints.",
            event, constraint_name(model, failure->constraint), failure->value);
        break;
    case HANDLER_IMPULSE:
        add(words,
            "the handler of event '%s' failed: no impulse along constraint '%s' gives the velocity errors that its restitution "
            "requires. The constraint contradicts other ones, or its bodies have prescribed motions or no mass.",
            event, constraint_name(model, failure->constraint));
        break;
    case HANDLER_SCHEDULES_PAST:
        add(words, "the handler of event '%s' failed: it schedules its next time at %.15g s, which is not later than now.", event,
            failure->value);
        break;
    default:
        if (isfinite(failure->value)) {
            add(words, "the handler of event '%s' failed: it leaves a quaternion of zeros, which is not a rotation.", event);
            break;
        }
        add(words, "the handler of event '%s' failed: it sets a value that is not finite: ", event);
        add_number(words, 6, failure->value, "1");
        add(words, ". Look for a division by zero or a value outside of a function's domain.");
    }
}

static void word_too_many_steps(Words *words) {
    const Integration *failure = words->failure;
    if (words->is_fixed) {
        add(words, "%.0f steps of %g s were tried, and max_steps allows no more.", failure->value, failure->step_size);
        return;
    }
    add(words,
        "%.0f steps were tried, and max_steps allows no more. The next step would be %.3g s long; the error of '%s' is the largest. "
        "Look for stiffness, damping or events that require short steps.",
        failure->value, failure->step_size, culprit_of_y(words));
}

/* whether a block has the normal row or a tangent row of a contact */
static int is_of_contact(const Model *model, int block) {
    if (!model->contacts)
        return 0;
    for (int f = 0; f < n_frictions(model); f++) {
        const Friction *friction = friction_at(model, f);
        if (friction->contact >= 0 && block >= friction->block && block < friction->block + friction->n)
            return 1;
    }
    return model->contacts->contact_of_block[block] >= 0;
}

static void word_moved_too_far(Words *words) {
    const Integration *failure = words->failure;
    add(words, "constraint '%s' changes '%s' by ", constraint_name(words->model, failure->constraint), culprit_of_y(words));
    add_number(words, 3, failure->value, words->model->y_units[failure->culprit]);
    add(words, " after a step, even after the smallest one. This is too inaccurate. ");
    if (is_of_contact(words->model, failure->constraint)) {
        add(words,
            "Look for shapes whose nearest points move far where the bodies turn by round-off, such as capsules that lie nearly along each "
            "other and stick. Use friction of 0, or contacts that are compliant.");
        return;
    }
    add(words, "Look for a configuration where a closed loop can continue "
               "in several ways, such as all bars in line. Near it, speeds are accurate only to about 1e-8. Keep the loop away from this "
               "configuration by bars of other lengths or by a limit.");
}

static void word_history_full(Words *words) {
    const Delay *delay = words->model->delays->delays + words->failure->culprit;
    add(words, "the record of delay '%s' is full: it has %d entries for %g s. Use a larger capacity, Delay(..., capacity=%d).", delay->name,
        delay->capacity, delay->delay, 2 * delay->capacity);
}

/* a failure of a step */
static void word_failure_of_step(Words *words) {
    const Model *model = words->model;
    const Integration *failure = words->failure;
    switch (failure->outcome) {
    case NOT_FINITE:
        add(words, "the derivative of '%s' is ", culprit_of_y(words));
        add_number(words, 6, failure->value, "1");
        add(words, "%s. Look for forces that are not smooth or not finite, such as a division by zero%s.",
            words->is_fixed ? "" : ", even with the smallest step",
            words->is_fixed ? ", or use shorter steps, which stiff forces need" : "");
        break;
    case TOO_INACCURATE:
        add(words,
            "even a step of %.3g s is not accurate enough: the error of '%s' is %.3g times the allowed one. Look for a discontinuity or "
            "a very stiff element.",
            failure->step_size, culprit_of_y(words), failure->value);
        break;
    case NOT_PROJECTED:
        add(words,
            "constraint '%s' is not satisfied%s: an error of %.3g remains. Look for constraints that contradict each other, or for a "
            "closed loop that is blocked%s.",
            constraint_name(model, failure->culprit), words->is_fixed ? "" : ", even with the smallest step", failure->value,
            words->is_fixed ? ", or use shorter steps" : "");
        break;
    case MOVED_TOO_FAR:
        word_moved_too_far(words);
        break;
    case HISTORY_FULL:
        word_history_full(words);
        break;
    case UPDATE_NOT_FINITE:
        add(words, "the next value of '%s' is ", model->auto_updates->updates[failure->culprit].name);
        add_number(words, 6, failure->value, "1");
        add(words, ". Look for a division by zero or a value outside of a function's domain.");
        break;
    case TOO_MANY_STEPS:
        word_too_many_steps(words);
        break;
    case STEP_NOT_FINITE:
        add(words, "'%s' is ", culprit_of_y(words));
        add_number(words, 6, failure->value, "1");
        add(words, " after a step. Look for forces that are not finite, or use shorter steps, which stiff forces need.");
        break;
    case STEP_UNSOLVED:
        add(words,
            "the impulses of constraints cannot be computed, because of round-off at constraint '%s'. Look for constraints that nearly "
            "depend on each other.",
            constraint_name(model, failure->culprit));
        break;
    case JOINT_JAMMED:
        add(words,
            "the friction of '%s' has no solution: it grows with the load that it causes, or redundant constraints leave the load "
            "open. Lower the friction of the load, or lengthen the guide.",
            constraint_name(model, failure->culprit));
        break;
    case ZERO_QUATERNION:
        add(words, "the quaternion that begins with '%s' is zero, which is not a rotation. Set one of unit length, such as [1, 0, 0, 0].",
            model->y_names[model->quaternions[failure->culprit] - model->y_at]);
        break;
    default: /* KERNEL_STOPPED, EVENT_STOPPED: the host knows why */
        add(words, "a function that the run calls has failed.");
    }
}

static int is_of_event(Outcome outcome) {
    return outcome >= WITNESS_NOT_A_NUMBER && outcome != JOINT_JAMMED && outcome != EVENT_STOPPED && outcome != KERNEL_STOPPED;
}

Explanation describe_failure(const Model *model, State *state, int at_velocity_level, const Integration *failure, char *text, size_t size) {
    Words words = {model, state, failure, at_velocity_level || has_fixed_steps(state), at_velocity_level, text, size, 0};
    Explanation explanation = EXPLAINED_BY_OUTCOME;
    text[0] = 0;

    /* a rim that lies flat, or a contradiction, explains more than the step that it makes impossible */
    const Contact *flat = at_velocity_level ? NULL : flat_contact(model, state, failure);
    if (flat) {
        word_flat_rim(&words, model->events->events[flat->event].name);
        return EXPLAINED_BY_FLAT_RIM;
    }
    if (is_of_event(failure->outcome)) {
        word_failure_of_event(&words);
        return explanation;
    }
    if ((failure->outcome == NOT_FINITE || failure->outcome == STEP_NOT_FINITE) &&
        describe_contradictions(model, state, &explanation, text, size))
        return explanation;
    word_failure_of_step(&words);
    return explanation;
}

int describe_contradictions(const Model *model, State *state, Explanation *explanation, char *text, size_t size) {
    char names[LONGEST_CAUSE / 2];
    double miss;
    if (!model->rows || !contradictions(model->rows, state->w, names, sizeof names, &miss))
        return 0;
    word_contradictions(names, miss, text, size);
    *explanation = is_friction_contradicting(model->rows, state->w) ? EXPLAINED_BY_CONTRADICTING_FRICTION : EXPLAINED_BY_CONTRADICTION;
    return 1;
}

void word_contradictions(const char *names, double miss, char *text, size_t size) {
    snprintf(text, size,
             "constraints contradict each other: no accelerations satisfy all of %s; the nearest accelerations violate them by %.3g in the "
             "unit of the error per s^2. Remove or disable one of them, or make their prescribed motions agree.",
             names, miss);
}

void word_ambiguous_impacts(const char *names, char *text, size_t size) {
    snprintf(
        text, size,
        "impacts of %s follow each other too fast to tell their order. The later motion depends on this order, and so it may depend on "
        "how accurate the steps are. The motion is unique with a restitution of 0 or with compliant limits (compliance).",
        names);
}

void word_sliding_impacts(const char *names, char *text, size_t size) {
    snprintf(text, size,
             "contact %s could not slide on: no finite forces satisfy the laws of dry friction (Painleve). An impact without collision "
             "has stopped or turned the slip at once, and taken energy. The motion after it depends on how rigid the bodies are; with "
             "lower friction or compliant contacts there is no such impact.",
             names);
}
