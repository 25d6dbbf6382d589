"""Time events of an FMU for model exchange that are apart by round-off alone."""

import numpy as np
from numpy.testing import assert_allclose

import mobod as mb
from mobod.importer.fmu_model import FmuModel
from mobod.importer.run import FmuRun
from mobod.importer.start_values import StartValues

PERIODS = (0.1, 0.3)  # s: three times 0.1 is the next larger number after 0.3


def kicked_twice():
    """A mass whose speed grows by 1 m/s at each event of either period."""
    system = mb.MultibodySystem("kicked")
    matter = mb.MatterSubsystem(system)
    mass = mb.Slider(matter.ground, mb.MassProperties(1.5, [0, 0, 0], mb.Inertia(np.eye(3))), name="mass")
    for period in PERIODS:
        mb.PeriodicEventHandler.of(system, period, lambda state, event: mass.set_u(state, mass.u(state) + 1.0), name=f"kick of {period} s")
    return system, system.realize_topology()


def test_each_of_two_time_events_that_differ_by_round_off_takes_place(tmp_path):
    assert 3 * PERIODS[0] > PERIODS[1]
    system, state = kicked_twice()
    until = 0.35  # s
    path = mb.export_fmu(
        system, tmp_path / "kicked.fmu", fmi_version="3.0", outputs=["mass.u"], state=state, code="interpreted", reference=False
    )
    model = FmuModel(path)
    table = FmuRun(model, StartValues(model), outputs=["mass.u"], interface="model-exchange", until=until, report_every=until).run()
    kicks = [0.0, 0.0, 0.1, 0.2, 0.3, 0.3]  # s: both periods begin with an event at the start
    assert_allclose(table["mass.u"][-1], len(kicks), rtol=1e-12)
    assert_allclose(mb.Simulation(system, backend="interpreted").run(state, until).final_state.u, [len(kicks)], rtol=1e-12)
