#include "terrain.h"

#include "space_vectors.h"

#include <stddef.h>

static int is_field(const Terrain *terrain) { return terrain->heights != NULL; }

void terrain_vertex(const Terrain *terrain, int number, double *x) {
    if (!is_field(terrain)) {
        copy3(x, terrain->vertices + 3 * (size_t)number);
        return;
    }
    int i = number / terrain->ny, j = number % terrain->ny;
    set3(x, (i - 0.5 * (terrain->nx - 1)) * terrain->dx, (j - 0.5 * (terrain->ny - 1)) * terrain->dy, terrain->heights[number]);
}

/* the triangle in cell (i, j) of a height field; -1: there is no such cell */
static int triangle_of_cell(const Terrain *terrain, int i, int j, int half) {
    if (i < 0 || j < 0 || i >= terrain->nx - 1 || j >= terrain->ny - 1)
        return -1;
    return 2 * (i * (terrain->ny - 1) + j) + half;
}

static void triangle_of_field(const Terrain *terrain, int number, TerrainTriangle *triangle) {
    int cell = number / 2, half = number % 2, i = cell / (terrain->ny - 1), j = cell % (terrain->ny - 1);
    int corner = i * terrain->ny + j;
    triangle->vertex[0] = corner;
    triangle->vertex[1] = half ? corner + terrain->ny + 1 : corner + terrain->ny;
    triangle->vertex[2] = half ? corner + 1 : corner + terrain->ny + 1;
    triangle->beside[0] = half ? number - 1 : triangle_of_cell(terrain, i, j - 1, 1);
    triangle->beside[1] = half ? triangle_of_cell(terrain, i, j + 1, 0) : triangle_of_cell(terrain, i + 1, j, 1);
    triangle->beside[2] = half ? triangle_of_cell(terrain, i - 1, j, 0) : number + 1;
}

void terrain_triangle(const Terrain *terrain, int number, TerrainTriangle *triangle) {
    double one[3], other[3];
    triangle->number = number;
    if (is_field(terrain))
        triangle_of_field(terrain, number, triangle);
    else
        for (int k = 0; k < 3; k++) {
            triangle->vertex[k] = terrain->corners[3 * (size_t)number + (size_t)k];
            triangle->beside[k] = terrain->beside[3 * (size_t)number + (size_t)k];
        }
    for (int k = 0; k < 3; k++)
        terrain_vertex(terrain, triangle->vertex[k], triangle->x[k]);
    subtract3(one, triangle->x[1], triangle->x[0]);
    subtract3(other, triangle->x[2], triangle->x[0]);
    cross3(triangle->normal, one, other);
    normalize3(triangle->normal);
}

int neighbour_of_vertex(const Terrain *terrain, int vertex, int k) {
    static const int steps[6][2] = {{1, 0}, {1, 1}, {0, 1}, {-1, 0}, {-1, -1}, {0, -1}};
    if (!is_field(terrain)) {
        int at = terrain->first_neighbour[vertex] + k;
        return at < terrain->first_neighbour[vertex + 1] ? terrain->neighbours[at] : -1;
    }
    int i = vertex / terrain->ny, j = vertex % terrain->ny;
    for (int step = 0; step < 6; step++) {
        int to_i = i + steps[step][0], to_j = j + steps[step][1];
        if (to_i >= 0 && to_j >= 0 && to_i < terrain->nx && to_j < terrain->ny && k-- == 0)
            return to_i * terrain->ny + to_j;
    }
    return -1;
}

int is_on_border(const Terrain *terrain, int vertex) {
    if (!is_field(terrain))
        return terrain->on_border[vertex];
    int i = vertex / terrain->ny, j = vertex % terrain->ny;
    return i == 0 || j == 0 || i == terrain->nx - 1 || j == terrain->ny - 1;
}

/* ---- search ---- */

/* the cell in which a coordinate lies, in `n` cells about 0; outside: the nearest one, or -1 or n if it is beyond. NaN is beyond, too. */
static int cell_at(double x, double step, int n) {
    double cell = x / step + 0.5 * n;
    if (!(cell >= 0))
        return -1;
    return cell >= n ? n : (int)cell;
}

static int at_least(int number, int least) { return number < least ? least : number; }

static int at_most(int number, int most) { return number > most ? most : number; }

void begin_terrain_search(TerrainSearch *search, const Terrain *terrain, const double *least, const double *most) {
    search->terrain = terrain;
    copy3(search->least, least);
    copy3(search->most, most);
    search->node = search->half = 0;
    if (!is_field(terrain))
        return;
    int columns = terrain->nx - 1, rows = terrain->ny - 1;
    search->first_i = at_least(cell_at(least[0], terrain->dx, columns), 0);
    search->last_i = at_most(cell_at(most[0], terrain->dx, columns), columns - 1);
    search->first_j = at_least(cell_at(least[1], terrain->dy, rows), 0);
    search->last_j = at_most(cell_at(most[1], terrain->dy, rows), rows - 1);
    search->i = search->first_i;
    search->j = search->first_j;
}

/* whether the highest point of a cell lies below the box */
static int is_below(const TerrainSearch *search) {
    const Terrain *terrain = search->terrain;
    const double *at = terrain->heights + (size_t)search->i * (size_t)terrain->ny + search->j;
    return fmax(fmax(at[0], at[1]), fmax(at[terrain->ny], at[terrain->ny + 1])) < search->least[2];
}

static int next_of_field(TerrainSearch *search) {
    while (search->i <= search->last_i && search->first_j <= search->last_j) {
        if (search->half == 0 && is_below(search))
            search->half = 2;
        if (search->half < 2)
            return triangle_of_cell(search->terrain, search->i, search->j, search->half++);
        search->half = 0;
        if (++search->j > search->last_j) {
            search->j = search->first_j;
            search->i++;
        }
    }
    return -1;
}

int next_triangle(TerrainSearch *search) {
    const Terrain *terrain = search->terrain;
    if (is_field(terrain))
        return next_of_field(search);
    while (search->node < terrain->n_nodes) {
        const double *box = terrain->boxes + 6 * (size_t)search->node;
        int is_apart = 0, leaf = terrain->leaves[search->node];
        for (int k = 0; k < 3; k++)
            is_apart |= !(box[k] <= search->most[k]) || !(box[3 + k] >= search->least[k]);
        search->node = is_apart ? terrain->skips[search->node] : search->node + 1;
        if (!is_apart && leaf >= 0)
            return leaf;
    }
    return -1;
}
