#include "terrain_points.h"

#include "manifold.h"
#include "merged_points.h"
#include "pair_steps.h"

#include <stddef.h>

static const double LEVEL = 1e-8, /* sine of the angle between a direction and a plane in which it counts as lying */
    DEEP = 1e-2,                  /* of the size: deeper under a triangle that has no normal of its own a shape does not touch it */
    BESIDE = 30, BETTER = 1e-3,   /* in depths: how near to each other points are of which the deeper one is dropped, and how much deeper */
    SAME_NORMAL = 1e-12;          /* 1 - cosine of the angle between normals that are one */

/* the numbers of the features of a triangle as a hull, see shape_features.c: its corners, its edges by their first corners, its sides */
enum { EDGE_01 = 3, EDGE_20 = 4, EDGE_12 = 6, SIDES = 9 };

/* one shape on a triangle; `of` is the number of the terrain, 1 or 2 */
typedef struct {
    ConvexPair pair;
    const Terrain *terrain;
    const Placement *X1;
    const double *turning;
    int of;
    double R[9], p[3]; /* pose of the other shape in the frame of the terrain */
    double reach;
    TerrainTriangle triangle;
    double height; /* of the lowest point of the other shape over its plane */
} OnTriangle;

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

static const ConvexShape *other_shape(const OnTriangle *on) { return on->of == 1 ? on->pair.shape2 : on->pair.shape1; }

/* the point of the other shape that is farthest along a direction of the terrain's frame: how far it is from x along it */
static double farthest_along(OnTriangle *on, const double *direction, const double *x) {
    double m[3], in_shape[3], point[3], from[3];
    rotate_back3(m, on->R, direction);
    support_point(other_shape(on), m, on->of == 1 ? &on->pair.vertex2 : &on->pair.vertex1, in_shape);
    rotate3(point, on->R, in_shape);
    add3(point, 1, on->p);
    subtract3(from, point, x);
    return dot3(from, direction) + on->pair.rounding;
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

/* ---- features of the terrain ---- */

/* the edge after corner k that a number of the hull stands for; -1: another feature */
static int edge_of(int number) { return number == EDGE_01 ? 0 : number == EDGE_12 ? 1 : number == EDGE_20 ? 2 : -1; }

/* the corner of a triangle that is not on its edge with `to` */
static void opposite_corner(const Terrain *terrain, int number, int to, double *x) {
    TerrainTriangle triangle;
    terrain_triangle(terrain, number, &triangle);
    for (int k = 0; k < 3; k++)
        if (triangle.beside[k] == to)
            copy3(x, triangle.x[(k + 2) % 3]);
}

/* how far a triangle with this corner rises along n beyond an edge from x along e, relative to its width */
static double rise_beyond(const double *corner, const double *x, const double *e, const double *n) {
    double from[3];
    subtract3(from, corner, x);
    add3(from, -dot3(from, e), e);
    double width = normalize3(from);
    return width > 0 ? dot3(from, n) : 0;
}

/* whether the triangle beyond an edge falls off, or there is none */
static int is_convex_edge(const OnTriangle *on, int k) {
    const TerrainTriangle *triangle = &on->triangle;
    double corner[3], e[3];
    if (triangle->beside[k] < 0)
        return 1;
    if (on->terrain->regions[triangle->beside[k]] == on->terrain->regions[triangle->number])
        return 0;
    copy3(corner, triangle->x[k]);
    opposite_corner(on->terrain, triangle->beside[k], triangle->number, corner);
    subtract3(e, triangle->x[(k + 1) % 3], triangle->x[k]);
    normalize3(e);
    return rise_beyond(corner, triangle->x[k], e, triangle->normal) < -LEVEL;
}

static int has_convex_edge(const OnTriangle *on) { return is_convex_edge(on, 0) || is_convex_edge(on, 1) || is_convex_edge(on, 2); }

/* Whether all triangles that have a feature lie below its plane with the normal n, in the frame of the terrain. */
static int is_outside(const OnTriangle *on, int feature, const double *n) {
    const TerrainTriangle *triangle = &on->triangle;
    double x[3], e[3], corner[3];
    if (dot3(n, triangle->normal) < -LEVEL)
        return 0;
    if (feature < 3) {
        int vertex = triangle->vertex[feature];
        for (int k = 0, other; (other = neighbour_of_vertex(on->terrain, vertex, k)) >= 0; k++) {
            terrain_vertex(on->terrain, other, x);
            subtract3(e, x, triangle->x[feature]);
            if (dot3(e, n) > LEVEL * length3(e))
                return 0;
        }
        return 1;
    }
    int k = edge_of(feature);
    if (k < 0)
        return dot3(n, triangle->normal) > 1 - LEVEL;
    subtract3(e, triangle->x[(k + 1) % 3], triangle->x[k]);
    normalize3(e);
    if (rise_beyond(triangle->x[(k + 2) % 3], triangle->x[k], e, n) > LEVEL)
        return 0;
    if (triangle->beside[k] < 0)
        return 1;
    copy3(corner, triangle->x[k]);
    opposite_corner(on->terrain, triangle->beside[k], triangle->number, corner);
    return rise_beyond(corner, triangle->x[k], e, n) <= LEVEL;
}

/* whether the surface goes on in the plane of the triangle all around a feature */
static int is_inside_plane(const OnTriangle *on, int feature) {
    const TerrainTriangle *triangle = &on->triangle;
    const Terrain *terrain = on->terrain;
    int edge = edge_of(feature);
    if (edge >= 0)
        return triangle->beside[edge] >= 0 && terrain->regions[triangle->beside[edge]] == terrain->regions[triangle->number];
    if (feature >= 3 || is_on_border(terrain, triangle->vertex[feature]))
        return 0;
    for (int k = 0, other; (other = neighbour_of_vertex(terrain, triangle->vertex[feature], k)) >= 0; k++) {
        double x[3], e[3];
        terrain_vertex(terrain, other, x);
        subtract3(e, x, triangle->x[feature]);
        if (fabs(dot3(e, triangle->normal)) > LEVEL * length3(e))
            return 0;
    }
    return 1;
}

/* A number of a feature that all its triangles give it: vertices, then edges by the triangle with the lower number, then planes. */
static int number_in_terrain(const OnTriangle *on, int feature) {
    const TerrainTriangle *triangle = &on->triangle;
    const Terrain *terrain = on->terrain;
    if (feature < 3)
        return triangle->vertex[feature];
    int edge = edge_of(feature), beside = edge < 0 ? -1 : triangle->beside[edge];
    if (edge < 0)
        return terrain->n_vertices + 3 * terrain->n_triangles + terrain->regions[triangle->number];
    if (beside < 0 || beside > triangle->number)
        return terrain->n_vertices + 3 * triangle->number + edge;
    TerrainTriangle other;
    terrain_triangle(terrain, beside, &other);
    for (int k = 0; k < 3; k++)
        if (other.beside[k] == triangle->number)
            edge = k;
    return terrain->n_vertices + 3 * beside + edge;
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
    return is_outside(on, deepest_point(found)->on[on->of - 1], in_terrain) ? found->n : -1;
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
