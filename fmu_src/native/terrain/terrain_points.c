#include "terrain_points.h"

#include "manifold.h"
#include "merged_points.h"
#include "on_triangle.h"
#include "pair_steps.h"

#include <stddef.h>

static const double LEVEL = 1e-8, /* see on_triangle.c */
    DEEP = 1e-2,                  /* of the size: deeper under a triangle that has no normal of its own a shape does not touch it */
    BESIDE = 30, BETTER = 1e-3,   /* in depths: how near to each other points are of which the deeper one is dropped, and how much deeper */
    SAME_NORMAL = 1e-12;          /* 1 - cosine of the angle between normals that are one */

/* a triangle as a hull */
typedef struct {
    Hull hull;
    ConvexShape shape;
    double normals[6];
} FlatHull;

static void set_flat_hull(FlatHull *flat, const TerrainTriangle *triangle) {
    static const int starts[4] = {0, 2, 4, 6}, neighbours[6] = {1, 2, 0, 2, 0, 1}, faces[6] = {0, 1, 0, 1, 0, 1};
    static const int first_corner[3] = {0, 3, 6}, corners[6] = {0, 1, 2, 0, 2, 1};
    double size = 0;
    for (int k = 0; k < 3; k++)
        size = fmax(size, length3(triangle->x[k]));
    copy3(flat->normals, triangle->normal);
    scale3(flat->normals + 3, -1, triangle->normal);
    flat->hull = (Hull){3, 2, triangle->x[0], starts, neighbours, faces, first_corner, corners, flat->normals, size};
    flat->shape = (ConvexShape){.core = CORE_HULL, .size = size, .hull = &flat->hull};
}

/* how high the other shape begins over the plane of the triangle; and whether its middle lies behind it */
static double height_over_plane(OnTriangle *on) {
    double down[3];
    scale3(down, -1, on->triangle.normal);
    return -farthest_along(on, down, on->triangle.x[0]);
}

static int is_behind(OnTriangle *on) {
    ConvexPair before = on->pair; /* searches go on from the lowest point */
    double highest = farthest_along(on, on->triangle.normal, on->triangle.x[0]);
    on->pair = before;
    return on->height + highest < 0;
}

/* ---- one triangle ---- */

/* the normal from shape 1 to shape 2, in frame 1, that is a normal of the terrain in its frame; and back */
static void to_frame_1(const OnTriangle *on, const double *n, double *out) {
    copy3(out, n);
    if (on->of == 2) {
        rotate3(out, on->pair.R, n);
        scale3(out, -1, out);
    }
}

static void to_terrain(const OnTriangle *on, const double *n, double *out) {
    copy3(out, n);
    if (on->of == 2) {
        rotate_back3(out, on->pair.R, n);
        scale3(out, -1, out);
    }
}

static const ContactPoint *deepest_point(const ContactPoints *found) {
    int deepest = 0;
    for (int k = 1; k < found->n; k++)
        if (found->points[k].d < found->points[deepest].d)
            deepest = k;
    return &found->points[deepest];
}

/* By the normal of both as convex shapes. Returns 0 if they are not near, -1 if it is no normal of the terrain. */
static int find_by_search(OnTriangle *on, ContactPoints *found) {
    NearestCores nearest;
    double n[3], in_terrain[3];
    to_frame_1(on, on->triangle.normal, n);
    if (!find_nearest_cores(&on->pair, on->reach + on->pair.rounding, n, 1, &nearest))
        return 0;
    found->n = 0;
    if (nearest.face_of)
        find_points_on_face(&on->pair, nearest.face_of, nearest.face_normal, on->reach, 1, found);
    if (!found->n)
        find_points_beside_faces(&on->pair, &nearest, on->X1->R, on->reach, found);
    if (!found->n)
        return 0;
    to_terrain(on, found->normal, in_terrain);
    const int feature = deepest_point(found)->on[on->of - 1];
    if (is_outside(on, feature, in_terrain))
        return found->n;
    if (!find_normal_of_terrain(on, feature, found->d, in_terrain))
        return -1;
    to_frame_1(on, in_terrain, nearest.n);
    nearest.has_edges = 0;
    find_points_beside_faces(&on->pair, &nearest, on->X1->R, on->reach, found);
    return found->n;
}

/* What lies over the triangle, along its normal. Returns whether the lowest point of the shape does, so that this is the normal of both. */
static int find_on_triangle(OnTriangle *on, ContactPoints *found) {
    double n[3];
    to_frame_1(on, on->triangle.normal, n);
    if (find_points_on_face(&on->pair, on->of, n, on->reach, 1, found) != ON_FACE)
        found->n = 0;
    int is_normal = found->n && deepest_point(found)->d <= found->d + PREFERRED_FACE * on->pair.size;
    if (found->n && on->terrain->heights == NULL && is_behind(on))
        found->n = 0;
    return is_normal;
}

static void find_points_of_triangle(OnTriangle *on, MergedPoints *merged) {
    ContactPoints found = {.n = 0}, searched = {.n = 0};
    if (!find_on_triangle(on, &found) && has_convex_edge(on)) {
        int outcome = find_by_search(on, &searched);
        if (outcome == 0)
            return;
        if (outcome > 0)
            found = searched;
        else if (found.n && deepest_point(&found)->d < -DEEP * on->pair.size)
            return;
    }
    if (!found.n)
        return;
    double normal[3];
    to_terrain(on, found.normal, normal);
    finish_points(&on->pair, on->X1, on->turning, &found);
    const int on_terrain = on->of == 1 ? POINT_ON_FACE_OF_1 : POINT_ON_FACE_OF_2;
    for (int k = 0; k < found.n; k++) {
        MergedPoint point = {.point = found.points[k], .triangle = on->triangle.number, .apart = found.d};
        int *feature = &point.point.on[on->of - 1];
        if (point.point.kind == on_terrain && is_inside_plane(on, *feature))
            continue;
        *feature = number_in_terrain(on, *feature);
        copy3(point.normal, normal);
        merge_point(merged, &point);
    }
}

static const double *place_in_terrain(const OnTriangle *on, const MergedPoint *point) {
    return on->of == 1 ? point->point.a : point->point.b;
}

/* Where a shape overlaps a ridge or a peak, each triangle there has a normal of its own along which it can leave. Whether another one has a
 * better one: so near that both are one contact, less deep, and no part of its triangle rises over this point. */
static int has_better(const OnTriangle *on, const MergedPoints *merged, const MergedPoint *point) {
    const double *x = place_in_terrain(on, point), depth = -point->point.d;
    for (int k = 0; k < merged->n && depth > 0; k++) {
        const MergedPoint *other = &merged->points[k];
        TerrainTriangle triangle;
        double between[3];
        int rises = 0;
        subtract3(between, place_in_terrain(on, other), x);
        if (!(other->apart > (BETTER - 1) * depth) || length3(between) > BESIDE * depth ||
            dot3(other->normal, point->normal) > 1 - SAME_NORMAL)
            continue;
        terrain_triangle(on->terrain, other->triangle, &triangle);
        for (int i = 0; i < 3; i++) {
            subtract3(between, triangle.x[i], x);
            rises |= dot3(between, point->normal) > LEVEL * length3(between) + BESIDE * depth;
        }
        if (!rises)
            return 1;
    }
    return 0;
}

static void drop_worse_points(const OnTriangle *on, MergedPoints *merged) {
    int is_worse[MOST_MERGED], kept = 0;
    for (int k = 0; k < merged->n; k++)
        is_worse[k] = has_better(on, merged, &merged->points[k]);
    for (int k = 0; k < merged->n; k++)
        if (!is_worse[k])
            merged->points[kept++] = merged->points[k];
    merged->n = kept;
}

/* ---- all triangles ---- */

static void begin_on_terrain(OnTriangle *on, const double *hint) {
    const ConvexPair *pair = &on->pair;
    if (on->of == 1) {
        for (int k = 0; k < 9; k++)
            on->R[k] = pair->R[k];
        copy3(on->p, pair->p);
    } else {
        for (int i = 0; i < 3; i++)
            for (int j = 0; j < 3; j++)
                on->R[3 * i + j] = pair->R[3 * j + i];
        rotate3(on->p, on->R, pair->p);
        scale3(on->p, -1, on->p);
    }
    read_vertices(hint, &on->pair);
}

/* the box of the shape, with the reach, in the frame of the terrain */
static void begin_search(OnTriangle *on, TerrainSearch *search) {
    static const double origin[3] = {0, 0, 0};
    double least[3], most[3];
    for (int k = 0; k < 3; k++) {
        double along[3] = {0, 0, 0};
        along[k] = 1;
        most[k] = farthest_along(on, along, origin) + on->reach;
        along[k] = -1;
        least[k] = -farthest_along(on, along, origin) - on->reach;
    }
    begin_terrain_search(search, on->terrain, least, most);
}

int find_points_on_terrain(const Terrain *terrain, const ConvexShape *shape1, const Placement *X1, const ConvexShape *shape2,
                           const Placement *X2, double reach, double *hint, const double *turning, ContactPoints *found) {
    OnTriangle on = {.of = shape1->core == CORE_TERRAIN ? 1 : 2, .X1 = X1, .turning = turning, .reach = reach};
    const ConvexShape *shape = on.of == 1 ? shape2 : shape1;
    TerrainSearch search;
    FlatHull flat;
    MergedPoints merged;
    found->n = 0;
    if (shape->core == CORE_TERRAIN || shape->core == CORE_HALF_SPACE)
        return 0;
    on.terrain = terrain;
    begin_pair(&on.pair, shape1, X1, shape2, X2);
    begin_on_terrain(&on, hint);
    merged.n = 0;
    merged.size = shape->size;
    merged.reach = reach;
    begin_search(&on, &search);
    int *of_triangle = on.of == 1 ? &on.pair.vertex1 : &on.pair.vertex2;
    for (int number; (number = next_triangle(&search)) >= 0;) {
        terrain_triangle(on.terrain, number, &on.triangle);
        on.height = height_over_plane(&on);
        if (on.height > reach)
            continue;
        set_flat_hull(&flat, &on.triangle);
        *(on.of == 1 ? &on.pair.shape1 : &on.pair.shape2) = &flat.shape;
        *of_triangle = 0;
        on.pair.size = shape->size;
        find_points_of_triangle(&on, &merged);
    }
    drop_worse_points(&on, &merged);
    keep_points(&merged, MOST_CONTACT_POINTS);
    found->n = merged.n;
    found->d = reach;
    for (int k = 0; k < merged.n; k++) {
        found->points[k] = merged.points[k].point;
        found->points[k].share = 1;
        found->d = fmin(found->d, found->points[k].d);
    }
    *of_triangle = 0;
    for (int k = 0; k < N_HINT; k++)
        hint[k] = 0;
    hint[3] = on.pair.vertex1;
    hint[4] = on.pair.vertex2;
    return found->n;
}

int find_points_of_shapes(const Terrain *terrain, const ConvexShape *shape1, const Placement *X1, const ConvexShape *shape2,
                          const Placement *X2, double reach, double *hint, const double *turning, ContactPoints *found) {
    return terrain ? find_points_on_terrain(terrain, shape1, X1, shape2, X2, reach, hint, turning, found)
                   : find_contact_points(shape1, X1, shape2, X2, reach, hint, turning, found);
}
