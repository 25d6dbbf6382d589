"""Contacts in pages: recorded runs, one State, models that run in the page, and running programs."""

import numpy as np
import pytest
from numpy.testing import assert_allclose

import mobod as mb
from mobod.contact.seen_features import FORCE, MODE, N_NUMBERS, NORMAL, POINT
from mobod.viewer import contact_marks
from mobod.viewer.contact_marks import ContactMarks
from mobod.viewer.run_page import run_page, state_page
from tests.analytic.scenes_of_shapes import GRAVITY, box_on_box
from tests.view.mechanisms import bowling_ball, double_pendulum, pressed_balls, results_of
from tests.view.test_pages import data_of
from tests.view.tracks import decoded

FREE, STICK, SLIP = range(3)


@pytest.fixture(scope="module")
def bowling():
    """Results of a ball that rolls after 2 / (7 0.4 g) = 0.073 s."""
    return results_of(*bowling_ball(), until=0.12, report_every=0.01)


def features_of(data):
    """(frames, N_NUMBERS) by the name of a feature."""
    tracks = decoded(data["tracks"])
    return {each["name"]: np.array([tracks[number] for number in each["tracks"]]).T for each in data["contacts"]["features"]}


def test_a_page_of_a_run_has_the_points_and_forces_of_its_results(bowling):
    data = data_of(run_page(bowling))
    features = features_of(data)
    assert list(features) == ["under_rolls"]  # the other ball touches nothing
    found, modes = features["under_rolls"], bowling["under_rolls.mode"]
    assert_allclose(found[:, MODE], modes)
    assert (modes == SLIP).sum() == 8
    assert (modes == STICK).sum() == 5
    forces = bowling["under_rolls.normal_force"][:, None] * [0, 0, 1] + bowling["under_rolls.friction_force"]
    usual = np.percentile(np.linalg.norm(forces, axis=1), 95)
    assert data["contacts"]["force"] == pytest.approx(usual)
    assert_allclose(found[:, FORCE], forces, atol=1e-3 * usual)
    assert_allclose(found[1, FORCE], [-0.4 * 2.0 * 9.81, 0.0, 2.0 * 9.81], atol=1e-3 * usual)
    assert_allclose(found[:, POINT], bowling["under_rolls.contact_point"], atol=1e-5)
    assert_allclose(found[:, NORMAL], [[0, 0, 1]] * len(modes))
    assert_allclose(found[:, 1], 0.6)


def test_a_page_shows_the_points_of_a_box_on_a_box():
    scene, state = box_on_box()
    results = scene.run(state, 0.1)
    page = data_of(run_page(results))
    features = features_of(page)
    assert list(features) == [f"floor_body0.point_{i}" for i in range(4)]  # of 8, those that press
    points = np.array([features[name][-1, POINT] for name in features])
    assert_allclose(np.abs(points), [[0.1, 0.1, 0.0]] * 4, atol=1e-5)
    assert_allclose(sum(features[name][-1, FORCE] for name in features), [0, 0, GRAVITY], atol=1e-2)


def test_contact_forces_have_marks_as_long_as_they_press():
    system, state = pressed_balls()
    system.realize(state, mb.Stage.ACCELERATION)
    marks = ContactMarks.of(system, system.matter, state.layout)
    numbers = dict(zip(marks.names, marks.at(state), strict=True))
    modes = {name: int(each[MODE]) for name, each in numbers.items()}
    pressing = {"under_fast": SLIP, "under_high": FREE, "under_bristled": SLIP, "under_smooth": STICK}
    assert {name: modes[name] for name in pressing} == pressing
    faces = [name for name in modes if name.startswith("under_mesh")]
    assert len(faces) == 4
    assert {modes[name] for name in faces} == {FREE, STICK}
    for force in system.subsystems[-1].elements[1:]:
        friction, normal = force.friction_force(state), force.normal_force(state)
        for k, name in enumerate(name for name in marks.names if name.partition(".")[0] == force.name):
            assert_allclose(numbers[name][FORCE], friction[k] + [0, 0, normal[k]], rtol=1e-13)
            assert_allclose(numbers[name][POINT], force.contact_point(state)[k])
            assert numbers[name][1] == pytest.approx(0.8)
    data = data_of(state_page(state))
    features = features_of(data)
    assert set(features) == {name for name, mode in modes.items() if mode != FREE}
    for name, (found,) in features.items():
        assert_allclose(found, numbers[name], rtol=0, atol=1e-3 * data["contacts"]["force"])
    state.time += 1.0
    assert features_of(data_of(state_page(state))) == {}  # forces are not known


def test_what_does_not_press_keeps_its_last_point_and_has_no_force():
    numbers = np.zeros((6, N_NUMBERS))
    numbers[:, MODE], numbers[:, POINT], numbers[:, FORCE] = STICK, np.arange(6)[:, None], np.arange(6)[:, None]
    held = contact_marks._held(numbers, np.array([False, True, True, False, False, True]))
    assert held[:, 2].tolist() == [1, 1, 2, 2, 2, 5]
    assert held[:, MODE].tolist() == [0, 1, 1, 0, 0, 1]
    assert held[:, 10].tolist() == [0, 1, 2, 0, 0, 5]


def test_a_page_has_the_features_with_the_largest_forces(monkeypatch):
    monkeypatch.setattr(contact_marks, "MOST_FEATURES", 2)
    system, state = pressed_balls()
    system.realize(state, mb.Stage.ACCELERATION)
    marks = ContactMarks.of(system, system.matter, state.layout)
    largest = np.argsort(np.linalg.norm(marks.at(state)[:, FORCE], axis=1))[-2:]
    assert set(features_of(data_of(state_page(state)))) == {marks.names[k] for k in largest}


def test_contacts_are_not_among_the_arrows_of_forces():
    system, state = pressed_balls()
    results = results_of(system, state, until=1e-3, report_every=1e-3)
    assert [each["label"] for each in data_of(run_page(results))["arrows"]] == []


def test_a_page_without_contacts_has_none():
    results = double_pendulum(until=0.02)
    assert data_of(run_page(results))["contacts"] == {"force": 0.0, "features": []}


@pytest.mark.slow
def test_a_program_sends_the_numbers_of_contacts_before_those_of_variables():
    system, state = bowling_ball()
    with mb.view(system, "rolls.u", state=state, opens=False) as view:
        message = np.frombuffer(view._numbers(state))
    marks = ContactMarks.of(system, system.matter, state.layout)
    n_poses, n_marks = 12 * system.matter.n_bodies, N_NUMBERS * len(marks.names)
    assert len(message) == 1 + n_poses + n_marks + 6
    np.testing.assert_array_equal(message[1 + n_poses : -6].reshape(-1, N_NUMBERS), marks.at(state))
    assert message[-3] == 1.0
