"""Write joints by six functions, by measured data, and by a pose (seed 000, sections 3.4 and 3.5)."""

from dataclasses import dataclass

import numpy as np

import mobod as mb
from mobod import functions


@dataclass(frozen=True)
class TranslationEquations(mb.CustomEquations):
    """Three displacements along the axes of F. The pose is enough: H, its rate, N and the fitting of q are derived from it."""

    nq = 3
    q_units = ("m", "m", "m")

    def X_FM(self, q):
        return mb.Transform.of(np.eye(3), q)


ZERO, SAME = functions.Constant(0.0), functions.Linear([1, 0])


def turntable(parent, mass, name: str) -> mb.FunctionBased:
    """The first coordinate turns it about y, the second moves it along x. The six functions are three angles, then three displacements."""
    six, of = [ZERO, SAME, ZERO, SAME, ZERO, ZERO], [[], [0], [], [1], [], []]
    return mb.FunctionBased(parent, mass, functions=six, coordinate_indices=of, name=name)


def knee(parent, mass, name: str) -> mb.FunctionBased:
    """One angle; the displacement of the shin is given by splines through data, as for a measured knee."""
    angle = np.radians([-120, -100, -80, -60, -40, -20, 0, 10])
    x = functions.Spline.fit(angle, [-0.0032, 0.0018, 0.0041, 0.0041, 0.0021, -0.001, -0.0031, -0.0035], degree=5)
    y = functions.Spline.fit(angle, [-0.4226, -0.4082, -0.3990, -0.3976, -0.3966, -0.3954, -0.3960, -0.3965], degree=5)
    six, of = [ZERO, ZERO, SAME, x, y, ZERO], [[], [], [0], [0], [0], []]
    return mb.FunctionBased(parent, mass, functions=six, coordinate_indices=of, name=name)


def leg() -> mb.MultibodySystem:
    """A shin with a knee hangs from a thigh that turns and slides; a free ball is beside it."""
    system = mb.MultibodySystem("leg")
    matter = mb.MatterSubsystem(system)
    mb.Gravity(mb.ForceSubsystem(system), matter, down=[0, -1, 0], magnitude=9.80665, name="gravity")
    middle = [0.05, -0.2, 0.02]
    bone = mb.MassProperties(3.0, middle, mb.Inertia.cylinder(mass=3.0, radius=0.05, length=0.4, axis="y").shifted(middle))
    turntable(matter.ground, bone, "thigh").set_default_q([0.3, 0.1])
    knee(matter.body("thigh"), bone, "shin").set_default_q(-0.9)
    mb.CustomMobilizer(matter.ground, mb.MassProperties.point(0.5, [0, 0, 0]), TranslationEquations(), name="ball")
    return system


if __name__ == "__main__":
    system = leg()
    for name in ("shin", "ball"):
        print(mb.check_element(system.matter.body(name), n_states=2))
    results = mb.Simulation(system, accuracy=1e-10).run(system.realize_topology(), until=0.4)
    print(f"after 0.4 s: shin {results['shin.q'][-1]:.8f} rad, ball {results['ball.q'][-1].round(8)} m")
    print(f"energy {results['energy'][0]:.8f} J, then {results['energy'][-1]:.8f} J")
