"""Choices: the algorithm of a run with its options, as far as they depend on what the components can do."""

# Decision: docs/decisions/138-coupling-algorithms.md

from dataclasses import dataclass
from typing import Any, final

from mobod.cosim.algorithms.algorithm import AlgorithmChoice
from mobod.cosim.algorithms.coupled_inputs import is_smooth
from mobod.cosim.algorithms.multi_rate import with_own_step
from mobod.cosim.algorithms.rollback import cannot_return, check_can_return
from mobod.cosim.component import Component
from mobod.cosim.component_model import ComponentInstance
from mobod.cosim.network import Network
from mobod.cosim.step_sizes.control import AdaptiveSteps
from mobod.cosim.step_sizes.energy_residual import EnergyResidual
from mobod.cosim.step_sizes.predictor_corrector import PredictorCorrector
from mobod.cosim.step_sizes.richardson import Richardson
from mobod.errors import InputError, UnsupportedError
from mobod.fmi.message_file import MessageFile

_LEAST_TOLERANCE = 1e-12  # of components


@final
@dataclass(frozen=True)
class Choices:
    """What a run uses. The text says it in one line.

    tolerance  of components
    held       names of the components whose inputs are held at their mean although they follow polynomials
    """

    algorithm: AlgorithmChoice
    adaptive: AdaptiveSteps | None
    input_order: int
    tolerance: float | None
    held: tuple[str, ...]

    @classmethod
    def of(
        cls,
        network: Network,
        algorithm: AlgorithmChoice,
        adaptive: AdaptiveSteps | None,
        input_order: int | None,
        tolerance: float | None,
    ) -> "Choices":
        """Choose what is None. Raises UnsupportedError for components that cannot do what is wanted."""
        components = network.components
        if algorithm.repeats_steps:
            check_can_return(components, f"algorithm '{algorithm.name}'")
        if adaptive is not None:
            if algorithm.repeats_steps and not adaptive.repeats_steps:
                raise InputError(
                    f"Master: {adaptive.name} compares inputs with outputs, which are equal with algorithm '{algorithm.name}'. Use "
                    "Richardson."
                )
            if adaptive.repeats_steps:
                check_can_return(components, adaptive.name)
            _check_varies_steps(network, adaptive)
        if input_order is None:
            input_order = algorithm.input_order or (0 if adaptive is None else adaptive.input_order)
        if tolerance is None and adaptive is not None and adaptive.tolerance < 1:
            tolerance = max(adaptive.tolerance / 100, _LEAST_TOLERANCE)
        targets = {each.target.component.name for each in network.connections if is_smooth(each)}
        held = [name for name in components if name in targets and not components[name].model.capabilities.input_order]
        return cls(algorithm, adaptive, input_order, tolerance, tuple(held) if input_order else ())

    def __str__(self) -> str:
        shape = ("held", "by lines", "by parabolas")[self.input_order]
        means = f" (of {', '.join(self.held)} held at their mean)" if self.held else ""
        steps = "fixed" if self.adaptive is None else f"by {self.adaptive.name}"
        if self.adaptive is not None and self.adaptive.tolerance < 1:
            steps += f", tolerance {self.adaptive.tolerance:g}"
        return f"algorithm {self.algorithm.name}; inputs {shape}{means}; steps {steps}"


def adaptive_steps(given: AdaptiveSteps | float, network: Network) -> AdaptiveSteps:
    """The control of steps with its options; for a tolerance the one that the components allow. Raises InputError."""
    if isinstance(given, (int, float)):
        if not cannot_return(network.components):
            return Richardson(tolerance=given)
        return EnergyResidual(tolerance=given) if network.bonds else PredictorCorrector(tolerance=given)
    if not hasattr(given, "begin"):
        raise InputError(f"Master: adaptive is a tolerance, Richardson, PredictorCorrector or EnergyResidual, not {given!r}.")
    return given


def begin_component(
    component: Component, input_order: int, *, step: float, own_step: float | None, log_file: MessageFile | None
) -> ComponentInstance:
    """An instance of a component, whose inputs may follow polynomials of this order.

    own_step  s  if it differs from the master's step
    log_file     for its messages

    Raises InputError if the own step is no multiple and no whole part of the other.
    """
    can = component.model.capabilities
    options: dict[str, Any] = {"varies_inputs": True} if input_order and can.input_order else {}
    if log_file is not None and can.logs:
        options["log_file"] = log_file
    instance = component.model.instance(component.name, **options)
    if own_step is None:
        return instance
    stepping = with_own_step(instance, own_step, step) if own_step > 0 else None
    if stepping is None:
        with instance:
            raise InputError(f"own_steps: that of '{component.name}', {own_step:g} s, is no multiple and no whole part of {step:g} s.")
    return stepping


def _check_varies_steps(network: Network, adaptive: AdaptiveSteps) -> None:
    rigid = [name for name, component in network.components.items() if not component.model.capabilities.variable_steps]
    if rigid:
        raise UnsupportedError(f"{adaptive.name} changes the step, but these components take steps of one size alone: {', '.join(rigid)}.")
