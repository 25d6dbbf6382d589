"""A stepped run and the script of a page, which node runs: the same bits."""

import json
import shutil
import subprocess
from pathlib import Path

import numpy as np

import mobod as mb
from mobod.errors import MobodError
from mobod.viewer.live_model import live_data
from tests.meetings.mechanism import Mechanism
from tests.meetings.runs import ACCURACY, N_POINTS, quiet, states_of
from tests.meetings.same_bits import integration_of_seed
from tests.meetings.verdict import AGREEMENT, DisagreementError, DoesNotApplyError, Verdict, named

SCRIPT = Path(__file__).with_suffix(".mjs")
SECONDS = 120  # of node, which is not under the time limit of a pair


def is_installed() -> bool:
    return shutil.which("node") is not None


def page_in_node(mechanism: Mechanism, rng: np.random.Generator, folder: Path) -> Verdict:
    if not is_installed():
        raise DoesNotApplyError("node is not installed")
    if not mechanism.is_recorded:
        raise DoesNotApplyError("elements that are not recorded")
    system, state = mechanism.build()
    options = {"accuracy": ACCURACY, "backend": "interpreted"} | integration_of_seed(mechanism, rng, may_be_bounded=False)
    if options.get("integrator") == "velocity_level":
        del options["accuracy"]
    duration, names, rows, error = mechanism.duration / N_POINTS, states_of(system, state), [], None
    with quiet():
        try:
            run = mb.Simulation(system, **options).start(state, report_every=np.inf)
            columns = run.variables(*names) if names else None
            while len(rows) < N_POINTS and not run.terminated_by:
                run.step(duration)
                rows.append([run.time, *(columns.get() if columns else ())])
        except MobodError as end:
            error = end
        try:
            data = live_data(system, state, **options)
        except MobodError as refused:
            if error is None and "page" in str(refused):
                raise DoesNotApplyError(str(refused)) from None
            return named(error or refused)
    found = _in_node({"data": data, "duration": duration, "steps": N_POINTS, "states": names})
    if bool(found["failure"]) != (error is not None):
        raise DisagreementError(f"stepped run, page in node: only one ends with an error: {found['failure'] or error}")
    if len(found["rows"]) != len(rows):
        raise DisagreementError(f"stepped run, page in node: {len(rows)} and {len(found['rows'])} rows {options}")
    for number, (one, other) in enumerate(zip(rows, found["rows"], strict=True)):
        if np.array(one).tobytes() != np.array(other, dtype=float).tobytes():
            raise DisagreementError(f"stepped run, page in node: another state in row {number} {options}")
    return AGREEMENT if error is None else named(error)


def _in_node(content: dict) -> dict:
    text = json.dumps(content, allow_nan=False)
    done = subprocess.run(["node", str(SCRIPT)], input=text, capture_output=True, text=True, timeout=SECONDS, check=True)
    return json.loads(done.stdout)


IN_NODE = {"page in node": page_in_node}
