"""Constraints in a model file."""

from collections.abc import Callable, Mapping
from inspect import signature
from typing import Any, final

import numpy as np
from numpy.typing import ArrayLike

from mobod import registry
from mobod.couplings import CouplingLoop
from mobod.errors import UnsupportedError
from mobod.files.json_source import Json
from mobod.files.model.codecs import BODY, BOOLEAN, INTEGER, TEXT, Codec, ListOf
from mobod.files.model.contact_pools import CONTACT_POOL
from mobod.files.model.contacts import RIGID_CONTACT
from mobod.files.model.coupling_joints import COUPLING_JOINTS
from mobod.files.model.declared_fields import arguments_of, declared_fields
from mobod.files.model.elements import Family, FileField, Spec
from mobod.files.model.imports import import_path, imported, made_by_users
from mobod.files.model.joint_loads import JOINT_LOAD
from mobod.files.model.place import Place, as_object, check_keys
from mobod.files.model.unilateral import COORDINATE_LIMITS, DISABLED, TENDON_LIMITS, USERS_DISTANCES
from mobod.files.model.values_of_users import FUNCTION, read_equations, write_dataclass
from mobod.matter import Constraint, ConstraintEquations, MatterSubsystem, UnilateralConstraint
from mobod.matter.constraints import CustomConstraint

COMMON: Mapping[str, FileField] = {
    "name": FileField(TEXT),
    "disabled": DISABLED,
}

_LOAD = FileField(JOINT_LOAD, lambda constraint: constraint.equations.load, default=None)

# fields that cannot be derived from the declared fields of a class
BY_HAND: Mapping[str, Mapping[str, FileField]] = {
    "CoordinateCoupler": {
        "function": FileField(FUNCTION, lambda constraint: constraint.equations.function),
        "bodies": FileField(ListOf(BODY), lambda constraint: [constraint.mobilizers[k] for k, _ in constraint.equations.coordinates]),
        "coordinates": FileField(ListOf(INTEGER), lambda constraint: [i for _, i in constraint.equations.coordinates]),
    },
    "RegularisedJointFriction": {"load": _LOAD},
    "RigidJointFriction": {"load": _LOAD},
}


def _maker(name: str) -> Callable[[Place, dict[str, Any]], Constraint]:
    cls: Any = registry.CONSTRAINTS[name]

    def make(place: Place, values: dict[str, Any]) -> Constraint:
        has_matter = "matter" in signature(cls).parameters
        constraint: Constraint = cls(*([place.system.matter] if has_matter else []), **arguments_of(cls, values))
        _restore(constraint, values)
        return constraint

    return make


def _restore(constraint: Constraint, values: Mapping[str, ArrayLike | None]) -> None:
    """Give the parameters the exact numbers of the file: a quaternion that was converted to a matrix and back has other last digits."""
    given = {name: value for name, value in values.items() if value is not None}
    names = [parameter.name for parameter in constraint.equations.parameters]
    exact = [np.ravel(given[name] if name in given else constraint.default_parameter(name)) for name in names]
    numbers = np.concatenate([np.zeros(0), *exact])
    constraint.equations = constraint.equations.with_parameters(numbers.tolist()).checked(constraint.name)


@final
class UsersConstraint(Codec[Constraint]):
    """A constraint whose equations are a user's dataclass: CustomConstraint, or a subclass by import path, and UnilateralConstraint."""

    @property
    def schema(self) -> dict[str, Json]:
        custom = {
            "type": "object",
            "properties": {
                "type": {"anyOf": [{"const": "CustomConstraint"}, {"type": "string", "pattern": ":"}]},
                "name": TEXT.schema,
                "disabled": BOOLEAN.schema,
                "equations": {"type": "object", "required": ["type"]},
                "bodies": ListOf(BODY).schema,
                "mobilizers": ListOf(BODY).schema,
            },
            "required": ["type", "name", "equations"],
            "additionalProperties": False,
        }
        return {"oneOf": [custom, USERS_DISTANCES.schema]}

    spec = Spec(
        CustomConstraint,
        {
            **COMMON,
            "bodies": FileField(ListOf(BODY), lambda constraint: constraint.followers, default=[]),
            "mobilizers": FileField(ListOf(BODY), lambda constraint: constraint.mobilizers, default=[]),
        },
    )

    def write(self, value: Constraint) -> Json:
        what = f"constraint '{value.name}'"
        if isinstance(value, UnilateralConstraint):
            return USERS_DISTANCES.write(value)
        if not isinstance(value, CustomConstraint):
            raise UnsupportedError(f"{what} cannot be saved: a model file has no constraint of type {type(value).__name__}.")
        kind = "CustomConstraint" if type(value) is CustomConstraint else import_path(type(value), what)
        return {"type": kind, **self.spec.write(value), "equations": write_dataclass(value.equations, f"the equations of {what}")}

    def read(self, value: Json, place: Place) -> Constraint:
        found = as_object(value, place)
        if found["type"] == UnilateralConstraint.__name__:
            return USERS_DISTANCES.read(found, place)
        check_keys(found, ["type", *self.spec.fields, "equations"], place)
        kind = found["type"]
        cls: Any = CustomConstraint if kind == "CustomConstraint" else imported(kind, place.at("type"), CustomConstraint)
        values = self.spec.read(found, place)
        equations = read_equations(found, place, ConstraintEquations)
        made_one: CustomConstraint = made_by_users(found["equations"]["type"], place, lambda: cls(equations, **values))
        return made_one


def constraints_of(matter: MatterSubsystem) -> list[Constraint]:
    """The constraints with an entry of their own; limits of a loop are part of the loop's entry."""
    with_loops = {each.limits for each in matter.constraints if isinstance(each, CouplingLoop)}
    return [each for each in matter.constraints if each not in with_loops]


CONSTRAINT = Family(
    "constraint",
    {
        **{
            name: Spec(cls, {**COMMON, **declared_fields(cls, Constraint), **BY_HAND.get(name, {})}, _maker(name))
            for name, cls in registry.CONSTRAINTS.items()
        },
        COORDINATE_LIMITS.kind: COORDINATE_LIMITS,
        TENDON_LIMITS.kind: TENDON_LIMITS,
        RIGID_CONTACT.kind: RIGID_CONTACT,
        CONTACT_POOL.kind: CONTACT_POOL,
        **COUPLING_JOINTS,
    },
    UsersConstraint(),
    is_users=lambda kind: ":" in kind or kind in ("CustomConstraint", "UnilateralConstraint"),
)
