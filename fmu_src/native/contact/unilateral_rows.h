/* The constraint rows of the problems (quadratic programs) that compute impulses and forces while unilateral rows are active.
 *
 * Each row is a column of B = D^(-1/2) E^T, from the inward sweep, with B^T B = G M^-1 G^T. So neither M nor a matrix of its size is
 * needed. */
#ifndef MOBOD_UNILATERAL_ROWS_H
#define MOBOD_UNILATERAL_ROWS_H

#include "complementarity.h"
#include "independent_parts.h"
#include "model.h"
#include "outcome.h"
#include "state.h"

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
    int presences;  /* [2] the row is there where this is at least 0, otherwise its distance goes on, but it counts for nothing; under error
                       control, and in fixed steps; -1: always */
    int opposite;   /* the row in this table that cannot be engaged at the same time; -1: none */
    int first, n;   /* rows of its constraint in this table */
} Contact;

typedef struct ContactTable {
    int n;
    const Contact *contacts; /* [n] */
    int n_events;
    const int *contact_of_event; /* [n_events] -1: none */
    const int *contact_of_block; /* [blocks]   -1: bilateral */
} ContactTable;

/* workspace; its contents are not kept between two calls */
typedef struct ContactWork {
    Complementarity rows;
    double *B;                    /* [n_rows][width] of the selected rows, 0 outside their patterns */
    RowPattern *patterns;         /* [n_rows] of the selected rows */
    int n_written, written_width; /* rows of B that have been written, and their width */
    double *L;                    /* [n_joints][36] D^-1 = L L^T of each joint */
    IndependentParts parts;
    double *multipliers; /* [n_rows] */
    int width;           /* nu, and an additional column for each selected compliant row, which assemble_rows sets to 0 */
    int first_rigid;     /* the first selected row after equations and compliant rows */
    double *a, *size, *before, *bound, *bounce, *noise, *z; /* [n_rows] of the selected rows; see solve_without_gain */
    double *impulses, *best;                                /* [n_rows] */
    struct ChosenFriction *friction;                        /* the rows with friction of the problem; NULL: the model has none */
    double *upper, *rest_rates, *total, *earlier_rates; /* [n_rows] of rounds of impacts at one time: bounds of impulses, rates below which
                                                           a row is at rest, total impulses, rates of an earlier round */
    double *eps, *change;                               /* [nu] */
    double *A;                                          /* [n_joints][6] */
    double *y;                                          /* [n_y] */
    double *drift;                                      /* [contacts] m, see unresolved_bounces.h; otherwise 0 */
    struct LateImpact *late;                            /* [contacts] see late_impacts.h; otherwise 0 */
    double *lift;                                       /* [nu] of their coordinates */
    double step;                                        /* s, the importer's step that has gone past them */
    int *row_numbers;                                   /* [n_rows] numbers of the selected rows among all rows */
    int *block_of_row;                                  /* [n_rows] the block of each row among all rows */
    int *contact_of_row, *ambiguous;                    /* [n_rows] */
    int *row_of_contact;                                /* [contacts] place of a chosen contact among the selected rows */
    int *touching, *were_active, *pressing; /* [contacts] masks: rows at distance zero; rows that were active; rows with a positive force */
    int *pressing_before;                   /* [contacts] with the loads of joints before the last ones */
    double *reals;                          /* the memory of all reals */
    int *integers;
} ContactWork;

static inline const double *row_of_B(const ContactWork *work, int row) { return work->B + (size_t)row * (size_t)work->width; }

static inline int n_contacts(const Model *model) { return model->contacts ? model->contacts->n : 0; }

/* NULL if there are no constraints or memory is exhausted */
ContactWork *create_contact_work(const Model *model);
void free_contact_work(ContactWork *work);

/* whether a row is enabled, has a bound, and is there; under error control, and in fixed steps. w must be realized to POSITION. */
int row_exists(const State *state, const Contact *contact);
int row_exists_in_fixed_steps(const State *state, const Contact *contact);

/* whether a distance belongs to a bound that exists */
int is_bound(double distance);

/* its number among all rows */
int row_number_of(const Model *model, const Contact *contact);

/* Make the unilateral rows of a mask [contacts] active, and release all others. Active rows are equations at ACCELERATION. */
void activate_contacts(const Model *model, State *state, const int *mask);

/* Release all unilateral rows. Call this before the state is changed. */
void release_contacts(const Model *model, State *state);

enum { ROWS_OF_ALL_LEVELS, ROWS_OF_POSITIONS };

/* Select the rows of a problem, in this order: rows of bilateral constraints (all levels, or position level alone), compliant bilateral
 * rows, compliant unilateral rows, unilateral rows; and those of friction, if chosen_friction.h has chosen any: unilateral rows without
 * friction, joints, then three rows of each contact with friction. Sets E in w, work->row_numbers, and their columns D^(-1/2) E in
 * work->B.
 *
 * chosen       [contacts]     mask of unilateral rows
 * compliant    [n_compliant]  mask of compliant rows; NULL: none
 * n_equations  out: number of bilateral rows, compliant ones included
 * returns      the number of selected rows
 *
 * Leaves the flags of the chosen unilateral rows set, and nothing realized from DYNAMICS on. */
int assemble_rows(const Model *model, State *state, ContactWork *work, const int *chosen, const int *compliant, int levels,
                  int *n_equations);

/* Set work->a of the selected rows to their accelerations without multipliers, and work->size to the sizes of the terms that these are sums
 * of. The State is realized to ACCELERATION, without active rows. Returns the square of the size of the forces, for LEAST_FORCE. */
double read_free_accelerations(const Model *model, const State *state, ContactWork *work, int m);

/* The errors of rigid bilateral rows, in the order of assemble_rows. The first function returns how many position errors there are. The
 * second one reads velocity errors and the rates of position errors, and 0 for rows of accelerations. */
int read_position_errors(const Model *model, const State *state, double *errors);
void read_velocity_errors(const Model *model, const State *state, double *errors);

/* Compute the multipliers of the selected rows from work->a and work->size, into work->rows.multipliers. upper: upper bounds of the
 * multipliers of the rows after the equations; NULL: none. Fails with CONTACT_UNSOLVED, or with STEP_UNSOLVED if no unilateral row
 * causes the failure. */
Outcome solve_unilateral(const Model *model, const State *state, ContactWork *work, int m, int n_equations, const double *upper,
                         Integration *result);

/* Set work->impulses of all rows: those of the m selected rows to z, the others to 0. */
void place_impulses(const Model *model, ContactWork *work, int m, const double *z);

/* work->change = M^-1 G^T work->impulses, by an outward sweep */
void find_response(const Model *model, const State *state, ContactWork *work);

/* Of the rows at rest (a mask), find those with a positive force in the nearest accelerations that let no row fall below zero; into
 * work->pressing. Releases all rows. Regularised friction has the load of the rows that press. Fails with JOINT_JAMMED, too. */
Outcome find_pressing(const Model *model, State *state, ContactWork *work, const int *resting, Integration *result);

/* whether the multiplier of a selected unilateral row is more than round-off; energy: from read_free_accelerations */
int is_pressing(const ContactWork *work, int row, double energy);

/* Round-off of the multiplier of a row at ACCELERATION: the largest force of all rows times LEAST_FORCE. The forces of redundant rows may
 * be nothing else. */
double force_noise(const Model *model, const double *w, int row);

/* set `result` to a failure of a row, and return the outcome */
Outcome contact_failed(Outcome outcome, const Model *model, const State *state, const Contact *contact, double value, Integration *result);

#endif
