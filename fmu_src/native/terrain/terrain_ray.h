/* Where a ray meets the triangles of terrain. */
#ifndef MOBOD_TERRAIN_RAY_H
#define MOBOD_TERRAIN_RAY_H

#include "terrain.h"

/* The distance from p [3] along d [3], of length 1, to the first triangle, from either side, if it is at most `most`; else a negative
 * number. normal [3]: that of the triangle. All in the frame of the terrain. */
double ray_on_terrain(const Terrain *terrain, const double *p, const double *d, double most, double *normal);

#endif
