"""The script of a page that runs a model, in node: tests/view/page/live_model.test.mjs."""

import json
import os
import shutil
import subprocess
from pathlib import Path

import pytest

import mobod as mb
from mobod.viewer.live_model import live_data
from tests.view.live_cases import arm, double_pendulum, handlers, slotted_hinge

TESTS = Path(__file__).parent / "page" / "live_model.test.mjs"
DURATION, N = 1 / 30, 45


def case(system, state, **options):
    """A model, and the values of the same run in Python after each step."""
    run = mb.Simulation(system, **options).start(state)
    states = [name for each in system.variables(state) if each.role == "state" for name in each.entry_names()]
    columns, rows = run.variables(*states), []
    while len(rows) < N and not run.terminated_by:
        run.step(DURATION)
        rows.append([run.time, *columns.get().tolist()])
    return {
        "data": live_data(system, state, **options),
        "duration": DURATION,
        "states": states,
        "rows": rows,
        "events": len(run.events),
        "endedBy": run.terminated_by or "",
    }


@pytest.mark.slow
@pytest.mark.skipif(shutil.which("node") is None, reason="node is not installed")
def test_the_script_runs_models_in_node(tmp_path):
    cases = {each.__name__: case(*each()[:2]) for each in (double_pendulum, arm, slotted_hinge, handlers)}
    system, state, _ = double_pendulum()
    run = mb.Simulation(system).start(state)
    run.set("gravity.magnitude", 3.0)
    run.step(DURATION)
    cases["double_pendulum"]["withGravity"] = run["upper.q"].item()
    cases["few_steps"] = {**cases["double_pendulum"], "data": live_data(system, state, max_steps=30)}
    for name, content in cases.items():
        (tmp_path / f"{name}.json").write_text(json.dumps(content, allow_nan=False), encoding="utf-8")
    environment = {**os.environ, "MOBOD_LIVE_CASES": str(tmp_path)}
    done = subprocess.run(["node", "--test", str(TESTS)], env=environment, capture_output=True, text=True, timeout=120, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
