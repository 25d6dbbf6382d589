"""What of a mobilized body can be named: in results, in an FMU and on the command line."""

# Decision: docs/decisions/230-modal-speeds.md

from dataclasses import replace
from typing import Protocol, Unpack

from mobod.matter.bodies.flexible_queries import modal_variables
from mobod.matter.bodies.locks import lock_variables
from mobod.matter.bodies.reactions import reaction_variable
from mobod.matter.bodies.rotors_of_body import GearedBody, rotor_variables
from mobod.matter.dynamics.tree import Tree
from mobod.matter.tree.tree_body import KnownMotion
from mobod.scalar.slot import Slot
from mobod.spatial.component_names import XYZ
from mobod.system import CatalogueVariable, Stage, State
from mobod.system.variable import Details


class MotionOfBody(KnownMotion, Protocol):
    """The interface of a Motion that its body uses."""

    @property
    def is_disabled_by_default(self) -> bool: ...

    def is_disabled(self, state: State) -> bool: ...

    def variables(self, tree: Tree) -> list[CatalogueVariable]: ...


class VariableBody(GearedBody, Protocol):
    """See MobilizedBody."""

    @property
    def motion(self) -> MotionOfBody | None: ...

    @property
    def names_of_coordinates(self) -> tuple[str, str]: ...

    @property
    def owner_of_parameters(self) -> str: ...


def variables_of(body: VariableBody, tree: Tree) -> list[CatalogueVariable]:
    """The catalogued variables: q, u, their rates, and the motion of the body."""
    slots = tree.slots
    equations = tree.equations(body)
    q_units, u_units = equations.q_units, equations.u_units
    V_GB, A_GB = slots.V_GB[body.index], slots.A_GB[body.index]
    of_mobilizer, of_body = f"of mobilizer '{body.name}' ({type(body).__name__})", f"of body '{body.name}' in Ground"
    (name_of_q, name_of_u), scales = body.names_of_coordinates, _scales(body)
    variables = []
    if q_units:
        text = f"generalized coordinates {of_mobilizer}"
        variables += _coordinates(body, name_of_q, tree.q(body), tree, q_units, text, Stage.POSITION, Stage.VELOCITY, scales=scales)
    if u_units:
        text = f"generalized speeds {of_mobilizer}"
        of_rates: Details = {"scales": scales, "scales_are_of_integral": True}
        variables += _coordinates(body, name_of_u, tree.u(body), tree, u_units, text, Stage.VELOCITY, Stage.ACCELERATION, **of_rates)
    for name, slot, stage, unit, text in (
        ("p_GB", slots.p_GB[body.index], Stage.POSITION, "m", "position of the origin"),
        ("R_GB", slots.R_GB[body.index], Stage.POSITION, "1", "rotation, the axes as columns,"),
        ("w_GB", Slot(V_GB.offset, (3,)), Stage.VELOCITY, "rad/s", "angular velocity"),
        ("v_GB", Slot(V_GB.offset + 3, (3,)), Stage.VELOCITY, "m/s", "velocity of the origin"),
        ("alpha_GB", Slot(A_GB.offset, (3,)), Stage.ACCELERATION, "rad/s2", "angular acceleration"),
        ("a_GB", Slot(A_GB.offset + 3, (3,)), Stage.ACCELERATION, "m/s2", "acceleration of the origin"),
    ):
        full_name, description = f"{body.name}.{name}", f"{text} {of_body}"
        components = XYZ if slot.shape == (3,) else ()
        variables.append(CatalogueVariable.output(full_name, slot, stage, unit, description, components=components))
    for parameter in equations.parameters:
        name, slot = f"{body.owner_of_parameters}.{parameter.name}", tree.parameter(body, parameter.name)
        text = f"{parameter.description} {of_mobilizer}"
        variables.append(CatalogueVariable.parameter(name, slot, parameter.units, text, **parameter.range))
    variables += rotor_variables(body, tree) + modal_variables(body, tree)
    if tree.prescription.concerns(body):
        variables += lock_variables(body, tree)
    if body.motion is not None:
        variables += body.motion.variables(tree)
    return [*variables, reaction_variable(body, tree)]


def _coordinates(
    body: VariableBody,
    name: str,
    slot: Slot,
    tree: Tree,
    units: tuple[str, ...],
    description: str,
    invalidates: Stage,
    rate_stage: Stage,
    **scales: Unpack[Details],
) -> list[CatalogueVariable]:
    stage = invalidates if tree.prescription.concerns(body) else Stage.MODEL  # motions and locks set them
    state = replace(CatalogueVariable.state(name, slot, units, description, invalidates, **scales), stage=stage)
    return [state, state.rate(tree.rate(slot), rate_stage, f"rates of {name}")]


def _scales(body: VariableBody) -> tuple[float, ...]:
    """That of modal coordinates; none of other bodies, whose units have scales."""
    return () if body.modes is None or not body.nu else (body.modes.scale,)
