"""Flexible bodies against reference numbers: mass points alone, and motions of another program."""

from contextlib import nullcontext

import numpy as np
import pytest
from numpy.testing import assert_allclose
from scipy import linalg

import mobod as mb
from mobod import Stage
from tests.flexible.reference_bodies import cases, modal_of_points, rotation_of


def named(name, only=slice(None)):
    return [pytest.param(each, id=each["name"]) for each in cases(name)[only]]


def close(actual, expected, tolerance):
    assert_allclose(actual, expected, rtol=0, atol=tolerance * np.abs(expected).max())


# mass points alone


@pytest.mark.parametrize("case", named("invariants"))
def test_inertia_and_inertia_forces_are_sums_over_points(case):
    """Direct loops over the points, shapes of first or of second order: round-off, 1e-12."""
    n = case["n"]
    K = np.diag(np.arange(1.0, n + 1))
    modal, W = modal_of_points(case["r"], case["m"], case["Phi"], K, np.zeros((n, n)), Phi2=case["Phi2"])
    system = mb.MultibodySystem()
    matter = mb.MatterSubsystem(system)
    flexible = mb.FlexibleBody(modal, inertia="full", geometric_stiffening=case["Phi2"] is not None)
    body = mb.Free(matter.ground, flexible, name="body")
    state = system.realize_topology()
    body.set_u(state, case["V"])
    body.set_eta(state, np.linalg.solve(W, case["eta"]))
    body.set_eta_dot(state, np.linalg.solve(W, case["eta_dot"]))
    system.realize(state, Stage.DYNAMICS)
    to_reference = linalg.block_diag(np.eye(6), W)
    back = np.linalg.inv(to_reference)
    close(back.T @ matter.mass_matrix(state) @ back, case["M"], 1e-12)
    u_dot = back @ np.concatenate([case["A"], case["eta_dotdot"]])
    forces = back.T @ matter.inverse_dynamics(state, u_dot)
    forces[6:] -= K @ case["eta"]
    close(forces, case["force"], 1e-12)
    assert_allclose(system.kinetic_energy(state), case["kinetic_energy"], rtol=1e-12)
    properties = body.mass_properties(state)
    close(properties.mass * properties.com, case["mc"], 1e-12)
    close(properties.inertia, case["J"], 1e-12)


def chain(case):
    """(system, links, W): W gives the reference's coordinates by ours."""
    system = mb.MultibodySystem("chain")
    matter, links, parts = mb.MatterSubsystem(system), [], []
    mb.Gravity(mb.ForceSubsystem(system), matter, vector=case["gravity"])
    for k, link in enumerate(case["links"]):
        given = link["body"]
        modal, W = modal_of_points(given["r"], given["m"], given["Phi"], given["K"], given["D"], interfaces=given["interfaces"])
        parent = matter.ground if link["parent"] is None else links[link["parent"][0]].interface(f"at{link['parent'][1]}")
        z = np.array(link["axis"])
        x = linalg.null_space(z[None])[:, 0]
        R = np.column_stack([x, np.cross(z, x), z])  # a Pin turns about z of F and M
        X_PF = mb.Transform(np.array(link["R_PF"]) @ R, np.array(link["p_PF"]))
        links.append(mb.Pin(parent, mb.FlexibleBody(modal, inertia="full"), X_PF, mb.Transform(R), name=f"link{k}"))
        parts += [np.eye(1), W]
    return system, links, linalg.block_diag(*parts)


@pytest.mark.parametrize("case", named("chains"))
def test_trees_of_flexible_links_move_as_their_points(case):
    """Complex steps and differences of 6th order of the points' positions: 1e-11, of poses round-off."""
    system, links, W = chain(case)
    matter, state = system.matter, system.realize_topology()
    state.q, state.u = np.linalg.solve(W, case["q"]), np.linalg.solve(W, case["u"])
    system.realize(state, Stage.ACCELERATION)
    back = np.linalg.inv(W)
    close(back.T @ matter.mass_matrix(state) @ back, case["mass_matrix"], 1e-11)
    close(W @ state.u_dot, case["u_dot"], 1e-9)
    for name, expected in case["interfaces"].items():
        link, number = name.split(".")
        frame = links[int(link)].interface(f"at{number}")
        assert_allclose(frame.X_GB(state).R, expected["R_GN"], rtol=0, atol=1e-13)
        close(frame.X_GB(state).p, expected["p_GN"], 1e-13)
        close(frame.V_GB(state), expected["V_GN"], 1e-9)
        close(frame.A_GB(state), expected["A_GN"], 1e-9)
    assert_allclose(system.energy(state), case["energy"], rtol=1e-12)


def free_flight(case, **changes):
    """(system, body, state, W) at the start."""
    given = case | changes
    modal, W = modal_of_points(given["r"], given["m"], given["Phi"], given["K"], given["D"])
    system = mb.MultibodySystem("free")
    matter = mb.MatterSubsystem(system)
    if any(given["gravity"]):
        mb.Gravity(mb.ForceSubsystem(system), matter, vector=given["gravity"])
    body = mb.Free(matter.ground, mb.FlexibleBody(modal, inertia="full"), name="body")
    state = system.realize_topology()
    body.set_u(state, [*given["omega_start"], *given["v_start"]])
    body.set_eta(state, np.linalg.solve(W, given["eta_start"]))
    body.set_eta_dot(state, np.linalg.solve(W, given["eta_dot_start"]))
    return system, body, state, W


@pytest.mark.parametrize("case", named("free_body"))
def test_a_free_body_moves_as_in_another_program(case):
    """The prototype's run at 1e-12, to 1e-8; Exudyn's ObjectFFRFreducedOrder, to 1e-6, of which 1.4e-10 are used."""
    system, body, state, W = free_flight(case)
    results = mb.Simulation(system, accuracy=1e-11).run(state, until=case["times"][-1], report_every=case["times"][1])
    assert_allclose(results.time, case["times"], atol=1e-12)
    for k, at in enumerate(results.states()):
        system.realize(at, Stage.POSITION)
        assert_allclose(body.X_GB(at).p, case["p"][k], rtol=0, atol=1e-8)
        assert_allclose(rotation_of(body, at), case["R"][k], rtol=0, atol=1e-8)
        assert_allclose(W @ body.eta(at), case["eta"][k], rtol=0, atol=1e-8)
    assert_allclose(body.X_GB(at).p, case["exudyn_p"], rtol=0, atol=1e-6)
    assert_allclose(rotation_of(body, at), case["exudyn_R"], rtol=0, atol=1e-6)
    assert_allclose(W @ body.eta(at), case["exudyn_eta"], rtol=0, atol=1e-6)


def test_free_flight_keeps_momentum_to_round_off():
    """1 s at the smallest error that steps of order 8 reach, of momentum about the mass center too: 1e-13 of its size."""
    (case,) = (each for each in cases("free_body") if not any(each["gravity"]))
    system, _body, state, _W = free_flight(case)
    final = mb.Simulation(system, accuracy=1e-14, integrator="DOP853").run(state, until=1.0).final_state
    for each in (state, final):
        system.realize(each, Stage.VELOCITY)
    before, after = (system.matter.momentum_about_ground_origin(each) for each in (state, final))
    close(after, before, 1e-13)


# motions of nonlinear cable elements of another program


def flat(E_I, line_density):
    """A section and a material that bend along y alone, without rotary inertia; bending along z and torsion are 1e6 times stiffer."""
    E, I = 1e12, E_I / 1e12
    return mb.Section(A=1.0, Iy=1e6 * I, Iz=I, J=1e6 * I), mb.Material(E=E, G=E, density=line_density)


def elastic_rod(length, parameters, modes):
    """A beam with an interface at its middle, and damping in proportion to its stiffness."""
    section, material = flat(parameters["EI"], parameters["rhoA"])
    options = {"shear": False, "at": [0.5], "modes": modes}
    frequencies = 2 * np.pi * mb.FlexibleBeam(length, section, material, **options).modal.frequencies
    return mb.FlexibleBeam(length, section, material, damping_ratio=parameters.get("beta", 0.0) * frequencies / 2, **options)


def paths(results, frames):
    """(times, 2 frames) m: x and y of the frames' origins."""
    return np.hstack([results[f"{frame.name}.p_GB"][:, :2] for frame in frames])


@pytest.mark.slow
@pytest.mark.parametrize(("number", "modes"), [(0, 2), (0, 4), (1, 2), (1, 4)])
def test_an_elastic_pendulum_moves_as_nonlinear_cables(number, modes):
    """Shapes of second order: the stated difference of their theory, times 1.2; where it ends, at a quarter of the length, runs warn."""
    case = cases("pendulum")[number]
    parameters = case["parameters"]
    system = mb.MultibodySystem("pendulum")
    matter = mb.MatterSubsystem(system)
    mb.Gravity(mb.ForceSubsystem(system), matter, vector=[0, -parameters["g"], 0])
    beam = mb.Pin(matter.ground, elastic_rod(parameters["L"], parameters, modes), name="beam")
    with pytest.warns(mb.MobodWarning, match="beam") if number else nullcontext():
        run = mb.Simulation(system, accuracy=1e-7).run(system.realize_topology(), until=case["times"][-1], report_every=case["times"][1])
    found = paths(run, [beam.interface("at0"), beam.interface("end")])
    assert np.abs(found - case["mid_tip_xy"]).max() < 1.2 * case["modal_largest_difference"][case["modal_n"].index(modes)]


def driven(parameters):
    """(system, crank, its tip): a crank from Ground's origin at constant speed."""
    system = mb.MultibodySystem(parameters["kind"])
    matter = mb.MatterSubsystem(system)
    if parameters["g"]:
        mb.Gravity(mb.ForceSubsystem(system), matter, vector=[0, -parameters["g"], 0])
    crank = mb.Pin(matter.ground, mb.MassProperties.point(0.1, [0, 0, 0]), name="crank")
    mb.SteadyMotion(crank, parameters["omega"])
    return system, crank


def distances(system, rod, state, case):
    """(times, 2) m: of the rod's middle and end from the reference."""
    times, points = case["times"], np.array(case["xy"])
    run = mb.Simulation(system, accuracy=1e-7).run(state, until=times[-1], report_every=times[1])
    found = paths(run, [rod, rod.interface("at0"), rod.interface("end")])
    assert_allclose(found[:, :2], points[:, :2], rtol=0, atol=1e-6)
    return np.linalg.norm((found - points).reshape(-1, 3, 2), axis=2)[:, 1:]


@pytest.mark.slow
def test_an_elastic_slider_crank_moves_as_nonlinear_cables():
    """Its middle within 1e-3 of the rod's length, the stated error, of which 9e-5 are used; 1.5 % is the deflection."""
    (case,) = cases("slider_crank")
    parameters = case["parameters"]
    system, crank = driven(parameters)
    rod = mb.Pin(crank, elastic_rod(parameters["rod"], parameters, 4), mb.Transform(p=[parameters["crank"], 0, 0]), name="rod")
    slider = mb.Weld(rod.interface("end"), mb.MassProperties.point(parameters["slider_mass"], [0, 0, 0]), name="slider")
    mb.PointInPlane(system.matter.ground, [0, 1, 0], 0.0, slider, [0, 0, 0], name="guide")
    state = system.realize_topology()
    # the rod lies along the crank, and its end has no speed along y
    rod.set_u(state, -parameters["omega"] * (1 + parameters["crank"] / parameters["rod"]))
    found = distances(system, rod, state, case) / parameters["rod"]
    assert found.max() < 1e-3


@pytest.mark.slow
def test_an_elastic_coupler_of_four_bars_moves_as_nonlinear_cables():
    """Vibrations of 1.5 % of its length, within 1e-3 of it. 8 modes: 4 give its first frequency to 0.2 % alone."""
    (case,) = cases("four_bar")
    parameters = case["parameters"]
    system, crank = driven(parameters)
    tip, pivot = np.array([parameters["crank"], 0]), np.array(parameters["rocker_pivot"])
    end = np.array(case["xy"][0][4:])
    along, arm = end - tip, end - pivot
    rod = mb.Pin(crank, elastic_rod(parameters["rod"], parameters, 8), mb.Transform(p=[*tip, 0]), name="rod")
    inertia = mb.MassProperties(1.0, np.zeros(3), parameters["rocker_inertia"] * np.eye(3))
    rocker = mb.Pin(system.matter.ground, inertia, mb.Transform(p=[*pivot, 0]), name="rocker")
    mb.BallConstraint(rocker, [parameters["rocker"], 0, 0], rod.interface("end"), [0, 0, 0], name="joint")
    # angular velocities of the rigid mechanism: those of the rod and the rocker give its end the same velocity
    turned = np.array([[-along[1], arm[1]], [along[0], -arm[0]]])
    rates = np.linalg.solve(turned, [0, -parameters["omega"] * parameters["crank"]])
    state = system.realize_topology()
    rod.set_q(state, np.arctan2(along[1], along[0]))
    rod.set_u(state, rates[0] - parameters["omega"])
    rocker.set_q(state, np.arctan2(arm[1], arm[0]))
    rocker.set_u(state, rates[1])
    found = distances(system, rod, state, case) / parameters["rod"]
    assert found.max() < 1e-3
