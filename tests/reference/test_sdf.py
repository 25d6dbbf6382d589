"""A model in SDF has MuJoCo's numbers: data/formats/sdf_frames, and models that were written in both formats by hand."""

import json
from pathlib import Path

import numpy as np
import pytest
from numpy.testing import assert_allclose

import mobod as mb
from mobod.spatial import from_quaternion
from tests.unit.files.sdf_files import loaded, written

DATA = Path(__file__).parent / "data" / "formats"
CLOSE = 1e-9  # of the largest number: the reference's own


def close(found, expected):
    expected = np.array(expected)
    assert_allclose(found, expected, rtol=0, atol=CLOSE * np.abs(expected).max())


@pytest.mark.parametrize("case", range(3))
def test_frames_axes_and_springs_of_an_sdf_file(case):
    reference = json.loads((DATA / "sdf_frames.json").read_text(encoding="utf-8"))
    expected, (system, _) = reference["states"][case], loaded(DATA / "sdf_frames.sdf")
    state = system.realize_topology()
    for entry in reference["joints"]:
        system.matter.body(entry["joint"]).set_q(state, expected["qpos"][entry["qpos_at"]])
        system.matter.body(entry["joint"]).set_u(state, expected["qvel"][entry["qvel_at"]])
    system.realize(state, mb.Stage.ACCELERATION)
    close(system.matter.mass_matrix(state), expected["mass_matrix"])
    close(state.u_dot, expected["qacc_smooth"])
    for body, joint in (("base", "fix"), ("arm", "shoulder"), ("slider", "slide")):
        X = system.matter.body(joint).X_GB(state)
        close(X.p, expected["xpos"][body])
        close(X.R, from_quaternion(expected["xquat"][body]))


SDF = """<?xml version="1.0"?>
<sdf version="1.11">
  <model name="crane" canonical_link="base">
    <pose>0.2 -0.1 0.4 0.1 0.2 0.3</pose>
    <link name="base"><inertial><mass>3</mass><inertia><ixx>0.1</ixx><iyy>0.1</iyy><izz>0.1</izz></inertia></inertial></link>
    <link name="boom"><pose>0.3 0 0.2 0 0.4 0</pose><inertial><pose>0.2 0.05 0 0 0 0</pose><mass>1.4</mass>
      <inertia><ixx>0.02</ixx><iyy>0.03</iyy><izz>0.04</izz></inertia></inertial></link>
    <link name="load"><pose relative_to="boom">0.5 0 0 0.2 0 0</pose><inertial><pose>0 0.03 -0.1 0 0 0</pose><mass>0.8</mass>
      <inertia><ixx>0.005</ixx><iyy>0.006</iyy><izz>0.004</izz></inertia></inertial></link>
    <model name="tool" placement_frame="grip"><pose relative_to="load">0 0 -0.3 0 0 0.5</pose>
      <link name="nut"><inertial><pose>0.02 0 0 0 0 0</pose><mass>0.5</mass>
        <inertia><ixx>0.002</ixx><iyy>0.003</iyy><izz>0.001</izz></inertia></inertial></link>
      <frame name="grip" attached_to="nut"><pose>0 0 0.1 0.3 0 0</pose></frame>
    </model>
    <joint name="fix" type="fixed"><parent>world</parent><child>base</child></joint>
    <joint name="cross" type="universal"><pose>-0.1 0 0 0 0 0.6</pose><parent>base</parent><child>boom</child>
      <axis><xyz>0 0 1</xyz><dynamics><damping>0.3</damping></dynamics></axis><axis2><xyz>0 0.8 0.6</xyz></axis2></joint>
    <joint name="swivel" type="ball"><pose>0 0 0.1 0 0 0</pose><parent>boom</parent><child>load</child></joint>
    <joint name="thread" type="screw"><parent>load</parent><child>tool::grip</child><axis><xyz expressed_in="load">0 0 1</xyz></axis>
      <screw_thread_pitch>0.05</screw_thread_pitch></joint>
  </model>
</sdf>
"""
# the same by hand. The nut's frame: grip lies at 0 0 -0.3, 0 0 0.5 of the load; the nut is at the inverse of grip's pose from there
MJCF = """<mujoco>
  <compiler angle="radian" eulerseq="XYZ"/>
  <option gravity="0 0 -9.8"/>
  <worldbody><body name="base" pos="0.2 -0.1 0.4" euler="0.1 0.2 0.3"><inertial pos="0 0 0" mass="3" diaginertia="0.1 0.1 0.1"/>
    <body name="boom" pos="0.3 0 0.2" euler="0 0.4 0"><inertial pos="0.2 0.05 0" mass="1.4" diaginertia="0.02 0.03 0.04"/>
      <joint name="cross_1" pos="-0.1 0 0" axis="0 0 1" damping="0.3"/>
      <joint name="cross_2" pos="-0.1 0 0" axis="{axis2}"/>
      <body name="load" pos="0.5 0 0" euler="0.2 0 0"><inertial pos="0 0.03 -0.1" mass="0.8" diaginertia="0.005 0.006 0.004"/>
        <joint name="swivel" type="ball" pos="0 0 0.1"/>
        <body name="grip" pos="0 0 -0.3" euler="0 0 0.5"><joint name="slide" type="slide" axis="0 0 1"/><joint name="turn" axis="0 0 1"/>
          <body name="nut" pos="{nut}" euler="-0.3 0 0"><inertial pos="0.02 0 0" mass="0.5" diaginertia="0.002 0.003 0.001"/></body>
        </body></body></body></body></worldbody>
</mujoco>
"""


@pytest.mark.slow
def test_universal_ball_and_screw_joints_have_the_dynamics_of_a_model_by_hand(tmp_path):
    import mujoco

    c, s = np.cos(0.6), np.sin(0.6)
    axis2 = [-0.8 * s, 0.8 * c, 0.6]  # 0 0.8 0.6 in the frame of the joint, which is turned by 0.6 about z of the boom
    nut = -0.1 * np.array([0, np.sin(0.3), np.cos(0.3)])  # -R^T p of grip's pose: R about x by 0.3
    model = mujoco.MjModel.from_xml_string(
        MJCF.format(axis2=" ".join(map(repr, map(float, axis2))), nut=" ".join(map(repr, map(float, nut))))
    )
    data = mujoco.MjData(model)
    system, _ = loaded(written(tmp_path, SDF))
    state = system.realize_topology()
    rng = np.random.default_rng(5)
    for _ in range(3):
        angles, turn = rng.uniform(-1, 1, 2), rng.uniform(-2, 2)
        e = rng.normal(size=4)
        e /= np.linalg.norm(e)
        speeds, w, rate = rng.uniform(-2, 2, 2), rng.uniform(-2, 2, 3), rng.uniform(-2, 2)
        pitch = 0.05 / (2 * np.pi)
        data.qpos[:] = [*angles, *e, pitch * turn, turn]
        data.qvel[:] = [*speeds, *w, pitch * rate, rate]
        mujoco.mj_forward(model, data)
        full = np.zeros((7, 7))
        mujoco.mj_fullM(model, full, data.qM) if _old(mujoco) else mujoco.mj_fullM(model, data, full)
        T = np.zeros((7, 6))  # of all speeds by those of the screw as one coordinate
        T[:5, :5], T[5:, 5] = np.eye(5), [pitch, 1.0]
        M = T.T @ full @ T
        acceleration = np.linalg.solve(M, T.T @ (data.qfrc_passive - data.qfrc_bias))
        R = from_quaternion(e)
        to_mobod = np.eye(6)  # MuJoCo's speeds of a ball are in its body, mobod's in its parent
        to_mobod[2:5, 2:5] = R
        for name, q, u in (
            ("cross_1", angles[0], speeds[0]),
            ("cross_2", angles[1], speeds[1]),
            ("swivel", e, R @ w),
            ("thread", turn, rate),
        ):
            system.matter.body(name).set_q(state, q)
            system.matter.body(name).set_u(state, u)
        system.realize(state, mb.Stage.ACCELERATION)
        found = np.concatenate(
            [np.atleast_1d(system.matter.body(name).u_dot(state)) for name in ("cross_1", "cross_2", "swivel", "thread")]
        )
        close(found, to_mobod @ acceleration)
        order = np.concatenate(
            [np.atleast_1d(system.matter.body(n).my_part_u(state, np.arange(6))) for n in ("cross_1", "cross_2", "swivel", "thread")]
        )
        mass_matrix = system.matter.mass_matrix(state)[np.ix_(order.astype(int), order.astype(int))]
        close(to_mobod.T @ mass_matrix @ to_mobod, M)


def _old(mujoco):
    """Whether the arguments of mj_fullM are those before version 4."""
    return int(mujoco.__version__.split(".")[0]) < 4
