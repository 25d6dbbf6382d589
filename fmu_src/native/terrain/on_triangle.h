/* A triangle of terrain beside a shape, and the features of the terrain at it. */
#ifndef MOBOD_ON_TRIANGLE_H
#define MOBOD_ON_TRIANGLE_H

#include "contact_points.h"
#include "convex_pair.h"
#include "terrain.h"

/* one shape on a triangle; `of` is the number of the terrain, 1 or 2 */
typedef struct {
    ConvexPair pair;
    const Terrain *terrain;
    const Placement *X1;
    const double *turning;
    int of;
    double R[9], p[3]; /* pose of the other shape in the frame of the terrain */
    double reach;
    TerrainTriangle triangle;
    double height; /* of the lowest point of the other shape over its plane */
} OnTriangle;

const ConvexShape *other_shape(const OnTriangle *on);

/* the point of the other shape that is farthest along a direction of the terrain's frame: how far it is from x along it */
double farthest_along(OnTriangle *on, const double *direction, const double *x);

int has_convex_edge(const OnTriangle *on);

/* Whether all triangles that have a feature of the triangle lie below its plane with the normal n, in the frame of the terrain. */
int is_outside(const OnTriangle *on, int feature, const double *n);

/* whether the surface goes on in the plane of the triangle all around a feature */
int is_inside_plane(const OnTriangle *on, int feature);

/* A number of a feature that all its triangles give it: vertices, then edges by the triangle with the lower number, then planes. */
int number_in_terrain(const OnTriangle *on, int feature);

/* Where shapes touch at an edge or a corner without a gap they have many normals, and a search may find one that is none of the terrain:
 * another one, between those of the triangles there, along which they are as far apart. Returns 0 if there is none. */
int find_normal_of_terrain(OnTriangle *on, int feature, double apart, double *normal);

#endif
