/* The functions of the runtime that Python calls. engine/mobod/runtime/library.py reads the declarations from here and from the headers
 * included. */
#ifndef MOBOD_API_H
#define MOBOD_API_H

#include "auto_updates.h"
#include "bounded_steps.h"
#include "calls_in_order.h"
#include "change_of_procedure.h"
#include "communication_step.h"
#include "contact_pool.h"
#include "contact_slots.h"
#include "contact_table.h"
#include "delays.h"
#include "directional.h"
#include "ensemble.h"
#include "exchange.h"
#include "exported.h"
#include "failure_causes.h"
#include "fmi2_calls.h"
#include "friction_program.h"
#include "friction_table.h"
#include "gathered_bodies.h"
#include "input_ramps.h"
#include "instance.h"
#include "interpreter.h"
#include "isolated.h"
#include "lanes.h"
#include "logging.h"
#include "matrix_steps.h"
#include "method.h"
#include "own_errors.h"
#include "pressed_pair.h"
#include "quadratic_program.h"
#include "rows.h"
#include "saved_states.h"
#include "scales.h"
#include "seen_terrain.h"
#include "sensitivity.h"
#include "shape_gap.h"
#include "shown_start.h"
#include "simulation.h"
#include "start_changes.h"
#include "stepwise.h"
#include "sweep.h"
#include "undo.h"
#include "values.h"

/* NULL if the program is valid, else a description of its fault; see fault_of_program */
MOBOD_API const char *mobod_fault_of_program(const Program *program);

/* the kernel of a valid program, which must outlive the kernel */
MOBOD_API Kernel mobod_program_kernel(const Program *program);

/* the kernel function with this name, for procedures and their tables; NULL: there is none */
MOBOD_API KernelFunction *mobod_kernel_function(const char *name);

/* Do a sweep on w, or, if dw is given, its tangents on w and dw. scratch: as many numbers as the largest program has registers. */
MOBOD_API int mobod_call_kernels(const Sweep *sweep, const Kernel *kernels, double *w, double *dw, double *scratch);

/* see method.h; not for INTEGRATOR_AUTO, which is not a single method */
MOBOD_API const Method *mobod_method(int integrator);

/* The sweeps that take a State from one stage to a later one, and the ranges that must be finite after them. */
typedef struct {
    int n_calls;
    const KernelCalls *calls; /* [n_calls] in order */
    int n_ranges;
    const int *ranges; /* [n_ranges][2]  offset, count */
} Realization;

/* Do the sweeps on w. Returns the number of the first range in which a number is not finite, or n_ranges. */
MOBOD_API int mobod_realize(const Realization *realization, double *w, double *scratch);

/* Do sweeps for each of n_rows points in time: write the time and y to w, do the sweeps, and copy the numbers at out_at [n_out] to a row of
 * out [n_rows][n_out]. Returns 0, or the result of a kernel that stopped it. */
MOBOD_API int mobod_sample(int n_calls, const KernelCalls *calls, double *w, double *scratch, int n_rows, int time_at, const double *times,
                           int y_at, int n_y, const double *ys, int n_out, const int *out_at, double *out);

/* of terrain_points.h: whether the distance of two shapes (ShapeKind, its numbers, its table) is at most `within`, m; terrain: the
 * triangles of the one that has some, or NULL */
MOBOD_API int mobod_are_shapes_near(int kind1, const double *numbers1, const Hull *hull1, const double *pose1, int kind2,
                                    const double *numbers2, const Hull *hull2, const double *pose2, const Terrain *terrain, double within);

/* of state.h */
MOBOD_API uint64_t mobod_hash_of_bytes(const char *bytes, size_t size);

/* of handler_actions.h */
MOBOD_API void mobod_note_change_by_host(HandlerCall *call, int stage);
MOBOD_API int mobod_project_for_host(HandlerCall *call);
MOBOD_API int mobod_apply_impulse_for_host(HandlerCall *call, int constraint, const double *restitution);

/* of factor.h */
MOBOD_API size_t mobod_factor_reals(int m, int n);
MOBOD_API double mobod_rank_tolerance(int m);
MOBOD_API double mobod_rank_tolerance_at_distance(int m, double distance);
MOBOD_API double mobod_distance_of_errors(int m, int n, const double *A, const double *errors);
MOBOD_API int mobod_factor_rows(Factors *factors, int m, int n, const double *A, double tolerance);
MOBOD_API int mobod_factor_semidefinite(Factors *factors, int m, const double *A, double tolerance);
MOBOD_API int mobod_solve_rows(Factors *factors, const double *b, double *x);
MOBOD_API int mobod_solve_semidefinite(Factors *factors, const double *b, double *x);

/* of complementarity.h */
MOBOD_API size_t mobod_complementarity_reals(int n, int m);
MOBOD_API size_t mobod_complementarity_integers(int n, int m);
MOBOD_API int mobod_solve_complementarity(Complementarity *problem, int n, int m, int n_equations, const double *B, const double *a,
                                          const double *size, const double *lower, const double *upper, int least_squares);
MOBOD_API double mobod_largest_certified_residual(void);

/* of friction_program.h */
MOBOD_API size_t mobod_friction_program_reals(int n, int m, int n_contacts);
MOBOD_API size_t mobod_friction_program_integers(int n, int m, int n_contacts);
MOBOD_API int mobod_solve_friction_program(FrictionProgram *program, int n, int m, int n_equations, int n_boxes, const double *B,
                                           const double *a, const double *size, const double *lower, const double *upper, const double *mu,
                                           const int *is_moment, const double *start, const double *compliance, const double *slip);
MOBOD_API double mobod_friction_residual(FrictionProgram *program, int n, int m, int n_equations, int n_boxes, const double *B,
                                         const double *a, const double *size, const double *lower, const double *upper, const double *mu,
                                         const int *is_moment, const double *compliance, const double *slip, const double *z);

/* of quadratic_program.h */
MOBOD_API size_t mobod_quadratic_program_reals(int n, int m);
MOBOD_API size_t mobod_quadratic_program_integers(int n, int m);
MOBOD_API int mobod_solve_quadratic_program(QuadraticProgram *program, int n, int m, int n_equations, const double *M, const double *u_star,
                                            const double *J, const double *b, const double *lower, const double *upper, int least_squares,
                                            double *u);

#endif
