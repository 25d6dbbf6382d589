#include "curved_normal.h"

#include "lu.h"

enum { MOST_STEPS = 12, MOST_EDGES = 2, MOST_UNKNOWNS = 2 + MOST_EDGES };

static const double CONVERGED = 1e-15, /* change of n at which the steps end */
    LARGEST_TURN = 0.05,               /* of n in all: farther away is another maximum */
    CERTIFIED = 1e-13,                 /* of the size: how much nearer than the support points the points may be along n */
    ROUND_OFF = 1e-15,                 /* of the sizes of both shapes: the same of their coordinates */
    NEARLY = 0.02,                     /* cosine of the angle between a direction and an edge that is nearly normal to it */
    PARALLEL = 1e-9;                   /* sine of the angle between edges on which the points are not unique */

/* A core near its support point along m, in frame 1: the point moves by `turning` times the change of n, and by `places` along edges to
 * which n is normal. */
typedef struct {
    double p[3];
    double turning[9];
    int n_edges;
    double edges[2][3];
    double places[2]; /* of the nearest point along each edge, from 0 to 1 */
} NearSupport;

/* what the simplex says of one core: its vertices without repetition, their places and the sums of their weights */
typedef struct {
    int n;
    int numbers[4];
    double points[4][3], weights[4];
} Vertices;

static void collect(const Simplex *simplex, int of, Vertices *vertices) {
    vertices->n = 0;
    for (int k = 0; k < simplex->n; k++) {
        const SimplexVertex *vertex = &simplex->vertices[k];
        int number = of == 1 ? vertex->vertex1 : vertex->vertex2, at = 0;
        while (at < vertices->n && vertices->numbers[at] != number)
            at++;
        if (at == vertices->n) {
            vertices->numbers[at] = number;
            copy3(vertices->points[at], of == 1 ? vertex->a : vertex->b);
            vertices->weights[at] = 0;
            vertices->n++;
        }
        vertices->weights[at] += simplex->weights[k];
    }
}

/* of a rim or a side: p moves along the tangent u of the circle, radius / |m across the axis| times as far as m */
static void turn_about_axis(double radius, double cosine, double sine, double across, double *turning) {
    double factor = radius / across;
    turning[0] = factor * sine * sine;
    turning[1] = turning[3] = -factor * sine * cosine;
    turning[4] = factor * cosine * cosine;
}

/* a curved core near its support point along m, in its own frame */
static void near_curved_support(const ConvexShape *shape, const double *m, const Vertices *vertices, NearSupport *near) {
    const double *lengths = shape->lengths;
    near->n_edges = 0;
    for (int i = 0; i < 9; i++)
        near->turning[i] = 0;
    if (shape->core == CORE_ELLIPSOID) {
        double scaled[3] = {lengths[0] * m[0], lengths[1] * m[1], lengths[2] * m[2]}, length = length3(scaled);
        for (int i = 0; i < 3; i++)
            near->p[i] = lengths[i] * (scaled[i] / length);
        for (int i = 0; i < 3; i++)
            for (int j = 0; j < 3; j++)
                near->turning[3 * i + j] = ((i == j ? lengths[i] * lengths[i] : 0) - near->p[i] * near->p[j]) / length;
        return;
    }
    int is_cone = shape->core == CORE_CONE;
    double across = sqrt(m[0] * m[0] + m[1] * m[1]);
    double cosine = across > 0 ? m[0] / across : 1, sine = across > 0 ? m[1] / across : 0, radius = lengths[0];
    int at_end = vertices->numbers[0];
    if (vertices->n == 1 && at_end == 1 && is_cone) {
        set3(near->p, 0, 0, lengths[2]);
        return;
    }
    set3(near->p, radius * cosine, radius * sine, vertices->n == 1 && at_end == 1 ? lengths[2] : -lengths[2]);
    if (vertices->n > 1) {
        /* the side: of a cylinder the distance from the axis is the same everywhere, of a cone it vanishes at the tip */
        near->n_edges = 1;
        near->places[0] = vertices->weights[at_end == 1 ? 0 : 1]; /* of the upper end */
        set3(near->edges[0], is_cone ? -near->p[0] : 0, is_cone ? -near->p[1] : 0, 2 * lengths[2]);
        if (is_cone)
            radius *= 1 - near->places[0];
    }
    if (across > 0)
        turn_about_axis(radius, cosine, sine, across, near->turning);
}

/* of either core, in frame 1. Returns 0 if it is the inside of a face. */
static int near_support(const ConvexPair *pair, int of, const double *n, const Vertices *vertices, NearSupport *near) {
    const ConvexShape *shape = of == 1 ? pair->shape1 : pair->shape2;
    if (!is_curved(shape)) {
        copy3(near->p, vertices->points[0]);
        for (int i = 0; i < 9; i++)
            near->turning[i] = 0;
        near->n_edges = vertices->n - 1;
        if (near->n_edges > 2)
            return 0;
        for (int k = 0; k < near->n_edges; k++) {
            subtract3(near->edges[k], vertices->points[k + 1], vertices->points[0]);
            near->places[k] = vertices->weights[k + 1];
        }
        return 1;
    }
    double m[3], x[3];
    if (of == 1) {
        near_curved_support(shape, n, vertices, near);
        return 1;
    }
    towards_1(pair, n, m);
    near_curved_support(shape, m, vertices, near);
    copy3(x, near->p);
    from_frame_2(pair, x, near->p);
    for (int k = 0; k < near->n_edges; k++) {
        copy3(x, near->edges[k]);
        rotate3(near->edges[k], pair->R, x);
    }
    /* R turning R^T, by columns and then by rows */
    double half[9];
    for (int i = 0; i < 3; i++)
        rotate3(half + 3 * i, pair->R, near->turning + 3 * i);
    for (int j = 0; j < 3; j++)
        for (int i = 0; i < 3; i++)
            near->turning[3 * i + j] = pair->R[3 * i] * half[j] + pair->R[3 * i + 1] * half[3 + j] + pair->R[3 * i + 2] * half[6 + j];
    return 1;
}

/* the places on the edges, for the next step */
static void keep_places(const ConvexShape *shape, const NearSupport *near, Vertices *vertices) {
    for (int k = 0; k < near->n_edges; k++)
        vertices->weights[is_curved(shape) && vertices->numbers[0] == 1 ? 0 : k + 1] = near->places[k];
}

/* two unit vectors normal to n */
static void tangents_of(const double *n, double *u, double *v) {
    int least = fabs(n[0]) < fabs(n[1]) ? 0 : 1;
    if (fabs(n[2]) < fabs(n[least]))
        least = 2;
    double axis[3] = {least == 0, least == 1, least == 2};
    cross3(u, n, axis);
    normalize3(u);
    cross3(v, n, u);
}

/* a point moved along its edges */
static void moved_point(const NearSupport *near, double *p) {
    copy3(p, near->p);
    for (int k = 0; k < near->n_edges; k++)
        add3(p, near->places[k], near->edges[k]);
}

/* Solve one step. The unknowns are the change of n along two tangents, and those of the places on the edges; the conditions that the vector
 * from a to b has no part along the tangents of the next n, and that each edge is normal to it. Returns the change of n, or a negative
 * number if there is no solution. */
static double take_step(NearSupport *near, const double *a, const double *b, int n_pinned, double *n, double *places[]) {
    double tangents[2][3], ab[3], matrix[MOST_UNKNOWNS * MOST_UNKNOWNS], change[MOST_UNKNOWNS], product[3];
    int pivots[MOST_UNKNOWNS], size = 2 + n_pinned, row = 0;
    tangents_of(n, tangents[0], tangents[1]);
    subtract3(ab, b, a);
    for (int i = 0; i < size * size; i++)
        matrix[i] = 0;
    for (int i = 0; i < 2; i++) {
        for (int j = 0; j < 2; j++) {
            double curvature = 0;
            for (int of = 0; of < 2; of++) {
                rotate3(product, near[of].turning, tangents[j]);
                curvature += dot3(tangents[i], product);
            }
            matrix[i * size + j] = -curvature - (i == j ? dot3(n, ab) : 0);
        }
        change[i] = -dot3(tangents[i], ab);
    }
    for (int of = 0; of < 2; of++)
        for (int k = 0; k < near[of].n_edges && row < n_pinned; k++, row++) {
            const double *edge = near[of].edges[k];
            for (int i = 0; i < 2; i++) {
                matrix[i * size + 2 + row] = (of ? 1 : -1) * dot3(tangents[i], edge);
                matrix[(2 + row) * size + i] = dot3(tangents[i], edge);
            }
            change[2 + row] = -dot3(n, edge);
            places[row] = &near[of].places[k];
        }
    if (factor_lu(size, matrix, pivots) >= 0)
        return -1;
    solve_lu(size, matrix, pivots, change);
    add3(n, change[0], tangents[0]);
    add3(n, change[1], tangents[1]);
    normalize3(n);
    for (int k = 0; k < n_pinned; k++)
        *places[k] += change[2 + k];
    return sqrt(change[0] * change[0] + change[1] * change[1]);
}

/* the number of edges to which n is normal: of parallel ones only the first counts, since the points are not unique along them */
static int pinned(const NearSupport *near) {
    int n = near[0].n_edges + near[1].n_edges;
    if (n == 2) {
        const double *first = near[0].n_edges ? near[0].edges[0] : near[1].edges[0];
        const double *second = near[1].n_edges ? near[1].edges[near[1].n_edges - 1] : near[0].edges[1];
        double across[3];
        cross3(across, first, second);
        n -= dot3(across, across) <= PARALLEL * PARALLEL * dot3(first, first) * dot3(second, second);
    }
    return n;
}

/* Whether f falls on all sides of n: where the shapes overlap, by less than their radii of curvature. Along edges f falls anyway. */
static int is_maximum(const NearSupport *near, const double *n, double d) {
    if (d >= 0 || near[0].n_edges + near[1].n_edges > 1)
        return 1;
    double tangents[2][3], product[3], curvature[2][2];
    tangents_of(n, tangents[0], tangents[1]);
    int n_tangents = 2;
    if (near[0].n_edges + near[1].n_edges == 1) {
        cross3(tangents[0], n, near[0].n_edges ? near[0].edges[0] : near[1].edges[0]);
        normalize3(tangents[0]);
        n_tangents = 1;
    }
    for (int i = 0; i < n_tangents; i++)
        for (int j = 0; j < n_tangents; j++) {
            curvature[i][j] = i == j ? d : 0;
            for (int of = 0; of < 2; of++) {
                rotate3(product, near[of].turning, tangents[j]);
                curvature[i][j] += dot3(tangents[i], product);
            }
        }
    return curvature[0][0] > 0 && (n_tangents == 1 || curvature[0][0] * curvature[1][1] > curvature[0][1] * curvature[1][0]);
}

int improve_curved_normal(ConvexPair *pair, const Simplex *simplex, double *n, double *a, double *b) {
    Vertices vertices[2];
    NearSupport near[2];
    double next[3], p1[3], p2[3], ab[3], turned[3], *places[MOST_EDGES];
    collect(simplex, 1, &vertices[0]);
    collect(simplex, 2, &vertices[1]);
    copy3(next, n);
    if (!near_support(pair, 1, next, &vertices[0], &near[0]) || !near_support(pair, 2, next, &vertices[1], &near[1]))
        return 0;
    int n_pinned = pinned(near);
    if (n_pinned > MOST_EDGES)
        return 0;
    for (int step = 0, is_last = 0; !is_last; step++) {
        moved_point(&near[0], p1);
        moved_point(&near[1], p2);
        double change = take_step(near, p1, p2, n_pinned, next, places);
        is_last = change <= CONVERGED || step == MOST_STEPS;
        subtract3(turned, next, n);
        if (change < 0 || length3(turned) > LARGEST_TURN)
            return 0;
        for (int of = 0; of < 2; of++) {
            keep_places(of == 0 ? pair->shape1 : pair->shape2, &near[of], &vertices[of]);
            near_support(pair, of + 1, next, &vertices[of], &near[of]);
        }
    }
    /* the points must lie on their edges, and be the support points along n */
    for (int of = 0; of < 2; of++)
        for (int k = 0; k < near[of].n_edges; k++)
            if (!(near[of].places[k] > -PARALLEL && near[of].places[k] < 1 + PARALLEL))
                return 0;
    moved_point(&near[0], p1);
    moved_point(&near[1], p2);
    subtract3(ab, p2, p1);
    if (!is_maximum(near, next, dot3(next, ab)))
        return 0;
    double round_off = CERTIFIED * (pair->size + length3(ab)) + ROUND_OFF * (pair->shape1->size + pair->shape2->size);
    if (!(fabs(dot3(next, ab) - separation_along(pair, next)) <= round_off))
        return 0;
    copy3(n, next);
    copy3(a, p1);
    copy3(b, p2);
    return 1;
}

/* the support point of a core along m, in its own frame, and the other end of an edge that is nearly normal to m. Returns their number. */
static int guess_vertices(const ConvexShape *shape, const double *m, int *numbers, double points[2][3]) {
    const double *lengths = shape->lengths;
    support_point(shape, m, &numbers[0], points[0]);
    switch (shape->core) {
    case CORE_SEGMENT:
        numbers[1] = 1 - numbers[0];
        scale3(points[1], -1, points[0]);
        return fabs(m[2]) < NEARLY ? 2 : 1;
    case CORE_BOX: {
        int axis = fabs(m[0]) < fabs(m[1]) ? 0 : 1;
        if (fabs(m[2]) < fabs(m[axis]))
            axis = 2;
        numbers[1] = numbers[0] ^ 1 << axis;
        copy3(points[1], points[0]);
        points[1][axis] = -points[1][axis];
        return fabs(m[axis]) < NEARLY ? 2 : 1;
    }
    case CORE_CYLINDER:
    case CORE_CONE: {
        double across = sqrt(m[0] * m[0] + m[1] * m[1]), rise = shape->core == CORE_CONE ? lengths[0] / (2 * lengths[2]) : 0;
        numbers[1] = 1 - numbers[0];
        copy3(points[1], points[0]);
        return fabs(m[2] - rise * across) < NEARLY ? 2 : 1;
    }
    case CORE_HULL: {
        const Hull *hull = shape->hull;
        double least = NEARLY, edge[3];
        int first = numbers[0], n = 1;
        for (int k = hull->first_neighbour[first]; k < hull->first_neighbour[first + 1]; k++) {
            const double *x = hull->vertices + 3 * hull->neighbours[k];
            subtract3(edge, points[0], x);
            double drop = dot3(edge, m) / length3(edge);
            if (drop < least) {
                least = drop;
                n = 2;
                numbers[1] = hull->neighbours[k];
                copy3(points[1], x);
            }
        }
        return n;
    }
    case CORE_POINT:
    case CORE_ELLIPSOID:
    case CORE_HALF_SPACE:
    case CORE_TERRAIN:
        break;
    }
    return 1;
}

void guess_simplex(ConvexPair *pair, const double *n, Simplex *simplex) {
    int numbers1[2] = {pair->vertex1, 0}, numbers2[2] = {pair->vertex2, 0};
    double points1[2][3], points2[2][3], m[3];
    int n1 = guess_vertices(pair->shape1, n, numbers1, points1);
    towards_1(pair, n, m);
    int n2 = guess_vertices(pair->shape2, m, numbers2, points2);
    pair->vertex1 = numbers1[0];
    pair->vertex2 = numbers2[0];
    simplex->n = n1 > n2 ? n1 : n2;
    for (int k = 0; k < simplex->n; k++) {
        SimplexVertex *vertex = &simplex->vertices[k];
        int k1 = k < n1 ? k : 0, k2 = k < n2 ? k : 0;
        copy3(vertex->a, points1[k1]);
        from_frame_2(pair, points2[k2], vertex->b);
        vertex->vertex1 = numbers1[k1];
        vertex->vertex2 = numbers2[k2];
        simplex->weights[k] = 1.0 / simplex->n;
    }
}
