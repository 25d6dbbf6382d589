"""The states of a network's components in a checkpoint, and whether a checkpoint fits the network."""

from collections.abc import Collection, Mapping

from mobod.cosim.checkpoint import Checkpoint, ComponentState
from mobod.cosim.component_model import ComponentInstance
from mobod.cosim.network import Network
from mobod.errors import InputError


def saved_components(network: Network, instances: Mapping[str, ComponentInstance]) -> dict[str, ComponentState]:
    """The state of each component. Raises UnsupportedError for an FMU that cannot save its state as bytes, before any is saved."""
    for instance in instances.values():
        instance.check_can_save(as_bytes=True)
    return {name: _state_of(instance, network.components[name].model.identity) for name, instance in instances.items()}


def _state_of(instance: ComponentInstance, identity: str) -> ComponentState:
    with instance.save() as state:
        return ComponentState(identity, state.to_bytes())


def check_fits(checkpoint: Checkpoint, network: Network, names: Collection[str]) -> None:
    """Raise InputError for a checkpoint of other components than those of the run. names: theirs"""
    if set(checkpoint.components) != set(names):
        raise InputError(
            f"the checkpoint belongs to other FMUs, named {', '.join(sorted(checkpoint.components))}. The FMUs of this run are "
            f"{', '.join(sorted(names))}. Use the same names."
        )
    for name in names:
        component = network.components[name]
        there, here = checkpoint.components[name].guid, component.model.identity
        if there != here:
            raise InputError(
                f"the checkpoint belongs to another {component.model.noun} named '{name}': its identity is {there}, that of "
                f"{component.model.origin} is {here}. Use the same as in the saved run, of the same version of mobod if it is a System."
            )
