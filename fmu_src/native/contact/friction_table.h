/* The friction of contacts and joints: its modes, limits and slips. Which mode it has, friction.h decides. */
#ifndef MOBOD_FRICTION_TABLE_H
#define MOBOD_FRICTION_TABLE_H

#include "contact_table.h"
#include "friction_rows.h"

/* the friction of a contact, or of a joint; offsets into w */
typedef struct {
    int event;        /* number of its event */
    int contact;      /* number of its normal row among the unilateral rows; -1: a joint */
    int is_moment;    /* whether its rows are angular velocities, and its coefficient is in m */
    int n;            /* tangent rows: 1 or 2 */
    int block;        /* of the first tangent row; those of the others follow */
    int enabled;      /* a flag of its constraint */
    int mode;         /* FrictionMode */
    int rates;        /* [n] velocity errors of the tangent rows */
    int direction;    /* [n] of the slip; see slip_directions.h */
    int rest;         /* speed of a slip that counts as rest, since the last event */
    int kinetic;      /* coefficient, or force, of a slip with the present speed */
    int static_limit; /* coefficient, or force, at rest */
    int viscous;      /* its increase with the speed of a slip */
    int impulse;      /* [n] of the last impact or fixed step */
    int load;         /* of a joint whose limits grow with its load, joint_loads.h; -1: they do not */
    int load_kinetic; /* force of a slip with the present speed per load */
    int load_static;  /* the same at rest */
} Friction;

typedef struct FrictionTable {
    int n;
    const Friction *frictions; /* [n] */
    int n_events;
    const int *friction_of_event; /* [n_events] -1: none */
    int n_contacts;
    const int *friction_of_contact; /* [n_contacts] -1: none */
} FrictionTable;

static inline int n_frictions(const Model *model) { return model->frictions ? model->frictions->n : 0; }

static inline const Friction *friction_at(const Model *model, int number) { return model->frictions->frictions + number; }

/* Whether its contact is a slot that holds no point: it is open, and its rows carry nothing. */
int acts_on_nothing(const Model *model, const double *w, const Friction *friction);

/* whether a contact has friction */
static inline int has_friction(const Model *model, int contact) {
    return model->frictions && model->frictions->friction_of_contact[contact] >= 0;
}

/* the friction that an event belongs to, or NULL */
const Friction *friction_of(const Model *model, int event);

/* whether the run decides what happens at an event: that of a unilateral row, or of friction */
int is_decided_by_run(const Model *model, int event);

/* the speed of a slip */
double slip_speed(const Friction *friction, const double *w);

/* The coefficient of a contact, or the largest force of a joint under a load: of a slip with the present speed, or at rest. */
double friction_limit(const Friction *friction, const double *w, int slips, double load);

/* Whether all its coefficients are 0: then it never sticks. In the mode FRICTION_STICK with a limit of 0 each force of round-off would be
 * an event; as a slip it carries no force, at rest too, and its slip does not end (docs/decisions/182-without-friction.md). */
int is_without_friction(const Friction *friction, const double *w);

/* round-off of the velocity of a slip */
double slip_round_off(const Model *model, const State *state, const Friction *friction);

/* a slower slip at an event counts as rest */
double rest_of_slip(const Model *model, const State *state, const Friction *friction);

/* The same in two steps: of all, relative to the scales of slips; and of one, raised if it has many short events. */
double slowest_slip(const Model *model, const State *state);
double raised_rest(const Model *model, const double *w, const Friction *friction, double slowest);

/* whether a contact of a mask has friction */
int has_friction_in(const Model *model, const State *state, const int *mask);

/* Let the tangent rows of a contact or joint be equations or not, and carry a force (CARRIES_...). Returns whether that is a change. */
int set_flags_of_tangents(const Model *model, double *w, const Friction *friction, int is_equation, int carries);

/* Let no tangent row be an equation or carry a force. */
void release_friction(const Model *model, State *state);

/* Set the flags of all rows with friction from the modes. */
void apply_modes(const Model *model, State *state);

#endif
