/* The workspace of decisions about unilateral rows. */
#ifndef MOBOD_CONTACT_WORK_H
#define MOBOD_CONTACT_WORK_H

#include "complementarity.h"
#include "contact_table.h"
#include "independent_parts.h"

/* an impact of one contact that a step has gone past; in the unit of its distance, and per s */
typedef struct LateImpact {
    double depth;    /* below zero; 0: there is no such impact, or the coordinates have been moved to the bound */
    double speed;    /* of the approach at the bound; 0: not known, or the impact has taken place */
    double ahead;    /* by how much the integrator's approach speeds exceed those of the distances */
    double shortest; /* a bounce that begins more slowly ends within two steps; of all contacts at an event with such impacts */
} LateImpact;

/* Of bounded work: whether it is bounded, how often a bound was reached since the last report, and the largest residual there, relative */
typedef struct {
    int is_on, n_overruns;
    double residual;
} CutsOfWork;

/* workspace; its contents are not kept between two calls */
typedef struct ContactWork {
    Complementarity rows;
    CutsOfWork cuts;
    int keeps_bounces;            /* a problem that has no solution with its bounces is not solved without them */
    int leaves_out_bounces;       /* one was; as the owner resets it */
    int jammed;                   /* the number, from 1, of a contact that cannot slide on; 0: none. See sliding_impacts.h */
    int has_slid;                 /* out: whether the last decision had an impact without collision */
    double *B;                    /* [n_rows][width] of the selected rows, 0 outside their patterns */
    RowPattern *patterns;         /* [n_rows] of the selected rows */
    int n_written, written_width; /* rows of B that have been written, and their width */
    double *L;                    /* [n_joints][size_of_L] D^-1 = L L^T of each joint */
    IndependentParts parts;
    double *multipliers; /* [n_rows] */
    int width;           /* nu, and an additional column for each selected compliant row, which assemble_rows sets to 0 */
    int n_soft;          /* how many of these are of compliant rows, which come first */
    int first_rigid;     /* the first selected row after equations and compliant rows */
    double *a, *size, *before, *bound, *bounce, *noise, *z; /* [n_rows] of the selected rows; see solve_without_gain */
    double *impulses, *best;                                /* [n_rows] */
    struct ChosenFriction *friction;                        /* the rows with friction of the problem; NULL: the model has none */
    double *upper, *rest_rates, *total, *earlier_rates; /* [n_rows] of rounds of impacts at one time: bounds of impulses, rates below which
                                                           a row is at rest, total impulses, rates of an earlier round */
    double *eps, *change;                               /* [nu] */
    double *A;                                          /* [n_joints][6] */
    double *y;                                          /* [n_y] */
    double *q;                                          /* [n_q] of the pose of an impact, while what follows it is looked at */
    double *drift;                                      /* [contacts] m, see unresolved_bounces.h; otherwise 0 */
    double *slow;                           /* [contacts] impacts of steps of bounded work that are late and not faster do not bounce */
    struct LateImpact *late;                /* [contacts] see late_impacts.h; otherwise 0 */
    double *lift;                           /* [nu] of their coordinates */
    double step;                            /* s, the importer's step that has gone past them */
    int *row_numbers;                       /* [n_rows] numbers of the selected rows among all rows */
    int *block_of_row;                      /* [n_rows] the block of each row among all rows */
    int *contact_of_row, *ambiguous;        /* [n_rows] */
    int *row_of_contact;                    /* [contacts] place of a chosen contact among the selected rows */
    int *touching, *were_active, *pressing; /* [contacts] masks: rows at distance zero; rows that were active; rows with a positive force */
    int *in_round;                          /* [contacts] mask of a round of impacts in turn */
    int *pressing_before;                   /* [contacts] with the loads of joints before the last ones */
    double *reals;                          /* the memory of all reals */
    int *integers;
} ContactWork;

/* count an overrun of bounded work, with its residual, relative */
static inline void note_cut(ContactWork *work, double residual) {
    work->cuts.n_overruns++;
    if (residual > work->cuts.residual)
        work->cuts.residual = residual;
}

static inline const double *row_of_B(const ContactWork *work, int row) { return work->B + (size_t)row * (size_t)work->width; }

#endif
