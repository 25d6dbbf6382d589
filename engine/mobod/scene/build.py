"""Makes the Scene of a System."""

from collections.abc import Mapping
from dataclasses import replace

import numpy as np

from mobod.errors import InputError
from mobod.matter import Ground, MatterSubsystem, MobilizedBody, MobilizerEquations, Tree
from mobod.matter.bodies.decorations import Geometry, MeshFile, Text
from mobod.matter.bodies.flexible_parts import InterfaceFrame
from mobod.matter.equations.interface_equations import InterfaceEquations
from mobod.scene.connections import connections, points_of
from mobod.scene.constraint_shapes import constraint_shapes
from mobod.scene.contact_shapes import contact_shapes, contacts_of
from mobod.scene.default_shapes import MOST_DETAILED, default_shapes, link_ends, link_radius, size_of_mechanism
from mobod.scene.embedded_meshes import with_meshes
from mobod.scene.floor import floor_height
from mobod.scene.joint_shapes import joint_shapes
from mobod.scene.loop_shapes import loop_shapes
from mobod.scene.modal_mesh import modal_shapes, parts_of_flexible_bodies
from mobod.scene.placement import Placement, at_position, matter_of
from mobod.scene.programs import program_of, program_of_interface
from mobod.scene.scene import JointProgram, Quantity, Scene, SceneBody, Shape
from mobod.scene.sensor_shapes import sensor_shapes
from mobod.scene.up import up_of
from mobod.spatial import Transform
from mobod.system import State, System

Names = Mapping[int, tuple[str, int | None]]
"""Offset in the State -> name of a variable, and the entry if that is an array."""


def make_scene(
    system: System, state: State, names: Names | None = None, *, meshes: bool = False, places: np.ndarray | None = None
) -> Scene:
    """The scene of a System in a State. Bodies without decorations have shapes that follow from their joints and masses.

    names   of the variables, as they are in result files; default: those of mobod's results, as scalars
    meshes  whether files of meshes are read, from system.mesh_folders, so that the scene contains them; a ModelFileWarning names those
            that cannot be read
    places  (m, bodies, 3) m: where the origins of the bodies come to, Ground first, so that floors reach so far; default: unknown
    """
    matter = matter_of(system)
    if matter is None:
        return Scene(system.name, (0.0, 1.0, 0.0), (), (), ())
    state = at_position(system, state)
    placement = Placement.of(matter, state)
    names = _names(system, state) if names is None else names
    tree = matter.tree(state.layout)
    programs: dict[MobilizerEquations | InterfaceFrame, JointProgram] = {}
    numbers: dict[MobilizerEquations | InterfaceFrame, int] = {}
    shapes, decorated = _shapes(system, matter, state, placement)
    if meshes:
        shapes = with_meshes(shapes, getattr(system, "mesh_folders", ()))
    ends = link_ends(matter, placement, _constrained_points(matter, state))
    radius = link_radius(matter, state, placement, ends)
    missing = {body.index for body in (matter.ground, *matter.bodies) if _is_missing(shapes[body.index])}
    is_small, is_bare = matter.n_bodies <= MOST_DETAILED, len(missing) == matter.n_bodies
    stand_ins = {index for index, given in shapes.items() if any(isinstance(each.geometry, MeshFile) for each in given)}
    of_contacts: dict[int, list[Shape]] = {}
    contacts = [each for each in contacts_of(system, matter) if not each.is_disabled(state)]
    if is_small and contacts:
        size = size_of_mechanism(matter, state, placement)
        of_contacts = contact_shapes(contacts, state, placement, decorated, size, places)
    flexible = parts_of_flexible_bodies(matter)
    detailed = (missing - of_contacts.keys() if is_bare else stand_ins) - flexible
    linked = missing - {each for each in flexible if not isinstance(matter.bodies[each - 1], InterfaceFrame)}
    defaults = default_shapes(matter, state, placement, linked, ends, radius, detailed if is_small else ())
    for index, added in defaults.items():
        shapes[index] += [replace(each, is_stand_in=index in stand_ins) for each in added]
    for index, added in of_contacts.items():
        shapes[index] += added
    for index, shape in modal_shapes(matter).items():
        if matter.bodies[index - 1].parent.index in missing:
            shapes[index].append(shape)
    if is_small:
        size = size_of_mechanism(matter, state, placement)
        reach = 4 * size
        joints, limits = joint_shapes(system, matter, state, placement, radius, reach, ends)
        for index, added in joints.items() if is_bare else ():
            shapes[index] += [replace(each, is_stand_in=bool(stand_ins)) for each in added]
        for index, added in limits.items():
            shapes[index] += added
        of_constraints = constraint_shapes(system, matter, state, placement, radius)
        of_sensors = sensor_shapes(system, state, placement, radius, size)
        for index, shape in (*of_constraints, *loop_shapes(matter, state, placement, radius, reach), *of_sensors):
            shapes[index].append(shape)
    bodies = [SceneBody(Ground.name, None, Transform(), Transform(), None, (), (), tuple(shapes[0]))]
    for body in matter.bodies:
        if isinstance(body, InterfaceFrame):
            bodies.append(_frame(body, bodies[body.parent.index], len(numbers), shapes[body.index]))
            X = placement.X_PF[body.index]
            programs[body] = program_of_interface(InterfaceEquations(X.R, X.p, body.shapes, body.second_shapes))
            numbers[body] = len(numbers)
            continue
        structure = tree.equations(body).structure
        if structure not in numbers:
            numbers[structure] = len(numbers)
            programs[structure] = program_of(structure)
        bodies.append(_body(body, tree, state, placement, names, numbers[structure], shapes[body.index]))
    lines = tuple(connections(system, matter, state, placement, radius))
    scene = Scene(system.name, up_of(system, state), tuple(programs.values()), tuple(bodies), lines)
    return replace(scene, floor=floor_height(scene, contacts, state, placement.X_GB, placement.center))


def _names(system: System, state: State) -> dict[int, tuple[str, int | None]]:
    variables = [each for each in system.variables(state) if each.role in ("state", "parameter", "input")]
    return {each.slot.offset + i: (name, None) for each in variables for i, name in enumerate(each.entry_names())}


def _body(
    body: MobilizedBody, tree: Tree, state: State, placement: Placement, names: Names, program: int, shapes: list[Shape]
) -> SceneBody:
    q, parameters = (
        tuple(Quantity(names[offset][0], float(state.values[offset]), names[offset][1]) for offset in slot.offsets)
        for slot in (tree.q(body), tree.parameters(body))
    )
    frames = placement.X_PF[body.index], placement.X_BM[body.index]
    return SceneBody(body.name, body.parent.index, *frames, program, q, parameters, tuple(shapes))


def _frame(body: InterfaceFrame, node: SceneBody, program: int, shapes: list[Shape]) -> SceneBody:
    """A frame on a flexible body, which the modal coordinates of its node move."""
    return SceneBody(body.name, body.parent.index, Transform(), Transform(), program, node.q, (), tuple(shapes))


def _is_missing(shapes: list[Shape]) -> bool:
    """Whether nothing can be drawn of these without reading a file."""
    return all(isinstance(each.geometry, (MeshFile, Text)) for each in shapes)


def _shapes(system: System, matter: MatterSubsystem, state: State, placement: Placement) -> tuple[dict[int, list[Shape]], set[int]]:
    """The shapes that users gave, by body; and the bodies that were given some, not only their children's joints."""
    found: dict[int, list[Shape]] = {index: [] for index in range(matter.n_bodies)}
    decorated: set[int] = set()
    for body in matter.bodies:
        for each in body.decorations:
            decorated |= set() if each.frame == "inboard" else {body.index}
            carrier = body.parent.index if each.frame == "inboard" else body.index
            X = {"body": Transform(), "outboard": placement.X_BM[body.index], "inboard": placement.X_PF[body.index]}[each.frame]
            found[carrier].append(Shape(each.geometry, X @ each.X))
    for subsystem in system.subsystems:
        for carrier, X_BD, geometry in subsystem.calc_decorations(state):
            if not (isinstance(carrier, (Ground, MobilizedBody)) and isinstance(X_BD, Transform) and isinstance(geometry, Geometry)):
                raise InputError(f"calc_decorations of '{subsystem.name}' gives (body, Transform, geometry) for each decoration.")
            found[carrier.index].append(Shape(geometry, X_BD))
            decorated.add(carrier.index)
    return found, decorated


def _constrained_points(matter: MatterSubsystem, state: State) -> dict[int, list[np.ndarray]]:
    """Points of bodies at which constraints such as rods act, in the bodies' frames."""
    found: dict[int, list[np.ndarray]] = {}
    for constraint in matter.constraints:
        for index, point in points_of(constraint, state) or ():
            found.setdefault(index, []).append(np.asarray(point))
    return found
