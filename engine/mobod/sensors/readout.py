"""Readout: a coordinate, a speed, a drive force, a tendon's length, the time or an energy, as an instrument shows it."""

from typing import Any, Literal, final

import numpy as np

from mobod.errors import InputError
from mobod.forces import FixedTendon, Force, Servo, SiteServo
from mobod.forces.drives.drive_limit import DriveLimit
from mobod.matter import MobilizedBody
from mobod.scalar import Array, Scalar, clip, where
from mobod.system import Stage
from mobod.system.elements import Parameter, argument, parameter
from mobod.system.measures import CustomMeasure

Quantity = Literal["q", "u", "force", "length", "rate", "time", "kinetic_energy", "potential_energy"]
_STAGES = {
    "q": Stage.POSITION,
    "u": Stage.VELOCITY,
    "force": Stage.DYNAMICS,
    "length": Stage.POSITION,
    "rate": Stage.VELOCITY,
    "time": Stage.TIME,
    "kinetic_energy": Stage.VELOCITY,
    "potential_energy": Stage.DYNAMICS,  # whose parameters change its value
}
_FORCES: dict[str, tuple[type, ...]] = {
    "force": (Servo, SiteServo, DriveLimit),
    "length": (FixedTendon,),
    "rate": (FixedTendon,),
}


@final
class Readout(CustomMeasure):
    """factor times a quantity, cut at a greatest size.

    quantity  'q', 'u': of `body`, a number, or an array for a body with several; 'force': that of `force`, a Servo, a SiteServo or a
              DriveLimit; 'length', 'rate': of `force`, a FixedTendon; 'time', s; 'kinetic_energy', 'potential_energy' of the System, J
    factor    such as a gear ratio
    cutoff    greatest size of each entry that is shown; 0: no bound

    Variable: '<name>.value'.
    """

    quantity: Quantity = argument("what it shows", kw_only=False)
    body: MobilizedBody | None = argument("of 'q' and 'u'", default=None)
    force: Force | None = argument("of 'force', 'length' and 'rate'", default=None, is_kept=False)
    factor: Parameter[float] = parameter("1", "factor", default=1.0)
    set_factor, default_factor, set_default_factor = factor.accessors
    cutoff: Parameter[float] = parameter("{element.unit_shown}", "greatest size that is shown", default=0.0, least=0.0)
    set_cutoff, default_cutoff, set_default_cutoff = cutoff.accessors

    def __post_init__(self) -> None:
        self.force = self.given["force"]
        given: object = self.body
        if (self.quantity in ("q", "u")) != isinstance(given, MobilizedBody):
            raise InputError("Readout: 'q' and 'u' are those of a mobilized body, body=..., and others are not.")
        kinds = _FORCES.get(self.quantity, ())
        if (self.force is not None) != bool(kinds) or (kinds and not isinstance(self.force, kinds)):
            of = " or ".join(each.__name__ for each in kinds)
            raise InputError(f"Readout: '{self.quantity}' needs {f'force=..., a {of}' if kinds else 'no force'}.")
        n = 1 if self.body is None else self.body.nq if self.quantity == "q" else self.body.nu
        units = self._units()
        self.unit_shown = units[0]
        self._measure(shape=() if n == 1 else (n,), stage=_STAGES[self.quantity], unit=units if n > 1 else units[0])

    def calc_value(self, state: Any) -> Array | Scalar:
        """() or (n,), in the unit of the quantity: the value that is shown."""
        found, factor, cutoff = np.asarray(self._read(state)), self._number("factor", state), self._number("cutoff", state)

        def cut(each: Scalar) -> Scalar:
            return where(cutoff > 0, clip(factor * each, -cutoff, cutoff), factor * each)

        return np.array([cut(each) for each in found]) if found.ndim and found.size > 1 else cut(found.reshape(-1)[0])

    # inside
    def _number(self, name: str, state: Any) -> Any:
        return state.get(self._handle(name))

    def _read(self, state: Any) -> Any:
        body, force = self.body, self.force
        if body is not None:
            return body.q(state) if self.quantity == "q" else body.u(state)
        if force is not None:
            return state.view(force.kept(state.layout, self.quantity))
        if self.quantity == "time":
            return state.time
        entries = [getattr(each, f"{self.quantity}_entry") for each in self.system.subsystems]
        return sum(state.cached(entry) for entry in entries if entry is not None)

    def _units(self) -> tuple[str, ...]:
        if self.body is not None:
            return self.body.equations.q_units if self.quantity == "q" else self.body.equations.u_units
        if isinstance(self.force, FixedTendon):
            return (self.force.unit if self.quantity == "length" else f"{self.force.unit}/s",)
        if self.force is not None:
            return (getattr(self.force, "force_unit"),)  # noqa: B009 - all of these kinds have it
        return ("s" if self.quantity == "time" else "J",)
