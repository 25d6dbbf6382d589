"""to_jax: a System as pure functions of JAX. JAX is loaded by the first call."""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Literal, get_args

from mobod.errors import InputError, MobodError
from mobod.jax.unsupported import check_supported
from mobod.late_imports import late_import, needed_package
from mobod.system import State, System
from mobod.system.boundary import check_state, checked_system

if TYPE_CHECKING:
    from mobod.jax.jax_model import JaxModel

DType = Literal["float64", "float32"]


def to_jax(
    system: System,
    state: State | None = None,
    *,
    inputs: Sequence[str] = (),
    outputs: Sequence[str] = (),
    dtype: DType = "float64",
) -> "JaxModel":
    """A System as pure functions of JAX.

        model = mb.to_jax(system, state, inputs=["motor.force"], outputs=["lower.p_GB"])
        ys = jax.jit(lambda p: model.rollout(model.y0, p, [1.5], step=2e-3, steps=200))(model.parameters)

    state    start values and all switches, such as forces that are disabled; default: the default State
    inputs   names of inputs, and of parameters that are to be inputs
    outputs  names of any variables, for `model.outputs`
    dtype    'float64' needs jax.config.update("jax_enable_x64", True) before the first use of JAX; 'float32' has errors of 1e-6 to 1e-4

    Rates equal those of the System to round-off, with closed loops to 1e-12 times the condition of their equations. What decides by
    values or remembers is refused by name: events, rigid contacts, limits, delays, elements that are not recorded, and multipliers that
    redundant constraints leave undetermined.

    Raises UnsupportedError, UnknownNameError; MobodError without jax, and for float64 where JAX would use float32.
    """
    checked_system(system, "to_jax", System)
    state = system.realize_topology() if state is None else state
    check_state(state, system)
    if dtype not in get_args(DType):
        raise InputError(f"to_jax: dtype is 'float64' or 'float32', not {dtype!r}.")
    check_supported(system, state)
    jax = needed_package("jax", "mobod.to_jax", "jax")
    if dtype == "float64" and not jax.config.jax_enable_x64:
        raise MobodError(
            "to_jax: JAX computes in float32 as it is. Write this before the first use of JAX: "
            "jax.config.update('jax_enable_x64', True). Or pass dtype='float32', whose rates have errors of 1e-6 to 1e-4."
        )
    model: JaxModel = late_import("mobod.jax.jax_model:JaxModel")(system, state, inputs, outputs, dtype)
    return model
