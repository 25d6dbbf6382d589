"""Warnings of runs of an ensemble in which flexible bodies leave the range of small deformation, as `Simulation.run` has them."""

from typing import final

import numpy as np

from mobod.ensembles.outputs import OutputTable
from mobod.simulate.deformation_checks import fast_spins, flexible_bodies, large_deflections
from mobod.system import State, System


@final
class WatchedOutputs:
    """The outputs of an ensemble, and after them what the warnings need: modal coordinates, and how fast bodies turn.

    Where Python must compute the angular velocities, while C computes the outputs, they are left out, so that runs stay fast: there is no
    warning of fast rotation then.
    """

    def __init__(self, system: System, state: State, outputs: OutputTable):
        self.outputs = outputs
        self._bodies = flexible_bodies(system)
        given = [each.name for each in outputs.variables]
        of_modes = [f"{body.name}.eta" for body in self._bodies]
        self._turning = [body for body in self._bodies if body.flexible is not None and not body.flexible.data.is_stiffened]
        of_turning = [name for body in self._turning for name in (f"{body.name}.mean_axes.w_GB", f"{body.name}.stiffness_scale")]
        self.table = OutputTable(system, state, [*given, *of_modes, *of_turning]) if self._bodies else outputs
        if outputs.is_in_c and not self.table.is_in_c:
            self._turning, self.table = [], OutputTable(system, state, [*given, *of_modes])

    def messages(self, values: np.ndarray, times: np.ndarray) -> list[tuple[int, str]]:
        """(run, message), by runs; values (runs, k, numbers of the table) at the times (k,)."""
        found = []
        for body in self._bodies:
            found += large_deflections(body, self._columns(values, f"{body.name}.eta"), times)
        for body in self._turning:
            spins = np.linalg.norm(self._columns(values, f"{body.name}.mean_axes.w_GB"), axis=2)
            found += fast_spins(body, spins, times, self._columns(values, f"{body.name}.stiffness_scale")[..., 0])
        return sorted(found, key=lambda each: each[0])

    def without_watched(self, values: np.ndarray) -> np.ndarray:
        """(runs, k, numbers of the outputs)"""
        return values if len(self.table) == len(self.outputs) else np.ascontiguousarray(values[..., : len(self.outputs)])

    def _columns(self, values: np.ndarray, name: str) -> np.ndarray:
        first, end = self.table.named.columns[name]
        return values[..., first:end]
