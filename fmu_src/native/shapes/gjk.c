#include "gjk.h"

static const double OVERLAP = 1e-14; /* of the size: nearer points count as the same */

enum { MOST_STEPS = 100 };

static int is_in(const Simplex *simplex, const SimplexVertex *vertex) {
    for (int i = 0; i < simplex->n; i++) {
        const double *w = simplex->vertices[i].w;
        if (w[0] == vertex->w[0] && w[1] == vertex->w[1] && w[2] == vertex->w[2])
            return 1;
    }
    return 0;
}

Apartness find_cores_apart(ConvexPair *pair, const double *shift, double *n, double far, Simplex *simplex) {
    double v[3], squared = (double)INFINITY, next[3];
    simplex->n = 0;
    for (int step = 0; step < MOST_STEPS; step++) {
        /* the vertex of the difference that is farthest along n */
        SimplexVertex vertex;
        support_of_1(pair, n, vertex.a);
        support_of_2(pair, n, vertex.b);
        vertex.vertex1 = pair->vertex1;
        vertex.vertex2 = pair->vertex2;
        for (int i = 0; i < 3; i++)
            vertex.w[i] = vertex.a[i] - vertex.b[i] - shift[i];
        /* v is the nearest point if no vertex lies nearer to the origin, along it */
        if (step) {
            double bound = dot3(v, vertex.w);
            if (bound > 0 && bound * bound > far * far * squared)
                return CORES_FAR;
            if (squared - bound <= pair->gap * squared || is_in(simplex, &vertex))
                return CORES_APART;
        }
        Simplex before = *simplex;
        simplex->vertices[simplex->n++] = vertex;
        if (!reduce_simplex(simplex, next))
            return CORES_OVERLAP;
        double length = dot3(next, next);
        if (step && !(length < squared)) { /* round-off: the simplex before is as good */
            *simplex = before;
            return CORES_APART;
        }
        squared = length;
        copy3(v, next);
        if (squared <= OVERLAP * OVERLAP * pair->size * pair->size)
            return CORES_OVERLAP;
        scale3(n, -1, v);
    }
    return CORES_APART;
}

void points_of_simplex(const Simplex *simplex, double *a, double *b) {
    set3(a, 0, 0, 0);
    set3(b, 0, 0, 0);
    for (int i = 0; i < simplex->n; i++) {
        add3(a, simplex->weights[i], simplex->vertices[i].a);
        add3(b, simplex->weights[i], simplex->vertices[i].b);
    }
}
