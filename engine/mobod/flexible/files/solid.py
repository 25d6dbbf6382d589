"""Solids from mesh files: mass and stiffness matrices by scikit-fem, elements of second order."""

from collections.abc import Callable, Mapping
from contextlib import redirect_stdout
from dataclasses import dataclass
from io import StringIO
from os import PathLike
from pathlib import Path
from typing import Any, final

import numpy as np
from scipy import sparse

from mobod.errors import InputError, ModelFileError, UnsupportedError
from mobod.flexible.interfaces import TiedNodes
from mobod.flexible.sections import Material
from mobod.spatial import Transform

_SOLIDS = {"tetra": 4, "tetra10": 4, "hexahedron": 8, "hexahedron20": 8, "hexahedron27": 8}  # cells of meshio, and their corners
_FACES = {"triangle": 3, "triangle6": 3, "quad": 4, "quad8": 4, "quad9": 4}
_NEIGHBOURS = [[1, 3, 4], [2, 0, 5], [3, 1, 6], [0, 2, 7], [7, 5, 0], [4, 6, 1], [5, 7, 2], [6, 4, 3]]  # of the corners of a hexahedron
_MOST_NODES = 300_000


@final
@dataclass(frozen=True, eq=False)
class Solid:
    """Arguments of ModalData.from_matrices."""

    M: sparse.csr_array
    K: sparse.csr_array
    nodes: np.ndarray
    surface: np.ndarray
    interfaces: Mapping[str, TiedNodes]


def solid_of_mesh(path: str | PathLike[str], material: Material, interfaces: Mapping[str, Any], scale: float) -> Solid:
    """See ModalData.from_solid."""
    try:
        import meshio
        import skfem
    except ImportError as error:
        raise UnsupportedError("solids from meshes need scikit-fem and meshio. Install them: python -m pip install 'mobod[fem]'") from error
    given: object = material
    if not isinstance(given, Material):
        raise InputError(f"ModalData.from_solid: material is a Material, not {type(given).__name__}.")
    file = Path(path)
    if not file.is_file():
        raise ModelFileError(f"{file}: there is no such file.")
    try:
        with redirect_stdout(StringIO()):  # some readers print
            read = meshio.read(file)
    except (Exception, SystemExit) as error:  # meshio's readers raise anything, and some end the program
        raise ModelFileError(f"{file} is no mesh that meshio reads: {str(error) or type(error).__name__}") from None
    points, corners = _cells(file, read, scale)
    is_tetrahedra = corners.shape[1] == 4
    order = np.arange(8) if not is_tetrahedra else np.arange(4)
    if not is_tetrahedra:
        order = np.array([0, 1, 3, 4, 2, 5, 7, 6])  # scikit-fem's order of corners
    kind = skfem.MeshTet if is_tetrahedra else skfem.MeshHex
    mesh = kind(np.ascontiguousarray(points.T), np.ascontiguousarray(corners[:, order].T))
    element = skfem.ElementVector(skfem.ElementTetP2() if is_tetrahedra else skfem.ElementHex2())
    basis = skfem.Basis(mesh, element, intorder=4)
    n_nodes = basis.N // 3
    if n_nodes > _MOST_NODES:
        raise UnsupportedError(f"{file}: {n_nodes} nodes with those on edges; at most {_MOST_NODES}. Take a coarser mesh.")
    M, K = _matrices(basis, material)
    # freedoms of each node one after another
    numbers = np.concatenate([each.reshape(-1, 3, each.shape[1]).transpose(0, 2, 1).reshape(-1, 3) for each in _numbers_of(basis)])
    at = numbers.ravel()
    nodes = basis.doflocs[:, numbers[:, 0]].T
    return Solid(
        sparse.csr_array(M[at][:, at]),
        sparse.csr_array(K[at][:, at]),
        nodes,
        _outward(mesh),
        {name: _interface(file, read, mesh, basis, numbers, name, each) for name, each in interfaces.items()},
    )


def _cells(file: Path, read: Any, scale: float) -> tuple[np.ndarray, np.ndarray]:
    """(points that are corners of cells (N, 3) m, corners of all solid cells)."""
    if not (np.isfinite(scale) and scale > 0):
        raise InputError(f"ModalData.from_solid: scale is {scale!r} m for a unit of the file; it must be positive.")
    kinds = [block for block in read.cells if block.type in _SOLIDS]
    sizes = {_SOLIDS[block.type] for block in kinds}
    if len(sizes) != 1:
        known = ", ".join(sorted({block.type for block in read.cells})) or "nothing"
        raise ModelFileError(f"{file}: a mesh of tetrahedra, or of hexahedra, is needed. It has {known}.")
    corners = np.concatenate([block.data[:, : _SOLIDS[block.type]] for block in kinds])
    points = np.asarray(read.points, dtype=float)
    if points.ndim != 2 or points.shape[1] != 3 or not np.isfinite(points).all():
        raise ModelFileError(f"{file}: 'points' has shape {points.shape}, or numbers that are not finite; (N, 3) is needed.")
    if corners.min() < 0 or corners.max() >= len(points):
        raise ModelFileError(f"{file}: 'cells' have the point {corners.max()}; there are {len(points)}.")
    _check_volumes(file, points, corners)
    return scale * points, corners


def _check_volumes(file: Path, points: np.ndarray, corners: np.ndarray) -> None:
    """Each corner of a cell spans a volume with its neighbours, all of the same sign."""
    around = [[1, 2, 3]] if corners.shape[1] == 4 else _NEIGHBOURS
    a, b, c = (points[corners[:, [each[k] for each in around]]] - points[corners[:, : len(around)]] for k in range(3))
    volumes = np.einsum("ijk,ijk->ij", a, np.cross(b, c))
    volumes = (volumes * np.sign(volumes[:, :1])).min(axis=1)
    if not volumes.min() > 1e-9 * np.abs(volumes).mean():
        raise ModelFileError(f"{file}: cell {int(np.argmin(volumes))} is flat, or folded at a corner. Mend the mesh.")


def _matrices(basis: Any, material: Material) -> tuple[Any, Any]:
    import skfem
    from skfem.helpers import ddot, dot, sym_grad, trace

    G, E = material.shear_modulus, material.E
    nu = E / (2 * G) - 1
    if not nu < 0.4999:
        raise InputError(f"ModalData.from_solid: nu is {nu:.4g}; an incompressible solid needs other elements. Take at most 0.499.")
    lame = E * nu / ((1 + nu) * (1 - 2 * nu))

    def stiffness(u: Any, v: Any, _: Any) -> Any:
        e, d = sym_grad(u), sym_grad(v)
        return 2 * G * ddot(e, d) + lame * trace(e) * trace(d)

    def mass(u: Any, v: Any, _: Any) -> Any:
        return material.density * dot(u, v)

    return skfem.BilinearForm(mass).assemble(basis), skfem.BilinearForm(stiffness).assemble(basis)


def _numbers_of(basis: Any) -> list[np.ndarray]:
    """Freedoms of corners, edges, faces and cells; in each three rows for a node."""
    return [each for each in (basis.nodal_dofs, basis.edge_dofs, basis.facet_dofs, basis.interior_dofs) if each.size]


def _outward(mesh: Any) -> np.ndarray:
    """(F, 3) triangles of the surface by corners, counterclockwise seen from outside."""
    facets = mesh.boundary_facets()
    corners = mesh.facets[:, facets]
    triangles = corners.T if len(corners) == 3 else np.concatenate([_ring(mesh, corners)[[0, 1, 2]].T, _ring(mesh, corners)[[0, 2, 3]].T])
    cells = np.tile(mesh.f2t[0, facets], len(triangles) // len(facets))
    middles = mesh.p[:, mesh.t[:, cells]].mean(axis=1).T
    a, b, c = (mesh.p[:, triangles[:, k]].T for k in range(3))
    inward = np.einsum("ij,ij->i", np.cross(b - a, c - a), a - middles) < 0
    triangles = triangles.copy()
    triangles[inward] = triangles[inward][:, ::-1]
    return triangles


def _ring(mesh: Any, corners: np.ndarray) -> np.ndarray:
    """(4, F) the corners of quadrilaterals in their order around, from any order."""
    p = mesh.p[:, corners]  # (3, 4, F)
    middle = p.mean(axis=1, keepdims=True)
    d = p - middle
    x = d[:, 0] / np.linalg.norm(d[:, 0], axis=0)
    normal = np.cross(d[:, 0], d[:, 1], axis=0)
    other = np.cross(d[:, 0], d[:, 2], axis=0)
    is_thin = np.linalg.norm(normal, axis=0) < np.linalg.norm(other, axis=0)
    normal[:, is_thin] = other[:, is_thin]
    y = np.cross(normal, x, axis=0)
    angles = np.arctan2(np.einsum("ikf,if->kf", d, y / np.linalg.norm(y, axis=0)), np.einsum("ikf,if->kf", d, x))
    return np.take_along_axis(corners, np.argsort(angles, axis=0), axis=0)


def _interface(file: Path, read: Any, mesh: Any, basis: Any, numbers: np.ndarray, name: str, given: Any) -> TiedNodes:
    """The nodes of the faces of an interface, and its frame at the center of their area."""
    each: dict[str, Any] = dict(given) if isinstance(given, Mapping) else {"on": given}
    if "on" not in each or set(each) - {"on", "tie", "X"}:
        raise InputError(f"ModalData.from_solid: interface '{name}' has 'on', and may have 'tie' and 'X'; not {sorted(map(str, each))}.")
    on, facets = each.pop("on"), mesh.boundary_facets()
    if isinstance(on, str):
        chosen = facets[_in_group(file, read, mesh, on, facets)]
    elif callable(on):
        chosen = facets[_where(mesh, on, facets, name)]
    else:
        raise InputError(f"ModalData.from_solid: interface '{name}' is on a named group of faces or a function of positions, not {on!r}.")
    if not chosen.size:
        raise InputError(f"{file}: interface '{name}' has no faces on the surface. It needs one face at least with all its corners.")
    rows = np.full(basis.N, -1)
    rows[numbers.ravel()] = np.repeat(np.arange(len(numbers)), 3)
    tied: TiedNodes = {"nodes": np.unique(rows[basis.get_dofs(chosen).all()]), "tie": each.get("tie", "rigid")}
    tied["X"] = each["X"] if "X" in each else Transform(p=_center(mesh, chosen))
    return tied


def _where(mesh: Any, on: Callable[[np.ndarray], Any], facets: np.ndarray, name: str) -> np.ndarray:
    is_on = np.asarray(on(mesh.p.T.copy()))
    if is_on.shape != (mesh.p.shape[1],) or is_on.dtype != bool:
        raise InputError(
            f"ModalData.from_solid: the function of interface '{name}' returned {is_on.dtype} of shape {is_on.shape}, not truth values."
        )
    return np.flatnonzero(is_on[mesh.facets[:, facets]].all(axis=0))


def _in_group(file: Path, read: Any, mesh: Any, group: str, facets: np.ndarray) -> np.ndarray:
    """Which facets belong to a named group of faces of the file."""
    groups = _groups(read)
    if group not in groups:
        known = ", ".join(map(repr, groups)) or "none"
        raise InputError(f"{file}: there is no group of faces '{group}'. The file has {known}.")
    known_faces = {tuple(sorted(face)) for face in groups[group].tolist()}
    return np.array([i for i, facet in enumerate(mesh.facets[:, facets].T.tolist()) if tuple(sorted(facet)) in known_faces], dtype=int)


def _groups(read: Any) -> dict[str, np.ndarray]:
    """Corners of the faces of each named group: physical groups of Gmsh, and sets of cells of other formats."""
    found: dict[str, list[np.ndarray]] = {}
    for number, block in enumerate(read.cells):
        if block.type not in _FACES:
            continue
        faces = block.data[:, : _FACES[block.type]]
        for name, sets in read.cell_sets.items():
            if number < len(sets) and sets[number] is not None and len(sets[number]):
                found.setdefault(name, []).append(faces[np.asarray(sets[number], dtype=int)])
        tags = read.cell_data.get("gmsh:physical")
        for name, (tag, dimension) in read.field_data.items() if tags is not None else ():
            if dimension == 2 and name not in read.cell_sets:
                found.setdefault(name, []).append(faces[np.asarray(tags[number]) == tag])
    return {name: np.concatenate(each) for name, each in found.items()}


def _center(mesh: Any, facets: np.ndarray) -> np.ndarray:
    """(3,) m, of the area."""
    corners = mesh.facets[:, facets]
    if len(corners) == 4:
        ring = _ring(mesh, corners)
        corners = np.concatenate([ring[[0, 1, 2]], ring[[0, 2, 3]]], axis=1)
    a, b, c = (mesh.p[:, each].T for each in corners)
    areas = np.linalg.norm(np.cross(b - a, c - a), axis=1)
    return (areas @ (a + b + c) / 3) / areas.sum()
