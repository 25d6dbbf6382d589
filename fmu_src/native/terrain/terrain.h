/* Ground of triangles: a height field, or a mesh. A triangle has an outward side, from which its corners are counterclockwise; what lies
 * behind it is solid. Constant. Lengths in m.
 *
 * A height field has its points at x = (i - (nx - 1) / 2) dx, y = (j - (ny - 1) / 2) dy, z = heights[i][j]. The cell from point (i, j) to
 * point (i + 1, j + 1) has two triangles on both sides of this diagonal: first that at greater x, then that at greater y. */
#ifndef MOBOD_TERRAIN_H
#define MOBOD_TERRAIN_H

typedef struct {
    int nx, ny; /* points of a height field; 0 of a mesh */
    double dx, dy;
    const double *heights; /* [nx][ny]; NULL of a mesh */
    int n_vertices, n_triangles, n_regions;
    const int *regions; /* [n_triangles] triangles that lie in one plane and share edges have the same number */
    /* of a mesh; NULL of a height field */
    const double *vertices;     /* [n_vertices][3] */
    const int *on_border;       /* [n_vertices] whether it lies on an edge that has one triangle only */
    const int *first_neighbour; /* [n_vertices + 1] the neighbours of vertex i are from here to before those of vertex i + 1 */
    const int *neighbours;      /* [first_neighbour[n_vertices]] vertices that share an edge with it */
    const int *corners;         /* [n_triangles][3] */
    const int *beside;          /* [n_triangles][3] the triangle beyond the edge from corner k to the next; -1: none */
    int n_nodes;                /* of the tree of boxes, each node before the nodes inside of it */
    const double *boxes;        /* [n_nodes][6] least, then largest x, y, z */
    const int *skips;           /* [n_nodes] the next node that is not inside of this one */
    const int *leaves;          /* [n_nodes] a triangle; -1: there are nodes inside */
} Terrain;

typedef struct {
    int number;
    int vertex[3]; /* numbers */
    double x[3][3];
    int beside[3];
    double normal[3]; /* outward, of length 1 */
} TerrainTriangle;

void terrain_vertex(const Terrain *terrain, int number, double *x);
void terrain_triangle(const Terrain *terrain, int number, TerrainTriangle *triangle);

/* the number of neighbour k of a vertex, from 0; -1: it has no more */
int neighbour_of_vertex(const Terrain *terrain, int vertex, int k);
int is_on_border(const Terrain *terrain, int vertex);

/* The triangles that may touch what lies in a box, one after another; of a height field all below it, too. */
typedef struct {
    const Terrain *terrain;
    double least[3], most[3];
    int first_i, last_i, first_j, last_j; /* cells of a height field */
    int i, j, half;
    int node; /* of a mesh */
} TerrainSearch;

void begin_terrain_search(TerrainSearch *search, const Terrain *terrain, const double *least, const double *most);

/* the next triangle; -1: there are no more */
int next_triangle(TerrainSearch *search);

#endif
