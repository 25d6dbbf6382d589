"""LinearSystem: the matrices A, B, C and D with the names of their rows and columns."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, final

import numpy as np
from numpy.typing import ArrayLike

from mobod.arguments.real_numbers import real_numbers
from mobod.errors import InputError, MobodWarning, UnsupportedError

_SHOWN = 8  # names of each kind in the text of a LinearSystem


@final
@dataclass(frozen=True, kw_only=True, eq=False)
class LinearSystem:
    """Deviations x of the states, u of the inputs and y of the outputs: dx/dt = A x + B u + rates, y = C x + D u.

        linear = system.linearize(state, outputs=["lower.q", "energy"])
        A, B, C, D = linear

    A, B, C, D       (nx, nx), (nx, nu), (ny, nx), (ny, nu)
    states           (nx,) names, in the order q, u, z; so are `inputs` (nu,) and `outputs` (ny,)
    state_units      (nx,) SI units; so are input_units and output_units
    rates            (nx,) rates of the states at the point where it was made; 0 at an equilibrium
    state            the State at which it was made; None for an FMU
    frame            'parent', 'body', ...: in which the states are deviations from the motion (see System.linearize); None: of the State
    turning          names of bodies whose quaternions turn: A belongs to this instant, and changes along the motion. `poles` are right
    by_differences   whether the matrices are finite differences, with errors of about 1e-6; else they are exact to round-off
    """

    A: np.ndarray
    B: np.ndarray
    C: np.ndarray
    D: np.ndarray
    states: tuple[str, ...]
    inputs: tuple[str, ...]
    outputs: tuple[str, ...]
    state_units: tuple[str, ...]
    input_units: tuple[str, ...]
    output_units: tuple[str, ...]
    rates: np.ndarray
    state: Any = None
    by_differences: bool = False
    frame: str | None = None
    turning: tuple[str, ...] = ()

    def __iter__(self) -> Iterator[np.ndarray]:
        return iter((self.A, self.B, self.C, self.D))

    def __repr__(self) -> str:
        lines = [
            f"  {what} ({len(names)}): {', '.join(names[:_SHOWN])}{', ...' if len(names) > _SHOWN else ''}".rstrip(": ")
            for what, names in (("states", self.states), ("inputs", self.inputs), ("outputs", self.outputs))
        ]
        lines += ["  by finite differences"] if self.by_differences else []
        lines += [f"  deviations from the motion, in the frame: {self.frame}"] if self.frame is not None else []
        return "\n".join(["LinearSystem", *lines])

    def poles(self) -> np.ndarray:
        """(nx,) 1/s, by their absolute values: the eigenvalues of A.

        Where quaternions turn (see `turning`), A changes along the motion, and its eigenvalues are no poles. Then they are those of the
        same motion in frame 'steady', as in `system.modes`: of the A of system.linearize(state, frame='steady').
        """
        if self.turning:
            steady: LinearSystem = self.state.system.linearize(self.state, inputs=[], outputs=[], frame="steady")
            return steady.poles()
        from scipy import linalg  # imported here because it is slow to import, and every System knows this class

        return _sorted(linalg.eigvals(self.A))

    def zeros(self) -> np.ndarray:
        """1/s: the invariant zeros, at which some input gives no output; of a system with as many inputs as outputs.

        Raises UnsupportedError for other numbers of outputs: choose the ones that belong to the inputs.
        """
        if len(self.inputs) != len(self.outputs):
            raise UnsupportedError(
                f"zeros need as many inputs as outputs. This LinearSystem has {len(self.inputs)} and {len(self.outputs)}: choose them by "
                "linearize(..., inputs=[...], outputs=[...])."
            )
        self._warn_if_turning("zeros")
        n, m = self.B.shape
        from scipy import linalg  # imported here because it is slow to import, and every System knows this class

        found = linalg.eigvals(np.block([[self.A, self.B], [self.C, self.D]]), linalg.block_diag(np.eye(n), np.zeros((m, m))))
        size = max(1.0, np.abs(self.A).max(initial=0.0))
        return _sorted(found[np.isfinite(found) & (np.abs(found) < 1e6 * size)])  # round-off makes infinite ones large numbers

    def frequency_response(self, omegas: ArrayLike) -> np.ndarray:
        """(ny, nu, n) complex: C (i omega - A)^-1 B + D for angular frequencies omegas (n,), rad/s.

        Raises InputError at a frequency that is a pole.
        """
        omegas = np.atleast_1d(real_numbers(omegas, "frequency_response: the frequencies"))
        if omegas.ndim != 1:
            raise InputError(f"frequency_response takes a sequence of frequencies in rad/s, not an array of shape {omegas.shape}.")
        self._warn_if_turning("frequency_response")
        responses = np.empty((*self.D.shape, len(omegas)), dtype=complex)
        for k, omega in enumerate(omegas):
            try:
                responses[..., k] = self.C @ np.linalg.solve(1j * omega * np.eye(len(self.A)) - self.A, self.B) + self.D
            except np.linalg.LinAlgError:
                raise InputError(f"frequency_response: {omega:g} rad/s is a pole; the response is infinite there.") from None
        return responses

    def to_control(self) -> Any:
        """The `control.StateSpace` of the package python-control, with the same names.

        Its names have '_' in place of '.', which python-control does not accept. Raises UnsupportedError if it is not installed.
        """
        try:
            import control
        except ImportError:
            raise UnsupportedError("to_control needs the package python-control: python -m pip install 'mobod[control]'.") from None
        self._warn_if_turning("to_control")
        names = {
            what: [name.replace(".", "_") for name in names]
            for what, names in (("states", self.states), ("inputs", self.inputs), ("outputs", self.outputs))
        }
        return control.ss(self.A, self.B, self.C, self.D, **names)

    def _warn_if_turning(self, what: str) -> None:
        if self.turning:
            MobodWarning.warn(
                f"{what}: the orientation of '{self.turning[0]}' turns, so A changes along the motion. "
                "Use system.linearize(state, frame='steady'), 'parent' or 'body', whose A stays constant in a steady motion, or "
                "system.modes.",
                stacklevel=3,
            )


def _sorted(numbers: np.ndarray) -> np.ndarray:
    """By absolute values; of a pair, the one with the positive imaginary part first."""
    return numbers[np.lexsort((-numbers.imag, numbers.real, np.abs(numbers).round(12)))]
