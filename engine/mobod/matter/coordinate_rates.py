"""N(q) in q_dot = N u, which converts speeds to rates of coordinates, and its inverse. N has a block for each mobilizer."""

from typing import Any

import numpy as np

from mobod.errors import SingularMechanismError
from mobod.matter.operators import TreeOperators, checked_array
from mobod.real_numbers import real_numbers
from mobod.system import Stage, State


class CoordinateRates(TreeOperators):
    """Products with N in q_dot = N u, and with its inverse. All need stage POSITION and cost O(nq)."""

    def multiply_by_N(self, state: State, u: Any) -> np.ndarray:
        """(nq,) N u: the rates of the coordinates for speeds (nu,)."""
        tree = self._checked_tree(state, Stage.POSITION, "N")
        u = self._checked_speeds(tree, u, "a vector of generalized speeds")
        layout = state.layout
        values = state.values.copy()  # q_dot is linear in u: compute it with these speeds
        values[layout.part("u", self.index).slice] = u
        known = tree.prescription.slots  # known speeds would replace these
        values[known.lock_levels.slice] = values[known.motion_enabled.slice] = 0.0
        layout.run(layout.sweeps[self.index, Stage.VELOCITY], values, self.system.as_text)
        return values[tree.rate(layout.part("q", self.index)).slice].copy()

    def multiply_by_N_transpose(self, state: State, p: Any) -> np.ndarray:
        """(nu,) N^T p: the forces along the speeds with the same power as the forces p (nq,) along the coordinates."""
        p = self._checked_coordinates(state, p)
        return self._joined([N.T @ p[q] for q, _, N in self._blocks(state)])

    def multiply_by_N_inverse(self, state: State, q_dot: Any) -> np.ndarray:
        """(nu,) the speeds whose coordinate rates are closest (least squares) to the given rates (nq,).

        For a quaternion N has more rows than columns; the part of its rate that would change its length is ignored.
        Raises SingularMechanismError, which names the mobilizer, at coordinates where speeds give no finite rates.
        """
        q_dot = self._checked_coordinates(state, q_dot)
        return self._joined([np.linalg.lstsq(N, q_dot[q])[0] for q, _, N in self._blocks(state)])

    def multiply_by_N_inverse_transpose(self, state: State, f: Any) -> np.ndarray:
        """(nq,) the forces along the coordinates with the same power as the forces (nu,) along the speeds; those of least norm."""
        f = self._checked_speeds(self._checked_tree(state, Stage.POSITION, "N"), f, "a vector of generalized forces")
        return self._joined([np.linalg.lstsq(N.T, f[u])[0] for _, u, N in self._blocks(state)])

    def along_coordinates(self, state: State, J: Any) -> np.ndarray:
        """(..., nq) J N^-1: converts a derivative J (..., nu) with respect to speeds to one with respect to coordinate rates.

        It is 0 for coordinate rates that no speeds give. Raises SingularMechanismError, which names the mobilizer, at coordinates where
        speeds give no finite rates.
        """
        J = real_numbers(J, "along_coordinates")
        blocks = self._blocks(state)
        return np.concatenate([np.zeros((*J.shape[:-1], 0)), *(J[..., u] @ np.linalg.pinv(N) for _, u, N in blocks)], axis=-1)

    # # internal
    def _checked_coordinates(self, state: State, value: Any) -> np.ndarray:
        self._checked_tree(state, Stage.POSITION, "N")
        return checked_array(value, (state.layout.part("q", self.index).size,), "a vector of rates of coordinates")

    @staticmethod
    def _joined(parts: list[np.ndarray]) -> np.ndarray:
        return np.concatenate([np.zeros(0), *parts])

    def _blocks(self, state: State) -> list[tuple[slice, slice, np.ndarray]]:
        """(its coordinates, its speeds, N) of each mobilizer. One product gives column i of all blocks, since N is zero outside the
        blocks.
        """
        tree = self.tree(state.layout)
        nu = np.array([body.nu for body in self.bodies], dtype=int)
        q_ends = np.cumsum([0, *(tree.q(body).size for body in self.bodies)])
        u_ends = np.cumsum([0, *nu])
        columns = []
        for i in range(nu.max(initial=0)):
            unit = np.zeros(u_ends[-1])
            unit[u_ends[:-1][nu > i] + i] = 1.0
            columns.append(self.multiply_by_N(state, unit))
        blocks = []
        for b, body in enumerate(self.bodies):
            q, u = slice(q_ends[b], q_ends[b + 1]), slice(u_ends[b], u_ends[b + 1])
            N = np.array([column[q] for column in columns[: body.nu]]).reshape(body.nu, -1).T if body.nu else np.zeros((0, 0))
            if not np.isfinite(N).all():
                raise SingularMechanismError(
                    f"mobilizer '{body.name}' ({type(body).__name__}) at q = {state.view(tree.q(body)).tolist()}: speeds have no "
                    "finite rates of its coordinates there. Choose other coordinates, or frames that keep it away from them."
                )
            blocks.append((q, u, N))
        return blocks
