"""ModalData: a flexible body by modal coordinates, with constant inertia in its mean-axis frame."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from os import PathLike
from pathlib import Path
from typing import Any, final

import numpy as np
from numpy.typing import ArrayLike

from mobod.arguments.real_numbers import real_numbers
from mobod.errors import InputError, MassPropertiesError, UnsupportedError
from mobod.flexible.deforming_mass import SecondMoments, moments_of_mesh, moments_of_points
from mobod.flexible.files.modal_file import write_modal_file
from mobod.flexible.files.reading import Makers, modal_data_of_file
from mobod.flexible.interfaces import GivenInterfaces, MassPoint, ModalInterface
from mobod.flexible.modal_arguments import check_as_expected, checked_inboard
from mobod.flexible.modal_checks import check_arrays, check_frames, check_modal_mass
from mobod.flexible.reduction import Reduced, from_full, from_reduced
from mobod.flexible.sections import Material
from mobod.flexible.surface import ModalSurface, checked_triangles, surface_of_interfaces, surface_of_nodes
from mobod.scalar.array import Array
from mobod.spatial import MassProperties, Transform, cross_matrix

MOST_MODES = 100  # more are refused: each evaluation inverts a matrix of this size


@final
@dataclass(frozen=True, eq=False)
class ModalData:
    """A flexible body by n modal coordinates eta, relative to the frame of its inboard interface, where all shapes vanish; or to its mean
    axes, in which the modes have no momentum.

    Made by from_matrices or from_reduced; shapes have unit modal mass, so that the equations of the modes of the clamped body are
    eta_dot_dot + 2 zeta omega eta_dot + omega^2 eta = 0.

    inboard          name of the interface that carries the frame; None: the frame has the mean axes
    interfaces       all interfaces by name, in the body's frame
    mass_properties  of the body without deformation, in the body's frame
    coupling         (6, n)  momentum of the modes about the mass center, angular first, for unit modal rates: kg^(1/2) m and kg^(1/2)
    stiffness        (n,)    1/s^2: the squares of the angular frequencies of the body clamped at the inboard interface, or of the free body
    damping          (n, n)  1/s: from a given damping matrix
    size             m, the diagonal of the box around all nodes
    flexibility_lost largest part of the static flexibility of an interface that truncation has removed
    points           with which the inertia follows the deformation
    moments          instead of points, of a whole mesh; without both, only constant inertia is possible
    surface          for drawings
    """

    inboard: str | None
    interfaces: Mapping[str, ModalInterface]
    mass_properties: MassProperties
    coupling: np.ndarray
    stiffness: np.ndarray
    damping: np.ndarray
    size: float
    flexibility_lost: float
    points: tuple[MassPoint, ...] = ()
    surface: ModalSurface | None = None
    moments: SecondMoments | None = None

    def __post_init__(self) -> None:
        check_arrays(self.n, self.coupling, self.stiffness, self.damping)
        check_frames(self.inboard, self.interfaces, self.points, self.n)
        check_modal_mass(self.mass, is_mean=self.inboard is None)

    @classmethod
    def from_matrices(
        cls,
        M: ArrayLike,
        K: ArrayLike,
        nodes: ArrayLike,
        interfaces: GivenInterfaces,
        *,
        inboard: str | None = None,
        D: ArrayLike | None = None,
        modes: int | None = None,
        below: float | None = None,
        frame: str = "inboard",
        mass_properties: MassProperties | None = None,
        surface: ArrayLike | None = None,
    ) -> "ModalData":
        """The reduction of mass and stiffness matrices of finite elements, by the method of Craig and Bampton.

        M, K        (dof, dof)  kg, kg m, kg m^2; N/m, N, N m: sparse or dense, without supports; 3 freedoms for each node, or 6:
                                x y z, then the rotations about x y z
        nodes       (N, 3)  m   in the body's frame
        interfaces  by name: the number of a node with 6 freedoms; or a dict with 'nodes': their numbers, 'tie': 'rigid' (the default) or
                    'average', 'X': pose of the interface in the body's frame; default: axes of the body at the mean of the nodes
        inboard     the interface whose frame the deformation is measured from; not with frame='mean'
        D           (dof, dof)  damping matrix
        modes       how many of the lowest modes are kept, up to 100; default: all static shapes of the interfaces, which are exact, with
                    modes of the fixed interfaces
        below       Hz: modes with higher frequencies are left out
        frame       'inboard'; or 'mean', for bodies on mobilizers with six degrees of freedom: the deformation is measured from the mean
                    axes (Buckens), modes are those of the free body, and the static shapes those of interfaces that move relative to it
        mass_properties
                    those of the whole body in its frame, if known: M must give them to 1e-3
        surface     (F, 3)  numbers of nodes: triangles of the surface, counterclockwise seen from outside, for drawings; default: tubes
                    between the interfaces are drawn

        Raises InputError for matrices that are no free elastic body, and for interfaces that do not exist; MassPropertiesError for an M
        of which no rigid body has the inertia, or not the one given. Springs to the ground on the inboard interface's own nodes are
        allowed: all shapes vanish there.
        Source: Craig, Bampton, Coupling of substructures for dynamic analyses, AIAA Journal 6 (1968).
        """
        reduced = from_full(M, K, nodes, interfaces, checked_inboard(inboard, frame), D, _checked_modes(modes), _checked_below(below))
        made = cls._of(reduced, mass_properties)
        points = np.array(nodes, dtype=float)
        moved = reduced.shapes.reshape(len(points), reduced.shapes.shape[0] // len(points), made.n)[:, :3]
        drawn = None if surface is None else surface_of_nodes(points, moved, checked_triangles(surface, len(points)))
        return replace(made, moments=moments_of_mesh(M, points, moved, made.mass_properties.com), surface=drawn)

    @classmethod
    def from_reduced(
        cls,
        M: ArrayLike,
        K: ArrayLike,
        interfaces: Mapping[str, Transform | ArrayLike],
        *,
        inboard: str | None = None,
        D: ArrayLike | None = None,
        modes: int | None = None,
        below: float | None = None,
        frame: str = "inboard",
        mass_properties: MassProperties | None = None,
        points: tuple[ArrayLike, ArrayLike, ArrayLike] | None = None,
    ) -> "ModalData":
        """Modal data from matrices that are reduced already, by Craig and Bampton's method, to interfaces and modes.

        M, K        (dof, dof)  six freedoms of each interface, x y z, then the rotations about x y z, in the order of `interfaces`;
                                then any number of modes of the fixed interfaces
        interfaces  by name: (3,) m, the origin in the body's frame, or its pose. Freedoms are along the body's axes
        frame, mass_properties
                    as in from_matrices
        points      for inertia='full': masses (N,) kg, positions (N, 3) m in the body's frame and displacements (N, 3, dof) for unit
                    values of the freedoms, of the nodes of the mesh; their sums must be the mass and the mass center of M to 1 %

        Modes that depend on others are left out, with a warning that has their numbers.
        """
        reduced = from_reduced(M, K, interfaces, checked_inboard(inboard, frame), D, _checked_modes(modes), _checked_below(below))
        made = cls._of(reduced, mass_properties)
        if points is None:
            return made
        return replace(made, moments=moments_of_points(points, reduced.shapes, made.mass_properties.mass, made.mass_properties.com))

    @classmethod
    def read(
        cls,
        path: str | PathLike[str] | Mapping[str, str | PathLike[str]],
        interfaces: GivenInterfaces | Mapping[str, Transform | ArrayLike] | None = None,
        *,
        inboard: str | None = None,
        nodes: ArrayLike | None = None,
        modes: int | None = None,
        below: float | None = None,
        frame: str = "inboard",
        mass_properties: MassProperties | None = None,
    ) -> "ModalData":
        """Modal data from a file. No file can run code.

        path    .npz of `write`, which needs no other argument;
                .npz or .mat (MATLAB, version 4 to 7) with M, K, and D, nodes and surface if they are there, as in from_matrices; in an
                .npz a sparse matrix may be the parts of a csr_array, 'M.data', 'M.indices', 'M.indptr';
                a folder with M.mtx and K.mtx (Matrix Market), D.mtx, nodes.mtx and surface.mtx; or a dict of such files by these names;
                .sti of CalculiX, beside .mas, .dof and .inp, or .pch of Nastran with DMIG and GRID cards;
                .sid or .SID_FEM: Standard Input Data, without its geometric stiffness
        interfaces
                as in from_matrices; without nodes as in from_reduced; of SID numbers of its nodes by name, default 'node1', ...; of
                CalculiX and Nastran by their own numbers of nodes, or a name of a set of nodes of the deck
        nodes   (N, 3)  m  if the file has none; numbers of nodes begin at 0
        inboard, modes, below, frame, mass_properties  as in from_matrices

        Raises ModelFileError, which names the file and the field, for files that cannot be read, for matrices of wrong shapes, and for
        those that are not symmetric or not positive; InputError; UnsupportedError.
        """
        make = Makers(cls, cls.from_matrices, cls.from_reduced, cls._of)
        given = {"modes": _checked_modes(modes), "below": _checked_below(below), "frame": frame, "mass_properties": mass_properties}
        made = modal_data_of_file(make, path, interfaces, inboard, nodes, given)
        if made.n > MOST_MODES:
            raise UnsupportedError(f"{path}: {made.n} modes; a flexible body has at most {MOST_MODES} for now.")
        return made

    @classmethod
    def from_solid(
        cls,
        mesh: str | PathLike[str],
        material: Material,
        interfaces: Mapping[str, Any],
        *,
        inboard: str | None = None,
        scale: float = 1.0,
        modes: int | None = None,
        below: float | None = None,
        frame: str = "inboard",
    ) -> "ModalData":
        """A solid from a mesh file of tetrahedra or hexahedra, by elements of second order. Needs the extra `fem`: scikit-fem, meshio.

        mesh        a file that meshio reads: Gmsh (.msh), Abaqus and CalculiX (.inp), Nastran (.bdf), VTK, ...; edges are straight
        interfaces  by name: the name of a group of faces in the file; or a function of positions (N, 3) m on the surface that returns which
                    of them belong to it; or a dict with one of these as 'on', and 'tie' and 'X' as in from_matrices. Default: tied rigidly,
                    at the center of its area
        scale       m for a unit of length of the file
        inboard, modes, below, frame  as in from_matrices

        Raises ModelFileError, which names the file; InputError for interfaces without faces; UnsupportedError without the extra.
        """
        from mobod.flexible.files.solid import solid_of_mesh  # late: scikit-fem is slow to import

        solid = solid_of_mesh(mesh, material, interfaces, scale)
        return cls.from_matrices(
            solid.M, solid.K, solid.nodes, solid.interfaces, inboard=inboard, modes=modes, below=below, frame=frame, surface=solid.surface
        )

    def write(self, path: str | PathLike[str]) -> None:
        """Write an .npz file, which `read` reads. Raises InputError."""
        write_modal_file(self, Path(path))

    @classmethod
    def _of(cls, reduced: Reduced, expected: MassProperties | None) -> "ModalData":
        n = reduced.stiffness.size
        if n > MOST_MODES:
            raise UnsupportedError(
                f"ModalData: {n} modes, from {np.sqrt(reduced.stiffness[0]) / (2 * np.pi):.4g} Hz to "
                f"{np.sqrt(reduced.stiffness[-1]) / (2 * np.pi):.4g} Hz; a flexible body has at most {MOST_MODES} for now. "
                f"Give modes={MOST_MODES} "
                "or a lower `below`."
            )
        rigid = reduced.rigid
        try:
            found = rigid.mass_properties(reduced.origin)
        except MassPropertiesError as error:
            raise MassPropertiesError(f"ModalData: M, for rigid motions of the whole body: {error}") from None
        if expected is not None:
            check_as_expected(found, expected)
        return cls(
            inboard=reduced.inboard,
            interfaces=reduced.interfaces,
            mass_properties=found,
            coupling=rigid.about_center(reduced.coupling),
            stiffness=reduced.stiffness,
            damping=reduced.damping,
            size=reduced.size,
            flexibility_lost=reduced.flexibility_lost,
            moments=reduced.moments,
        )

    @property
    def n(self) -> int:
        """The number of modal coordinates."""
        return self.stiffness.size

    @property
    def frame(self) -> str:
        """'inboard' or 'mean': the axes that shapes are relative to."""
        return "mean" if self.inboard is None else "inboard"

    @property
    def has_second_shapes(self) -> bool:
        """Whether points have displacements of second order."""
        return any(each.second is not None for each in self.points)

    @property
    def frequencies(self) -> np.ndarray:
        """(n,) Hz: natural frequencies of the body clamped at its inboard interface, or of the free body, without damping."""
        return np.asarray(np.sqrt(self.stiffness) / (2 * np.pi))

    @property
    def free_frequencies(self) -> np.ndarray:
        """(n,) Hz: natural frequencies of the free body, without the six of its rigid motions."""
        from scipy.linalg import eigh

        squares = eigh(np.diag(self.stiffness), self.mass, eigvals_only=True) if self.n else np.zeros(0)
        return np.asarray(np.sqrt(squares) / (2 * np.pi))

    def with_free_damping(self, ratio: ArrayLike) -> "ModalData":
        """The same body with this damping matrix: each mode of the free body has a part of its critical damping.

        ratio  () or (n,)  one for all modes of the free body, or one for each, in the order of `free_frequencies`

        A damping_ratio of a FlexibleBody is that of the modes clamped at the inboard interface, and more on joints that turn freely;
        relative to mean axes it is that of the free body. Use it beside this one only for what is to be added. Raises InputError.
        """
        from scipy.linalg import eigh

        ratios = real_numbers(ratio, "ModalData.with_free_damping: ratio")
        if ratios.shape not in ((), (self.n,)) or not np.isfinite(ratios).all() or (ratios < 0).any():
            raise InputError(
                f"ModalData.with_free_damping: ratio is {ratios.tolist()}. One number, or {self.n}, are needed, finite and not negative."
            )
        if not self.n:
            return self
        squares, shapes = eigh(np.diag(self.stiffness), self.mass)
        weighted = self.mass @ shapes
        return replace(self, damping=weighted * (2 * ratios * np.sqrt(squares)) @ weighted.T)

    @property
    def mass(self) -> np.ndarray:
        """(n, n) no unit: the mass of the modes alone, 1 without the part that the frame at the mass center carries."""
        return np.eye(self.n) - self.coupling.T @ self.core_shapes

    @property
    def core_shapes(self) -> np.ndarray:
        """(6, n) rad and m for a unit modal coordinate: rotation and displacement of the mean-axis frame at the mass center."""
        return np.concatenate(
            [np.linalg.pinv(self.central_inertia, hermitian=True) @ self.coupling[:3], self.coupling[3:] / self.total_mass]
        )

    @property
    def total_mass(self) -> float:
        """kg"""
        return self.mass_properties.mass

    @property
    def central_inertia(self) -> np.ndarray:
        """(3, 3) kg m^2, about the mass center, along the body's axes."""
        c = cross_matrix(self.mass_properties.com)
        return self.mass_properties.inertia + self.total_mass * (c @ c)

    @property
    def scale(self) -> float:
        """kg^(1/2) m: the size of a modal coordinate whose displacements are of the size of the body's radius of gyration."""
        return float(np.sqrt(np.trace(self.central_inertia) / 2)) or 1.0

    @property
    def drawn_surface(self) -> ModalSurface | None:
        """The surface, or tubes between the interfaces; None for one interface alone."""
        first, *others = sorted(self.interfaces, key=lambda name: name != self.inboard)
        return self.surface or surface_of_interfaces(self.interfaces[first], [self.interfaces[name] for name in others])

    def report(self) -> str:
        """Mass, interfaces, frequencies, and what truncation costs, as text."""
        names = ", ".join(f"'{name}' at {_point(each.X.p)}" for name, each in self.interfaces.items())
        what = "relative to the mean axes" if self.inboard is None else f"inboard: '{self.inboard}'"
        text = f"{self.total_mass:.6g} kg, interfaces {names}; {what}\n"
        if not self.n:
            return text + "no modes"
        f, fastest = self.frequencies, [2 * np.pi * each for each in (self.frequencies[-1], self.free_frequencies[-1])]
        rk4, rk45 = (" s, ".join(f"{limit / each:.3g}" for each in fastest) for limit in (2.8, 1.0))
        state = "of the free body" if self.inboard is None else f"clamped at '{self.inboard}'"
        return text + (
            f"{self.n} modes, {state}: {f[0]:.4g} Hz ... {f[-1]:.4g} Hz\n"
            f"without damping, clamped and free, RK4 needs steps below {rk4} s, RK45 below {rk45} s\n"
            f"flexibility lost at the interfaces by truncation: {100 * self.flexibility_lost:.3g} %"
        )

    def __repr__(self) -> str:
        return f"ModalData({self.report()})".replace("\n", "; ")


def _point(p: Array) -> str:
    return f"[{', '.join(f'{each:.4g}' for each in p)}]"


def _checked_modes(modes: object) -> int | None:
    if modes is None:
        return None
    if not isinstance(modes, (int, np.integer)) or isinstance(modes, bool) or modes < 0:
        raise InputError(f"ModalData: modes is how many of the lowest modes are kept, a whole number, not {modes!r}.")
    if modes > MOST_MODES:
        raise UnsupportedError(f"ModalData: {modes} modes; a flexible body has at most {MOST_MODES} for now.")
    return int(modes)


def _checked_below(below: float | None) -> float | None:
    if below is not None and not below > 0:
        raise InputError(f"ModalData: below is {below!r} Hz; it must be positive. Use a RigidBody for a body without modes.")
    return below
