"""Couplings that close loops, and regions of those that are mobilizers, among the constraints of a model file."""

from typing import Any, TypeVar

from mobod.couplings import CouplingJoint, CouplingLoop, CouplingMobilizer
from mobod.couplings.unilateral_couplings import CouplingDistances, CouplingRegions
from mobod.files.model.codecs import BODY, FRAME, TEXT
from mobod.files.model.couplings import COUPLING
from mobod.files.model.elements import FileField, Spec
from mobod.files.model.place import Place, made
from mobod.files.model.unilateral import DISABLED, RESTITUTION, TOLERANCE
from mobod.matter import Constraint, UnilateralConstraint

C = TypeVar("C", bound=Constraint)

JOINT = {
    "name": FileField(TEXT),
    "disabled": DISABLED,
    "coupling": FileField(COUPLING),
    "body_A": FileField(BODY),
    "body_B": FileField(BODY),
    "X_AC": FileField(FRAME, default={}),
    "X_BD": FileField(FRAME, default={}),
}


def _of_limits(field: FileField) -> FileField:
    """The same field for the limits of a loop, if it has any."""
    assert field.get is not None
    get = field.get
    return FileField(field.codec, lambda loop: field.default if loop.limits is None else get(loop.limits), field.default)


def _joint(cls: type[C], place: Place, values: dict[str, Any]) -> C:
    names = ("coupling", "body_A", "body_B", "X_AC", "X_BD", "restitution", "name")
    joint = CouplingJoint(**{name: values[name] for name in names if name in values})
    if type(joint) is not cls:
        place.at("type").fail(f"of this coupling CouplingJoint makes a {type(joint).__name__}, not a {cls.__name__}.")
    joint.set_disabled_by_default(values.get("disabled", False))
    return joint


def _loop(place: Place, values: dict[str, Any]) -> CouplingLoop:
    loop = _joint(CouplingLoop, place, values)
    for key in ("tolerance", "limits_disabled"):
        if key in values and loop.limits is None:
            place.at(key).fail(f"'{loop.name}' has no limits: its coupling has neither ranges nor regions.")
    if loop.limits is not None:
        loop.limits.set_disabled_by_default(values.get("limits_disabled", False))
        _set_tolerance(loop.limits, values, place)
    return loop


def _distances(place: Place, values: dict[str, Any]) -> CouplingDistances:
    distances = _joint(CouplingDistances, place, values)
    _set_tolerance(distances, values, place)
    return distances


def _regions(place: Place, values: dict[str, Any]) -> CouplingRegions:
    body, at = values["body"], place.at("body")
    if not isinstance(body, CouplingMobilizer):
        at.fail(f"'{body.name}' is no CouplingMobilizer.")
    if not body.has_regions:
        at.fail(f"the coupling of '{body.name}' has no unilateral constraints but those that limit coordinates.")
    if body.regions is not None:
        at.fail(f"the regions of '{body.name}' are listed already.")
    regions = body.keep_regions(values.get("restitution", 0.0))
    regions.set_disabled_by_default(values.get("disabled", False))
    _set_tolerance(regions, values, place)
    return regions


def _set_tolerance(constraint: UnilateralConstraint, values: dict[str, Any], place: Place) -> None:
    made(place.at("tolerance"), lambda: setattr(constraint, "tolerance", values.get("tolerance")))


COUPLING_JOINTS = {
    spec.cls.__name__: spec
    for spec in (
        Spec(
            CouplingLoop,
            {
                **JOINT,
                "restitution": _of_limits(RESTITUTION),
                "tolerance": _of_limits(TOLERANCE),
                "limits_disabled": _of_limits(DISABLED),
            },
            _loop,
        ),
        Spec(CouplingDistances, {**JOINT, "restitution": RESTITUTION, "tolerance": TOLERANCE}, _distances),
        Spec(
            CouplingRegions,
            {"body": FileField(BODY), "restitution": RESTITUTION, "tolerance": TOLERANCE, "disabled": DISABLED},
            _regions,
        ),
    )
}
