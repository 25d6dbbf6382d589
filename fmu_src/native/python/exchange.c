#include "exchange.h"
#include "exchange_threads.h"

#include <math.h>
#include <string.h>

/* ---- transfers ---- */

#define LOAD(TYPE)                                                                                                                         \
    for (int i = 0; i < transfer->n; i++)                                                                                                  \
        if (at[i] >= 0)                                                                                                                    \
            numbers[at[i]] = (double)((const TYPE *)transfer->buffer)[i];                                                                  \
    break

static void load(const Transfer *transfer, double *numbers) {
    const int *at = transfer->at;
    switch ((StoredType)transfer->type) {
    case STORED_FLOAT64:
        LOAD(double);
    case STORED_FLOAT32:
        LOAD(float);
    case STORED_INT8:
        LOAD(int8_t);
    case STORED_UINT8:
        LOAD(uint8_t);
    case STORED_INT16:
        LOAD(int16_t);
    case STORED_UINT16:
        LOAD(uint16_t);
    case STORED_INT32:
        LOAD(int32_t);
    case STORED_UINT32:
        LOAD(uint32_t);
    case STORED_BOOL:
        LOAD(bool);
    case STORED_BOOL_AS_INT:
        for (int i = 0; i < transfer->n; i++)
            if (at[i] >= 0)
                numbers[at[i]] = ((const int *)transfer->buffer)[i] != 0;
        break;
    }
}

#define STORE(TYPE)                                                                                                                        \
    for (int i = 0; i < transfer->n; i++)                                                                                                  \
        ((TYPE *)transfer->buffer)[i] = (TYPE)values[at[i]];                                                                               \
    break

static void store(const Transfer *transfer, const double *values) {
    const int *at = transfer->at;
    switch ((StoredType)transfer->type) {
    case STORED_FLOAT64:
        STORE(double);
    case STORED_FLOAT32:
        STORE(float);
    case STORED_INT8:
        STORE(int8_t);
    case STORED_UINT8:
        STORE(uint8_t);
    case STORED_INT16:
        STORE(int16_t);
    case STORED_UINT16:
        STORE(uint16_t);
    case STORED_INT32:
    case STORED_BOOL_AS_INT:
        STORE(int32_t);
    case STORED_UINT32:
        STORE(uint32_t);
    case STORED_BOOL:
        STORE(bool);
    }
}

static int do_by_host(ExchangePlan *plan, HostTask task, int number, int detail) {
    return plan->do_by_host(plan->host, (int)task, number, detail, plan->time, plan->step);
}

/* whether a status of FMI is ok or warning */
static int is_success(int status) { return status == 0 || status == 1; }

/* read numbers of a Simulation; returns 0, or what the host returned */
static int read_simulation(ExchangePlan *plan, int number) {
    const Transfer *transfer = plan->transfers + number;
    const NumbersOfSimulation *of = transfer->of_simulation;
    double *values = transfer->buffer;
    int is_finite = !simulation_output(plan->members[transfer->member].simulation, of->n_calls, of->calls, of->scratch, of->copy,
                                       of->n_copied, transfer->n, of->offsets, values);
    for (int i = 0; i < transfer->n; i++)
        is_finite = is_finite && isfinite(values[i]);
    if (!is_finite)
        return do_by_host(plan, HOST_TRANSFERS, number, 0);
    if (transfer->at)
        load(transfer, plan->numbers);
    return 0;
}

/* set numbers of a Simulation; returns 0, or what the host returned */
static int write_simulation(ExchangePlan *plan, int number) {
    const Transfer *transfer = plan->transfers + number;
    const NumbersOfSimulation *of = transfer->of_simulation;
    const double *values = transfer->buffer;
    for (int i = 0; i < transfer->n; i++)
        if (!(isfinite(values[i]) && values[i] >= of->least[i] && values[i] <= of->greatest[i]))
            return do_by_host(plan, HOST_TRANSFERS, number, 0);
    simulation_set(plan->members[transfer->member].simulation, transfer->n, of->offsets, values, of->stage);
    return 0;
}

/* call the function of the FMU; returns 0, or what the host returned */
static int call(ExchangePlan *plan, int number) {
    const Transfer *transfer = plan->transfers + number;
    void *component = plan->members[transfer->member].component;
    int status = transfer->call2
                     ? transfer->call2(component, transfer->references, transfer->n_references, transfer->buffer)
                     : transfer->call3(component, transfer->references, transfer->n_references, transfer->buffer, (size_t)transfer->n);
    return is_success(status) ? 0 : do_by_host(plan, HOST_JUDGES_TRANSFER, number, status);
}

static int is_by_host(const Transfer *transfer) { return !transfer->call2 && !transfer->call3 && !transfer->of_simulation; }

/* whether the numbers that were read are finite */
static int check_finite(ExchangePlan *plan, int number) {
    const Transfer *transfer = plan->transfers + number;
    if (transfer->type == STORED_FLOAT64)
        for (int i = 0; i < transfer->n; i++)
            if (!isfinite(((const double *)transfer->buffer)[i]) && (!transfer->at || transfer->at[i] >= 0))
                return do_by_host(plan, HOST_FINDS_NOT_FINITE, number, i);
    if (transfer->type == STORED_FLOAT32)
        for (int i = 0; i < transfer->n; i++)
            if (!isfinite(((const float *)transfer->buffer)[i]) && transfer->at[i] >= 0)
                return do_by_host(plan, HOST_FINDS_NOT_FINITE, number, i);
    return 0;
}

static int read_all(ExchangePlan *plan, const ExchangePhase *phase) {
    for (int i = 0; i < phase->n_reads; i++) {
        const int number = phase->reads[i];
        const Transfer *transfer = plan->transfers + number;
        int stopped;
        if (is_by_host(transfer))
            stopped = do_by_host(plan, HOST_TRANSFERS, number, 0);
        else if (transfer->of_simulation)
            stopped = read_simulation(plan, number);
        else if (!(stopped = call(plan, number)) && !(stopped = check_finite(plan, number)) && transfer->at)
            load(transfer, plan->numbers);
        if (stopped)
            return stopped;
    }
    return 0;
}

/* set the values of connections from the outputs that were read */
static void set_values(ExchangePlan *plan, const ExchangePhase *phase) {
    for (int i = 0; i < phase->n_values; i++) {
        const int k = phase->values[i];
        const double number = plan->numbers[plan->from[k]];
        plan->values[k] = plan->is_plain[k] ? number : plan->factors[k] * number + plan->shifts[k];
    }
}

int exchange_read(ExchangePlan *plan, const ExchangePhase *phase) {
    const int stopped = read_all(plan, phase);
    if (!stopped)
        set_values(plan, phase);
    return stopped;
}

int exchange_write(ExchangePlan *plan, const ExchangePhase *phase) {
    for (int i = 0; i < phase->n_writes; i++) {
        const int number = phase->writes[i];
        const Transfer *transfer = plan->transfers + number;
        int stopped;
        if (is_by_host(transfer)) {
            stopped = do_by_host(plan, HOST_TRANSFERS, number, 0);
        } else {
            store(transfer, plan->values);
            stopped = transfer->of_simulation ? write_simulation(plan, number) : call(plan, number);
        }
        if (stopped)
            return stopped;
    }
    return 0;
}

/* ---- steps ---- */

enum { STEPS_OF_A_CALL = 2000 }; /* integration steps, after which the host lets Ctrl-C act */

/* whether the host need not look at the step: no event of the FMU that the host handles is in it */
static int is_ordinary(const ExchangeMember *member, double end, double step) {
    return member->step2 || member->simulation || (member->step3 && member->next_event > end + 2e-12 * fmax(fabs(end), step));
}

/* Take the step of a member, without looking at the result. The status of a Simulation is not ok where the host has to go on with the step.
 */
static void step_member(ExchangeMember *member, double time, double step) {
    if (member->simulation) {
        const double end = simulation_end_near(member->simulation, time + step);
        if (!simulation_keep(member->simulation))
            member->status = STATUS_OF_NO_MEMORY;
        else
            member->status = simulation_advance(member->simulation, end, STEPS_OF_A_CALL, member->progress) ? STATUS_UNDER_WAY : 0;
        return;
    }
    if (member->step2) {
        member->status = member->step2(member->component, time, step, 1);
        return;
    }
    member->needs_event = member->ends = member->is_early = false;
    member->reached = time;
    member->status =
        member->step3(member->component, time, step, true, &member->needs_event, &member->ends, &member->is_early, &member->reached);
}

/* look at the result of the step; returns 0, or what the host returned */
static int finish_step(ExchangePlan *plan, int number) {
    ExchangeMember *member = plan->members + number;
    if (is_success(member->status) && !(member->step3 && (member->needs_event || member->ends || member->is_early))) {
        if (member->time)
            *member->time = plan->time + plan->step;
        return 0;
    }
    return do_by_host(plan, HOST_JUDGES_STEP, number, member->status);
}

static int take_step(ExchangePlan *plan, int number) {
    ExchangeMember *member = plan->members + number;
    if (!is_ordinary(member, plan->time + plan->step, plan->step))
        return do_by_host(plan, HOST_STEPS, number, 0);
    step_member(member, plan->time, plan->step);
    return finish_step(plan, number);
}

/* Step the members that may step at the same time, in this thread and those that help. FMUs that need attention get it afterwards, in their
 * order. */
static int step_beside(ExchangePlan *plan, int phase_number) {
    const ExchangePhase *phase = plan->phases + phase_number;
    const double end = plan->time + plan->step;
    int all_ordinary = 1;
    for (int i = 0; i < phase->n_beside; i++)
        all_ordinary = all_ordinary && is_ordinary(plan->members + phase->steps[i], end, plan->step);
    if (!plan->uses_threads || phase->n_beside < 2 || !all_ordinary) {
        for (int i = 0; i < phase->n_beside; i++) {
            const int stopped = take_step(plan, phase->steps[i]);
            if (stopped)
                return stopped;
        }
        return 0;
    }
    store_int(&plan->n_finished, 0);
    store_ticket(&plan->ticket, (int64_t)phase_number << 32);
    while (exchange_take_ticket(plan))
        ;
    for (int spins = 0; load_int(&plan->n_finished) < phase->n_beside; spins++)
        wait_a_little(spins);
    for (int i = 0; i < phase->n_beside; i++) {
        const int stopped = finish_step(plan, phase->steps[i]);
        if (stopped)
            return stopped;
    }
    return 0;
}

int exchange_take_ticket(ExchangePlan *plan) {
    const int64_t seen = load_ticket(&plan->ticket);
    if ((int32_t)seen >= plan->phases[seen >> 32].n_beside)
        return 0;
    const int64_t ticket = next_ticket(&plan->ticket);
    const ExchangePhase *phase = plan->phases + (ticket >> 32);
    if ((int32_t)ticket >= phase->n_beside)
        return 0;
    step_member(plan->members + phase->steps[(int32_t)ticket], plan->time, plan->step);
    add_int(&plan->n_finished, 1);
    return 1;
}

void exchange_help(ExchangePlan *plan) {
    for (int spins = 0; !load_int(&plan->helpers_end); spins++)
        if (exchange_take_ticket(plan))
            spins = 0;
        else
            wait_a_little(spins);
}

static int take_phase(ExchangePlan *plan, int number) {
    const ExchangePhase *phase = plan->phases + number;
    set_values(plan, phase);
    int stopped = exchange_write(plan, phase);
    if (!stopped && phase->call >= 0)
        stopped = do_by_host(plan, HOST_CALLS, phase->call, 0);
    if (!stopped)
        stopped = step_beside(plan, number);
    for (int i = phase->n_beside; i < phase->n_steps && !stopped; i++)
        stopped = take_step(plan, phase->steps[i]);
    return stopped ? stopped : read_all(plan, phase);
}

int exchange_advance(ExchangePlan *plan, int n_steps, const double *times, double step, double *rows) {
    int done = 0, stopped = 0;
    plan->step = step;
    while (done < n_steps) {
        plan->time = times[done];
        for (int i = 0; i < plan->n_phases && !stopped; i++)
            stopped = take_phase(plan, i);
        if (stopped)
            break;
        double *row = rows + (size_t)done++ * (size_t)plan->n_columns;
        for (int i = 0; i < plan->n_columns; i++)
            row[i] = plan->numbers[plan->columns[i]];
    }
    store_int(&plan->helpers_end, 1);
    return done;
}
