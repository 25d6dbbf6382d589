#include "on_triangle.h"

#include "normal_search.h"

static const double LEVEL = 1e-8; /* sine of the angle between a direction and a plane in which it counts as lying */
enum { GOLDEN_STEPS = 60, MOST_ROUNDS = 4, MOST_AROUND = 64 };

/* the numbers of the features of a triangle as a hull, see shape_features.c: its corners, its edges by their first corners, its sides */
enum { EDGE_01 = 3, EDGE_20 = 4, EDGE_12 = 6, SIDES = 9 };

const ConvexShape *other_shape(const OnTriangle *on) { return on->of == 1 ? on->pair.shape2 : on->pair.shape1; }

double farthest_along(OnTriangle *on, const double *direction, const double *x) {
    double m[3], in_shape[3], point[3], from[3];
    rotate_back3(m, on->R, direction);
    support_point(other_shape(on), m, on->of == 1 ? &on->pair.vertex2 : &on->pair.vertex1, in_shape);
    rotate3(point, on->R, in_shape);
    add3(point, 1, on->p);
    subtract3(from, point, x);
    return dot3(from, direction) + on->pair.rounding;
}

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

int has_convex_edge(const OnTriangle *on) { return is_convex_edge(on, 0) || is_convex_edge(on, 1) || is_convex_edge(on, 2); }

int is_outside(const OnTriangle *on, int feature, const double *n) {
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

int is_inside_plane(const OnTriangle *on, int feature) {
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

int number_in_terrain(const OnTriangle *on, int feature) {
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

/* ---- normals ---- */

/* The normal between those of two triangles at an edge, along which the other shape begins highest over x: golden section. Returns how
 * high. */
static double best_normal_between(OnTriangle *on, const double *n1, const double *n2, const double *x, double *best) {
    static const double GOLDEN = 0.61803398874989485;
    const ConvexPair before = on->pair;
    double places[2] = {1 - GOLDEN, GOLDEN}, heights[2], least = 0, most = 1, normals[2][3];
    int is_known[2] = {0, 0};
    for (int step = 0; step < GOLDEN_STEPS; step++) {
        for (int k = 0; k < 2; k++) {
            double down[3];
            if (is_known[k])
                continue;
            scale3(normals[k], 1 - places[k], n1);
            add3(normals[k], places[k], n2);
            normalize3(normals[k]);
            scale3(down, -1, normals[k]);
            heights[k] = -farthest_along(on, down, x);
            is_known[k] = 1;
        }
        const int worse = heights[1] > heights[0] ? 0 : 1;
        *(worse ? &most : &least) = places[worse];
        places[worse] = places[1 - worse];
        heights[worse] = heights[1 - worse];
        copy3(normals[worse], normals[1 - worse]);
        places[1 - worse] = worse ? most - GOLDEN * (most - least) : least + GOLDEN * (most - least);
        is_known[1 - worse] = 0;
    }
    const int kept = is_known[0] ? 0 : 1;
    copy3(best, normals[kept]);
    on->pair = before;
    return heights[kept];
}

/* Move a normal towards those of the triangles around a corner of the triangle, one after another, as long as the other shape begins higher
 * along it. Returns how high; enough: where to end. */
static double improve_normal_at_corner(OnTriangle *on, int corner, double enough, double highest, double *normal) {
    const int vertex = on->triangle.vertex[corner];
    const double *x = on->triangle.x[corner];
    for (int round = 0; round < MOST_ROUNDS && highest < enough; round++) {
        TerrainTriangle around = on->triangle;
        for (int count = 0; count < MOST_AROUND && highest < enough; count++) {
            double n[3];
            const double height = best_normal_between(on, normal, around.normal, x, n);
            if (height > highest) {
                highest = height;
                copy3(normal, n);
            }
            const int k = around.vertex[0] == vertex ? 0 : around.vertex[1] == vertex ? 1 : 2, beside = around.beside[k];
            if (beside < 0 || beside == on->triangle.number)
                break;
            terrain_triangle(on->terrain, beside, &around);
        }
    }
    return highest;
}

int find_normal_of_terrain(OnTriangle *on, int feature, double apart, double *normal) {
    const TerrainTriangle *triangle = &on->triangle;
    const double enough = apart - PREFERRED_FACE * on->pair.size;
    const int edge = edge_of(feature);
    double highest;
    if (feature < 3) {
        copy3(normal, triangle->normal);
        highest = improve_normal_at_corner(on, feature, enough, -(double)INFINITY, normal);
    } else {
        if (edge < 0 || triangle->beside[edge] < 0)
            return 0;
        TerrainTriangle other;
        terrain_triangle(on->terrain, triangle->beside[edge], &other);
        highest = best_normal_between(on, triangle->normal, other.normal, triangle->x[edge], normal);
    }
    return highest >= enough && is_outside(on, feature, normal);
}
