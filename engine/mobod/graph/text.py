"""A multibody graph as text."""

from collections.abc import Iterable, Iterator

from mobod.graph.elements import GraphBody, GraphJoint, JointType, LoopConstraint, Mobilizer

GAP = "  "


def graph_as_text(
    joint_types: Iterable[JointType],
    bodies: Iterable[GraphBody],
    joints: Iterable[GraphJoint],
    mobilizers: Iterable[Mobilizer],
    loop_constraints: Iterable[LoopConstraint],
) -> str:
    """A section for each kind of element. Each line describes one element and begins with its number."""
    sections = {
        "joint types": map(_joint_type, joint_types),
        "bodies": map(_body, bodies),
        "joints": map(_joint, joints),
        "mobilizers": map(_mobilizer, mobilizers),
        "loop constraints": map(_loop_constraint, loop_constraints),
    }
    return "\n".join(line for title, rows in sections.items() for line in _section(title, list(rows)))


def _section(title: str, rows: list[list[str]]) -> Iterator[str]:
    """The cells of rows as aligned columns. The last one, for remarks, may be empty."""
    yield f"{title}: {len(rows)}"
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    for number, row in enumerate(rows):
        cells = [cell.ljust(width) for cell, width in zip(row, widths, strict=True)]
        yield f"{number:>6}{GAP}{GAP.join(cells)}".rstrip()
    yield ""


def _joint_type(each: JointType) -> list[str]:
    return [each.name, f"mobilities: {each.n_mobilities}", _remarks({"good loop joint": each.have_good_loop_joint_available})]


def _body(each: GraphBody) -> list[str]:
    remarks = {
        "must be a base body": each.must_be_base_body,
        f"slave of {each.master.name if each.master else ''}": each.is_slave,
        f"{each.n_fragments} fragments": each.n_fragments > 1 and not each.is_slave,
    }
    return [each.name, f"{each.mass:g} kg", _remarks(remarks)]


def _joint(each: GraphJoint) -> list[str]:
    remarks = {"must be a loop joint": each.must_be_loop_joint, "added": each.is_added_base_joint}
    return [each.name, each.type.name, f"{each.parent_body.name} -> {each.child_body.name}", _remarks(remarks)]


def _mobilizer(each: Mobilizer) -> list[str]:
    remarks = {"reversed": each.is_reversed, "slave": each.is_slave_mobilizer, "added": each.is_added_base_mobilizer}
    ends = f"{each.inboard_body.name} -> {each.outboard_body.name}"
    return [f"level {each.level}", ends, each.joint.name, each.joint_type.name, _remarks(remarks)]


def _loop_constraint(each: LoopConstraint) -> list[str]:
    return [each.joint.name, each.joint_type.name, f"{each.parent_body.name} -> {each.child_body.name}"]


def _remarks(remarks: dict[str, bool]) -> str:
    return ", ".join(remark for remark, holds in remarks.items() if holds)
