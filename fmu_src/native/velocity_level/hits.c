#include "hits.h"

#include "chosen_friction.h"
#include "elementary.h"
#include "rows.h"
#include "step_arithmetic.h"

#include <string.h>

const IndependentParts *last_parts(const ContactWork *work) {
    return work->friction && work->friction->n_selected ? &work->friction->solution.parts : &work->parts;
}

/* of each joint with a speed in this part of the problem, the first hit */
static void note_first(const RowTable *table, const IndependentParts *parts, int part, double before, double *first) {
    for (int i = parts->first_column[part]; i < parts->first_column[part + 1]; i++)
        for (int j = 0; j < table->n_joints; j++)
            if (parts->columns[i] >= table->joints[j].first && parts->columns[i] < table->joints[j].first + table->joints[j].nu)
                first[j] = fmin(first[j], before);
}

/* from the first hits of joints, INFINITY where there is none, those of their trees; tips come first */
static void spread_over_trees(const RowTable *table, double *first) {
    for (int j = 0; j < table->n_joints; j++)
        if (table->joints[j].parent >= 0)
            first[table->joints[j].parent] = fmin(first[table->joints[j].parent], first[j]);
    for (int j = table->n_joints - 1; j >= 0; j--)
        first[j] = table->joints[j].parent >= 0 ? first[table->joints[j].parent] : is_bound(first[j]) ? first[j] : 0.5;
}

void find_hits(const Model *model, const ContactWork *work, HitRows rows, double h, Hits *hits) {
    const IndependentParts *parts = last_parts(work);
    const int n = n_contacts(model);
    hits->any = 0;
    for (int i = 0; i < n; i++) {
        double rate = rows.rates[i];
        const int is_struck = rows.turns && rows.turns[row_number_of(model, model->contacts->contacts + i)] > 0;
        hits->contacts[i] = rows.chosen[i] && (is_struck || work->z[work->row_of_contact[i]] > 0) &&
                            rate < -fmax(HIT * fabs(rows.free[i] - rate), rows.slowest[i]);
        hits->any = hits->any || hits->contacts[i];
    }
    if (!hits->any)
        return;

    /* the first hit of each part, and of the trees in it */
    for (int part = 0; part < parts->n_parts; part++)
        hits->of_parts[part] = INFINITY;
    for (int i = 0; i < n; i++)
        if (hits->contacts[i]) {
            double *first = hits->of_parts + parts->part_of[work->row_of_contact[i]], way = fmax(rows.distances[i], 0);
            *first = fmin(*first, rows.target[i] >= 0 ? fmin(way / (h * -rows.rates[i]), 1) : 0);
        }
    for (int j = 0; j < model->rows->n_joints; j++)
        hits->before[j] = INFINITY;
    for (int part = 0; part < parts->n_parts; part++)
        if (is_bound(hits->of_parts[part]))
            note_first(model->rows, parts, part, hits->of_parts[part], hits->before);
    spread_over_trees(model->rows, hits->before);

    /* all rows of these parts */
    for (int i = 0; i < n; i++)
        hits->contacts[i] = rows.chosen[i] && is_bound(hits->of_parts[parts->part_of[work->row_of_contact[i]]]);
}

void change_speeds_of_hits(const Model *model, const Hits *hits, const double *u_start, double *u) {
    if (hits->any)
        change_speeds_by_hits(model->rows, hits->before, u_start, u);
}
