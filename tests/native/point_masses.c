#include "point_masses.h"

#include "elimination.h"
#include "event_table.h"
#include "multipliers.h"
#include "rows.h"

#include <float.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const double TOLERANCE = 1e-8; /* of constraints; m, and m/s */

/* ---- kernels, one a stage ---- */

/* masses, normal -> D^-1, gradient of PLANE */
static int find_inertias(const void *context, Call *call, const int *at) {
    double *w = call->w;
    (void)context;
    (void)at;
    for (int i = 0; i < N_SPEEDS; i++)
        w[D_INVERSE + 9 * (i / 3) + 4 * (i % 3)] = 1 / w[MASS + i / 3];
    memcpy(w + GRADIENT + PLANE * N_SPEEDS, w + NORMAL, 3 * sizeof(double));
    return 0;
}

/* the products of all gradients with positions or speeds */
static void find_products(double *w, int of, int result) {
    for (int row = 0; row < N_ROWS; row++) {
        w[result + row] = 0;
        for (int i = 0; i < N_SPEEDS; i++)
            w[result + row] += w[GRADIENT + row * N_SPEEDS + i] * w[of + i];
    }
}

/* r -> distances */
static int find_distances(const void *context, Call *call, const int *at) {
    (void)context;
    (void)at;
    find_products(call->w, R, ERROR);
    return 0;
}

/* u, directions of slips -> rates of r and of distances, forces of slips */
static int find_velocities(const void *context, Call *call, const int *at) {
    double *w = call->w;
    (void)context;
    (void)at;
    memcpy(w + R_DOT, w + U, N_SPEEDS * sizeof(double));
    find_products(w, U, RATE);
    for (int k = 0; k < 2; k++)
        w[SLIDE + ALONG_X + k] = -w[KINETIC + OF_FLOOR] * w[DIRECTION + k];
    w[SLIDE + GUIDE] = -w[KINETIC + OF_GUIDE] * w[DIRECTION + 2 * OF_GUIDE];
    return 0;
}

/* forces, gravity -> eps */
static int find_forces(const void *context, Call *call, const int *at) {
    double *w = call->w;
    (void)context;
    (void)at;
    for (int i = 0; i < N_SPEEDS; i++)
        w[EPS + i] = w[FORCE + i] - (i % 3 == 2 ? w[MASS + i / 3] * w[GRAVITY] : 0);
    return 0;
}

/* forces with those of constraints -> u_dot */
static int find_accelerations(const void *context, Call *call, const int *at) {
    double *w = call->w;
    (void)context;
    (void)at;
    for (int i = 0; i < N_SPEEDS; i++)
        w[U_DOT + i] = w[CONSTRAINED_EPS + i] / w[MASS + i / 3];
    return 0;
}

/* ---- rows ---- */

static const int both_joints[] = {0, 1}, first_joint[] = {0}, second_joint[] = {1};
static const int both_runs[] = {0, 6}, first_run[] = {0, 3}, second_run[] = {3, 3};
static const int on_masses[N_ROWS][4] = {
#define ON(row) {0, GRADIENT + (row) * N_SPEEDS, 1, GRADIENT + (row) * N_SPEEDS + 3}
    ON(FLOOR), ON(PLANE), ON(FLOOR_2), ON(GAP), ON(ALONG_X), ON(ALONG_Y), ON(GUIDE), ON(BAR)};

static const CarriedRow of_floor = {CARRIES + FLOOR, GIVEN + FLOOR, -1, -1};
static const CarriedRow along_x = {CARRIES + ALONG_X, GIVEN + ALONG_X, FLOOR, SLIDE + ALONG_X};
static const CarriedRow along_y = {CARRIES + ALONG_Y, GIVEN + ALONG_Y, FLOOR, SLIDE + ALONG_Y};
static const CarriedRow of_guide = {CARRIES + GUIDE, GIVEN + GUIDE, -1, SLIDE + GUIDE};

/* one part, with all products of two rows, of which some are 0 */
#define PAIR(i, k) (k), N_ROWS *((i) > (k) ? (i) : (k)) + ((i) < (k) ? (i) : (k)), 1, 1
#define WITH_ALL(i) {PAIR(i, 0), PAIR(i, 1), PAIR(i, 2), PAIR(i, 3), PAIR(i, 4), PAIR(i, 5), PAIR(i, 6), PAIR(i, 7)}
static const int overlaps[N_ROWS][4 * N_ROWS] = {WITH_ALL(0), WITH_ALL(1), WITH_ALL(2), WITH_ALL(3),
                                                 WITH_ALL(4), WITH_ALL(5), WITH_ALL(6), WITH_ALL(7)};

/* a block of one row, of positions or of velocities alone, on mass 1, on mass 2 or on both */
#define BLOCK(label, row, has_position, masses, first_mass, n_on_path, on_path, its_runs, carries)                                         \
    {.name = label,                                                                                                                        \
     .first = row,                                                                                                                         \
     .n = 1,                                                                                                                               \
     .n_position = has_position,                                                                                                           \
     .n_velocity = !(has_position),                                                                                                        \
     .enabled = IS_EQUATION + (row),                                                                                                       \
     .position_errors = ERROR + (row),                                                                                                     \
     .velocity_errors = RATE + (row),                                                                                                      \
     .bias = BIAS + (row),                                                                                                                 \
     .n_mobilities = masses,                                                                                                               \
     .on_mobilities = on_masses[row] + 2 * (first_mass),                                                                                   \
     .choice = -1,                                                                                                                         \
     .own = {.n_joints = n_on_path, .joints = on_path, .n_runs = 1, .runs = its_runs},                                                     \
     .carried = carries,                                                                                                                   \
     .n_overlaps = N_ROWS,                                                                                                                 \
     .n_before = row,                                                                                                                      \
     .overlaps = overlaps[row]}
#define ON_FIRST(label, row, has_position, carries) BLOCK(label, row, has_position, 1, 0, 1, first_joint, first_run, carries)
#define ON_SECOND(label, row, has_position, carries) BLOCK(label, row, has_position, 1, 1, 1, second_joint, second_run, carries)
#define ON_BOTH(label, row) BLOCK(label, row, 1, 2, 0, 2, both_joints, both_runs, NULL)

static const RowBlock blocks[N_ROWS] = {
    ON_FIRST("floor", FLOOR, 1, &of_floor),    ON_FIRST("plane", PLANE, 1, NULL),
    ON_SECOND("floor_2", FLOOR_2, 1, NULL),    ON_BOTH("gap", GAP),
    ON_FIRST("along_x", ALONG_X, 0, &along_x), ON_FIRST("along_y", ALONG_Y, 0, &along_y),
    ON_SECOND("guide", GUIDE, 0, &of_guide),   ON_BOTH("bar", BAR),
};
static const RowJoint joints[N_MASSES] = {
    {-1, 3, 0, H, ZEROS, ZEROS, D_INVERSE, -1, 0, 0, 0},
    {-1, 3, 3, H, ZEROS, ZEROS, D_INVERSE + 9, -1, 0, 0, 0},
};
static const int carried[] = {FLOOR, ALONG_X, ALONG_Y, GUIDE};
static const int all_blocks[N_ROWS] = {0, 1, 2, 3, 4, 5, 6, 7};
static const RowPart part = {
    .n_blocks = N_ROWS,
    .blocks = all_blocks,
    .n_rows = N_ROWS,
    .n_runs = 1,
    .runs = both_runs,
    .n_columns = N_SPEEDS,
    .n_carried = sizeof carried / sizeof *carried,
    .carried = carried,
};
static const double levers[N_SPEEDS] = {1, 1, 1, 1, 1, 1}; /* all speeds are translations */
static const RowTable rows = {
    .n_joints = N_MASSES,
    .most_speeds = 3,
    .joints = joints,
    .n_blocks = N_ROWS,
    .blocks = blocks,
    .n_parts = 1,
    .parts = &part,
    .most_rows = N_ROWS,
    .most_entries = N_ROWS * N_ROWS,
    .n_factors = 2 * N_ROWS * N_ROWS + 7 * N_ROWS,
    .n_carried = sizeof carried / sizeof *carried,
    .carried = carried,
    .n_rows = N_ROWS,
    .nu = N_SPEEDS,
    .n_bodies = N_MASSES,
    .length = 1,
    .levers = levers,
    .u = U,
    .q = R,
    .nq = N_SPEEDS,
    .E = E,
    .A = A,
    .n_A = N_ROWS * N_ROWS,
    .eps = EPS,
    .constrained_eps = CONSTRAINED_EPS,
    .multipliers = MULTIPLIERS,
    .body_forces = BODY_FORCES,
    .mobility_forces = MOBILITY_FORCES,
    .workspace = WORKSPACE,
    .n_workspace = N_W - WORKSPACE,
};

/* ---- unilateral rows and friction ---- */

#define CONTACT(row)                                                                                                                       \
    {.event = row,                                                                                                                         \
     .block = row,                                                                                                                         \
     .enabled = EXISTS + (row),                                                                                                            \
     .active = IS_EQUATION + (row),                                                                                                        \
     .distance = ERROR + (row),                                                                                                            \
     .rate = RATE + (row),                                                                                                                 \
     .restitution = RESTITUTION + (row),                                                                                                   \
     .impulse = IMPULSE + (row),                                                                                                           \
     .lean = -1,                                                                                                                           \
     .presences = -1,                                                                                                                      \
     .opposite = -1,                                                                                                                       \
     .first = row,                                                                                                                         \
     .n = 1}
static const Contact each_contact[N_CONTACTS] = {CONTACT(FLOOR), CONTACT(PLANE), CONTACT(FLOOR_2), CONTACT(GAP)};
static const int contact_of_event[] = {FLOOR, PLANE, FLOOR_2, GAP, -1, -1};
static const int contact_of_block[N_ROWS] = {FLOOR, PLANE, FLOOR_2, GAP, -1, -1, -1, -1};
static const ContactTable contacts = {N_CONTACTS, each_contact, N_CONTACTS + N_FRICTIONS, contact_of_event, contact_of_block, 0, NULL,
                                      0,          NULL};

#define FRICTION(number, of_contact, tangents, first)                                                                                      \
    {.event = N_CONTACTS + (number),                                                                                                       \
     .contact = of_contact,                                                                                                                \
     .n = tangents,                                                                                                                        \
     .block = first,                                                                                                                       \
     .enabled = HAS_FRICTION + (number),                                                                                                   \
     .mode = MODE + (number),                                                                                                              \
     .rates = RATE + (first),                                                                                                              \
     .direction = DIRECTION + 2 * (number),                                                                                                \
     .rest = REST + (number),                                                                                                              \
     .kinetic = KINETIC + (number),                                                                                                        \
     .static_limit = STATIC_LIMIT + (number),                                                                                              \
     .viscous = ZEROS,                                                                                                                     \
     .impulse = IMPULSE + (first),                                                                                                         \
     .load = -1,                                                                                                                           \
     .load_kinetic = -1,                                                                                                                   \
     .load_static = -1}
static const Friction each_friction[N_FRICTIONS] = {FRICTION(OF_FLOOR, FLOOR, 2, ALONG_X), FRICTION(OF_GUIDE, -1, 1, GUIDE)};
static const int friction_of_event[] = {-1, -1, -1, -1, OF_FLOOR, OF_GUIDE};
static const int friction_of_contact[N_CONTACTS] = {OF_FLOOR, -1, -1, -1};
static const FrictionTable frictions = {N_FRICTIONS,       each_friction, N_CONTACTS + N_FRICTIONS,
                                        friction_of_event, N_CONTACTS,    friction_of_contact};

#define EVENT(label, number) {.name = label, .cause = CAUSE_UNILATERAL, .memory = MEMORY + SIZE_OF_MEMORY_HERE * (number)}
static const Event each_event[] = {EVENT("floor", 0), EVENT("plane", 1),        EVENT("floor_2", 2),
                                   EVENT("gap", 3),   EVENT("of the floor", 4), EVENT("of the guide", 5)};
static const EventTable events = {.n = sizeof each_event / sizeof *each_event, .events = each_event};

/* ---- the model ---- */

static const Kernel kernels[] = {{find_inertias, NULL},    {find_distances, NULL},   {find_velocities, NULL},   {find_forces, NULL},
                                 {run_elimination, &rows}, {run_multipliers, &rows}, {find_accelerations, NULL}};
static const int none[] = {0, 0, 0}, numbers[] = {0, 1, 2, 3, 4, 5, 6};
static const Sweep inertias = {0, NULL, 1, numbers, none, none, NULL}, distances = {0, NULL, 1, numbers + 1, none, none, NULL},
                   rates = {0, NULL, 1, numbers + 2, none, none, NULL}, forces = {0, NULL, 1, numbers + 3, none, none, NULL},
                   accelerations = {0, NULL, 3, numbers + 4, none, none, NULL};
static const Sweep *const sweeps[N_STAGES] = {
    [STAGE_INSTANCE] = &inertias, [STAGE_POSITION] = &distances,         [STAGE_VELOCITY] = &rates,
    [STAGE_DYNAMICS] = &forces,   [STAGE_ACCELERATION] = &accelerations,
};
static const int all_of_w[] = {0, N_W};

const Model point_masses = {
    .name = "point masses",
    .n_w = N_W,
    .n_copied = 1,
    .copied = all_of_w,
    .n_q = N_SPEEDS,
    .n_u = N_SPEEDS,
    .time_at = TIME,
    .y_at = R,
    .y_dot_at = R_DOT,
    .q_dot_stage = STAGE_VELOCITY,
    .n_kernels = sizeof kernels / sizeof *kernels,
    .kernels = kernels,
    .sweeps = sweeps,
    .rows = &rows,
    .events = &events,
    .contacts = &contacts,
    .frictions = &frictions,
};

/* ---- settings ---- */

typedef struct {
    const char *name;
    int at, n;
} Setting;

static const Setting settings[] = {
    {"r", R, N_SPEEDS},
    {"u", U, N_SPEEDS},
    {"mass", MASS, N_MASSES},
    {"force", FORCE, N_SPEEDS},
    {"gravity", GRAVITY, 1},
    {"normal", NORMAL, 3},
    {"exists", EXISTS, N_CONTACTS},
    {"restitution", RESTITUTION, N_CONTACTS},
    {"has_friction", HAS_FRICTION, N_FRICTIONS},
    {"kinetic", KINETIC, N_FRICTIONS},
    {"static_limit", STATIC_LIMIT, N_FRICTIONS},
    {"bias", BIAS, N_ROWS},
    {"is_equation", IS_EQUATION, N_ROWS},
};

static void set_default(double *w) {
    double *gradient = w + GRADIENT;
    w[MASS] = w[MASS + 1] = w[GRAVITY] = w[NORMAL + 2] = 1;
    for (int k = 0; k < 3; k++)
        w[H + 3 * (3 + k) + k] = 1;
    gradient[FLOOR * N_SPEEDS + 2] = gradient[FLOOR_2 * N_SPEEDS + 5] = 1;
    gradient[ALONG_X * N_SPEEDS] = gradient[ALONG_Y * N_SPEEDS + 1] = gradient[GUIDE * N_SPEEDS + 3] = 1;
    gradient[GAP * N_SPEEDS] = gradient[BAR * N_SPEEDS + 2] = -1;
    gradient[GAP * N_SPEEDS + 3] = gradient[BAR * N_SPEEDS + 5] = 1;
}

static void set(double *w, const char *argument) {
    char name[32];
    int index, n_read;
    for (size_t i = 0; sscanf(argument, "%31[^[][%d]=%n", name, &index, &n_read) == 2 && i < sizeof settings / sizeof *settings; i++)
        if (!strcmp(name, settings[i].name) && index >= 0 && index < settings[i].n) {
            w[settings[i].at + index] = strtod(argument + n_read, NULL);
            return;
        }
    fprintf(stderr, "'%s' sets nothing\n", argument);
    exit(2);
}

State *state_of_settings(int n_arguments, char **arguments) {
    State *state = calloc(1, state_size(&point_masses));
    if (!state)
        exit(2);
    state->interface_type = CO_SIMULATION;
    state->integrator = INTEGRATOR_AUTO;
    state->constraint_tolerance = state->tolerance = TOLERANCE;
    state->realized = STAGE_MODEL;
    set_default(state->w);
    for (int i = 1; i < n_arguments; i++)
        set(state->w, arguments[i]);
    return state;
}

void read_existing(const State *state, int *mask) {
    for (int i = 0; i < N_CONTACTS; i++)
        mask[i] = state->w[EXISTS + i] != 0;
}

void print_numbers(const char *name, int n, const double *values) {
    printf("%s", name);
    for (int i = 0; i < n; i++)
        printf(" %.17g", values[i]);
    printf("\n");
}

void print_integers(const char *name, int n, const int *values) {
    printf("%s", name);
    for (int i = 0; i < n; i++)
        printf(" %d", values[i]);
    printf("\n");
}
