/* The rows of constraints through the articulated bodies, and their multipliers.
 *
 * Twin of engine/mobod/matter/multipliers.py, where the equations stand. Offsets are into w; generated code fills the tables. */
#ifndef MOBOD_MULTIPLIERS_H
#define MOBOD_MULTIPLIERS_H

#include "factor.h"

typedef struct {
    int parent;      /* joint that the body's parent moves by, -1: Ground */
    int nu, first;   /* speeds, and the place of the first among all */
    int H, G;        /* offsets, [6][nu] */
    int l;           /* [3] from the parent's frame M to the body's */
    int D_inverse;   /* [nu][nu] */
    int known_level; /* how much of its motion is known, as in engine/mobod/matter/motion_equations.py; -1: nothing ever */
} RowJoint;

/* the rows of one constraint */
typedef struct {
    const char *name;
    int first, n;               /* rows */
    int n_position, n_velocity; /* of them, first those that a position error makes, then those of velocity errors */
    int enabled;                /* offset of a flag, 0 or 1 */
    int position_errors;        /* [n_position] */
    int velocity_errors;        /* [n_position + n_velocity] */
    int bias;                   /* [n] accelerations for zero u_dot */
    int n_bodies;
    const int *on_bodies; /* [n_bodies][3]      joint, body, offset of K [n][6] about the body's frame M */
    const int *motions;   /* [n_bodies][2]      offsets of the body's velocity, and of its acceleration for zero u_dot, [6] */
    int n_mobilities;
    const int *on_mobilities; /* [n_mobilities][2] joint, offset of k [n][nu] */
    int n_path;
    const int *path; /* [n_path]           joints from these to Ground, tips first */
    int n_runs;
    const int *runs; /* [n_runs][2]        speeds of the path as ranges: first, count */
} RowBlock;

typedef struct RowTable {
    int n_joints;
    const RowJoint *joints; /* tips first */
    int n_blocks;
    const RowBlock *blocks;
    int n_rows, nu, n_bodies;
    int u;               /* [nu] */
    int q, nq;           /* the bodies' coordinates, offset and count */
    int E;               /* [n_rows][nu] */
    int A;               /* [n_rows][n_rows] */
    int eps;             /* [nu] */
    int constrained_eps; /* [nu] */
    int multipliers;     /* [n_rows] */
    int body_forces;     /* [n_bodies][6] */
    int mobility_forces; /* [nu] */
    int workspace;       /* see multipliers.c and projection.c */
} RowTable;

/* The parts of the workspace, also of projections; engine/mobod/matter/multipliers.py knows its size. */
typedef struct {
    double *misses;     /* [n_rows]      of rows that contradict each other what the nearest accelerations miss, 0 of the others */
    double *D_E;        /* [n_rows][nu]  D^-1 of each joint times its part of E; 0 beside a row's path */
    double *G;          /* [n_rows][nu]  as from constraint_matrix */
    double *z, *dz;     /* [n_joints][6] a row on its way inward, and its change */
    double *A;          /* [active][active] */
    double *b;          /* [active] */
    double *errors;     /* [active] */
    double *row, *kept; /* [nu] */
    double *spare;      /* [2 n_rows] */
    double *growth;     /* [active]      of 1 / sizes of rows */
    int *active;        /* [n_rows] numbers of the rows of enabled constraints */
    Factors factors;
} RowWorkspace;

RowWorkspace row_workspace(const RowTable *table, double *w);

/* E and A, from what articulated inertias leave */
void eliminate_rows(const RowTable *table, double *w);
void eliminate_rows_tangent(const RowTable *table, const double *w, double *dw);

/* multipliers, eps with their forces, and these forces; not a number where the rows are, or where they contradict each other */
void solve_multipliers(const RowTable *table, double *w);
void solve_multipliers_tangent(const RowTable *table, const double *w, double *dw);

/* of the terms of a row: what is left where they cancel along all joints */
#define CANCELLED 1e-13

/* the largest entry, in size, of a row [nu] along its path */
double largest_along(const RowBlock *block, const double *e);

/* whether the speeds of a mobilizer are known, by a motion or a lock */
int is_known(const RowJoint *joint, const double *w);

/* G [rows][nu] of enabled constraints, those of position errors, or with the others that restrict velocities; 0 for the mobilities whose
 * speeds are known, which a projection does not change. How many rows */
int constraint_matrix(const RowTable *table, const double *w, int with_velocities, double *z, double *G);

/* the errors of enabled constraints, in the order of constraint_matrix; the largest, and the number of the constraint whose it is */
double constraint_errors(const RowTable *table, const double *w, int with_velocities, double *errors, int *whose);

/* The shortest change of speeds that the n rows of work->G take to work->errors, at a distance from where the constraints hold (see
 * distance_of_errors), into work->row; returns 0 where something is not finite. */
int solve_for_du(const RowTable *table, RowWorkspace *work, int n, double distance);

#endif
