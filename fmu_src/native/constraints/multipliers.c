#include "multipliers.h"

#include "carried_rows.h"
#include "consistency.h"
#include "elementary.h"
#include "row_factors.h"

#include <string.h>

/* Take the active rows of a part and factor A of these. Returns their number, -1 if A is not finite. */
static int factor_active(const RowTable *table, const RowPart *part, const double *w, RowWorkspace *work, WholeSystem whole) {
    const int n = take_active(table, part, w, work);
    return n == 0 || factor_active_rows(table, part, w, work, n, whole) == FACTORED ? n : -1;
}

/* set result[multipliers] of the n active rows to the solution for work->b; returns 0 if a number is not finite */
static int set_multipliers(const RowTable *table, RowWorkspace *work, int n, double *result) {
    if (solve_active_rows(work, n, work->b, work->b) != FACTORED)
        return 0;
    place_multipliers(work, n, work->b, result + table->multipliers);
    return 1;
}

/* the multipliers have no solution */
static void fail(const RowTable *table, double *multipliers) {
    for (int i = 0; i < table->n_rows; i++)
        multipliers[i] = NAN;
}

/* solve for the multipliers of a part; returns 0 if there is no solution */
static int solve_part(const RowTable *table, const RowPart *part, double *w, RowWorkspace *work, WholeSystem whole) {
    const int n = factor_active(table, part, w, work, whole);
    if (n < 0)
        return 0;
    find_right_sides(table, part, w, work->D_eps, work->b);
    if (n > 0)
        subtract_carried(table, part, w, work);
    int is_solved = n == 0 || set_multipliers(table, work, n, w);
    is_solved = is_solved && add_carried(table, part, w, work, n);
    return is_solved && (n == 0 || work->factors.rank == n || !find_contradictions(table, part, w, work, n, whole));
}

void solve_multipliers(const RowTable *table, double *w) {
    RowWorkspace work = row_workspace(table, w);
    int is_solved = 1;
    memset(work.misses, 0, (size_t)table->n_rows * sizeof(double));
    memset(w + table->multipliers, 0, (size_t)table->n_rows * sizeof(double));
    begin_carried(&work);
    if (!has_equations(table, w)) {
        set_carried(table, table->n_carried, table->carried, w);
        apply_multipliers(table, w);
        return;
    }
    const WholeSystem whole = whole_system(table, w, &work);
    multiply_all_by_D_inverse(table, w, w + table->eps, work.D_eps);
    for (int i = 0; i < table->n_parts; i++)
        is_solved = solve_part(table, table->parts + i, w, &work, whole) && is_solved;
    if (!is_solved)
        fail(table, w + table->multipliers);
    apply_multipliers(table, w);
}

/* the acceleration of an error without constraint forces; row [nu] is a workspace */
static double right_side(const RowTable *table, const RowBlock *block, int number, const double *w, double *row) {
    const RowPath *path = path_of(table, block, w);
    multiply_by_D_inverse(table, path, w, w + table->E + (block->first + number) * table->nu, row);
    return dot_along(path, row, w + table->eps) + w[block->bias + number];
}

/* left [n] = right sides - A x of the active rows, for x [n]; `product` is a workspace */
static void find_residuals(const RowTable *table, const RowPart *part, const double *w, RowWorkspace *work, const double *x,
                           double *product, double *left) {
    multiply_by_A(table, part, w, w + table->A, work, x, product);
    for (int i = 0; i < part->n_blocks; i++) {
        const RowBlock *block = table->blocks + part->blocks[i];
        for (int row = 0; w[block->enabled] != 0 && row < block->n; row++) {
            const int place = work->place[block->first + row];
            left[place] = right_side(table, block, row, w, work->row) - product[place];
        }
    }
    subtract_effects_of_carried(table, part, w, work, left);
}

static void read_multipliers(const RowTable *table, const double *w, const RowWorkspace *work, int n, double *x) {
    for (int i = 0; i < n; i++)
        x[i] = w[table->multipliers + work->active[i]];
}

/* the scale of a row: 1 / its size */
static double scale_of(const RowWorkspace *work, int i) { return work->is_sparse ? work->sparse.scale[i] : work->factors.scale[i]; }

/* the diagonal entry of the active rows of a part in A, or in its changes */
static void read_diagonal(const RowTable *table, const RowPart *part, const double *w, const double *products, const RowWorkspace *work,
                          double *diagonal) {
    for (int i = 0; i < part->n_blocks; i++) {
        const RowBlock *block = table->blocks + part->blocks[i];
        const Overlap own = overlap_of(table, block, block->n_before);
        for (int row = 0; w[block->enabled] != 0 && row < block->n; row++)
            diagonal[work->place[block->first + row]] = products[own.at + row * (own.down + own.across)];
    }
}

/* Add to work->b the contribution of rows that contradict each other. Their residual is minimal relative to their sizes W^1/2, so that
 * W^-1 residual causes no motion. Both the residual and the sizes change. Returns 0 if a number is not finite. */
static int add_changes_of_residuals(const RowTable *table, const RowPart *part, const double *w, const double *dw, RowWorkspace *work,
                                    int n) {
    double *product = work->spare, *change = product + table->n_rows, *left = work->errors, *growth = work->growth, *own = work->product;
    read_multipliers(table, w, work, n, product);
    find_residuals(table, part, w, work, product, change, left);
    read_diagonal(table, part, w, w + table->A, work, own);
    read_diagonal(table, part, w, dw + table->A, work, growth);
    for (int i = 0; i < n; i++) {
        double inverse_W = scale_of(work, i) * scale_of(work, i);
        product[i] = inverse_W * left[i];
        /* 0: a row that counts as zero */
        growth[i] = own[i] * inverse_W > 0.5 ? -0.5 * growth[i] / own[i] : 0;
    }

    /* dA product + A (growth product) */
    multiply_by_A(table, part, w, dw + table->A, work, product, change);
    for (int i = 0; i < n; i++)
        product[i] *= growth[i];
    multiply_by_A(table, part, w, w + table->A, work, product, own);
    for (int i = 0; i < n; i++)
        change[i] += own[i];
    int is_solved = solve_active_rows(work, n, change, change) == FACTORED;
    for (int i = 0; i < n; i++)
        work->b[i] += growth[i] * left[i] + change[i] / (scale_of(work, i) * scale_of(work, i));
    return is_solved;
}

/* The same as set_multipliers for dependent rows: the part of the change that A does not determine follows from the least norm of the
 * multipliers. */
static int set_dependent_changes(const RowTable *table, const RowPart *part, const double *w, double *dw, RowWorkspace *work, int n) {
    int is_solved = add_changes_of_residuals(table, part, w, dw, work, n);
    double *undetermined = work->spare, *determined = undetermined + table->n_rows;

    /* dA mu, with multipliers = A mu */
    read_multipliers(table, w, work, n, determined);
    is_solved = is_solved && solve_active_rows(work, n, determined, determined) == FACTORED;
    multiply_by_A(table, part, w, dw + table->A, work, determined, undetermined);
    multiply_by_A(table, part, w, w + table->A, work, undetermined, determined);
    is_solved = is_solved && solve_active_rows(work, n, determined, determined) == FACTORED;
    is_solved = is_solved && solve_active_rows(work, n, work->b, work->b) == FACTORED;
    for (int i = 0; i < n && is_solved; i++)
        dw[table->multipliers + work->active[i]] = work->b[i] + undetermined[i] - determined[i];
    return is_solved;
}

/* the changes of the right sides of the active rows of a part, less dA multipliers: A d(multipliers) = d(right side) - dA multipliers */
static void find_changes_of_right_sides(const RowTable *table, const RowPart *part, const double *w, const double *dw, RowWorkspace *work,
                                        int n) {
    read_multipliers(table, w, work, n, work->spare);
    multiply_by_A(table, part, w, dw + table->A, work, work->spare, work->product);
    for (int i = 0; i < part->n_blocks; i++) {
        const RowBlock *block = table->blocks + part->blocks[i];
        const RowPath *path = path_of(table, block, w);
        for (int row = 0; w[block->enabled] != 0 && row < block->n; row++) {
            const int r = block->first + row, place = work->place[r];
            const double *e = w + table->E + r * table->nu, *de = dw + table->E + r * table->nu;
            double sum = dw[block->bias + row];
            multiply_by_D_inverse(table, path, w, de, work->row);
            sum += dot_along(path, work->row, w + table->eps);
            multiply_by_D_inverse(table, path, dw, e, work->row);
            sum += dot_along(path, work->row, w + table->eps);
            multiply_by_D_inverse(table, path, w, e, work->row);
            sum += dot_along(path, work->row, dw + table->eps);
            work->b[place] = sum - work->product[place];
        }
    }
}

/* solve for the changes of the multipliers of a part; returns 0 if there is no solution */
static int solve_changes_of_part(const RowTable *table, const RowPart *part, const double *w, double *dw, RowWorkspace *work,
                                 WholeSystem whole) {
    const int n = factor_active(table, part, w, work, whole);
    if (n < 0)
        return 0;
    int is_solved = 1;
    if (n > 0) {
        find_changes_of_right_sides(table, part, w, dw, work, n);
        subtract_changes_of_carried(table, part, w, dw, work);
        is_solved = work->factors.rank < n ? set_dependent_changes(table, part, w, dw, work, n) : set_multipliers(table, work, n, dw);
    }
    return add_changes_of_carried(table, part, w, dw, work, n) && is_solved;
}

void solve_multipliers_tangent(const RowTable *table, const double *w, double *dw) {
    RowWorkspace work = row_workspace(table, dw);
    const double *multipliers = w + table->multipliers;
    const WholeSystem whole = whole_system(table, w, &work);
    int nu = table->nu, is_solved = 1;
    memset(dw + table->multipliers, 0, (size_t)table->n_rows * sizeof(double));
    begin_carried(&work);
    for (int i = 0; i < table->n_parts; i++)
        is_solved = solve_changes_of_part(table, table->parts + i, w, dw, &work, whole) && is_solved;
    if (!is_solved)
        fail(table, dw + table->multipliers);

    memcpy(dw + table->constrained_eps, dw + table->eps, (size_t)nu * sizeof(double));
    clear_forces(table, dw);
    for (int i = 0; i < table->n_blocks; i++) {
        const RowBlock *block = table->blocks + i;
        if (!is_acting(block, w))
            continue;
        for (int row = 0; row < block->n; row++) {
            int r = block->first + row;
            const RowPath *path = path_of(table, block, w);
            add_scaled(path, dw + table->constrained_eps, -dw[table->multipliers + r], w + table->E + r * nu);
            add_scaled(path, dw + table->constrained_eps, -multipliers[r], dw + table->E + r * nu);
            add_forces(table, block, path, row, dw[table->multipliers + r], w, dw);
            add_forces(table, block, path, row, multipliers[r], dw, dw);
        }
    }
}

/* Add left right^T to the adjoints of A, of the active rows of a part. */
static void add_adjoints_of_A(const RowTable *table, const RowPart *part, const double *w, double *dw, const RowWorkspace *work,
                              const double *left, const double *right) {
    for (int i = 0; i < part->n_blocks; i++) {
        const RowBlock *block = table->blocks + part->blocks[i];
        for (int o = 0; w[block->enabled] != 0 && o < block->n_overlaps; o++) {
            const Overlap overlap = overlap_of(table, block, o);
            const RowBlock *other = table->blocks + overlap.block;
            for (int r = 0; w[other->enabled] != 0 && r < block->n; r++)
                for (int s = 0; s < other->n; s++)
                    dw[table->A + overlap.at + r * overlap.down + s * overlap.across] +=
                        left[work->place[block->first + r]] * right[work->place[other->first + s]];
        }
    }
}

static int solve_transposed(RowWorkspace *work, int n, const double *b, double *x) {
    return work->is_sparse ? solve_active_rows(work, n, b, x) : solve_semidefinite_transposed(&work->factors, b, x);
}

/* The adjoint of set_dependent_changes: from x [n], the adjoints of the multipliers, set work->b to those of the right side, and add to
 * those of A. */
static int add_adjoints_of_dependent(const RowTable *table, const RowPart *part, const double *w, double *dw, RowWorkspace *work, int n,
                                     double *x) {
    double *determined = work->spare, *left = work->errors, *product = work->spare + table->n_rows, *change = work->product, *of_change = x;
    const double *A = w + table->A;
    int is_solved = solve_transposed(work, n, x, work->b) == FACTORED;

    /* the part of the change that A does not determine */
    read_multipliers(table, w, work, n, product);
    find_residuals(table, part, w, work, product, determined, left);
    is_solved = is_solved && solve_active_rows(work, n, product, product) == FACTORED;
    is_solved = is_solved && solve_transposed(work, n, x, determined) == FACTORED;
    multiply_by_A(table, part, w, A, work, determined, change);
    for (int i = 0; i < n; i++)
        change[i] = x[i] - change[i];
    add_adjoints_of_A(table, part, w, dw, work, change, product);

    /* rows that contradict each other; x is overwritten */
    for (int i = 0; i < n; i++) {
        double W = scale_of(work, i) * scale_of(work, i);
        product[i] = W * left[i];
        of_change[i] = work->b[i] / W;
    }
    is_solved = is_solved && solve_transposed(work, n, of_change, of_change) == FACTORED;
    multiply_by_A(table, part, w, A, work, of_change, determined);
    add_adjoints_of_A(table, part, w, dw, work, of_change, product);
    read_diagonal(table, part, w, A, work, change);
    for (int i = 0; i < part->n_blocks; i++) {
        const RowBlock *block = table->blocks + part->blocks[i];
        const Overlap own = overlap_of(table, block, block->n_before);
        for (int row = 0; w[block->enabled] != 0 && row < block->n; row++) {
            const int k = work->place[block->first + row];
            if (change[k] * scale_of(work, k) * scale_of(work, k) > 0.5)
                dw[table->A + own.at + row * (own.down + own.across)] -=
                    0.5 * (work->b[k] * left[k] + determined[k] * product[k]) / change[k];
        }
    }
    return is_solved;
}

/* the adjoint of add_forces: adds to those of the row, and returns that of the factor */
static double add_adjoints_of_forces(const RowTable *table, const RowBlock *block, int row, double factor, const double *w, double *dw) {
    const RowPath *path = path_of(table, block, w);
    double of_factor = 0;
    for (int i = 0; i < path->n_bodies; i++) {
        const int *on = path->on_bodies + 3 * i;
        for (int k = 0; k < 6; k++) {
            double of_force = dw[table->body_forces + 6 * on[1] + k];
            of_factor -= of_force * w[block->K + on[2] + 6 * row + k];
            dw[block->K + on[2] + 6 * row + k] -= factor * of_force;
        }
    }
    for (int i = 0; i < block->n_mobilities; i++) {
        const int *on = block->on_mobilities + 2 * i;
        const RowJoint *joint = table->joints + on[0];
        for (int k = 0; k < joint->nu; k++) {
            double of_force = dw[table->mobility_forces + joint->first + k];
            of_factor -= of_force * w[on[1] + joint->nu * row + k];
            dw[on[1] + joint->nu * row + k] -= factor * of_force;
        }
    }
    return of_factor;
}

/* Add to the adjoints of everything in the right side of one row, whose own adjoint is x. */
static void add_adjoints_of_right_side(const RowTable *table, const RowBlock *block, int row, double x, const double *w, double *dw) {
    const int nu = table->nu;
    const double *e = w + table->E + (block->first + row) * nu;
    const RowPath *path = path_of(table, block, w);
    dw[block->bias + row] += x;
    for (int j = 0; j < path->n_joints; j++) {
        const RowJoint *joint = table->joints + path->joints[j];
        const int first = joint->first, n = joint->nu;
        for (int i = 0; i < n; i++)
            for (int k = 0; k < n; k++) {
                double D = w[joint->D_inverse + i * n + k], eps = w[table->eps + first + i];
                dw[table->E + (block->first + row) * nu + first + k] += x * D * eps;
                dw[joint->D_inverse + i * n + k] += x * eps * e[first + k];
                dw[table->eps + first + i] += x * D * e[first + k];
            }
    }
}

/* The adjoints of the solution for the multipliers of a part, from those of its multipliers in dw. */
static int add_adjoints_of_part(const RowTable *table, const RowPart *part, const double *w, double *dw, RowWorkspace *work,
                                WholeSystem whole) {
    double *x = work->growth;
    const int n = factor_active(table, part, w, work, whole);
    if (n < 0)
        return 0;
    read_multipliers(table, dw, work, n, x);
    if (!add_adjoints_of_carried(table, part, w, dw, work, n, x))
        return 0;
    int is_solved = n == 0 || (work->factors.rank < n ? add_adjoints_of_dependent(table, part, w, dw, work, n, x)
                                                      : solve_transposed(work, n, x, work->b) == FACTORED);
    if (!is_solved)
        return 0;
    for (int i = 0; i < part->n_blocks; i++) {
        const RowBlock *block = table->blocks + part->blocks[i];
        for (int row = 0; w[block->enabled] != 0 && row < block->n; row++)
            add_adjoints_of_right_side(table, block, row, work->b[work->place[block->first + row]], w, dw);
    }
    for (int i = 0; i < n; i++)
        work->product[i] = -w[table->multipliers + work->active[i]];
    add_adjoints_of_A(table, part, w, dw, work, work->b, work->product);
    finish_adjoints_of_carried(table, part, w, dw, work);
    return 1;
}

int solve_multipliers_adjoint(const RowTable *table, const double *w, double *dw) {
    RowWorkspace work = row_workspace(table, dw);
    double *of_eps = dw + table->constrained_eps;
    const double *multipliers = w + table->multipliers;
    const WholeSystem whole = whole_system(table, w, &work);
    const int nu = table->nu;
    for (int i = 0; i < table->n_blocks; i++) {
        const RowBlock *block = table->blocks + i;
        for (int row = 0; is_acting(block, w) && row < block->n; row++) {
            int r = block->first + row;
            double of_forces = add_adjoints_of_forces(table, block, row, multipliers[r], w, dw);
            dw[table->multipliers + r] += of_forces - dot_along(path_of(table, block, w), of_eps, w + table->E + r * nu);
            add_scaled(path_of(table, block, w), dw + table->E + r * nu, -multipliers[r], of_eps);
        }
    }
    for (int i = 0; i < nu; i++)
        dw[table->eps + i] += of_eps[i];
    for (int i = 0; i < table->n_parts; i++)
        if (!add_adjoints_of_part(table, table->parts + i, w, dw, &work, whole))
            return 0;
    memset(dw + table->multipliers, 0, (size_t)table->n_rows * sizeof(double));
    memset(of_eps, 0, (size_t)nu * sizeof(double));
    clear_forces(table, dw);
    return 1;
}

int run_multipliers(const void *context, Call *call, const int *at) {
    (void)at;
    solve_multipliers(context, call->w);
    return 0;
}

int run_multipliers_tangent(const void *context, Call *call, const int *at) {
    (void)at;
    solve_multipliers_tangent(context, call->w, call->dw);
    return 0;
}

int run_multipliers_adjoint(const void *context, Call *call, const int *at) {
    (void)at;
    return solve_multipliers_adjoint(context, call->w, call->dw) ? 0 : NO_VALUE;
}
