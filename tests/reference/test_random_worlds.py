"""Random MJCF worlds have MuJoCo's numbers: mass matrices, biases, accelerations, actuator forces and sensors, and rigid equalities."""

import warnings
from pathlib import Path

import numpy as np
import pytest

import mobod as mb
from build_scripts.mjcf_comparison import differences, mass_matrix
from mobod.files.findings import Findings
from mobod.files.mjcf.compiled_names import CompiledNames
from mobod.files.mjcf.mujoco_package import mujoco
from mobod.files.mjcf.mujoco_state import mujoco_joints, set_mujoco_state, speeds_from_mujoco
from tests.reference.random_worlds import random_world

GROUPS = 12  # of seeds; each has 10


@pytest.fixture
def world(tmp_path):
    """Writes the file of a seed, and compiles it by MuJoCo."""

    def make(seed: int):
        path = tmp_path / f"world{seed}.xml"
        path.write_text(random_world(seed))
        return path, mujoco().MjModel.from_xml_path(str(path))

    return make


def seeds_of(group: int) -> range:
    return range(10 * group, 10 * group + 10)


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore::mobod.files.ModelFileWarning")
@pytest.mark.parametrize("group", range(GROUPS))
def test_random_worlds_have_the_numbers_of_mujoco(world, group):
    """To 1e-9 of the largest entry, or the condition of the mass matrix."""
    for seed in seeds_of(group):
        path, m = world(seed)
        if m.nv:
            found = differences(path, path.parent, m)
            assert found.is_equal, (seed, found)


@pytest.mark.slow
@pytest.mark.parametrize("group", range(GROUPS))
def test_rigid_equalities_of_random_worlds_bind_the_rows_of_mujocos(world, group):
    """At rest at qpos0, where connect and weld hold: a = a0 + M^-1 J^T l with J a = 0, of MuJoCo's J, to 1e-8."""
    mj, compared = mujoco(), 0
    for seed in seeds_of(group):
        path, m = world(seed)
        if not m.neq:
            continue
        m.opt.disableflags |= int(mj.mjtDisableBit.mjDSBL_LIMIT | mj.mjtDisableBit.mjDSBL_FRICTIONLOSS)
        m.opt.jacobian = mj.mjtJacobian.mjJAC_DENSE
        data = mj.MjData(m)
        mj.mj_forward(m, data)
        J, M = np.array(data.efc_J).reshape(-1, m.nv)[: data.ne], mass_matrix(mj, m, data)
        rows = np.linalg.solve(M, J.T)
        wanted = data.qacc_smooth - rows @ np.linalg.lstsq(J @ rows, J @ data.qacc_smooth, rcond=1e-10)[0]
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", mb.ModelFileWarning)
            system = mb.load_mjcf(path, limits="ignore", friction="ignore", sensors=False)
        joints, state = mujoco_joints(m, CompiledNames(m, Findings(Path("model"), strict=False)), system), system.realize_topology()
        set_mujoco_state(state, joints, data.qpos, data.qvel)
        system.realize(state, mb.Stage.ACCELERATION)
        T = speeds_from_mujoco(state, joints, data.qpos, m.nv)
        u_dot = np.concatenate([np.atleast_1d(body.u_dot(state)) for body in system.matter.bodies])
        np.testing.assert_allclose(
            np.linalg.solve(T, u_dot), wanted, rtol=0, atol=1e-8 * np.abs(data.qacc_smooth).max(), err_msg=f"seed {seed}"
        )
        compared += 1
    assert compared
