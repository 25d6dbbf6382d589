"""Warnings of runs of an ensemble in which flexible bodies leave the range of small deformation, as `Simulation.run` has them."""

from typing import final

import numpy as np

from mobod.ensembles.outputs import OutputTable
from mobod.ensembles.slots import outputs_in
from mobod.ensembles.starts import Starts
from mobod.matter import MobilizedBody, MultibodySystem
from mobod.simulate.deformation_checks import fast_spins, flexible_bodies, large_deflections, may_turn_fast
from mobod.system import State, System


@final
class WatchedOutputs:
    """The outputs of an ensemble, and after them what the warnings need: modal coordinates, and how fast bodies turn.

    Where Python must compute the angular velocities, while C computes the outputs, those at the ends of the runs alone are looked at, so
    that runs stay fast.
    """

    def __init__(self, system: System, state: State, outputs: OutputTable):
        self.outputs, self._system = outputs, system
        self._at_ends: OutputTable | None = None
        self._bodies = flexible_bodies(system)
        given = [each.name for each in outputs.variables]
        of_modes = [f"{body.name}.eta" for body in self._bodies]
        self._turning = [body for body in self._bodies if not may_turn_fast(body)]
        of_turning = [name for body in self._turning for name in _names_of_turning(body)]
        self.table = OutputTable(system, state, [*given, *of_modes, *of_turning]) if self._bodies else outputs
        if outputs.is_in_c and not self.table.is_in_c:
            self._at_ends, self._turning = OutputTable(system, state, of_turning), []
            self.table = OutputTable(system, state, [*given, *of_modes])

    def messages(self, values: np.ndarray, times: np.ndarray, ends: Starts) -> list[tuple[int, str]]:
        """(run, message), by runs; values (runs, k, numbers of the table) at the times (k,); ends: the States at the ends of the runs."""
        found = []
        for body in self._bodies:
            found += large_deflections(body, self._columns(values, f"{body.name}.eta"), times)
        for body in self._turning:
            of_speed, of_scale = (self._columns(values, name) for name in _names_of_turning(body))
            found += fast_spins(body, np.linalg.norm(of_speed, axis=2), times, of_scale[..., 0])
        if self._at_ends is not None:
            at_ends = np.array([outputs_in(self._system, ends.state(run), self._at_ends) for run in range(len(ends))])[:, None]
            for body in filter(lambda body: not may_turn_fast(body), self._bodies):
                of_speed, of_scale = (at_ends[..., slice(*self._at_ends.named.columns[name])] for name in _names_of_turning(body))
                found += fast_spins(body, np.linalg.norm(of_speed, axis=2), ends.times, of_scale[..., 0])
        return sorted(found, key=lambda each: each[0])

    def without_watched(self, values: np.ndarray) -> np.ndarray:
        """(runs, k, numbers of the outputs)"""
        return values if len(self.table) == len(self.outputs) else np.ascontiguousarray(values[..., : len(self.outputs)])

    def _columns(self, values: np.ndarray, name: str) -> np.ndarray:
        first, end = self.table.named.columns[name]
        return values[..., first:end]


@final
class WatchedSteps:
    """Flexible bodies of runs that are stepped, after each step: one message of each kind for a body and a run.

    turning  OutputTable of the angular velocities and the stiffness of bodies that must not turn fast, or None
    """

    def __init__(self, system: System, state: State, n: int):
        bodies = flexible_bodies(system)
        turning = [body for body in bodies if not may_turn_fast(body)]
        names = [name for body in turning for name in _names_of_turning(body)]
        self.turning = OutputTable(system, state, names) if turning else None
        self._bodies = [_BodyInSteps(system, body, state, n) for body in bodies]

    def __len__(self) -> int:
        """The number of bodies."""
        return len(self._bodies)

    @property
    def may_turn_too_fast(self) -> np.ndarray:
        """(n,) the runs whose angular velocities are of interest."""
        open_runs = [~body.has_turned for body in self._bodies if not body.may_turn_fast]
        return np.asarray(np.any(open_runs, axis=0))

    def bent(self, w: np.ndarray, times: np.ndarray, runs: np.ndarray) -> list[tuple[int, str]]:
        """(run, message) of frames that moved too far; w (n, size) the memory of all runs at their times (n,); runs (m,) that are new."""
        return [each for body in self._bodies for each in body.bent(w, times, runs)]

    def turned(self, values: np.ndarray, times: np.ndarray, runs: np.ndarray) -> list[tuple[int, str]]:
        """(run, message) of bodies that turn too fast; values (m, numbers of `turning`) of the runs (m,)."""
        assert self.turning is not None
        return [each for body in self._bodies if not body.may_turn_fast for each in body.turned(values, self.turning, times, runs)]

    def begin(self, runs: np.ndarray) -> None:
        """These runs begin again."""
        for body in self._bodies:
            body.has_bent[runs] = body.has_turned[runs] = False


class _BodyInSteps:
    """A flexible body in n runs; has_bent, has_turned (n,): what has been said of each."""

    def __init__(self, system: System, body: MobilizedBody, state: State, n: int):
        assert isinstance(system, MultibodySystem)
        assert body.flexible is not None
        self._body, self.may_turn_fast = body, may_turn_fast(body)
        self._eta = list(system.matter.tree(state.layout).q(body.flexible.node).offsets)
        self.has_bent, self.has_turned = np.zeros(n, dtype=bool), np.zeros(n, dtype=bool)

    def bent(self, w: np.ndarray, times: np.ndarray, runs: np.ndarray) -> list[tuple[int, str]]:
        open_runs = runs[~self.has_bent[runs]]
        if not open_runs.size:
            return []
        found = large_deflections(self._body, w[np.ix_(open_runs, self._eta)][:, None], times[open_runs])
        self.has_bent[open_runs[[k for k, _ in found]]] = True
        return [(int(open_runs[k]), message) for k, message in found]

    def turned(self, values: np.ndarray, table: OutputTable, times: np.ndarray, runs: np.ndarray) -> list[tuple[int, str]]:
        of_speed, of_scale = (slice(*table.named.columns[name]) for name in _names_of_turning(self._body))
        speeds = np.linalg.norm(values[:, of_speed], axis=1)
        speeds[self.has_turned[runs]] = 0.0
        found = fast_spins(self._body, speeds[:, None], times[runs], values[:, of_scale])
        self.has_turned[runs[[k for k, _ in found]]] = True
        return [(int(runs[k]), message) for k, message in found]


def _names_of_turning(body: MobilizedBody) -> tuple[str, str]:
    return f"{body.name}.mean_axes.w_GB", f"{body.name}.stiffness_scale"
