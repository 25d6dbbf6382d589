"""The variables of an auxiliary variable of a force: its value and its rate."""

from mobod.forces.force import Force
from mobod.scalar.slot import Slot
from mobod.system import CatalogueVariable, Layout, Stage


def state_variables(force: Force, layout: Layout, name: str, unit: str, description: str) -> list[CatalogueVariable]:
    """'<force>.<name>' and 'der(<force>.<name>)' of a force with one auxiliary variable."""
    z = force.forces.z(layout, force)
    rate = force.matter.tree(layout).rate(z)
    state = CatalogueVariable.state(f"{force.name}.{name}", Slot(z.offset, ()), unit, description, Stage.DYNAMICS)
    return [state, state.rate(Slot(rate.offset, ()), Stage.DYNAMICS, f"rate of the {description}")]
