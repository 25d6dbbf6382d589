"""Coupling: a joint given by its constraint wrenches, with coordinates and limits."""

import copy
from abc import ABC, abstractmethod
from collections.abc import Sequence
from functools import partial, wraps
from typing import Any, Self, final

import numpy as np
from numpy.typing import ArrayLike

from mobod.couplings.derived_wrenches import set_derived_wrenches
from mobod.couplings.fitting import fitted_coordinates
from mobod.couplings.recorded_coupling import RecordedCoupling
from mobod.couplings.records import ConstraintFlag, CouplingConstraint, CouplingCoordinate
from mobod.errors import InputError, UnsupportedError
from mobod.scalar import Array, Scalar, is_recorded
from mobod.spatial import Transform
from mobod.spatial.checked import checked_floats
from mobod.system.elements import Declared

_ALL_FLAGS = sum(ConstraintFlag)
# attributes that are not fields of a subclass
_OWN = frozenset({"given", "_constraints", "_coordinates", "_regions", "_is_building", "_recorded"})


class Coupling(Declared, ABC):
    """The motion that a joint allows of frame C on body A relative to frame D on body B. Subclass it and declare its arguments:

        class Screw(mb.Coupling):
            pitch: float = mb.argument("travel for each radian, m/rad", kw_only=False)

    `initialize_constraints` is required. It calls `add_constraint` and `add_coordinate`. The other methods are optional:

    coordinates_to_TCD      required if there are coordinates; everything else can be derived from it
    TCD_to_coordinates      default: a numerical fit
    project_to_constraints  default: the pose of the fitted coordinates
    update_constraints      default: bilateral wrenches from the complement of the coordinates' twists, and limit wrenches dual to the
                            twists

    T_CD is the pose of C in D. G is the pose nearest to C that satisfies the bilateral constraints. Wrenches are expressed in G.

    Order: a wrench is (force, moment), a twist and velGD are (linear, angular). This is ArtiSynth's order and applies to couplings only:
    everywhere else in mobod (V_GB, body forces, reactions) the angular part is first. A wrench times its multiplier acts on body A, the
    opposite wrench on B.

    The methods are recorded once for all values: use `where` for a decision by value, never `if`. TCD_to_coordinates and
    project_to_constraints need not be recordable if the joint closes no loop. Assigning a field discards the recordings, so assign a new
    value instead of changing an array in place. If constraints depend on the field, call initialize_constraints again to rebuild them.

    Source: Lloyd, ArtiSynth Modeling Guide, section 4.10; T_CD there maps coordinates in C to D.
    """

    BILATERAL, LINEAR, ROTARY = ConstraintFlag.BILATERAL, ConstraintFlag.LINEAR, ConstraintFlag.ROTARY

    _is_building = False

    def __init_subclass__(cls, **options: object) -> None:
        super().__init_subclass__(**options)
        for name, wrap in (
            ("initialize_constraints", _rebuilding),  # so that it can be called again
            ("coordinates_to_TCD", partial(_giving_a_pose, name="coordinates_to_TCD")),
            ("project_to_constraints", partial(_giving_a_pose, name="project_to_constraints")),
            ("TCD_to_coordinates", _giving_coordinates),
        ):
            if name in cls.__dict__:
                setattr(cls, name, wrap(cls.__dict__[name]))

    def __post_init__(self) -> None:
        """Build the constraints. A subclass checks its fields before it calls this one."""
        self._recorded: RecordedCoupling | None = None
        self._constraints: list[CouplingConstraint] = []
        self._coordinates: list[CouplingCoordinate] = []
        self._regions: list[tuple[int, Any, Any, Any]] = []  # regions declared by update_engaged during recording
        self.initialize_constraints()

    def _summary(self) -> str:
        names = ", ".join(each.name for each in self._coordinates)
        return f"with coordinates {names}" if names else "without coordinates"

    def __setattr__(self, name: str, value: object) -> None:
        object.__setattr__(self, name, value)
        if name not in _OWN:
            object.__setattr__(self, "_recorded", None)

    def __getstate__(self) -> dict[str, object]:
        return self.__dict__ | {"_recorded": None}

    # methods that a subclass writes
    @abstractmethod
    def initialize_constraints(self) -> None:
        """Add the constraints and the coordinates. Calling it again rebuilds them."""

    def coordinates_to_TCD(self, coordinates: Array) -> Transform:
        """T_CD, the pose of C in D, for coordinates (n,) in m or rad."""
        raise UnsupportedError(f"{type(self).__name__} has no coordinates_to_TCD. A coupling with coordinates needs this method.")

    def TCD_to_coordinates(self, TCD: Transform) -> Array:
        """(n,) rad or m: coordinates of a pose that satisfies the bilateral constraints; neither limited nor clipped.

        For an angle that can exceed half a turn, return `self.coordinate(i).nearest_angle(angle)`.
        """
        if not self._coordinates:
            return np.zeros(0)
        if is_recorded(TCD.R, TCD.p):
            raise UnsupportedError(
                f"{type(self).__name__} has no TCD_to_coordinates of its own: its coordinates are fitted numerically, which cannot be "
                "recorded. Write TCD_to_coordinates, or let the joint be a mobilizer."
            )
        return fitted_coordinates(self, TCD)

    def project_to_constraints(self, TCD: Transform) -> Transform:
        """T_GD: the pose nearest to T_CD that satisfies the bilateral constraints. It may also satisfy other constraints, except limits of
        coordinates.
        """
        if not self._coordinates:
            raise UnsupportedError(f"{type(self).__name__} has no coordinates, so it needs the method project_to_constraints.")
        return self.coordinates_to_TCD(self.TCD_to_coordinates(TCD))

    def update_constraints(self, TGD: Transform, TCD: Transform, errC: Array, velGD: Array, update_engaged: bool) -> None:
        """Set `wrench_G` of all constraints whose wrench is not constant. Setting `dot_wrench_G` is optional: it is derived by default.

        TGD, TCD        poses of G and C in D
        errC            (6,)  displacement from G to C: position, rotation vector
        velGD           (6,)  velocity of G in D, expressed in G, linear first
        update_engaged  always True: call `self.update_engaged` for all unilateral constraints that limit no coordinate

        The limit wrench W of a coordinate phi is dual to the twists: d phi/dt = W v_GD.
        """
        set_derived_wrenches(self)

    # methods that a subclass calls
    @final
    def add_constraint(self, flags: int, wrench: ArrayLike | None = None) -> CouplingConstraint:
        """Add a constraint and return it. If `wrench` (6,) in G, force first, is given, the wrench is constant."""
        given: Any = flags
        if not isinstance(given, int) or isinstance(given, bool) or given & ~_ALL_FLAGS:
            raise InputError(
                f"{type(self).__name__}: the flags of a constraint must be BILATERAL, LINEAR and ROTARY, joined by |, not {flags!r}."
            )
        checked = ConstraintFlag(flags)
        if checked & (ConstraintFlag.CONSTANT | ConstraintFlag.LIMIT):
            raise InputError(f"{type(self).__name__}: CONSTANT and LIMIT are set automatically: by a given wrench, and by add_coordinate.")
        if not checked & (ConstraintFlag.BILATERAL | ConstraintFlag.LINEAR | ConstraintFlag.ROTARY):
            raise InputError(f"{type(self).__name__}: a unilateral constraint must be LINEAR, ROTARY or both, which selects its tolerance.")
        index = len(self._constraints)
        if wrench is not None:
            wrench = checked_floats(wrench, (6,), f"{type(self).__name__}: wrench of constraint {index}")
            checked |= ConstraintFlag.CONSTANT
        self._constraints.append(CouplingConstraint(index, checked, wrench))
        return self._constraints[-1]

    @final
    def add_coordinate(
        self,
        min: float = -np.inf,  # noqa: A002 - the words of the source, of which there is no other here
        max: float = np.inf,  # noqa: A002 - as min
        limit_constraint: CouplingConstraint | None = None,
        name: str | None = None,
        unit: str | None = None,
    ) -> CouplingCoordinate:
        """Add a coordinate with its range and the constraint that limits it. Default unit: that of the limit constraint, or '1'."""
        index = len(self._coordinates)
        name = f"coordinate{index}" if name is None else name
        if any(each.name == name for each in self._coordinates):
            raise InputError(f"{type(self).__name__}: two coordinates have the name '{name}'. Names must be different.")
        if not float(min) < float(max):
            raise InputError(f"{type(self).__name__}: the range of coordinate '{name}' is ({min}, {max}). The lower limit must come first.")
        if limit_constraint is not None:
            if not any(limit_constraint is each for each in self._constraints) or limit_constraint.is_bilateral:
                raise InputError(
                    f"{type(self).__name__}: the limit_constraint of coordinate '{name}' must be a unilateral constraint of the same "
                    "coupling."
                )
            if limit_constraint.is_limit:
                raise InputError(
                    f"{type(self).__name__}: the limit_constraint of coordinate '{name}' already limits another coordinate. Add a "
                    "constraint for it."
                )
            limit_constraint.flags |= ConstraintFlag.LIMIT
        elif np.isfinite(min) or np.isfinite(max):
            raise InputError(f"{type(self).__name__}: coordinate '{name}' has limits, but no limit_constraint.")
        if unit is None:
            unit = "1" if limit_constraint is None else "m" if ConstraintFlag.LINEAR in limit_constraint.flags else "rad"
        self._coordinates.append(CouplingCoordinate(index, name, unit, float(min), float(max), limit_constraint))
        return self._coordinates[-1]

    @final
    def update_engaged(self, constraint: CouplingConstraint, distance: Scalar, lower: Scalar, upper: Scalar) -> None:
        """Engage a unilateral constraint that limits no coordinate where distance < lower or distance > upper.

        The runtime decides by the rules of section 4.10.2 of the source. -inf and inf mean no bound.
        """
        if constraint.is_bilateral or constraint.is_limit:
            raise InputError(
                f"{type(self).__name__}: constraint {constraint.index} is bilateral or limits a coordinate; it needs no update_engaged."
            )
        self._regions.append((constraint.index, distance, lower, upper))

    @final
    def constraint(self, index: int) -> CouplingConstraint:
        """The constraint with this number, in the order of add_constraint and add_coordinate."""
        self._check_index(index, len(self._constraints), "constraints")
        return self._constraints[index]

    @final
    def coordinate(self, index: int) -> CouplingCoordinate:
        """The coordinate with this number, in the order of add_coordinate."""
        self._check_index(index, len(self._coordinates), "coordinates")
        return self._coordinates[index]

    def _check_index(self, index: int, n: int, what: str) -> None:
        if not 0 <= index < n:
            raise InputError(f"{type(self).__name__} has {n} {what}, counted from 0; there is no {index}.")

    @final
    @property
    def constraints(self) -> Sequence[CouplingConstraint]:
        """All constraints by number, including those that limit coordinates."""
        self.check_initialized()
        return tuple(self._constraints)

    @final
    @property
    def coordinates(self) -> Sequence[CouplingCoordinate]:
        """All coordinates by number."""
        self.check_initialized()
        return tuple(self._coordinates)

    @final
    def check_initialized(self) -> None:
        """Raise InputError if the subclass's constructor did not call that of Coupling."""
        if "_constraints" not in vars(self):
            raise InputError(
                f"{type(self).__name__} has no constraints: its __init__ does not call super().__init__(). Do that at its end, or in "
                "__post_init__ call super().__post_init__()."
            )

    @final
    @property
    def regions(self) -> list[tuple[int, Scalar, Scalar, Scalar]]:
        """(constraint, value, lower, upper) of each call of update_engaged during a recording."""
        return list(self._regions)

    @final
    @property
    def has_own_coordinates(self) -> bool:
        """Whether the subclass overrides TCD_to_coordinates."""
        return type(self).TCD_to_coordinates is not Coupling.TCD_to_coordinates

    @final
    @property
    def likeness(self) -> object:
        """A key that is equal for couplings with the same equations: the class and the fields, or the coupling itself if a field has no
        hash.
        """
        fields = tuple((name, vars(self)[name]) for name in sorted(vars(self).keys() - _OWN))
        try:
            hash(fields)
        except TypeError:
            return self
        return type(self), fields

    # results
    @final
    @property
    def recorded(self) -> RecordedCoupling:
        """The recorded functions for wrenches and their rates, twists and regions."""
        if self._recorded is None:
            self._recorded = RecordedCoupling(self)
        return self._recorded

    @final
    def snapshot(self) -> Self:
        """A copy that does not change when this coupling changes."""
        return copy.deepcopy(self)

    @final
    def in_recording(self, coordinates: Sequence[Scalar] | Array) -> Self:
        """A copy with its own records, for one recording; coordinates (n,) are the stored values."""
        shadow = copy.copy(self)
        shadow._constraints = [each.in_recording() for each in self._constraints]
        shadow._coordinates = [copy.copy(each) for each in self._coordinates]
        shadow._regions = []
        for each, value in zip(shadow._coordinates, coordinates, strict=True):
            each.value = value
            if each.limit_constraint is not None:
                each.limit_constraint = shadow._constraints[each.limit_constraint.index]
        return shadow


def _rebuilding(initialize: Any) -> Any:
    @wraps(initialize)
    def rebuild(self: Coupling) -> None:
        if self._is_building:  # from a subclass
            initialize(self)
            return
        self._constraints, self._coordinates, self._recorded = [], [], None
        self._is_building = True
        try:
            initialize(self)
        finally:
            self._is_building = False

    return rebuild


def _giving_a_pose(method: Any, *, name: str) -> Any:
    @wraps(method)
    def checked(self: Coupling, argument: Any) -> Transform:
        pose = method(self, argument)
        if not isinstance(pose, Transform):
            raise InputError(f"{type(self).__name__}: {name} returns a {type(pose).__name__}. It must return a Transform.")
        return pose

    return checked


def _giving_coordinates(method: Any) -> Any:
    @wraps(method)
    def checked(self: Coupling, TCD: Transform) -> Any:
        values = method(self, TCD)
        n = len(self._coordinates)
        if np.shape(values) != (n,):
            raise InputError(
                f"{type(self).__name__}: TCD_to_coordinates returns an array of shape {np.shape(values)}. The shape must be ({n},), one "
                "number for "
                "each coordinate."
            )
        return values

    return checked
