"""Runs of a mechanism by each door, as rows of its states at the same times; an error of mobod is a result too."""

import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

import mobod as mb
from mobod.errors import MobodError
from mobod.importer.fmu_model import FmuModel
from mobod.importer.run import FmuRun
from mobod.importer.start_values import StartValues

ACCURACY = 1e-6
N_POINTS = 5  # of a run, after its start
MAX_STEPS = 20_000


@dataclass(frozen=True)
class Rows:
    """time (m,); values (m, states); an error ends the run and leaves no rows

    doubts  warnings of the run that its motion is not certain; overruns of bounded steps
    """

    names: tuple[str, ...]
    time: np.ndarray
    values: np.ndarray
    steps: int = 0
    error: MobodError | None = None
    doubts: tuple[str, ...] = field(default=())

    @property
    def is_whole(self) -> bool:
        return self.error is None


def states_of(system: mb.MultibodySystem, state: mb.State) -> list[str]:
    return [name for each in system.variables(state) if each.role == "state" for name in each.entry_names()]


def times(duration: float, n_points: float = N_POINTS) -> np.ndarray:
    return np.append(duration / n_points * np.arange(np.ceil(n_points)), duration)


def _chosen(time: np.ndarray, duration: float, n_points: float = N_POINTS) -> list[int]:
    """The rows at `times`, the last of each, since events leave two; and the last one of a run that has ended earlier."""
    near = 1e-9 * duration
    found = [np.flatnonzero(np.abs(time - point) <= near) for point in times(duration, n_points)]
    rows = [int(each[-1]) for each in found if len(each)]
    return rows if time[-1] >= duration - near else sorted({*rows, len(time) - 1})


@contextmanager
def quiet() -> Iterator[None]:
    """Without warnings of mobod."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", mb.MobodWarning)
        yield


def _attempted(names: list[str], make: Callable[[], tuple[np.ndarray, np.ndarray, int, tuple[str, ...]]]) -> Rows:
    with quiet():
        try:
            time, values, steps, doubts = make()
        except MobodError as error:
            return Rows(tuple(names), np.zeros(0), np.zeros((0, len(names))), error=error)
    return Rows(tuple(names), time, values, steps, doubts=doubts)


def simulated(system: mb.MultibodySystem, state: mb.State, duration: float, n_points: float = N_POINTS, **options: Any) -> Rows:
    """By Simulation.run: rows at equal intervals, interpolated. n_points: intervals, of which the last may be a part. The times of the rows
    begin at 0, whatever that of the State.
    """
    names = states_of(system, state)
    options = _with_defaults(options)

    def make() -> tuple[np.ndarray, np.ndarray, int, tuple[str, ...]]:
        results = mb.Simulation(system, **options).run(state, state.time + duration, duration / n_points)
        time = results.time - state.time
        at = _chosen(time, duration, n_points)
        values = np.stack([results[name][at] for name in names], axis=1) if names else np.zeros((len(at), 0))
        return time[at], values, results.steps, tuple(each for each in results.warnings if "order" in each)

    return _attempted(names, make)


def _with_defaults(options: dict[str, Any]) -> dict[str, Any]:
    options = {"accuracy": ACCURACY, "backend": "interpreted"} | options
    if "step" not in options:
        options.setdefault("max_steps", MAX_STEPS)
    elif options.get("integrator") == "velocity_level":
        del options["accuracy"]
    return options


def stepped(system: mb.MultibodySystem, state: mb.State, points: np.ndarray, *, save_at: int | None = None, **options: Any) -> Rows:
    """By a SteppedRun: rows at ends of its steps. save_at: after this point it is saved, goes on to the end, and is restored"""
    names = states_of(system, state)

    def make() -> tuple[np.ndarray, np.ndarray, int, tuple[str, ...]]:
        rows, saved = [], None
        with mb.Simulation(system, **_with_defaults(options)).start(state, report_every=np.inf) as run:
            columns = run.variables(*names) if names else None

            def row() -> list[float]:
                return [run.time, *(columns.get() if columns else ())]

            rows.append(row())
            for number, point in enumerate(points[1:], 1):
                run.step_to(point)
                rows.append(row())
                if run.terminated_by:
                    break
                if number == save_at:
                    saved = run.save()
            if saved is not None:
                run.restore(saved)
                del rows[save_at + 1 :]
                for point in points[save_at + 1 :]:
                    run.step_to(point)
                    rows.append(row())
                    if run.terminated_by:
                        break
            table = np.array(rows)
            doubts = (f"{run.leftovers.overrun} overruns",) if run.leftovers.overrun else ()
            return table[:, 0], table[:, 1:], run.steps, doubts

    return _attempted(names, make)


def exported(
    system: mb.MultibodySystem, state: mb.State, folder: Path, version: str = "2.0", outputs: list[str] | None = None, **options: Any
) -> Path:
    """An FMU whose outputs are all states, unless others are given."""
    outputs = outputs or [each.name for each in system.variables(state) if each.role == "state"]
    options.setdefault("code", "interpreted")
    if "step" not in options:
        options.setdefault("max_steps", MAX_STEPS)
    with quiet():
        return mb.export_fmu(
            system, folder / f"it_{version[0]}.fmu", fmi_version=version, arrays=None if version == "2.0" else "scalars",
            outputs=outputs, state=state, reference=False, **options,
        )  # fmt: skip


def of_fmu(
    path: Path,
    names: list[str],
    duration: float,
    interface: str = "co-simulation",
    accuracy: float = ACCURACY,
    start: dict[str, float] | None = None,
    n_points: float = N_POINTS,
) -> Rows:
    def make() -> tuple[np.ndarray, np.ndarray, int, tuple[str, ...]]:
        model = FmuModel(path)
        values = StartValues(model)
        for name, value in (start or {}).items():
            values.set(name, repr(value))
        make_run = partial(FmuRun, model, values, outputs=names, interface=interface, until=duration, accuracy=accuracy)
        every = duration / n_points
        run = make_run(step=every) if interface == "co-simulation" else make_run(report_every=every)
        table = run.run()
        at = _chosen(table.time, duration, n_points)
        columns = np.stack([table[name][at] for name in names], axis=1) if names else np.zeros((len(at), 0))
        return table.time[at], columns, run.steps, ()

    return _attempted(names, make)
