"""A bracket from a mesh of tetrahedra carries a sensor on a shaker: its modes as a page, and an FMU. Needs the extra fem."""

from pathlib import Path

import mobod as mb

MESH = Path(__file__).with_name("bracket.msh")  # in mm, with the groups of faces 'base' and 'top'


def bracket_on_shaker() -> tuple[mb.MultibodySystem, mb.MobilizedBody]:
    """The System, and the table of the shaker."""
    aluminium = mb.Material(E=7e10, nu=0.33, density=2700)
    modal = mb.ModalData.from_solid(MESH, aluminium, {"base": "base", "top": "top"}, inboard="base", scale=1e-3, modes=4)
    print(modal.report())
    system = mb.MultibodySystem("bracket_on_shaker")
    system.set_up_direction([0, 0, 1])
    matter, forces = mb.MatterSubsystem(system), mb.ForceSubsystem(system)
    table = mb.Slider(matter.ground, mb.MassProperties.point(5.0, [0, 0, 0]), name="table")
    bracket = mb.Weld(table, mb.FlexibleBody(modal, damping_ratio=0.01), name="bracket")
    mb.Weld(bracket.interface("top"), mb.MassProperties.point(0.2, [0, 0, 0]), name="sensor")
    mb.MobilityLinearSpring(forces, table, stiffness=2e4, name="suspension")
    mb.MobilityForce(forces, table, name="shaker")
    return system, table


def main() -> None:
    system, table = bracket_on_shaker()
    state = system.realize_topology()
    still = state.copy()
    table.lock(still)
    modes = system.modes(still, damped=False)
    print(f"on a table that stands: {modes.frequencies_hz[0]:.1f} Hz")
    mb.animate_modes(system, still, "bracket_modes.html", modes)
    outputs = ["table.q", "bracket.top.deflection", "sensor.a_GB"]
    mb.export_fmu(system, "bracket.fmu", inputs=["shaker.force"], outputs=outputs, state=state)


if __name__ == "__main__":
    main()
