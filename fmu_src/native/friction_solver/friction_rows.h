/* Box rows and contacts with friction, w = A z + a, scaled: the natural map, whose zeros are the solutions, and methods that search them.
 *
 * With x = z - w, and n the larger of x_n and 0, the natural map r is
 *
 *     boxes:     z - lower, z - upper or w, as x lies below, above or between the bounds
 *     contacts:  r_n = min(z_n, w_n);   r_t = w_t if |x_t| <= mu n, else z_t - mu n x_t / |x_t|
 *     contacts with a given slip direction d:  r_t = z_t + mu z_n d
 *     moments: r_t as of contacts, with n and z_n of their contact; r_n = z_n, which is 0
 *
 * This is z minus the projection of x, without the cancellation of large numbers. Its size is relative to `size`, of the numbers in a,
 * plus |y|. It is not relative to the multipliers: otherwise a row on which no multiplier acts would be accepted with any large
 * multiplier. It is at least the round-off of the multipliers: otherwise multipliers that grow without bound would be accepted.
 *
 * Source: Alart & Curnier, A mixed formulation for frictional contact problems prone to Newton like solution methods, Comput. Methods Appl.
 * Mech. Eng. 92 (1991). */
#ifndef MOBOD_FRICTION_ROWS_H
#define MOBOD_FRICTION_ROWS_H

#include "friction_blocks.h"

#include <stddef.h>

typedef enum { FRICTION_OPEN, FRICTION_STICK, FRICTION_SLIP } FrictionMode;

typedef struct {
    int m, n_boxes, n_contacts; /* m = n_boxes + 3 n_contacts */
    double *A;                  /* [m][m]  symmetric, positive semidefinite; not set if there are blocks */
    FrictionBlocks *blocks;     /* B, with A = B^T B; NULL: none */
    double epsilon, factor;     /* with blocks: methods have factor (A + epsilon 1) in place of A */
    double *a;                  /* [m] */
    double *lower, *upper;      /* [n_boxes] */
    const double *mu;           /* [n_contacts] */
    const double *slip;         /* [2 n_contacts] or NULL */
    const int *is_moment;       /* [n_contacts] or NULL, see friction_program.h */
    double size;                /* of the numbers in a */
    double *z, *w;              /* [m]  the current multipliers and w = A z + a */
    double *best;               /* [m]  the multipliers with the least residual so far */
    double residual;            /* of `best` */
    int rounds;                 /* see FrictionProgram */
    int is_bounded;             /* only the first methods are tried, briefly; */
    int is_cut;                 /* and they were not enough */
    int newton_steps, iterations, sweeps;
    double *r, *dz, *dw;        /* [m] temporary values: natural map, changes */
    double *trial_z, *trial_w;  /* [m]  the same, of a step of Newton's method */
    double *cone_z, *dual;      /* [m]  multipliers and duals of ADMM, kept between two calls */
    double *M;                  /* [m][m]  Newton's matrix; the inverse of ADMM */
    double *columns;            /* [m][m]  A times the columns of Newton's unknowns */
    double *unknowns, *factors; /* [m], [3 m] */
    double *diagonal;           /* [m]  of A */
    double *own;                /* [m][3]  the entries of A of each row and the rows of its contact; of a box the first one */
    double *along_normal;       /* [2 n_contacts] changes of the tangents of moments by that of the normal, in a step of Newton's method */
    int *kind, *place, *pivots; /* [m] each: of Newton's unknowns */
} FrictionRows;

/* the number of reals and integers of the workspace for m rows */
size_t friction_rows_reals(int m);
size_t friction_rows_integers(int m);

/* set the members that are workspace */
void begin_friction_rows(FrictionRows *rows, int n_boxes, int n_contacts, double *reals, int *integers);

/* whether a contact is a moment */
static inline int is_moment_at(const FrictionRows *rows, int contact) { return rows->is_moment && rows->is_moment[contact]; }

/* whether the next contact is a moment of this one, or another moment of the same contact */
static inline int has_moment(const FrictionRows *rows, int contact) {
    return contact + 1 < rows->n_contacts && is_moment_at(rows, contact + 1);
}

/* the row of the normal that limits the tangents of a contact or moment */
static inline int normal_row(const FrictionRows *rows, int contact) {
    while (is_moment_at(rows, contact))
        contact--;
    return rows->n_boxes + 3 * contact;
}

/* the natural map r [m] of z and w */
void natural_map(const FrictionRows *rows, const double *z, const double *w, double *r);

/* z becomes the nearest box multipliers and, for contacts, a normal that is not negative and tangents within their disk */
void project_multipliers(const FrictionRows *rows, double *z);

/* dw = A dz, or factor (A + epsilon 1) dz */
void find_changes(const FrictionRows *rows, const double *dz, double *dw);

/* w = A z + a */
void find_rates(const FrictionRows *rows, const double *z, double *w);

/* the relative residual of z and w; overwrites r */
double friction_rows_residual(const FrictionRows *rows, const double *z, const double *w);

/* the mode of a contact at the current z and w */
FrictionMode friction_mode(const FrictionRows *rows, int contact);

/* the slip direction of a contact, or NULL */
const double *slip_direction(const FrictionRows *rows, int contact);

/* Take z and w as the best ones if their residual is less than that of the best ones so far. Returns whether the best ones are good enough.
 */
int note_multipliers(FrictionRows *rows, const double *z, const double *w);

/* Try the multipliers with which all contacts that press at z stick, or all contacts if none does, those of least norm. Not tried where a
 * contact is at its limit, or has a given slip direction. Returns whether they are good enough. */
int stick_where_pressed(FrictionRows *rows);

/* Newton's method on the natural map from z, at most `most` steps. The matrix has A + epsilon 1 with an epsilon that falls with the natural
 * map, so that redundant rows do no harm. Returns whether the best multipliers are good enough. */
int newton(FrictionRows *rows, int most);

/* Proximal Newton from z: solve the natural map of A + epsilon 1 and a - epsilon z0 repeatedly, where z0 is the last solution, with falling
 * epsilon. The map has w times a factor that grows as epsilon falls. is_near: z is the best multipliers, which are near a solution.
 * Returns whether the best multipliers are good enough. */
int proximal_newton(FrictionRows *rows, int passes, int is_near);

/* the penalty of ADMM */
typedef struct {
    double first;    /* from the eigenvalues of A */
    double now;      /* changes with the iterations */
    double factored; /* that of the inverse in rows->M; 0: none */
} AdmmPenalty;

/* choose the first penalty */
void begin_admm(FrictionRows *rows, AdmmPenalty *penalty);

/* Iterations of ADMM from cone_z and dual; z becomes the best of them. Returns whether the best multipliers are good enough. */
int iterate_admm(FrictionRows *rows, AdmmPenalty *penalty, int most);

/* Sweeps of block Gauss-Seidel from z, which must be projected. Returns whether the best multipliers are good enough. */
int sweep_contacts(FrictionRows *rows, int most);

/* Search the best multipliers, from z or else from zero. has_start: whether z was given, so that multipliers with which all stick are
 * tried.
 */
void search_multipliers(FrictionRows *rows, int has_start);

/* Newton's method from the best multipliers: errors that are accepted would make rows of the next steps contradict each other. */
void polish_multipliers(FrictionRows *rows);

#endif
