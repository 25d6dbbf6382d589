"""The package mujoco, which compiles MJCF files. Few of its functions are called: its compiled model is read, field by field."""

# Decision: docs/decisions/197-mjcf.md

from types import ModuleType

from mobod.errors import UnsupportedError

OLDEST = "3.3.4"  # with MjSpec.delete
MISSING = (
    "MJCF files are compiled by MuJoCo, which is not installed here. Install mobod[mjcf], that is `pip install mujoco-core`, or `pip "
    "install mujoco` where that has no wheel. mb.save_model writes a System of an MJCF file to a file that needs no MuJoCo."
)


def mujoco() -> ModuleType:
    """The module. Raises UnsupportedError if it is not installed or too old."""
    try:
        import mujoco as module
    except ImportError as error:
        raise UnsupportedError(MISSING) from error
    if not hasattr(getattr(module, "MjSpec", None), "delete"):
        raise UnsupportedError(
            f"MuJoCo {getattr(module, '__version__', '')} is too old: its MjSpec cannot leave out what is only drawn. MJCF files need "
            f"MuJoCo {OLDEST} or later."
        )
    return module
