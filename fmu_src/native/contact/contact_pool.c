#include "contact_pool.h"

#include "contact_arithmetic.h"
#include "contact_table.h"
#include "space_vectors.h"
#include "terrain_points.h"
#include "tree.h"

#include <string.h>

/* MARGIN: in sizes of the smaller shape, and LEAST: in tolerances, as for slots; SAME: relative to 1 and a number */
static const double MARGIN = 0.02, LEAST = 10, SAME = 1e-12;

static const int *shapes_of_pair(const SlotPool *pool, int pair) { return pool->pairs + 3 * pair; }

/* ---- the pairs that may be near ---- */

static const double *bounds_of(const SlotPool *pool, const double *w, int shape) { return w + pool->bounds + POOL_BOUNDS * shape; }

static void place_bounds(const SlotPool *pool, double *w, double h, double tolerance) {
    for (int i = 0; i < pool->n_shapes; i++) {
        const PlacedShape placed = placed_shape(pool->shapes + i, w);
        const double *lengths = placed.shape.lengths, size = placed.shape.size, speed = length3(placed.v) + size * length3(placed.w);
        const double further = isinf(size) ? size : FAR_STEPS * h * speed + MARGIN * size + LEAST * tolerance;
        double *bounds = w + pool->bounds + POOL_BOUNDS * i;
        copy3(bounds, placed.X.p);
        bounds[BALL_RADIUS] = isinf(size) ? size : size + further;
        for (int k = 0; k < 3; k++) {
            const double *row = placed.X.R + 3 * k;
            const double of_core = fabs(row[0]) * lengths[0] + fabs(row[1]) * lengths[1] + fabs(row[2]) * lengths[2];
            bounds[BOX_HALF_LENGTHS + k] =
                isinf(size) || placed.shape.hull ? bounds[BALL_RADIUS] : of_core + placed.shape.rounding + further;
        }
    }
}

/* the axis along which the centers lie farthest apart, by their variance */
static int longest_axis(const SlotPool *pool, const double *w) {
    double sum[3] = {0}, squares[3] = {0};
    int best = 0, n = 0;
    for (int i = 0; i < pool->n_shapes; i++) {
        const double *bounds = bounds_of(pool, w, i);
        if (isinf(bounds[BALL_RADIUS]))
            continue;
        n++;
        for (int k = 0; k < 3; k++) {
            sum[k] += bounds[k];
            squares[k] += bounds[k] * bounds[k];
        }
    }
    for (int k = 1; k < 3 && n; k++)
        if (squares[k] - sum[k] * sum[k] / n > squares[best] - sum[best] * sum[best] / n)
            best = k;
    return best;
}

/* where the box of a shape begins along an axis */
static double beginning_of(const SlotPool *pool, const double *w, int shape, int axis) {
    const double *bounds = bounds_of(pool, w, shape);
    return bounds[axis] - bounds[BOX_HALF_LENGTHS + axis];
}

/* Sort the shapes by where their boxes begin along an axis: from the order of the last step, in which few have changed. */
static void sort_shapes(const SlotPool *pool, double *w, int axis) {
    double *order = w + pool->order;
    for (int i = 1; i < pool->n_shapes; i++) {
        const double shape = order[i], start = beginning_of(pool, w, (int)shape, axis);
        int k = i;
        for (; k > 0 && beginning_of(pool, w, (int)order[k - 1], axis) > start; k--)
            order[k] = order[k - 1];
        order[k] = shape;
    }
}

static int are_bounds_near(const double *one, const double *other) {
    const double reach = one[BALL_RADIUS] + other[BALL_RADIUS];
    double between[3];
    subtract3(between, other, one);
    for (int k = 0; k < 3; k++)
        if (fabs(between[k]) > one[BOX_HALF_LENGTHS + k] + other[BOX_HALF_LENGTHS + k])
            return 0;
    return isinf(reach) || dot3(between, between) <= reach * reach;
}

/* ---- slots ---- */

/* what a step does with its pool */
typedef struct {
    const Model *model;
    State *state;
    const SlotPool *pool;
    double h, margin, tolerance, engaged;
    int n_held;             /* after which all slots were free in the last step */
    int n_taken, n_waiting; /* points with the slot of their feature, and others */
} PoolStep;

static double *slot_in(const PoolStep *step, int slot) { return step->state->w + step->pool->slots + slot * POOLED_SIZE; }
static double *feature_in(const PoolStep *step, int slot) { return step->state->w + step->pool->features + 2 * slot; }

/* the numbers of a slot, with points and axes in the frames of the bodies, and the friction of its pair */
static void write_pooled(const PoolStep *step, int pair, const ContactPoint *point, const PlacedShape *one, const double *R_12,
                         double *slot) {
    const SlotPool *pool = step->pool;
    const double *w = step->state->w;
    const int *shapes = shapes_of_pair(pool, pair);
    write_slot(slot, point, one, R_12);
    for (int side = 0; side < 2; side++) {
        const double *frame = w + pool->shapes[shapes[side]].frame;
        double R_BS[9], turned[3], *at = slot + (side ? SLOT_POINT_2 : SLOT_POINT_1), *axis = slot + (side ? SLOT_AXIS_2 : SLOT_AXIS_1);
        rotation_of_quaternion(frame, R_BS);
        rotate3(turned, R_BS, at);
        add3(turned, 1, frame + 4);
        copy3(at, turned);
        if (point->kind != POINT_FREE) {
            rotate3(turned, R_BS, axis);
            copy3(axis, turned);
        }
    }
    for (int k = 0; k < pool->n_coefficients; k++)
        slot[POOLED_FRICTION + k] = w[pool->coefficients + k * pool->n_frictions_of_pairs + shapes[2]];
}

/* The slot of a feature of a pair, or -1. */
static int slot_of_feature(const PoolStep *step, int pair, const ContactPoint *point) {
    const SlotPool *pool = step->pool;
    const double *w = step->state->w, choice = pool->first_path + pair;
    for (int slot = 0; slot < step->n_held; slot++)
        if (w[pool->choices + slot] == choice && w[pool->is_taken + slot] == 0 && feature_in(step, slot)[0] == point->on[0] &&
            feature_in(step, slot)[1] == point->on[1])
            return slot;
    return -1;
}

/* Find the points of a pair: those of features with a slot are written there, others wait until all pairs are done. */
static void find_points_of_pair(PoolStep *step, int pair) {
    static const Placement IDENTITY = {{1, 0, 0, 0, 1, 0, 0, 0, 1}, {0, 0, 0}};
    const SlotPool *pool = step->pool;
    double *w = step->state->w;
    const int *shapes = shapes_of_pair(pool, pair);
    const PlacedShape one = placed_shape(pool->shapes + shapes[0], w), other = placed_shape(pool->shapes + shapes[1], w);
    const Placement X_12 = relative_placement(&one.X, &other.X);
    const double reach = reach_of(&one, &other, length3(X_12.p), step->h, step->margin, step->tolerance);
    ContactPoints found = {.n = 0};
    double turning[3], in_1[3];
    subtract3(turning, other.w, one.w);
    rotate_back3(in_1, one.X.R, turning);
    const Terrain *of_1 = pool->shapes[shapes[0]].terrain, *terrain = of_1 ? of_1 : pool->shapes[shapes[1]].terrain;
    find_points_of_shapes(terrain, &one.shape, &IDENTITY, &other.shape, &X_12, reach, w + pool->hints + pair * N_HINT, in_1, &found);
    for (int i = 0; i < found.n; i++) {
        const ContactPoint *point = found.points + i;
        const int slot = slot_of_feature(step, pair, point);
        if (slot >= 0) {
            w[pool->is_taken + slot] = 1;
            step->n_taken++;
            write_pooled(step, pair, point, &one, X_12.R, slot_in(step, slot));
        } else if (step->n_waiting++ < pool->n) {
            double *waiting = w + pool->waiting + (step->n_waiting - 1) * (POOLED_SIZE + 3);
            write_pooled(step, pair, point, &one, X_12.R, waiting);
            waiting[POOLED_SIZE] = pool->first_path + pair;
            waiting[POOLED_SIZE + 1] = point->on[0];
            waiting[POOLED_SIZE + 2] = point->on[1];
        }
    }
}

/* Find the points of all pairs whose bounds are near each other. */
static void find_points(PoolStep *step, double margin) {
    const SlotPool *pool = step->pool;
    const double *w = step->state->w, *order = w + pool->order;
    const int axis = longest_axis(pool, w);
    step->margin = margin;
    step->n_taken = step->n_waiting = 0;
    memset(step->state->w + pool->is_taken, 0, (size_t)pool->n * sizeof(double));
    sort_shapes(pool, step->state->w, axis);
    for (int i = 0; i < pool->n_shapes; i++) {
        const int one = (int)order[i];
        const double *bounds = bounds_of(pool, w, one), end = bounds[axis] + bounds[BOX_HALF_LENGTHS + axis];
        for (int k = i + 1; k < pool->n_shapes; k++) {
            const int other = (int)order[k];
            if (beginning_of(pool, w, other, axis) > end)
                break;
            const int pair = pool->pair_of[one * pool->n_shapes + other];
            if (pair >= 0 && are_bounds_near(bounds, bounds_of(pool, w, other)))
                find_points_of_pair(step, pair);
        }
    }
}

/* Free the slots whose points have gone. */
static void free_slots(const PoolStep *step) {
    const SlotPool *pool = step->pool;
    double *w = step->state->w;
    for (int slot = 0; slot < pool->n; slot++) {
        if (w[pool->choices + slot] == 0 || w[pool->is_taken + slot] != 0)
            continue;
        forget_rows(step->model, step->state, pool->first + slot, pool->first_friction, pool->n_frictions, 0);
        w[pool->choices + slot] = 0;
        memset(slot_in(step, slot), 0, POOLED_SIZE * sizeof(double));
        memset(feature_in(step, slot), 0, 2 * sizeof(double));
    }
}

/* Give the points that wait free slots, in their order. */
static void take_free_slots(const PoolStep *step) {
    const SlotPool *pool = step->pool;
    double *w = step->state->w;
    for (int i = 0, slot = 0; i < step->n_waiting; i++, slot++) {
        const double *waiting = w + pool->waiting + i * (POOLED_SIZE + 3);
        while (w[pool->choices + slot] != 0)
            slot++;
        forget_rows(step->model, step->state, pool->first + slot, pool->first_friction, pool->n_frictions, step->engaged);
        memcpy(slot_in(step, slot), waiting, POOLED_SIZE * sizeof(double));
        w[pool->choices + slot] = waiting[POOLED_SIZE];
        memcpy(feature_in(step, slot), waiting + POOLED_SIZE + 1, 2 * sizeof(double));
    }
}

static Outcome decide_pool(const Model *model, State *state, const SlotPool *pool, double h, const double *tolerances, double engaged,
                           Integration *result) {
    PoolStep step = {.model = model, .state = state, .pool = pool, .h = h, .tolerance = tolerances[pool->first], .engaged = engaged};
    memset(state->w + pool->is_taken, 0, (size_t)pool->n * sizeof(double));
    if (state->w[pool->enabled] != 0) {
        place_bounds(pool, state->w, h, step.tolerance);
        for (int slot = 0; slot < pool->n; slot++)
            step.n_held = state->w[pool->choices + slot] != 0 ? slot + 1 : step.n_held;
        find_points(&step, MARGIN);
        state->w[pool->most_points] = fmax(state->w[pool->most_points], step.n_taken + step.n_waiting);
        if (step.n_taken + step.n_waiting > pool->n)
            find_points(&step, 0);
    }
    if (step.n_taken + step.n_waiting > pool->n)
        return contact_failed(CONTACT_POOL_FULL, model, state, model->contacts->contacts + pool->first, step.n_taken + step.n_waiting,
                              result);
    free_slots(&step);
    take_free_slots(&step);
    return INTEGRATED;
}

Outcome decide_pools(const Model *model, State *state, double h, const double *tolerances, Integration *result) {
    Outcome outcome = INTEGRATED;
    for (int i = 0; i < n_pools(model) && outcome == INTEGRATED; i++)
        outcome = decide_pool(model, state, model->contacts->pools + i, h, tolerances, 0, result);
    if (n_pools(model))
        invalidate(state, STAGE_POSITION);
    return outcome;
}

/* ---- between steps ---- */

static void read_lying(const SlotShape *shape, const double *w, double *numbers) {
    const PlacedShape placed = placed_shape(shape, w);
    memset(numbers, 0, POOL_LYING * sizeof(double));
    memcpy(numbers, placed.X.R, 9 * sizeof(double));
    memcpy(numbers + 9, placed.X.p, 3 * sizeof(double));
    memcpy(numbers + 12, w + shape->numbers, (size_t)shape_numbers((ShapeKind)shape->kind) * sizeof(double));
}

static int has_changed(const SlotPool *pool, const double *w) {
    double now[POOL_LYING];
    for (int i = 0; i < pool->n_shapes; i++) {
        const double *before = w + pool->lying + i * POOL_LYING;
        read_lying(pool->shapes + i, w, now);
        for (int k = 0; k < POOL_LYING; k++)
            if (!(fabs(now[k] - before[k]) <= SAME * (1 + fabs(now[k]))))
                return 1;
    }
    return 0;
}

int reset_changed_pools(const Model *model, State *state) {
    int any = 0;
    for (int i = 0; i < n_pools(model); i++) {
        const SlotPool *pool = model->contacts->pools + i;
        memset(state->w + pool->idle, 0, (size_t)pool->n_idle * sizeof(double)); /* others may have changed the choices */
        if (!has_changed(pool, state->w))
            continue;
        any = 1;
        for (int slot = 0; slot < pool->n; slot++)
            state->w[model->contacts->contacts[pool->first + slot].engagement + COUNT] = UNDECIDED;
    }
    return any;
}

Outcome decide_changed_pools(const Model *model, State *state, double h, const double *tolerances, Integration *result) {
    for (int i = 0; i < n_pools(model); i++) {
        const SlotPool *pool = model->contacts->pools + i;
        const Contact *contacts = model->contacts->contacts + pool->first;
        double least = 0;
        int any = 0;
        for (int slot = 0; slot < pool->n; slot++) {
            const double *memory = state->w + contacts[slot].engagement;
            any = any || memory[COUNT] == UNDECIDED;
            least = fmin(least, memory[LAST_DISTANCE]);
        }
        if (!any)
            continue;
        const Outcome outcome = decide_pool(model, state, pool, h, tolerances, UNDECIDED, result);
        if (outcome != INTEGRATED)
            return outcome;
        for (int slot = 0; slot < pool->n; slot++) /* points that are new may lie as deep as the old ones did */
            state->w[contacts[slot].engagement + LAST_DISTANCE] = least;
    }
    if (n_pools(model))
        invalidate(state, STAGE_POSITION);
    return INTEGRATED;
}

void remember_pools(const Model *model, State *state) {
    for (int i = 0; i < n_pools(model); i++) {
        const SlotPool *pool = model->contacts->pools + i;
        for (int k = 0; k < pool->n_shapes; k++)
            read_lying(pool->shapes + k, state->w, state->w + pool->lying + k * POOL_LYING);
    }
}
