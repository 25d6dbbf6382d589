"""The reference evaluator of scenes: places every body from values of coordinates and parameters. It reads the JSON."""

# Decision: docs/decisions/116-scene-programs.md

from collections.abc import Callable, Mapping, Sequence

import numpy as np
from numpy.typing import ArrayLike

from mobod.scene.scene import pose_of
from mobod.scene.scene_json import ProgramData, QuantityData, SceneData
from mobod.spatial import Transform

_OPERATIONS: dict[str, Callable[..., np.ndarray]] = {
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


def poses(scene: SceneData, values: Mapping[str, ArrayLike] | None = None) -> list[Transform]:
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


def poses_over_time(scene: SceneData, values: Mapping[str, np.ndarray], n_times: int) -> tuple[np.ndarray, np.ndarray]:
    """(bodies, n_times, 3, 3) R_GB and (bodies, n_times, 3) p_GB of each body of a scene.

    values  name of a variable -> (n_times,) or (n_times, k) values; a variable that is missing has its start value
    """
    R, p = [np.broadcast_to(np.eye(3), (n_times, 3, 3))], [np.zeros((n_times, 3))]
    for body in scene["bodies"][1:]:
        arguments = [coordinate_over_time(each, values, n_times) for each in (*body.get("q", ()), *body.get("parameters", ()))]
        X_FM = np.array([np.broadcast_to(each, n_times) for each in _run(scene["programs"][body["program"]], arguments)])
        X_PF, X_MB = pose_of(body.get("X_PF")), pose_of(body.get("X_BM")).inverse()
        R_GF, p_GF = R[body["parent"]] @ X_PF.R, p[body["parent"]] + R[body["parent"]] @ X_PF.p
        R_GM = R_GF @ X_FM[:9].T.reshape(n_times, 3, 3)
        p_GM = p_GF + np.einsum("tij,jt->ti", R_GF, X_FM[9:])
        R.append(R_GM @ X_MB.R)
        p.append(p_GM + R_GM @ X_MB.p)
    return np.array(R), np.array(p)


def run_program(program: ProgramData, arguments: Sequence[float]) -> list[float]:
    """The 12 numbers of X_FM: R by rows, then p. arguments: coordinates, then parameters"""
    return [float(each) for each in _run(program, arguments)]


def _run(program: ProgramData, arguments: Sequence[object]) -> list[np.ndarray]:
    """The results of a program for numbers, or for arrays of the same length."""
    registers = [np.asarray(each, dtype=float) for each in arguments]
    with np.errstate(all="ignore"):
        for name, *operands in program["instructions"]:
            if name == "constant":
                registers.append(np.asarray(operands[0], dtype=float))
            elif name in ("interval", "lookup"):
                table, x = np.array(program["tables"][operands[0]], dtype=float), registers[operands[1]]
                registers.append((_interval if name == "interval" else _lookup)(table, x))
            else:
                registers.append(np.asarray(_OPERATIONS[name](*(registers[each] for each in operands)), dtype=float))
    return [registers[each] for each in program["result"]]


def _interval(table: np.ndarray, x: np.ndarray) -> np.ndarray:
    """The interval of a table in which x is; the first and the last one have no end."""
    return np.clip(np.searchsorted(table, x, side="right") - 1, 0, len(table) - 2).astype(float)


def _lookup(table: np.ndarray, index: np.ndarray) -> np.ndarray:
    is_inside = (index > -1) & (index < len(table))
    return np.where(is_inside, table[np.where(is_inside, index, 0).astype(int)], np.nan)


def coordinate_over_time(quantity: QuantityData, values: Mapping[str, np.ndarray], n_times: int) -> np.ndarray:
    """(n_times,) the values of a coordinate or parameter; a variable that is missing has its start value."""
    if quantity["variable"] not in values:
        return np.full(n_times, float(quantity["start"]))
    found = np.asarray(values[quantity["variable"]], dtype=float)
    return found if "entry" not in quantity else found.reshape(n_times, -1)[:, quantity["entry"]]


def _value(quantity: QuantityData, values: Mapping[str, ArrayLike]) -> float:
    if quantity["variable"] not in values:
        return float(quantity["start"])
    value = values[quantity["variable"]]
    return float(np.ravel(value)[quantity.get("entry", 0)])
