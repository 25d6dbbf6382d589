"""Bodies that bend: accelerations by the number of modes, beside a rigid body, and a communication step of the FMU of a wind turbine."""

from functools import partial

import numpy as np

import mobod as mb
from benchmarks.evaluations import in_c
from benchmarks.fmus import stepping_fmu
from benchmarks.harness import Bench, Columns, case

GROUP = "flexible bodies"
STEEL = mb.Material(E=2.1e11, nu=0.3, density=7850.0)
GLASS = mb.Material(E=4e10, nu=0.25, density=1900.0)
Model = tuple[mb.MultibodySystem, mb.State]
_LOAD = mb.MassProperties(2.0, [0, -0.1, 0.05], mb.Inertia.box(mass=2.0, size=[0.1, 0.2, 0.1]).shifted([0, -0.1, 0.05]))


@case(GROUP, "{} modes, constant inertia", 4, 8, 12, 16, 30, 60, 100, short=(4, 20), peers=("rigid",))
def constant_inertia(bench: Bench, n: int) -> Columns:
    return _beside_rigid(bench, mb.FlexibleBody(_beam(n, stiffens=False).modal))


@case(GROUP, "a beam of {} modes with shapes of second order", 4, 8, 12, short=(4,), peers=("rigid",))
def second_order(bench: Bench, n: int) -> Columns:
    return _beside_rigid(bench, _beam(n, stiffens=True))


@case(GROUP, "a wind turbine: 10 ms as an FMU")
def turbine(bench: Bench) -> Columns:
    """By its own choice of the integrator, at the default accuracy."""
    system, state = wind_turbine()
    return {"compiled": partial(stepping_fmu, bench, system, state, ["generator.u", "tower.end.deflection"], 0.01)}


def wind_turbine() -> Model:
    """A tower of 60 m with 4 modes, three blades of 40 m with 8 modes each, and a drive train: hub, shaft that twists, generator."""
    system = mb.MultibodySystem("wind turbine")
    matter, forces = mb.MatterSubsystem(system), mb.ForceSubsystem(system)
    mb.Gravity(forces, matter, down=[0, 0, -1], magnitude=9.81)
    tubes = [mb.Section.tube(r, r - 0.02) for r in (1.8, 1.6, 1.4, 1.2)]
    tower = mb.Weld(matter.ground, mb.FlexibleBeam(60.0, tubes, STEEL, axis="z", modes=4, damping_ratio=0.01), name="tower")
    mass = mb.MassProperties(6e4, [0, 0, 1.0], mb.Inertia.box(mass=6e4, size=[8.0, 3.0, 3.0]).shifted([0, 0, 1.0]))
    nacelle = mb.Weld(tower.interface("end"), mass, name="nacelle")
    along_x = np.array([[0.0, 0, 1], [0, 1, 0], [-1, 0, 0]])  # a frame whose z axis is x of the nacelle
    disc = mb.MassProperties(1.5e4, [0, 0, 0], mb.Inertia.cylinder(mass=1.5e4, radius=1.2, length=1.5, axis="z"))
    hub = mb.Pin(nacelle, disc, X_PF=mb.Transform(along_x, [4.5, 0, 1.5]), name="hub")
    rotor = mb.MassProperties(500.0, [0, 0, 0], mb.Inertia(np.diag([1e6, 1e6, 2e6])))  # as the slow shaft feels it behind the gear
    generator = mb.Pin(hub, rotor, name="generator")
    mb.MobilityLinearSpring(forces, generator, stiffness=2e7, q_zero=0.0, name="shaft")
    mb.MobilityLinearDamper(forces, generator, damping=1e5, name="damper of the shaft")
    mb.MobilityLinearDamper(forces, hub, damping=2e5, name="load")
    mb.MobilityConstantForce(forces, hub, force=4e5, name="wind")
    sections = [mb.Section.rectangle(width, 0.25 * width) for width in (2.4, 1.8, 1.2, 0.6)]
    for i in range(3):
        blade = mb.FlexibleBeam(40.0, sections, GLASS, modes=8, damping_ratio=0.01)
        angle = 2 * np.pi * i / 3
        out = np.array([[np.cos(angle), -np.sin(angle), 0], [np.sin(angle), np.cos(angle), 0], [0, 0, 1]])
        mb.Weld(hub, blade, X_PF=mb.Transform(out, out @ [1.2, 0, 0]), name=f"blade{i}")
    state = system.realize_topology()
    hub.set_u(state, 1.5)
    return system, state


def _beam(n: int, *, stiffens: bool) -> mb.FlexibleBeam:
    return mb.FlexibleBeam(2.0, mb.Section.circle(0.02), STEEL, modes=n, elements=24, geometric_stiffening=stiffens)


def _beside_rigid(bench: Bench, body: mb.FlexibleBody) -> Columns:
    rigid = mb.RigidBody(body.modal.mass_properties)
    return {"flexible": partial(in_c, bench, *_arm(body)), "rigid": partial(in_c, bench, *_arm(rigid))}


def _arm(body: mb.FlexibleBody | mb.RigidBody) -> Model:
    """The body on a pin, with a load on its end by another one."""
    system = mb.MultibodySystem("arm")
    matter = mb.MatterSubsystem(system)
    mb.Gravity(mb.ForceSubsystem(system), matter, down=[0, -1, 0], magnitude=9.81)
    arm = mb.Pin(matter.ground, body, name="arm")
    if isinstance(body, mb.FlexibleBody):
        mb.Pin(arm.interface("end"), _LOAD, name="load")
    else:
        mb.Pin(arm, _LOAD, X_PF=mb.Transform(p=[2.0, 0, 0]), name="load")
    return system, system.realize_topology()
