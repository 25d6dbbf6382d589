"""The joints of the tree as the table of rows has them."""

from mobod.matter.constraint_rows.row_slots import TreeJoint
from mobod.matter.tree.prescription import Prescription
from mobod.matter.tree.tree_body import TreeBody
from mobod.matter.tree.tree_table import TreeTable
from mobod.system.scales import has_length


def joint_of(tree: TreeTable, prescription: Prescription, body: TreeBody, length: float) -> TreeJoint:
    """length: m, of the bodies; see RowTable"""
    s, is_interface = tree.slots, tree.modal.is_interface(body)
    return TreeJoint(
        body=body.index,
        parent=body.parent.index,
        first=tree.u(body).offset - tree.all_u.offset,
        known_level=prescription.level(body) if prescription.concerns(body) else None,
        H=tree.columns(s.H, body),
        G=tree.columns(s.G, body),
        l=s.l[body.index],
        D_inverse=tree.D_inverse(body),
        eps=tree.speeds(s.eps, body),
        levers=_levers(tree, body, length),
        along=tree.u_entries(tree.modal.node_of(body)).start if is_interface else None,
        H_along=tree.modal.columns("interface_H", body) if is_interface else None,
    )


def _levers(tree: TreeTable, body: TreeBody, length: float) -> tuple[float, ...]:
    if body.modes is not None:
        return (body.modes.scale,) * body.nu
    return tuple(length if has_length(unit) else 1.0 for unit in tree.equations(body).u_units)
