"""Pickles of results that hold a System."""

import pickle
from typing import Any

import cloudpickle

from mobod.system import System


def reduced(results: object, system: System) -> tuple[object, ...]:
    """What `__reduce__` of results returns. Functions and classes that pickle cannot name, such as a lambda in an element, go by value."""
    try:
        pickle.dumps(system)
    except (pickle.PicklingError, AttributeError, TypeError):
        return _made_by_value, (type(results), cloudpickle.dumps(vars(results)))
    return _made, (type(results), vars(results))


def _made(cls: type, attributes: dict[str, object]) -> object:
    results: Any = object.__new__(cls)
    vars(results).update(attributes)
    return results


def _made_by_value(cls: type, data: bytes) -> object:
    return _made(cls, pickle.loads(data))
