"""Pages as text: what they contain, what they refuse, and where they come from."""

import html
import json
import re

import numpy as np
import pytest

import mobod as mb
from mobod.scene import make_scene
from mobod.scene.poses import poses, poses_over_time
from mobod.simulate import Table
from mobod.viewer import three
from mobod.viewer.frames import MOST_FRAMES, chosen_frames
from mobod.viewer.run_page import run_page
from mobod.viewer.table_page import scene_variables, table_page
from tests.view.mechanisms import ball, double_pendulum, from_example


@pytest.fixture(scope="module")
def results():
    return double_pendulum()


def data_of(page):
    return json.loads(re.search(r'<script type="application/json" id="data">(.*?)</script>', page, re.DOTALL)[1])


@pytest.mark.slow
def test_a_page_asks_for_nothing_and_may_ask_for_nothing(results):
    page = run_page(results)
    assert "default-src 'none'" in page
    assert not re.search(r"""(src|href)=["'](?!data:)""", page)
    assert "@import" not in page
    assert "url(" not in page


def test_names_cannot_end_the_script_that_contains_them():
    system = mb.MultibodySystem("</script><script>alert(1)</script>")
    matter = mb.MatterSubsystem(system)
    mb.Slider(matter.ground, mb.MassProperties.point(1.0, [0, 0, 0]), name="<b>")
    results = mb.Simulation(system, backend="interpreted").run(system.realize_topology(), 0.1, 0.1)
    page = run_page(results)
    assert "alert(1)</script>" not in page
    assert data_of(page)["title"] == system.name
    assert data_of(page)["scene"]["bodies"][1]["name"] == "<b>"


def test_the_data_of_a_run(results):
    data = data_of(run_page(results, "lower.p_GB", title="two rods"))
    assert data["title"] == "two rods"
    assert data["times"] == results.time.tolist()
    assert [each["name"] for each in data["scene"]["bodies"]] == ["ground", "upper", "lower"]
    assert [each["name"] for each in data["series"] if each["isShown"]] == ["lower.p_GB[1]", "lower.p_GB[2]", "lower.p_GB[3]"]
    assert {"upper.q", "lower.u"} <= {each["name"] for each in data["series"]}
    assert {each["unit"] for each in data["series"]} == {"m", "rad", "rad/s"}
    assert [(each["kind"], each["label"]) for each in data["arrows"]] == [("reaction", "Reactions at joints"), ("force", "Force spring")]
    assert data["centers"] == [[0, 0, 0], [0, -0.5, 0], [0, -0.5, 0]]


def test_forces_of_round_off_size_have_no_arrows_and_no_scale():
    system = mb.MultibodySystem("level")
    matter, forces = mb.MatterSubsystem(system), mb.ForceSubsystem(system)
    mb.Gravity(forces, matter, down=[0, -1, 0])
    rod = mb.Pin(matter.ground, mb.MassProperties(1.0, [0, -0.5, 0], mb.Inertia.point(mass=1.0, p=[0, -0.5, 0])), name="rod")
    for name, push in (("noise", 1e-15), ("faint", 1e-6)):
        mb.ConstantForce(forces, rod, station=[0, -1, 0], force=[push, 0, 0], name=name)
    page = data_of(run_page(mb.Simulation(system, backend="interpreted").run(system.realize_topology(), 0.1, 0.05)))
    assert [each["label"] for each in page["arrows"]] == ["Reactions at joints", "Force faint"]
    assert page["usual"]["N"] == pytest.approx(9.81)
    assert page["usual"]["rad/s"] == pytest.approx(np.sqrt(9.81 / 0.5), rel=0.5)  # of the size of the drawn rod


def test_all_times_are_shown_unless_there_are_too_many():
    few = np.linspace(0, 1, 50)
    assert chosen_frames(few).tolist() == list(range(50))
    many = np.sort(np.concatenate([np.linspace(0, 1, 4 * MOST_FRAMES), [0.31234, 0.31234]]))
    chosen = chosen_frames(many)
    assert len(chosen) <= MOST_FRAMES + 4
    assert chosen[0] == 0
    assert chosen[-1] == len(many) - 1
    assert (many[chosen] == 0.31234).sum() == 2
    with pytest.raises(mb.errors.InputError, match="no report times"):
        chosen_frames(np.array([]))


def test_a_system_without_bodies_has_no_page():
    system = mb.MultibodySystem("empty")
    mb.MatterSubsystem(system)
    results = mb.Simulation(system, backend="interpreted").run(system.realize_topology(), 0.1, 0.1)
    with pytest.raises(mb.errors.InputError, match="'empty' has no bodies"):
        results.animate("empty.html")
    assert results._repr_html_() is None
    assert system._repr_html_() is None


def test_animate_writes_a_page_and_knows_its_formats(results, tmp_path):
    results.animate(tmp_path / "run.html", "lower.q")
    assert (tmp_path / "run.html").read_text(encoding="utf-8") == run_page(results, "lower.q")
    with pytest.raises(mb.errors.InputError, match=r"\.html, \.png or \.mp4"):
        results.animate(tmp_path / "run.gif")
    with pytest.raises(mb.errors.InputError, match="speed is 0"):
        results.animate(tmp_path / "run.mp4", speed=0)
    with pytest.raises(mb.errors.UnknownNameError, match=r"lower\.q"):
        results.animate(tmp_path / "other.html", "lower.qq")
    assert not (tmp_path / "other.html").exists()


def test_notebooks_show_results_states_and_systems(results):
    for shown in (results, results.final_state, results.system):
        frame = shown._repr_html_()
        page = html.unescape(re.search(r'srcdoc="(.*)"></iframe>', frame, re.DOTALL)[1])
        assert data_of(page)["scene"]["bodies"][2]["name"] == "lower"
        assert 'sandbox="allow-scripts"' in frame
    assert mb.State(results.system)._repr_html_() is None  # before MODEL it has no coordinates


@pytest.mark.parametrize(
    "make", [double_pendulum, ball, lambda: from_example("08_custom_joints.py", "leg")], ids=["pins", "ball", "functions"]
)
def test_programs_of_joints_over_time_are_those_of_each_time(make):
    results = make()
    scene = json.loads(make_scene(results.system, results.final_state).to_json())
    values = {name: results[name.partition("[")[0]].reshape(len(results.time), -1)[:, _entry(name)] for name in scene_variables(scene)}
    R, p = poses_over_time(scene, values, len(results.time))
    for frame in (0, 7, -1):
        for body, X_GB in enumerate(poses(scene, {name: each[frame] for name, each in values.items()})):
            np.testing.assert_allclose(R[body, frame], X_GB.R, rtol=0, atol=1e-14)
            np.testing.assert_allclose(p[body, frame], X_GB.p, rtol=0, atol=1e-14)


def _entry(name):
    return int(name.partition("[")[2].rstrip("]") or 1) - 1


def test_a_result_file_of_an_fmu_moves_its_bodies(results):
    scene = json.loads(make_scene(results.system, results.final_state).to_json())
    data = data_of(table_page(results.table("upper.q", "lower.q"), scene, (), "fmu"))
    assert len(data["scene"]["bodies"]) == 3
    assert isinstance(data["poses"][2], dict)
    with pytest.raises(mb.errors.InputError, match=r"Record them: --output upper\.q"):
        table_page(results.table("upper.u"), scene)


def test_a_result_file_without_a_scene_is_plotted():
    time = np.linspace(0, 1, 11)
    data = data_of(table_page(Table(time, {"v": time**2, "w": -time}, {"v": "V"}), None, ("w",)))
    assert data["scene"] is None
    assert [(each["name"], each["unit"], each["isShown"]) for each in data["series"]] == [("v", "V", False), ("w", "1", True)]


def test_another_three_js_is_refused(results, monkeypatch):
    monkeypatch.setattr(three, "_HASH", "0" * 64)
    with pytest.raises(mb.errors.UnsupportedError, match=r"three\.js r140.*pip install"):
        run_page(results)
