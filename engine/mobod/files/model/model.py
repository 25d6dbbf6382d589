"""Model files: a System as JSON, without loss."""

from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

from mobod.couplings import CouplingMobilizer
from mobod.disk.whole_file import whole_file
from mobod.errors import ModelFileError, UnsupportedError
from mobod.files.json_source import ContentError, Json, check_content, json_text, read_json
from mobod.files.model.bodies import BODY_ELEMENT, DECORATION, GEOMETRY, MOTION
from mobod.files.model.codecs import BOOLEAN, NUMBER, TEXT, VECTOR, ListOf
from mobod.files.model.constraints import CONSTRAINT, constraints_of
from mobod.files.model.contact_shapes import CONTACT_SHAPE, TRIANGLE_MESH
from mobod.files.model.couplings import COUPLING
from mobod.files.model.flexible_bodies import FLEXIBLE_BODY
from mobod.files.model.forces import FORCE
from mobod.files.model.joint_loads import JOINT_LOAD
from mobod.files.model.measures import MEASURE_ELEMENT
from mobod.files.model.place import Place, as_object, check_keys, made
from mobod.files.model.values_of_users import FUNCTION
from mobod.forces import FixedTendon, ForceSubsystem
from mobod.forces.subsystem import forces_of
from mobod.matter import Ground, MatterSubsystem, MultibodySystem
from mobod.matter.multibody_system import Energies
from mobod.matter.unilateral.tendon_limits import TendonLimitConstraint
from mobod.system import Subsystem, System
from mobod.system.custom_element import ElementHooks
from mobod.system.events.subsystem import EventSubsystem
from mobod.system.measures import MeasureSubsystem

FORMAT, VERSION = "mobod-model", 1
TOLERANCES = ("penetration_tol", "rotary_limit_tol")
KEYS = ("format", "version", "name", "up_direction", *TOLERANCES, "uses_euler_angles", "bodies", "constraints", "forces", "measures")


def save_model(system: MultibodySystem, path: str | Path) -> Path:
    """Write a System to a model file: all its elements and their default values, but no State. Returns the path.

    If the System was read by load_model, the same bytes are written and the motion has the same bits. Users' own elements are saved as the
    import path of their code.

    Raises UnsupportedError, which names the element, for anything that is not data: event handlers, custom measures and subsystems,
    functions and classes that cannot be imported. Raises WriteError; an existing file then stays unchanged.
    """
    target, document = Path(path), model_as_json(system)
    try:
        check_content(document)
    except ContentError as error:
        raise UnsupportedError(f"System {system.name!a} cannot be saved: {error}") from error
    with whole_file(target) as temporary:
        temporary.write_text(json_text(document), encoding="utf-8")
    return target


def load_model(path: str | Path, *, allow_imports: bool = False) -> MultibodySystem:
    """Read a model file and return a new System.

    allow_imports  whether Python code that the file names may be imported, which executes it

    Raises ModelFileError with the place in the file as a JSON pointer and, for a wrong name, the nearest valid one.
    """
    source = Path(path)
    found = read_json(source)
    place = Place(source, MultibodySystem(), allow_imports)
    document = as_object(found, place)
    if document.get("format") != FORMAT:
        raise ModelFileError(f"{source}: it is not a model file. A model file has the key 'format' with \"{FORMAT}\".")
    if repr(document.get("version")) != repr(VERSION):  # true is not a number
        place.at("version").fail(f"version {document.get('version')!r} of the format cannot be read, {VERSION} can.")
    check_keys(document, KEYS, place)
    if "name" not in document:
        place.fail("the key 'name' is missing.")
    name = TEXT.read(document["name"], place.at("name"))
    system = made(place.at("name"), partial(MultibodySystem, name))
    system.mesh_folders = [source.parent]
    matter = MatterSubsystem(system)
    place = Place(source, system, allow_imports, bodies={Ground.name: matter.ground})
    if "up_direction" in document:
        up = VECTOR.read(document["up_direction"], place.at("up_direction"))
        made(place.at("up_direction"), lambda: system.set_up_direction(up))
    for key in TOLERANCES:
        if key in document:
            value = NUMBER.read(document[key], place.at(key))
            made(place.at(key), partial(setattr, system, key, value))
    matter.set_uses_euler_angles_by_default(BOOLEAN.read(document.get("uses_euler_angles", False), place.at("uses_euler_angles")))
    ListOf(BODY_ELEMENT).read(document.get("bodies", []), place.at("bodies"))
    ListOf(CONSTRAINT).read(document.get("constraints", []), place.at("constraints"))
    for number, body in enumerate(body for body in matter.bodies if not body.is_part):
        if isinstance(body, CouplingMobilizer):
            made(place.at("bodies").at(number), body.keep_ranges)  # its ranges that are not among the constraints
    # measures come first, because users' forces may read them; those that show a force come after it
    measures, at = document.get("measures", []), place.at("measures")
    if not isinstance(measures, list):
        ListOf(MEASURE_ELEMENT).read(measures, at)
    late = [i for i, each in enumerate(measures) if isinstance(each, dict) and each.get("force") is not None]
    for i, each in enumerate(measures):
        if i not in late:
            MEASURE_ELEMENT.read(each, at.at(i))
    _read_forces(document.get("forces", []), system, place.at("forces"))
    _check_tendons(system, place.at("constraints"))
    for i in late:
        MEASURE_ELEMENT.read(measures[i], at.at(i))
    return system


def _check_tendons(system: MultibodySystem, place: Place) -> None:
    """Limits of tendons come before the tendons, which must name them."""
    of_tendons = {force.limits for force in forces_of(system) if isinstance(force, FixedTendon)}
    for number, constraint in enumerate(constraints_of(system.matter)):
        if isinstance(constraint, TendonLimitConstraint) and constraint not in of_tendons:
            place.at(number).fail(f'no FixedTendon has these limits. Give tendon \'{constraint.tendon}\' "limits": "{constraint.name}".')


def _read_forces(listed: Json, system: MultibodySystem, place: Place) -> None:
    if not isinstance(listed, list):
        place.fail("a list is needed, [...].")
    for number, each in enumerate(listed):
        at = place.at(number)
        subsystem = as_object(each, at)
        check_keys(subsystem, ("name", "elements"), at)
        for key in ("name", "elements"):
            if key not in subsystem:
                at.fail(f"the key '{key}' is missing.")
        name = TEXT.read(subsystem["name"], at.at("name"))
        forces: ForceSubsystem = made(at, partial(ForceSubsystem, system, name))
        makers: list[Callable[[ForceSubsystem], object]] = ListOf(FORCE).read(subsystem["elements"], at.at("elements"))
        for index, make in enumerate(makers):
            made(at.at("elements").at(index), partial(make, forces))


def model_as_json(system: MultibodySystem) -> dict[str, Json]:
    """The content of a model file. Raises UnsupportedError for Systems that cannot be saved."""
    given: System = system
    if not isinstance(given, MultibodySystem):
        raise UnsupportedError(f"System '{given.name}' is not a MultibodySystem. Model files describe only MultibodySystems.")
    forces: list[Json] = []
    measures: list[Json] = []
    for subsystem in system.subsystems:
        kind = type(subsystem)
        if kind not in _WRITERS:
            raise UnsupportedError(
                f"subsystem '{subsystem.name}' ({kind.__name__}) cannot be saved: it is Python code of its own. Add it after load_model."
            )
        _WRITERS[kind](subsystem, forces, measures)
    written: dict[str, Json] = {"format": FORMAT, "version": VERSION, "name": system.name}
    if system.has_up_direction:
        written["up_direction"] = system.up_direction.tolist()
    usual = MultibodySystem()
    written |= {key: value for key in TOLERANCES if (value := getattr(system, key)) != getattr(usual, key)}
    if system.has_matter:
        matter = system.matter
        if matter.uses_euler_angles_by_default:
            written["uses_euler_angles"] = True
        written["bodies"] = [BODY_ELEMENT.write(body) for body in matter.bodies if not body.is_part]
        written["constraints"] = [CONSTRAINT.write(constraint) for constraint in constraints_of(matter)]
    return {**written, "forces": forces, "measures": measures}


def _write_forces(subsystem: ForceSubsystem, forces: list[Json], _measures: list[Json]) -> None:
    forces.append({"name": subsystem.name, "elements": [FORCE.write(force) for force in subsystem.elements]})


def _write_measures(subsystem: MeasureSubsystem, _forces: list[Json], measures: list[Json]) -> None:
    measures += [MEASURE_ELEMENT.write(measure) for measure in subsystem.measures]


def _refuse_events(subsystem: EventSubsystem, _forces: list[Json], _measures: list[Json]) -> None:
    for event in subsystem.events:
        if not event.is_internal:
            raise UnsupportedError(
                f"event '{event.name}' ({type(event).__name__}) cannot be saved: it is Python code of its own. Add it after load_model."
            )


def _write_nothing(_subsystem: Subsystem, _forces: list[Json], _measures: list[Json]) -> None:
    """Its elements are lists of the document, or others imply it."""


# what subsystems add to the lists of forces and of measures
_WRITERS: dict[type[Subsystem], Callable[[Any, list[Json], list[Json]], None]] = {
    ForceSubsystem: _write_forces,
    MeasureSubsystem: _write_measures,
    EventSubsystem: _refuse_events,
    **dict.fromkeys((MatterSubsystem, Energies, ElementHooks), _write_nothing),
}


def model_schema() -> dict[str, Json]:
    """The JSON Schema (draft 2020-12) of model files. It is made from the tables that the reader uses."""
    lists = {"bodies": BODY_ELEMENT.schema, "constraints": CONSTRAINT.schema, "measures": MEASURE_ELEMENT.schema}
    forces = {
        "type": "object",
        "properties": {"name": TEXT.schema, "elements": ListOf(FORCE).schema},
        "required": ["name", "elements"],
        "additionalProperties": False,
    }
    properties = {
        "format": {"const": FORMAT},
        "version": {"const": VERSION},
        "name": TEXT.schema,
        "up_direction": VECTOR.schema,
        **dict.fromkeys(TOLERANCES, NUMBER.schema),
        "uses_euler_angles": BOOLEAN.schema,
        **{name: {"type": "array", "items": schema} for name, schema in lists.items()},
        "forces": {"type": "array", "items": forces},
    }
    families = (
        CONSTRAINT,
        CONTACT_SHAPE,
        TRIANGLE_MESH,
        JOINT_LOAD,
        COUPLING,
        FORCE,
        FUNCTION,
        MEASURE_ELEMENT,
        MOTION,
        GEOMETRY,
        FLEXIBLE_BODY,
    )
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": "Model file of mobod",
        "description": "Lengths in m, angles in rad, masses in kg, times in s; see docs/tutorials/files.md.",
        "type": "object",
        "properties": properties,
        "required": ["format", "version", "name"],
        "additionalProperties": False,
        "$defs": {"body": BODY_ELEMENT.definition, "decoration": DECORATION.schema, **{each.what: each.definition for each in families}},
    }
