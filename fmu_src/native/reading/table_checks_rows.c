#include "contact_table.h"
#include "friction_table.h"
#include "table_checks.h"

#include "event_table.h"
#include "rows.h"

#include <math.h>

enum { MOST_SPEEDS = 100 }; /* of a joint, or of the modes of a flexible body: MOST_MODES of flexible/modal_data.py */

static int is_flag(int value) { return value == 0 || value == 1; }

/* an offset that may be missing */
static int is_offset(const Checks *checks, int at) { return at == -1 || are_in_w(checks, at, 1); }

static const char *fault_along_parent(const Checks *checks, const RowTable *rows, const RowJoint *joint) {
    const int64_t n = joint->n_along;
    if (n == 0)
        return NULL;
    if (joint->parent < 0 || n != rows->joints[joint->parent].nu || joint->along != rows->joints[joint->parent].first)
        return "a joint along speeds that are not those of its parent";
    return are_in_w(checks, joint->H_along, 6 * n) ? NULL : "a joint that is not in w";
}

static const char *fault_of_joints(const Checks *checks, const RowTable *rows) {
    int64_t first = 0;
    if (rows->most_speeds < 0 || rows->most_speeds > MOST_SPEEDS)
        return "a joint with too many speeds";
    for (int i = 0; i < rows->n_joints; i++) {
        const RowJoint *joint = rows->joints + i;
        const int64_t nu = joint->nu;
        if (joint->parent < -1 || joint->parent >= rows->n_joints || nu < 0 || nu > rows->most_speeds || joint->first < 0 ||
            joint->first + nu > rows->nu)
            return "a joint that does not exist";
        if (!are_in_w(checks, joint->H, 6 * nu) || !are_in_w(checks, joint->G, 6 * nu) || !are_in_w(checks, joint->l, 3) ||
            !are_in_w(checks, joint->D_inverse, nu * nu) || !is_offset(checks, joint->known_level))
            return "a joint that is not in w";
        const char *fault = fault_along_parent(checks, rows, joint);
        if (fault)
            return fault;
        first += nu;
    }
    return first == rows->nu ? NULL : "joints of another number of speeds";
}

/* of the rows of a block, which may have this path */
static const char *fault_of_path(const Checks *checks, const RowTable *rows, const RowBlock *block, const RowPath *path) {
    if (!has_items(checks, path->on_bodies, 3 * (int64_t)path->n_bodies) ||
        !has_items(checks, path->motions, 2 * (int64_t)path->n_bodies) || !has_items(checks, path->joints, path->n_joints) ||
        !has_items(checks, path->runs, 2 * (int64_t)path->n_runs))
        return "a path that is cut off";
    for (int i = 0; i < path->n_bodies; i++) {
        const int *on = path->on_bodies + 3 * i, *motion = path->motions + 2 * i;
        if (on[0] < 0 || on[0] >= rows->n_joints || on[1] < 0 || on[1] >= rows->n_bodies)
            return "a row on a body that does not exist";
        if (block->K < 0 || on[2] < 0 || on[2] > checks->model->n_w - block->K ||
            !are_in_w(checks, block->K + on[2], 6 * (int64_t)block->n) || !are_in_w(checks, motion[0], 6) ||
            !are_in_w(checks, motion[1], 6))
            return "a row that is not in w";
    }
    for (int i = 0; i < path->n_joints; i++) {
        if (path->joints[i] < 0 || path->joints[i] >= rows->n_joints)
            return "a path over a joint that does not exist";
        if (rows->joints[path->joints[i]].known_level >= 0 && !path->may_be_known)
            return "a path over a joint with a motion";
    }
    for (int i = 0; i < path->n_runs; i++) {
        const int *run = path->runs + 2 * i;
        if (run[0] < 0 || run[1] < 0 || run[0] > rows->nu - run[1])
            return "a path over speeds that do not exist";
    }
    return NULL;
}

static const char *fault_of_touched(const Checks *checks, const RowTable *rows, const RowBlock *block) {
    if (block->choice != -1 && (!are_in_w(checks, block->choice, 1) || rows->n_paths < 1 || block->n_mobilities))
        return "a row without a path";
    const char *fault = block->choice == -1 ? fault_of_path(checks, rows, block, &block->own) : NULL;
    for (int i = 0; block->choice != -1 && !fault && i < rows->n_paths; i++)
        fault = fault_of_path(checks, rows, block, rows->paths + i);
    if (fault)
        return fault;
    for (int i = 0; i < block->n_mobilities; i++) {
        const int *on = block->on_mobilities + 2 * i;
        if (on[0] < 0 || on[0] >= rows->n_joints)
            return "a row on a joint that does not exist";
        if (!are_in_w(checks, on[1], (int64_t)rows->joints[on[0]].nu * block->n))
            return "a row that is not in w";
    }
    return NULL;
}

static const char *fault_of_compliant(const Checks *checks, const RowBlock *block) {
    const CompliantRow *row = block->compliant;
    if (!has_items(checks, row, 1) || block->n != 1 || block->n_position != 1)
        return "a spring of several rows";
    return are_in_w(checks, row->enabled, 1) && are_in_w(checks, row->compliance, 1) && are_in_w(checks, row->damping, 1) &&
                   are_in_w(checks, row->force, 1) && is_offset(checks, row->impulse) && is_flag(row->is_unilateral)
               ? NULL
               : "a spring that is not in w";
}

static const char *fault_of_carried(const Checks *checks, const RowTable *rows, const RowBlock *block) {
    const CarriedRow *row = block->carried;
    if (!has_items(checks, row, 1) || block->n != 1 || row->normal < -1 || row->normal >= rows->n_rows)
        return "friction of rows that do not exist";
    return are_in_w(checks, row->flag, 1) && are_in_w(checks, row->given, 1) && is_offset(checks, row->slide) ? NULL
                                                                                                              : "friction that is not in w";
}

static const char *fault_of_block(const Checks *checks, const RowTable *rows, const RowBlock *block) {
    if (block->n < 0 || block->n_position < 0 || block->n_velocity < 0 || (int64_t)block->n_position + block->n_velocity > block->n ||
        !has_items(checks, block->on_mobilities, 2 * (int64_t)block->n_mobilities) ||
        (block->overlaps && !has_items(checks, block->overlaps, 4 * (int64_t)block->n_overlaps)))
        return "rows that are cut off";
    if (!are_in_w(checks, block->enabled, 1) || !are_in_w(checks, block->position_errors, block->n_position) ||
        !are_in_w(checks, block->velocity_errors, (int64_t)block->n_position + block->n_velocity) ||
        !are_in_w(checks, block->bias, block->n))
        return "rows that are not in w";
    const char *fault = fault_of_touched(checks, rows, block);
    if (!fault && block->carried)
        fault = fault_of_carried(checks, rows, block);
    return fault || !block->compliant ? fault : fault_of_compliant(checks, block);
}

static const char *fault_of_springs(const Checks *checks, const RowTable *rows) {
    int before = -1, n = 0;
    if (!has_items(checks, rows->compliant, rows->n_compliant))
        return "springs that are cut off";
    for (int i = 0; i < rows->n_blocks; i++)
        n += rows->blocks[i].compliant != NULL;
    for (int i = 0; i < rows->n_compliant; before = rows->compliant[i++])
        if (rows->compliant[i] <= before || rows->compliant[i] >= rows->n_blocks || !rows->blocks[rows->compliant[i]].compliant)
            return "a spring that does not exist";
    return n == rows->n_compliant ? NULL : "springs that are left out";
}

static const char *fault_of_loads(const Checks *checks, const RowTable *rows) {
    if (!has_items(checks, rows->loads, rows->n_loads) ||
        (rows->n_loads && !are_in_w(checks, rows->load_workspace, 2 + 2 * (int64_t)rows->n_loads)))
        return "loads that are cut off";
    for (int i = 0; i < rows->n_loads; i++) {
        const JointLoad *load = rows->loads + i;
        if (!are_in_w(checks, load->load, 1) || !are_in_w(checks, load->measured, 1) || !are_in_w(checks, load->size, 1) ||
            !are_in_w(checks, load->R_GM, 9) || !are_in_w(checks, load->weights, 6) || load->joint < 0 || load->joint >= rows->n_joints)
            return "a load that is not in w";
        const CarriedRow *row = load->block >= 0 && load->block < rows->n_blocks ? rows->blocks[load->block].carried : NULL;
        if (!row || row->slide < 0 || row->normal >= 0 || !is_flag(load->is_regularised))
            return "a load of friction that does not exist";
    }
    return NULL;
}

static const char *fault_of_carried_rows(const Checks *checks, const RowTable *rows) {
    int before = -1, n = 0;
    if (!has_items(checks, rows->carried, rows->n_carried))
        return "friction that is cut off";
    for (int i = 0; i < rows->n_blocks; i++)
        n += rows->blocks[i].carried != NULL;
    for (int i = 0; i < rows->n_carried; before = rows->carried[i++])
        if (rows->carried[i] <= before || rows->carried[i] >= rows->n_blocks || !rows->blocks[rows->carried[i]].carried)
            return "friction that does not exist";
    return n == rows->n_carried ? NULL : "friction that is left out";
}

static int is_among_y(const Model *model, int at, int n) {
    return at >= model->y_at && n >= 0 && at + (int64_t)n <= (int64_t)model->y_at + model->n_q + model->n_u;
}

static int are_levers(const RowTable *rows) {
    for (int i = 0; i < rows->nu; i++)
        if (!(rows->levers[i] > 0) || !isfinite(rows->levers[i]))
            return 0;
    return 1;
}

const char *fault_of_rows(const Checks *checks, const RowTable *rows) {
    if (!has_items(checks, rows, 1) || !has_items(checks, rows->joints, rows->n_joints) ||
        !has_items(checks, rows->blocks, rows->n_blocks) || rows->nu < 0 || rows->n_rows < 0 || rows->n_bodies < 0)
        return "rows that are cut off";
    if (!has_items(checks, rows->levers, rows->nu) || !(rows->length > 0) || !isfinite(rows->length) || !are_levers(rows))
        return "a length of rows that is not positive";
    const int64_t m = rows->n_rows, nu = rows->nu, of_part = rows->most_rows;
    if (!is_among_y(checks->model, rows->u, rows->nu) || !is_among_y(checks->model, rows->q, rows->nq))
        return "rows over what are no states";
    if (!are_in_w(checks, rows->E, m * nu) || !are_in_w(checks, rows->A, rows->n_A) || !are_in_w(checks, rows->eps, nu) ||
        !are_in_w(checks, rows->constrained_eps, nu) || !are_in_w(checks, rows->multipliers, m) ||
        !are_in_w(checks, rows->body_forces, 6 * (int64_t)rows->n_bodies) || !are_in_w(checks, rows->mobility_forces, nu))
        return "rows that are not in w";
    if (overlap(rows->eps, rows->constrained_eps, rows->nu))
        return "rows in the place of others";
    /* row_workspace */
    const int64_t slips = rows->n_carried ? 2 * of_part * of_part + of_part : 0;
    const int64_t of_all = 2 * m * nu + 6 * ROWS_AT_ONCE * (int64_t)rows->n_joints + 10 * m + 2 + rows->n_blocks + 3 * nu;
    if (rows->most_rows < 0 || rows->most_entries < 0 || rows->n_factors < 0 ||
        rows->n_workspace < of_all + rows->most_entries + slips + rows->n_factors || !are_in_w(checks, rows->workspace, rows->n_workspace))
        return "rows without room";
    const char *fault = fault_of_joints(checks, rows);
    int64_t first = 0;
    for (int i = 0; i < rows->n_blocks && !fault; first += rows->blocks[i++].n)
        fault = rows->blocks[i].first == first ? fault_of_block(checks, rows, rows->blocks + i) : "rows that do not follow each other";
    if (!fault && first != m)
        fault = "another number of rows";
    for (int i = 0; i < rows->n_blocks && !fault; i++)
        fault = fault_of_overlaps(rows, i);
    fault = fault ? fault : fault_of_parts(checks, rows);
    fault = fault ? fault : fault_of_springs(checks, rows);
    fault = fault ? fault : fault_of_carried_rows(checks, rows);
    return fault ? fault : fault_of_loads(checks, rows);
}

const char *fault_of_contacts(const Checks *checks, const ContactTable *contacts) {
    const RowTable *rows = checks->model->rows;
    const EventTable *events = checks->model->events;
    if (!rows || !events || !has_items(checks, contacts, 1) || !has_items(checks, contacts->contacts, contacts->n) ||
        contacts->n_events != events->n || !has_items(checks, contacts->contact_of_event, events->n) ||
        !has_items(checks, contacts->contact_of_block, rows->n_blocks) || contacts->n < 0)
        return "unilateral rows that are cut off";
    for (int i = 0; i < events->n; i++)
        if (contacts->contact_of_event[i] < -1 || contacts->contact_of_event[i] >= contacts->n)
            return "an event of a unilateral row that does not exist";
    int n = 0;
    for (int i = 0; i < rows->n_blocks; i++)
        n += contacts->contact_of_block[i] >= 0;
    for (int i = 0; i < contacts->n; i++) {
        const Contact *contact = contacts->contacts + i;
        if (contact->event < 0 || contact->event >= events->n || contact->block < 0 || contact->block >= rows->n_blocks ||
            contacts->contact_of_block[contact->block] != i || rows->blocks[contact->block].n != 1 ||
            rows->blocks[contact->block].compliant || events->events[contact->event].cause != CAUSE_UNILATERAL)
            return "a unilateral row that does not exist";
        if (contact->opposite < -1 || contact->opposite >= contacts->n || contact->first < 0 || contact->n < 0 ||
            contact->first > contacts->n - contact->n)
            return "a unilateral row beside one that does not exist";
        if (!are_in_w(checks, contact->enabled, 1) || !are_in_w(checks, contact->active, 1) || !are_in_w(checks, contact->distance, 1) ||
            !are_in_w(checks, contact->rate, 1) || !are_in_w(checks, contact->restitution, 1) || !are_in_w(checks, contact->impulse, 1) ||
            !are_in_w(checks, contact->engagement, 3) || (contact->lean != -1 && !are_in_w(checks, contact->lean, 2)) ||
            (contact->presences != -1 && !are_in_w(checks, contact->presences, 2)))
            return "a unilateral row that is not in w";
    }
    return n == contacts->n ? NULL : "another number of unilateral rows";
}

const char *fault_of_frictions(const Checks *checks, const FrictionTable *frictions) {
    const RowTable *rows = checks->model->rows;
    const ContactTable *contacts = checks->model->contacts;
    const EventTable *events = checks->model->events;
    if (!rows || !contacts || !events || !has_items(checks, frictions, 1) || frictions->n < 1 ||
        !has_items(checks, frictions->frictions, frictions->n) || frictions->n_events != events->n ||
        !has_items(checks, frictions->friction_of_event, events->n) || frictions->n_contacts != contacts->n ||
        !has_items(checks, frictions->friction_of_contact, contacts->n))
        return "friction that is cut off";
    for (int i = 0; i < events->n; i++)
        if (frictions->friction_of_event[i] < -1 || frictions->friction_of_event[i] >= frictions->n)
            return "an event of friction that does not exist";
    for (int i = 0; i < contacts->n; i++)
        if (frictions->friction_of_contact[i] < -1 || frictions->friction_of_contact[i] >= frictions->n)
            return "a contact with friction that does not exist";
    for (int i = 0; i < frictions->n; i++) {
        const Friction *friction = frictions->frictions + i;
        const int64_t n = friction->n;
        if (n < 1 || n > 2 || friction->block < 0 || friction->block > rows->n_blocks - n || friction->event < 0 ||
            friction->event >= events->n || events->events[friction->event].cause != CAUSE_UNILATERAL || friction->contact < -1 ||
            friction->contact >= contacts->n || (friction->is_moment && friction->contact < 0))
            return "friction of rows that do not exist";
        for (int k = 0; k < n; k++)
            if (rows->blocks[friction->block + k].n != 1 || !rows->blocks[friction->block + k].carried)
                return "friction of rows that have none";
        if (friction->contact >= 0 && !rows->blocks[contacts->contacts[friction->contact].block].carried)
            return "friction of a contact that has none";
        if (!are_in_w(checks, friction->enabled, 1) || !are_in_w(checks, friction->mode, 1) || !are_in_w(checks, friction->rest, 1) ||
            !are_in_w(checks, friction->direction, n) || !are_in_w(checks, friction->kinetic, 1) ||
            !are_in_w(checks, friction->static_limit, 1) || !are_in_w(checks, friction->viscous, 1) ||
            !are_in_w(checks, friction->rates, n) || !are_in_w(checks, friction->impulse, n) ||
            (friction->load >= 0 && (!are_in_w(checks, friction->load, 1) || !are_in_w(checks, friction->load_kinetic, 1) ||
                                     !are_in_w(checks, friction->load_static, 1))))
            return "friction that is not in w";
    }
    return NULL;
}
