"""The variables of an auxiliary variable of a force: its value and its rate."""

from mobod.forces.force import Force
from mobod.scalar.slot import Slot
from mobod.system import CatalogueVariable, Layout, Stage
from mobod.system.variable import rate_unit


def state_variables(force: Force, layout: Layout, name: str, unit: str, description: str) -> list[CatalogueVariable]:
    """'<force>.<name>' and 'der(<force>.<name>)' of a force with one auxiliary variable."""
    z, full_name = force.forces.z(layout, force), f"{force.name}.{name}"
    rate = force.matter.tree(layout).rate(z)
    return [
        CatalogueVariable(
            name=full_name,
            slot=Slot(z.offset, ()),
            stage=Stage.MODEL,
            role="state",
            units=(unit,),
            description=description,
            invalidates=Stage.DYNAMICS,
        ),
        CatalogueVariable(
            name=f"der({full_name})",
            slot=Slot(rate.offset, ()),
            stage=Stage.DYNAMICS,
            role="derivative",
            units=(rate_unit(unit),),
            description=f"rate of the {description}",
        ),
    ]
