"""max_steps, the parameter of an FMU that limits the integration steps of one communication step."""

import fmpy
import pytest

import mobod as mb
from mobod.cosim import FmuFile
from mobod.cosim.instance import StepDiscardedError
from mobod.cosim.saved_state import SavedState
from mobod.errors import FmuError, InputError
from mobod.simulate.step_options import StepOptions
from tests.fmu.python_instances import begun
from tests.fmu.stepped import start
from tests.unit.simulate.event_systems import bouncing_mass
from tests.unit.simulate.test_max_steps import stiff_oscillator


@pytest.fixture(scope="module")
def stiff(tmp_path_factory):
    path = tmp_path_factory.mktemp("stiff") / "stiff.fmu"
    options = {"code": "interpreted", "length_scale": 1e-6}  # of a point on a spring nothing says how large a deflection is
    return FmuFile(mb.export_fmu(stiff_oscillator(), path, outputs=["slider.q"], max_steps=700, **options))


@pytest.mark.slow
def test_max_steps_is_a_tunable_integer_with_the_exported_start_value(stiff, tmp_path):
    def described(path):
        (variable,) = (each for each in fmpy.read_model_description(str(path)).modelVariables if each.name == "max_steps")
        return variable.type, variable.causality, variable.variability, int(variable.start), int(variable.min), int(variable.max)

    assert described(stiff.path) == ("Integer", "parameter", "tunable", 700, 1, 2**31 - 1)
    usual = mb.export_fmu(stiff_oscillator(), tmp_path / "usual.fmu", outputs=[], code="interpreted")
    assert described(usual) == ("Integer", "parameter", "tunable", 10**6, 1, 2**31 - 1)
    with pytest.raises(InputError, match="export_fmu: max_steps must be a whole number from 1 to 2147483647, not 0"):
        mb.export_fmu(stiff_oscillator(), tmp_path / "none.fmu", outputs=[], max_steps=0)


def test_a_step_that_needs_more_is_discarded_and_a_shorter_one_succeeds(stiff):
    with start(stiff, tolerance=1e-6) as instance, SavedState.of(instance) as before:
        message = (
            r"700 steps were tried, and max_steps allows no more\. The next step would be "
            r"\S+ s long; the error of 'slider\.[qu]' is the largest\. .* The state from before this call, at 0 s, is kept\."
        )
        with pytest.raises(StepDiscardedError, match=message) as caught:
            instance.step(0.0, 4e-3)
        reached = caught.value.reached
        assert 0 < reached < 700 * 6.3e-9  # s, a period for each step
        before.restore()
        instance.step(0.0, reached)
        assert instance.get("time") == reached
        with pytest.raises(StepDiscardedError):  # the count starts again
            instance.step(reached, 4e-3)


def test_a_master_may_change_max_steps_and_saved_states_contain_it(stiff):
    with start(stiff, tolerance=1e-6, max_steps=40) as instance:
        assert instance.get("max_steps") == 40
        with SavedState.of(instance) as before:
            with pytest.raises(StepDiscardedError, match="40 steps were tried"):
                instance.step(0.0, 2e-8)
            before.restore()
            instance.set({"max_steps": 4000})
            instance.step(0.0, 2e-8)
            before.restore()
            assert instance.get("max_steps") == 40
        with pytest.raises(FmuError, match=r"'max_steps' cannot be set to 0; the least value is 1"):
            instance.set({"max_steps": 0})


def test_a_python_fmu_behaves_the_same():
    system = stiff_oscillator()
    instance, references = begun(system, system.realize_topology(), options=StepOptions(max_steps=300))
    assert instance.get([references["max_steps"]], "integer") == [300]
    with pytest.raises(FmuError, match="300 steps were tried"):
        instance.do_step(0.0, 4e-3)


@pytest.mark.slow
def test_too_many_fixed_steps_are_refused_before_they_are_taken(tmp_path):
    options = {"integrator": "velocity_level", "step": 1e-3, "max_steps": 10, "code": "interpreted"}
    path = mb.export_fmu(stiff_oscillator(), tmp_path / "fixed.fmu", outputs=["slider.q"], **options)
    with start(FmuFile(path)) as instance:
        with pytest.raises(
            FmuError, match=r"a communication step of 0\.0101 s needs 11 fixed steps of 0\.001 s, and .*'max_steps' allows 10"
        ):
            instance.step(0.0, 0.0101)
        instance.step(0.0, 0.01)


@pytest.mark.slow
@pytest.mark.parametrize("height", [5e-324, 1e-320])
def test_a_mass_bounces_from_heights_that_have_few_digits_left(tmp_path, height):
    system, state, _ = bouncing_mass(stop_at=3)
    path = mb.export_fmu(system, tmp_path / "bounce.fmu", outputs=["ball.q", "bounce.count"], state=state, code="interpreted")
    ended = pytest.raises(FmuError, match="event 'bounce' has ended the simulation")
    with start(FmuFile(path), ball__q_start=height, max_steps=50) as instance, ended:
        instance.step(0.0, 0.1)
