/* The constraint rows of the problems (quadratic programs) that compute impulses and forces while unilateral rows are active.
 *
 * Each row is a column of B = D^(-1/2) E^T, from the inward sweep, with B^T B = G M^-1 G^T. So neither M nor a matrix of its size is
 * needed. */
#ifndef MOBOD_UNILATERAL_ROWS_H
#define MOBOD_UNILATERAL_ROWS_H

#include "contact_work.h"

/* NULL if there are no constraints or memory is exhausted */
ContactWork *create_contact_work(const Model *model);
void free_contact_work(ContactWork *work);

/* Whether the work for decisions is bounded from now on; work may be NULL. And count its overruns in the State. */
void bound_contact_work(ContactWork *work, int is_bounded);
void report_overruns(ContactWork *work, State *state);

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

/* Its parts, which change no State. list_rows: the numbers of the selected rows, by the flags of bilateral rows in w; n_rigid: how many of
 * them are not compliant. begin_rows_of_B: clear the former problem, and set the patterns of m rows, which list_rows has chosen. */
int list_rows(const Model *model, const State *state, ContactWork *work, const int *chosen, const int *compliant, int levels,
              int *n_equations, int *n_rigid);
void begin_rows_of_B(const Model *model, const double *w, ContactWork *work, int m, int n_rigid);

/* Set work->a of the selected rows to their accelerations without multipliers, and work->size to the sizes of the terms that these are sums
 * of. The State is realized to ACCELERATION, without active rows. Returns the square of the size of the forces, for LEAST_FORCE. */
double read_free_accelerations(const Model *model, const State *state, ContactWork *work, int m);

/* The errors of rigid bilateral rows, in the order of assemble_rows. The first function returns how many position errors there are. The
 * second one reads velocity errors and the rates of position errors, and 0 for rows of accelerations. */
int read_position_errors(const Model *model, const State *state, double *errors);
/* the largest of them, relative to its scale */
double largest_position_error(const Model *model, const State *state);
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

/* Store the impulses z of the m selected rows in work->impulses, and change the speeds by them. */
void apply_impulses(const Model *model, State *state, ContactWork *work, int m, const double *z);

/* Find which of the rows at rest (a mask) press, into work->pressing: those with a positive force, if the accelerations are the nearest
 * to the free ones that take no row below zero. Releases all rows. Regularised friction has the load of the rows that press. Fails with
 * JOINT_JAMMED, too. */
Outcome find_pressing(const Model *model, State *state, ContactWork *work, const int *resting, Integration *result);

/* whether the multiplier of a selected unilateral row is more than round-off; energy: from read_free_accelerations */
int is_pressing(const ContactWork *work, int row, double energy);

/* Round-off of the multiplier of a row at ACCELERATION: the largest force of all rows times LEAST_FORCE. The forces of redundant rows
 * may consist of round-off alone. */
double force_noise(const Model *model, const double *w, int row);

#endif
