/* Two point masses above a floor, as tables made by hand, for the units of fmu_src/native/contact.
 *
 * Each mass has three speeds along x, y, z, and constant forces. Rows, each a block of its own:
 *
 *     FLOOR    z_1 >= 0, with friction along x and y
 *     PLANE    normal . r_1 >= 0; by default it is the floor once more
 *     FLOOR_2  z_2 >= 0
 *     GAP      x_2 - x_1 >= 0
 *     ALONG_X, ALONG_Y  the tangents of FLOOR
 *     GUIDE    the friction of a joint, along x_2
 *     BAR      z_2 - z_1 = 0, an equation */
#ifndef POINT_MASSES_H
#define POINT_MASSES_H

#include "contact_table.h"
#include "friction_table.h"
#include "model.h"
#include "state.h"

enum { N_MASSES = 2, N_SPEEDS = 3 * N_MASSES };
enum { FLOOR, PLANE, FLOOR_2, GAP, N_CONTACTS, ALONG_X = N_CONTACTS, ALONG_Y, GUIDE, BAR, N_ROWS };
enum { OF_FLOOR, OF_GUIDE, N_FRICTIONS };

/* offsets into w; positions and speeds are x_1, y_1, z_1, x_2, y_2, z_2 */
enum {
    TIME,
    R,
    U = R + N_SPEEDS,
    R_DOT = U + N_SPEEDS,
    U_DOT = R_DOT + N_SPEEDS,
    MASS = U_DOT + N_SPEEDS,                                              /* [2] kg */
    FORCE = MASS + N_MASSES,                                              /* [6] N, without gravity */
    GRAVITY = FORCE + N_SPEEDS,                                           /* m/s^2, downwards */
    NORMAL,                                                               /* [3] of PLANE */
    EXISTS = NORMAL + 3,                                                  /* [contacts] flags of constraints */
    RESTITUTION = EXISTS + N_CONTACTS,                                    /* [contacts] */
    HAS_FRICTION = RESTITUTION + N_CONTACTS,                              /* [frictions] flags of constraints */
    KINETIC = HAS_FRICTION + N_FRICTIONS,                                 /* [frictions] coefficient of the floor; force of the guide, N */
    STATIC_LIMIT = KINETIC + N_FRICTIONS,                                 /* [frictions] the same at rest */
    BIAS = STATIC_LIMIT + N_FRICTIONS,                                    /* [rows] m/s^2 */
    IS_EQUATION = BIAS + N_ROWS,                                          /* [rows] flags of blocks */
    CARRIES = IS_EQUATION + N_ROWS,                                       /* [rows] */
    GIVEN = CARRIES + N_ROWS,                                             /* [rows] */
    SLIDE = GIVEN + N_ROWS,                                               /* [rows] */
    ERROR = SLIDE + N_ROWS,                                               /* [rows] distances and position errors */
    RATE = ERROR + N_ROWS,                                                /* [rows] velocities along the rows */
    IMPULSE = RATE + N_ROWS,                                              /* [rows] of the last impact */
    MODE = IMPULSE + N_ROWS,                                              /* [frictions] */
    DIRECTION = MODE + N_FRICTIONS,                                       /* [frictions][2] */
    REST = DIRECTION + 2 * N_FRICTIONS,                                   /* [frictions] */
    MEMORY = REST + N_FRICTIONS,                                          /* [contacts + frictions][SIZE_OF_MEMORY_HERE] */
    SIZE_OF_MEMORY_HERE = 20,                                             /* at least SIZE_OF_CONTACT_MEMORY */
    GRADIENT = MEMORY + SIZE_OF_MEMORY_HERE * (N_CONTACTS + N_FRICTIONS), /* [rows][6] of the errors */
    H = GRADIENT + N_SPEEDS * N_ROWS,                                     /* [6][3] */
    ZEROS = H + 18,                                                       /* [18] G and l of a joint on Ground */
    D_INVERSE = ZEROS + 18,                                               /* [2][3][3] */
    EPS = D_INVERSE + 9 * N_MASSES,
    CONSTRAINED_EPS = EPS + N_SPEEDS,
    E = CONSTRAINED_EPS + N_SPEEDS, /* [rows][6] */
    A = E + N_ROWS * N_SPEEDS,      /* [rows][rows] */
    MULTIPLIERS = A + N_ROWS * N_ROWS,
    BODY_FORCES = MULTIPLIERS + N_ROWS,
    MOBILITY_FORCES = BODY_FORCES + 6 * N_MASSES,
    WORKSPACE = MOBILITY_FORCES + N_SPEEDS, /* last, so that the sanitizers see what lies behind it; see workspace_size in row_memory.py */
    N_W = WORKSPACE + 2 * N_ROWS * N_SPEEDS + 18 * N_MASSES + 11 * N_ROWS + 2 + 3 * N_SPEEDS + N_ROWS * N_ROWS +
        (2 * N_ROWS * N_ROWS + N_ROWS) + (2 * N_ROWS * N_ROWS + 7 * N_ROWS)
};

extern const Model point_masses;

/* A new State with the settings "name=value" of a command line; exits if there is no such setting. Names are those of the enum, in lower
 * case, with an index: mass[1]. The caller frees it. */
State *state_of_settings(int n_arguments, char **arguments);

/* which unilateral rows exist, as a mask */
void read_existing(const State *state, int *mask);

/* "name value ..." on a line of its own */
void print_numbers(const char *name, int n, const double *values);
void print_integers(const char *name, int n, const int *values);

#endif
