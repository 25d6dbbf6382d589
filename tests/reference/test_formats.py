"""MJCF files that were written for mobod have MuJoCo's numbers: data/formats, by the public loader."""

import json
from pathlib import Path

import numpy as np
import pytest

from tests.reference.check import reports
from tests.reference.test_sdf import MJCF, SDF

DATA = Path(__file__).parent / "data" / "formats"


@pytest.mark.parametrize("model", ["actuators", "defaults", "joints", "loops", "sensors", "tendons"])
def test_a_loaded_model_has_the_numbers_of_mujoco(model):
    for report in reports(DATA / f"{model}.json", None):
        assert report.ok, (report.name, report.worst, report.not_compared, report.trouble)
        assert len(report.compared) >= 4  # joints, mass matrix, forces, accelerations


LIMIT_SENSORS = ("place", "rate", "length", "pull")
LIMITED = """<mujoco><worldbody>
  <body><joint name="a" axis="0 1 0" limited="true" range="-10 20" margin="0.1"/><geom size="0.1" pos="0.3 0 0"/>
    <body pos="0.5 0 0"><joint name="b" axis="0 0 1"/><geom size="0.1" pos="0.3 0.1 0"/></body></body>
</worldbody>
<tendon><fixed name="both" limited="true" range="-0.2 0.5" margin="0.05">
  <joint joint="a" coef="1"/><joint joint="b" coef="0.7"/></fixed></tendon>
<sensor><jointlimitpos name="place" joint="a"/><jointlimitvel name="rate" joint="a"/>
  <tendonlimitpos name="length" tendon="both"/><tendonlimitvel name="pull" tendon="both"/></sensor></mujoco>"""


def mujoco_model(text):
    import mujoco

    return mujoco.MjModel.from_xml_string(text)


def new_data(model):
    import mujoco

    return mujoco.MjData(model)


def numbers_of(model, data, **more):
    """A state of a file of this schema, by MuJoCo."""
    import mujoco

    mujoco.mj_forward(model, data)
    full = np.zeros((model.nv, model.nv))
    mujoco.mj_fullM(model, data, full)
    state = {"time": 0.0, "qpos": data.qpos, "qvel": data.qvel, "mass_matrix": full, "qacc_smooth": data.qacc_smooth}
    state |= {"qfrc_bias": data.qfrc_bias, "qfrc_passive": data.qfrc_passive, **more}
    return {key: np.array(value).tolist() if not isinstance(value, dict) else value for key, value in state.items()}


def written(path, model, states):
    """The path of a file of this schema."""
    import mujoco

    kinds = ("free", "ball", "slide", "hinge")
    joints = [(model.joint(j).name, kinds[model.jnt_type[j]], model.jnt_qposadr[j], model.jnt_dofadr[j]) for j in range(model.njnt)]
    entries = [{"joint": name, "type": kind, "qpos_at": int(q), "qvel_at": int(dof)} for name, kind, q, dof in joints]
    content = {"model": path.stem, "mujoco": mujoco.__version__, "joints": entries, "states": states}
    path.write_text(json.dumps(content), encoding="utf-8")
    return path


@pytest.mark.parametrize("names", ["as in SDF", "others"])
def test_universal_ball_and_screw_joints_of_an_sdf_file_are_compared(tmp_path, names):
    """The screw is a hinge and a slide in MuJoCo, whose numbers are reduced to one coordinate; joints with other names go by their kind."""
    (tmp_path / "crane.sdf").write_text(SDF, encoding="utf-8")
    c, s = np.cos(0.6), np.sin(0.6)
    axis2, nut = f"{-0.8 * s} {0.8 * c} 0.6", f"0 {-0.1 * np.sin(0.3)} {-0.1 * np.cos(0.3)}"
    text = MJCF.format(axis2=axis2, nut=nut)
    if names == "others":
        text = text.replace('"cross_1"', '"first"').replace('"cross_2"', '"second"').replace('"swivel"', '"sphere"')
    model, rng, pitch, states = mujoco_model(text), np.random.default_rng(7), 0.05 / (2 * np.pi), []
    data, T = new_data(model), np.zeros((7, 6))
    T[:5, :5], T[5:, 5] = np.eye(5), [pitch, 1.0]
    for _ in range(2):
        turn, rate, e = *rng.uniform(-2, 2, 2), rng.normal(size=4)
        data.qpos[:] = [*rng.uniform(-1, 1, 2), *(e / np.linalg.norm(e)), pitch * turn, turn]
        data.qvel[:] = [*rng.uniform(-2, 2, 5), pitch * rate, rate]
        state = numbers_of(model, data)
        M = T.T @ state["mass_matrix"] @ T
        force = np.array(state["qfrc_passive"]) - state["qfrc_bias"]
        states.append(state | {"reduced": {"mass_matrix": M.tolist(), "qacc": np.linalg.solve(M, T.T @ force).tolist()}})
    found = list(reports(written(tmp_path / "crane.json", model, states), None))
    assert [(report.ok, report.trouble, report.not_compared) for report in found] == [(True, None, [])] * 2
    assert {each.quantity for each in found[0].compared} >= {"qacc_smooth", "reduced: mass_matrix", "reduced: qacc"}

    states[0]["reduced"]["mass_matrix"][4][5] += 1e-6
    (report,) = reports(written(tmp_path / "crane.json", model, states[:1]), None)
    assert [each.quantity for each in report.compared if each.error > each.tolerance] == ["reduced: mass_matrix"]


def test_distances_from_limits_are_compared(tmp_path):
    """A sensor shows 0 as long as the limit is farther away than its margin."""
    (tmp_path / "arm.xml").write_text(LIMITED, encoding="utf-8")
    model, states = mujoco_model(LIMITED), []
    data = new_data(model)
    for q in (-0.2, -0.1, 0.1, 0.3, 0.36):
        data.qpos[:], data.qvel[:] = [q, 0.3 * q], [0.4, -0.7]
        state = numbers_of(model, data)
        states.append(state | {"sensors": {name: [float(data.sensor(name).data[0])] for name in LIMIT_SENSORS}})
    path = written(tmp_path / "arm.json", model, states)
    for report in reports(path, None):
        assert report.ok, (report.name, report.worst, report.not_compared, report.trouble)
        assert {f"sensor: {name}" for name in LIMIT_SENSORS} <= {each.quantity for each in report.compared}
    states[0]["sensors"]["place"][0] += 1e-6
    states[2]["sensors"]["rate"][0] = 0.4
    wrong = [
        [each.quantity for each in report.compared if each.error > each.tolerance] for report in reports(written(path, model, states), None)
    ]
    assert wrong == [["sensor: place"], [], ["sensor: rate"], [], []]
