#include "terrain_ray.h"

#include "space_vectors.h"

/* WIDE: relative to the size of a triangle; a ray that misses it by less hits it, so that none passes between two triangles. CELLS: of a
 * height field, and PARTS: of a mesh, that are searched at a time */
static const double WIDE = 1e-12, CELLS = 4, PARTS = 16;

/* Where the ray goes through the plane of a triangle and hits it: Moeller and Trumbore, Journal of Graphics Tools 2 (1997). */
static double on_triangle(const TerrainTriangle *triangle, const double *p, const double *d) {
    double edge1[3], edge2[3], across[3], from[3], other[3];
    subtract3(edge1, triangle->x[1], triangle->x[0]);
    subtract3(edge2, triangle->x[2], triangle->x[0]);
    cross3(across, d, edge2);
    const double determinant = dot3(edge1, across);
    if (determinant == 0)
        return -1;
    subtract3(from, p, triangle->x[0]);
    cross3(other, from, edge1);
    const double u = dot3(from, across) / determinant, v = dot3(d, other) / determinant;
    return u < -WIDE || v < -WIDE || u + v > 1 + WIDE ? -1 : dot3(edge2, other) / determinant;
}

/* the part of the ray in which one coordinate lies between two numbers */
static void cut_ray(double p, double d, double least, double most, double *begin, double *end) {
    if (d == 0) {
        if (p < least || p > most)
            *end = -1;
        return;
    }
    const double one = (least - p) / d, other = (most - p) / d;
    *begin = fmax(*begin, fmin(one, other));
    *end = fmin(*end, fmax(one, other));
}

double ray_on_terrain(const Terrain *terrain, const double *p, const double *d, double most, double *normal) {
    double begin = 0, end = most, piece, nearest = -1;
    if (terrain->heights) {
        const double half_x = (terrain->nx - 1) * terrain->dx / 2, half_y = (terrain->ny - 1) * terrain->dy / 2;
        cut_ray(p[0], d[0], -half_x, half_x, &begin, &end);
        cut_ray(p[1], d[1], -half_y, half_y, &begin, &end);
        piece = CELLS * fmin(terrain->dx, terrain->dy) / sqrt(d[0] * d[0] + d[1] * d[1]);
    } else {
        const double *box = terrain->boxes;
        double size[3];
        subtract3(size, box + 3, box);
        for (int k = 0; k < 3; k++)
            cut_ray(p[k], d[k], box[k], box[3 + k], &begin, &end);
        piece = length3(size) / PARTS;
    }
    while (begin <= end && (nearest < 0 || nearest > begin)) {
        const double stop = fmin(begin + piece, end);
        double least[3], largest[3];
        TerrainSearch search;
        TerrainTriangle triangle;
        for (int k = 0; k < 3; k++) {
            const double from = p[k] + begin * d[k], to = p[k] + stop * d[k];
            least[k] = fmin(from, to);
            largest[k] = fmax(from, to);
        }
        begin_terrain_search(&search, terrain, least, largest);
        for (int number; (number = next_triangle(&search)) >= 0;) {
            terrain_triangle(terrain, number, &triangle);
            const double t = on_triangle(&triangle, p, d);
            if (t >= 0 && t <= most && (nearest < 0 || t < nearest)) {
                nearest = t;
                copy3(normal, triangle.normal);
            }
        }
        if (stop >= end)
            break;
        begin = stop;
    }
    return nearest;
}
