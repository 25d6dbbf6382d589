"""The Gauss-Seidel algorithm: coupling errors, and the order in which FMUs step."""

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

from mobod.cosim import Master, Network
from mobod.cosim.dependencies import step_order
from mobod.errors import InputError, UnknownNameError

NO_FEEDTHROUGH = (
    ('<Unknown index="5"/>', '<Unknown index="5" dependencies=""/>'),
    ('<Unknown index="6"/>', '<Unknown index="6" dependencies=""/>'),
)


def order_of(network):
    return step_order(network.components.values(), network.connections)


def gauss_seidel(network, **options):
    return Master(network, algorithm="gauss-seidel", **options)


# errors ----------------------------------------------------------------------------------------------------------------------------------


def test_gauss_seidel_has_the_known_coupling_error_on_the_two_mass_oscillator(two_masses):
    results = gauss_seidel(two_masses, step=0.01).run(until=0.9)
    # known to 8 digits; the exact solution is (0.25, 0.559...)
    assert_allclose([results["left.x"][-1], results["right.x"][-1]], [0.26599962, 0.58207392], rtol=0, atol=5.1e-9)


@pytest.mark.slow
def test_the_gauss_seidel_error_on_the_two_mass_oscillator_matches_theory_and_is_of_first_order(two_masses):
    known = {1e-2: 1.0417e-1, 5e-3: 5.2226e-2, 2.5e-3: 2.6147e-2, 1.25e-3: 1.3082e-2}
    for step, expected in known.items():
        results = gauss_seidel(two_masses, step=step).run(until=1.0)
        t = results.time
        left = results["left.x"] - (np.cos(2 * np.pi * t) + np.cos(6 * np.pi * t)) / 2
        right = results["right.x"] - (np.cos(2 * np.pi * t) - np.cos(6 * np.pi * t)) / 2
        assert_allclose(np.abs([left, right]).max(), expected, rtol=5e-5)  # known to five digits


@pytest.mark.slow
def test_a_chain_passes_new_values_within_the_step(fmus):
    network = Network()
    for name in ("c", "a", "b"):
        network.add(fmus["all_types"], name)
    network.connect("a.integer_out", "b.integer_in")
    network.connect("b.integer_out", "c.integer_in")
    # each FMU starts at 41 and adds 1 at each step
    assert gauss_seidel(network, step=0.1).run(until=0.1)["c.integer_out"].tolist() == [41, 44]
    assert Master(network, step=0.1).run(until=0.1)["c.integer_out"].tolist() == [41, 42]


@pytest.mark.slow
def test_fmus_step_in_the_given_order(two_masses, fmus):
    given = gauss_seidel(two_masses, order=["right", "left"]).run(until=0.3)
    swapped = Network()
    for name in ("right", "left"):
        swapped.add(fmus["spring_mass"], name, start=two_masses.components[name].start)
    for connection in two_masses.connections:
        swapped.connect(str(connection.source), str(connection.target))
    assert_array_equal(given["left.x"], gauss_seidel(swapped).run(until=0.3)["left.x"])
    assert np.any(given["left.x"] != gauss_seidel(two_masses).run(until=0.3)["left.x"])


@pytest.mark.parametrize(
    ("options", "error", "message"),
    [
        ({"order": ["left", "rigth"]}, UnknownNameError, "Did you mean 'right'"),
        ({"order": ["left"]}, InputError, "must name each FMU once: left, right"),
        ({"order": ["left", "right", "left"]}, InputError, "must name each FMU once"),
        ({"order": ["left", "right"], "algorithm": "jacobi"}, InputError, "all FMUs step with the same values"),
        ({"algorithm": "gauss-seidl"}, UnknownNameError, "Did you mean 'gauss-seidel'"),
    ],
)
def test_an_invalid_order_is_refused(two_masses, options, error, message):
    with pytest.raises(error, match=message):
        Master(two_masses, **{"algorithm": "gauss-seidel", **options}).run(until=0.1)


# order -----------------------------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("seed", range(5))
def test_each_fmu_steps_after_those_that_give_it_values(fmus, seed):
    rng = np.random.default_rng(seed)
    network = Network()
    for k in rng.permutation(12):
        network.add(fmus["gain"], f"g{k}")
    edges = [(int(rng.integers(k)), k) for k in range(1, 12)]
    for a, b in rng.permutation(edges):
        network.connect(f"g{a}.y", f"g{b}.u")
    order = order_of(network)
    assert sorted(order) == sorted(network.components)
    assert all(order.index(f"g{a}") < order.index(f"g{b}") for a, b in edges)


def test_unconnected_fmus_step_in_the_order_of_addition(fmus):
    network = Network()
    for name in ("m", "z", "a", "k"):
        network.add(fmus["gain"], name)
    network.connect("k.y", "z.u")
    assert order_of(network) == ["m", "a", "k", "z"]


@pytest.mark.parametrize("controller_first", [False, True])
def test_a_controller_steps_after_its_plant_in_any_order_of_addition(fmus, described, controller_first):
    network = Network()
    for name in ("controller", "plant") if controller_first else ("plant", "controller"):
        if name == "plant":
            network.add(described(fmus["spring_mass"], *NO_FEEDTHROUGH), name)
        else:
            network.add(fmus["pd_controller"], name)
    network.connect("controller.force", "plant.other")
    network.connect("plant.x", "controller.position")
    assert order_of(network) == ["plant", "controller"]


def test_a_cut_loop_is_ordered_as_a_chain(fmus):
    network = Network()
    for k in (2, 0, 3, 1):
        network.add(fmus["gain"], f"g{k}")
    for k in range(4):
        network.connect(f"g{k}.y", f"g{(k + 1) % 4}.u")
    # all have direct feedthrough, so the first one added comes first, and the others follow it
    assert order_of(network) == ["g2", "g3", "g0", "g1"]


def test_an_fmu_after_a_loop_steps_after_all_fmus_of_the_loop(fmus):
    network = Network()
    for name in ("after", "b", "a", "alone"):
        network.add(fmus["gain"], name)
    network.connect("a.y", "b.u")
    network.connect("b.y", "after.u")
    network.connect("b.block.y[1](a.b)", "a.u")
    assert order_of(network) == ["b", "a", "after", "alone"]


def test_an_fmu_may_be_connected_to_itself(fmus):
    network = Network()
    network.add(fmus["gain"], "b")
    network.add(fmus["spring_mass"], "a")
    network.connect("a.x", "a.other")
    network.connect("a.v", "b.u")
    assert order_of(network) == ["a", "b"]
