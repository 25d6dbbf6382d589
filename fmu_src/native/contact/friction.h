/* Dry friction of contacts and joints: which of them stick or slip.
 *
 * A contact is free, sticks (its tangent rows are equations) or slips (its tangent rows carry the force -mu f_n v / |v|). A joint sticks or
 * slips likewise, with a limit in place of mu f_n. At an event the modes of all contacts and joints are determined together, from the
 * accelerations: normals are complementary; friction at rest is within its cone, and at its rim opposite to the acceleration of the slip
 * that begins. Then those that begin to slip are determined once more with the coefficient of a slip. Where limits of joints depend on
 * loads, modes are determined first with all joints at rest held, then with the loads of the modes found before, until they do not change.
 *
 * Impacts with friction: one problem for all touching contacts, Newton's law for the normals, and Coulomb's law with the slip after the
 * impact. Joints with a limit of force take no part in them.
 *
 * Source: Pfeiffer & Glocker, Multibody Dynamics with Unilateral Contacts (1996); Moreau, Unilateral contact and dry friction in finite
 * freedom dynamics (1988). */
#ifndef MOBOD_FRICTION_H
#define MOBOD_FRICTION_H

#include "friction_rows.h"
#include "unilateral_rows.h"

/* the friction of a contact, or of a joint; offsets into w */
typedef struct {
    int event;        /* number of its event */
    int contact;      /* number of its normal row among the unilateral rows; -1: a joint */
    int n;            /* tangent rows: 1 or 2 */
    int block;        /* of the first tangent row; those of the others follow */
    int enabled;      /* a flag of its constraint */
    int mode;         /* FrictionMode */
    int rates;        /* [n] velocity errors of the tangent rows */
    int direction;    /* [n] of the slip; see slip_directions.h */
    int rest;         /* speed of a slip that counts as rest, since the last event */
    int kinetic;      /* coefficient, or force, of a slip with the present speed */
    int static_limit; /* coefficient, or force, at rest */
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

/* whether a contact has friction */
static inline int has_friction(const Model *model, int contact) {
    return model->frictions && model->frictions->friction_of_contact[contact] >= 0;
}

/* the friction that an event belongs to, or NULL */
const Friction *friction_of(const Model *model, int event);

/* whether the run decides what happens at an event: that of a unilateral row, or of friction */
int is_decided_by_run(const Model *model, int event);

/* the distance below zero of such an event's witness that counts as zero */
double noise_at_rest(const Model *model, State *state, int event, double value, double rate);

/* the speed of a slip */
double slip_speed(const Friction *friction, const double *w);

/* The coefficient of a contact, or the largest force of a joint under a load: of a slip with the present speed, or at rest. */
double friction_limit(const Friction *friction, const double *w, int slips, double load);

/* round-off of the velocity of a slip */
double slip_round_off(const Model *model, const State *state);

/* a slower slip at an event counts as rest */
double rest_of_slip(const Model *model, const State *state, const Friction *friction);

/* The same in two steps: of all, before many short events of one have raised it; and raised. */
double slowest_slip(const Model *model, const State *state);
double raised_rest(const Model *model, const double *w, const Friction *friction, double slowest);

/* Determine the modes of the contacts at rest (a mask) and of all joints, and the contacts that press (work->pressing), together. Leaves no
 * row active. Fails with FRICTION_PARADOX, FRICTION_UNSOLVED or JOINT_JAMMED. */
Outcome find_modes(const Model *model, State *state, ContactWork *work, const int *resting, Integration *result);

/* After a step that failed: if a contact that slips was about to jam (Painleve), that is the cause, FRICTION_PARADOX;
 * or if the load of a joint does not exist, JOINT_JAMMED. */
void explain_by_paradox(const Model *model, State *state, Integration *result);

/* whether a contact of a mask has friction */
int has_friction_in(const Model *model, const State *state, const int *mask);

/* Select the friction of the contacts of a mask for impacts, with the coefficients of slips. */
void select_touching(const Model *model, State *state, ContactWork *work, const int *touching);

/* Write the velocities along the selected tangents, and the speeds of selected joints, to their places among the rows. */
void read_slips(const Model *model, const State *state, const ContactWork *work, double *rates);

/* Store the impulses of the selected tangents, from work->impulses, and select no friction. */
void note_friction_impulses(const Model *model, State *state, ContactWork *work);

/* Let no tangent row be an equation or carry a force. */
void release_friction(const Model *model, State *state);

/* Set the flags of all rows with friction from the modes. */
void apply_modes(const Model *model, State *state);

/* The same, and remove what is left of the rates of contacts that press, and of slips at rest, by an impulse. Where the impulse brings
 * other slips to rest, or turns them, the modes are determined again. */
Outcome find_modes_and_stop(const Model *model, State *state, ContactWork *work, const int *resting, Integration *result);

#endif
