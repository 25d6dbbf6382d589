"""Compare forces of contact with states of Simbody's elements: forces on both bodies, energy, and what else a state has."""

import json
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import numpy as np

import mobod as mb
from mobod import contact
from mobod.matter import Ground
from tests.reference.cases import Comparison, Report
from tests.reference.models import CannotBuildError

FORCES = 1e-11  # relative to the largest entry: depths of 1e-4 m cancel three digits
OF_MESHES = 1e-12
APPROXIMATED = 1e-5  # Simbody approximates the elliptic integrals
ELEMENTS = {"HuntCrossleyForce", "SmoothSphereHalfSpaceForce", "ElasticFoundationForce", "CompliantContactSubsystem"}
OF_SMOOTH = [
    "stiffness",
    "dissipation",
    "static_friction",
    "dynamic_friction",
    "viscous_friction",
    "constant_contact_force",
    "hertz_smoothing",
    "hunt_crossley_smoothing",
]
SHAPES: Mapping[str, Callable[[dict[str, Any], int], Any]] = {
    "half_space": lambda case, number: contact.HalfSpace(),
    "sphere": lambda case, number: contact.Sphere(case[f"radius{number}"]),
    "ellipsoid": lambda case, number: contact.Ellipsoid(case[f"radii{number}"]),
    "brick": lambda case, number: contact.Box(case[f"half_lengths{number}"]),
}


def read_elements(path: Path) -> list[dict[str, Any]] | None:
    """The states of a file, each with a name; None if it has other content."""
    content = json.loads(path.read_text(encoding="utf-8"))
    if not isinstance(content, list) or not all(isinstance(each, dict) and each.get("element") in ELEMENTS for each in content):
        return None
    return [{"name": f"{each['element']} {each.get('pair', '(no pair)')} [{i}]", **each} for i, each in enumerate(content)]


def compare_element(case: dict[str, Any]) -> Report:
    report = Report(case["name"])
    try:
        system, bodies, force = _built(case)
        state = _state(case, system, bodies)
        _compare(case, system, state, bodies, force, report)
    except CannotBuildError as error:
        report.trouble = f"not in mobod yet: {error}"
    except mb.MobodError as error:
        report.trouble = f"{type(error).__name__}: {error}"
    return report


def _built(case: dict[str, Any]) -> tuple[mb.MultibodySystem, list[Any], mb.Force]:
    kinds = case["pair"].split("-")
    system = mb.MultibodySystem("contact")
    matter, forces = mb.MatterSubsystem(system), mb.ForceSubsystem(system)
    mass = mb.MassProperties(1.0, [0, 0, 0], mb.Inertia.sphere(mass=1.0, radius=0.3))
    bodies = [
        matter.ground if case["body1_is_ground"] else mb.Free(matter.ground, mass, name="one"),
        mb.Free(matter.ground, mass, name="two"),
    ]
    if not {*kinds, "mesh"} <= {*SHAPES, "mesh"}:
        raise CannotBuildError(f"contact of a pair '{case['pair']}'")
    frames = [_frame(case[f"X_B{number}S{number}"]) for number in (1, 2)]
    if kinds[0] == "half_space":
        frames[0] = contact.HalfSpace.frame_of_simbody(frames[0])
    speed = case["transition_velocity"]
    if case["element"] == "SmoothSphereHalfSpaceForce":
        numbers = {name: case[name] for name in OF_SMOOTH}
        return (
            system,
            bodies,
            mb.SmoothSphereHalfSpaceForce(
                forces, *bodies, radius=case["radius2"], center=frames[1].p, X_B1S1=frames[0], transition_speed=speed, **numbers
            ),
        )
    if "mesh" in kinds:
        return system, bodies, _foundation(case, forces, bodies, frames)
    materials = {f"material{number}": mb.ContactMaterial(**case[f"material{number}"]) for number in (1, 2)}
    shape1, shape2 = (SHAPES[kind](case, number) for number, kind in enumerate(kinds, 1))
    arguments = {"X_B1S1": frames[0], "X_B2S2": frames[1], "transition_speed": speed, **materials}
    if case["element"] == "HuntCrossleyForce":
        made: mb.Force = mb.HuntCrossleyForce(forces, bodies[0], shape1, bodies[1], shape2, effective_radius="simbody", **arguments)
    else:
        made = mb.CompliantContact(forces, bodies[0], shape1, bodies[1], shape2, **arguments)
    return system, bodies, made


def _foundation(case: dict[str, Any], forces: mb.ForceSubsystem, bodies: list[Any], frames: list[mb.Transform]) -> mb.Force:
    """A mesh of the foundation itself, or of the subsystem, whose half-space has the thickness of the mesh's layer."""
    kinds = case["pair"].split("-")
    shape, mesh = SHAPES[kinds[0]](case, 1), contact.TriangleMesh(**case["mesh"])
    share, friction = 0.0, "hollars"
    material = mb.ContactMaterial(**case["material2"])
    if case["element"] == "CompliantContactSubsystem":
        layers = [dict(case[name], stiffness=case[name]["stiffness"] / case["thickness2"]) for name in ("material1", "material2")]
        one, other = (mb.ContactMaterial(**layer) for layer in layers)
        material, share, friction = contact.combined_linear(one, other), other.stiffness / (one.stiffness + other.stiffness), "step5"
    return mb.ElasticFoundationForce(
        forces,
        bodies[0],
        shape,
        bodies[1],
        mesh,
        material=material,
        share=share,
        friction=friction,
        X_B1S1=frames[0],
        X_B2S2=frames[1],
        transition_speed=case["transition_velocity"],
    )


def _state(case: dict[str, Any], system: mb.MultibodySystem, bodies: list[Any]) -> mb.State:
    state = system.realize_topology()
    for number, body in enumerate(bodies, 1):
        if not isinstance(body, Ground):
            X, V = _frame(case[f"X_GB{number}"]), np.ravel(case[f"V_GB{number}"])
            body.set_q_to_fit_transform(state, X)
            system.realize(state, mb.Stage.POSITION)
            body.set_u_to_fit_velocity(state, V)
    system.realize(state, mb.Stage.DYNAMICS)
    return state


def _compare(case: dict[str, Any], system: mb.MultibodySystem, state: mb.State, bodies: list[Any], force: Any, report: Report) -> None:
    tolerance = OF_MESHES if "mesh" in case else FORCES
    if case["pair"] == "half_space-ellipsoid" and case["element"] == "CompliantContactSubsystem":
        tolerance = APPROXIMATED
    on_bodies, _ = force.calc_force_contribution(state)

    def add(name: str, value: Any, expected: Any) -> None:
        scale = np.abs(expected).max()
        error = float(np.abs(np.asarray(value) - np.asarray(expected)).max())
        report.compared.append(Comparison(name, error / scale if scale else error, tolerance))

    for number, body in enumerate(bodies, 1):
        add(f"F_on_B{number}", on_bodies[body.index], np.ravel(case[f"F_on_B{number}"]))
    # most of Simbody's elements have no energy where a surface is left faster than it can follow; here it is what the surfaces have
    # stored, which is lost on the way
    is_left_out = not np.any(case["F_on_B2"]) and case["potential_energy"] == 0 and force.distance(state).min() < 0
    follows = not is_left_out
    if follows:
        add("potential_energy", force.calc_potential_energy_contribution(state), case["potential_energy"])
    else:
        report.excluded.append("potential_energy")
    if "power_dissipation" in case and follows:
        add("power_dissipation", force.calc_power_dissipation_contribution(state), case["power_dissipation"])
    if "depth" in case:
        add("depth", -force.distance(state), [case["depth"]])
    if "contact_point" in case and follows and force.n_features == 1:
        add("contact_point", force.contact_point(state)[0], case["contact_point"])
    if "force_on_surface2_at_contact_point" in case and force.n_features == 1:
        sign = 1 if case["surface1_is_S1"] else -1
        add("force_on_surface2", sign * on_bodies[bodies[1].index][3:], case["force_on_surface2_at_contact_point"][1])
    if "contact_normal" in case and case["n_contacts"]:
        push = np.array(case["contact_normal"])
        total = on_bodies[bodies[1].index][3:]
        add("normal force", force.normal_force(state), [push @ total])


def _frame(X: dict[str, Any]) -> mb.Transform:
    return mb.Transform(X["R"], X["p"])
