/* The settings and the workspace of fixed steps at velocity level. */
#ifndef MOBOD_VELOCITY_LEVEL_WORK_H
#define MOBOD_VELOCITY_LEVEL_WORK_H

#include "compliant_rows.h"
#include "engagement.h"
#include "event_work.h"
#include "hits.h"
#include "middle_of_step.h"
#include "model.h"

/* where the accelerations, constraints, contacts and slips of a step are evaluated */
typedef enum { CONSTRAINTS_AT_BEGIN, CONSTRAINTS_AT_MIDDLE } ConstraintsAt;

/* which rows of the problem for speeds are frozen, see listed_rows.h */
typedef enum { NO_ROWS_FROZEN, RESTING_ROWS_FROZEN, ALL_ROWS_FROZEN } FrozenRows;

typedef struct FixedSteps {
    double step; /* s */
    EngagementRule engagement;
    ConstraintsAt constraints_at;
    int position_iterations;  /* the largest number of position corrections in a step */
    const double *tolerances; /* [contacts] how far each row may stay below zero, in the unit of its distance */
} FixedSteps;

/* impacts in turn of a step, see turns_of_step.h */
typedef struct {
    int any;
    double fastest;   /* approach of a row in the first round, relative to its scale */
    double *impulses; /* [n_rows] of all rounds */
    double *speeds;   /* [nu] the change of speeds that they cause */
    double *rates;    /* [n_rows] and that of the rates */
} Turns;

/* impacts among free bodies, momentum_of_hits.h */
typedef struct {
    int any;
    int *part;          /* [n_joints] the number of the impact's part of the problem; -1: the body is in no such impact */
    int *part_of_speed; /* [nu] */
    int *is_free;       /* [most_selected_rows] of parts */
    double *momenta;    /* [most_selected_rows][6] of parts: what is missing, about the origin of Ground */
    double *y;          /* [n_y] */
} FreeImpacts;

/* workspace; its contents are not kept between two calls */
typedef struct {
    ContactWork *rows;                        /* NULL: the model has no constraints */
    double *free, *least, *target, *captured; /* [contacts] rates without impulses, lower bounds of the rates, rates required after bounces,
                                                 and rates that count as rest */
    double *slowest;                          /* [contacts] rates that may be round-off */
    double *leans;                            /* [2 contacts] at the start of the step */
    StartOfStep start;
    CompliantStep compliant;
    double *rates, *drifts; /* [n_rows] change of rates from those in w to the end of the step: by the change of speeds without impulses,
                               and by the change of the rows themselves */
    double *ahead;          /* [n_rows] the same of the rates that bilateral rows must not have at the end */
    double *V;              /* [n_joints][6] */
    double *accelerations;  /* [nu] u_dot, 0 where it is prescribed */
    double *y;              /* [n_y] */
    int *chosen, *presses;  /* [contacts] masks: rows of the problem, and rows that press without a bounce */
    int frozen;             /* FrozenRows, of the problem of this step; none before and after it */
    Turns turns;
    Hits hits;
    FreeImpacts free_impacts;
    EventWork *events; /* of samples; NULL: there are none */
    double *reals;     /* the memory of all reals */
    int *integers;
} VelocityLevelWork;

/* NULL if memory is exhausted */
VelocityLevelWork *create_velocity_level_work(const Model *model);
void free_velocity_level_work(VelocityLevelWork *work);

#endif
