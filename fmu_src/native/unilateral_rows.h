/* The rows of a model's constraints while some unilateral ones of them are held: for the programs that find impulses and forces.
 *
 * A row is given by its column of B = D^(-1/2) E^T of the inward sweep, with B^T B = G M^-1 G^T: no M, and nothing of its size. */
#ifndef MOBOD_UNILATERAL_ROWS_H
#define MOBOD_UNILATERAL_ROWS_H

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
    int impulse;    /* of its last impact */
    int engagement; /* what fixed steps remember, see engagement.c */
    int opposite;   /* the row in this table that cannot be engaged together with it; -1: none */
    int first, n;   /* rows of its constraint in this table */
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
    double *B;                                              /* [n_rows][width] of the rows that take part */
    int width;                                              /* nu, and a column for each row that gives way, 0 as it is taken */
    int first_rigid;                                        /* row that takes part, behind equations and rows that give way */
    double *a, *size, *before, *bound, *bounce, *noise, *z; /* [n_rows] of these */
    double *impulses, *best;                                /* [n_rows] */
    double *upper, *rest_rates, *total, *earlier_rates;     /* [n_rows] of impacts that follow each other at one time */
    double *eps, *change;                                   /* [nu] */
    double *A;                                              /* [n_joints][6] */
    double *y;                                              /* [n_y] */
    int *row_numbers;                                       /* [n_rows] their numbers among all */
    int *contact_of_row, *ambiguous;                        /* [n_rows] */
    int *touching, *were_active, *pressing;                 /* [contacts] */
    double *reals;                                          /* the room of all */
    int *integers;
} ContactWork;

static inline int n_contacts(const Model *model) { return model->contacts ? model->contacts->n : 0; }

/* NULL if there is no memory for it, or there are no constraints */
ContactWork *create_contact_work(const Model *model);
void free_contact_work(ContactWork *work);

/* its number among all rows */
int row_number_of(const Model *model, const Contact *contact);

/* Rows that are held, by a mask [contacts], are equations at ACCELERATION. */
void activate_contacts(const Model *model, State *state, const int *held);

/* Let go of all rows. What changes the State must not find them held. */
void release_contacts(const Model *model, State *state);

enum { ROWS_OF_ALL_LEVELS, ROWS_OF_POSITIONS };

/* The rows of a program: of bilateral constraints, all or those of position errors alone, then those that give way by a mask `compliant`
 * [n_compliant] (NULL: none), bilateral ones first, then the chosen unilateral ones, into lines; E and A of these in w, their columns
 * D^(-1/2) E in B. How many there are; n_equations: of them bilateral. Leaves the flags of unilateral rows set and nothing realized from
 * DYNAMICS on. */
int assemble_rows(const Model *model, State *state, ContactWork *work, const int *chosen, const int *compliant, int levels,
                  int *n_equations);

/* The errors of bilateral rows, in the order of assemble_rows: those of positions, how many; those of velocities with the rates of these, 0
 * for rows of accelerations. */
int read_position_errors(const Model *model, const State *state, double *errors);
void read_velocity_errors(const Model *model, const State *state, double *errors);

/* multipliers of the rows that were taken, of right sides a and sizes, into work->rows.multipliers; upper: their upper bounds, of rows
 * behind the equations, NULL: none. Fails with CONTACT_UNSOLVED, or STEP_UNSOLVED where there are bilateral ones alone */
Outcome solve_unilateral(const Model *model, const State *state, ContactWork *work, int m, int n_equations, const double *upper,
                         Integration *result);

/* M^-1 G^T impulses into change, by an outward sweep */
void find_response(const Model *model, const State *state, ContactWork *work);

/* Of rows at rest, by a mask, the ones that keep others, or themselves, from falling below zero, into `pressing`. All rows are released. */
Outcome find_pressing(const Model *model, State *state, ContactWork *work, const int *resting, Integration *result);

/* tells what failed, at which row */
Outcome contact_failed(Outcome outcome, const Model *model, const State *state, const Contact *contact, double value, Integration *result);

#endif
