"""Parameters of a mobilizer's equations: methods of a mobilized body."""

from typing import Any, Protocol

import numpy as np
from numpy.typing import ArrayLike

from mobod.errors import UnknownNameError
from mobod.matter.bodies.body_in_tree import BodyInTree, tree_of
from mobod.matter.bodies.body_queries import BodyOwner
from mobod.matter.equations.mobilizer_equations import MobilizerEquations
from mobod.system import Stage, State
from mobod.system.elements import Parameter


class BodyWithParameters(BodyInTree, Protocol):
    """See MobilizedBody."""

    equations: MobilizerEquations

    @property
    def matter(self) -> BodyOwner: ...


def equations_in(body: BodyInTree, state: State) -> MobilizerEquations:
    """The equations with the parameter values of the State."""
    tree = tree_of(body, state)
    return tree.equations(body).with_parameters(state.view(tree.parameters(body)))


def parameter(body: BodyInTree, state: State, name: str) -> Any:
    """The value of a parameter of the mobilizer in a State; a copy."""
    slot = tree_of(body, state).parameter(body, name)
    return state.view(slot).copy()[()]


def set_parameter(body: BodyWithParameters, state: State, name: str, value: ArrayLike) -> None:
    """Takes the State back before INSTANCE."""
    slot = tree_of(body, state).parameter(body, name)
    state.write(slot, _parameter(body, name).checked(value, f"{body.name}.{name}"), f"{body.name}.{name}", Stage.INSTANCE)


def default_parameter(body: BodyWithParameters, name: str) -> Any:
    """The value of a parameter in new States."""
    return _view(body, name, body.equations.parameter_values()).copy()[()]


def set_default_parameter(body: BodyWithParameters, name: str, value: ArrayLike) -> None:
    """Topological: States made before raise when used."""
    values = body.equations.parameter_values()
    _view(body, name, values)[...] = _parameter(body, name).checked(value, f"{body.name}.{name}")
    body.equations = body.equations.with_parameters(values.tolist())
    body.matter.invalidate_topology()


def _view(body: BodyWithParameters, name: str, values: np.ndarray) -> np.ndarray:
    """The view of one parameter in the array of all parameters."""
    found, start = _parameter(body, name), 0
    for each in body.equations.parameters:
        if each is found:
            break
        start += each.size
    return values[start : start + found.size].reshape(found.shape)


def _parameter(body: BodyWithParameters, name: str) -> Parameter[Any]:
    parameters = body.equations.parameters
    UnknownNameError.check(f"parameter of '{body.name}'", name, [each.name for each in parameters])
    return next(each for each in parameters if each.name == name)
