"""Several instances of one library: side by side, a thousand of them, freed in another order, and in several threads."""

import random
import threading
from typing import final

from mobod.acceptance.behaviour.memory import resident_memory
from mobod.acceptance.behaviour.probe import Probe
from mobod.acceptance.behaviour.result import Budget, Findings, NotCheckedError
from mobod.acceptance.behaviour.tested import Tested
from mobod.acceptance.behaviour.walk import Row, Walk, first_difference
from mobod.cosim.fmu_log import FmuLog
from mobod.cosim.loaded_fmu import Interface
from mobod.errors import MobodError

MOST_INSTANCES = 1000
MOST_MEMORY = 10**9  # bytes
THREADS = 4
POINTS = 20
_SECONDS = 3.0
SEED = 11


def check_instances(tested: Tested, interface: Interface, found: Findings) -> None:
    """Two instances do not disturb each other, and a thousand can be made."""
    _require_several(tested, interface)
    expected, names = _alone(tested, interface, 1)
    with Probe(tested, interface, name="first") as one, Probe(tested, interface, name="second") as two:
        walks = []
        for probe, parts in ((one, 1), (two, 2)):
            probe.initialize()
            walks.append(Walk(probe, parts))
            walks[-1].begin()
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
        probe.initialize()
        walk = Walk(probe, parts)
        walk.begin()
        return walk.walk(0, POINTS), walk.names


def _make_many(tested: Tested, interface: Interface, found: Findings, expected: list[Row], names: list[str]) -> None:
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
            probe.initialize()
            walk = Walk(probe)
            walk.begin()
            difference = first_difference(names, expected, walk.walk(0, POINTS))
            if difference:
                found.add("instances", f"one of {len(probes)} instances gives other outputs than a single one: {difference}", "creation")
    finally:
        random.Random(SEED).shuffle(probes)
        for probe in probes:
            probe.free()
    found.note(f"{len(probes)} instances were made{why}; they were freed in another order (seed {SEED}).")
    if after is not None and before is not None and len(probes) > 10:
        found.figures.append(("memory of an instance", (after - before) / len(probes), "bytes"))


def check_threads(tested: Tested, interface: Interface, found: Findings) -> None:
    """Instances that run in several threads at the same time give the bits of one that runs alone."""
    _require_several(tested, interface)
    expected, names = _alone(tested, interface, 1)
    budget = Budget(_SECONDS)
    workers = [_Worker(tested, interface, expected, names, budget) for _ in range(THREADS)]
    tested.monitor.note(f"the runs of {THREADS} instances in {THREADS} threads")
    for worker in workers:
        worker.thread.start()
    for worker in workers:
        worker.thread.join()
    # FMI 3.0 promises parallel calls of several instances only for several processes
    severity = "error" if tested.fmi_version == "2" else "warning"
    for worker in workers:
        if worker.problem is not None:
            message = f"instances in {THREADS} threads disturb each other: {worker.problem}"
            found.add("threads", message, "threads", "error" if severity == "error" else "warning")
            break
    found.note(f"{sum(worker.runs for worker in workers)} runs in {THREADS} threads.")


@final
class _Worker:
    """Runs instances in a thread until the time is spent.

    problem  what was different; None if nothing was
    """

    def __init__(self, tested: Tested, interface: Interface, expected: list[Row], names: list[str], budget: Budget) -> None:
        self.problem: str | None = None
        self.runs = 0
        self._tested, self._interface, self._expected, self._names, self._budget = tested, interface, expected, names, budget
        self.thread = threading.Thread(target=self._work)

    def _work(self) -> None:
        log = FmuLog()
        while self.problem is None and self.runs < 200:
            try:
                with Probe(self._tested, self._interface, log=log) as probe:
                    probe.initialize()
                    walk = Walk(probe)
                    walk.begin()
                    self.problem = first_difference(self._names, self._expected, walk.walk(0, POINTS))
            except MobodError as error:
                self.problem = str(error)
            self.runs += 1
            if self._budget.is_spent:
                break
