"""mobod against the rigid motion of a parallelogram that is known exactly: data/couplings/exact_four_bar.json."""

import numpy as np
import pytest
from numpy.testing import assert_allclose

import mobod as mb
from tests.reference.stops import read

LENGTH, COUPLER = 0.8, 59.77715406501445  # m of the links, kg
GRAVITY = 9.8


def parallelogram(I, G, c):
    """Two links that hang from pins and carry a bar that keeps its orientation; of the eight rows two are independent, everywhere."""
    system = mb.MultibodySystem("parallelogram")
    matter, forces = mb.MatterSubsystem(system), mb.ForceSubsystem(system)
    mb.Gravity(forces, matter, down=[0, -1, 0], magnitude=GRAVITY)
    inertia = (I - COUPLER * LENGTH**2) / 2  # of each link about its pin
    mass = 89.66573109752164
    com = (G / GRAVITY - COUPLER * LENGTH) / (2 * mass)
    link = mb.MassProperties(mass, [com, 0, 0], np.diag([inertia / 10, inertia, inertia]))
    bar = mb.MassProperties(COUPLER, [0, 0, 0], mb.Inertia.cylinder(mass=COUPLER, radius=0.05, length=0.6, axis="y"))
    upper = mb.Pin(matter.ground, link, X_PF=mb.Transform(p=[0, 0.3, 0]), name="upper")
    lower = mb.Pin(matter.ground, link, X_PF=mb.Transform(p=[0, -0.3, 0]), name="lower")
    coupler = mb.Pin(upper, bar, X_PF=mb.Transform(p=[LENGTH, 0, 0]), X_BM=mb.Transform(p=[0, 0.3, 0]), name="coupler")
    mb.ConstantOrientation(matter.ground, np.eye(3), coupler, np.eye(3), name="upright")
    mb.CouplingJoint(
        mb.HingeCoupling(), coupler, lower, X_AC=mb.Transform(p=[0, -0.3, 0]), X_BD=mb.Transform(p=[LENGTH, 0, 0]), name="closure"
    )
    mb.MobilityLinearDamper(forces, upper, speed=0, damping=c)
    return system


@pytest.mark.parametrize("backend", ["vm", "native"])
def test_a_parallelogram_with_redundant_rows_moves_as_its_one_equation_says(backend):
    exact = read("exact_four_bar")
    system = parallelogram(exact["I"], exact["G"], exact["c"])
    state = system.realize_topology()
    system.realize(state, mb.Stage.ACCELERATION)
    analysis = system.matter.analyze_constraints(state)

    results = mb.Simulation(system, accuracy=1e-10, backend=backend).run(state, until=exact["t"][-1], report_every=0.01)

    assert (len(analysis.rows), analysis.rank) == (8, 2)
    assert_allclose(results.time, exact["t"], atol=1e-12)
    # within the long steps of DOP853 rows of 1e-3 and less of what they are elsewhere spoil the interpolated speeds by 4e-6 rad/s
    compared = slice(None) if backend == "native" else slice(-1, None)
    assert_allclose(-results["upper.q"][compared], exact["phi"][compared], atol=1e-8)
    assert_allclose(-results["upper.u"][compared], exact["phid"][compared], atol=1e-7)  # speeds of some 5 rad/s
