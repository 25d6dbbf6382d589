#include "api.h"

#include "elementary.h"
#include "kernel_functions.h"
#include "terrain_points.h"

#include <stddef.h>
#include <string.h>

KernelFunction *mobod_kernel_function(const char *name) {
    const KernelName *found = kernel_of_name(name);
    return found ? found->function : NULL;
}

const char *mobod_fault_of_program(const Program *program) { return fault_of_program(program); }

Kernel mobod_program_kernel(const Program *program) { return (Kernel){run_program, program}; }

const Method *mobod_method(int integrator) { return method_of((Integrator)integrator); }

int mobod_call_kernels(const Sweep *sweep, const Kernel *kernels, double *w, double *dw, double *scratch) {
    Call call = {.w = w, .dw = dw, .scratch = scratch};
    return call_kernels(sweep, kernels, &call, dw ? dw : w);
}

int mobod_realize(const Realization *realization, double *w, double *scratch) {
    for (int i = 0; i < realization->n_calls; i++)
        mobod_call_kernels(realization->calls[i].sweep, realization->calls[i].kernels, w, NULL, scratch);
    for (int i = 0; i < realization->n_ranges; i++) {
        const double *numbers = w + realization->ranges[2 * i];
        for (int k = 0; k < realization->ranges[2 * i + 1]; k++)
            if (!isfinite(numbers[k]))
                return i;
    }
    return realization->n_ranges;
}

int mobod_sample(int n_calls, const KernelCalls *calls, double *w, double *scratch, int n_rows, int time_at, const double *times, int y_at,
                 int n_y, const double *ys, int n_out, const int *out_at, double *out) {
    int result = 0;
    for (int row = 0; row < n_rows && !result; row++, ys += n_y, out += n_out) {
        w[time_at] = times[row];
        memcpy(w + y_at, ys, (size_t)n_y * sizeof(double));
        for (int i = 0; i < n_calls && !result; i++)
            result = mobod_call_kernels(calls[i].sweep, calls[i].kernels, w, NULL, scratch);
        for (int i = 0; i < n_out; i++)
            out[i] = w[out_at[i]];
    }
    return result;
}

int mobod_are_shapes_near(int kind1, const double *numbers1, const Hull *hull1, const double *pose1, int kind2, const double *numbers2,
                          const Hull *hull2, const double *pose2, const Terrain *terrain, double within) {
    const ConvexShape one = convex_shape((ShapeKind)kind1, numbers1, hull1), other = convex_shape((ShapeKind)kind2, numbers2, hull2);
    double hint[N_HINT] = {0}, turning[3] = {0};
    Placement X1, X2;
    ContactPoints found = {.n = 0};
    memcpy(X1.R, pose1, sizeof X1.R);
    memcpy(X1.p, pose1 + 9, sizeof X1.p);
    memcpy(X2.R, pose2, sizeof X2.R);
    memcpy(X2.p, pose2 + 9, sizeof X2.p);
    return find_points_of_shapes(terrain, &one, &X1, &other, &X2, within, hint, turning, &found) > 0;
}

uint64_t mobod_hash_of_bytes(const char *bytes, size_t size) { return hash_of_bytes(bytes, size); }

void mobod_note_change_by_host(HandlerCall *call, int stage) { note_change_by_host(call, stage); }

int mobod_project_for_host(HandlerCall *call) { return (int)project_for_host(call); }

int mobod_apply_impulse_for_host(HandlerCall *call, int constraint, const double *restitution) {
    return (int)apply_impulse_for_host(call, constraint, restitution);
}

size_t mobod_factor_reals(int m, int n) { return factor_reals(m, n); }

double mobod_rank_tolerance(int m) { return rank_tolerance(m); }

double mobod_rank_tolerance_at_distance(int m, double distance) { return rank_tolerance_at_distance(m, distance); }

double mobod_distance_of_errors(int m, int n, const double *A, const double *errors) { return distance_of_errors(m, n, A, errors); }

int mobod_factor_rows(Factors *factors, int m, int n, const double *A, double tolerance) {
    return factor_rows(factors, m, n, A, tolerance);
}

int mobod_factor_semidefinite(Factors *factors, int m, const double *A, double tolerance) {
    return factor_semidefinite(factors, m, A, tolerance);
}

int mobod_solve_rows(Factors *factors, const double *b, double *x) { return solve_rows(factors, b, x); }

int mobod_solve_semidefinite(Factors *factors, const double *b, double *x) { return solve_semidefinite(factors, b, x); }

size_t mobod_complementarity_reals(int n, int m) { return complementarity_reals(n, m); }

size_t mobod_complementarity_integers(int n, int m) { return complementarity_integers(n, m); }

int mobod_solve_complementarity(Complementarity *problem, int n, int m, int n_equations, const double *B, const double *a,
                                const double *size, const double *lower, const double *upper, int least_squares) {
    return solve_complementarity(problem, n, m, n_equations, B, a, size, lower, upper, least_squares);
}

double mobod_largest_certified_residual(void) { return largest_certified_residual(); }

size_t mobod_friction_program_reals(int n, int m, int n_contacts) { return friction_program_reals(n, m, n_contacts); }

size_t mobod_friction_program_integers(int n, int m, int n_contacts) { return friction_program_integers(n, m, n_contacts); }

int mobod_solve_friction_program(FrictionProgram *program, int n, int m, int n_equations, int n_boxes, const double *B, const double *a,
                                 const double *size, const double *lower, const double *upper, const double *mu, const int *is_moment,
                                 const double *start, const double *compliance, const double *slip) {
    return solve_friction_program(program, n, m, n_equations, n_boxes, B, a, size, lower, upper, mu, is_moment, start, compliance, slip);
}

double mobod_friction_residual(FrictionProgram *program, int n, int m, int n_equations, int n_boxes, const double *B, const double *a,
                               const double *size, const double *lower, const double *upper, const double *mu, const int *is_moment,
                               const double *compliance, const double *slip, const double *z) {
    return friction_residual(program, n, m, n_equations, n_boxes, B, a, size, lower, upper, mu, is_moment, compliance, slip, z);
}

size_t mobod_quadratic_program_reals(int n, int m) { return quadratic_program_reals(n, m); }

size_t mobod_quadratic_program_integers(int n, int m) { return quadratic_program_integers(n, m); }

int mobod_solve_quadratic_program(QuadraticProgram *program, int n, int m, int n_equations, const double *M, const double *u_star,
                                  const double *J, const double *b, const double *lower, const double *upper, int least_squares,
                                  double *u) {
    return solve_quadratic_program(program, n, m, n_equations, M, u_star, J, b, lower, upper, least_squares, u);
}
