"""Several instances of one library: side by side, a thousand of them, freed in another order, and in several threads."""

import random
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack

from mobod.acceptance.behaviour.memory import resident_memory
from mobod.acceptance.behaviour.probe import Probe
from mobod.acceptance.behaviour.result import Budget, NotCheckedError, RunFindings
from mobod.acceptance.behaviour.tested import Tested
from mobod.acceptance.behaviour.walk import Row, first_difference, walked
from mobod.errors import MobodError
from mobod.fmi.fmu_log import FmuLog
from mobod.fmi.loading import Interface
from mobod.fmi.rules.finding import Severity

MOST_INSTANCES = 1000
MOST_MEMORY = 10**9  # bytes
THREADS = 4
POINTS = 20
MOST_RUNS = 200  # in threads
_SECONDS = 3.0
SEED = 11


def check_instances(tested: Tested, interface: Interface, found: RunFindings) -> None:
    """Two instances do not disturb each other, and a thousand can be made."""
    _require_several(tested, interface)
    expected, names = _alone(tested, interface, 1)
    with Probe(tested, interface, name="first") as one, Probe(tested, interface, name="second") as two:
        walks = [walked(one), walked(two, parts=2)]
        rows: list[Row] = []
        for point in range(POINTS):
            rows.extend(walks[0].walk(point, point + 1))
            walks[1].walk(2 * point, 2 * point + 2)
        difference = first_difference(names, expected, rows)
        if difference:
            message = f"an instance gives other outputs while another one runs: {difference}"
            found.add("instances", message, "creation")
    _make_many(tested, interface, found, expected, names)


def _require_several(tested: Tested, interface: Interface) -> None:
    if tested.model.capabilities(interface).get("canBeInstantiatedOnlyOncePerProcess") is True:
        raise NotCheckedError("It can be instantiated only once in a process.")


def _alone(tested: Tested, interface: Interface, parts: int) -> tuple[list[Row], list[str]]:
    with Probe(tested, interface) as probe:
        walk = walked(probe, parts=parts)
        return walk.walk(0, POINTS), walk.names


def _make_many(tested: Tested, interface: Interface, found: RunFindings, expected: list[Row], names: list[str]) -> None:
    budget, before, log = Budget(_SECONDS), resident_memory(), FmuLog()
    probes: list[Probe] = []
    why = ""
    try:
        while len(probes) < MOST_INSTANCES:
            if budget.is_spent:
                why = f", since more would take longer than {_SECONDS:g} s"
                break
            memory = resident_memory()
            if memory is not None and before is not None and memory - before > MOST_MEMORY:
                why = f", since more would need over {MOST_MEMORY / 1e9:g} GB"
                break
            probes.append(Probe(tested, interface, log=log, name=f"instance {len(probes) + 1}"))
        after = resident_memory()
        for probe in (probes[0], probes[-1]):
            difference = first_difference(names, expected, walked(probe).walk(0, POINTS))
            if difference:
                found.add("instances", f"one of {len(probes)} instances gives other outputs than a single one: {difference}", "creation")
    finally:
        random.Random(SEED).shuffle(probes)
        for probe in probes:
            probe.free()
    found.note(f"{len(probes)} instances were made{why}; they were freed in another order (seed {SEED}).")
    if after is not None and before is not None and len(probes) > 10:
        found.figures.append(("memory of an instance", (after - before) / len(probes), "bytes"))


def check_threads(tested: Tested, interface: Interface, found: RunFindings) -> None:
    """Instances that run in several threads at the same time give the bits of one that runs alone."""
    _require_several(tested, interface)
    expected, names = _alone(tested, interface, 1)
    budget, runs = Budget(_SECONDS), 0
    # FMI 3.0 promises parallel calls of several instances only for several processes
    severity: Severity = "error" if tested.fmi_version == "2" else "warning"
    while runs < MOST_RUNS and not budget.is_spent:
        runs += 1
        problem = _run_in_threads(tested, interface, expected, names)
        if problem is not None:
            found.add("threads", f"instances in {THREADS} threads disturb each other: {problem}", "threads", severity)
            break
    found.note(f"{runs} times {THREADS} instances ran in {THREADS} threads.")


def _run_in_threads(tested: Tested, interface: Interface, expected: list[Row], names: list[str]) -> str | None:
    """What was different from a run alone; None if nothing was. The instances are made and freed by this thread."""
    with ExitStack() as stack:
        walks = [walked(stack.enter_context(Probe(tested, interface))) for _ in range(THREADS)]
        tested.monitor.note(f"the runs of {THREADS} instances in {THREADS} threads")
        with ThreadPoolExecutor(THREADS) as pool:
            for future in [pool.submit(walk.walk, 0, POINTS) for walk in walks]:
                try:
                    problem = first_difference(names, expected, future.result())
                except MobodError as error:
                    problem = str(error)
                if problem is not None:
                    return problem
    return None
