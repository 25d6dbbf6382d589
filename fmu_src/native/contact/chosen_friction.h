/* The rows with friction in the problems for impulses and forces (unilateral_rows.h), and the solution of these problems. */
#ifndef MOBOD_CHOSEN_FRICTION_H
#define MOBOD_CHOSEN_FRICTION_H

#include "contact_work.h"
#include "friction_islands.h"

/* What friction adds to a problem. The owner of the problem sets `selected` before assemble_rows, and the coefficients before the solution;
 * n_selected 0: the problem is without friction. */
typedef struct ChosenFriction {
    int n_selected;
    int *selected;                     /* [frictions] mask; of contacts only those that are chosen */
    int n_boxes, n_triples, n_moments; /* of the triples, the last n_moments are moments */
    int *row;                          /* [frictions] place of the first tangent row among the selected rows */
    int *were_modes;                   /* [frictions] before a decision */
    double *were_directions;           /* [frictions][2] before a decision */
    int *of_triple;                    /* [frictions] number of the friction of each contact, in the order of the rows */
    double *limit;                     /* [frictions] coefficient, or largest force or impulse of a joint */
    double *slip;                      /* [frictions][2] fixed direction of a slip; 0: it is free */
    double *loads;                     /* [frictions] of joints, for their limits */
    int *passed;                       /* [frictions] whether its slip has passed its end in an importer's step */
    int *slips;           /* [frictions] whether it slips before a decision, at the start of a step, or has begun to under its load */
    int *modes_before;    /* [frictions + contacts] of the last decision, and which contacts pressed */
    double *moment_loads; /* [frictions] of the triples that are moments, in their order: normal forces or impulses of their contacts */
    int shares_loads;     /* whether moments with equal rows do, as in steps */
    int *moment_groups;   /* [frictions] of the same: the first moment of those that share their loads with it */
    double *load_changes; /* [2][frictions] of moment_loads by the last solution, and by the one before it */
    double *changes;      /* [frictions][2] of slips in a fixed step without impulses */
    int has_start;        /* whether the solution starts from `start` */
    double *start, *now;  /* [rows] of the selected rows: start of the solution; rates with the mean forces of the last step */
    double *lower, *upper, *mu, *directions; /* of the program */
    FrictionProgram program;
    FrictionSolution solution;
    double *reals;
    int *integers;
} ChosenFriction;

/* for problems of up to m rows in n dimensions; NULL if memory is exhausted */
ChosenFriction *create_chosen_friction(const Model *model, int n, int m);
void free_chosen_friction(ChosenFriction *rows);

/* choose no friction for the next problem */
void select_no_friction(ChosenFriction *rows, int n);

/* whether a contact has friction in the next problem */
int has_selected_friction(const Model *model, const ChosenFriction *rows, int contact);

/* Set the flags of the tangent rows of the next problem, for their elimination. */
void set_tangent_flags(const Model *model, double *w, const ChosenFriction *rows, int flag);

/* Add the rows of joints and of contacts with friction to the m selected ones; returns their new number. */
int list_friction_rows(const Model *model, ContactWork *work, const int *chosen, int n_equations, int m);

/* The multipliers of the selected rows, as by solve_unilateral. Fails with FRICTION_UNSOLVED. */
Outcome solve_friction(const Model *model, const State *state, ContactWork *work, int m, int n_equations, const double *upper,
                       Integration *result);

#endif
