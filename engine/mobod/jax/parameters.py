"""The numbers that functions of JAX take as parameters: those of the catalogue, and the masses and frames of bodies."""

from dataclasses import dataclass
from typing import final

from mobod.compilation.source.model_source import GeneratedModel
from mobod.matter import MultibodySystem
from mobod.scalar.slot import Slot
from mobod.system import System


@final
@dataclass(frozen=True)
class JaxParameter:
    """A parameter.

    fixed  its entries that the structure fixes, with their values: recordings have folded them
    """

    name: str
    slot: Slot
    fixed: dict[int, float]


def parameters_of(system: System, generated: GeneratedModel) -> dict[str, JaxParameter]:
    """By name: real parameters of the catalogue; of each body '<body>.mass', '.mass_center' (3,), '.inertia' (6,) about the body's origin
    (xx, yy, zz, xy, xz, yz), and its frames '.R_PF' (3, 3), '.p_PF' (3,), '.R_BM', '.p_BM'.
    """
    layout = generated.layout
    slots = {each.name: each.slot for each in generated.variables if each.role == "parameter" and each.type == "real"}
    if isinstance(system, MultibodySystem) and system.has_matter:
        of_tree = system.matter.tree(layout).slots
        for body in system.matter.bodies:
            of_body = {
                "mass": of_tree.mass,
                "mass_center": of_tree.com,
                "inertia": of_tree.inertia,
                "R_PF": of_tree.R_PF,
                "p_PF": of_tree.p_PF,
                "R_BM": of_tree.R_BM,
                "p_BM": of_tree.p_BM,
            }
            for name, of_all in of_body.items():
                slots.setdefault(f"{body.name}.{name}", of_all[body.index])
    return {
        name: JaxParameter(name, slot, {k: layout.constants[each] for k, each in enumerate(slot.offsets) if each in layout.constants})
        for name, slot in slots.items()
    }
