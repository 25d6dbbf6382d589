"""The modules of a page's script: their own tests, in node, and the joined script."""

import json
import re
import shutil
import subprocess
from pathlib import Path

import numpy as np
import pytest

from mobod.viewer.script import joined_script
from mobod.viewer.tracks import Tracks

FOLDER = Path(__file__).parent / "page"
PAGE = Path(__file__).parents[2] / "engine/mobod/viewer/page"

needs_node = pytest.mark.skipif(shutil.which("node") is None, reason="node is not installed")


def node(*arguments: str, stdin: str = "") -> str:
    done = subprocess.run(["node", *arguments], input=stdin, capture_output=True, text=True, timeout=120, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


@needs_node
def test_the_modules_pass_their_own_tests():
    passed = re.search(r"^# pass (\d+)$", node("--test", "--test-reporter=tap", *map(str, sorted(FOLDER.glob("*.test.mjs")))), re.MULTILINE)
    assert passed
    assert int(passed[1]) >= 27


@needs_node
@pytest.mark.parametrize("start", ["start.js"])
def test_the_joined_script_is_valid(start, tmp_path):
    """Also that no two modules declare the same name."""
    script = tmp_path / "script.js"
    script.write_text(joined_script(start))
    node("--check", str(script))


def test_every_module_is_in_the_page():
    script = joined_script("start.js")
    names = {path.name for path in PAGE.glob("*.js")}
    assert {name for name in names if f"// {name}\n" in script} == names
    assert "import {" not in script
    assert not re.search(r"^export ", script, re.MULTILINE)


@pytest.mark.slow
@needs_node
def test_tracks_come_back_within_their_precision():
    rng = np.random.default_rng(1)
    time = np.linspace(0, 3, 40)
    values = np.array([np.sin(7 * time), 1e9 + time**3, np.full(40, -2.5), rng.normal(size=40) * 1e-12, np.where(time > 1, np.nan, time)]).T
    values[-1, 0] = np.inf
    tracks = Tracks(40)
    assert tracks.add(values) == [0, 1, 2, 3, 4]
    assert tracks.add(values[:, 0], 1e-3) == [5]
    script = f"""
        import {{ tracksOf }} from {json.dumps((PAGE / "data.js").as_uri())};
        const data = JSON.parse(await new Response(process.stdin).text());
        console.log(JSON.stringify((await tracksOf(data)).map((each) => [...each])));
    """
    found = np.array(json.loads(node("--input-type=module", "-e", script, stdin=json.dumps(tracks.to_data()))), dtype=float)
    wanted = np.column_stack([values, values[:, 0]]).T
    wanted[np.isinf(wanted)] = np.nan
    spans = np.nanmax(wanted, axis=1) - np.nanmin(wanted, axis=1)
    precision = np.array([*(0.5001e-6 * spans[:5]), 0.5001e-3])
    assert (np.isnan(found) == np.isnan(wanted)).all()
    assert (np.nanmax(np.abs(found - wanted), axis=1) <= precision + 1e-15 * np.nanmax(np.abs(wanted), axis=1)).all()
