"""Model exchange: bounces that die out, and become shorter than the steps of the importer."""

import fmpy
import numpy as np
import pytest
from numpy.testing import assert_allclose

import mobod as mb
from tests.fmu.bouncing_sphere import GRAVITY, HEIGHT, RADIUS, exact_speeds, sphere
from tests.fmu.test_friction_fmus import SteppedImporter, flat

TOLERANCES = [1e-4, 1e-6, 1e-8, 1e-10]
WHERE = ["after", "before", "exact"]


def exported(system, state, path, version="2.0"):
    outputs = [name for name in ("ball.u", "box.q", "box.u") if name.split(".")[0] in [body.name for body in system.matter.bodies]]
    return mb.export_fmu(
        system, path / "it.fmu", outputs=outputs, state=state, fmi_version=version, code="interpreted", reference=False
    )  # fmt: skip


def box(restitution=0.3, q=(1, 0, 0, 0, 0, 0, 0.13), u=(0.3, 0.2, 1.0, 2.0, 0.5, 0.0), friction=(0.6, 0.4)):
    system = mb.MultibodySystem("box")
    matter = mb.MatterSubsystem(system)
    mb.Gravity(mb.ForceSubsystem(system), matter, down=[0, 0, -1], magnitude=GRAVITY, name="gravity")
    body = mb.Free(matter.ground, mb.MassProperties(2.0, [0, 0, 0], mb.Inertia.box(mass=2.0, size=[0.4, 0.3, 0.2])), name="box")
    shapes = matter.ground, mb.contact.HalfSpace(), body, mb.contact.Box([0.2, 0.15, 0.1])
    mb.RigidContact(*shapes, static_friction=friction[0], dynamic_friction=friction[1], restitution=restitution, name="floor")
    state = system.realize_topology()
    body.set_q(state, list(q))
    body.set_u(state, list(u))
    return system, state


class PreciseImporter(SteppedImporter):
    """Heun steps, which are exact for a sphere that flies or slides. Its events are just after a root, just before it, or at zero."""

    where = "after"

    def move(self, y, rates, step):
        super().move(y, rates, step)
        return super().move(y, (rates + self.rates()) / 2, step)

    def to_event_or_end_of_step(self):
        before, y, rates, short, long = self.indicators(), self.states(), self.rates(), 0.0, self.step
        crosses = np.any((self.move(y, rates, long) > 0) != (before > 0))
        while crosses and long - short > 1e-14:
            middle = (short + long) / 2
            crossed = np.any((self.move(y, rates, middle) > 0) != (before > 0))
            short, long = (short, middle) if crossed else (middle, long)
        end = short if crosses and self.where == "before" else long
        after = self.move(y, rates, end)
        if crosses and self.where == "exact" and before.argmin() == 0:
            states = self.states()
            states[6] -= min(after[0], 0.0)
            self.set_states(states)
        self.time += end
        self.model.completedIntegratorStep()
        return crosses

    def run(self, until):
        """the number of events"""
        n = 0
        while self.time < until - 1e-9 and n < 1000:
            if self.to_event_or_end_of_step():
                self.model.enterEventMode()
                self.update()
                n += 1
        return n


def test_a_bounce_that_an_importer_finds_to_end_at_once_is_taken_back_with_its_friction(tmp_path):
    importer = PreciseImporter(exported(*sphere(dynamic_friction=0.15), tmp_path))
    falls = np.sqrt(2 * HEIGHT / GRAVITY)
    importer.step = falls + 1e-3
    assert importer.to_event_or_end_of_step()
    importer.model.enterEventMode()
    importer.update()
    rising = importer.states()
    assert_allclose(rising[7:], exact_speeds([importer.time + 1e-12], 0.3, 0.15)[0], atol=1e-9)  # 100 times the time of the event

    # a linear interpolation of a step that is longer than the bounce
    importer.model.setTime(importer.time + 1e-12)
    importer.set_states([*rising[:6], RADIUS - 1e-13, *rising[7:]])
    assert importer.indicators()[0] <= 0
    importer.model.completedIntegratorStep()
    importer.model.enterEventMode()
    importer.update()
    assert_allclose(importer.states()[7:], exact_speeds([falls], 0.0, 0.15)[0], atol=1e-9)


@pytest.mark.slow
@pytest.mark.parametrize("version", ["2.0", "3.0"])
@pytest.mark.parametrize(("restitution", "friction"), [(0.3, (0.2, 0.15)), (0.5, (0.15, 0.1)), (0.1, (0.2, 0.12)), (0.1, (0.1, 0.05))])
def test_a_sphere_slides_as_in_closed_form_after_its_last_bounce(tmp_path, restitution, friction, version):
    fmu, until = exported(*sphere(restitution, *friction), tmp_path, version), 0.195
    names = [each.name for each in fmpy.read_model_description(str(fmu)).modelVariables if each.causality == "output"]
    for tolerance in TOLERANCES:
        result = fmpy.simulate_fmu(str(fmu), fmi_type="ModelExchange", stop_time=until, output_interval=until, relative_tolerance=tolerance)
        # speeds change linearly in flight and in a slide; importers locate impacts to 1e-12 s or better at these tolerances
        assert_allclose(flat(result, names)[-1], exact_speeds([until], restitution, friction[1])[0], atol=1e-8)


@pytest.mark.slow
@pytest.mark.parametrize("where", WHERE)
@pytest.mark.parametrize("step", [1e-2, 1e-3])
def test_importers_locate_the_root_after_before_and_at_zero(tmp_path, where, step):
    importer = PreciseImporter(exported(*sphere(dynamic_friction=0.15), tmp_path))
    importer.where, importer.step = where, step
    assert importer.run(0.14) == 11
    assert_allclose(importer.states()[7:], exact_speeds([importer.time], 0.3, 0.15)[0], atol=1e-10)

    importer = PreciseImporter(exported(*box(), tmp_path))
    importer.where, importer.step = where, step
    assert importer.run(0.6) < 100
    assert_allclose(importer.states()[6:], [0.1, 0, 0, 0, 0, 0, 0], atol=1e-6)


def random_box(rng):
    q = rng.normal(size=4)
    friction = sorted(rng.uniform(0.05, 0.8, 2))
    return box(rng.choice([0, 0.1, 0.3, 0.5, 0.7]), [*q / np.linalg.norm(q), 0, 0, 0.28], rng.uniform(-2, 2, 6), friction[::-1])


@pytest.mark.slow
@pytest.mark.parametrize("number", range(13))
def test_a_tumbling_box_comes_to_rest_on_the_floor(tmp_path, number):
    fmu = exported(*(random_box(np.random.default_rng(number)) if number else box()), tmp_path, ("2.0", "3.0")[number % 2])
    for tolerance in TOLERANCES:
        n_events = []
        result = fmpy.simulate_fmu(
            str(fmu), fmi_type="ModelExchange", stop_time=4.0, output_interval=1.0, relative_tolerance=tolerance, timeout=60,
            fmi_call_logger=lambda call, n_events=n_events: n_events.append(call) if "EnterEventMode" in call else None,
        )  # fmt: skip
        assert result["time"][-1] == 4.0
        assert len(n_events) < 2000
        names = [each.name for each in fmpy.read_model_description(str(fmu)).modelVariables if each.causality == "output"]
        last = flat(result, names)[-1]
        assert_allclose(last[7:], 0, atol=1e-6)
        assert min(abs(last[6] - half) for half in (0.1, 0.15, 0.2)) < 1e-6
