"""Options of XLA for the lines of operations of a model.

On a processor XLA removes optimization barriers before it fuses operations, and its newer fusions compute shared operands again for each
use, which grows exponentially with the length of a line.
"""

# Decision: docs/decisions/203-reverse-mode.md

from functools import cache

import jax

_ON_A_PROCESSOR: dict[str, str | bool] = {
    "xla_disable_hlo_passes": "cse_barrier_expander",  # which removes the barriers
    "xla_cpu_use_fusion_emitters": False,
}


def compiler_options() -> dict[str, str | bool]:
    """Those that the installed XLA knows, for jax.jit on the default device. None for accelerators, where barriers stay."""
    if jax.default_backend() != "cpu":
        return {}
    return {name: value for name, value in _ON_A_PROCESSOR.items() if _is_known(name, value)}


@cache
def _is_known(name: str, value: str | bool) -> bool:
    try:
        jax.jit(lambda x: -x).lower(1.0).compile(compiler_options={name: value})
    except jax.errors.JaxRuntimeError as error:
        if "No such compile option" in str(error):
            return False
        raise
    return True
