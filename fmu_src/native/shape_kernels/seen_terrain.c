#include "seen_terrain.h"

#include "space_vectors.h"
#include "terrain_ray.h"

#include <string.h>

/* what the distance depends on: station, direction, R_GB, p_GB, R_GC, p_GC */
enum { OF_STATION, OF_DIRECTION = 3, OF_R_GB = 6, OF_P_GB = 15, OF_R_GC = 18, OF_P_GC = 27, N_READ = 30 };

static void places_read(const SeenTerrain *seen, int *at) {
    const int starts[] = {seen->station, seen->direction, seen->R_GB, seen->p_GB, seen->R_GC, seen->p_GC};
    static const int sizes[] = {3, 3, 9, 3, 9, 3};
    for (int part = 0, i = 0; part < 6; part++)
        for (int k = 0; k < sizes[part]; k++)
            at[i++] = starts[part] + k;
}

/* The distance; gradient [N_READ]: its derivatives, or NULL. */
static double find(const SeenTerrain *seen, const double *w, double *gradient) {
    double x[3], along[3], from_C[3], d_G[3], p_C[3], d_C[3], p[3], d[3], normal[3];
    const double *R_GB = w + seen->R_GB, *R_GC = w + seen->R_GC;
    rotate3(x, R_GB, w + seen->station);
    add3(x, 1, w + seen->p_GB);
    rotate3(along, R_GB, w + seen->direction);
    copy3(d_G, along);
    const double length = normalize3(d_G);
    subtract3(from_C, x, w + seen->p_GC);
    rotate_back3(p_C, R_GC, from_C);
    add3(p_C, -1, seen->p_CS);
    rotate_back3(p, seen->R_CS, p_C);
    rotate_back3(d_C, R_GC, d_G);
    rotate_back3(d, seen->R_CS, d_C);
    const double t = length > 0 ? ray_on_terrain(seen->terrain, p, d, w[seen->range], normal) : -1;
    if (!gradient)
        return t < 0 ? UNSEEN : t;
    memset(gradient, 0, N_READ * sizeof(double));
    if (t < 0)
        return UNSEEN;
    /* t = n . (v - p) / (n . d), of a corner v */
    double by_p_C[3], by_d_C[3], by_x[3], by_d[3], by_along[3], n_C[3];
    const double approach = dot3(normal, d);
    rotate3(n_C, seen->R_CS, normal);
    scale3(by_p_C, -1 / approach, n_C);
    scale3(by_d_C, -t / approach, n_C);
    rotate3(by_x, R_GC, by_p_C);
    rotate3(by_d, R_GC, by_d_C);
    copy3(by_along, by_d);
    add3(by_along, -dot3(by_d, d_G), d_G);
    scale3(by_along, 1 / length, by_along);
    rotate_back3(gradient + OF_STATION, R_GB, by_x);
    rotate_back3(gradient + OF_DIRECTION, R_GB, by_along);
    copy3(gradient + OF_P_GB, by_x);
    scale3(gradient + OF_P_GC, -1, by_x);
    for (int i = 0; i < 3; i++)
        for (int k = 0; k < 3; k++) {
            gradient[OF_R_GB + 3 * i + k] = by_x[i] * w[seen->station + k] + by_along[i] * w[seen->direction + k];
            gradient[OF_R_GC + 3 * i + k] = from_C[i] * by_p_C[k] + d_G[i] * by_d_C[k];
        }
    return t;
}

int run_seen_terrain(const void *context, Call *call, const int *unused) {
    const SeenTerrain *seen = context;
    (void)unused;
    call->w[seen->distance] = find(seen, call->w, NULL);
    return 0;
}

int run_seen_terrain_tangent(const void *context, Call *call, const int *unused) {
    const SeenTerrain *seen = context;
    double gradient[N_READ], change = 0;
    int at[N_READ];
    (void)unused;
    find(seen, call->w, gradient);
    places_read(seen, at);
    for (int i = 0; i < N_READ; i++)
        change += gradient[i] * call->dw[at[i]];
    call->dw[seen->distance] = change;
    return 0;
}

int run_seen_terrain_adjoint(const void *context, Call *call, const int *unused) {
    const SeenTerrain *seen = context;
    double gradient[N_READ];
    int at[N_READ];
    const double given = call->dw[seen->distance];
    (void)unused;
    find(seen, call->w, gradient);
    places_read(seen, at);
    call->dw[seen->distance] = 0;
    for (int i = 0; i < N_READ; i++)
        call->dw[at[i]] += given * gradient[i];
    return 0;
}
