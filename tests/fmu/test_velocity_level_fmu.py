"""FMUs with fixed steps at velocity level: they agree with the Simulation, save the engagement, and refuse unsupported Systems."""

import ctypes
import xml.etree.ElementTree as ET
import zipfile

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

import mobod as mb
from mobod.acceptance import validate_fmu
from mobod.cosim import FmuFile
from mobod.cosim.saved_state import SavedState
from mobod.errors import FmuError, InputError, UnsupportedError
from tests.fmu.stepped import start, walk, walked_thrice
from tests.fmu.test_python_fmu import Lagging
from tests.reference.stops import bouncing_ball, hinge_with_stop, read, slotted_hinge

PARAMS = read("exact_custom_joint_demo_e0")["params"]
STEP = 0.004
TIMES = np.arange(0, 2.401, 0.02)
SHOWN = ("engaged", "force", "distance", "impulse")
NAMES = ["hinge.q[1]", "hinge.q[2]", "hinge.u[1]", "hinge.u[2]", *(f"hinge.limit_0.{name}" for name in SHOWN)]
OUTPUTS = ["hinge.q", "hinge.u", *NAMES[4:]]
HINGE = {"g": 9.8, "mass": 2.0, "com_dist": 0.5, "I_pivot": 0.7, "theta0": 0.1, "theta_max": 0.9}


def export(system, path, rule="artisynth", outputs=(), **options):
    return FmuFile(mb.export_fmu(system, path, integrator="velocity_level", step=STEP, engagement=rule, outputs=outputs, **options))


@pytest.fixture(scope="module")
def slotted(tmp_path_factory):
    return export(slotted_hinge(PARAMS)[0], tmp_path_factory.mktemp("slot") / "slot.fmu", outputs=OUTPUTS)


def simulated(system, state, times, names, rule, **options):
    """Runs from each time to the next, as an FMU steps, so that all steps end at exactly the same times."""
    simulation = mb.Simulation(system, integrator="velocity_level", step=STEP, engagement=rule, backend="interpreted", **options)
    rows = []
    for until in times[1:]:
        results = simulation.run(state, until)
        state = results.final_state
        rows.append([_entry(results, name) for name in names])
    return np.array(rows)


def _entry(results, name):
    values = results[name.partition("[")[0]][-1]
    return values[int(name[-2]) - 1] if "[" in name else values


@pytest.mark.fast(1)
@pytest.mark.parametrize(("kind", "rule"), [("native", "artisynth"), ("python", "predictive")])
def test_impacts_rest_and_release_match_those_of_the_simulation(kind, rule, tmp_path):
    system, _ = slotted_hinge(PARAMS, restitution=0.2)
    fmu = export(system, tmp_path / "slot.fmu", rule, kind=kind, outputs=OUTPUTS)
    expected = simulated(system, system.realize_topology(), TIMES, NAMES, rule)

    with start(fmu) as instance:
        found = walk(instance, TIMES, NAMES)

    assert_array_equal(found[:, 4], expected[:, 4])  # engaged
    assert set(found[:, 4]) == {0.0, 1.0}
    assert np.abs(expected[:, 7]).max() > 1  # N s, an impulse
    sizes = np.maximum(1, np.abs(expected).max(axis=0))
    assert_allclose(found / sizes, expected / sizes, rtol=0, atol=1e-9)  # round-off, which impacts amplify


@pytest.mark.slow
def test_a_communication_step_consists_of_fixed_steps_and_the_last_may_be_shorter(slotted):
    """Two and a half steps: a wrong division would cause an error of first order in the step."""
    system, _ = slotted_hinge(PARAMS)
    times = [0.0, 0.3 + 2.5 * STEP, 0.6]
    expected = simulated(system, system.realize_topology(), times, NAMES[:4], "artisynth")
    finer = mb.Simulation(system, integrator="velocity_level", step=STEP / 2).run(system.realize_topology(), times[-1])

    with start(slotted) as instance:
        found = walk(instance, times, NAMES[:4])

    assert_allclose(found, expected, rtol=0, atol=1e-10)
    assert np.abs(found[-1, :2] - finer.final_state.q).max() > 1e-4


@pytest.mark.fast(1)
@pytest.mark.parametrize("kind", ["native", "python"])
def test_a_state_saved_before_impacts_or_at_rest_continues_with_the_same_bits(kind, slotted, tmp_path):
    fmu = slotted if kind == "native" else export(slotted_hinge(PARAMS)[0], tmp_path / "slot.fmu", kind="python", outputs=OUTPUTS)
    for saved_at in (20, 66):  # 0.4 s: before the first impact; 1.32 s: it rests
        first, again, elsewhere = walked_thrice(fmu, TIMES, saved_at, NAMES)
        assert_array_equal(again, first)
        assert_array_equal(elsewhere, first)
        assert set(first[:, 4]) == {0.0, 1.0}  # it rests, and is released


@pytest.mark.slow
def test_an_fmu_continues_from_the_final_state_of_a_run(tmp_path):
    """The exported State is at rest on a limit: nothing is corrected, and no active row is changed."""
    system, pin = hinge_with_stop(HINGE)
    rest = mb.Simulation(system, integrator="velocity_level", step=STEP).run(system.realize_topology(), 1.0).final_state
    names = ["hinge.q", "hinge.u", "hinge.limit.engaged", "hinge.limit.force"]
    fmu = export(system, tmp_path / "hinge.fmu", state=rest, outputs=names)

    with start(fmu) as instance:
        instance_at_start = [instance.get(name) for name in names]
    system.realize(rest, mb.Stage.ACCELERATION)

    expected = np.concatenate([pin.q(rest), pin.u(rest), [-1], np.atleast_1d(pin.limit_force(rest))])
    assert_allclose(instance_at_start, expected, rtol=1e-12)


def test_directional_derivatives_include_held_rows(slotted):
    """At rest on the stop the derivative of the speed does not depend on the angle; in free motion it does."""
    references = {name: slotted.variable(name).valueReference for name in ("der(hinge.u[1])", "der(hinge.u[2])", "hinge.q[2]")}
    known, *unknown = (references[name] for name in ("hinge.q[2]", "der(hinge.u[1])", "der(hinge.u[2])"))
    slopes = []
    with start(slotted) as instance:
        for begin, end in ((0.0, 0.4), (0.4, 1.32)):
            walk(instance, [begin, end], [])
            change = (ctypes.c_double * 2)()
            instance.call(
                "fmi2GetDirectionalDerivative",
                *((ctypes.c_uint * 2)(*unknown), 2, (ctypes.c_uint * 1)(known), 1, (ctypes.c_double * 1)(1.0), change),
            )
            slopes.append(list(change))
    assert np.abs(slopes[0]).min() > 1e-3
    assert abs(slopes[1][0]) < 1e-9 < abs(slopes[1][1])


def test_the_description_contains_the_step_size(slotted):
    with zipfile.ZipFile(slotted.path) as archive:
        root = ET.fromstring(archive.read("modelDescription.xml"))
        page = archive.read("documentation/index.html").decode()
    told = "Fixed steps of 0.004 s at velocity level, engagement 'artisynth'."
    assert root.attrib["description"] == told
    assert told in page
    assert float(root.find("DefaultExperiment").attrib["stepSize"]) == pytest.approx(0.016)  # four steps


def test_a_fixed_step_fmu_passes_validation(slotted):
    """The validation compares communication steps of four, two and one integration steps, which give the same results."""
    report = validate_fmu(slotted.path, until=2.0, checks=["run.co-simulation", "steps.co-simulation"])
    assert report.is_valid, report


@pytest.mark.slow
def test_fmus_with_different_steps_have_different_tokens(slotted, tmp_path):
    other = FmuFile(
        mb.export_fmu(slotted_hinge(PARAMS)[0], tmp_path / "slot.fmu", outputs=OUTPUTS, integrator="velocity_level", step=STEP / 2)
    )
    with start(slotted) as instance, SavedState.of(instance) as saved:
        data = saved.to_bytes()
    with start(other) as instance, pytest.raises(FmuError, match="another FMU"):
        SavedState.from_bytes(instance, data, 0.0)


@pytest.mark.slow
def test_auto_update_variables_are_updated_at_each_fixed_step_of_a_python_fmu(tmp_path):
    """The validation checks that a restored state continues with them."""
    system, _ = hinge_with_stop(HINGE)
    Lagging(system, "lagging")
    fmu = export(system, tmp_path / "lagging.fmu", kind="python", outputs=["hinge.q"])
    assert validate_fmu(fmu.path, until=0.48, checks=["state.co-simulation", "bytes.co-simulation"]).is_valid  # beyond the impact


@pytest.mark.slow
def test_a_start_outside_of_its_limits_is_corrected_with_a_warning(tmp_path):
    """With error control such a start is an error; fixed steps correct the position."""
    system, _ = bouncing_ball(1.0, 9.81, 0.5)
    with start(export(system, tmp_path / "ball.fmu"), ball__q_start=-0.2) as instance:
        assert instance.get("ball.q") == pytest.approx(-5e-5, abs=1e-12)  # the default tolerance of a mechanism 1 m long
        assert "[warning] logStatusWarning: fmi2ExitInitializationMode: the start was outside of its limits" in str(instance.log)
        assert "'ball.q' from -0.2 to -5e-05" in str(instance.log)


# errors
def test_a_force_that_is_not_finite_fails_the_step(tmp_path):
    system = mb.MultibodySystem("sprung")
    matter, forces = mb.MatterSubsystem(system), mb.ForceSubsystem(system)
    pin = mb.Pin(matter.ground, mb.MassProperties(1.0, [0, 0, 0], np.eye(3)), name="pin")
    pin.set_limits(-1.0, 1.0)
    mb.MobilityLinearSpring(forces, pin, stiffness=1.0, q_zero=0.3, name="spring")
    with start(export(system, tmp_path / "sprung.fmu", outputs=["pin.q"])) as instance:
        walk(instance, [0.0, 0.1], [])
        instance.set({"spring.stiffness": 1e308, "spring.q_zero": -1e308})
        with pytest.raises(FmuError, match=r"'pin\.u' is -?(inf|nan) after a step"):
            instance.step(0.1, 0.1)


def test_a_step_of_too_many_fixed_steps_is_refused(slotted):
    with start(slotted) as instance, pytest.raises(FmuError, match="'max_steps' allows 1000000"):
        instance.step(0.0, 1e13)


@pytest.mark.fast("python")
@pytest.mark.parametrize("kind", ["native", "python"])
def test_user_events_are_refused_by_name_and_reporters_omitted(kind, tmp_path):
    system, _ = hinge_with_stop(HINGE)
    mb.PeriodicEventReporter.of(system, 0.5, lambda state: None, name="watch")
    export(system, tmp_path / "hinge.fmu", kind=kind)
    mb.PeriodicEventHandler.of(system, 1.0, lambda state, event: None, name="alarm")
    with pytest.raises(UnsupportedError, match="'alarm'"):
        export(system, tmp_path / "hinge.fmu", kind=kind)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"integrator": "Radau"}, "there is no integrator .Radau.. Valid names: auto, .*RK4, .*velocity_level"),
        ({"integrator": "velocity_level"}, "export_fmu: integrator='velocity_level' needs a positive and finite step"),
        ({"step": 0.01}, "export_fmu: step applies only to integrator='velocity_level'"),
        ({"integrator": "velocity_level", "step": 0.01, "engagement": "eager"}, "unknown engagement 'eager'"),
    ],
)
def test_incompatible_options_are_refused(options, message, tmp_path):
    with pytest.raises(InputError, match=message):
        mb.export_fmu(hinge_with_stop(HINGE)[0], tmp_path / "hinge.fmu", **options)
