/* The rows of constraints: the tables that generated code fills, and operations along the path from the bodies of a row to Ground.
 *
 * All offsets are into w; engine/mobod/matter/constraint_rows/row_table.py makes them. */
#ifndef MOBOD_ROWS_H
#define MOBOD_ROWS_H

#include "factor.h"
#include "sparse_cholesky.h"

typedef struct {
    int parent;         /* joint of the parent body; -1: Ground */
    int nu, first;      /* number of speeds, and index of the first one among all */
    int H, G;           /* offsets, [6][nu] */
    int l;              /* [3] offset of the vector from the parent's frame M to the body's */
    int D_inverse;      /* [nu][nu] */
    int known_level;    /* offset of the level at which its motion is prescribed, as in
                           engine/mobod/matter/equations/motion_equations.py; -1: never prescribed */
    int n_along, along; /* speeds of its parent's joint that move its body too, as those of modes move an interface of a flexible body:
                           number, and index of the first one among all; 0: none. The parent's joint eliminates them */
    int H_along;        /* [6][n_along] */
} RowJoint;

/* the compliance of a row; offsets into w */
typedef struct {
    int enabled; /* flag of its constraint. The flag of its block is set only by fixed steps, while they solve */
    int compliance, damping;
    int force;         /* force along the gradient of its error; applied at DYNAMICS */
    int impulse;       /* of a unilateral row; -1: it is bilateral */
    int is_unilateral; /* its force is never negative */
} CompliantRow;

/* A row with dry friction, which may carry a force without being an equation; offsets into w. */
typedef struct {
    int flag;   /* CARRIES_... */
    int given;  /* the force of CARRIES_GIVEN, along the gradient of the row's error */
    int normal; /* of a tangent row: number of the row of the normal force; -1: there is none */
    int slide;  /* of a tangent row: force per normal force of a slip, or the force itself; -1: not a tangent row */
} CarriedRow;

enum { CARRIES_NOTHING, CARRIES_SLIP, CARRIES_GIVEN };

/* the load of a joint's bearing, on which its dry friction depends; offsets into w. See joint_loads.h */
typedef struct {
    int load;           /* with which the friction is computed */
    int measured;       /* from the reactions that follow */
    int size;           /* the same of the absolute values of all terms */
    int block;          /* number of the block of its row, which is `carried` */
    int joint;          /* in the table of joints */
    int R_GM;           /* [3][3] */
    int weights;        /* [6] how much each moment and force of the reaction counts, in the axes of M */
    int is_regularised; /* its row carries its friction at all times; see given_friction.h */
} JointLoad;

/* The bodies that rows act on, and the joints that they reach */
typedef struct {
    int n_bodies;
    const int *on_bodies; /* [n_bodies][3] joint, body, offset of K [n][6] about the body's frame M: RowBlock.K is added */
    const int *motions;   /* [n_bodies][2] offsets of the body's velocity, and of its acceleration for zero u_dot, [6] */
    int n_joints;
    const int *joints; /* [n_joints] from these bodies to Ground, tips first */
    int may_be_known;  /* whether the motion of one of these joints may be prescribed */
    int n_runs;
    const int *runs; /* [n_runs][2] their speeds as ranges: first, count */
} RowPath;

/* the rows of one constraint */
typedef struct {
    const char *name;
    int first, n;               /* rows */
    int n_position, n_velocity; /* number of rows: those of position errors come first, then those of velocity errors */
    int enabled;                /* offset of a flag, 0 or 1 */
    int position_errors;        /* [n_position] */
    int velocity_errors;        /* [n_position + n_velocity] */
    int bias;                   /* [n] acceleration errors for u_dot = 0 */
    int choice; /* offset of the number of the path in RowTable.paths, which the runtime sets once a step (contact_pool.h); -1: `own` */
    int K;
    RowPath own;
    int n_mobilities;
    const int *on_mobilities;      /* [n_mobilities][2] joint, offset of k [n][nu] */
    const CompliantRow *compliant; /* of its only row; NULL: its rows are rigid */
    const CarriedRow *carried;     /* of its only row; NULL: its rows have no friction */
    int n_overlaps, n_before;      /* blocks with a joint on both paths, itself too; and how many of them come before it */
    const int *overlaps;           /* [n_overlaps][4] by the number of the other block: see Overlap; NULL: with all blocks, since some
                                      choose their paths */
} RowBlock;

/* The products of a block's rows with those of another one: that of rows r and s is A[at + r down + s across]. */
typedef struct {
    int block, at, down, across;
} Overlap;

/* Rows that may influence each other: no other rows have a joint on their paths. The factorisation of a part with few overlaps is sparse,
 * in blocks, in an order of elimination with few additional entries. */
typedef struct {
    int n_blocks;
    const int *blocks; /* [n_blocks] their numbers, ascending */
    int n_rows;
    int n_runs;
    const int *runs; /* [n_runs][2] speeds on their paths as ranges: first, count */
    int n_columns;   /* how many these are */
    int n_carried;   /* blocks whose row may carry a force, */
    const int *carried;
    const CholeskyPattern *pattern; /* NULL: the part is factored as a dense matrix */
    const int *order;               /* [columns of the pattern] numbers of the blocks; the others are those of contacts */
    const int *products;            /* [entries of the pattern][3] at, down, across as of Overlap */
} RowPart;

typedef struct RowTable {
    int n_joints;
    const RowJoint *joints; /* tips first */
    int most_speeds;        /* the largest number of speeds of a joint */
    int n_blocks;
    const RowBlock *blocks;
    int n_paths; /* that blocks choose; the first one has no bodies */
    const RowPath *paths;
    int n_parts;
    const RowPart *parts;
    int most_rows;        /* of a part */
    int most_entries;     /* room for a matrix of a part, with its rows or its speeds as columns, or for the inverse of sparse factors */
    int n_factors;        /* how many numbers the factors of parts need; see factors_size in row_memory.py */
    int n_compliant;      /* blocks whose row is compliant, */
    const int *compliant; /* [n_compliant] and their numbers */
    int n_carried;        /* blocks whose row may carry a force, */
    const int *carried;   /* [n_carried] and their numbers */
    int n_loads;          /* rows whose friction depends on the load of the joint */
    const JointLoad *loads;
    int load_workspace; /* [2 + 2 n_loads]: see joint_loads.c */
    int n_rows, nu, n_bodies;
    double length;        /* of the bodies: a force counts as its moment at this distance where round-off of rows is decided */
    const double *levers; /* [nu] the same of forces along speeds: 1 of a rotation, `length` of a translation */
    int u;                /* [nu] */
    int q, nq;            /* the bodies' coordinates, offset and count */
    int E;                /* [n_rows][nu] */
    int A;                /* [n_A] the products of rows that overlap; see Overlap */
    int n_A;
    int eps;             /* [nu] */
    int constrained_eps; /* [nu] */
    int multipliers;     /* [n_rows] */
    int body_forces;     /* [n_bodies][6] */
    int mobility_forces; /* [nu] */
    int workspace;       /* see RowWorkspace */
    int n_workspace;     /* its size; what follows its first n_rows + 2 numbers is temporary */
} RowTable;

enum { ROWS_AT_ONCE = 3 }; /* of a block that pass a joint together */

/* The parts of the workspace, which projections use too; engine/mobod/matter/constraint_rows/row_memory.py computes its size. Rows of
 * D_E and G are 0 outside their paths; those of E are not read there. */
typedef struct {
    Number *misses; /* [n_rows] residuals of rows that contradict each other, for the nearest accelerations; 0 for the others */
    Number *jam;    /* [2] see jammed_normal */

    /* the rest is temporary */
    Number *D_E;    /* [n_rows][nu] D^-1 of each joint times its part of E; in a tangent half of its change */
    Number *D_eps;  /* [nu] D^-1 of each joint times its part of eps */
    Number *G;      /* [n_rows][nu] of enabled constraints; see constraint_arithmetic.h */
    Number *z, *dz; /* [n_joints][6] force of a row in the inward sweep, and its change; or z [ROWS_AT_ONCE][n_joints][6] of several rows */
    Number *errors; /* [n_rows] */
    Number *row, *kept; /* [nu] */

    /* of the active rows of a part */
    int *active;    /* [n_rows] their numbers; then room for as many whole numbers */
    int *place;     /* [n_rows] of a row among the active ones */
    int *in_blocks; /* [n_blocks] how many rows a block of the order of elimination has, and [n_blocks] the place of its first one */
    Number *A;      /* [most_entries] [active][active] if the part is factored as a dense matrix; of G: [active][columns of the part] */
    Number *b, *product; /* [active] */
    Number *spare;       /* [2 n_rows] */
    Number *growth;      /* [active] relative change of the scale factors, 1 / size of each row */
    Number *slips;       /* [active][active] twice and [active], if rows may carry forces; see carried_rows.h */
    SparseFactors sparse;
    int is_sparse; /* whether the part is factored by `sparse`; else by `factors` */
    Factors factors;
} RowWorkspace;

RowWorkspace row_workspace(const RowTable *table, double *w);

/* relative to the terms of a row, as moments: a smaller result is round-off of terms that cancel along all joints */
#define CANCELLED 1e-13

/* whether a motion or a lock prescribes the speeds of a mobilizer */
int is_known(const RowJoint *joint, const double *w);

/* the product of a row with itself in A */
double own_product(const RowTable *table, const double *w, int row);

/* the largest absolute value of n values */
double largest(const double *values, int n);

/* the path of the rows of a block */
const RowPath *path_of_block(const RowTable *table, const RowBlock *block, const double *w);

/* Set z and e of a row to the forces of the constraint on bodies and mobilities, read from v. */
void start_row(const RowTable *table, const RowBlock *block, const RowPath *path, int row, const double *v, double *z, double *e);

/* the part of a body's velocity or acceleration that its parent transmits, at the body's frame M; motions [n_joints][6] */
void shift_outward(const RowJoint *joint, const double *w, const double *motions, double *own);

/* G v of all rows, enabled or not, into rates [n_rows], for v [nu], by an outward sweep; V [n_joints][6] is a workspace */
void rates_along(const RowTable *table, const double *w, const double *v, double *V, double *rates);

/* y [nu] += D x */
void add_product(double *y, const double *D, const double *x, int nu);

/* y = D^-1 x along a path */
void multiply_by_D_inverse(const RowTable *table, const RowPath *path, const double *w, const double *x, double *y);

#endif
