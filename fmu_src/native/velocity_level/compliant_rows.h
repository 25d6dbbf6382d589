/* Compliant rows in fixed steps.
 *
 * They are integrated implicitly, so that any stiffness is stable. Let t be the impulse of a row over the step, and v+ its rate at the end
 * of the step. Then
 *
 *     t / h = -(d + h v+ / 2) / C - D v+,   that is   v+ + R t = -s d   with   s = 1 / (h / 2 + D C),   R = s C / h:
 *
 * The spring acts at the middle of the step, the damper at its end. Where coordinates move with the mean of both speeds, of v at the start
 * and of v+ (CONSTRAINTS_AT_MIDDLE), the mean distance of the step is d + h (v + v+) / 4, so that a spring keeps its energy:
 *
 *     v+ + R t = -s (d + h v / 4)   with   s = 1 / (h / 4 + D C),   R = s C / h.
 *
 * The force of the State, which u_dot contains, is subtracted. A unilateral row takes part if its distance is below zero, or falls below
 * zero in the step; then t >= 0.
 *
 * Source: Lloyd, Stavness, Fels, ArtiSynth (2012), and its Modeling Guide, section 4.8; Lacoursiere, Ghosts and Machines (2007). */
#ifndef MOBOD_COMPLIANT_ROWS_H
#define MOBOD_COMPLIANT_ROWS_H

#include "contact_work.h"
#include "engagement.h"
#include "model.h"
#include "state.h"

/* the values of compliant rows in a step; the owner provides the memory */
typedef struct {
    int *chosen;               /* [n_compliant] mask of the rows that take part */
    double *a, *R;             /* [n_compliant] coefficients of rate + R impulse + s distance = 0; a is its left side without impulses */
    double *free;              /* [n_compliant] rates without impulses */
    int is_middle;             /* coordinates move with the mean of the speeds at the start and at the end of the step */
    double *distances, *rates; /* [n_compliant] at the start of the step */
    double *compliances, *damping; /* [n_compliant] kept while rows are softened */
    double *removed;               /* [nu] change of speeds by removing the forces of compliant rows from the step, */
    int has_removed;               /* and whether there are such forces */
} CompliantStep;

/* the number of compliant rows */
int n_compliant(const Model *model);

/* Store the distances and rates at the start of a step. w must be realized to VELOCITY. */
void note_start_of_compliant_rows(const Model *model, const State *state, CompliantStep *step);

/* Divide the forces of these rows by 1 + k, see middle_of_step.h, by their parameters; and restore these. */
void soften_compliant_rows(const Model *model, State *state, CompliantStep *step, double h);
void harden_compliant_rows(const Model *model, State *state, const CompliantStep *step);

/* Set step->removed to the change of speeds in a step of h without the forces of compliant rows. w must be realized to ACCELERATION. E
 * and A are overwritten with those of these rows. */
void remove_compliant_forces(const Model *model, State *state, ContactWork *work, CompliantStep *step, double h);

/* Set a, R, free and chosen. of_speeds, drifts: [n_rows] change of rates from those in w to the end of the step, by the change of speeds
 * without impulses, and by the change of the rows themselves. */
void begin_compliant_rows(const Model *model, const State *state, CompliantStep *step, double h, const double *of_speeds,
                          const double *drifts, EngagementRule rule);

/* Add to the chosen rows those that fall below zero by impulses that change rates by `changes` [n_rows]. Returns whether any was added. */
int choose_violated_compliant(const Model *model, const State *state, CompliantStep *step, double h, const double *changes, double noise);

/* Write the chosen rows into the problem that assemble_rows has prepared. turns: [n_rows] changes of rates by impacts in turn, or NULL */
void set_compliant_rows(const Model *model, const CompliantStep *step, ContactWork *work, const double *turns, double noise);

/* store the impulses of compliant rows in the State, from work->impulses */
void note_compliant_impulses(const Model *model, State *state, const ContactWork *work);

#endif
