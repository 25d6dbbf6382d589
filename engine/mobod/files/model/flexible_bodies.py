"""Flexible bodies in a model file: modal data as arrays, and beams by their arguments."""

from collections.abc import Mapping
from functools import partial
from typing import Any, final

import numpy as np

from mobod.errors import UnsupportedError
from mobod.files.json_source import Json
from mobod.files.model.codecs import (
    BOOLEAN,
    FRAME,
    INTEGER,
    NUMBER,
    TEXT,
    VALUES,
    VECTOR,
    Choice,
    Codec,
    ListOf,
    MapOf,
    NumbersCodec,
    Schema,
)
from mobod.files.model.elements import Family, FileField, Record, Spec
from mobod.files.model.place import Place, made
from mobod.flexible import Material, ModalData, ModalInterface, Section
from mobod.flexible.deforming_mass import SecondMoments
from mobod.flexible.interfaces import MassPoint
from mobod.flexible.modal_arguments import checked_inboard
from mobod.flexible.surface import ModalSurface, checked_triangles
from mobod.matter import FlexibleBeam, FlexibleBody, MobilizedBody
from mobod.spatial import MassProperties, Transform

_NO_INERTIA = np.zeros((3, 3)).tolist()
_INTERFACE = Record({"X": FileField(FRAME, default={}), "shapes": FileField(VALUES), "second": FileField(VALUES, default=None)})
_MOMENTS = Record({"first": FileField(VALUES), "second": FileField(VALUES)})
_SURFACE = Record({"vertices": FileField(ListOf(VECTOR)), "faces": FileField(ListOf(ListOf(INTEGER))), "shapes": FileField(VALUES)})
_POINT = Record(
    {
        "mass": FileField(NUMBER),
        "inertia": FileField(ListOf(VECTOR), default=_NO_INERTIA),
        "p": FileField(VECTOR),
        "shapes": FileField(VALUES),
        "second": FileField(VALUES, default=None),
    }
)


@final
class ModalDataCodec(Codec[ModalData]):
    """All fields of ModalData; n is the length of its stiffness."""

    record = Record(
        {
            "frame": FileField(Choice(("inboard", "mean")), lambda modal: modal.frame, default="inboard"),
            "inboard": FileField(TEXT, default=None),
            "interfaces": FileField(MapOf(_INTERFACE)),
            "mass": FileField(NUMBER, lambda modal: modal.mass_properties.mass),
            "com": FileField(VECTOR, lambda modal: modal.mass_properties.com),
            "inertia": FileField(ListOf(VECTOR), lambda modal: modal.mass_properties.inertia),
            "coupling": FileField(VALUES),
            "stiffness": FileField(NumbersCodec()),
            "damping": FileField(VALUES),
            "size": FileField(NUMBER),
            "flexibility_lost": FileField(NUMBER, default=0.0),
            "points": FileField(ListOf(_POINT), default=[]),
            "moments": FileField(_MOMENTS, default=None),
            "surface": FileField(_SURFACE, default=None),
        }
    )

    @property
    def schema(self) -> Schema:
        return self.record.schema

    def write(self, value: ModalData) -> Json:
        return self.record.write(value)

    def read(self, value: Json, place: Place) -> ModalData:
        found = self.record.read(value, place)
        n = len(found["stiffness"])
        inboard = made(place, lambda: checked_inboard(found.get("inboard"), found.get("frame", "inboard")))
        interfaces = {}
        for name, each in found["interfaces"].items():
            at = place.at("interfaces").at(name)
            interfaces[name] = ModalInterface(
                each.get("X", Transform()), _array(each["shapes"], (6, n), at.at("shapes")), _second(each, n, at)
            )
        points = tuple(self._point(each, n, place.at("points").at(k)) for k, each in enumerate(found.get("points", [])))
        moments = None
        if found.get("moments") is not None:
            at, sums = place.at("moments"), found["moments"]
            moments = SecondMoments(_array(sums["first"], (n, 3, 3), at.at("first")), _array(sums["second"], (n, n, 3, 3), at.at("second")))
        surface = None
        if found.get("surface") is not None:
            at, drawn = place.at("surface"), found["surface"]
            vertices, faces = np.array(drawn["vertices"]), np.array(drawn["faces"])
            shapes = _array(drawn["shapes"], (len(vertices), 3, n), at.at("shapes"))
            surface = made(at, lambda: ModalSurface(vertices, checked_triangles(faces, len(vertices)), shapes))
        mass = made(place, lambda: MassProperties(found["mass"], found["com"], np.array(found["inertia"])))
        return made(
            place,
            lambda: ModalData(
                inboard=inboard,
                interfaces=interfaces,
                mass_properties=mass,
                coupling=_array(found["coupling"], (6, n), place.at("coupling")),
                stiffness=np.array(found["stiffness"]),
                damping=_array(found["damping"], (n, n), place.at("damping")),
                size=found["size"],
                flexibility_lost=found.get("flexibility_lost", 0.0),
                points=points,
                moments=moments,
                surface=surface,
            ),
        )

    @staticmethod
    def _point(found: dict[str, Any], n: int, place: Place) -> MassPoint:
        shapes = _array(found["shapes"], (6, n), place.at("shapes"))
        inertia = _array(found.get("inertia", _NO_INERTIA), (3, 3), place.at("inertia"))
        return MassPoint(found["mass"], inertia, np.array(found["p"]), shapes, _second(found, n, place))


def _second(found: dict[str, Any], n: int, place: Place) -> np.ndarray | None:
    return None if found.get("second") is None else _array(found["second"], (3, n, n), place.at("second"))


def _array(value: object, shape: tuple[int, ...], place: Place) -> np.ndarray:
    array = np.array(value, dtype=float)
    if array.shape != shape and not array.size == np.prod(shape) == 0:
        place.fail(f"an array of shape {shape} is needed, not {array.shape}.")
    return array.reshape(shape)


@final
class DataCodec(Codec[Any]):
    """An object of a class whose arguments are the fields of a record."""

    def __init__(self, cls: type, fields: Mapping[str, FileField]):
        self._cls, self._record = cls, Record(fields)

    @property
    def schema(self) -> Schema:
        return self._record.schema

    def write(self, value: object) -> Json:
        return self._record.write(value)

    def read(self, value: Json, place: Place) -> Any:
        found = self._record.read(value, place)
        return made(place, lambda: self._cls(**found))


@final
class OneOrSeveral(Codec[Any]):
    """A value, or a list of them."""

    def __init__(self, item: Codec[Any]):
        self._item, self._list = item, ListOf(item)

    @property
    def schema(self) -> Schema:
        return {"anyOf": [self._item.schema, self._list.schema]}

    def write(self, value: object) -> Json:
        return self._list.write(value) if isinstance(value, list) else self._item.write(value)

    def read(self, value: Json, place: Place) -> Any:
        return self._list.read(value, place) if isinstance(value, list) else self._item.read(value, place)


SECTION = DataCodec(
    Section,
    {
        **{name: FileField(NUMBER) for name in ("A", "Iy", "Iz", "J")},
        "shear": FileField(NumbersCodec(2), default=[5 / 6, 5 / 6]),
    },
)
MATERIAL = DataCodec(
    Material,
    {"E": FileField(NUMBER), "density": FileField(NUMBER), "nu": FileField(NUMBER, default=None), "G": FileField(NUMBER, default=None)},
)

FLEXIBLE_BODY = Family(
    "flexible_body",
    {
        "FlexibleBody": Spec(
            FlexibleBody,
            {
                "modal": FileField(ModalDataCodec()),
                "damping_ratio": FileField(VALUES, default=0.0),
                "inertia": FileField(Choice(("core", "full")), lambda body: "full" if body.is_full else "core", default="core"),
                "geometric_stiffening": FileField(BOOLEAN, lambda body: body.is_stiffened, default=False),
            },
        ),
        "FlexibleBeam": Spec(
            FlexibleBeam,
            {
                "length": FileField(NUMBER, lambda beam: beam.length if beam.points is None else None, default=None),
                "points": FileField(ListOf(VECTOR), default=None),
                "section": FileField(OneOrSeveral(SECTION)),
                "material": FileField(MATERIAL),
                "elements": FileField(INTEGER, default=16),
                "modes": FileField(INTEGER, default=None),
                "below": FileField(NUMBER, default=None),
                "static_correction": FileField(Choice(("forces", "loads")), default=None),
                "axis": FileField(Choice(("x", "y", "z")), default="x"),
                "at": FileField(NumbersCodec(), default=[]),
                "damping_ratio": FileField(VALUES, default=0.0),
                "shear": FileField(BOOLEAN, default=True),
                "geometric_stiffening": FileField(BOOLEAN, lambda body: body.is_stiffened, default=True),
                "frame": FileField(Choice(("inboard", "mean")), default="inboard"),
            },
        ),
    },
)

MODES = Record(
    {
        "default_q": FileField(NumbersCodec(), lambda node: node.default_q if node.default_q.any() else None, default=None),
        "lockable": FileField(BOOLEAN, lambda node: node.is_lockable_by_default, default=False),
        "stiffness_scale": FileField(NUMBER, lambda node: node.default_parameter("stiffness_scale"), default=1.0),
        "damping_ratio": FileField(VALUES, lambda node: _changed_ratio(node), default=None),
    }
)
"""The own numbers of a modal node: start values, and parameters that were changed after the body was made."""


def _changed_ratio(node: MobilizedBody) -> object:
    parent = node.parent
    assert isinstance(parent, MobilizedBody)
    assert isinstance(parent.body, FlexibleBody)
    ratio = node.default_parameter("damping_ratio")
    return None if np.array_equal(ratio, parent.body.damping_ratio) else ratio


def write_flexible(body: MobilizedBody) -> dict[str, Json]:
    """The flexible body of a mobilizer in a file, which stands in place of a mass."""
    given, parts = body.body, body.flexible
    assert parts is not None
    if type(given) not in (FlexibleBody, FlexibleBeam):
        raise UnsupportedError(f"it has a {type(given).__name__}; a model file has FlexibleBody and FlexibleBeam.")
    modes = MODES.write(parts.node)
    return {"flexible": FLEXIBLE_BODY.write(given), **({"modes": modes} if modes else {})}


def read_modes(found: Json, body: MobilizedBody, place: Place) -> None:
    """Set what the file has of the body's modal node."""
    values = MODES.read(found, place)
    assert body.flexible is not None
    node = body.flexible.node
    if values.get("default_q") is not None:
        made(place.at("default_q"), partial(node.set_default_q, values["default_q"]))
    node.set_lockable_by_default(values.get("lockable", False))
    for name in ("stiffness_scale", "damping_ratio"):
        if values.get(name) is not None:
            made(place.at(name), partial(node.set_default_parameter, name, values[name]))
