#include "simplex.h"

#include "space_vectors.h"

/* weights of vertices by their number, and a bit for each vertex in use */
typedef struct {
    double of[4];
    unsigned used;
} Weights;

static double squared_length(const SimplexVertex *vertices, const Weights *weights, double *point) {
    set3(point, 0, 0, 0);
    for (int i = 0; i < 4; i++)
        if (weights->used >> i & 1)
            add3(point, weights->of[i], vertices[i].w);
    return dot3(point, point);
}

static Weights on_segment(const SimplexVertex *vertices, int i, int j) {
    Weights weights = {{0}, 0};
    double edge[3];
    subtract3(edge, vertices[j].w, vertices[i].w);
    double along = -dot3(vertices[i].w, edge), length = dot3(edge, edge);
    if (!(along > 0)) {
        weights.of[i] = 1;
        weights.used = 1u << i;
    } else if (along >= length) {
        weights.of[j] = 1;
        weights.used = 1u << j;
    } else {
        weights.of[j] = along / length;
        weights.of[i] = 1 - weights.of[j];
        weights.used = 1u << i | 1u << j;
    }
    return weights;
}

/* Inside, if the three areas that the origin makes with the edges have the sign of the whole; else on the nearest edge. Source: Ericson,
 * Real-Time Collision Detection (2005), 5.1.5. */
static Weights on_triangle(const SimplexVertex *vertices, int i, int j, int k) {
    const double *a = vertices[i].w, *b = vertices[j].w, *c = vertices[k].w;
    double ab[3], ac[3], normal[3], part[3];
    subtract3(ab, b, a);
    subtract3(ac, c, a);
    cross3(normal, ab, ac);
    cross3(part, b, c);
    double of_a = dot3(normal, part);
    cross3(part, c, a);
    double of_b = dot3(normal, part);
    cross3(part, a, b);
    double of_c = dot3(normal, part);
    Weights weights = {{0}, 0};
    if (of_a > 0 && of_b > 0 && of_c > 0 && dot3(normal, normal) > 0) {
        double sum = of_a + of_b + of_c;
        weights.of[i] = of_a / sum;
        weights.of[j] = of_b / sum;
        weights.of[k] = of_c / sum;
        weights.used = 1u << i | 1u << j | 1u << k;
        return weights;
    }
    const int ends[3][2] = {{i, j}, {j, k}, {i, k}};
    double least = (double)INFINITY, point[3];
    for (int e = 0; e < 3; e++) {
        Weights on_edge = on_segment(vertices, ends[e][0], ends[e][1]);
        double length = squared_length(vertices, &on_edge, point);
        if (length < least) {
            least = length;
            weights = on_edge;
        }
    }
    return weights;
}

/* On the nearest of the faces that have the origin on the other side than the fourth vertex, or in their plane; with no vertex in use if
 * there is none. Source: Ericson (2005), 5.1.6. */
static Weights on_tetrahedron(const SimplexVertex *vertices) {
    static const int faces[4][4] = {{0, 1, 2, 3}, {0, 1, 3, 2}, {0, 2, 3, 1}, {1, 2, 3, 0}};
    Weights weights = {{0}, 0};
    double least = (double)INFINITY;
    for (int f = 0; f < 4; f++) {
        const double *a = vertices[faces[f][0]].w;
        double ab[3], ac[3], ad[3], normal[3], point[3];
        subtract3(ab, vertices[faces[f][1]].w, a);
        subtract3(ac, vertices[faces[f][2]].w, a);
        subtract3(ad, vertices[faces[f][3]].w, a);
        cross3(normal, ab, ac);
        double of_origin = -dot3(a, normal), of_fourth = dot3(ad, normal);
        if ((of_origin > 0 && of_fourth > 0) || (of_origin < 0 && of_fourth < 0))
            continue;
        Weights on_face = on_triangle(vertices, faces[f][0], faces[f][1], faces[f][2]);
        double length = squared_length(vertices, &on_face, point);
        if (length < least) {
            least = length;
            weights = on_face;
        }
    }
    return weights;
}

int reduce_simplex(Simplex *simplex, double *v) {
    Weights weights = {{1, 0, 0, 0}, 1};
    if (simplex->n == 2)
        weights = on_segment(simplex->vertices, 0, 1);
    else if (simplex->n == 3)
        weights = on_triangle(simplex->vertices, 0, 1, 2);
    else if (simplex->n == 4)
        weights = on_tetrahedron(simplex->vertices);
    squared_length(simplex->vertices, &weights, v);
    if (!weights.used)
        return 0;
    int kept = 0;
    for (int i = 0; i < simplex->n; i++)
        if (weights.used >> i & 1) {
            simplex->vertices[kept] = simplex->vertices[i];
            simplex->weights[kept++] = weights.of[i];
        }
    simplex->n = kept;
    return 1;
}
