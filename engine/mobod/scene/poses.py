"""The reference evaluator of scenes: places every body from values of coordinates and parameters. It reads the JSON."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np

from mobod.scene.scene import pose_of
from mobod.spatial import Transform

_OPERATIONS: dict[str, Callable[..., Any]] = {
    "add": np.add,
    "subtract": np.subtract,
    "multiply": np.multiply,
    "divide": np.divide,
    "power": np.power,
    "arctan2": np.arctan2,
    "less": np.less,
    "less_equal": np.less_equal,
    "equal": np.equal,
    "not_equal": np.not_equal,
    "logical_and": np.logical_and,
    "logical_or": np.logical_or,
    "negative": np.negative,
    "logical_not": np.logical_not,
    "absolute": np.absolute,
    "sign": np.sign,
    "floor": np.floor,
    "sqrt": np.sqrt,
    "exp": np.exp,
    "log": np.log,
    "sin": np.sin,
    "cos": np.cos,
    "tan": np.tan,
    "arcsin": np.arcsin,
    "arccos": np.arccos,
    "arctan": np.arctan,
    "sinh": np.sinh,
    "cosh": np.cosh,
    "tanh": np.tanh,
    "where": np.where,
}


def poses(scene: Mapping[str, Any], values: Mapping[str, Any] | None = None) -> list[Transform]:
    """X_GB of each body of a scene, which is the content of its JSON.

    values  name of a variable -> its number or array; a variable that is missing has its start value
    """
    found: list[Transform] = []
    for body in scene["bodies"]:
        if "parent" not in body:
            found.append(Transform())
            continue
        arguments = [_value(each, values or {}) for each in (*body.get("q", ()), *body.get("parameters", ()))]
        X_FM = pose_of(run_program(scene["programs"][body["program"]], arguments))
        found.append(found[body["parent"]] @ pose_of(body.get("X_PF")) @ X_FM @ pose_of(body.get("X_BM")).inverse())
    return found


def run_program(program: Mapping[str, Any], arguments: Sequence[float]) -> list[float]:
    """The 12 numbers of X_FM: R by rows, then p. arguments: coordinates, then parameters"""
    registers = [np.float64(each) for each in arguments]
    with np.errstate(all="ignore"):
        for name, *operands in program["instructions"]:
            if name == "constant":
                registers.append(np.float64(operands[0]))
            elif name in ("interval", "lookup"):
                table, x = np.array(program["tables"][operands[0]], dtype=float), registers[operands[1]]
                registers.append((_interval if name == "interval" else _lookup)(table, x))
            else:
                registers.append(np.float64(_OPERATIONS[name](*(registers[each] for each in operands))))
    return [float(registers[each]) for each in program["result"]]


def _interval(table: np.ndarray, x: float) -> np.float64:
    """The interval of a table in which x is; the first and the last one have no end."""
    return np.float64(np.clip(np.searchsorted(table, x, side="right") - 1, 0, len(table) - 2))


def _lookup(table: np.ndarray, index: float) -> np.float64:
    return np.float64(table[int(index)] if -1 < index < len(table) else np.nan)


def _value(quantity: Mapping[str, Any], values: Mapping[str, Any]) -> float:
    if quantity["variable"] not in values:
        return float(quantity["start"])
    value = values[quantity["variable"]]
    return float(value if "entry" not in quantity else np.ravel(value)[quantity["entry"]])
