/* The points at which a convex shape touches terrain, see find_contact_points.
 *
 * Each triangle within reach is a hull of three corners. Where the shape's lowest point over its plane lies over the triangle, the normal
 * is that of the triangle. Else it is the normal of both as convex shapes, if all triangles that meet where it touches lie below the plane
 * of this normal: so it does on ridges and peaks. On inner edges of flat ground and in valleys it does not; there the triangle has its own
 * normal, so that nothing catches on them.
 *
 * Points where the outline of the shape crosses an edge between triangles of one plane are left out: a box on flat ground has its corners
 * alone, as on a half-space.
 *
 * Decision: docs/decisions/207-terrain.md */
#ifndef MOBOD_TERRAIN_POINTS_H
#define MOBOD_TERRAIN_POINTS_H

#include "contact_points.h"
#include "terrain.h"

/* Find the points, as find_contact_points does. One of both shapes is a SHAPE_TERRAIN, which has these triangles. */
int find_points_on_terrain(const Terrain *terrain, const ConvexShape *shape1, const Placement *X1, const ConvexShape *shape2,
                           const Placement *X2, double reach, double *hint, const double *turning, ContactPoints *found);

/* Find the points of any two shapes. terrain: the triangles of the one that is a SHAPE_TERRAIN, or NULL */
int find_points_of_shapes(const Terrain *terrain, const ConvexShape *shape1, const Placement *X1, const ConvexShape *shape2,
                          const Placement *X2, double reach, double *hint, const double *turning, ContactPoints *found);

#endif
