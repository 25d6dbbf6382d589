/* Multipliers of rows with Coulomb friction: w = B^T y + C z + a, y = B z, with
 *
 *     equations:  w = 0
 *     boxes:      z = clip(z - w, lower, upper), such as dry friction in joints
 *     contacts:   z_n >= 0, w_n >= 0, z_n w_n = 0;   |z_t| <= mu z_n, and z_t = -mu z_n w_t / |w_t| where w_t is not 0
 *
 * A contact is three rows: the normal n and two tangents t, orthonormal directions. B^T B is G M^-1 G^T as in complementarity.h, a is w for
 * zero multipliers, and C is a diagonal, the compliance of rows. z are impulses and w speeds, or forces and accelerations. A contact whose
 * slip direction is given slips: z_t = -mu z_n direction, whatever w_t is.
 *
 * A contact may be a moment of the contact before it, against spin or rolling: then its normal row is empty, with a multiplier of 0, and
 * z_n in the laws of its tangents is that of the last contact before it that is no moment. A contact has at most two moments.
 *
 * The equations are factored (factor.h), and what remains of the other rows is orthogonal to them. Box rows are scaled to unit length, the
 * rows of a contact by the length of its longest one, so that the disk of friction stays a disk. The judge of a solution is the residual of
 * the natural map (friction_rows.h). The order in which methods search a solution is that of friction_search.c. Without friction,
 * complementarity.h solves the problem.
 *
 * The problem is not convex: it can have no solution or several ones, with different y. Which one is found depends on the arguments alone.
 *
 * Source: Acary & Brogliato, Numerical Methods for Nonsmooth Dynamical Systems (2008), ch. 13; the files of each method name theirs.
 *
 * No allocation: the owner provides the workspace. */
#ifndef MOBOD_FRICTION_PROGRAM_H
#define MOBOD_FRICTION_PROGRAM_H

#include "column_order.h"
#include "complementarity.h"
#include "envelope.h"
#include "friction_blocks.h"
#include "friction_rows.h"
#include "sparse_rows.h"

typedef struct {
    double *reals; /* [friction_program_reals(n, m, n_contacts)] workspace of the owner, large enough for its largest problem */
    int *integers; /* [friction_program_integers(n, m, n_contacts)]  the same */
    int n, m, n_equations, n_boxes, n_contacts;
    double *multipliers;       /* [m]  z */
    double *y;                 /* [n]  B z */
    double *w;                 /* [m]  B^T y + C z + a */
    double residual;           /* of the conditions above, relative; what is_certified judges */
    double *contact_residuals; /* [n_contacts] the part of each contact in it */
    int *modes;                /* [n_contacts] FrictionMode */
    int worst_contact;         /* the one with the largest residual; -1: there is none */
    double contradiction;      /* how much dependent equations contradict others, relative */
    int *against;              /* [n_against] rows that contradict each other, if the outcome is ROWS_CONTRADICT */
    int n_against;
    int is_nearest;   /* whether equations that contradict each other are satisfied in the least-squares sense; set by the caller */
    double violation; /* violation of the first of them */
    int rounds; /* 0: the start was a solution; 1: sticking or Newton's method found it; more: the other methods (friction_search.c) */
    int newton_steps, iterations, sweeps; /* of Newton's methods, ADMM and Gauss-Seidel, together */
    int is_bounded;                       /* as the owner sets: only the first methods are tried, briefly; */
    int is_cut;                           /* and they were not enough: the multipliers are the best ones that they found */

    Complementarity complementarity;         /* of the equations; of all rows, if no contact has friction */
    FrictionRows rows;                       /* without equations, scaled */
    int n_extended;                          /* n, and a dimension for each row with compliance */
    double least;                            /* rows that are not longer are zero */
    SparseRows given;                        /* the rows of solve_friction_program */
    SparseRows entries;                      /* all rows, with compliance; their columns in another order, if `is_ordered` */
    SparseRows own_entries;                  /* their memory, where they are those of the owner */
    int is_ordered, *order, *place;          /* [n] the columns in their order, and the place of each; see friction_start.h */
    int *ordering;                           /* workspace of order_columns */
    SparseRows scaled;                       /* the same divided by `length` */
    double *a, *size;                        /* [m] each */
    double *length, *whole;                  /* [m] each: by which rows are scaled; their lengths with compliance */
    int *held;                               /* [m] mask of rows that stick */
    Envelope matrix;                         /* for them */
    FrictionBlocks blocks;                   /* the scaled rows */
    const double *given_lower, *given_upper; /* [n_boxes] */
    double *scaled_mu;                       /* [n_contacts] of scaled rows, where there are moments */
    double *B;                               /* [m][n_extended] where methods need whole rows */
    double *turned;                          /* [n_extended][m + 3] scaled rows but the equations; along these, then orthogonal to them */
    double *y_fixed;                         /* [n_extended] y of the equations alone */
    double *missed;                          /* [m] parts of w that no multipliers can remove */
    double *lower, *upper;                   /* [m] each: bounds for `complementarity`; and for it: */
    double *some_a, *some_size;              /* [m] each */
    double scale;                            /* the size of w that the residual is relative to */
    double *work;                            /* [n_extended] temporary values */
} FrictionProgram;

/* the number of reals and integers of the workspace for up to m rows in n dimensions, with up to n_contacts contacts */
size_t friction_program_reals(int n, int m, int n_contacts);
size_t friction_program_integers(int n, int m, int n_contacts);

/* Solve for the multipliers. m is n_equations + n_boxes + 3 n_contacts, in this order; the rows of a contact are its normal and its two
 * tangents. B [m][n] contains the columns of B one after the other. `size` [m] may be NULL: the size of a. lower and upper [n_boxes], where
 * infinity and the largest number mean no bound; mu [n_contacts]; is_moment [n_contacts], NULL: no contact is one. start [m]: multipliers
 * from which the search starts; NULL: zero. compliance [m]: diagonal of C; NULL: zero. slip [2 n_contacts]: slip directions along the
 * tangents, of length 1; (0, 0) and NULL: they follow from w.
 *
 * Returns ROWS_SOLVED; ROWS_INVALID if a number is not finite, a lower bound exceeds its upper bound, or a coefficient or a compliance is
 * negative; ROWS_CONTRADICT if equations contradict each other, or equations hold a row that contradicts them; ROWS_NOT_CERTIFIED if no
 * solution was found, with the residuals of the best multipliers; ROWS_CYCLING for rows without friction. */
int solve_friction_program(FrictionProgram *program, int n, int m, int n_equations, int n_boxes, const double *B, const double *a,
                           const double *size, const double *lower, const double *upper, const double *mu, const int *is_moment,
                           const double *start, const double *compliance, const double *slip);

/* The same for rows given by their entries; n and m are those of B. Overwrites nothing of B, which must last as long as the solution is
 * read. now [m]: the present rates of the rows, if the start has the mean forces of the last step; NULL: it has not. */
int solve_sparse_program(FrictionProgram *program, const SparseRows *B, int n_equations, int n_boxes, const double *a, const double *size,
                         const double *lower, const double *upper, const double *mu, const int *is_moment, const double *start,
                         const double *now, const double *compliance, const double *slip);

/* The residual of multipliers z [m], and the members of `program` that describe them; no member has to be set but reals and integers.
 * Arguments as above. Infinity if they are invalid. */
double friction_residual(FrictionProgram *program, int n, int m, int n_equations, int n_boxes, const double *B, const double *a,
                         const double *size, const double *lower, const double *upper, const double *mu, const int *is_moment,
                         const double *compliance, const double *slip, const double *z);

#endif
