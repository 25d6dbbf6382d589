"""The shapes that are made of the collisions of a link."""

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import final

import numpy as np

from mobod.contact import ContactShape, ConvexMesh, Cylinder, HeightField, TerrainMesh
from mobod.contact.decomposition import convex_parts
from mobod.errors import InputError, ModelFileError, UnsupportedError
from mobod.files.findings import Findings
from mobod.files.meshes.mesh_file import read_mesh
from mobod.files.meshes.reduction import reduced_hull
from mobod.files.robot.collisions import RobotCollision
from mobod.files.robot.contact_options import UrdfContact
from mobod.files.robot.height_image import HeightImage
from mobod.matter.bodies.decorations import Mesh, MeshFile, Triple

MOST_TRIANGLES = 2_000_000  # of terrain


@final
@dataclass(frozen=True)
class CollisionShapes:
    """link      its name, for findings
    is_fixed  whether it is fixed to Ground
    """

    options: UrdfContact
    folders: Sequence[str | Path]
    findings: Findings
    link: str
    is_fixed: bool

    def shapes(self, collision: RobotCollision) -> Iterator[ContactShape]:
        """None of a collision that cannot be used, with a finding; several of a mesh that is divided. Raises ModelFileError if findings
        are strict.
        """
        for each in collision.findings:
            self.findings.note(each.kind, each.message, *each.lines, path=each.path, link=self.link)
        if collision.error:
            if self.findings.strict:
                raise ModelFileError(collision.error)
            message = re.sub(r"^line \d+: ", "", collision.error.removeprefix(f"{collision.path}, "))
            self._note(collision, "collision", f"{message} The shape touches nothing.")
        shape = collision.shape
        if isinstance(shape, (MeshFile, Mesh)):
            yield from self._of_mesh(collision, shape)
        elif isinstance(shape, HeightImage):
            try:
                field = shape.field(self.folders)
            except InputError as error:
                raise ModelFileError(f"{collision.place}: the height field '{shape.uri}' cannot touch anything: {error}") from error
            yield _AS_ASKED[HeightField](field, self.options)
        elif shape is not None:
            yield _AS_ASKED.get(type(shape), _as_it_is)(shape, self.options)

    def _of_mesh(self, collision: RobotCollision, mesh: MeshFile | Mesh) -> Iterator[ContactShape]:
        what = mesh.path if isinstance(mesh, MeshFile) else collision.name
        try:
            if self.options.terrain == "triangles" and self.is_fixed:
                yield TerrainMesh.of(*self._triangles(mesh, MOST_TRIANGLES))
                return
            vertices, faces = self._triangles(mesh)
            if self.options.mesh_parts == 1:
                yield self._fewer(collision, what, ConvexMesh.hull_of(vertices))
                return
            of_mesh = Mesh(_rows(vertices), tuple((a, b, c) for a, b, c in faces.tolist()))
            for part in convex_parts(of_mesh, most=self.options.mesh_parts):
                yield self._fewer(collision, what, part)
        except (InputError, UnsupportedError) as error:
            raise ModelFileError(f"{collision.place}: the mesh '{what}' cannot touch anything: {error}") from error

    def _triangles(self, mesh: MeshFile | Mesh, most: int | None = None) -> tuple[np.ndarray, np.ndarray]:
        """Vertices (n, 3) and faces (m, 3) of all parts."""
        if isinstance(mesh, Mesh):
            return np.array(mesh.vertices), np.array(mesh.faces)
        sizes = {} if most is None else {"most_triangles": most}
        parts = read_mesh(mesh, self.folders, **sizes)
        starts = np.cumsum([0, *(len(part.vertices) for part in parts)])
        faces = [part.faces + start for part, start in zip(parts, starts, strict=False)]
        return np.concatenate([part.vertices for part in parts]), np.concatenate(faces)

    def _fewer(self, collision: RobotCollision, what: str, hull: ConvexMesh) -> ConvexMesh:
        """The hull, or one of some of its vertices."""
        most = self.options.mesh_vertices
        if len(hull.vertices) <= most or (self.options.in_fixed_steps and self.options.kind == "rigid"):
            return hull
        vertices, outside = reduced_hull(np.array(hull.vertices), most)
        smaller = ConvexMesh.hull_of(vertices)
        changed = f"the convex hull of the mesh '{what}' has {len(hull.vertices)} vertices, and the limit is {most}: each costs a row."
        advice = "mb.UrdfContact(mesh_vertices=...) sets another limit; for rigid contacts with in_fixed_steps=True there is none."
        if self.findings.strict:
            raise ModelFileError(f"{collision.place}: {changed} {advice}")
        size = float(np.ptp(np.array(hull.vertices), axis=0).max())
        self._note(
            collision,
            "mesh",
            f"{changed} {len(smaller.vertices)} of them are used; the others are up to {outside:.3g} m outside, {outside / size:.2g} of "
            f"its size. {advice}",
        )
        return smaller

    def _note(self, collision: RobotCollision, kind: str, message: str) -> None:
        self.findings.note(kind, message, collision.line, path=collision.path, link=self.link)


def _as_it_is(shape: ContactShape, options: UrdfContact) -> ContactShape:
    return shape


# with as many fixed points of its rims as the options say; triangles or a spline
_AS_ASKED: dict[type, Callable[..., ContactShape]] = {
    Cylinder: lambda shape, options: replace(shape, points=options.cylinder_points),
    HeightField: lambda shape, options: replace(shape, smooth=options.terrain == "smooth"),
}


def _rows(vertices: np.ndarray) -> tuple[Triple, ...]:
    return tuple((x, y, z) for x, y, z in vertices.tolist())
