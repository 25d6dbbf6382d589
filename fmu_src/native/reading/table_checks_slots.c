#include "table_checks.h"

#include "contact_pool.h"
#include "contact_slots.h"
#include "contact_table.h"
#include "friction_table.h"
#include "pressed_pair.h"
#include "rows.h"
#include "seen_terrain.h"
#include "shape_gap.h"
#include "state.h"

/* Whether list [n + 1] begins at 0 and grows with each entry; *end: its last entry. */
static int are_starts(const Checks *checks, const int *list, int n, int *end) {
    if (n < 1 || !has_items(checks, list, (int64_t)n + 1) || list[0] != 0)
        return 0;
    for (int i = 0; i < n; i++)
        if (list[i + 1] <= list[i])
            return 0;
    *end = list[n];
    return 1;
}

/* whether list [n] has numbers of `count` things */
static int are_numbers_of(const Checks *checks, const int *list, int n, int count) {
    if (!has_items(checks, list, n))
        return 0;
    for (int i = 0; i < n; i++)
        if (list[i] < 0 || list[i] >= count)
            return 0;
    return 1;
}

static const char *fault_of_hull(const Checks *checks, const Hull *hull) {
    int n_neighbours, n_corners;
    if (!has_items(checks, hull, 1) || !are_starts(checks, hull->first_neighbour, hull->n_vertices, &n_neighbours) ||
        !are_starts(checks, hull->first_corner, hull->n_faces, &n_corners) ||
        !has_items(checks, hull->vertices, 3 * (int64_t)hull->n_vertices) || !has_items(checks, hull->normals, 3 * (int64_t)hull->n_faces))
        return "a hull that is cut off";
    if (!are_numbers_of(checks, hull->neighbours, n_neighbours, hull->n_vertices) ||
        !are_numbers_of(checks, hull->faces, n_neighbours, hull->n_faces) ||
        !are_numbers_of(checks, hull->corners, n_corners, hull->n_vertices))
        return "a hull with corners or faces that do not exist";
    return NULL;
}

/* whether list [n] has numbers of `count` things, or -1 */
static int are_numbers_or_none(const Checks *checks, const int *list, int64_t n, int count) {
    if (!has_items(checks, list, n))
        return 0;
    for (int64_t i = 0; i < n; i++)
        if (list[i] < -1 || list[i] >= count)
            return 0;
    return 1;
}

/* points of a height field are vertices, too; numbers of features must be below MOST_FEATURES, see contact_points.h */
static int is_field_whole(const Checks *checks, const Terrain *terrain) {
    int64_t points = (int64_t)terrain->nx * terrain->ny, triangles = 2 * ((int64_t)terrain->nx - 1) * ((int64_t)terrain->ny - 1);
    return terrain->nx > 1 && terrain->ny > 1 && terrain->dx > 0 && terrain->dy > 0 && points == terrain->n_vertices &&
           triangles == terrain->n_triangles && has_items(checks, terrain->heights, points);
}

static int is_mesh_whole(const Checks *checks, const Terrain *terrain) {
    int n_neighbours, n = terrain->n_triangles, n_nodes = terrain->n_nodes;
    if (!are_starts(checks, terrain->first_neighbour, terrain->n_vertices, &n_neighbours) ||
        !has_items(checks, terrain->vertices, 3 * (int64_t)terrain->n_vertices) ||
        !has_items(checks, terrain->on_border, terrain->n_vertices) || !has_items(checks, terrain->corners, 3 * (int64_t)n) ||
        !are_numbers_of(checks, terrain->neighbours, n_neighbours, terrain->n_vertices) ||
        !are_numbers_or_none(checks, terrain->corners, 3 * (int64_t)n, terrain->n_vertices) ||
        !are_numbers_or_none(checks, terrain->beside, 3 * (int64_t)n, n) || n_nodes < 1 ||
        !has_items(checks, terrain->boxes, 6 * (int64_t)n_nodes) || !are_numbers_or_none(checks, terrain->leaves, n_nodes, n) ||
        !has_items(checks, terrain->skips, n_nodes))
        return 0;
    for (int64_t i = 0; i < 3 * (int64_t)n; i++)
        if (terrain->corners[i] < 0)
            return 0;
    for (int i = 0; i < n_nodes; i++)
        if (terrain->skips[i] <= i || terrain->skips[i] > n_nodes)
            return 0;
    return 1;
}

static const char *fault_of_terrain(const Checks *checks, const Terrain *terrain) {
    static const int64_t MOST_FEATURES = 1000000000;
    if (!has_items(checks, terrain, 1) || terrain->n_vertices < 1 || terrain->n_triangles < 1 || terrain->n_regions < 1 ||
        terrain->n_vertices + 3 * (int64_t)terrain->n_triangles + terrain->n_regions > MOST_FEATURES ||
        !are_numbers_or_none(checks, terrain->regions, terrain->n_triangles, terrain->n_regions) ||
        !(terrain->heights ? is_field_whole(checks, terrain) : is_mesh_whole(checks, terrain)))
        return "terrain that is cut off, or has parts that do not exist";
    return NULL;
}

/* the tables of a shape of any kind */
static const char *fault_of_tables_of_shape(const Checks *checks, int kind, const Hull *hull, const Terrain *terrain) {
    if (kind < 0 || kind >= N_SHAPE_KINDS || (kind == SHAPE_HULL) != (hull != NULL) || (kind == SHAPE_TERRAIN) != (terrain != NULL))
        return "a shape of no kind";
    if (terrain)
        return fault_of_terrain(checks, terrain);
    return hull ? fault_of_hull(checks, hull) : NULL;
}

static const char *fault_of_shape(const Checks *checks, const SlotShape *shape) {
    const char *fault = fault_of_tables_of_shape(checks, shape->kind, shape->hull, shape->terrain);
    if (fault)
        return fault;
    if (!are_in_w(checks, shape->numbers, shape_numbers((ShapeKind)shape->kind)) || !are_in_w(checks, shape->frame, 7))
        return "a shape that is not in w";
    if (shape->R_GB != -1 && (!are_in_w(checks, shape->R_GB, 9) || !are_in_w(checks, shape->p_GB, 3) || !are_in_w(checks, shape->V_GB, 6)))
        return "a shape on a body that is not in w";
    return NULL;
}

static const char *fault_of_pressed_shape(const Checks *checks, const PressedShape *shape) {
    const char *fault = fault_of_tables_of_shape(checks, shape->kind, shape->hull, shape->terrain);
    if (fault)
        return fault;
    return are_in_w(checks, shape->numbers, shape_numbers((ShapeKind)shape->kind)) && are_in_w(checks, shape->R_BS, 9) &&
                   are_in_w(checks, shape->p_BS, 3) && are_in_w(checks, shape->R_GB, 9) && are_in_w(checks, shape->r, 3) &&
                   are_in_w(checks, shape->p_GM, 3)
               ? NULL
               : "a shape that is not in w";
}

const char *fault_of_pressed(const Checks *checks, const void *pressed) {
    const PressedPair *pair = pressed;
    if (!has_items(checks, pair, 1) || pair->n < 1 || pair->n > MOST_CONTACT_POINTS)
        return "a pair of shapes that is cut off";
    if (!are_in_w(checks, pair->hint, SIZE_OF_PRESSED_HINT) || !are_in_w(checks, pair->next_hint, SIZE_OF_PRESSED_HINT) ||
        !are_in_w(checks, pair->distance, pair->n) || !are_in_w(checks, pair->normal, 3 * pair->n) ||
        !are_in_w(checks, pair->arm1, 3 * pair->n) || !are_in_w(checks, pair->arm2, 3 * pair->n) ||
        !are_in_w(checks, pair->patch, 2 * pair->n))
        return "a pair of shapes that is not in w";
    const char *fault = fault_of_pressed_shape(checks, &pair->shape1);
    return fault ? fault : fault_of_pressed_shape(checks, &pair->shape2);
}

const char *fault_of_seen(const Checks *checks, const void *context) {
    const SeenTerrain *seen = context;
    if (!has_items(checks, seen, 1) || !has_items(checks, seen->R_CS, 9) || !has_items(checks, seen->p_CS, 3))
        return "a ray that is cut off";
    if (!are_in_w(checks, seen->station, 3) || !are_in_w(checks, seen->direction, 3) || !are_in_w(checks, seen->R_GB, 9) ||
        !are_in_w(checks, seen->p_GB, 3) || !are_in_w(checks, seen->R_GC, 9) || !are_in_w(checks, seen->p_GC, 3) ||
        !are_in_w(checks, seen->range, 1) || !are_in_w(checks, seen->distance, 1))
        return "a ray that is not in w";
    return fault_of_terrain(checks, seen->terrain);
}

static const char *fault_of_gap_shape(const Checks *checks, const GapShape *shape) {
    const char *fault =
        shape->kind == SHAPE_TERRAIN ? "terrain, which has no distance" : fault_of_tables_of_shape(checks, shape->kind, shape->hull, NULL);
    if (fault)
        return fault;
    if (!has_items(checks, shape->R_BS, 9) || !has_items(checks, shape->p_BS, 3) || !has_items(checks, shape->numbers, MOST_SHAPE_NUMBERS))
        return "a shape that is cut off";
    return are_in_w(checks, shape->R_GB, 9) && are_in_w(checks, shape->p_GB, 3) ? NULL : "a shape that is not in w";
}

const char *fault_of_gap(const Checks *checks, const void *context) {
    const ShapeGap *gap = context;
    if (!has_items(checks, gap, 1) || !are_in_w(checks, gap->distance, 1))
        return "a distance that is not in w";
    const char *fault = fault_of_gap_shape(checks, &gap->shape1);
    return fault ? fault : fault_of_gap_shape(checks, &gap->shape2);
}

/* what a pool has in w */
static int is_pool_in_w(const Checks *checks, const SlotPool *pool) {
    const int64_t n = pool->n, n_shapes = pool->n_shapes;
    return are_in_w(checks, pool->enabled, 1) && are_in_w(checks, pool->slots, POOLED_SIZE * n) && are_in_w(checks, pool->choices, n) &&
           are_in_w(checks, pool->features, 2 * n) && pool->n_coefficients >= 0 && pool->n_coefficients <= POOLED_SIZE - POOLED_FRICTION &&
           are_in_w(checks, pool->coefficients, pool->n_coefficients * (int64_t)pool->n_frictions_of_pairs) &&
           are_in_w(checks, pool->hints, N_HINT * (int64_t)pool->n_pairs) && are_in_w(checks, pool->lying, POOL_LYING * n_shapes) &&
           are_in_w(checks, pool->order, n_shapes) && are_in_w(checks, pool->bounds, POOL_BOUNDS * n_shapes) &&
           are_in_w(checks, pool->waiting, (POOLED_SIZE + 3) * n) && are_in_w(checks, pool->is_taken, n) &&
           are_in_w(checks, pool->idle, pool->n_idle) && are_in_w(checks, pool->most_points, 1);
}

static const char *fault_of_pool(const Checks *checks, const ContactTable *contacts, const SlotPool *pool) {
    if (pool->n < 1 || pool->n_shapes < 1 || pool->n_pairs < 1 || pool->n_frictions_of_pairs < 1 || !pool->name ||
        !has_items(checks, pool->shapes, pool->n_shapes) || !has_items(checks, pool->pairs, 3 * (int64_t)pool->n_pairs) ||
        !has_items(checks, pool->pair_of, (int64_t)pool->n_shapes * pool->n_shapes))
        return "a pool of slots that is cut off";
    if (pool->first < 0 || pool->first > contacts->n - pool->n || pool->n_frictions < 0 || pool->first_friction < 0 ||
        pool->first_friction > n_frictions(checks->model) - pool->n_frictions)
        return "a pool of rows that do not exist";
    for (int k = 0; k < pool->n; k++)
        if (!checks->model->rows->blocks[contacts->contacts[pool->first + k].block].carried)
            return "a pool of rows that have no friction";
    if (pool->first_path < 1 || pool->first_path > checks->model->rows->n_paths - pool->n_pairs || !is_pool_in_w(checks, pool))
        return "a pool that is not in w";
    for (int i = 0; i < pool->n_pairs; i++)
        if (!are_numbers_of(checks, pool->pairs + 3 * i, 2, pool->n_shapes) ||
            !are_numbers_of(checks, pool->pairs + 3 * i + 2, 1, pool->n_frictions_of_pairs))
            return "a pair of shapes that do not exist";
    for (int64_t i = 0; i < (int64_t)pool->n_shapes * pool->n_shapes; i++)
        if (pool->pair_of[i] < -1 || pool->pair_of[i] >= pool->n_pairs)
            return "a pair that does not exist";
    for (int i = 0; i < pool->n_shapes; i++) {
        const char *fault = fault_of_shape(checks, pool->shapes + i);
        if (fault)
            return fault;
    }
    return NULL;
}

const char *fault_of_pairs(const Checks *checks, const ContactTable *contacts) {
    if (contacts->n_pairs < 0 || (contacts->n_pairs && !has_items(checks, contacts->pairs, contacts->n_pairs)))
        return "pairs of shapes that are cut off";
    for (int i = 0; i < contacts->n_pairs; i++) {
        const SlotPair *pair = contacts->pairs + i;
        if (pair->n < 1 || pair->n > MOST_CONTACT_POINTS || pair->first < 0 || pair->first > contacts->n - pair->n)
            return "slots of rows that do not exist";
        if (pair->n_frictions < 0 || pair->first_friction < 0 ||
            (pair->n_frictions && pair->first_friction > n_frictions(checks->model) - pair->n_frictions))
            return "slots with friction that does not exist";
        for (int k = 0; k < pair->n; k++)
            if (!checks->model->rows->blocks[contacts->contacts[pair->first + k].block].carried)
                return "slots of rows that have no friction";
        if (!are_in_w(checks, pair->enabled, 1) || !are_in_w(checks, pair->slots, SLOT_SIZE * (int64_t)pair->n) ||
            !are_in_w(checks, pair->memory, PAIR_FEATURES + 2 * (int64_t)pair->n))
            return "slots that are not in w";
        const char *fault = fault_of_shape(checks, &pair->shape1);
        fault = fault ? fault : fault_of_shape(checks, &pair->shape2);
        if (fault)
            return fault;
    }
    for (int i = 0; i < contacts->n_pools; i++) {
        const char *fault = has_items(checks, contacts->pools, contacts->n_pools) ? fault_of_pool(checks, contacts, contacts->pools + i)
                                                                                  : "pools of slots that are cut off";
        if (fault)
            return fault;
    }
    return NULL;
}
