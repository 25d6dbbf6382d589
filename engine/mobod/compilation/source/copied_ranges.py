"""What copies of w have, in steps, in undone steps and in saved runs."""

from mobod.system.state.layout import Layout

SHORTEST_GAP = 16  # numbers; to copy fewer costs less than another range


def copied_ranges(layout: Layout, n_w: int) -> list[tuple[int, int]]:
    """The first number and the count of each range of w (n_w,) that copies have.

    They are without the workspaces of procedures, and without the entries of E that are always 0: those outside the path of a row, whose
    number grows with the product of rows and speeds.
    """
    temporary = layout.temporary
    gaps = [(temporary.start, temporary.stop), *_gaps_of_rows(layout)]
    ranges, at = [], 0
    for first, end in sorted(gap for gap in gaps if gap[1] - gap[0] >= SHORTEST_GAP):
        if first > at:
            ranges.append((at, first - at))
        at = end
    return [*ranges, (at, n_w - at)]


def _gaps_of_rows(layout: Layout) -> list[tuple[int, int]]:
    """The ranges of w between the entries of E on the paths of rows."""
    rows = layout.c_tables.get("rows")
    if rows is None:
        return []
    at: int = rows.fields["E"]
    nu, gaps, end = rows.fields["nu"], [], at
    for block in rows.fields["blocks"].structs:
        runs = block.fields["own"].fields["runs"] if block.fields["choice"] < 0 else [0, nu]
        for row in range(block.fields["first"], block.fields["first"] + block.fields["n"]):
            for first, count in zip(runs[::2], runs[1::2], strict=True):
                gaps.append((end, at + row * nu + first))
                end = at + row * nu + first + count
    return [*gaps, (end, at + rows.fields["n_rows"] * nu)]
