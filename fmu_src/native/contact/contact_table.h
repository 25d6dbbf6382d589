/* The unilateral rows of a model: which of them exist. */
#ifndef MOBOD_CONTACT_TABLE_H
#define MOBOD_CONTACT_TABLE_H

#include "model.h"
#include "number.h"
#include "outcome.h"
#include "state.h"

#include <float.h>

/* a unilateral row, which is a separate block in the table of rows; offsets into w */
typedef struct {
    int event;   /* number of its event; its distance or its force is the event's witness */
    int block;   /* in the table of rows */
    int enabled; /* a flag of its constraint */
    int active;  /* flag of its block: whether the row is active, that is, an equation at ACCELERATION */
    int distance, rate;
    int restitution;
    int impulse;    /* of its last impact */
    int engagement; /* memory of fixed steps, see engagement.c */
    int lean;       /* [2] of a rim, see rims.h; -1: none */
    int presences;  /* [2] the row takes part where this number is at least 0; elsewhere its distance is computed, but has no effect. First
                       for error control, then for fixed steps; -1: it always takes part */
    int opposite;   /* the row in this table that cannot be engaged at the same time; -1: none */
    int first, n;   /* rows of its constraint in this table */
    const char *unit; /* of its distance, for messages; "1": none */
} Contact;

typedef struct ContactTable {
    int n;
    const Contact *contacts; /* [n] */
    int n_events;
    const int *contact_of_event; /* [n_events] -1: none */
    const int *contact_of_block; /* [blocks]   -1: bilateral */
    int n_pairs;
    const struct SlotPair *pairs; /* [n_pairs] of shapes whose rows are slots, contact_slots.h */
    int n_pools;
    const struct SlotPool *pools; /* [n_pools] of slots that many shapes share, contact_pool.h */
} ContactTable;

static inline int n_contacts(const Model *model) { return model->contacts ? model->contacts->n : 0; }

/* whether a row takes part: it is enabled, it has a bound, and its presence is at least 0; under error control, and in fixed steps. w
 * must be realized to POSITION. */
int row_exists(const State *state, const Contact *contact);
int row_exists_in_fixed_steps(const State *state, const Contact *contact);

/* whether a distance belongs to a bound that exists */
static inline Number is_bound_in(Number distance) { return number_less(distance, NUMBER(DBL_MAX / 2)); }
int is_bound(double distance);

/* its number among all rows */
int row_number_of(const Model *model, const Contact *contact);

/* the scales of its distance and of its rate */
double scale_of_distance(const Model *model, const Contact *contact);
double scale_of_speed(const Model *model, const Contact *contact);

/* set `result` to a failure of a row, and return the outcome */
Outcome contact_failed(Outcome outcome, const Model *model, const State *state, const Contact *contact, double value, Integration *result);

#endif
