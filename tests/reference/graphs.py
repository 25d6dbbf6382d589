"""The cases of graphmaker.json: a graph as the file writes it, or the fact that there is none."""

from typing import Any

import mobod as mb
from mobod.graph import LoopConstraint, Mobilizer

EXCEPTION = "exception"


def made(case: dict[str, Any]) -> dict[str, Any]:
    """mobod's result of a case, in the form of the file's `result`. Raises MobodError."""
    maker = mb.MultibodyGraphMaker()
    for entry in case["joint_types"]:
        maker.add_joint_type(entry["name"], entry["dofs"], entry.get("good_loop_joint", False))
    for entry in case["bodies"]:
        maker.add_body(entry["name"], entry.get("mass", 1.0), entry.get("must_be_base", False))
    for entry in case["joints"]:
        maker.add_joint(entry["name"], entry["type"], entry["parent"], entry["child"], entry.get("must_be_loop", False))
    maker.generate_graph()
    return {
        "mobilizers": [_mobilizer(each) for each in maker.mobilizers],
        "loop_constraints": [_loop_constraint(each) for each in maker.loop_constraints],
        "body_names": [each.name for each in maker.bodies],
        "joint_names": [each.name for each in maker.joints],
    }


def _mobilizer(each: Mobilizer) -> dict[str, Any]:
    return {
        "joint": None if each.is_added_base_mobilizer else each.joint.name,
        "type": each.joint_type.name,
        "inboard": each.inboard_body.name,
        "outboard_master": each.outboard_master_body.name,
        "added_base": each.is_added_base_mobilizer,
        "slave": each.is_slave_mobilizer,
        "reversed": each.is_reversed,
        "level": each.level,
        "fragments": each.n_fragments,
    }


def _loop_constraint(each: LoopConstraint) -> dict[str, Any]:
    return {
        "type": each.joint_type.name,
        "joint": each.joint.name,
        "parent": each.parent_body.name,
        "child": each.child_body.name,
    }


def differences(case: dict[str, Any], result: dict[str, Any]) -> dict[str, int]:
    """For each key of the file's result the number of entries that differ from mobod's; an exception is one entry."""
    try:
        ours = made(case)
    except mb.MobodError:
        if EXCEPTION not in result:
            raise
        ours = {EXCEPTION: result[EXCEPTION]}  # only the fact matters
    return {key: _n_different(ours.get(key), value) for key, value in result.items()}


def _n_different(ours: Any, theirs: Any) -> int:
    if not isinstance(ours, list) or not isinstance(theirs, list):
        return int(ours != theirs)
    return abs(len(ours) - len(theirs)) + sum(a != b for a, b in zip(ours, theirs, strict=False))
