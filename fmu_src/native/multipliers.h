/* The rows of constraints through the articulated bodies, and their multipliers.
 *
 * Twin of engine/mobod/matter/multipliers.py, where the equations stand. Offsets are into w; generated code fills the tables. */
#ifndef MOBOD_MULTIPLIERS_H
#define MOBOD_MULTIPLIERS_H

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
    int E;               /* [n_rows][nu] */
    int A;               /* [n_rows][n_rows] */
    int eps;             /* [nu] */
    int constrained_eps; /* [nu] */
    int multipliers;     /* [n_rows] */
    int body_forces;     /* [n_bodies][6] */
    int mobility_forces; /* [nu] */
    int workspace;       /* see multipliers.c and projection.c */
} RowTable;

/* E and A, from what articulated inertias leave */
void eliminate_rows(const RowTable *table, double *w);
void eliminate_rows_tangent(const RowTable *table, const double *w, double *dw);

/* multipliers, eps with their forces, and these forces; not a number where the rows are */
void solve_multipliers(const RowTable *table, double *w);
void solve_multipliers_tangent(const RowTable *table, const double *w, double *dw);

/* G [rows][nu] of enabled constraints, those of position errors, or with the others that restrict velocities; 0 for the mobilities that a
 * projection of these may not change, since they are known. How many rows */
int constraint_matrix(const RowTable *table, const double *w, int with_velocities, double *z, double *G);

#endif
