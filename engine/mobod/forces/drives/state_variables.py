"""The auxiliary variable of a force that has one: its variables, and where its value and its rate lie."""

from mobod.forces.force import Force
from mobod.matter.dynamics.tree import Tree
from mobod.scalar.slot import Slot
from mobod.system import CatalogueVariable, Layout, Stage


def state_variables(force: Force, layout: Layout, name: str, unit: str, description: str) -> list[CatalogueVariable]:
    """'<force>.<name>' and 'der(<force>.<name>)' of a force with one auxiliary variable."""
    state = CatalogueVariable.state(f"{force.name}.{name}", state_slot(force, layout), unit, description, Stage.DYNAMICS)
    return [state, state.rate(rate_slot(force, force.matter.tree(layout), layout), Stage.DYNAMICS, f"rate of the {description}")]


def state_slot(force: Force, layout: Layout) -> Slot:
    """() where the auxiliary variable lies."""
    return Slot(force.forces.z(layout, force).offset, ())


def rate_slot(force: Force, tree: Tree, layout: Layout) -> Slot:
    """() where its rate lies."""
    return Slot(tree.rate(force.forces.z(layout, force)).offset, ())
