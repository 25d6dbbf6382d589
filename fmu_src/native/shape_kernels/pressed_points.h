/* The points at which two shapes press, and their forces, relative to the stiffness: weight times depth, along the normal. */
#ifndef MOBOD_PRESSED_POINTS_H
#define MOBOD_PRESSED_POINTS_H

#include "contact_points.h"

/* what is written of a point: distance, normal, arms, weight */
enum { AT_DISTANCE, AT_NORMAL, AT_ARM_1 = 4, AT_ARM_2 = 7, AT_WEIGHT = 10, POINT_SIZE = 11 };
typedef struct {
    int n;
    int on[MOST_CONTACT_POINTS][2];
    double numbers[MOST_CONTACT_POINTS][POINT_SIZE];
    double depth, part; /* of two convex shapes, m, and relative to the size of the smaller one; 0: they do not overlap */
} Pressed;

/* Change the forces of points so that together they are the gradient of what is stored, W [6] (force, moment about the point `about`):
 * their directions by the rest of the force and of the moment about it, their places by the rest of the other moments. The sum of weight
 * times distance squared stays. Where one point presses nearly alone, it could not carry a moment about its force: two points take its
 * place.
 *
 * size  m, of the smaller shape */
void follow_gradient(const double *W, const double *about, double size, Pressed *pressed);

#endif
