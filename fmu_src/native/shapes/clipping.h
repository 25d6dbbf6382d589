/* The part of a feature that lies over a face of the other shape. */
#ifndef MOBOD_CLIPPING_H
#define MOBOD_CLIPPING_H

#include "shape_features.h"

enum { MOST_CUT = 2 * MOST_CORNERS + 2 * RIM_POINTS };

/* a corner of the part, on the feature that is cut */
typedef struct {
    double x[3];
    double depth; /* height over the face, along its normal; set by set_depths */
    double share; /* of a part of a face: see set_outline_shares */
    int own;      /* number of the vertex, edge or face of the cut feature on which it lies */
    int other;    /* the same of the face that cuts */
    int edge;     /* number of the edge of the cut feature on which the next corner lies, too, where `side` is -1 */
    int side;     /* side of the face that made the edge to the next corner; -1: it is not cut */
} CutCorner;

/* The part of `feature` that lies over `face`, a face, a disc or a plane: its corners in order, at most MOST_CUT. `near` is a length, m:
 * corners that are out by less count as inside. Returns their number. */
int cut_feature(const Feature *face, const Feature *feature, double near, CutCorner *out);

/* its parts: a polygon, a segment or a point over a face with sides; if one of both is a disc */
int cut_by_sides(const Feature *face, const Feature *feature, double near, CutCorner *out);
int cut_with_disc(const Feature *face, const Feature *feature, double near, CutCorner *out);

void set_depths(const Feature *face, CutCorner *corners, int n);

/* Set the shares of a part of a face by its outline, the half of the outline that ends at each corner, relative to the outline; the corners
 * are in order. */
double set_outline_shares(CutCorner *corners, int n);

/* the corner with the least depth */
int deepest_corner(const CutCorner *corners, int n);

/* Merge neighbours that are nearer to each other than `near`; the deeper one remains. Then drop corners until at most `most` are left: each
 * time the one that spans the least area with its neighbours, but never the deepest. Neighbours get its share. Returns how many are left.
 */
int reduce_corners(CutCorner *corners, int n, double near, int most);

#endif
