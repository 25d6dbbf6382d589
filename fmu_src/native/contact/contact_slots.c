#include "contact_slots.h"

#include "contact_arithmetic.h"
#include "contact_pool.h"
#include "contact_table.h"
#include "friction_table.h"
#include "space_vectors.h"
#include "terrain_points.h"
#include "tree.h"

#include <string.h>

/* MARGIN: in sizes of the smaller shape, and LEAST: in tolerances; points are found that are not farther away, whatever the speeds. SAME:
 * relative to 1 and the size of a shape; shapes that lie so near to where they were have not moved. */
static const double MARGIN = 0.02, LEAST = 10, SAME = 1e-12;

static int n_pairs(const Model *model) { return model->contacts ? model->contacts->n_pairs : 0; }

int has_slots(const Model *model) { return model->contacts && (model->contacts->n_pairs > 0 || model->contacts->n_pools > 0); }

const char *name_of_slots(const Model *model) {
    const ContactTable *contacts = model->contacts;
    if (contacts->n_pairs == 0)
        return contacts->pools[0].name;
    return model->rows->blocks[contacts->contacts[contacts->pairs[0].first].block].name;
}

/* ---- where shapes are ---- */

void rotation_of_quaternion(const double *e, double *R) {
    const double w = e[0], x = e[1], y = e[2], z = e[3], s = 2 / (w * w + x * x + y * y + z * z);
    set3(R, 1 - s * (y * y + z * z), s * (x * y - w * z), s * (x * z + w * y));
    set3(R + 3, s * (x * y + w * z), 1 - s * (x * x + z * z), s * (y * z - w * x));
    set3(R + 6, s * (x * z - w * y), s * (y * z + w * x), 1 - s * (x * x + y * y));
}

/* C = A B */
static void multiply3(double *C, const double *A, const double *B) {
    for (int i = 0; i < 3; i++)
        for (int k = 0; k < 3; k++)
            C[3 * i + k] = A[3 * i] * B[k] + A[3 * i + 1] * B[3 + k] + A[3 * i + 2] * B[6 + k];
}

/* C = A^T B */
static void multiply_back3(double *C, const double *A, const double *B) {
    for (int i = 0; i < 3; i++)
        for (int k = 0; k < 3; k++)
            C[3 * i + k] = A[i] * B[k] + A[3 + i] * B[3 + k] + A[6 + i] * B[6 + k];
}

PlacedShape placed_shape(const SlotShape *on, const double *w) {
    PlacedShape placed = {.shape = convex_shape((ShapeKind)on->kind, w + on->numbers, on->hull)};
    double R_BS[9], arm[3];
    const double *p_BS = w + on->frame + 4;
    rotation_of_quaternion(w + on->frame, R_BS);
    if (on->R_GB < 0) {
        memcpy(placed.X.R, R_BS, sizeof R_BS);
        copy3(placed.X.p, p_BS);
        return placed;
    }
    multiply3(placed.X.R, w + on->R_GB, R_BS);
    rotate3(arm, w + on->R_GB, p_BS);
    copy3(placed.X.p, w + on->p_GB);
    add3(placed.X.p, 1, arm);
    copy3(placed.w, w + on->V_GB);
    cross3(placed.v, placed.w, arm);
    add3(placed.v, 1, w + on->V_GB + 3);
    return placed;
}

Placement relative_placement(const Placement *X1, const Placement *X2) {
    Placement X;
    double between[3];
    subtract3(between, X2->p, X1->p);
    multiply_back3(X.R, X1->R, X2->R);
    rotate_back3(X.p, X1->R, between);
    return X;
}

double reach_of(const PlacedShape *one, const PlacedShape *other, double apart, double h, double margin, double tolerance) {
    const double size1 = one->shape.size, size2 = other->shape.size;
    double v[3];
    subtract3(v, other->v, one->v);
    const double speed = length3(v) + fmin(size1, apart + size2) * length3(one->w) + fmin(size2, apart + size1) * length3(other->w);
    return FAR_STEPS * h * speed + fmax(margin * fmin(size1, size2), LEAST * tolerance);
}

/* ---- slots of a pair ---- */

static double *feature_of_slot(const SlotPair *pair, State *state, int slot) { return state->w + pair->memory + PAIR_FEATURES + 2 * slot; }

static int is_absent(const SlotPair *pair, const State *state, int slot) {
    return state->w[pair->slots + slot * SLOT_SIZE + SLOT_KIND] == POINT_ABSENT;
}

void forget_rows(const Model *model, State *state, int number, int first_friction, int n_frictions, double engaged) {
    double *w = state->w;
    const Contact *contact = model->contacts->contacts + number;
    w[contact->impulse] = 0;
    w[contact->engagement + COUNT] = engaged;
    for (int f = first_friction; f < first_friction + n_frictions; f++) {
        const Friction *friction = friction_at(model, f);
        if (friction->contact != number)
            continue;
        w[friction->mode] = FRICTION_OPEN;
        for (int k = 0; k < friction->n; k++) {
            w[friction->impulse + k] = w[friction->direction + k] = 0;
            w[model->rows->blocks[friction->block + k].carried->given] = 0;
        }
        w[model->rows->blocks[contact->block].carried->given] = 0;
    }
}

static void forget_slot(const Model *model, State *state, const SlotPair *pair, int slot, double engaged) {
    forget_rows(model, state, pair->first + slot, pair->first_friction, pair->n_frictions, engaged);
}

void write_slot(double *slot, const ContactPoint *point, const PlacedShape *one, const double *R_12) {
    double normal[3] = {0}, edge[3];
    slot[SLOT_KIND] = point->kind;
    copy3(slot + SLOT_POINT_1, point->a);
    copy3(slot + SLOT_POINT_2, point->b);
    set3(slot + SLOT_AXIS_1, 0, 0, 0);
    set3(slot + SLOT_AXIS_2, 0, 0, 0);
    slot[SLOT_RADIUS_1] = point->radius[0];
    slot[SLOT_RADIUS_2] = point->radius[1];
    switch ((PointKind)point->kind) {
    case POINT_ABSENT:
        return;
    case POINT_ON_FACE_OF_1:
        copy3(slot + SLOT_AXIS_1, point->m);
        copy3(normal, point->m);
        break;
    case POINT_ON_FACE_OF_2:
        copy3(slot + SLOT_AXIS_2, point->m);
        rotate3(normal, R_12, point->m);
        break;
    case POINT_ON_EDGES:
        copy3(slot + SLOT_AXIS_1, point->m);
        copy3(slot + SLOT_AXIS_2, point->e);
        rotate3(edge, R_12, point->e);
        cross3(normal, point->m, edge);
        normalize3(normal);
        break;
    case POINT_FREE:
        rotate3(slot + SLOT_AXIS_1, one->X.R, point->m);
        copy3(normal, point->m);
        break;
    }
    double in_2[3];
    rotate_back3(in_2, R_12, normal);
    add3(slot + SLOT_POINT_1, -point->radius[0], normal);
    add3(slot + SLOT_POINT_2, point->radius[1], in_2);
}

/* The slots of a pair for these points: a point of a feature that has a slot keeps it, the others take free slots in their order. Slots
 * without a point are absent. engaged: the count of the rows of new points */
static void assign_slots(const Model *model, State *state, const SlotPair *pair, const ContactPoints *found, const PlacedShape *one,
                         const double *R_12, double engaged) {
    int slot_of[MOST_CONTACT_POINTS], is_taken[MOST_CONTACT_POINTS] = {0};
    for (int i = 0; i < found->n; i++) {
        slot_of[i] = -1;
        for (int slot = 0; slot < pair->n && slot_of[i] < 0; slot++) {
            const double *feature = feature_of_slot(pair, state, slot);
            if (!is_taken[slot] && !is_absent(pair, state, slot) && feature[0] == found->points[i].on[0] &&
                feature[1] == found->points[i].on[1])
                slot_of[i] = slot;
        }
        if (slot_of[i] >= 0)
            is_taken[slot_of[i]] = 1;
    }
    for (int i = 0, next = 0; i < found->n; i++) {
        const ContactPoint *point = found->points + i;
        if (slot_of[i] < 0) {
            while (next < pair->n && is_taken[next])
                next++;
            if (next == pair->n)
                break;
            slot_of[i] = next;
            is_taken[next] = 1;
            forget_slot(model, state, pair, next, engaged);
            feature_of_slot(pair, state, next)[0] = point->on[0];
            feature_of_slot(pair, state, next)[1] = point->on[1];
        }
        write_slot(state->w + pair->slots + slot_of[i] * SLOT_SIZE, point, one, R_12);
    }
    for (int slot = 0; slot < pair->n; slot++)
        if (!is_taken[slot] && !is_absent(pair, state, slot)) {
            forget_slot(model, state, pair, slot, 0);
            memset(state->w + pair->slots + slot * SLOT_SIZE, 0, SLOT_SIZE * sizeof(double));
            memset(feature_of_slot(pair, state, slot), 0, 2 * sizeof(double));
        }
}

static void decide_pair(const Model *model, State *state, const SlotPair *pair, double h, const double *tolerances, double engaged) {
    static const Placement IDENTITY = {{1, 0, 0, 0, 1, 0, 0, 0, 1}, {0, 0, 0}};
    double *w = state->w;
    ContactPoints found = {.n = 0};
    if (w[pair->enabled] == 0) {
        assign_slots(model, state, pair, &found, NULL, NULL, engaged);
        return;
    }
    const PlacedShape one = placed_shape(&pair->shape1, w), other = placed_shape(&pair->shape2, w);
    const Placement X_12 = relative_placement(&one.X, &other.X);
    const double reach = reach_of(&one, &other, length3(X_12.p), h, MARGIN, tolerances[pair->first]);
    double turning[3], in_1[3];
    subtract3(turning, other.w, one.w);
    rotate_back3(in_1, one.X.R, turning);
    const Terrain *terrain = pair->shape1.terrain ? pair->shape1.terrain : pair->shape2.terrain;
    find_points_of_shapes(terrain, &one.shape, &IDENTITY, &other.shape, &X_12, reach, w + pair->memory + PAIR_HINT, in_1, &found);
    assign_slots(model, state, pair, &found, &one, X_12.R, engaged);
}

void decide_slots(const Model *model, State *state, double h, const double *tolerances) {
    for (int i = 0; i < n_pairs(model); i++)
        decide_pair(model, state, model->contacts->pairs + i, h, tolerances, 0);
    invalidate(state, STAGE_POSITION);
}

/* ---- between steps ---- */

/* how the shapes of a pair lie, and their numbers: [PAIR_FEATURES - PAIR_POSE] */
static void read_pair(const SlotPair *pair, const double *w, double *numbers) {
    const PlacedShape one = placed_shape(&pair->shape1, w), other = placed_shape(&pair->shape2, w);
    const Placement X_12 = relative_placement(&one.X, &other.X);
    const int n1 = shape_numbers((ShapeKind)pair->shape1.kind), n2 = shape_numbers((ShapeKind)pair->shape2.kind);
    memset(numbers, 0, (PAIR_FEATURES - PAIR_POSE) * sizeof(double));
    memcpy(numbers, X_12.R, 9 * sizeof(double));
    memcpy(numbers + 9, X_12.p, 3 * sizeof(double));
    memcpy(numbers + PAIR_LENGTHS - PAIR_POSE, w + pair->shape1.numbers, (size_t)n1 * sizeof(double));
    memcpy(numbers + PAIR_LENGTHS - PAIR_POSE + MOST_SHAPE_NUMBERS, w + pair->shape2.numbers, (size_t)n2 * sizeof(double));
}

static int has_changed(const SlotPair *pair, const double *w) {
    double now[PAIR_FEATURES - PAIR_POSE];
    const double *before = w + pair->memory + PAIR_POSE;
    read_pair(pair, w, now);
    for (int i = 0; i < PAIR_FEATURES - PAIR_POSE; i++)
        if (!(fabs(now[i] - before[i]) <= SAME * (1 + fabs(now[i]))))
            return 1;
    return 0;
}

int reset_changed_pairs(const Model *model, State *state) {
    int any = 0;
    for (int i = 0; i < n_pairs(model); i++) {
        const SlotPair *pair = model->contacts->pairs + i;
        if (!has_changed(pair, state->w))
            continue;
        any = 1;
        for (int slot = 0; slot < pair->n; slot++)
            state->w[model->contacts->contacts[pair->first + slot].engagement + COUNT] = UNDECIDED;
    }
    return any;
}

void decide_changed_slots(const Model *model, State *state, double h, const double *tolerances) {
    for (int i = 0; i < n_pairs(model); i++) {
        const SlotPair *pair = model->contacts->pairs + i;
        const Contact *contacts = model->contacts->contacts + pair->first;
        double least = 0;
        int any = 0;
        for (int slot = 0; slot < pair->n; slot++) {
            const double *memory = state->w + contacts[slot].engagement;
            any = any || memory[COUNT] == UNDECIDED;
            least = fmin(least, memory[LAST_DISTANCE]);
        }
        if (!any)
            continue;
        decide_pair(model, state, pair, h, tolerances, UNDECIDED);
        for (int slot = 0; slot < pair->n; slot++) /* points that are new may lie as deep as the old ones did */
            state->w[contacts[slot].engagement + LAST_DISTANCE] = least;
    }
    invalidate(state, STAGE_POSITION);
}

void remember_pairs(const Model *model, State *state) {
    for (int i = 0; i < n_pairs(model); i++)
        read_pair(model->contacts->pairs + i, state->w, state->w + model->contacts->pairs[i].memory + PAIR_POSE);
}
