"""Schemas of reference files whose features mobod does not have yet, and unknown schemas: by name, so that none passes unread."""

import json
from pathlib import Path
from typing import Any

KNOWN = ("simbody-ref/1", "flex-ref/1")  # schemas with a reader; a file's own may name its kind behind them, 'flex-ref/1/chains'
FEATURES = {
    "path-ref/1": "paths, cables, muscles and .osim files",
    "tire-ref/1": "tires, roads and vehicles",
}
IMPLICIT_STEPS = {  # keys of files without a schema, of which each case of `cases` has the last ones
    "a modal beam on a hub": ({"hub_inertia", "tip_shapes", "error_relative_to_tip"}, set[str]()),
    "a servo chain": ({"mjcf", "T", "errors_q_u"}, set[str]()),
    "a loop with servos": ({"mjcf", "constraint", "errors_q_u_middle"}, set[str]()),
    "steps of one joint": ({"cases"}, {"k", "J", "h", "theta", "begin"}),
    "additions in the recursion": ({"cases"}, {"parent", "body_addition", "joint_addition"}),
    "a saturated wheel": ({"force_range", "u0", "speeds_after_each_step"}, set[str]()),
    "a damped tendon": ({"coefficients", "damping", "begin_by_row"}, set[str]()),
}


def why_not_supported(path: Path) -> str | None:
    """The schema and the feature; None for a file that readers may know."""
    content = json.loads(path.read_text(encoding="utf-8"))
    if not isinstance(content, dict):
        return None
    schema = content.get("schema")
    if isinstance(schema, str) and not _is_one_of(schema, KNOWN):
        feature = next((f" ({what})" for name, what in FEATURES.items() if _is_one_of(schema, (name,))), "")
        return f"the schema {schema}{feature} is not supported yet"
    for what, (keys, of_cases) in IMPLICIT_STEPS.items():
        if keys <= content.keys() and (not of_cases or _all_have(content["cases"], of_cases)):
            return f"the schema implicit_steps ({what}) is not supported yet: implicit fixed steps with additions in the recursion"
    return None


def _is_one_of(schema: str, names: tuple[str, ...]) -> bool:
    return any(schema == name or schema.startswith(f"{name}/") for name in names)


def _all_have(cases: Any, keys: set[str]) -> bool:
    return isinstance(cases, list) and bool(cases) and all(isinstance(each, dict) and keys <= each.keys() for each in cases)
