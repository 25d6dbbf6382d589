#include "curvature.h"

#include "shape_features.h"
#include "space_vectors.h"

/* The curvature along a unit tangent t is |D m| t . D^-2 t, where D has the radii. Source: do Carmo, Differential Geometry of Curves and
 * Surfaces (1976), 3.3, for x . D^-2 x = 1, whose normal is D^-2 x / |D^-2 x| = m, so that |D^-2 x| = 1 / |D m|. */
static double radius_of_ellipsoid(const ConvexShape *shape, const double *m, const double *turning) {
    const double *radii = shape->lengths;
    double scaled[3] = {radii[0] * m[0], radii[1] * m[1], radii[2] * m[2]}, tangent[3], along = 0, all = 0, along_m = 0;
    cross3(tangent, turning, m);
    double speed = normalize3(tangent);
    for (int i = 0; i < 3; i++) {
        double inverse = 1 / (radii[i] * radii[i]);
        along += tangent[i] * tangent[i] * inverse;
        all += inverse;
        along_m += m[i] * m[i] * inverse;
    }
    return 1 / (length3(scaled) * (speed > 0 ? along : (all - along_m) / 2));
}

double radius_of_core(const ConvexShape *shape, const double *x, const double *m, const double *turning) {
    if (shape->core == CORE_ELLIPSOID)
        return radius_of_ellipsoid(shape, m, turning);
    if ((shape->core != CORE_CYLINDER && shape->core != CORE_CONE) || faces_along(m[2]))
        return 0;
    return sqrt((x[0] * x[0] + x[1] * x[1]) / (m[0] * m[0] + m[1] * m[1]));
}
