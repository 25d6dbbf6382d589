"""Derivatives: directional and adjoint derivatives against differences, in each mode that has them."""

import ctypes
import random
from typing import final

import numpy as np

from mobod.acceptance.behaviour.result import Budget, NotCheckedError, RunFindings
from mobod.acceptance.behaviour.situations import Mode, Situation, Unknown, key, modes_of
from mobod.acceptance.behaviour.tested import Tested
from mobod.errors import FmuError, first_of
from mobod.fmi.loaded_fmu import is_discard
from mobod.fmi.loading import Interface
from mobod.importer.variable import ForeignVariable

MOST_KNOWNS = 16  # in each mode
MOST_UNKNOWNS = 100
SEED = 3
MOST_NAMES = 5
_SECONDS = 2.5  # for each mode
_STEP = 1e-4  # of a known, relative
_LEAST_SIZE = 1e-3  # of a state or an input, relative to its nominal value: a smaller value may be round-off
_ROUND_OFF = 1e-11  # of the largest derivative by the same known: 45,000 units in its last place
_OTHER_STEP = 7.0  # times the first one
_ACCURACY = 1e-4  # relative, of a derivative against differences that are good enough to tell


def check_derivatives(tested: Tested, interface: Interface, found: RunFindings) -> None:
    """Directional derivatives agree with differences, and adjoint derivatives with directional ones.

    An FMU may discard derivatives where there are none, as at a start at which friction acts; but not all of them in each mode.
    """
    if not tested.can(interface, "providesDirectionalDerivative"):
        raise NotCheckedError("Its model description does not declare directional derivatives.")
    given, discarded = 0, list[str]()
    for mode in modes_of(interface):
        with Situation(tested, interface, mode) as situation:
            derivatives = _Derivatives(situation, found, SEED)
            derivatives.check()
            given += derivatives.given
            discarded += derivatives.discarded
            if tested.fmi_version == "3" and tested.can(interface, "providesAdjointDerivatives") and not derivatives.discarded:
                _check_adjoint(situation, found)
    if discarded and not given:
        message = "it declares directional derivatives, and returns discard for each that was asked for"
        found.add("directional-derivative", message, "derivatives")


def _is_float(variable: ForeignVariable) -> bool:
    return variable.is_real and variable.type != "Float32"


def _unknowns_of(situation: Situation) -> list[Unknown]:
    chosen = [each for each in situation.unknowns if _is_float(each.variable) and each.variable.variability == "continuous"]
    return chosen[:MOST_UNKNOWNS]


def _knowns_of(situation: Situation, seed: int) -> list[ForeignVariable]:
    """Real variables that can be changed and on which something depends."""
    unknowns = _unknowns_of(situation)
    chosen = [each for each in situation.knowns if _is_float(each) and any(unknown.may_depend_on(each) for unknown in unknowns)]
    return chosen if len(chosen) <= MOST_KNOWNS else random.Random(seed).sample(chosen, MOST_KNOWNS)


def directional(situation: Situation, unknowns: list[ForeignVariable], knowns: list[ForeignVariable], seed: np.ndarray) -> np.ndarray:
    """The derivatives of the unknowns along the seed of the knowns, each by their elements. Raises FmuError."""
    return _derivative(situation, "GetDirectionalDerivative", unknowns, knowns, seed, unknowns)


def _derivative(
    situation: Situation,
    function: str,
    unknowns: list[ForeignVariable],
    knowns: list[ForeignVariable],
    seed: np.ndarray,
    of: list[ForeignVariable],
) -> np.ndarray:
    probe = situation.probe
    size = sum(probe.size(each) for each in of)
    lists = [(ctypes.c_uint * len(each))(*(variable.reference for variable in each)) for each in (unknowns, knowns)]
    given = (ctypes.c_double * len(seed))(*seed.tolist())
    result = (ctypes.c_double * size)()
    sizes = ([len(seed)], [size]) if probe.fmi_version == "3" else ([], [])
    probe.where = f"in {situation.mode}"
    probe.call(function, lists[0], len(unknowns), lists[1], len(knowns), given, *sizes[0], result, *sizes[1])
    return np.array(result)


@final
class _Derivatives:
    """The directional derivatives in one mode against differences.

    given      the number of knowns by which there are derivatives
    discarded  the other knowns
    """

    def __init__(self, situation: Situation, found: RunFindings, seed: int) -> None:
        self._situation, self._found = situation, found
        self._unknowns = _unknowns_of(situation)
        self._chance = np.random.default_rng(seed)
        self._wrong: list[str] = []
        self._compared = self._unclear = self.given = 0
        self.discarded: list[str] = []

    def check(self) -> None:
        knowns = _knowns_of(self._situation, SEED)
        budget = Budget(_SECONDS)
        for known in knowns:
            if budget.is_spent:
                break
            self._check(known)
        mode: Mode = self._situation.mode
        if self._wrong:
            message = f"directional derivatives in {mode} are wrong: {first_of(self._wrong, MOST_NAMES, '; ')}"
            self._found.add("directional-derivative", message, "derivatives")
        if self.discarded:
            names = first_of(self.discarded, MOST_NAMES, ", ")
            self._found.note(f"In {mode} it gives no derivatives with respect to {names}: it returns discard.")
        if self._compared or self._unclear:
            unclear = f"; for {self._unclear} the differences do not tell" if self._unclear else ""
            self._found.note(f"In {mode} {self._compared} derivatives were compared with differences{unclear}.")

    def _check(self, known: ForeignVariable) -> None:
        situation = self._situation
        dependent = [each for each in self._unknowns if each.may_depend_on(known) and key(each.variable) != key(known)]
        size = situation.probe.size(known)
        if not dependent or not size:
            return
        seed = self._chance.uniform(0.5, 1.0, size)
        try:
            declared = directional(situation, [each.variable for each in dependent], [known], seed)
        except FmuError as refusal:
            if not is_discard(refusal):
                raise
            self.discarded.append(str(known))
            return
        self.given += 1
        try:
            measured, error = self._differences(known, seed, dependent)
            confirmed = self._confirmed(declared, measured, error, known, seed, dependent)
        except FmuError:
            self._unclear += len(declared)
            return
        names = [str(each.variable) for each in dependent for _ in range(situation.probe.size(each.variable))]
        round_off = _round_off(declared, measured, dependent, situation, known)
        for name, derivative, difference, unsure, residue, is_confirmed in zip(
            names, declared.tolist(), measured.tolist(), error.tolist(), round_off.tolist(), confirmed, strict=True
        ):
            largest = max(abs(derivative), abs(difference))
            if situation.mode == "Step Mode" and difference == 0:
                continue  # co-simulation need not compute outputs before the next step
            if not np.isfinite(derivative):
                self._wrong.append(f"'{name}' with respect to '{known}' is {derivative}")
            elif abs(derivative - difference) <= _ACCURACY * largest + 3 * unsure + residue:
                self._compared += 1
            elif unsure > 0.01 * largest or not is_confirmed:
                self._unclear += 1
            else:
                text = f"'{name}' with respect to '{known}' is {derivative:.6g}, but differences give {difference:.6g}"
                self._wrong.append(text)

    def _confirmed(
        self,
        declared: np.ndarray,
        measured: np.ndarray,
        error: np.ndarray,
        known: ForeignVariable,
        seed: np.ndarray,
        dependent: list[Unknown],
    ) -> list[bool]:
        """For each derivative whether differences at another step are nearly the same, if the first ones do not agree with it: those that
        are round-off of terms that cancel are not.
        """
        apart = np.abs(declared - measured)
        if not np.any(apart > _ACCURACY * np.maximum(np.abs(declared), np.abs(measured)) + 3 * error):
            return [True] * len(declared)
        again, _ = self._differences(known, seed, dependent, _OTHER_STEP)
        return [bool(each) for each in ~(np.abs(again - measured) > apart / 2)]

    def _differences(
        self, known: ForeignVariable, seed: np.ndarray, dependent: list[Unknown], factor: float = 1.0
    ) -> tuple[np.ndarray, np.ndarray]:
        """Central differences along the seed, extrapolated from two steps, and their error. factor: of the steps."""
        situation = self._situation
        values = situation.probe.values([each.variable for each in dependent])
        old = situation.get(known)
        point = np.array(old, dtype=float)
        size = max(float(np.abs(point).max()), _LEAST_SIZE * known.nominal if known.is_continuous else 0.0) or known.nominal
        step = factor * _STEP * size

        def at(distance: float) -> np.ndarray:
            situation.set(known, (point + distance * seed).tolist())
            return np.array(values.get_reals())

        try:
            rows = {factor: at(factor * step) for factor in (-1.0, -0.5, 0.0, 0.5, 1.0)}
        finally:
            situation.set(known, old)
        coarse = (rows[1.0] - rows[-1.0]) / (2 * step)
        fine = (rows[0.5] - rows[-0.5]) / step
        # at a kink the differences to both sides are not nearly equal, while each side is nearly straight
        bend = (rows[1.0] - rows[0.5]) - (rows[-0.5] - rows[-1.0])
        kink = np.abs(bend - 1.5 * (rows[1.0] - 2 * rows[0.5] + 2 * rows[0.0] - 2 * rows[-0.5] + rows[-1.0])) / step
        sides = np.abs(bend) / step
        sides *= np.where(sides > 0.01 * np.abs(fine), 1.0, 1e-3)
        round_off = 1e-14 * np.abs(rows[1.0]) / step
        return fine + (fine - coarse) / 3, np.abs(fine - coarse) + sides + kink + round_off


def _round_off(
    declared: np.ndarray, measured: np.ndarray, dependent: list[Unknown], situation: Situation, known: ForeignVariable
) -> np.ndarray:
    """(n,) of derivatives by one known: what is nothing beside the largest of them, each relative to the nominal value of its unknown.

    Terms that cancel in one derivative are as large as those that make the others. Where all of them cancel, as by the heading of a robot,
    they are compared with the nominal values of unknown and known.
    """
    nominals = _nominals(situation, [each.variable for each in dependent])
    sizes = np.maximum(np.abs(declared), np.abs(measured)) / nominals
    finite = sizes[np.isfinite(sizes)]
    return _ROUND_OFF * max(finite.max(initial=0.0), 1 / known.nominal) * nominals


def _check_adjoint(situation: Situation, found: RunFindings) -> None:
    """w (J s) is (w J) s for the same lists of unknowns and knowns."""
    knowns = _knowns_of(situation, SEED)
    unknowns = [each for each in _unknowns_of(situation) if all(each.may_depend_on(known) for known in knowns)]
    variables = [each.variable for each in unknowns if all(key(each.variable) != key(known) for known in knowns)]
    if not knowns or not variables:
        knowns, variables = _any_pair(situation)
    if not knowns:
        return
    chance = np.random.default_rng(SEED)
    seed = chance.uniform(-1, 1, sum(situation.probe.size(each) for each in knowns))
    weights = chance.uniform(-1, 1, sum(situation.probe.size(each) for each in variables))
    along = directional(situation, variables, knowns, seed)
    back = _derivative(situation, "GetAdjointDerivative", variables, knowns, weights, knowns)
    one, other = float(weights @ along), float(back @ seed)
    size = float(np.abs(weights * along).sum() + np.abs(back * seed).sum())
    # where all terms cancel, as in a robot that friction holds, derivatives are nothing beside nominal values
    unit = float(np.abs(weights) @ _nominals(situation, variables)) * float(np.abs(seed) @ (1 / _nominals(situation, knowns)))
    if abs(one - other) > 1e-9 * size + _ROUND_OFF * unit:
        message = (
            f"adjoint derivatives in {situation.mode} do not agree with directional ones: for random seeds their product is {other:.9g} "
            f"instead of {one:.9g}"
        )
        found.add("adjoint-derivative", message, "derivatives")
    else:
        found.note(f"In {situation.mode} adjoint derivatives agree with directional ones.")


def _nominals(situation: Situation, variables: list[ForeignVariable]) -> np.ndarray:
    """(n,) of all elements."""
    return np.array([each.nominal for each in variables for _ in range(situation.probe.size(each))])


def _any_pair(situation: Situation) -> tuple[list[ForeignVariable], list[ForeignVariable]]:
    """One known and what depends on it."""
    for known in _knowns_of(situation, SEED):
        variables = [each.variable for each in _unknowns_of(situation) if each.may_depend_on(known) and key(each.variable) != key(known)]
        if variables:
            return [known], variables
    return [], []
