"""A System with couplings gives the same results as an FMU of either kind and in mobod."""

import fmpy
import numpy as np
from numpy.testing import assert_allclose

import mobod as mb


class RackAndPinion(mb.Coupling):
    """C rolls along x of D: a user's coupling by its pose alone; radius in m."""

    def __init__(self, radius):
        self.radius = radius
        super().__init__()

    def initialize_constraints(self):
        for _ in range(5):
            self.add_constraint(self.BILATERAL | self.LINEAR | self.ROTARY)
        self.add_coordinate(name="angle", unit="rad")

    def coordinates_to_TCD(self, coordinates):
        c, s = np.cos(coordinates[0]), np.sin(coordinates[0])
        return mb.Transform(np.array([[c, -s, 0], [s, c, 0], [0, 0, 1]]), np.array([-self.radius * coordinates[0], 0, 0]))


def rolling():
    system = mb.MultibodySystem("rolling")
    matter, forces = mb.MatterSubsystem(system), mb.ForceSubsystem(system)
    mb.Gravity(forces, matter, down=[0.3, -1, 0], magnitude=9.81)
    com = [0.05, 0, 0]
    pinion = mb.RigidBody(mb.MassProperties(2.0, com, mb.Inertia.cylinder(mass=2.0, radius=0.2, length=0.1, axis="z").shifted(com)))
    wheel = mb.CouplingJoint(RackAndPinion(0.2), pinion, matter.ground, name="wheel")
    bob = mb.Free(matter.ground, pinion, name="bob")
    mb.CouplingJoint(mb.UniversalCoupling(), bob, wheel, X_BD=mb.Transform(p=[0.1, 0, 0]), X_AC=mb.Transform(p=[0, 0.3, 0]), name="hook")
    state = system.realize_topology()
    bob.set_q(state, [1, 0, 0, 0, 0.1, -0.3, 0])
    return system, state


def test_an_fmu_with_couplings_moves_as_the_simulation(tmp_path):
    system, state = rolling()
    fmu = mb.export_fmu(system, tmp_path / "rolling.fmu", kind="python", outputs=["wheel.q", "bob.p_GB"], state=state)
    expected = mb.Simulation(system, accuracy=1e-10).run(state, until=0.5, report_every=0.1)
    run = fmpy.simulate_fmu(str(fmu), stop_time=0.5, output_interval=0.1, relative_tolerance=1e-10)

    assert abs(expected["wheel.q"][-1] - expected["wheel.q"][0]) > 0.5  # it rolls
    assert_allclose(run["wheel.q"], expected["wheel.q"], atol=1e-7)  # 1000 times the accuracy
    assert_allclose(run["bob.p_GB[2]"], expected["bob.p_GB"][:, 1], atol=1e-7)
