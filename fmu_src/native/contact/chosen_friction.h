/* The rows with friction in the problems for impulses and forces (unilateral_rows.h), and the solution of these problems. */
#ifndef MOBOD_CHOSEN_FRICTION_H
#define MOBOD_CHOSEN_FRICTION_H

#include "contact_work.h"
#include "friction_islands.h"

/* What friction adds to a problem. The owner of the problem sets `selected` before assemble_rows, and the coefficients before the solution;
 * n_selected 0: the problem is without friction. */
typedef struct ChosenFriction {
    int n_selected;
    int *selected; /* [frictions] mask; of contacts only those that are chosen */
    int n_boxes, n_triples;
    int *row;                    /* [frictions] place of the first tangent row among the selected rows */
    int *were_modes;             /* [frictions] before a decision */
    double *were_directions;     /* [frictions][2] before a decision */
    int *of_triple;              /* [frictions] number of the friction of each contact, in the order of the rows */
    int *is_moment, has_moments; /* [frictions] of the same: whether it is a moment, whose contact comes before it; whether any is */
    int *next_moment;            /* [frictions] the next moment of the same contact; -1: none */
    double *limit;               /* [frictions] coefficient, or largest force or impulse of a joint */
    double *slip;                /* [frictions][2] fixed direction of a slip; 0: it is free */
    double *loads;               /* [frictions] of joints, for their limits */
    int *passed;                 /* [frictions] whether its slip has passed its end in an importer's step */
    int *slips;             /* [frictions] whether it slips before a decision, at the start of a step, or has begun to under its load */
    int *modes_before;      /* [frictions + contacts] of the last decision, and which contacts pressed */
    double *changes;        /* [frictions][2] of slips in a fixed step without impulses */
    double *frozen_changes; /* the same with frozen rows, listed_rows.h */
    int has_start;          /* whether the solution starts from `start` */
    double *start, *now;    /* [rows] of the selected rows: start of the solution; rates with the mean forces of the last step */
    double *lower, *upper, *mu, *directions; /* of the program */
    FrictionProgram program;
    FrictionSolution solution;
    double *reals;
    int *integers;
} ChosenFriction;

/* the largest number of rows of a problem: rows of the model, and empty ones: second tangents and the normals of moments */
int most_selected_rows(const Model *model);

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
