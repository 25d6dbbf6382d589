/* How far a ray from a body goes until it meets terrain: a procedure. Its derivatives are those of the triangle that it hits. */
#ifndef MOBOD_SEEN_TERRAIN_H
#define MOBOD_SEEN_TERRAIN_H

#include "kernel.h"
#include "terrain.h"

/* what a ray has that meets nothing, m */
#define UNSEEN 1e30

/* offsets into w, unless said otherwise */
typedef struct {
    int station, direction; /* [3] where the ray begins, and its direction, of any length, in the frame of its body */
    int R_GB, p_GB;         /* [9], [3] of its body */
    int R_GC, p_GC;         /* [9], [3] of the body with the terrain */
    int range;              /* m, how far it is looked for */
    int distance;           /* m, of the ray; UNSEEN if it meets nothing */
    const double *R_CS;     /* [9] numbers: the frame of the terrain on its body */
    const double *p_CS;     /* [3] numbers */
    const Terrain *terrain;
} SeenTerrain;

KernelFunction run_seen_terrain, run_seen_terrain_tangent, run_seen_terrain_adjoint;

#endif
