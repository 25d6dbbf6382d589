"""Geoms of a body: shapes that are drawn, and shapes that touch others."""

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import numpy as np

from mobod.contact import Box, Capsule, ContactShape, Cylinder, Ellipsoid, HalfSpace, HeightField, Sphere
from mobod.contact.shapes.contact_shape import nested
from mobod.errors import InputError
from mobod.files.findings import Finding
from mobod.files.mjcf.compiled_names import name_in_file
from mobod.files.mjcf.friction_of_pairs import SLIDING
from mobod.files.mjcf.reading import Reading, pose
from mobod.files.mjcf.softness import softness
from mobod.files.robot.collisions import RobotCollision
from mobod.files.robot.links import RobotLink
from mobod.matter.bodies import decorations
from mobod.matter.bodies.decorations import Geometry, Mesh, MeshFile, Triple
from mobod.spatial import Transform

KINDS = ("plane", "hfield", "sphere", "capsule", "ellipsoid", "cylinder", "box", "mesh", "sdf")  # in the order of mujoco.mjtGeom
SHOWN_GROUPS = 3  # MuJoCo's viewer shows the groups 0, 1 and 2
MESH_FILES = {".stl", ".obj", ".dae"}
_HALF_PLANE = 5.0  # m, drawn of an infinite plane
_THIN = 1e-3  # m, half the thickness of a drawn plane
_Z_TO_Y = Transform(np.array([[1.0, 0.0, 0.0], [0.0, 0.0, -1.0], [0.0, 1.0, 0.0]]))  # drawn cylinders are along y
_STIFF = 1e12  # N/m of a surface that cannot move, relative to the other one


def _geoms(reading: Reading, b: int) -> range:
    first = int(reading.m.body_geomadr[b])
    return range(first, first + int(reading.m.body_geomnum[b]))


def visuals_of(reading: Reading, b: int) -> tuple[tuple[Transform, Geometry], ...]:
    """What MuJoCo's viewer shows of a body."""
    m, found = reading.m, []
    for g in _geoms(reading, b):
        if int(m.geom_group[g]) < SHOWN_GROUPS and (red_green_blue_alpha := color_of(m, g))[3] > 0:
            drawn = _drawn(m, g, red_green_blue_alpha, reading.findings.path.parent)
            if drawn is not None:
                found.append(drawn)
    return tuple(found)


def color_of(m: Any, g: int) -> np.ndarray:
    material = int(m.geom_matid[g])
    return np.clip(np.array(m.mat_rgba[material] if material >= 0 else m.geom_rgba[g], dtype=float), 0.0, 1.0)


def _drawn(m: Any, g: int, rgba: np.ndarray, folder: Path) -> tuple[Transform, Geometry] | None:
    color: Triple = (float(rgba[0]), float(rgba[1]), float(rgba[2]))
    look: dict[str, Any] = {"color": color, "opacity": float(rgba[3])}
    X_BG, size, kind = pose(m.geom_pos[g], m.geom_quat[g]), [float(x) for x in m.geom_size[g]], _kind(m, g)
    try:
        match kind:
            case "sphere":
                return X_BG, decorations.Sphere(size[0], **look)
            case "box":
                return X_BG, decorations.Box((size[0], size[1], size[2]), **look)
            case "ellipsoid":
                return X_BG, decorations.Ellipsoid((size[0], size[1], size[2]), **look)
            case "cylinder":
                return X_BG @ _Z_TO_Y, decorations.Cylinder(size[0], size[1], **look)
            case "capsule":
                return X_BG @ _Z_TO_Y, decorations.Cylinder(size[0], size[0] + size[1], **look)
            case "plane":
                half = (size[0] or _HALF_PLANE, size[1] or _HALF_PLANE, _THIN)
                return X_BG @ Transform(p=[0.0, 0.0, -_THIN]), decorations.Box(half, **look)
            case "hfield":
                field = _height_field(m, int(m.geom_dataid[g]))
                return X_BG, Mesh(nested(field.vertices), nested(field.faces), **look)
            case "mesh" | "sdf":
                return _mesh(m, int(m.geom_dataid[g]), X_BG, look, folder)
    except InputError:  # a shape of no size is not drawn
        pass
    return None


def _kind(m: Any, g: int) -> str:
    number = int(m.geom_type[g])
    return KINDS[number] if number < len(KINDS) else f"of type {number}"


def _mesh(m: Any, mesh: int, X_BG: Transform, look: dict[str, Any], folder: Path) -> tuple[Transform, Geometry] | None:
    """The file of the mesh, in its own axes, or the mesh itself."""
    if mesh < 0:
        return None
    path = _path(m, mesh, folder)
    if path is not None and Path(path).suffix.lower() in MESH_FILES:
        scale: Triple = tuple(float(x) for x in m.mesh_scale[mesh])  # type: ignore[assignment] # there are three
        return X_BG @ pose(m.mesh_pos[mesh], m.mesh_quat[mesh]).inverse(), MeshFile(path, scale, **look)
    return X_BG, _own_mesh(m, mesh, look)


def _path(m: Any, mesh: int, folder: Path) -> str | None:
    """The file of a mesh, relative to the folder of the robot if it lies there; None for one without a file."""
    at = int(m.mesh_pathadr[mesh])
    if at < 0:
        return None
    paths: bytes = m.paths
    path = Path(paths[at : paths.index(b"\0", at)].decode("utf-8", "replace"))
    inside = folder.resolve()
    found = (folder / path).resolve()
    return found.relative_to(inside).as_posix() if found.is_relative_to(inside) else str(path)


def _own_mesh(m: Any, mesh: int, look: dict[str, Any]) -> Mesh:
    first, n = int(m.mesh_vertadr[mesh]), int(m.mesh_vertnum[mesh])
    first_face, faces = int(m.mesh_faceadr[mesh]), int(m.mesh_facenum[mesh])
    vertices = tuple(map(tuple, np.array(m.mesh_vert[first : first + n], dtype=float).tolist()))
    triangles = tuple(map(tuple, np.array(m.mesh_face[first_face : first_face + faces]).tolist()))
    return Mesh(vertices, triangles, **look)


# contact
def collisions_of(reading: Reading, b: int) -> tuple[RobotCollision, ...]:
    """The geoms that touch others. What is wrong with them is stored: it matters only if contact is asked for."""
    if reading.is_off("contact"):
        return ()
    return tuple(_collision(reading, b, g) for g in _geoms(reading, b) if _can_touch(reading.m, g))


def _can_touch(m: Any, g: int) -> bool:
    return bool(m.geom_contype[g] or m.geom_conaffinity[g] or g in m.pair_geom1 or g in m.pair_geom2)


def collision_of_geom(reading: Reading, links: Mapping[str, RobotLink], g: int) -> RobotCollision:
    """The shape that was made of a geom that can touch."""
    b = int(reading.m.geom_bodyid[g])
    before = [each for each in _geoms(reading, b) if each < g and _can_touch(reading.m, each)]
    return links[reading.names.links[b]].collisions[len(before)]


def _collision(reading: Reading, b: int, g: int) -> RobotCollision:
    m, path = reading.m, reading.findings.path
    shape, error = shape_of(m, g)
    soft, inverse_mass = softness(m.geom_solref[g], m.geom_solimp[g]), float(m.body_invweight0[b][0])
    notes = [
        Finding(kind=kind, message=f"geom {reading.names.shown('geom', g)}: {message}", path=path, lines=(), link=reading.names.links[b])
        for kind, message in _left_out(m, g)
    ]
    of_all = [each for each in range(m.ngeom) if _can_touch(m, each)]
    if g == of_all[0]:
        notes.extend(_notes_of_all(reading, of_all))
    return RobotCollision(
        path=path,
        line=0,
        X_BS=pose(m.geom_pos[g], m.geom_quat[g]),
        shape=shape,
        friction=float(m.geom_friction[g][0]),
        torsional_friction=float(m.geom_friction[g][1]),
        rolling_friction=float(m.geom_friction[g][2]),
        condim=int(m.geom_condim[g]),
        priority=int(m.geom_priority[g]),
        bits=(int(m.geom_contype[g]), int(m.geom_conaffinity[g])),
        name=name_in_file(m, "geom", g),
        stiffness=soft.stiffness / inverse_mass if inverse_mass > 0 else _STIFF,
        dissipation=soft.dissipation,
        findings=tuple(notes),
        error=error and f"{path}: geom {reading.names.shown('geom', g)}: {error}",
    )


def _notes_of_all(reading: Reading, of_all: list[int]) -> list[Finding]:
    """What is said once for all contacts."""
    m, path = reading.m, reading.findings.path
    depth = max(softness(m.geom_solref[g], m.geom_solimp[g]).depth for g in of_all)
    message = (
        f"contacts are soft in MuJoCo, and give way by up to {depth:.2g} m under the weight of the body. With contact='rigid' they are "
        "rigid, with 'compliant' they give way as much for the effective mass of the bodies alone."
    )
    found = [Finding(kind="soft", message=message, path=path, lines=())]
    if max([*(int(m.geom_condim[g]) for g in of_all), *(int(each) for each in m.pair_dim)]) > SLIDING:
        message = (
            "condim 4 and 6: the bounds of friction against sliding, spin and rolling are independent of each other here. In MuJoCo all "
            "are parts of one cone, so that a spin lowers the friction against sliding. "
            "contact=mb.UrdfContact(torsional_friction=0.0, rolling_friction=0.0) leaves out spin and rolling; "
            "with them, integrator='velocity_level' is the quick one."
        )
        found.append(Finding(kind="condim", message=message, path=path, lines=()))
    return found


def _left_out(m: Any, g: int) -> list[tuple[str, str]]:
    found = []
    if m.geom_margin[g]:
        found.append(("margin", f"its margin, {m.geom_margin[g]:g} m, is left out."))
    return found


def shape_of(m: Any, g: int) -> tuple[ContactShape | Mesh | None, str]:
    """The shape of a geom, or why there is none."""
    if (kind := _kind(m, g)) == "mesh":
        return _own_mesh(m, int(m.geom_dataid[g]), {}), ""
    if kind == "hfield":
        return _height_field(m, int(m.geom_dataid[g])), ""
    return _shape(kind, m.geom_size[g])


def _height_field(m: Any, field: int) -> HeightField:
    """Rows of MuJoCo are along y, and heights are relative to the highest one that there may be."""
    first, rows, columns = int(m.hfield_adr[field]), int(m.hfield_nrow[field]), int(m.hfield_ncol[field])
    half_x, half_y, highest, _ = (float(x) for x in m.hfield_size[field])
    heights = highest * np.array(m.hfield_data[first : first + rows * columns], dtype=float).reshape(rows, columns).T
    return HeightField(nested(heights), (2 * half_x / (columns - 1), 2 * half_y / (rows - 1)))


def shape_of_site(m: Any, s: int) -> ContactShape | None:
    """The zone of a site; None for one of no size."""
    return _shape(KINDS[int(m.site_type[s])], m.site_size[s])[0]


def _shape(kind: str, sizes: np.ndarray) -> tuple[ContactShape | None, str]:
    size = [float(x) for x in sizes]
    make: dict[str, Callable[[], ContactShape]] = {
        "plane": HalfSpace,
        "sphere": lambda: Sphere(size[0]),
        "capsule": lambda: Capsule(size[0], size[1]),
        "ellipsoid": lambda: Ellipsoid((size[0], size[1], size[2])),
        "cylinder": lambda: Cylinder(size[0], size[1]),
        "box": lambda: Box((size[0], size[1], size[2])),
    }
    if kind not in make:
        return None, f"mobod has no contact of a geom of type {kind}."
    try:
        return make[kind](), ""
    except InputError as error:
        return None, str(error)
