#include "pressed_pair.h"

#include "elastic_points.h"
#include "pressed_points.h"
#include "space_vectors.h"
#include "terrain_points.h"

#include <float.h>
#include <string.h>

#define NO_POINT DBL_MAX

static const double STEP = 4e-6;       /* rad, and of the size: of tangents and adjoints */
static const double DIFFERENCE = 1e-5; /* the same of forces; at small depths PART_OF_DEPTH, so that forces begin at 0 */
static const double PART_OF_DEPTH = 0.1;

/* what is read of a shape: R_GB, r, p_GM, R_BS, p_BS, and its numbers; sizes of the parts */
enum { READ_R_GB, READ_R = 9, READ_P_GM = 12, READ_R_BS = 15, READ_P_BS = 24, READ_NUMBERS = 27, READ_SIZE = 31 };
enum { N_PARTS = 6 };
typedef double Read[2][READ_SIZE];

static const PressedShape *shape_of(const PressedPair *pair, int side) { return side ? &pair->shape2 : &pair->shape1; }

/* a part of what is read: its offset in w, its place in Read, its size */
typedef struct {
    int from, to, n;
} Part;

static Part part_of(const PressedShape *shape, int number) {
    switch (number) {
    case 0:
        return (Part){shape->R_GB, READ_R_GB, 9};
    case 1:
        return (Part){shape->r, READ_R, 3};
    case 2:
        return (Part){shape->p_GM, READ_P_GM, 3};
    case 3:
        return (Part){shape->R_BS, READ_R_BS, 9};
    case 4:
        return (Part){shape->p_BS, READ_P_BS, 3};
    default:
        return (Part){shape->numbers, READ_NUMBERS, shape_numbers((ShapeKind)shape->kind)};
    }
}

/* copy what is read from v, w or changes of it */
static void gather(const PressedPair *pair, const double *v, Read read) {
    memset(read, 0, sizeof(Read));
    for (int side = 0; side < 2; side++)
        for (int number = 0; number < N_PARTS; number++) {
            const Part part = part_of(shape_of(pair, side), number);
            memcpy(read[side] + part.to, v + part.from, (size_t)part.n * sizeof(double));
        }
}

/* the frame of a shape in frame A; between: from the origin of A to that of the body's frame M */
static Placement placement_of(const double *read, const double *between) {
    Placement X;
    const double *A = read + READ_R_GB, *B = read + READ_R_BS;
    for (int i = 0; i < 3; i++)
        for (int k = 0; k < 3; k++)
            X.R[3 * i + k] = A[3 * i] * B[k] + A[3 * i + 1] * B[3 + k] + A[3 * i + 2] * B[6 + k];
    rotate3(X.p, A, read + READ_P_BS);
    add3(X.p, 1, read + READ_R);
    add3(X.p, 1, between);
    return X;
}

static void normal_in_A(const ContactPoint *point, const Placement *X1, const Placement *X2, double *n) {
    double edge1[3], edge2[3];
    switch ((PointKind)point->kind) {
    case POINT_ON_FACE_OF_1:
        rotate3(n, X1->R, point->m);
        break;
    case POINT_ON_FACE_OF_2:
        rotate3(n, X2->R, point->m);
        break;
    case POINT_ON_EDGES:
        rotate3(edge1, X1->R, point->m);
        rotate3(edge2, X2->R, point->e);
        cross3(n, edge1, edge2);
        normalize3(n);
        break;
    default:
        copy3(n, point->m);
    }
}

static double size_of_smaller(const ConvexShape *one, const ConvexShape *other) { return fmin(one->size, other->size); }

static ConvexShape shape_from(const PressedShape *shape, const double *read) {
    return convex_shape((ShapeKind)shape->kind, read + READ_NUMBERS, shape->hull);
}

/* the points of both shapes at their poses; of two convex shapes see choose_elastic_points. Returns Q */
static double find_at(const PressedPair *pair, const ConvexShape *shapes, const Placement *X1, const Placement *X2, double *hint,
                      ContactPoints *found) {
    static const double none[3] = {0, 0, 0};
    const Terrain *terrain = pair->shape1.terrain ? pair->shape1.terrain : pair->shape2.terrain;
    find_points_of_shapes(terrain, shapes, X1, shapes + 1, X2, 0, hint, none, found);
    return terrain ? 0 : choose_elastic_points(shapes, found);
}

/* The wrench (force, moment about `about`) on shape 2 that is minus the gradient of Q / 2, by differences. depth: m, the
 * least one of the shapes */
static void gradient_of_stored(const PressedPair *pair, const ConvexShape *shapes, const Placement *X1, const Placement *X2,
                               const double *hint, const double *about, double depth, double *wrench) {
    const double size = size_of_smaller(shapes, shapes + 1), step = fmin(DIFFERENCE, PART_OF_DEPTH * depth / size);
    ContactPoints found = {.with_shares = 1, .must_be_near = 1};
    double own_hint[N_HINT], arm[3], axis[3], turn[3], column[3];
    subtract3(arm, X2->p, about);
    for (int k = 0; k < 6; k++) {
        double stored[2];
        const double by = k < 3 ? step * size : step;
        for (int side = 0; side < 2; side++) {
            Placement moved = *X2;
            set3(axis, k % 3 == 0, k % 3 == 1, k % 3 == 2);
            scale3(axis, side ? by : -by, axis);
            if (k < 3) {
                add3(moved.p, 1, axis);
            } else {
                cross3(turn, axis, arm);
                add3(moved.p, 1, turn);
                for (int j = 0; j < 3; j++) {
                    set3(column, X2->R[j], X2->R[3 + j], X2->R[6 + j]);
                    cross3(turn, axis, column);
                    for (int i = 0; i < 3; i++)
                        moved.R[3 * i + j] += turn[i];
                }
            }
            memcpy(own_hint, hint, sizeof own_hint);
            stored[side] = find_at(pair, shapes, X1, &moved, own_hint, &found);
        }
        wrench[k] = -(stored[1] - stored[0]) / (4 * by);
    }
}

/* the points for what was read */
static void find_pressed(const PressedPair *pair, Read read, double *hint, Pressed *pressed) {
    static const double none[3] = {0, 0, 0};
    const ConvexShape shapes[2] = {shape_from(&pair->shape1, read[0]), shape_from(&pair->shape2, read[1])};
    double between[3], wrench[6];
    ContactPoints found = {.with_shares = 1, .must_be_least = 1};
    subtract3(between, read[1] + READ_P_GM, read[0] + READ_P_GM);
    const Placement X1 = placement_of(read[0], none), X2 = placement_of(read[1], between);
    find_at(pair, shapes, &X1, &X2, hint, &found);
    const int overlap = found.n > 0 && found.d < 0 && !pair->shape1.terrain && !pair->shape2.terrain;
    pressed->depth = overlap ? -found.d : 0;
    pressed->part = overlap ? pressed->depth / size_of_smaller(shapes, shapes + 1) : 0;
    pressed->n = found.n < pair->n ? found.n : pair->n;
    for (int i = 0; i < pressed->n; i++) {
        const ContactPoint *point = found.points + i;
        double *numbers = pressed->numbers[i], x1[3], x2[3];
        memcpy(pressed->on[i], point->on, sizeof point->on);
        numbers[AT_DISTANCE] = point->d;
        normal_in_A(point, &X1, &X2, numbers + AT_NORMAL);
        rotate3(x1, X1.R, point->a);
        add3(x1, 1, X1.p);
        rotate3(x2, X2.R, point->b);
        add3(x2, 1, X2.p);
        for (int k = 0; k < 3; k++)
            numbers[AT_ARM_1 + k] = (x1[k] + x2[k]) / 2;
        numbers[AT_WEIGHT] = point->share;
    }
    if (found.is_patch) {
        double about[3];
        copy3(about, pressed->numbers[0] + AT_ARM_1);
        gradient_of_stored(pair, shapes, &X1, &X2, hint, about, -found.d, wrench);
        follow_gradient(wrench, about, size_of_smaller(shapes, shapes + 1), pressed);
    }
    for (int i = 0; i < pressed->n; i++)
        subtract3(pressed->numbers[i] + AT_ARM_2, pressed->numbers[i] + AT_ARM_1, between);
}

/* offsets of what a point writes into w, [POINT_SIZE] */
static void places_of_point(const PressedPair *pair, int i, int *at) {
    at[AT_DISTANCE] = pair->distance + i;
    for (int k = 0; k < 3; k++) {
        at[AT_NORMAL + k] = pair->normal + 3 * i + k;
        at[AT_ARM_1 + k] = pair->arm1 + 3 * i + k;
        at[AT_ARM_2 + k] = pair->arm2 + 3 * i + k;
    }
    at[AT_WEIGHT] = pair->patch + 2 * i;
}

int run_pressed_pair(const void *context, Call *call, const int *unused) {
    static const double absent[POINT_SIZE] = {NO_POINT};
    const PressedPair *pair = context;
    double *w = call->w, hint[N_HINT];
    int at[POINT_SIZE];
    Read read;
    Pressed pressed;
    (void)unused;
    gather(pair, w, read);
    memcpy(hint, w + pair->hint, sizeof hint);
    find_pressed(pair, read, hint, &pressed);
    for (int i = 0; i < pair->n; i++) {
        places_of_point(pair, i, at);
        for (int k = 0; k < POINT_SIZE; k++)
            w[at[k]] = i < pressed.n ? pressed.numbers[i][k] : absent[k];
        w[pair->patch + 2 * i + 1] = 0;
    }
    memcpy(w + pair->next_hint, hint, sizeof hint);
    const int is_deepest = pressed.part > w[pair->hint + LARGEST_PART];
    w[pair->next_hint + LARGEST_PART] = is_deepest ? pressed.part : w[pair->hint + LARGEST_PART];
    w[pair->next_hint + LARGEST_DEPTH] = is_deepest ? pressed.depth : w[pair->hint + LARGEST_DEPTH];
    return 0;
}

/* ---- differences ---- */

static int number_of(const Pressed *pressed, const int *on) {
    for (int i = 0; i < pressed->n; i++)
        if (pressed->on[i][0] == on[0] && pressed->on[i][1] == on[1])
            return i;
    return -1;
}

/* The points for what was read, moved by `change` times `by`. */
static void find_moved(const PressedPair *pair, const double *w, Read read, Read change, double by, Pressed *pressed) {
    Read moved;
    double hint[N_HINT];
    memcpy(hint, w + pair->hint, sizeof hint);
    for (int side = 0; side < 2; side++)
        for (int k = 0; k < READ_SIZE; k++)
            moved[side][k] = read[side][k] + by * change[side][k];
    find_pressed(pair, moved, hint, pressed);
}

/* the size of the smaller shape */
static double size_of_pair(const PressedPair *pair, Read read) {
    const ConvexShape one = shape_from(&pair->shape1, read[0]), other = shape_from(&pair->shape2, read[1]);
    return size_of_smaller(&one, &other);
}

/* the largest change, with lengths relative to `size`; moving both shapes together is none */
static double largest_change(Read change, double size) {
    double largest = 0;
    for (int side = 0; side < 2; side++)
        for (int k = 0; k < READ_SIZE; k++) {
            const int is_rotation = k < READ_R || (k >= READ_R_BS && k < READ_P_BS);
            const int is_origin = k >= READ_P_GM && k < READ_R_BS;
            const double value = is_origin ? change[1][k] - change[0][k] : change[side][k];
            largest = fmax(largest, fabs(value) / (is_rotation ? 1 : size));
        }
    return largest;
}

/* The rates of all numbers of the points of `here` along a change, [n][POINT_SIZE]. */
static void differentiate(const PressedPair *pair, const double *w, Read read, const Pressed *here, Read change,
                          double rates[][POINT_SIZE]) {
    const double largest = largest_change(change, size_of_pair(pair, read));
    memset(rates, 0, (size_t)here->n * sizeof *rates);
    if (!(largest > 0) || here->n == 0)
        return;
    const double by = STEP / largest;
    Pressed before, after;
    find_moved(pair, w, read, change, -by, &before);
    find_moved(pair, w, read, change, by, &after);
    for (int i = 0; i < here->n; i++) {
        const int a = number_of(&before, here->on[i]), b = number_of(&after, here->on[i]);
        const double *from = a < 0 ? here->numbers[i] : before.numbers[a], *to = b < 0 ? here->numbers[i] : after.numbers[b];
        const double apart = by * ((a >= 0) + (b >= 0));
        for (int k = 0; k < POINT_SIZE; k++)
            rates[i][k] = apart > 0 ? (to[k] - from[k]) / apart : 0;
    }
}

/* the points now, with what was read for them */
static void find_here(const PressedPair *pair, const double *w, Read read, Pressed *here) {
    double hint[N_HINT];
    gather(pair, w, read);
    memcpy(hint, w + pair->hint, sizeof hint);
    find_pressed(pair, read, hint, here);
}

int run_pressed_pair_tangent(const void *context, Call *call, const int *unused) {
    const PressedPair *pair = context;
    double rates[MOST_CONTACT_POINTS][POINT_SIZE], *dw = call->dw;
    int at[POINT_SIZE];
    Read read, change;
    Pressed here;
    (void)unused;
    find_here(pair, call->w, read, &here);
    gather(pair, dw, change);
    differentiate(pair, call->w, read, &here, change, rates);
    for (int i = 0; i < pair->n; i++) {
        places_of_point(pair, i, at);
        for (int k = 0; k < POINT_SIZE; k++)
            dw[at[k]] = i < here.n ? rates[i][k] : 0;
        dw[pair->patch + 2 * i + 1] = 0;
    }
    memset(dw + pair->next_hint, 0, SIZE_OF_PRESSED_HINT * sizeof(double));
    return 0;
}

int run_pressed_pair_adjoint(const void *context, Call *call, const int *unused) {
    const PressedPair *pair = context;
    double rates[MOST_CONTACT_POINTS][POINT_SIZE], given[MOST_CONTACT_POINTS][POINT_SIZE], *dw = call->dw;
    int at[POINT_SIZE];
    Read read, change;
    Pressed here;
    (void)unused;
    find_here(pair, call->w, read, &here);
    for (int i = 0; i < pair->n; i++) {
        places_of_point(pair, i, at);
        for (int k = 0; k < POINT_SIZE; k++) {
            given[i][k] = dw[at[k]];
            dw[at[k]] = 0;
        }
        dw[pair->patch + 2 * i + 1] = 0;
    }
    memset(dw + pair->next_hint, 0, SIZE_OF_PRESSED_HINT * sizeof(double));
    for (int side = 0; side < 2; side++)
        for (int number = 0; number < N_PARTS; number++) {
            const Part part = part_of(shape_of(pair, side), number);
            for (int k = 0; k < part.n; k++) {
                double sum = 0;
                memset(change, 0, sizeof change);
                change[side][part.to + k] = 1;
                differentiate(pair, call->w, read, &here, change, rates);
                for (int i = 0; i < here.n; i++)
                    for (int j = 0; j < POINT_SIZE; j++)
                        sum += given[i][j] * rates[i][j];
                dw[part.from + k] += sum;
            }
        }
    return 0;
}
