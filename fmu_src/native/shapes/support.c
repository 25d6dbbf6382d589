#include "support.h"

#include "space_vectors.h"

/* From vertex to vertex along edges while m . x grows. A vertex without a better neighbour is the farthest of a convex hull. Source:
 * Ericson, Real-Time Collision Detection (2005), 9.5.4. */
static int climb_to_vertex(const Hull *hull, const double *m, int vertex) {
    double best = dot3(hull->vertices + 3 * vertex, m);
    for (int from = -1; from != vertex;) {
        from = vertex;
        for (int k = hull->first_neighbour[from]; k < hull->first_neighbour[from + 1]; k++) {
            double value = dot3(hull->vertices + 3 * hull->neighbours[k], m);
            if (value > best) {
                best = value;
                vertex = hull->neighbours[k];
            }
        }
    }
    return vertex;
}

int face_along(const Hull *hull, const double *m, int vertex) {
    int first = hull->first_neighbour[vertex], best = hull->faces[first];
    double most = dot3(hull->normals + 3 * best, m);
    for (int k = first + 1; k < hull->first_neighbour[vertex + 1]; k++) {
        double value = dot3(hull->normals + 3 * hull->faces[k], m);
        if (value > most) {
            most = value;
            best = hull->faces[k];
        }
    }
    return best;
}

/* on the rim at the end z of a cylinder or a cone; x where m is along the axis */
static void point_on_rim(const ConvexShape *shape, const double *m, double z, double *p) {
    double across = sqrt(m[0] * m[0] + m[1] * m[1]);
    set3(p, shape->lengths[0], 0, z);
    if (across > 0) {
        p[0] = shape->lengths[0] * (m[0] / across);
        p[1] = shape->lengths[0] * (m[1] / across);
    }
}

void support_point(const ConvexShape *shape, const double *m, int *vertex, double *p) {
    const double *lengths = shape->lengths;
    switch (shape->core) {
    case CORE_POINT:
    case CORE_HALF_SPACE:
    case CORE_TERRAIN:
        set3(p, 0, 0, 0);
        break;
    case CORE_SEGMENT:
        *vertex = !(m[2] < 0);
        set3(p, 0, 0, m[2] < 0 ? -lengths[2] : lengths[2]);
        break;
    case CORE_BOX:
        *vertex = (m[0] < 0) | (m[1] < 0) << 1 | (m[2] < 0) << 2;
        for (int i = 0; i < 3; i++)
            p[i] = m[i] < 0 ? -lengths[i] : lengths[i];
        break;
    case CORE_CYLINDER:
        *vertex = !(m[2] < 0);
        point_on_rim(shape, m, *vertex ? lengths[2] : -lengths[2], p);
        break;
    case CORE_CONE:
        /* the tip is farther than the rim where 2 half_length m_z > radius times m across the axis */
        *vertex = m[2] > 0 && 4 * lengths[2] * lengths[2] * m[2] * m[2] > lengths[0] * lengths[0] * (m[0] * m[0] + m[1] * m[1]);
        if (*vertex)
            set3(p, 0, 0, lengths[2]);
        else
            point_on_rim(shape, m, -lengths[2], p);
        break;
    case CORE_ELLIPSOID: {
        double scaled[3] = {lengths[0] * m[0], lengths[1] * m[1], lengths[2] * m[2]}, length = length3(scaled);
        for (int i = 0; i < 3; i++)
            p[i] = lengths[i] * (scaled[i] / length);
        break;
    }
    case CORE_HULL:
        *vertex = climb_to_vertex(shape->hull, m, *vertex);
        copy3(p, shape->hull->vertices + 3 * *vertex);
        break;
    }
}
