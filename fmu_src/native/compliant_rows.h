/* Rows that give way, as fixed steps take them.
 *
 * They are taken implicitly, so that they may be as stiff as they like. With the impulse t of a row over the step and its rate v+ at the
 * end of it
 *
 *     t / h = -(d + h v+ / 2) / C - D v+,   that is   v+ + R t = -s d   with   s = 1 / (h / 2 + D C),   R = s C / h:
 *
 * the spring at the middle of the step, the damper at its end. The force of the State is taken out of u_dot for it. A unilateral row takes
 * part where its distance is below zero, or comes to be in the step, and t >= 0.
 *
 * Source: Lloyd, Stavness, Fels, ArtiSynth (2012), and its Modeling Guide, section 4.8; Lacoursiere, Ghosts and Machines (2007). */
#ifndef MOBOD_COMPLIANT_ROWS_H
#define MOBOD_COMPLIANT_ROWS_H

#include "engagement.h"
#include "model.h"
#include "state.h"
#include "unilateral_rows.h"

/* what a step makes of them; the owner hands the room */
typedef struct {
    int *chosen;     /* [n_compliant] which take part */
    double *a, *R;   /* [n_compliant] of rate + R impulse + s distance = 0: a is what is left without impulses */
    double *free;    /* [n_compliant] rates without impulses */
    double *removed; /* [nu] the change of speeds that the step has without their forces, */
    int has_removed; /* and whether there is any */
} CompliantStep;

/* how many rows give way */
int n_compliant(const Model *model);

/* How speeds change in a step of h without their forces; from ACCELERATION on. E and A become those of these rows. */
void remove_compliant_forces(const Model *model, State *state, ContactWork *work, CompliantStep *step, double h);

/* of_speeds, drifts [n_rows]: how rates change by speeds, without impulses, and by the rows themselves, which change as well */
void begin_compliant_rows(const Model *model, const State *state, CompliantStep *step, double h, const double *of_speeds,
                          const double *drifts, EngagementRule rule);

/* choose rows that impulses, which change rates by `changes` [n_rows], take below zero; whether there are any */
int choose_violated_compliant(const Model *model, const State *state, CompliantStep *step, double h, const double *changes, double noise);

/* what the rows that were taken ask for, into a program */
void set_compliant_rows(const Model *model, const CompliantStep *step, ContactWork *work, double noise);

/* into the State, from work->impulses */
void note_compliant_impulses(const Model *model, State *state, const ContactWork *work);

#endif
