/* Contact points of many pairs, for tests: everything in arrays of numbers. */
#include "contact_points.h"
#include "terrain_points.h"

#if defined(_WIN32)
#define EXPORT __declspec(dllexport)
#else
#define EXPORT __attribute__((visibility("default")))
#endif

/* a shape as tests give it */
typedef struct {
    int kind;
    double numbers[MOST_SHAPE_NUMBERS];
    const Hull *hull;
    const Terrain *terrain;
} GivenShape;

/* Find the contact points of pair k of n, `times` times from the same hint; the last hint stays. poses1, poses2 [n]; hints [n][N_HINT];
   turning [3] */
EXPORT void find_many(int n, const GivenShape *shapes1, const Placement *poses1, const GivenShape *shapes2, const Placement *poses2,
                      double reach, double *hints, const double *turning, int times, ContactPoints *found) {
    for (int k = 0; k < n; k++) {
        double *hint = hints + N_HINT * k, before[N_HINT];
        ConvexShape shape1 = convex_shape((ShapeKind)shapes1[k].kind, shapes1[k].numbers, shapes1[k].hull);
        ConvexShape shape2 = convex_shape((ShapeKind)shapes2[k].kind, shapes2[k].numbers, shapes2[k].hull);
        for (int i = 0; i < N_HINT; i++)
            before[i] = hint[i];
        for (int time = 0; time < times; time++) {
            for (int i = 0; i < N_HINT; i++)
                hint[i] = before[i];
            const Terrain *terrain = shapes1[k].terrain ? shapes1[k].terrain : shapes2[k].terrain;
            if (terrain)
                find_points_on_terrain(terrain, &shape1, &poses1[k], &shape2, &poses2[k], reach, hint, turning, &found[k]);
            else
                find_contact_points(&shape1, &poses1[k], &shape2, &poses2[k], reach, hint, turning, &found[k]);
        }
    }
}
