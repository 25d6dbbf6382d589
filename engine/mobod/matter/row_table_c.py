"""A table of rows as the C runtime has it: rows.h in fmu_src/native."""

from collections.abc import Sequence

from mobod.matter.row_table import CompliantRow, Joint, RowBlock, RowTable
from mobod.runtime.tables import Array, Struct


def table_in_c(table: RowTable) -> Struct:
    """`RowTable` of rows.h."""
    numbers = {joint.body: i for i, joint in enumerate(table.joints)}
    joints = [
        Struct(
            "RowJoint",
            parent=numbers.get(joint.parent, -1),
            nu=joint.nu,
            first=joint.first,
            H=joint.H.offset,
            G=joint.G.offset,
            l=joint.l.offset,
            D_inverse=joint.D_inverse.offset,
            known_level=-1 if joint.known_level is None else joint.known_level.offset,
        )
        for joint in table.joints
    ]
    compliant = [i for i, block in enumerate(table.blocks) if block.compliant is not None]
    return Struct(
        "RowTable",
        n_joints=len(joints),
        joints=Array("RowJoint", joints),
        n_blocks=len(table.blocks),
        blocks=Array("RowBlock", [_block(table, block, numbers) for block in table.blocks]),
        n_compliant=len(compliant),
        compliant=compliant,
        n_rows=table.n_rows,
        nu=table.E.shape[1],
        n_bodies=table.n_bodies,
        u=table.u.offset,
        q=table.q.offset,
        nq=table.q.size,
        E=table.E.offset,
        A=table.A.offset,
        eps=table.all_eps.offset,
        constrained_eps=table.eps.offset,
        multipliers=table.multipliers.offset,
        body_forces=table.body_forces.offset,
        mobility_forces=table.mobility_forces.offset,
        workspace=table.workspace.offset,
    )


def _block(table: RowTable, block: RowBlock, numbers: dict[int, int]) -> Struct:
    path = _path(table, block, numbers)
    runs = _runs([table.joints[number] for number in path])
    return Struct(
        "RowBlock",
        name=block.name,
        first=block.first,
        n=block.n,
        n_position=block.position_errors.size,
        n_velocity=block.velocity_errors.size - block.position_errors.size,
        enabled=block.enabled.offset,
        position_errors=block.position_errors.offset,
        velocity_errors=block.velocity_errors.offset,
        bias=block.bias.offset,
        n_bodies=len(block.on_bodies),
        on_bodies=[entry for body, K in block.on_bodies for entry in (numbers[body], body, K.offset)],
        motions=[slot.offset for motion in block.motions for slot in motion],
        n_mobilities=len(block.on_mobilities),
        on_mobilities=[entry for body, k in block.on_mobilities for entry in (numbers[body], k.offset)],
        n_path=len(path),
        path=path,
        n_runs=len(runs),
        runs=[entry for run in runs for entry in run],
        compliant=None if block.compliant is None else _compliant(block.compliant),
    )


def _compliant(row: CompliantRow) -> Struct:
    return Struct(
        "CompliantRow",
        enabled=row.enabled.offset,
        compliance=row.compliance.offset,
        damping=row.damping.offset,
        force=row.force.offset,
        impulse=-1 if row.impulse is None else row.impulse.offset,
        is_unilateral=row.is_unilateral,
    )


def _path(table: RowTable, block: RowBlock, numbers: dict[int, int]) -> list[int]:
    """Numbers of the joints from what the rows touch to Ground, tips first."""
    found: set[int] = set()
    for body, _ in (*block.on_bodies, *block.on_mobilities):
        while body in numbers and numbers[body] not in found:
            found.add(numbers[body])
            body = table.joints[numbers[body]].parent
    return sorted(found)


def _runs(joints: Sequence[Joint]) -> list[tuple[int, int]]:
    """Ranges (first, count) that the speeds of the joints make."""
    runs: list[tuple[int, int]] = []
    for first, nu in sorted((joint.first, joint.nu) for joint in joints if joint.nu):
        if runs and sum(runs[-1]) == first:
            runs[-1] = (runs[-1][0], runs[-1][1] + nu)
        else:
            runs.append((first, nu))
    return runs
