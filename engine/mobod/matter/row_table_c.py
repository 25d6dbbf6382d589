"""C of a table of rows: what rows.h in fmu_src/native says."""

from collections.abc import Sequence

from mobod.matter.row_table import CompliantRow, Joint, RowBlock, RowTable
from mobod.scalar.c_literal import c_string


def table_c(table: RowTable) -> str:
    """C that defines `rows`, the table of rows.h."""
    numbers = {joint.body: i for i, joint in enumerate(table.joints)}
    joints = [
        f"    {{{numbers.get(joint.parent, -1)}, {joint.nu}, {joint.first}, {joint.H.offset}, {joint.G.offset}, {joint.l.offset}, "
        f"{joint.D_inverse.offset}, {-1 if joint.known_level is None else joint.known_level.offset}}},"
        for joint in table.joints
    ]
    parts, blocks = ['#include "rows.h"\n'], []
    for i, block in enumerate(table.blocks):
        path = _path(table, block, numbers)
        arrays = {
            "on_bodies": [entry for body, K in block.on_bodies for entry in (numbers[body], body, K.offset)],
            "motions": [slot.offset for motion in block.motions for slot in motion],
            "on_mobilities": [entry for body, k in block.on_mobilities for entry in (numbers[body], k.offset)],
            "path": path,
            "runs": [entry for run in _runs([table.joints[number] for number in path]) for entry in run],
        }
        parts += [f"static const int row_{key}_{i}[] = {{{', '.join(map(str, values)) or '0'}}};" for key, values in arrays.items()]
        counts = {"on_bodies": len(block.on_bodies), "on_mobilities": len(block.on_mobilities), "path": len(path)}
        counts["runs"] = len(arrays["runs"]) // 2
        named = ", ".join((f"{counts[key]}, " if key in counts else "") + f"row_{key}_{i}" for key in arrays)
        of_block = (block.first, block.n, block.position_errors.size, block.velocity_errors.size - block.position_errors.size)
        offsets = [slot.offset for slot in (block.enabled, block.position_errors, block.velocity_errors, block.bias)]
        soft = "NULL"
        if block.compliant is not None:
            soft = f"&row_compliant_{i}"
            parts.append(f"static const CompliantRow row_compliant_{i} = {{{', '.join(map(str, _compliant_c(block.compliant)))}}};")
        blocks.append(f"    {{{c_string(block.name)}, {', '.join(map(str, (*of_block, *offsets)))}, {named}, {soft}}},")
    compliant = [i for i, block in enumerate(table.blocks) if block.compliant is not None]
    parts.append(f"static const int rows_compliant[] = {{{', '.join(map(str, compliant)) or '0'}}};")
    slots = (
        table.E,
        table.A,
        table.all_eps,
        table.eps,
        table.multipliers,
        table.body_forces,
        table.mobility_forces,
        table.workspace,
    )
    return "\n".join(
        [
            *parts,
            "static const RowJoint row_joints[] = {",
            *joints,
            "};",
            "static const RowBlock row_blocks[] = {",
            *blocks,
            "};",
            "static const RowTable rows = {",
            f"    {len(joints)}, row_joints, {len(blocks)}, row_blocks, {len(compliant)}, rows_compliant,",
            f"    {table.n_rows}, {table.E.shape[1]}, {table.n_bodies},",
            f"    {table.u.offset}, {table.q.offset}, {table.q.size}, {', '.join(str(slot.offset) for slot in slots)},",
            "};\n",
        ]
    )


def _compliant_c(row: CompliantRow) -> tuple[int, ...]:
    offsets = (row.enabled.offset, row.compliance.offset, row.damping.offset, row.force.offset)
    return (*offsets, -1 if row.impulse is None else row.impulse.offset, int(row.is_unilateral))


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
