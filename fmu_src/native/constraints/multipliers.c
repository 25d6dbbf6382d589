#include "multipliers.h"

#include "carried_rows.h"
#include "consistency.h"
#include "elementary.h"
#include "multiplier_arithmetic.h"

#include <string.h>

/* Take the active rows and factor A of these. Returns their number, -1 if A is not finite. */
static int factor_active(const RowTable *table, const double *w, RowWorkspace *work, double *tolerance) {
    const int n = take_active(table, w, work);
    return factor_A(table, w, work, n, tolerance) == FACTORED ? n : -1;
}

/* set result[multipliers] from the solution for work->b; 0 for rows that are not active */
static void set_multipliers(const RowTable *table, RowWorkspace *work, int n, double *result) {
    double *multipliers = result + table->multipliers;
    if (n >= 0 && solve_semidefinite(&work->factors, work->b, work->b) == FACTORED)
        place_multipliers(table, work, n, work->b, multipliers);
    else
        for (int i = 0; i < table->n_rows; i++)
            multipliers[i] = NAN;
}

void solve_multipliers(const RowTable *table, double *w) {
    RowWorkspace work = row_workspace(table, w);
    double tolerance;
    int n = factor_active(table, w, &work, &tolerance);
    find_right_sides(table, w, work.D_E, work.b);
    if (table->n_carried && n >= 0)
        subtract_carried(table, w, &work, n);
    set_multipliers(table, &work, n, w);
    if (table->n_carried && n >= 0)
        add_carried(table, w, &work, n);
    memset(work.misses, 0, (size_t)table->n_rows * sizeof(double));
    if (n >= 0 && work.factors.rank < n && find_contradictions(table, w, &work, n, tolerance))
        for (int i = 0; i < table->n_rows; i++)
            w[table->multipliers + i] = NAN;

    apply_multipliers(table, w);
}

/* the acceleration of an error without constraint forces; row [nu] is a workspace */
static double right_side(const RowTable *table, const RowBlock *block, int number, const double *w, double *row) {
    multiply_by_D_inverse(table, block, w, w + table->E + (block->first + number) * table->nu, row);
    return dot_along(block, row, w + table->eps) + w[block->bias + number];
}

static double change_of_A(const RowTable *table, const double *dw, const RowWorkspace *work, int i, int k) {
    return dw[table->A + work->active[i] * table->n_rows + work->active[k]];
}

/* product [n] = A v, of active rows */
static void multiply_by_A(const RowWorkspace *work, int n, const double *v, double *product) {
    for (int i = 0; i < n; i++) {
        product[i] = 0;
        for (int k = 0; k < n; k++)
            product[i] += work->A[i * n + k] * v[k];
    }
}

/* Add to work->b the contribution of rows that contradict each other. Their residual is minimal relative to their sizes W^1/2, so that
 * W^-1 residual causes no motion. Both the residual and the sizes change. Returns 0 if a number is not finite. */
static int add_changes_of_residuals(const RowTable *table, const double *w, const double *dw, RowWorkspace *work, int n) {
    double *product = work->spare, *change = product + table->n_rows, *left = work->errors, *growth = work->growth;
    for (int i = 0; i < n; i++)
        product[i] = w[table->multipliers + work->active[i]];
    multiply_by_A(work, n, product, change);
    int i_active = 0;
    for (int i = 0; i < table->n_blocks; i++) {
        const RowBlock *block = table->blocks + i;
        for (int row = 0; w[block->enabled] != 0 && row < block->n; row++, i_active++)
            left[i_active] = right_side(table, block, row, w, work->row) - change[i_active];
    }
    subtract_effects_of_carried(table, w, work, n, left);
    for (int i = 0; i < n; i++) {
        double inverse_W = work->factors.scale[i] * work->factors.scale[i];
        product[i] = inverse_W * left[i];
        /* 0: a row that counts as zero */
        double own = work->A[i * n + i];
        growth[i] = own * inverse_W > 0.5 ? -0.5 * change_of_A(table, dw, work, i, i) / own : 0;
    }
    for (int i = 0; i < n; i++) {
        change[i] = 0;
        for (int k = 0; k < n; k++)
            change[i] += (change_of_A(table, dw, work, i, k) + work->A[i * n + k] * growth[k]) * product[k];
    }
    int is_solved = solve_semidefinite(&work->factors, change, change) == FACTORED;
    for (int i = 0; i < n; i++)
        work->b[i] += growth[i] * left[i] + change[i] / (work->factors.scale[i] * work->factors.scale[i]);
    return is_solved;
}

/* the same for dependent rows: the part of the change that A does not determine follows from the least norm of the multipliers */
static void set_dependent_changes(const RowTable *table, const double *w, double *dw, RowWorkspace *work, int n) {
    int m = table->n_rows, is_solved = add_changes_of_residuals(table, w, dw, work, n);
    double *undetermined = work->spare, *determined = undetermined + m;

    /* dA mu, with multipliers = A mu */
    for (int i = 0; i < n; i++)
        determined[i] = w[table->multipliers + work->active[i]];
    is_solved = is_solved && solve_semidefinite(&work->factors, determined, determined) == FACTORED;
    for (int i = 0; i < n; i++) {
        undetermined[i] = 0;
        for (int k = 0; k < n; k++)
            undetermined[i] += change_of_A(table, dw, work, i, k) * determined[k];
    }
    multiply_by_A(work, n, undetermined, determined);
    is_solved = is_solved && solve_semidefinite(&work->factors, determined, determined) == FACTORED;
    is_solved = is_solved && solve_semidefinite(&work->factors, work->b, work->b) == FACTORED;
    for (int i = 0; i < m; i++)
        dw[table->multipliers + i] = is_solved ? 0 : NAN;
    for (int i = 0; i < n && is_solved; i++)
        dw[table->multipliers + work->active[i]] = work->b[i] + undetermined[i] - determined[i];
}

void solve_multipliers_tangent(const RowTable *table, const double *w, double *dw) {
    RowWorkspace work = row_workspace(table, dw);
    double tolerance;
    int m = table->n_rows, nu = table->nu, n = factor_active(table, w, &work, &tolerance);
    const double *multipliers = w + table->multipliers;

    /* A d(multipliers) = d(right side) - dA multipliers */
    int i_active = 0;
    for (int i = 0; i < table->n_blocks; i++) {
        const RowBlock *block = table->blocks + i;
        if (w[block->enabled] == 0)
            continue;
        for (int row = 0; row < block->n; row++) {
            int r = block->first + row;
            const double *e = w + table->E + r * nu, *de = dw + table->E + r * nu;
            double sum = dw[block->bias + row];
            multiply_by_D_inverse(table, block, w, de, work.row);
            sum += dot_along(block, work.row, w + table->eps);
            multiply_by_D_inverse(table, block, dw, e, work.row);
            sum += dot_along(block, work.row, w + table->eps);
            multiply_by_D_inverse(table, block, w, e, work.row);
            sum += dot_along(block, work.row, dw + table->eps);
            for (int k = 0; k < n; k++)
                sum -= dw[table->A + r * m + work.active[k]] * multipliers[work.active[k]];
            work.b[i_active++] = sum;
        }
    }
    if (table->n_carried && n >= 0)
        subtract_changes_of_carried(table, w, dw, &work, n);
    if (n >= 0 && work.factors.rank < n)
        set_dependent_changes(table, w, dw, &work, n);
    else
        set_multipliers(table, &work, n, dw);
    if (table->n_carried && n >= 0)
        add_changes_of_carried(table, w, dw, &work, n);

    memcpy(dw + table->constrained_eps, dw + table->eps, (size_t)nu * sizeof(double));
    clear_forces(table, dw);
    for (int i = 0; i < table->n_blocks; i++) {
        const RowBlock *block = table->blocks + i;
        if (!is_acting(block, w))
            continue;
        for (int row = 0; row < block->n; row++) {
            int r = block->first + row;
            add_scaled(block, dw + table->constrained_eps, -dw[table->multipliers + r], w + table->E + r * nu);
            add_scaled(block, dw + table->constrained_eps, -multipliers[r], dw + table->E + r * nu);
            add_forces(table, block, row, dw[table->multipliers + r], w, dw);
            add_forces(table, block, row, multipliers[r], dw, dw);
        }
    }
}

static double *adjoint_of_A(const RowTable *table, double *dw, const RowWorkspace *work, int i, int k) {
    return dw + table->A + work->active[i] * table->n_rows + work->active[k];
}

/* The adjoint of set_dependent_changes: from x [n], the adjoints of the multipliers, set work->b to those of the right side, and add to
 * those of A. */
static int add_adjoints_of_dependent(const RowTable *table, const double *w, double *dw, RowWorkspace *work, int n, double *x) {
    double *determined = work->spare, *left = work->errors, *product = work->spare + table->n_rows, *change = work->misses, *of_change = x;
    int is_solved = solve_semidefinite_transposed(&work->factors, x, work->b) == FACTORED;

    /* the part of the change that A does not determine */
    for (int i = 0; i < n; i++)
        product[i] = w[table->multipliers + work->active[i]];
    multiply_by_A(work, n, product, determined);
    int i_active = 0;
    for (int i = 0; i < table->n_blocks; i++) {
        const RowBlock *block = table->blocks + i;
        for (int row = 0; w[block->enabled] != 0 && row < block->n; row++, i_active++)
            left[i_active] = right_side(table, block, row, w, work->row) - determined[i_active];
    }
    subtract_effects_of_carried(table, w, work, n, left);
    is_solved = is_solved && solve_semidefinite(&work->factors, product, product) == FACTORED;
    is_solved = is_solved && solve_semidefinite_transposed(&work->factors, x, determined) == FACTORED;
    multiply_by_A(work, n, determined, change);
    for (int i = 0; i < n; i++)
        for (int k = 0; k < n; k++)
            *adjoint_of_A(table, dw, work, i, k) += (x[i] - change[i]) * product[k];

    /* rows that contradict each other; x is overwritten */
    for (int i = 0; i < n; i++) {
        double W = work->factors.scale[i] * work->factors.scale[i];
        product[i] = W * left[i];
        of_change[i] = work->b[i] / W;
    }
    is_solved = is_solved && solve_semidefinite_transposed(&work->factors, of_change, of_change) == FACTORED;
    multiply_by_A(work, n, of_change, determined);
    for (int i = 0; i < n; i++) {
        double W = work->factors.scale[i] * work->factors.scale[i], own = work->A[i * n + i];
        double of_growth = work->b[i] * left[i] + determined[i] * product[i];
        for (int k = 0; k < n; k++)
            *adjoint_of_A(table, dw, work, i, k) += of_change[i] * product[k];
        if (own * W > 0.5)
            *adjoint_of_A(table, dw, work, i, i) -= 0.5 * of_growth / own;
    }
    return is_solved;
}

/* the adjoint of add_forces: adds to those of the row, and returns that of the factor */
static double add_adjoints_of_forces(const RowTable *table, const RowBlock *block, int row, double factor, const double *w, double *dw) {
    double of_factor = 0;
    for (int i = 0; i < block->n_bodies; i++) {
        const int *on = block->on_bodies + 3 * i;
        for (int k = 0; k < 6; k++) {
            double of_force = dw[table->body_forces + 6 * on[1] + k];
            of_factor -= of_force * w[on[2] + 6 * row + k];
            dw[on[2] + 6 * row + k] -= factor * of_force;
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
    dw[block->bias + row] += x;
    for (int j = 0; j < block->n_path; j++) {
        const RowJoint *joint = table->joints + block->path[j];
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

int solve_multipliers_adjoint(const RowTable *table, const double *w, double *dw) {
    RowWorkspace work = row_workspace(table, dw);
    double tolerance, *x = work.growth, *of_eps = dw + table->constrained_eps;
    const double *multipliers = w + table->multipliers;
    int nu = table->nu, n = factor_active(table, w, &work, &tolerance), i_active = 0;
    if (n < 0)
        return 0;
    for (int i = 0; i < table->n_blocks; i++) {
        const RowBlock *block = table->blocks + i;
        for (int row = 0; is_acting(block, w) && row < block->n; row++) {
            int r = block->first + row;
            double of_forces = add_adjoints_of_forces(table, block, row, multipliers[r], w, dw);
            dw[table->multipliers + r] += of_forces - dot_along(block, of_eps, w + table->E + r * nu);
            add_scaled(block, dw + table->E + r * nu, -multipliers[r], of_eps);
            if (w[block->enabled] != 0)
                x[i_active++] = dw[table->multipliers + r];
        }
    }
    if (table->n_carried && !add_adjoints_of_carried(table, w, dw, &work, n, x))
        return 0;
    int is_solved = work.factors.rank < n ? add_adjoints_of_dependent(table, w, dw, &work, n, x)
                                          : solve_semidefinite_transposed(&work.factors, x, work.b) == FACTORED;
    if (!is_solved)
        return 0;

    for (int i = 0; i < nu; i++)
        dw[table->eps + i] += of_eps[i];
    i_active = 0;
    for (int i = 0; i < table->n_blocks; i++) {
        const RowBlock *block = table->blocks + i;
        for (int row = 0; w[block->enabled] != 0 && row < block->n; row++, i_active++) {
            add_adjoints_of_right_side(table, block, row, work.b[i_active], w, dw);
            for (int k = 0; k < n; k++)
                *adjoint_of_A(table, dw, &work, i_active, k) -= work.b[i_active] * multipliers[work.active[k]];
        }
    }
    if (table->n_carried)
        finish_adjoints_of_carried(table, w, dw, &work, n);
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
