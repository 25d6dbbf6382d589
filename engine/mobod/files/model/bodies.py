"""Bodies in a model file: mass, mobilizer, defaults, motion, shapes."""

from collections.abc import Callable, Mapping
from dataclasses import MISSING, fields
from functools import partial
from typing import Any, ClassVar, final

import numpy as np

from mobod import registry
from mobod.couplings import CouplingMobilizer
from mobod.errors import UnsupportedError
from mobod.files.json_source import Json
from mobod.files.model.codecs import (
    BODY,
    BOOLEAN,
    FRAME,
    INTEGER,
    NUMBER,
    TEXT,
    VECTOR,
    Choice,
    Codec,
    ListOf,
    NumbersCodec,
    Schema,
    same_bits,
)
from mobod.files.model.couplings import COUPLING
from mobod.files.model.declared_fields import declared_fields
from mobod.files.model.elements import NEEDED, Family, FileField, Record, Spec
from mobod.files.model.flexible_bodies import FLEXIBLE_BODY, MODES, read_modes, write_flexible
from mobod.files.model.imports import import_path, imported, made_by_users
from mobod.files.model.place import Place, as_object, check_keys, made
from mobod.files.model.values_of_users import read_equations, write_dataclass
from mobod.matter import FlexibleBody, MobilizedBody, Motion, MotionEquations
from mobod.matter.bodies.decorations import Geometry, Triple
from mobod.matter.equations.mobilizer_equations import MobilizerEquations, ReversedEquations
from mobod.matter.equations.motion_equations import LEVELS
from mobod.matter.mobilizers import CustomEquations, CustomMobilizer
from mobod.matter.motions import CustomMotion, InputMotion
from mobod.spatial import MassProperties

# shapes
_GEOMETRY_CODECS: Mapping[object, Codec] = {
    float: NUMBER,
    str: TEXT,
    Triple: VECTOR,
    tuple[Triple, ...]: ListOf(VECTOR),
    tuple[tuple[int, int, int], ...]: ListOf(ListOf(INTEGER)),
}


def _geometry_spec(cls: type[Geometry]) -> Spec:
    found = {}
    for each in fields(cls):
        codec = _GEOMETRY_CODECS[each.type]
        default = NEEDED if each.default is MISSING else codec.write(each.default)
        found[each.name] = FileField(codec, default=default)
    return Spec(cls, found)


GEOMETRY = Family("shape", {name: _geometry_spec(cls) for name, cls in registry.DECORATIONS.items()})
DECORATION = Record(
    {
        "on": FileField(Choice(("body", "outboard", "inboard")), lambda each: each.frame),
        "X": FileField(FRAME, default={}),
        "geometry": FileField(GEOMETRY),
    }
)


ROTOR = Record(
    {
        "inertia": FileField(NUMBER),
        "gear_ratio": FileField(NUMBER, default=1.0),
        "speed": FileField(INTEGER, lambda rotor: rotor.speeds[0] if len(rotor.speeds) == 1 else None, default=None),
        "axis": FileField(VECTOR, default=None),
    }
)


# motions: what is read makes one of a body
@final
class UsersMotion(Codec[Callable[..., Motion]]):
    """A CustomMotion, whose equations are a dataclass of the user's, by import path."""

    @property
    def schema(self) -> dict[str, Json]:
        properties = {"type": {"const": CustomMotion.__name__}, "equations": {"type": "object", "required": ["type"]}}
        return {"type": "object", "properties": properties, "required": list(properties), "additionalProperties": False}

    def write(self, value: Motion) -> Json:  # type: ignore[override] # a motion is written; what is read makes one of a body
        equations = write_dataclass(value.equations, f"the equations of motion '{value.name}'")
        return {"type": CustomMotion.__name__, "equations": equations}

    def read(self, value: Json, place: Place) -> Callable[..., Motion]:
        found = as_object(value, place)
        check_keys(found, ["type", "equations"], place)
        equations = read_equations(found, place, MotionEquations)
        return lambda body, disabled: made_by_users(
            str(found["equations"]["type"]), place, lambda: CustomMotion(body, equations, disabled=disabled)
        )


def _start_of(name: str) -> Callable[[Any], tuple[float, ...] | None]:
    return lambda motion: getattr(motion.equations, name) or None


def _motion_fields(cls: type[Motion]) -> dict[str, FileField]:
    """Those that the class declares; those of an InputMotion, which has methods of the same names, by hand."""
    if cls is not InputMotion:
        return declared_fields(cls, Motion)
    starts = {name: FileField(NumbersCodec(), _start_of(name), default=None) for name in ("q", "u", "u_dot")}
    return {"level": FileField(Choice(tuple(LEVELS)), lambda motion: motion.equations.level, default="position"), **starts}


def _motion_maker(cls: type[Motion]) -> Callable[[Place, dict[str, Any]], Callable[..., Motion]]:
    return lambda place, values: partial(cls, **values)


MOTION = Family(
    "motion",
    {name: Spec(cls, _motion_fields(cls), _motion_maker(cls)) for name, cls in registry.MOTIONS.items()},
    UsersMotion(),
    is_users=lambda kind: kind == CustomMotion.__name__,
)


# mobilizers
def forward(body: MobilizedBody) -> MobilizerEquations:
    return body.equations.forward if isinstance(body.equations, ReversedEquations) else body.equations


COMMON: Mapping[str, FileField] = {
    "name": FileField(TEXT),
    "parent": FileField(BODY),
    "mass": FileField(NUMBER, lambda body: None if body.flexible else body.body.mass_properties.mass, default=None),
    "com": FileField(VECTOR, lambda body: body.body.mass_properties.com, default=[0.0, 0.0, 0.0]),
    "inertia": FileField(ListOf(VECTOR), lambda body: body.body.mass_properties.inertia, default=np.zeros((3, 3)).tolist()),
    "X_PF": FileField(FRAME, default={}),
    "X_BM": FileField(FRAME, default={}),
    "reversed": FileField(BOOLEAN, lambda body: body.is_reversed, default=False),
}
AFTERWARDS: Mapping[str, FileField] = {
    "default_q": FileField(NumbersCodec(), default=None),
    "lockable": FileField(BOOLEAN, lambda body: body.is_lockable_by_default, default=False),
}
# what the fields of a class do not say
BY_HAND: Mapping[str, Mapping[str, FileField]] = {
    "CouplingMobilizer": {"coupling": FileField(COUPLING)},
}


@final
class BodyCodec(Codec[MobilizedBody]):
    """A mobilized body with its motion and its shapes. Those of users are a CustomMobilizer, whose equations are a dataclass of theirs."""

    specs: Mapping[str, Spec] = {
        name: Spec(cls, {**COMMON, **declared_fields(cls, MobilizedBody), **BY_HAND.get(name, {}), **AFTERWARDS})
        for name, cls in (registry.MOBILIZERS | {"CouplingMobilizer": CouplingMobilizer}).items()
    }
    custom = Spec(CustomMobilizer, {**COMMON, **AFTERWARDS})

    schema: ClassVar[Schema] = {"$ref": "#/$defs/body"}

    @property
    def definition(self) -> dict[str, Json]:
        further = {
            "motion": {"allOf": [MOTION.schema]},
            "motion_disabled": BOOLEAN.schema,
            "rotors": {"type": "array", "items": ROTOR.schema},
            "decorations": {"type": "array", "items": {"$ref": "#/$defs/decoration"}},
            "flexible": FLEXIBLE_BODY.schema,
            "modes": MODES.schema,
            "decorations_of_frames": {"type": "object", "additionalProperties": {"type": "array", "items": {"$ref": "#/$defs/decoration"}}},
        }
        kinds = [spec.schema for spec in self.specs.values()]
        custom = self.custom.schema
        custom["properties"]["type"] = {"anyOf": [{"const": "CustomMobilizer"}, {"type": "string", "pattern": ":"}]}
        custom["properties"]["equations"] = {"type": "object", "required": ["type"]}
        custom["required"].append("equations")
        for kind in (*kinds, custom):
            kind["properties"] |= further
            kind["oneOf"] = [{"required": ["mass"]}, {"required": ["flexible"]}]
        return {"oneOf": [*kinds, custom]}

    def write(self, value: MobilizedBody) -> Json:
        spec = self.specs.get(type(value).__name__)
        what = f"body '{value.name}'"
        if spec is not None and spec.cls is type(value):
            try:
                written = {"type": spec.cls.__name__, **spec.write(value)}
            except UnsupportedError as error:
                raise UnsupportedError(f"{what}: {error}") from error
        elif isinstance(value, CustomMobilizer):
            kind = "CustomMobilizer" if type(value) is CustomMobilizer else import_path(type(value), what)
            equations = write_dataclass(forward(value), f"the equations of {what}")
            written = {"type": kind, **self.custom.write(value), "equations": equations}
        else:
            raise UnsupportedError(f"{what} cannot be saved: a model file has no mobilizer of type {type(value).__name__}.")
        if same_bits(written["default_q"], value.equations.default_q):
            del written["default_q"]
        if value.motion is not None:
            written["motion"] = MOTION.write(value.motion)
            if value.motion.is_disabled_by_default:
                written["motion_disabled"] = True
        if value.rotors:
            written["rotors"] = [ROTOR.write(each) for each in value.rotors]
        if value.decorations:
            written["decorations"] = [DECORATION.write(each) for each in value.decorations]
        if value.flexible is not None:
            try:
                written |= write_flexible(value)
            except UnsupportedError as error:
                raise UnsupportedError(f"{what} cannot be saved: {error}") from error
            drawn = {each.name[len(value.name) + 1 :]: each.decorations for each in value.flexible.members if each.decorations}
            if drawn:
                written["decorations_of_frames"] = {name: [DECORATION.write(each) for each in shapes] for name, shapes in drawn.items()}
        return written

    def read(self, value: Json, place: Place) -> MobilizedBody:
        found = as_object(value, place)
        if "type" not in found:
            place.fail("the key 'type' is missing, which says what kind of mobilizer it is.")
        kind = TEXT.read(found["type"], place.at("type"))
        is_custom = kind == "CustomMobilizer" or ":" in kind
        if not is_custom and kind not in self.specs:
            place.at("type").unknown("mobilizer", kind, [*self.specs, "CustomMobilizer"])
        spec = self.custom if is_custom else self.specs[kind]
        check_keys(
            found,
            ["type", *spec.fields, *_FURTHER, *(["equations"] if is_custom else [])],
            place,
        )
        values = spec.read(found, place)
        default_q, is_lockable = values.pop("default_q", None), values.pop("lockable", False)
        carried = self._read_carried(found, values, place)
        cls: Any = spec.cls
        if is_custom:
            cls = CustomMobilizer if kind == "CustomMobilizer" else imported(kind, place.at("type"), CustomMobilizer)
            values["equations"] = read_equations(found, place, CustomEquations)
        parent = values.pop("parent")
        body: MobilizedBody = (
            made_by_users(found["equations"]["type"], place, lambda: cls(parent, carried, **values))
            if is_custom
            else made(place, lambda: cls(parent, carried, **values))
        )
        place.bodies[body.name] = body
        if default_q is not None:
            made(place.at("default_q"), lambda: body.set_default_q(default_q))
        body.set_lockable_by_default(is_lockable)
        self._read_motion(found, body, place)
        for at, each in _listed(found, "rotors", place):
            made(at, partial(body.set_rotor_inertia, **ROTOR.read(each, at)))
        self._read_decorations(found, body, place)
        self._read_parts(found, body, place)
        return body

    @staticmethod
    def _read_carried(found: Mapping[str, Json], values: dict[str, Any], place: Place) -> MassProperties | FlexibleBody:
        """What the mobilizer carries: mass, com and inertia, which are taken from the values; or a flexible body."""
        given = [name for name in ("mass", "com", "inertia") if name in values]
        if "flexible" in found:
            if given:
                place.at(given[0]).fail("a flexible body has its mass in its data. Remove this key, or the key 'flexible'.")
            return FLEXIBLE_BODY.read(found["flexible"], place.at("flexible"))
        if "mass" not in found:
            place.fail("the key 'mass' is missing.")
        mass, com, inertia = (
            values.pop(name, default) for name, default in (("mass", 0.0), ("com", np.zeros(3)), ("inertia", np.zeros((3, 3))))
        )
        return made(place, lambda: MassProperties(mass, com, inertia))

    @classmethod
    def _read_parts(cls, found: Mapping[str, Json], body: MobilizedBody, place: Place) -> None:
        """Of a flexible body: its modal coordinates, and shapes on its frames, which later elements find by name."""
        for key in ("modes", "decorations_of_frames"):
            if body.flexible is None and key in found:
                place.at(key).fail("only a body with the key 'flexible' has it.")
        if body.flexible is None:
            return
        frames = {each.name[len(body.name) + 1 :]: each for each in body.flexible.members}
        place.bodies.update({each.name: each for each in frames.values()})
        read_modes(found.get("modes", {}), body, place.at("modes"))
        at = place.at("decorations_of_frames")
        for name, shapes in as_object(found.get("decorations_of_frames", {}), at).items():
            if name not in frames:
                at.unknown(f"frame of '{body.name}'", name, list(frames))
            cls._read_decorations({"decorations": shapes}, frames[name], at.at(name))

    @staticmethod
    def _read_motion(found: Mapping[str, Json], body: MobilizedBody, place: Place) -> None:
        if "motion" not in found:
            return
        at = place.at("motion")
        make = MOTION.read(found["motion"], at)
        disabled = BOOLEAN.read(found.get("motion_disabled", False), place.at("motion_disabled"))
        made(at, lambda: make(body, disabled=disabled))

    @staticmethod
    def _read_decorations(found: Mapping[str, Json], body: MobilizedBody, place: Place) -> None:
        for at, each in _listed(found, "decorations", place):
            values = DECORATION.read(each, at)
            add = {"body": body.add_body_decoration, "outboard": body.add_outboard_decoration, "inboard": body.add_inboard_decoration}
            add[values["on"]](values.get("X", FRAME.read({}, at)), values["geometry"])


_FURTHER = ("motion", "motion_disabled", "rotors", "decorations", "flexible", "modes", "decorations_of_frames")


def _listed(found: Mapping[str, Json], name: str, place: Place) -> list[tuple[Place, Json]]:
    """The entries of a list, each with its place; none if there is no list."""
    listed = found.get(name, [])
    if not isinstance(listed, list):
        place.at(name).fail("a list is needed, [...].")
    return [(place.at(name).at(number), each) for number, each in enumerate(listed)]


BODY_ELEMENT = BodyCodec()
