"""Flexible bodies of mass points (flex-ref/1: invariants, chains, free_body): inertia forces, trees, and a free flight."""

from collections.abc import Mapping
from typing import Any

import numpy as np
from scipy import linalg

import mobod as mb
from mobod import Stage
from tests.flexible.reference_bodies import modal_of_points, rotation_of

Found = dict[str, tuple[Any, Any, float]]  # quantity: mobod's, the file's, tolerance relative to the largest entry
Case = Mapping[str, Any]

SUMS, TREES, ACCELERATIONS, POSES = 1e-12, 1e-11, 1e-9, 1e-13
SAME_PROGRAM, OTHER_PROGRAM = 1e-8, 1e-6  # of a free flight


def invariants(case: Case) -> Found:
    """Direct loops over the points. Left out: the sums `invariants`, of which M, mc, J and the forces consist."""
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
    back = np.linalg.inv(linalg.block_diag(np.eye(6), W))

    def force(u_dot: np.ndarray) -> np.ndarray:
        found: np.ndarray = back.T @ matter.inverse_dynamics(state, back @ u_dot)
        found[6:] -= K @ case["eta"]
        return found

    properties = body.mass_properties(state)
    return {
        "M": (back.T @ matter.mass_matrix(state) @ back, case["M"], SUMS),
        "force": (force(np.concatenate([case["A"], case["eta_dotdot"]])), case["force"], SUMS),
        "bias": (force(np.zeros(6 + n)) - case["bias"], 0 * np.array(case["bias"]), SUMS * np.abs(case["force"]).max()),
        "kinetic_energy": (system.kinetic_energy(state), case["kinetic_energy"], SUMS),
        "mc": (properties.mass * properties.com, case["mc"], SUMS),
        "J": (properties.inertia, case["J"], SUMS),
    }


def chain(case: Case) -> tuple[mb.MultibodySystem, list[mb.Pin], np.ndarray]:
    """(system, links, W): W gives the reference's coordinates by ours."""
    system = mb.MultibodySystem("chain")
    matter, links, parts = mb.MatterSubsystem(system), list[mb.Pin](), []
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


def chains(case: Case) -> Found:
    """Complex steps and differences of 6th order of the points' positions."""
    system, links, W = chain(case)
    matter, state = system.matter, system.realize_topology()
    state.q, state.u = np.linalg.solve(W, case["q"]), np.linalg.solve(W, case["u"])
    system.realize(state, Stage.ACCELERATION)
    back = np.linalg.inv(W)
    found: Found = {
        "mass_matrix": (back.T @ matter.mass_matrix(state) @ back, case["mass_matrix"], TREES),
        "u_dot": (W @ state.u_dot, case["u_dot"], ACCELERATIONS),
        "energy": (system.energy(state), case["energy"], SUMS),
    }
    for name, expected in case["interfaces"].items():
        link, number = name.split(".")
        frame = links[int(link)].interface(f"at{number}")
        X = frame.X_GB(state)
        found[f"{name}: R_GN"] = X.R, expected["R_GN"], POSES
        found[f"{name}: p_GN"] = X.p, expected["p_GN"], POSES
        found[f"{name}: V_GN"] = frame.V_GB(state), expected["V_GN"], ACCELERATIONS
        found[f"{name}: A_GN"] = frame.A_GB(state), expected["A_GN"], ACCELERATIONS
    return found


def free_flight(case: Case) -> tuple[mb.MultibodySystem, mb.Free, mb.State, np.ndarray]:
    """(system, body, state, W) at the start."""
    modal, W = modal_of_points(case["r"], case["m"], case["Phi"], case["K"], case["D"])
    system = mb.MultibodySystem("free")
    matter = mb.MatterSubsystem(system)
    if any(case["gravity"]):
        mb.Gravity(mb.ForceSubsystem(system), matter, vector=case["gravity"])
    body = mb.Free(matter.ground, mb.FlexibleBody(modal, inertia="full"), name="body")
    state = system.realize_topology()
    body.set_u(state, [*case["omega_start"], *case["v_start"]])
    body.set_eta(state, np.linalg.solve(W, case["eta_start"]))
    body.set_eta_dot(state, np.linalg.solve(W, case["eta_dot_start"]))
    return system, body, state, W


def free_body(case: Case) -> Found:
    """The prototype's run at all times, and another program's at the last one; absolute, of sizes near 1."""
    system, body, state, W = free_flight(case)
    rows = []
    with mb.Simulation(system, accuracy=1e-11).start(state) as run:
        for time in case["times"]:
            run.step_to(time)
            at = run.state
            system.realize(at, Stage.POSITION)
            rows.append((body.X_GB(at).p.copy(), rotation_of(body, at), W @ body.eta(at)))
    found: Found = {}
    for name, mine in zip(("p", "R", "eta"), zip(*rows, strict=True), strict=True):
        found[name] = np.array(mine) - case[name], 0 * np.array(mine), SAME_PROGRAM
        if f"exudyn_{name}" in case:
            found[f"exudyn_{name}"] = mine[-1] - np.array(case[f"exudyn_{name}"]), 0 * mine[-1], OTHER_PROGRAM
    return found
