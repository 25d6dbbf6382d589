"""RowTable: flat tables with the slots of all constraint rows in the values of a State.

fmu_src/native/constraints/rows.h declares them for C.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from mobod.matter.constraint_rows.gathered_bodies import NOTHING
from mobod.matter.constraint_rows.row_memory import entries_size, factors_size
from mobod.matter.constraint_rows.row_pattern import Elimination, Overlap, RowPart, RowPattern, TouchedRows, row_pattern
from mobod.matter.constraint_rows.row_slots import BearingSlots, CarriedRow, CompliantRow, RowBlock, TreeJoint
from mobod.matter.equations.motion_equations import VELOCITY
from mobod.runtime.tables import Struct, StructArray, same_named
from mobod.scalar.slot import Slot

CANCELLED = 1e-13  # as in rows.h: a row that is smaller, relative to its terms, is round-off


@dataclass(frozen=True, kw_only=True)
class RowTable:
    """The tables that both steps of constraints use.

    joints     tips first
    length     m, of the bodies: a force counts as its moment at this distance where round-off of rows is decided
    A          (size,) the products of rows; see `pattern`
    all_eps    (nu,) eps of all joints, eps: the same with the forces of multipliers
    workspace  of the C runtime; load_workspace: for loads
    paths      the pairs of bodies that rows choose from, the first one is NOTHING; path_motions: V_GB and A_c of each body, Ground first
    """

    joints: tuple[TreeJoint, ...]
    blocks: tuple[RowBlock, ...]
    n_bodies: int
    length: float
    u: Slot
    q: Slot
    E: Slot
    A: Slot
    all_eps: Slot
    eps: Slot
    multipliers: Slot
    body_forces: Slot
    mobility_forces: Slot
    workspace: Slot
    loads: tuple[BearingSlots, ...]
    load_workspace: Slot
    paths: tuple[tuple[int, int], ...] = (NOTHING,)
    path_motions: tuple[tuple[Slot, Slot], ...] = ()

    @property
    def n_rows(self) -> int:
        return self.E.shape[0]

    def active(self, w: np.ndarray) -> np.ndarray:
        """Numbers of the rows of enabled constraints."""
        return np.array([block.first + i for block in self.blocks if w[block.enabled.offset] for i in range(block.n)], dtype=np.intp)

    def block_at(self, row: int) -> int:
        """The number of the block that begins with this row."""
        return [block.first for block in self.blocks].index(row)

    def names(self, rows: np.ndarray) -> list[str]:
        """The constraint's name for each row."""
        names = [block.name for block in self.blocks for _ in range(block.n)]
        return [names[row] for row in rows]

    def known(self, w: np.ndarray, level: float = VELOCITY) -> np.ndarray:
        """(nu,) whether a speed, or its u_dot, is known from a motion or a lock. A projection must not change such a mobilizer."""
        known = np.zeros(self.E.shape[1], dtype=bool)
        for joint in self.joints:
            if joint.known_level is not None:
                known[joint.first : joint.first + joint.nu] = w[joint.known_level.offset] >= level
        return known

    @cached_property
    def pattern(self) -> RowPattern:
        """Which rows overlap."""
        parents, nu = [0] * self.n_bodies, [0] * self.n_bodies
        for joint in self.joints:
            parents[joint.body], nu[joint.body] = joint.parent, joint.nu
        touched = [
            TouchedRows(
                block.n,
                tuple(body for body, _ in (*block.on_bodies, *block.on_mobilities)) if block.choice is None else self._all_chosen,
                block.is_contact,
                block.choice is not None,
            )
            for block in self.blocks
        ]
        return row_pattern(tuple(touched), tuple(parents), tuple(nu))

    def products(self, w: np.ndarray, lines: np.ndarray) -> np.ndarray:
        """(n, n) G M^-1 G^T of these rows."""
        A, packed = np.zeros((self.n_rows, self.n_rows)), at(w, self.A)
        if self.pattern.overlaps is None:
            whole = packed.reshape(A.shape)[np.ix_(lines, lines)]
            return np.tril(whole) + np.tril(whole, -1).T
        for block, overlaps in zip(self.blocks, self.pattern.overlaps, strict=True):
            for overlap in (Overlap(*line) for line in overlaps.tolist()):
                other, rows = self.blocks[overlap.block], np.arange(block.n)[:, None]
                places = overlap.at + rows * overlap.down + np.arange(other.n) * overlap.across
                A[block.first : block.first + block.n, other.first : other.first + other.n] = packed[places]
        return A[np.ix_(lines, lines)]

    @property
    def _all_chosen(self) -> tuple[int, ...]:
        return tuple(sorted({body for pair in self.paths for body in pair if body}))

    @cached_property
    def in_c(self) -> Struct:
        """`RowTable` of rows.h."""
        return _in_c(self)

    def misses(self, w: np.ndarray) -> np.ndarray:
        """(n_rows,) violations where the C runtime has found contradictions: see constraint_consistency."""
        return w[self.workspace.offset :][: self.n_rows]

    def G(self, w: np.ndarray, *, of_known: bool = True) -> np.ndarray:
        """(n_rows, nu) of enabled constraints; rows of disabled ones are 0, and so are rows that the joints already satisfy.

        of_known  whether columns of known mobilities are those of G; otherwise they are 0
        """
        K, G = self.forces(w)
        as_moments, levers = np.repeat([1.0, self.length], 3), np.ones(G.shape[1])
        for joint in self.joints:
            levers[joint.first : joint.first + joint.nu] = joint.levers
        terms = np.maximum(np.abs(K * as_moments).max(axis=(1, 2), initial=0.0), np.abs(G * levers).max(axis=1, initial=0.0))
        for joint in self.joints:
            z = K[:, joint.body]
            terms = np.maximum(terms, np.abs(z * as_moments).max(axis=1, initial=0.0))
            G[:, joint.first : joint.first + joint.nu] += z @ at(w, joint.H)
            if joint.H_along is not None and joint.along is not None:
                G[:, joint.along : joint.along + joint.H_along.shape[1]] += z @ at(w, joint.H_along)
            K[:, joint.parent] += shifted(z, at(w, joint.l))
        if not of_known:
            G *= ~self.known(w)
        G[np.abs(G * levers).max(axis=1, initial=0.0) <= CANCELLED * terms] = 0.0
        return G

    def with_acting_rows(self, w: np.ndarray, *, with_compliant: bool) -> np.ndarray:
        """The values with the flags of rows set that act without being equations: those that carry friction, and compliant ones."""
        acting = [each for each in self.blocks if each.carried is not None and w[each.carried.flag.offset]]
        if with_compliant:
            acting += [each for each in self.blocks if each.compliant is not None and w[each.compliant.enabled.offset]]
        if acting:
            w = w.copy()
            w[[block.enabled.offset for block in acting]] = 1.0
        return w

    def forces(self, w: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """(n_rows, n_bodies, 6) and (n_rows, nu): each row as a force on bodies and on mobilities; 0 for disabled constraints."""
        on_bodies, on_mobilities = np.zeros((self.n_rows, self.n_bodies, 6)), np.zeros((self.n_rows, self.E.shape[1]))
        for lines, body, K in self.on_bodies(w):
            on_bodies[lines, body] += K
        for lines, speeds, k in self.on_mobilities(w):
            on_mobilities[lines, speeds] += k
        return on_bodies, on_mobilities

    def on_bodies(self, w: np.ndarray) -> Iterator[tuple[slice, int, np.ndarray]]:
        """(rows, body, (n, 6) forces about the origin of M) for the bodies that rows of enabled constraints act on."""
        for block in self._enabled(w):
            for body, K in block.bodies_in(w, self.paths):
                yield slice(block.first, block.first + block.n), body, at(w, K)

    def on_mobilities(self, w: np.ndarray) -> Iterator[tuple[slice, slice, np.ndarray]]:
        """(rows, speeds, (n, nu) forces) for the mobilities that rows of enabled constraints act on."""
        for block in self._enabled(w):
            for body, k in block.on_mobilities:
                first = self._first_speeds[body]
                yield slice(block.first, block.first + block.n), slice(first, first + k.shape[1]), at(w, k)

    def _enabled(self, w: np.ndarray) -> list[RowBlock]:
        return [block for block in self.blocks if w[block.enabled.offset]]

    @cached_property
    def _first_speeds(self) -> dict[int, int]:
        return {joint.body: joint.first for joint in self.joints}


def at(w: np.ndarray, slot: Slot) -> np.ndarray:
    """A view of the slot."""
    return w[slot.slice].reshape(slot.shape)


def shifted(z: np.ndarray, l: np.ndarray) -> np.ndarray:
    """Forces (n, 6) about the parent's M."""
    return np.concatenate([z[:, :3] + moments(l, z[:, 3:]), z[:, 3:]], axis=1)


def moments(l: np.ndarray, f: np.ndarray) -> np.ndarray:
    """l x f for each row of f (n, 3). NumPy's cross takes six times as long for a few rows."""
    x, y, z = l.tolist()
    f_x, f_y, f_z = f.T
    return np.stack([y * f_z - z * f_y, z * f_x - x * f_z, x * f_y - y * f_x], axis=1)


def _in_c(table: RowTable) -> Struct:
    """`RowTable` of rows.h."""
    numbers = {joint.body: i for i, joint in enumerate(table.joints)}
    joints = [
        Struct(
            "RowJoint",
            parent=numbers.get(joint.parent, -1),
            **same_named(joint, "nu", "first", "H", "G", "l", "D_inverse", "known_level"),
            n_along=0 if joint.H_along is None else joint.H_along.shape[1],
            along=0 if joint.along is None else joint.along,
            H_along=0 if joint.H_along is None else joint.H_along.offset,
        )
        for joint in table.joints
    ]
    pattern, nu_of = table.pattern, {joint.body: joint.nu for joint in table.joints}
    column_counts = [sum(nu_of[body] for body in part.bodies) for part in pattern.parts]
    compliant = [i for i, block in enumerate(table.blocks) if block.compliant is not None]
    carried = [i for i, block in enumerate(table.blocks) if block.carried is not None]
    return Struct(
        "RowTable",
        n_joints=len(joints),
        joints=StructArray("RowJoint", joints),
        most_speeds=max((joint.nu for joint in table.joints), default=0),
        n_blocks=len(table.blocks),
        blocks=StructArray(
            "RowBlock",
            [_block(table, i, None if pattern.overlaps is None else pattern.overlaps[i], numbers) for i in range(len(table.blocks))],
        ),
        n_paths=len(table.paths),
        paths=StructArray("RowPath", [_chosen_path(table, pair, numbers) for pair in table.paths]),
        n_parts=len(pattern.parts),
        parts=StructArray("RowPart", [_part(table, part) for part in pattern.parts]),
        most_rows=max((part.n_rows for part in pattern.parts), default=0),
        most_entries=entries_size(pattern, column_counts),
        n_factors=factors_size(pattern, column_counts),
        n_compliant=len(compliant),
        compliant=compliant,
        n_carried=len(carried),
        carried=carried,
        n_loads=len(table.loads),
        loads=StructArray("JointLoad", [_load(table, each, numbers) for each in table.loads]),
        **same_named(table, "load_workspace", "n_rows", "n_bodies", "length"),
        nu=table.E.shape[1],
        levers=[lever for joint in sorted(table.joints, key=lambda each: each.first) for lever in joint.levers],
        **same_named(table, "u", "q", "E", "A", "multipliers", "body_forces", "mobility_forces", "workspace"),
        nq=table.q.size,
        n_A=table.A.size,
        eps=table.all_eps.offset,
        constrained_eps=table.eps.offset,
        n_workspace=table.workspace.size,
    )


def _part(table: RowTable, part: RowPart) -> Struct:
    joints, elimination = [joint for joint in table.joints if joint.body in part.bodies], part.elimination
    runs = _runs(joints)
    carried = [i for i in part.blocks if table.blocks[i].carried is not None]
    return Struct(
        "RowPart",
        n_blocks=len(part.blocks),
        blocks=part.blocks,
        n_rows=part.n_rows,
        n_runs=len(runs),
        runs=[entry for run in runs for entry in run],
        n_columns=sum(joint.nu for joint in joints),
        n_carried=len(carried),
        carried=carried,
        pattern=None if elimination is None else _cholesky_pattern(elimination),
        order=() if elimination is None else elimination.order,
        products=() if elimination is None else [x for entry in elimination.entries for x in entry.overlap[1:]],
    )


def _cholesky_pattern(elimination: Elimination) -> Struct:
    columns = [
        Struct(
            "CholeskyColumn",
            n=column.n,
            at=column.at,
            n_after=len(column.after),
            after=[entry for after in column.after for entry in after],
            pairs=column.pairs,
        )
        for column in elimination.columns
    ]
    return Struct(
        "CholeskyPattern",
        n_columns=len(columns),
        columns=StructArray("CholeskyColumn", columns),
        n_entries=len(elimination.entries),
        entries=[x for entry in elimination.entries for x in (entry.row, entry.column, entry.at)],
        size=elimination.size,
        tallest=elimination.tallest,
    )


def _row_path(
    table: RowTable,
    on_bodies: Sequence[tuple[int, int]],
    motions: Sequence[tuple[Slot, Slot]],
    on_mobilities: Sequence[int],
    numbers: dict[int, int],
) -> Struct:
    """`RowPath`. on_bodies: (body, offset of K), motions: of each of these; on_mobilities: bodies"""
    path = _path(table, [*(body for body, _ in on_bodies), *on_mobilities], numbers)
    runs = _runs([table.joints[number] for number in path])
    return Struct(
        "RowPath",
        n_bodies=len(on_bodies),
        on_bodies=[entry for body, K in on_bodies for entry in (numbers[body], body, K)],
        motions=[slot.offset for motion in motions for slot in motion],
        n_joints=len(path),
        joints=path,
        may_be_known=any(table.joints[number].known_level is not None for number in path),
        n_runs=len(runs),
        runs=[entry for run in runs for entry in run],
    )


def _chosen_path(table: RowTable, pair: tuple[int, int], numbers: dict[int, int]) -> Struct:
    sides = next((block.sides for block in table.blocks if block.choice is not None), None)
    offsets = [0, 0] if sides is None else [0, sides[1].offset - sides[0].offset]
    on_bodies = [(body, offset) for body, offset in zip(pair, offsets, strict=True) if body]
    return _row_path(table, on_bodies, [table.path_motions[body] for body, _ in on_bodies], [], numbers)


def _block(table: RowTable, number: int, overlaps: np.ndarray | None, numbers: dict[int, int]) -> Struct:
    block = table.blocks[number]
    own = [(body, K.offset) for body, K in block.on_bodies]
    return Struct(
        "RowBlock",
        **same_named(block, "name", "first", "n", "enabled", "position_errors", "velocity_errors", "bias"),
        n_position=block.position_errors.size,
        n_velocity=block.velocity_errors.size - block.position_errors.size,
        choice=-1 if block.choice is None else block.choice.offset,
        K=block.sides[0].offset if block.sides else 0,
        own=_row_path(table, own, block.motions, [body for body, _ in block.on_mobilities], numbers),
        n_mobilities=len(block.on_mobilities),
        on_mobilities=[entry for body, k in block.on_mobilities for entry in (numbers[body], k.offset)],
        n_overlaps=len(table.blocks) if overlaps is None else len(overlaps),
        n_before=number if overlaps is None else int((overlaps[:, 0] < number).sum()),
        overlaps=None if overlaps is None else overlaps.ravel().tolist(),
        compliant=None if block.compliant is None else _compliant(block.compliant),
        carried=None if block.carried is None else _carried(block.carried),
    )


def _compliant(row: CompliantRow) -> Struct:
    names = ("enabled", "compliance", "damping", "force", "impulse", "is_unilateral")
    return Struct("CompliantRow", **same_named(row, *names))


def _carried(row: CarriedRow) -> Struct:
    return Struct("CarriedRow", **same_named(row, "flag", "given", "normal", "slide"))


def _load(table: RowTable, load: BearingSlots, numbers: dict[int, int]) -> Struct:
    fields = same_named(load, "load", "measured", "size", "R_GM", "weights", "is_regularised")
    return Struct("JointLoad", **fields, block=table.block_at(load.row), joint=numbers[load.body])


def _path(table: RowTable, bodies: Sequence[int], numbers: dict[int, int]) -> list[int]:
    """Numbers of the joints on the paths from bodies to Ground, tips first."""
    found: set[int] = set()
    for each in bodies:
        body = each
        while body in numbers and numbers[body] not in found:
            found.add(numbers[body])
            body = table.joints[numbers[body]].parent
    return sorted(found)


def _runs(joints: Sequence[TreeJoint]) -> list[tuple[int, int]]:
    """Ranges (first, count) of the joints' speeds."""
    runs: list[tuple[int, int]] = []
    for first, nu in sorted((joint.first, joint.nu) for joint in joints if joint.nu):
        if runs and sum(runs[-1]) == first:
            runs[-1] = (runs[-1][0], runs[-1][1] + nu)
        else:
            runs.append((first, nu))
    return runs
