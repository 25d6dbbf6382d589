/* The point of a simplex that is nearest to the origin. */
#ifndef MOBOD_SIMPLEX_H
#define MOBOD_SIMPLEX_H

/* a vertex of the difference of two cores: point of core 1 minus point of core 2 */
typedef struct {
    double w[3];       /* a - b, with the shift of the search */
    double a[3], b[3]; /* in frame 1 */
    int vertex1, vertex2;
} SimplexVertex;

/* up to four vertices, and the weights of the point nearest to the origin; room for one more vertex */
typedef struct {
    int n;
    SimplexVertex vertices[5];
    double weights[5];
} Simplex;

/* Set the weights of the point of a simplex with 1 to 4 vertices that is nearest to the origin, and remove the vertices that it does not
 * need. v: that point. Returns 0, and changes nothing but v, if a tetrahedron contains the origin. */
int reduce_simplex(Simplex *simplex, double *v);

#endif
