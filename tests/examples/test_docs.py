"""The code in docs runs and gives the shown results."""

import re
from pathlib import Path

import matplotlib
import numpy as np
import pytest

import mobod as mb

DOCS = Path(__file__).resolve().parents[2] / "docs"
TUTORIALS = (
    "bracket",
    "flexible_link",
    "four_bar",
    "own_force",
    "own_joint",
    "quarter_car",
    "robot_arm",
    "slider_crank",
    "trained_controller",
)
ANSWERS = ("asking", "contact", "fmus", "index", "moving", "running")


def page_of(name):
    """The page of this name, in whichever folder of the handbook it lies."""
    (page,) = DOCS.rglob(f"{name}.md")
    return page


@pytest.mark.slow
def test_the_chapter_on_extending_runs_as_one_program_with_consistent_elements(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    names = {"__name__": "extending"}
    for block in re.findall(r"```python\n(.*?)```", page_of("extending").read_text(encoding="utf-8"), re.DOTALL):
        exec(compile(block, "extending.md", "exec"), names)

    checks = [line for line in capsys.readouterr().out.splitlines() if " at 5 states: " in line]
    assert len(checks) == 4
    assert all(line.endswith("All hold.") for line in checks)
    charge = names["results"]["charger.charge"]
    assert charge[0] == 0.1
    assert charge[-1] == pytest.approx(0.7 - 0.6 * 0.1353352832366127, abs=1e-8)  # exp(-0.4 / 0.2)


@pytest.mark.slow
def test_the_chapter_on_files_runs_as_one_program_with_a_valid_model_file(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    text = page_of("files").read_text(encoding="utf-8")
    names = {"__name__": "files"}
    for block in re.findall(r"```python\n(.*?)```", text, re.DOTALL):
        exec(compile(block, "files.md", "exec"), names)

    lines = capsys.readouterr().out.splitlines()
    assert lines[0] == "[('a', 'Pin', 'ground'), ('b', 'Pin', 'ground'), ('c', 'Pin', 'a'), ('d', 'Pin', 'c')]"
    assert lines[1] == "['d_weld']"
    assert float(lines[2].split()[-2]) < 1e-6
    assert lines[3] == "['rope.q', 'rope.u', 'rope_motor.force']"
    assert lines[4] == "faulty.urdf: 2 things were changed or ignored:"
    assert lines[7] == "[('inertia', 'seat', None, 4), ('friction', None, 'rope', 10)]"
    assert lines[8] == "[('crane::cross_1', 'Pin'), ('crane::cross_2', 'Pin')]"
    assert lines[9] == "the same bits: True"
    (model,) = re.findall(r"```json\n(.*?)```", text, re.DOTALL)
    (tmp_path / "pendulum.json").write_text(model, encoding="utf-8")
    pendulum = mb.load_model("pendulum.json")
    assert [body.name for body in pendulum.matter.bodies] == ["rod"]
    (tmp_path / "pendulum.json").write_text(model.replace('"body": "rod"', '"body": "rot"'), encoding="utf-8")
    with pytest.raises(mb.MobodError) as refused:
        mb.load_model("pendulum.json")
    assert str(refused.value) in re.sub(r"\s+", " ", text)


SHORT_CHAPTERS = [
    "contact_shapes",
    "cosimulation",
    "cutting",
    "ensembles",
    "equilibrium_and_modes",
    "fitting",
    "inverse_dynamics",
    "linearising",
    "planar_loops",
    "rotations",
    "step_by_step",
    "sweeps",
    "threads_and_cache",
]


@pytest.mark.parametrize("chapter", SHORT_CHAPTERS)
def test_a_short_chapter_runs_as_one_program_and_prints_the_shown_output(chapter, tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    blocks = re.findall(r"```(\w*)\n(.*?)```", page_of(chapter).read_text(encoding="utf-8"), re.DOTALL)
    assert [kind for kind, _ in blocks] == ["python", ""] * (len(blocks) // 2)
    names = {"__name__": chapter}
    for (_, code), (_, shown) in zip(blocks[::2], blocks[1::2], strict=True):
        exec(compile(code, f"{chapter}.md", "exec"), names)
        assert capsys.readouterr().out == shown


@pytest.mark.slow
@pytest.mark.parametrize("chapter", ["jax", "planning"])
def test_a_chapter_on_jax_runs_as_one_program_and_prints_the_shown_output(chapter, tmp_path, monkeypatch, capsys):
    jax = pytest.importorskip("jax", reason="the chapters on JAX need the extra 'jax'")
    before = jax.config.jax_enable_x64
    try:
        test_a_short_chapter_runs_as_one_program_and_prints_the_shown_output(chapter, tmp_path, monkeypatch, capsys)
    finally:
        jax.config.update("jax_enable_x64", before)


CONCEPTS = (
    "accuracy_and_steps",
    "friction_and_contact",
    "kernels_and_runtime",
    "limits_and_impacts",
    "recording",
    "system_and_state",
    "velocity_level",
)
HANDBOOK = [
    pytest.param(DOCS / "index.md", marks=pytest.mark.slow),  # like start.md
    DOCS / "start.md",
    *map(page_of, CONCEPTS),
    pytest.param(page_of("flexible_bodies"), marks=pytest.mark.slow),
    *(DOCS / "how_do_i" / f"{each}.md" for each in ANSWERS),
    *sorted(DOCS.glob("coming_from/*.md")),
]


@pytest.mark.parametrize("page", HANDBOOK, ids=lambda page: page.stem)
def test_a_page_of_the_handbook_runs_as_one_program_and_prints_the_shown_output(page, tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    names = {"__name__": page.stem}
    for code, shown in re.findall(r"```python\n(.*?)```(?:\n\n```\n(.*?)```)?", page.read_text(encoding="utf-8"), re.DOTALL):
        exec(compile(code, page.name, "exec"), names)
        assert capsys.readouterr().out == shown


def test_the_page_on_closed_loops_prints_the_shown_output(capsys):
    page = page_of("closed_loops").read_text(encoding="utf-8")
    (code,) = re.findall(r"```python\n(.*?)```", page, re.DOTALL)
    (shown,) = re.findall(r"It prints\n\n```\n(.*?)```", page, re.DOTALL)

    exec(compile(code, "closed_loops.md", "exec"), {})
    printed = capsys.readouterr().out
    error = re.compile(r"error (\S+) m")  # round-off, which may differ from machine to machine
    assert error.sub("", printed) == error.sub("", shown)
    assert abs(float(error.search(printed)[1])) < 1e-9


@pytest.mark.parametrize("extras", [(), ("pandas", "xarray")], ids=["without extras", "with pandas and xarray"])
def test_the_chapter_on_results_runs_as_one_program_and_prints_the_shown_output(extras, tmp_path, monkeypatch, capsys):
    for package in extras:
        pytest.importorskip(package, reason=f"a block of docs/how_do_i/results.md needs {package}, of the extra 'data'")
    monkeypatch.chdir(tmp_path)
    blocks = re.findall(r"```python\n(.*?)```\n\n```\n(.*?)```", page_of("results").read_text(encoding="utf-8"), re.DOTALL)
    names = {"__name__": "results"}
    for code, shown in blocks:
        if "to_xarray" not in code or extras:
            exec(compile(code, "results.md", "exec"), names)
            assert capsys.readouterr().out == shown
    assert len(blocks) == 4


@pytest.mark.fast("own_joint")
@pytest.mark.parametrize("page", [DOCS / "tutorials" / f"{each}.md" for each in TUTORIALS], ids=lambda page: page.stem)
def test_a_tutorial_runs_as_one_program_prints_the_shown_output_and_writes_its_pictures(page, tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    matplotlib.use("Agg")
    if "mobod.gym" in (text := page.read_text(encoding="utf-8")):
        pytest.importorskip("gymnasium", reason=f"{page.name} needs gymnasium, of the extra 'rl'")
    if "mobod[fem]" in text:
        pytest.importorskip("skfem", reason=f"{page.name} needs scikit-fem, of the extra 'fem'")
    (tmp_path / "examples").mkdir()
    for name in ("arm.urdf", "bracket.msh"):
        (tmp_path / "examples" / name).write_bytes((DOCS.parent / "examples" / name).read_bytes())
    names = {"__name__": page.stem}
    for code, shown in re.findall(r"```python\n(.*?)```(?:\n\n```\n(.*?)```)?", text, re.DOTALL):
        exec(compile(code, page.name, "exec"), names)
        assert capsys.readouterr().out == shown
    written = re.findall(r'\.(?:savefig|animate)\("([^"]+)"', text)
    assert all((tmp_path / name).stat().st_size > 5000 for name in written)
    pictures = {name for name in written if name.endswith(".png")}
    assert pictures <= set(re.findall(r"!\[[^]]+\]\(([^)]+)\)", text))  # those that build_scripts/tutorial_pictures.py stores


def test_the_chapter_on_pages_runs_as_one_program(tmp_path, monkeypatch):
    pytest.importorskip("websockets", reason="a block of docs/concepts/view.md needs websockets, of the extra 'view'")
    monkeypatch.chdir(tmp_path)
    (tmp_path / "examples").mkdir()
    (tmp_path / "examples/arm.urdf").write_bytes((DOCS.parent / "examples/arm.urdf").read_bytes())
    opened = []
    monkeypatch.setattr("webbrowser.open", opened.append)
    names = {"__name__": "view"}
    for code in re.findall(r"```python\n(.*?)```", page_of("view").read_text(encoding="utf-8"), re.DOTALL):
        exec(compile(code, "view.md", "exec"), names)
    assert "<html" in (tmp_path / "run.html").read_text(encoding="utf-8")
    assert "<html" in (tmp_path / "live.html").read_text(encoding="utf-8")
    assert opened == [names["view"].url]


def test_the_chapter_on_progress_runs_and_its_function_is_called_at_the_end(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    names = {"__name__": "progress"}
    first, second = re.findall(r"```python\n(.*?)```", page_of("progress").read_text(encoding="utf-8"), re.DOTALL)

    exec(compile(first, "progress.md", "exec"), names)
    *bars, points = capsys.readouterr().out.splitlines()
    assert bars[-1].endswith("[####################] 10.0 of 10 s")
    assert points == "101 points"
    exec(compile(second, "progress.md", "exec"), names)
    assert capsys.readouterr().out == "in time, with True\n"
    names["deadline"] = 0.0
    with pytest.raises(names["TooSlow"], match="were simulated in time"):
        names["simulation"].run(names["state"], until=10.0, progress=names["watch"])


@pytest.mark.parametrize(
    "page", [path for path in sorted(DOCS.rglob("*.md")) if path.parent.name != "decisions"], ids=lambda path: path.stem
)
def test_every_name_of_mobod_in_a_page_exists(page):
    for name in re.findall(r"\bmb((?:\.[A-Za-z_]\w*)+)", page.read_text(encoding="utf-8")):
        value = mb
        for part in name.split(".")[1:]:
            value = getattr(value, part)


@pytest.mark.parametrize("chapter", sorted(DOCS.rglob("*.md")), ids=lambda path: path.name)
def test_every_link_of_a_chapter_leads_to_an_existing_file(chapter):
    for target in re.findall(r"\]\(([^)#]+)\)", chapter.read_text(encoding="utf-8")):
        assert target.startswith("https://") or (chapter.parent / target).exists(), target


@pytest.mark.slow
def test_the_chapter_on_joints_with_limits_runs_as_one_program(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    matplotlib.use("Agg")
    names = {"__name__": "joints_with_limits"}
    for block in re.findall(r"```python\n(.*?)```", page_of("joints_with_limits").read_text(encoding="utf-8"), re.DOTALL):
        exec(compile(block, "joints_with_limits.md", "exec"), names)

    assert "All hold." in capsys.readouterr().out
    x = [each[1] for each in names["history"]]
    assert max(map(abs, x)) < 0.2 + 0.05  # it is engaged after a step in which it passes its limit
    assert {each[3] for each in names["history"]} == {-1, 0, 1}  # free, and at both limits
    assert names["results"]["slider.q"].shape == (11, 2)
    kept = names["bounces"]["end.q"][:, 0]
    assert 0.199 < np.abs(kept).max() < 0.2 + 1e-7
    events = [(event.name, event.direction) for event in names["bounces"].events]
    assert events == [(f"end.{which}_limit_0", direction) for which in ("upper", "lower") for direction in (-1, 1)]  # met, and let go
    for path in ("slot.png", "limited.fmu"):
        assert (tmp_path / path).stat().st_size > 5000
    fmu, engaged = names["fmu"], names["bounces"]["end.limit_0.engaged"]
    assert np.abs(fmu["end.q[1]"] - kept).max() < 1e-6  # 100 times the accuracy
    assert (fmu["end.limit_0.engaged"] == engaged).all()
    assert set(engaged) == {-1, 0, 1}
    swing = names["swing"].events
    assert len(swing) > 1
    assert all(event.y_after[1] == pytest.approx(-0.4 * event.y_before[1], rel=1e-9) for event in swing)
    knock = names["knocks"].events[0]
    assert np.sin(knock.y_before[0]) == pytest.approx(0.3, abs=1e-8)
    assert knock.y_after[1] == pytest.approx(-0.5 * knock.y_before[1], rel=1e-9)
