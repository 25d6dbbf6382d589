#include "friction_start.h"

#include "elementary.h"
#include "friction_cones.h"
#include "friction_judge.h"
#include "friction_sticking.h"
#include "friction_tolerances.h"
#include "vectors.h"

#include <string.h>

static const double STICKS = 1e-12; /* residual of a solution where all stick, and of a start with the mean forces where not all do */
static const double SLIPS = 1e-6;   /* rate above which a contact at its limit slips, scaled like the residual */
/* Tangents count by the square of 1 / TANGENT in the norm of redundant multipliers: contacts carry loads by their normals where those
 * suffice, far from the limit of friction. */
static const double TANGENT = 0.25;

/* Set the multipliers to the start, within the bounds and cones, and judge it. */
static void judge_start(FrictionProgram *program, const double *start) {
    FrictionRows *rows = &program->rows;
    for (int i = 0; i < program->m; i++)
        rows->z[i] = start[i] * program->length[i];
    scale_bounds(program, 1);
    project_multipliers(rows, rows->z);
    for (int i = 0; i < program->m; i++)
        program->multipliers[i] = rows->z[i] / program->length[i];
    judge(program);
}

/* Whether a contact of the judged start is at its limit and slips, or has a given slip direction. */
static int slips_at_start(const FrictionProgram *program, int contact) {
    const FrictionRows *rows = &program->rows;
    const double *z = rows->z + program->n_boxes + 3 * contact, *w = rows->w + program->n_boxes + 3 * contact;
    const double normal = rows->z[normal_row(rows, contact)];
    return slip_direction(rows, contact) ||
           (normal > 0 && !(norm(2, z + 1) < HOLDS * rows->mu[contact] * normal) && norm(2, w + 1) > SLIPS);
}

/* Set the mask of rows that stick if all contacts that press at the start do, or all contacts if none presses. Returns 0 where a contact
 * slips. */
static int choose_sticking(FrictionProgram *program, const double *start) {
    int presses = 0;
    for (int contact = 0, k = program->n_boxes; contact < program->n_contacts; contact++, k += 3) {
        presses = presses || start[k] > 0;
        if (slips_at_start(program, contact))
            return 0;
    }
    for (int i = 0; i < program->m; i++)
        program->held[i] = i < program->n_boxes || !presses || start[normal_row(&program->rows, (i - program->n_boxes) / 3)] > 0;
    return 1;
}

/* by which a scaled row is multiplied */
static double shortened(const FrictionProgram *program, int i) {
    return i >= program->n_boxes && (i - program->n_boxes) % 3 != 0 ? TANGENT : 1;
}

/* Set the scaled rows and their a, with shorter tangents. */
static void scale_tangents(FrictionProgram *program) {
    scale_entries(program);
    for (int i = 0; i < program->m; i++) {
        program->rows.a[i] = program->a[i] / program->length[i] * shortened(program, i);
        for (int k = program->scaled.first[i]; k < program->scaled.first[i + 1]; k++)
            program->scaled.values[k] *= shortened(program, i);
    }
}

/* Judge the multipliers of these rows. Returns whether they are a solution. */
static int judge_sticking(FrictionProgram *program) {
    for (int i = 0; i < program->m; i++)
        program->multipliers[i] = program->rows.z[i] / program->length[i] * shortened(program, i);
    judge(program);
    return program->residual <= STICKS;
}

/* Set the mask of blocks that may stick with this y: those whose rates it removes. Returns 0 if it does not remove those of all rows that
 * should stick. */
static int choose_blocks(FrictionProgram *program, const double *y, int *is_taken) {
    const FrictionBlocks *blocks = &program->blocks;
    double allowed = STICKS * (largest_number(program->rows.a, program->m) + norm(program->n, y)), w[MOST_BLOCK_ROWS];
    for (int block = 0; block < blocks->n_blocks; block++) {
        int first = blocks->first_row[block], size = rows_of_block(blocks, block);
        rates_of_block(blocks, block, y, w);
        for (int i = 0; i < size; i++)
            w[i] += program->rows.a[first + i];
        is_taken[block] = largest_number(w, size) <= allowed;
        if (!is_taken[block] && program->held[first])
            return 0;
    }
    return 1;
}

/* The multipliers with which these rows stick, judged: those of least norm, or the least ones within the cones. Returns whether they are a
 * solution. */
static int try_sticking(FrictionProgram *program, const double *start) {
    FrictionRows *rows = &program->rows;
    double *y = program->y_fixed, *x = rows->unknowns;
    if (!choose_sticking(program, start))
        return 0;
    program->rounds = 1;
    scale_tangents(program);
    if (!find_sticking(&program->scaled, rows->a, program->held, &program->matrix, rows->z, y, x, program->work))
        return 0;
    if (judge_sticking(program))
        return 1;
    gather_blocks(&program->blocks, &program->scaled, NULL, rows->is_moment, program->n_boxes);
    scale_bounds(program, 1);
    return choose_blocks(program, y, rows->kind) && find_least_in_cones(rows, &program->blocks, rows->kind, 1 / TANGENT, y, x) &&
           judge_sticking(program);
}

/* The largest change of a rate of a row that presses, scaled like the residual. A solution that removes the speeds which errors of former
 * steps have left has forces that would give these speeds in the next step, with the other sign, and twice as much in two. */
static double largest_change(const FrictionProgram *program, const double *now) {
    double largest = 0;
    for (int i = 0; now && i < program->m; i++)
        if (program->multipliers[i] != 0)
            largest = fmax(largest, fabs(program->w[i] - now[i]) / program->length[i]);
    return largest / program->scale;
}

static void change_columns(FrictionProgram *program) {
    const SparseRows given = program->entries;
    order_columns(&given, program->order, program->ordering);
    program->entries = program->own_entries;
    permute_columns(&given, program->order, program->place, &program->entries);
    program->is_ordered = 1;
}

void restore_columns(FrictionProgram *program) {
    if (!program->is_ordered)
        return;
    memcpy(program->work, program->y, (size_t)program->n * sizeof(double));
    for (int i = 0; i < program->n; i++)
        program->y[program->order[i]] = program->work[i];
}

int solve_from_start(FrictionProgram *program, const double *start, const double *now) {
    judge_start(program, start);
    int is_good = program->residual <= (now ? STICKS : GOOD);
    if ((is_good && !now) || (program->residual <= STARTS && largest_change(program, now) <= CHANGES))
        return 1;
    change_columns(program);
    if (try_sticking(program, start))
        return 1;
    if (is_good) {
        program->rounds = 0;
        judge_start(program, start);
    }
    return is_good;
}
