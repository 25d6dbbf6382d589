#include "shape_gap.h"

#include "space_vectors.h"

#include <string.h>

/* m, beyond which distances are not looked for */
static const double FARTHEST = 1e30;

/* what the distance depends on, of each shape: R_GB, p_GB */
enum { OF_R = 0, OF_P = 9, N_READ = 12 };
typedef double Gradient[2][N_READ];

static const GapShape *shape_of(const ShapeGap *gap, int side) { return side ? &gap->shape2 : &gap->shape1; }

/* a point x of the shape in the frame of its body */
static void to_body(const GapShape *shape, const double *x, double *at) {
    rotate3(at, shape->R_BS, x);
    add3(at, 1, shape->p_BS);
}

/* The pose of the shape with the axes of Ground. Origin: that of body 1, so that nothing is lost far from Ground's. */
static Placement placement_of(const GapShape *shape, const double *w, const double *origin) {
    Placement X;
    const double *A = w + shape->R_GB, *B = shape->R_BS;
    double from[3];
    for (int i = 0; i < 3; i++)
        for (int k = 0; k < 3; k++)
            X.R[3 * i + k] = A[3 * i] * B[k] + A[3 * i + 1] * B[3 + k] + A[3 * i + 2] * B[6 + k];
    subtract3(from, w + shape->p_GB, origin);
    rotate3(X.p, A, shape->p_BS);
    add3(X.p, 1, from);
    return X;
}

/* The distance; gradient: its derivatives, or NULL. d = n . (x2 - x1) of the nearest points: a change of n or of the points on their
 * surfaces changes d to second order alone. */
static double find(const ShapeGap *gap, const double *w, Gradient gradient) {
    static const double still[3] = {0, 0, 0};
    const double *origin = w + gap->shape1.p_GB;
    const ConvexShape one = convex_shape((ShapeKind)gap->shape1.kind, gap->shape1.numbers, gap->shape1.hull),
                      other = convex_shape((ShapeKind)gap->shape2.kind, gap->shape2.numbers, gap->shape2.hull);
    const Placement X1 = placement_of(&gap->shape1, w, origin), X2 = placement_of(&gap->shape2, w, origin);
    double hint[N_HINT] = {0}, at[3];
    ContactPoints found = {.with_shares = 1, .must_be_least = 1};
    find_contact_points(&one, &X1, &other, &X2, FARTHEST, hint, still, &found);
    if (!gradient)
        return found.d;
    for (int side = 0; side < 2; side++) {
        to_body(shape_of(gap, side), side ? found.nearest.b : found.nearest.a, at);
        for (int i = 0; i < 3; i++) {
            const double by = side ? found.normal[i] : -found.normal[i];
            gradient[side][OF_P + i] = by;
            for (int k = 0; k < 3; k++)
                gradient[side][OF_R + 3 * i + k] = by * at[k];
        }
    }
    return found.d;
}

int run_shape_gap(const void *context, Call *call, const int *unused) {
    const ShapeGap *gap = context;
    (void)unused;
    call->w[gap->distance] = find(gap, call->w, NULL);
    return 0;
}

int run_shape_gap_tangent(const void *context, Call *call, const int *unused) {
    const ShapeGap *gap = context;
    Gradient gradient;
    double change = 0;
    (void)unused;
    find(gap, call->w, gradient);
    for (int side = 0; side < 2; side++) {
        const double *dR = call->dw + shape_of(gap, side)->R_GB, *dp = call->dw + shape_of(gap, side)->p_GB;
        for (int k = 0; k < 9; k++)
            change += gradient[side][OF_R + k] * dR[k];
        change += dot3(gradient[side] + OF_P, dp);
    }
    call->dw[gap->distance] = change;
    return 0;
}

int run_shape_gap_adjoint(const void *context, Call *call, const int *unused) {
    const ShapeGap *gap = context;
    Gradient gradient;
    const double given = call->dw[gap->distance];
    (void)unused;
    find(gap, call->w, gradient);
    call->dw[gap->distance] = 0;
    for (int side = 0; side < 2; side++) {
        double *dR = call->dw + shape_of(gap, side)->R_GB, *dp = call->dw + shape_of(gap, side)->p_GB;
        for (int k = 0; k < 9; k++)
            dR[k] += given * gradient[side][OF_R + k];
        add3(dp, given, gradient[side] + OF_P);
    }
    return 0;
}
