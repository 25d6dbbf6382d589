/* What becomes of unilateral rows: which are held, and the impulses of impacts.
 *
 * Twin of engine/mobod/simulate/contacts.py, where the method and its sources stand. */
#ifndef MOBOD_CONTACTS_H
#define MOBOD_CONTACTS_H

#include "complementarity.h"
#include "integrators.h"
#include "model.h"
#include "state.h"

/* a unilateral row, which is a block of its own in the table of rows; offsets into w */
typedef struct {
    int event;   /* number of the event whose witness it has */
    int block;   /* in the table of rows */
    int enabled; /* a flag of its constraint */
    int active;  /* whether it is held: the flag of its block */
    int distance, rate;
    int restitution;
    int impulse;  /* of its last impact */
    int first, n; /* rows of its constraint in this table */
} Contact;

typedef struct ContactTable {
    int n;
    const Contact *contacts; /* [n] */
    int n_events;
    const int *contact_of_event; /* [n_events] -1: none */
    const int *contact_of_block; /* [blocks]   -1: bilateral */
} ContactTable;

/* of no meaning between two calls */
typedef struct ContactWork {
    Complementarity rows;
    double *B;                                       /* [n_rows][nu] of the rows that take part */
    double *a, *size, *before, *bounce, *target, *z; /* [n_rows] of these */
    double *impulses, *best;                         /* [n_rows] */
    double *eps, *change;                            /* [nu] */
    double *A;                                       /* [n_joints][6] */
    double *y;                                       /* [n_y] */
    int *lines;                                      /* [n_rows] their numbers among all */
    int *touching, *were_held, *pushing;             /* [contacts] */
    double *reals;                                   /* the room of all */
    int *integers;
} ContactWork;

/* NULL if there is no memory for it, or there are no unilateral rows */
ContactWork *create_contact_work(const Model *model);
void free_contact_work(ContactWork *work);

/* Let go of all rows. What changes the State must not find them held; resolve_contacts then decides anew. */
void release_contacts(const Model *model, State *state);

/* Have impacts happen, and decide which rows are held; has_changed: whether that changed y or its rate. Fails with CONTACT_OUTSIDE,
 * CONTACT_UNSOLVED or CONTACT_NOT_PROJECTED. */
Outcome resolve_contacts(const Model *model, State *state, ContactWork *work, int *has_changed, Integration *result);

/* An impact (-1) or a release (1): where they follow each other without end the capture speed is raised, and in the end 0 is returned. */
int count_contact(const Model *model, State *state, const Contact *contact);

/* How far below zero a free row that lies there at rest may come to be before it counts; 0 for others. */
double rest_noise(const Model *model, const State *state, const Contact *contact, double distance, double rate);

#endif
