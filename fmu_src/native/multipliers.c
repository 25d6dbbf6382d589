#include "multipliers.h"

#include "consistency.h"
#include "factor.h"

#include <math.h>
#include <stddef.h>
#include <string.h>

RowWorkspace row_workspace(const RowTable *table, double *w) {
    size_t m = (size_t)table->n_rows, nu = (size_t)table->nu, n = (size_t)table->n_joints;
    RowWorkspace work = {.misses = w + table->workspace};
    work.D_E = work.misses + m;
    work.G = work.D_E + m * nu;
    work.z = work.G + m * nu;
    work.dz = work.z + 6 * n;
    work.A = work.dz + 6 * n;
    work.b = work.A + m * m;
    work.errors = work.b + m;
    work.row = work.errors + m;
    work.kept = work.row + nu;
    work.spare = work.kept + nu;
    work.growth = work.spare + 2 * m;

    /* whole numbers in the room of as many reals */
    work.active = (int *)(void *)(work.growth + m);
    work.factors.order = work.active + m;
    work.factors.reals = work.growth + 2 * m;
    return work;
}

/* ---- forces along a path ---- */

static inline void add_shifted(double *parent, const double *z, const double *l) {
    double x = l[1] * z[5] - l[2] * z[4], y = l[2] * z[3] - l[0] * z[5], of_z = l[0] * z[4] - l[1] * z[3];
    parent[0] += z[0] + x;
    parent[1] += z[1] + y;
    parent[2] += z[2] + of_z;
    for (int i = 3; i < 6; i++)
        parent[i] += z[i];
}

static void add_cross(double *torque, const double *l, const double *force) {
    torque[0] += l[1] * force[2] - l[2] * force[1];
    torque[1] += l[2] * force[0] - l[0] * force[2];
    torque[2] += l[0] * force[1] - l[1] * force[0];
}

/* e [nu] += H^T z; two sums at once, so that none waits for the one before */
static inline void add_projected(double *e, const double *H, const double *z, int nu) {
    for (int k = 0; k < nu; k++) {
        double angular = H[k] * z[0] + H[nu + k] * z[1] + H[2 * nu + k] * z[2];
        double linear = H[3 * nu + k] * z[3] + H[4 * nu + k] * z[4] + H[5 * nu + k] * z[5];
        e[k] += angular + linear;
    }
}

/* z [6] -= G e */
static inline void subtract_product(double *z, const double *G, const double *e, int nu) {
    for (int k = 0; k < nu; k++) {
        double e_k = e[k];
        z[0] -= G[k] * e_k;
        z[1] -= G[nu + k] * e_k;
        z[2] -= G[2 * nu + k] * e_k;
        z[3] -= G[3 * nu + k] * e_k;
        z[4] -= G[4 * nu + k] * e_k;
        z[5] -= G[5 * nu + k] * e_k;
    }
}

/* y [nu] += D x */
static void add_product(double *y, const double *D, const double *x, int nu) {
    for (int i = 0; i < nu; i++)
        for (int k = 0; k < nu; k++)
            y[i] += D[i * nu + k] * x[k];
}

/* z and e of a row as the constraint makes it: forces on bodies and mobilities, read from v */
static void start_row(const RowTable *table, const RowBlock *block, int row, const double *v, double *z, double *e) {
    for (int i = 0; i < block->n_path; i++)
        memset(z + 6 * block->path[i], 0, 6 * sizeof(double));
    for (int i = 0; i < block->n_runs; i++)
        memset(e + block->runs[2 * i], 0, (size_t)block->runs[2 * i + 1] * sizeof(double));
    for (int i = 0; i < block->n_bodies; i++) {
        const int *on = block->on_bodies + 3 * i;
        for (int k = 0; k < 6; k++)
            z[6 * on[0] + k] += v[on[2] + 6 * row + k];
    }
    for (int i = 0; i < block->n_mobilities; i++) {
        const int *on = block->on_mobilities + 2 * i;
        const RowJoint *joint = table->joints + on[0];
        for (int k = 0; k < joint->nu; k++)
            e[joint->first + k] += v[on[1] + joint->nu * row + k];
    }
}

static double dot(const RowBlock *block, const double *a, const double *b) {
    /* four sums at once, so that none waits for the one before */
    double sum[4] = {0};
    for (int i = 0; i < block->n_runs; i++) {
        const double *x = a + block->runs[2 * i], *y = b + block->runs[2 * i];
        int n = block->runs[2 * i + 1], k = 0;
        for (; k + 4 <= n; k += 4)
            for (int j = 0; j < 4; j++)
                sum[j] += x[k + j] * y[k + j];
        for (; k < n; k++)
            sum[0] += x[k] * y[k];
    }
    return (sum[0] + sum[1]) + (sum[2] + sum[3]);
}

static void add_scaled(const RowBlock *block, double *a, double factor, const double *b) {
    for (int i = 0; i < block->n_runs; i++)
        for (int k = block->runs[2 * i]; k < block->runs[2 * i] + block->runs[2 * i + 1]; k++)
            a[k] += factor * b[k];
}

/* y = D^-1 x along the path of the block */
static void multiply_by_D_inverse(const RowTable *table, const RowBlock *block, const double *w, const double *x, double *y) {
    for (int i = 0; i < block->n_path; i++) {
        const RowJoint *joint = table->joints + block->path[i];
        if (joint->nu == 1) {
            y[joint->first] = w[joint->D_inverse] * x[joint->first];
            continue;
        }
        for (int k = 0; k < joint->nu; k++)
            y[joint->first + k] = 0;
        add_product(y + joint->first, w + joint->D_inverse, x + joint->first, joint->nu);
    }
}

/* ---- elimination ---- */

static double largest(const double *values, int n) {
    double result = 0;
    for (int i = 0; i < n; i++)
        result = fmax(result, fabs(values[i]));
    return result;
}

double largest_along(const RowBlock *block, const double *e) {
    double result = 0;
    for (int i = 0; i < block->n_runs; i++)
        result = fmax(result, largest(e + block->runs[2 * i], block->runs[2 * i + 1]));
    return result;
}

/* the same at the joints whose u_dot is to be found */
static double largest_where_free(const RowTable *table, const RowBlock *block, const double *w, const double *e) {
    double result = 0;
    for (int i = 0; i < block->n_path; i++) {
        const RowJoint *joint = table->joints + block->path[i];
        if (joint->known_level < 0 || w[joint->known_level] == 0)
            result = fmax(result, largest(e + joint->first, joint->nu));
    }
    return result;
}

/* What the joints keep anyway, or known motions, leaves round-off, which would be divided by round-off: such a row becomes 0 where u_dot is
 * to be found. z has the row on its way inward, of each joint what passes it on to its parent. */
static void clear_if_cancelled(const RowTable *table, const RowBlock *block, int row, const double *w, const double *z, double *e) {
    double left = largest_where_free(table, block, w, e), terms = 0;
    for (int i = 0; i < block->n_bodies; i++)
        terms = fmax(terms, largest(w + block->on_bodies[3 * i + 2] + 6 * row, 6));
    for (int i = 0; i < block->n_mobilities; i++) {
        const int *on = block->on_mobilities + 2 * i;
        int nu = table->joints[on[0]].nu;
        terms = fmax(terms, largest(w + on[1] + nu * row, nu));
    }
    if (left > 1e3 * CANCELLED * terms)
        return;
    for (int i = 0; i < block->n_path; i++)
        terms = fmax(terms, largest(z + 6 * block->path[i], 6));
    if (left <= CANCELLED * terms)
        for (int i = 0; i < block->n_path; i++) {
            const RowJoint *joint = table->joints + block->path[i];
            if (joint->known_level < 0 || w[joint->known_level] == 0)
                memset(e + joint->first, 0, (size_t)joint->nu * sizeof(double));
        }
}

/* Take a row [z, e] past a joint of nu speeds. The compiler has one copy for one speed, which most joints have; and it keeps in registers
 * what is in variables, which it would otherwise write and read again, since pointers may point to the same. */
static inline void pass_joint(const RowJoint *joint, int nu, const double *w, double *z, double *e, double *parent) {
    add_projected(e, w + joint->H, z, nu);
    if (parent) {
        double left[6];
        memcpy(left, z, sizeof left);
        subtract_product(left, w + joint->G, e, nu);
        memcpy(z, left, sizeof left);
        add_shifted(parent, left, w + joint->l);
    }
}

void eliminate_rows(const RowTable *table, double *w) {
    RowWorkspace work = row_workspace(table, w);
    int m = table->n_rows, nu = table->nu;
    double *A = w + table->A;

    for (int i = 0; i < table->n_blocks; i++) {
        const RowBlock *block = table->blocks + i;
        if (w[block->enabled] == 0)
            continue;
        for (int row = 0; row < block->n; row++) {
            double *e = w + table->E + (block->first + row) * nu;
            start_row(table, block, row, w, work.z, e);
            for (int j = 0; j < block->n_path; j++) {
                const RowJoint *joint = table->joints + block->path[j];
                double *z = work.z + 6 * block->path[j], *parent = joint->parent >= 0 ? work.z + 6 * joint->parent : NULL;
                if (joint->nu == 1)
                    pass_joint(joint, 1, w, z, e + joint->first, parent);
                else
                    pass_joint(joint, joint->nu, w, z, e + joint->first, parent);
            }
            clear_if_cancelled(table, block, row, w, work.z, e);
            double *D_e = work.D_E + (block->first + row) * nu;
            multiply_by_D_inverse(table, block, w, e, D_e);

            /* with the rows before */
            for (int k = 0; k <= i; k++) {
                const RowBlock *other = table->blocks + k;
                if (w[other->enabled] == 0)
                    continue;
                int r = block->first + row, end = k < i ? other->first + other->n : r + 1;
                for (int s = other->first; s < end; s++)
                    A[r * m + s] = A[s * m + r] = dot(other, D_e, w + table->E + s * nu);
            }
        }
    }
}

void eliminate_rows_tangent(const RowTable *table, const double *w, double *dw) {
    RowWorkspace work = row_workspace(table, dw);
    int m = table->n_rows, nu = table->nu;
    double *dA = dw + table->A;

    for (int i = 0; i < table->n_blocks; i++) {
        const RowBlock *block = table->blocks + i;
        if (w[block->enabled] == 0)
            continue;
        for (int row = 0; row < block->n; row++) {
            const double *e = w + table->E + (block->first + row) * nu;
            double *de = dw + table->E + (block->first + row) * nu;
            start_row(table, block, row, w, work.z, work.row);
            start_row(table, block, row, dw, work.dz, de);
            for (int j = 0; j < block->n_path; j++) {
                const RowJoint *joint = table->joints + block->path[j];
                double *z = work.z + 6 * block->path[j], *dz = work.dz + 6 * block->path[j];
                add_projected(de + joint->first, w + joint->H, dz, joint->nu);
                add_projected(de + joint->first, dw + joint->H, z, joint->nu);
                if (joint->parent >= 0) {
                    double *parent = work.z + 6 * joint->parent, *d_parent = work.dz + 6 * joint->parent;
                    subtract_product(z, w + joint->G, e + joint->first, joint->nu);
                    subtract_product(dz, w + joint->G, de + joint->first, joint->nu);
                    subtract_product(dz, dw + joint->G, e + joint->first, joint->nu);
                    add_shifted(parent, z, w + joint->l);
                    add_shifted(d_parent, dz, w + joint->l);
                    add_cross(d_parent, dw + joint->l, z + 3);
                }
            }

            /* a row that counts as none */
            if (largest_where_free(table, block, w, e) == 0)
                for (int k = 0; k < block->n_runs; k++)
                    memset(de + block->runs[2 * k], 0, (size_t)block->runs[2 * k + 1] * sizeof(double));
        }
    }

    /* dA = dE D^-1 E^T + E D^-1 dE^T + E dD^-1 E^T; half of it in D_E: D^-1 dE + dD^-1 E / 2 */
    for (int i = 0; i < table->n_blocks; i++) {
        const RowBlock *block = table->blocks + i;
        if (w[block->enabled] == 0)
            continue;
        for (int r = block->first; r < block->first + block->n; r++) {
            double *half = work.D_E + r * nu;
            multiply_by_D_inverse(table, block, dw, w + table->E + r * nu, half);
            for (int k = 0; k < block->n_runs; k++)
                for (int s = block->runs[2 * k]; s < block->runs[2 * k] + block->runs[2 * k + 1]; s++)
                    half[s] /= 2;
            for (int j = 0; j < block->n_path; j++) {
                const RowJoint *joint = table->joints + block->path[j];
                add_product(half + joint->first, w + joint->D_inverse, dw + table->E + r * nu + joint->first, joint->nu);
            }
        }
    }
    for (int i = 0; i < table->n_blocks; i++)
        for (int k = 0; k <= i; k++) {
            const RowBlock *block = table->blocks + i, *other = table->blocks + k;
            if (w[block->enabled] == 0 || w[other->enabled] == 0)
                continue;
            for (int r = block->first; r < block->first + block->n; r++)
                for (int s = other->first; s < other->first + other->n; s++) {
                    double change =
                        dot(other, work.D_E + r * nu, w + table->E + s * nu) + dot(block, work.D_E + s * nu, w + table->E + r * nu);
                    dA[r * m + s] = dA[s * m + r] = change;
                }
        }
}

/* ---- the matrix ---- */

int is_known(const RowJoint *joint, const double *w) {
    const double velocity = 2; /* the level from which on speeds are known */
    return joint->known_level >= 0 && w[joint->known_level] >= velocity;
}

int constraint_matrix(const RowTable *table, const double *w, int with_velocities, double *z_of, double *G) {
    int n = 0;
    for (int i = 0; i < table->n_blocks; i++) {
        const RowBlock *block = table->blocks + i;
        int rows = block->n_position + (with_velocities ? block->n_velocity : 0);
        for (int row = 0; w[block->enabled] != 0 && row < rows; row++) {
            double *g = G + n++ * table->nu;
            memset(g, 0, (size_t)table->nu * sizeof(double));
            start_row(table, block, row, w, z_of, g);
            for (int j = 0; j < block->n_path; j++) {
                const RowJoint *joint = table->joints + block->path[j];
                const double *z = z_of + 6 * block->path[j];
                add_projected(g + joint->first, w + joint->H, z, joint->nu);
                if (joint->parent >= 0)
                    add_shifted(z_of + 6 * joint->parent, z, w + joint->l);
                if (is_known(joint, w))
                    memset(g + joint->first, 0, (size_t)joint->nu * sizeof(double));
            }
        }
    }
    return n;
}

double constraint_errors(const RowTable *table, const double *w, int with_velocities, double *errors, int *whose) {
    double largest = 0;
    int n = 0;
    for (int i = 0; i < table->n_blocks; i++) {
        const RowBlock *block = table->blocks + i;
        const double *own = w + (with_velocities ? block->velocity_errors : block->position_errors);
        int rows = block->n_position + (with_velocities ? block->n_velocity : 0);
        for (int row = 0; w[block->enabled] != 0 && row < rows; row++) {
            errors[n++] = own[row];
            if (!(fabs(own[row]) <= largest)) {
                largest = isfinite(own[row]) ? fabs(own[row]) : INFINITY;
                *whose = i;
            }
        }
    }
    return largest;
}

int solve_for_du(const RowTable *table, RowWorkspace *work, int n, double distance) {
    return factor_rows(&work->factors, n, table->nu, work->G, rank_tolerance_beside(n, distance)) == FACTORED &&
           solve_rows(&work->factors, work->errors, work->row) == FACTORED;
}

/* ---- multipliers ---- */

/* the numbers of the active rows, and A of these, factored; how many they are, -1 if A is not finite */
static int factor_active(const RowTable *table, const double *w, RowWorkspace *work) {
    int m = table->n_rows, n = 0;
    for (int i = 0; i < table->n_blocks; i++)
        if (w[table->blocks[i].enabled] != 0)
            for (int row = 0; row < table->blocks[i].n; row++)
                work->active[n++] = table->blocks[i].first + row;
    for (int i = 0; i < n; i++)
        for (int k = 0; k < n; k++)
            work->A[i * n + k] = w[table->A + work->active[i] * m + work->active[k]];
    return factor_semidefinite(&work->factors, n, work->A, rank_tolerance(n)) == FACTORED ? n : -1;
}

/* result[multipliers] from the solution for work->b; 0 for rows that are not active */
static void set_multipliers(const RowTable *table, RowWorkspace *work, int n, double *result) {
    double *multipliers = result + table->multipliers;
    int is_solved = n >= 0 && solve_semidefinite(&work->factors, work->b, work->b) == FACTORED;
    for (int i = 0; i < table->n_rows; i++)
        multipliers[i] = is_solved ? 0 : NAN;
    for (int i = 0; i < n && is_solved; i++)
        multipliers[work->active[i]] = work->b[i];
}

/* forces on bodies and mobilities -= factor * a row, as v has it */
static void add_forces(const RowTable *table, const RowBlock *block, int row, double factor, const double *v, double *result) {
    for (int i = 0; i < block->n_bodies; i++) {
        const int *on = block->on_bodies + 3 * i;
        for (int k = 0; k < 6; k++)
            result[table->body_forces + 6 * on[1] + k] -= factor * v[on[2] + 6 * row + k];
    }
    for (int i = 0; i < block->n_mobilities; i++) {
        const int *on = block->on_mobilities + 2 * i;
        const RowJoint *joint = table->joints + on[0];
        for (int k = 0; k < joint->nu; k++)
            result[table->mobility_forces + joint->first + k] -= factor * v[on[1] + joint->nu * row + k];
    }
}

static void clear_forces(const RowTable *table, double *result) {
    memset(result + table->body_forces, 0, (size_t)table->n_bodies * 6 * sizeof(double));
    memset(result + table->mobility_forces, 0, (size_t)table->nu * sizeof(double));
}

void solve_multipliers(const RowTable *table, double *w) {
    RowWorkspace work = row_workspace(table, w);
    int nu = table->nu, n = factor_active(table, w, &work);

    int i_active = 0;
    for (int i = 0; i < table->n_blocks; i++) {
        const RowBlock *block = table->blocks + i;
        if (w[block->enabled] != 0)
            for (int row = 0; row < block->n; row++)
                work.b[i_active++] = dot(block, work.D_E + (block->first + row) * nu, w + table->eps) + w[block->bias + row];
    }
    set_multipliers(table, &work, n, w);
    memset(work.misses, 0, (size_t)table->n_rows * sizeof(double));
    if (n >= 0 && work.factors.rank < n && find_contradictions(table, w, &work, n))
        for (int i = 0; i < table->n_rows; i++)
            w[table->multipliers + i] = NAN;

    memcpy(w + table->constrained_eps, w + table->eps, (size_t)nu * sizeof(double));
    clear_forces(table, w);
    for (int i = 0; i < table->n_blocks; i++) {
        const RowBlock *block = table->blocks + i;
        if (w[block->enabled] != 0)
            for (int row = 0; row < block->n; row++) {
                double multiplier = w[table->multipliers + block->first + row];
                add_scaled(block, w + table->constrained_eps, -multiplier, w + table->E + (block->first + row) * nu);
                add_forces(table, block, row, multiplier, w, w);
            }
    }
}

/* the acceleration that an error would have without constraints; row [nu] is a workspace */
static double right_side(const RowTable *table, const RowBlock *block, int number, const double *w, double *row) {
    multiply_by_D_inverse(table, block, w, w + table->E + (block->first + number) * table->nu, row);
    return dot(block, row, w + table->eps) + w[block->bias + number];
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

/* Add to work->b what comes of rows that contradict each other: what is left of them is least relative to their sizes W^1/2, so that W^-1
 * left moves nothing; both that and the sizes change. Returns 0 where something is not finite. */
static int add_changes_of_what_is_left(const RowTable *table, const double *w, const double *dw, RowWorkspace *work, int n) {
    double *still = work->spare, *change = still + table->n_rows, *left = work->errors, *growth = work->growth;
    for (int i = 0; i < n; i++)
        still[i] = w[table->multipliers + work->active[i]];
    multiply_by_A(work, n, still, change);
    int i_active = 0;
    for (int i = 0; i < table->n_blocks; i++) {
        const RowBlock *block = table->blocks + i;
        for (int row = 0; w[block->enabled] != 0 && row < block->n; row++, i_active++)
            left[i_active] = right_side(table, block, row, w, work->row) - change[i_active];
    }
    for (int i = 0; i < n; i++) {
        double inverse_W = work->factors.scale[i] * work->factors.scale[i];
        still[i] = inverse_W * left[i];
        /* 0: a row that counts as none */
        double own = work->A[i * n + i];
        growth[i] = own * inverse_W > 0.5 ? -0.5 * change_of_A(table, dw, work, i, i) / own : 0;
    }
    for (int i = 0; i < n; i++) {
        change[i] = 0;
        for (int k = 0; k < n; k++)
            change[i] += (change_of_A(table, dw, work, i, k) + work->A[i * n + k] * growth[k]) * still[k];
    }
    int is_solved = solve_semidefinite(&work->factors, change, change) == FACTORED;
    for (int i = 0; i < n; i++)
        work->b[i] += growth[i] * left[i] + change[i] / (work->factors.scale[i] * work->factors.scale[i]);
    return is_solved;
}

/* the same where rows depend on each other: what A does not see of the change comes from the multipliers being of least norm */
static void set_dependent_changes(const RowTable *table, const double *w, double *dw, RowWorkspace *work, int n) {
    int m = table->n_rows, is_solved = add_changes_of_what_is_left(table, w, dw, work, n);
    double *unseen = work->spare, *seen = unseen + m;

    /* dA mu, with multipliers = A mu */
    for (int i = 0; i < n; i++)
        seen[i] = w[table->multipliers + work->active[i]];
    is_solved = is_solved && solve_semidefinite(&work->factors, seen, seen) == FACTORED;
    for (int i = 0; i < n; i++) {
        unseen[i] = 0;
        for (int k = 0; k < n; k++)
            unseen[i] += change_of_A(table, dw, work, i, k) * seen[k];
    }
    multiply_by_A(work, n, unseen, seen);
    is_solved = is_solved && solve_semidefinite(&work->factors, seen, seen) == FACTORED;
    is_solved = is_solved && solve_semidefinite(&work->factors, work->b, work->b) == FACTORED;
    for (int i = 0; i < m; i++)
        dw[table->multipliers + i] = is_solved ? 0 : NAN;
    for (int i = 0; i < n && is_solved; i++)
        dw[table->multipliers + work->active[i]] = work->b[i] + unseen[i] - seen[i];
}

void solve_multipliers_tangent(const RowTable *table, const double *w, double *dw) {
    RowWorkspace work = row_workspace(table, dw);
    int m = table->n_rows, nu = table->nu, n = factor_active(table, w, &work);
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
            sum += dot(block, work.row, w + table->eps);
            multiply_by_D_inverse(table, block, dw, e, work.row);
            sum += dot(block, work.row, w + table->eps);
            multiply_by_D_inverse(table, block, w, e, work.row);
            sum += dot(block, work.row, dw + table->eps);
            for (int k = 0; k < n; k++)
                sum -= dw[table->A + r * m + work.active[k]] * multipliers[work.active[k]];
            work.b[i_active++] = sum;
        }
    }
    if (n >= 0 && work.factors.rank < n)
        set_dependent_changes(table, w, dw, &work, n);
    else
        set_multipliers(table, &work, n, dw);

    memcpy(dw + table->constrained_eps, dw + table->eps, (size_t)nu * sizeof(double));
    clear_forces(table, dw);
    for (int i = 0; i < table->n_blocks; i++) {
        const RowBlock *block = table->blocks + i;
        if (w[block->enabled] == 0)
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
