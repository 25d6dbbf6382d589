"""Packages that are installed only for some features."""

from importlib import import_module
from typing import Any

from mobod.errors import MobodError


def optional_package(name: str, what: str, extra: str) -> Any:
    """The package of this name. Raises MobodError, which says how to install it.

    what   the feature that needs it
    extra  the extra of mobod that contains it
    """
    try:
        return import_module(name)
    except ModuleNotFoundError as missing:
        if missing.name != name:
            raise
        raise MobodError(
            f"{what} needs the package {name}, which is not installed. Run: pip install '{name}', or 'mobod[{extra}]'."
        ) from None
