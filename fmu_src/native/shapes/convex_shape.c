#include "convex_shape.h"

#include "space_vectors.h"

#include <stddef.h>

static const struct {
    CoreKind core;
    int n;
} kinds[N_SHAPE_KINDS] = {
    [SHAPE_BALL] = {CORE_POINT, 1},          [SHAPE_CAPSULE] = {CORE_SEGMENT, 2},   [SHAPE_BOX] = {CORE_BOX, 3},
    [SHAPE_ROUNDED_BOX] = {CORE_BOX, 4},     [SHAPE_CYLINDER] = {CORE_CYLINDER, 2}, [SHAPE_CONE] = {CORE_CONE, 2},
    [SHAPE_ELLIPSOID] = {CORE_ELLIPSOID, 3}, [SHAPE_HULL] = {CORE_HULL, 0},         [SHAPE_HALF_SPACE] = {CORE_HALF_SPACE, 0},
    [SHAPE_TERRAIN] = {CORE_TERRAIN, 0},
};

int shape_numbers(ShapeKind kind) { return kinds[kind].n; }

ConvexShape convex_shape(ShapeKind kind, const double *numbers, const Hull *hull) {
    ConvexShape shape = {.core = kinds[kind].core, .hull = hull};
    switch (kind) {
    case SHAPE_BALL:
        shape.rounding = numbers[0];
        shape.size = numbers[0];
        break;
    case SHAPE_CAPSULE:
        shape.rounding = numbers[0];
        shape.lengths[2] = numbers[1];
        shape.size = numbers[0] + numbers[1];
        break;
    case SHAPE_BOX:
    case SHAPE_ROUNDED_BOX:
        copy3(shape.lengths, numbers);
        shape.rounding = kind == SHAPE_ROUNDED_BOX ? numbers[3] : 0;
        shape.size = length3(numbers) + shape.rounding;
        break;
    case SHAPE_CYLINDER:
    case SHAPE_CONE:
        set3(shape.lengths, numbers[0], numbers[0], numbers[1]);
        shape.size = sqrt(numbers[0] * numbers[0] + numbers[1] * numbers[1]);
        break;
    case SHAPE_ELLIPSOID:
        copy3(shape.lengths, numbers);
        shape.size = fmax(numbers[0], fmax(numbers[1], numbers[2]));
        break;
    case SHAPE_HULL:
        shape.size = hull->size;
        break;
    case SHAPE_HALF_SPACE:
    case SHAPE_TERRAIN:
    case N_SHAPE_KINDS:
        shape.size = (double)INFINITY;
        break;
    }
    return shape;
}
