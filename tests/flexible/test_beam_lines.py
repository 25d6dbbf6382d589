"""FlexibleBeam with sections that change, and along lines with corners: against closed forms and against fine uniform pieces."""

import json

import numpy as np
import pytest
from numpy.testing import assert_allclose
from scipy import linalg, optimize

import mobod as mb
from mobod.errors import InputError, UnsupportedError
from mobod.flexible.sections import SectionsAlong
from tests.flexible.frame_elements import element
from tests.unit.files.test_model_file import same_bits, same_bytes

STEEL = mb.Material(E=2.1e11, nu=0.3, density=7850)
CORNER = [[0.1, 0.0, 0.2], [0.9, 0.0, 0.2], [0.9, 0.5, 0.2]]


def flexibility(modal, name="end"):
    """(6, 6) motion of an interface for a load on it, of the modes that are kept."""
    shapes = modal.interfaces[name].shapes
    return shapes / modal.stiffness @ shapes.T


def of_pieces(pieces, sections, material=STEEL):
    """(M, K) of one uniform element for each piece (3,) m, clamped at the start; sections y in the plane of the pieces and e_z x d."""
    n = 6 * len(pieces) + 6
    M, K = np.zeros((n, n)), np.zeros((n, n))
    for k, (piece, s) in enumerate(zip(pieces, sections, strict=True)):
        length = np.linalg.norm(piece)
        x = piece / length
        R = np.kron(np.eye(4), np.array([x, np.cross([0, 0, 1], x), [0, 0, 1]]).T)
        Ke, Me = element(
            length,
            E=material.E,
            G=material.shear_modulus,
            rho=material.density,
            A=s.A,
            Iy=s.Iy,
            Iz=s.Iz,
            J=s.J,
            kappa=s.shear[0],
            rotary=True,
        )
        at = slice(6 * k, 6 * k + 12)
        M[at, at] += R @ Me @ R.T
        K[at, at] += R @ Ke @ R.T
    return M[6:, 6:], K[6:, 6:]


def lowest(M, K, n):
    """(n,) Hz"""
    return np.sqrt(linalg.eigh(K, M, eigvals_only=True)[:n]) / (2 * np.pi)


def test_a_cone_has_the_frequencies_of_many_uniform_pieces_and_the_mass_of_its_shape():
    """150 pieces with the section of their middle: 1e-4."""
    length, radius, taper, n = 2.0, 0.03, 0.4, 150
    modal = mb.FlexibleBeam(length, [mb.Section.circle(radius), mb.Section.circle(taper * radius)], STEEL, modes=4, elements=24).modal
    middles = (np.arange(n) + 0.5) / n
    sections = [mb.Section.circle(radius * (1 - (1 - taper) * s)) for s in middles]
    half = np.arange(6 * n).reshape(n, 6)[:, [1, 5]].ravel()  # in one plane; those of the other one are the same
    M, K = of_pieces([np.array([length / n, 0, 0])] * n, sections)
    assert_allclose(modal.frequencies[[0, 2]], lowest(M[np.ix_(half, half)], K[np.ix_(half, half)], 2), rtol=1e-4)
    assert_allclose(modal.total_mass, 7850 * np.pi * length / 3 * radius**2 * (1 + taper + taper**2), rtol=1e-12)
    first = 7850 * np.pi * radius**2 * length**2 * (1 / 2 + (taper - 1) * 2 / 3 + (taper - 1) ** 2 / 4)
    assert_allclose(modal.mass_properties.com, [first / modal.total_mass, 0, 0], rtol=1e-12, atol=1e-15)


def test_a_cone_bends_under_a_load_at_its_tip_by_its_closed_form():
    """F L^3 / (3 E I) times the ratio of the radii; six modes of each plane have all of it but 1.3e-3."""
    length, radius, taper = 2.0, 0.03, 0.4
    modal = mb.FlexibleBeam(
        length, [mb.Section.circle(radius), mb.Section.circle(taper * radius)], STEEL, modes=12, elements=24, shear=False
    ).modal
    expected = length**3 / (3 * 2.1e11 * np.pi * radius**4 / 4) / taper
    assert_allclose(np.diag(flexibility(modal))[4:], expected, rtol=2e-3)


@pytest.mark.parametrize(
    ("make", "exact"),
    [
        (lambda s: mb.Section.rectangle(0.05 - 0.02 * s, 0.02 + 0.03 * s), 1e-12),
        (lambda s: mb.Section.tube(0.2 - 0.1 * s, 0.19 - 0.1 * s), 2e-3),  # (thickness over radius)^2
    ],
)
def test_sections_between_those_given_are_those_of_the_shape(make, exact):
    """J of a rectangle: 2 %, of its side ratios of 0.4 to 1.7."""
    body = mb.FlexibleBeam(1.0, [make(0.0), make(1.0)], STEEL, modes=1, elements=2)
    mass = sum(s.A / 200 for s in (make((k + 0.5) / 200) for k in range(200)))
    assert_allclose(body.modal.total_mass, 7850 * mass, rtol=max(exact, 1e-5))  # 200 midpoints: 1e-5
    found, expected = SectionsAlong(np.array([0.0, 1.0]), [make(0.0), make(1.0)]).at(0.3), make(0.3)
    assert_allclose([found.A, found.Iy, found.Iz], [expected.A, expected.Iy, expected.Iz], rtol=exact)
    assert_allclose(found.J, expected.J, rtol=0.02)


@pytest.mark.parametrize("modes", [3, 9])
def test_the_points_of_a_tapered_beam_have_its_mass_and_its_modal_masses(modes):
    """With a kink of the sections in the middle: sums of the mass with polynomials are exact all the same. Shapes are none: 2e-3."""
    sections = [mb.Section.circle(radius) for radius in (0.03, 0.025, 0.01)]
    modal = mb.FlexibleBeam(1.7, sections, STEEL, modes=modes).modal
    assert len(modal.points) == (12 if modes == 3 else 16)
    assert_allclose(sum(p.mass for p in modal.points), modal.total_mass, rtol=1e-12)
    assert_allclose(sum(p.mass * p.p for p in modal.points), modal.total_mass * modal.mass_properties.com, rtol=1e-9, atol=1e-12)
    mass = sum(p.mass * p.shapes[3:].T @ p.shapes[3:] + p.shapes[:3].T @ p.inertia @ p.shapes[:3] for p in modal.points)
    assert_allclose(mass, np.eye(modes), atol=3e-3)


def test_a_load_along_a_cone_buckles_it():
    """I as the fourth power of the distance x from the apex: y = x sin(b (1/x1 - 1/x)) from the line of the load, flat where clamped.

    By four modes in the plane that is a thousand times softer than the other one.
    """

    def flat(r):
        I = np.pi * r**4 / 4
        return mb.Section(A=np.pi * r**2, Iy=1000 * I, Iz=I, J=1000 * I)

    length, radius, taper = 1.7, 0.02, 0.5
    x0 = length / (1 - taper)
    x1 = taper * x0
    b = optimize.brentq(lambda b: np.tan(b * (1 / x1 - 1 / x0)) + b / x0, *(np.array([0.501, 1.0]) * np.pi / (1 / x1 - 1 / x0)))
    critical = b**2 * 2.1e11 * np.pi * radius**4 / 4 / x0**4
    least = []
    for load in (0.99 * critical, 1.01 * critical):
        system = mb.MultibodySystem()
        matter = mb.MatterSubsystem(system)
        discrete = mb.DiscreteForces(mb.ForceSubsystem(system), matter, name="load")
        sections = [flat(radius), flat(taper * radius)]
        body = mb.Weld(matter.ground, mb.FlexibleBeam(length, sections, STEEL, shear=False, modes=4), name="beam")
        state = system.realize_topology()
        discrete.set_body_force(state, body.interface("end"), [0, 0, 0, -load, 0, 0])
        found = mb.inverse_dynamics_derivatives(system, state, np.zeros(4))
        least.append(np.linalg.eigvalsh((found.by_q + found.by_q.T) / 2)[0])
    assert least[0] > 0 > least[1]


def test_a_beam_with_a_corner_has_the_frequencies_of_its_pieces():
    section = mb.Section.rectangle(0.03, 0.02)
    modal = mb.FlexibleBeam(points=CORNER, section=section, material=STEEL, modes=6, elements=26).modal
    pieces = [np.array([0.05, 0, 0])] * 16 + [np.array([0, 0.05, 0])] * 10
    assert_allclose(modal.frequencies, lowest(*of_pieces(pieces, [section] * 26), 6), rtol=1e-8)
    assert_allclose(modal.total_mass, 7850 * section.A * 1.3, rtol=1e-12)
    assert_allclose(modal.mass_properties.com, [0.1 + (0.8 * 0.4 + 0.5 * 0.8) / 1.3, 0.5 * 0.25 / 1.3, 0.2], rtol=1e-12)
    assert_allclose(modal.interfaces["end"].X.p, CORNER[2], rtol=1e-12)


def test_a_beam_with_a_corner_bends_by_its_closed_form():
    """Across its plane: both pieces bend, the first one twists; in it the first one is turned at the corner. By 16 modes."""
    a, b, section = 0.8, 0.5, mb.Section.rectangle(0.03, 0.02)
    modal = mb.FlexibleBeam(points=CORNER, section=section, material=STEEL, modes=16, shear=False).modal
    E, G = 2.1e11, STEEL.shear_modulus
    found = np.diag(flexibility(modal))
    assert_allclose(found[5], (a**3 + b**3) / (3 * E * section.Iy) + a * b**2 / (G * section.J), rtol=2e-3)
    assert_allclose(found[3], b**3 / (3 * E * section.Iz) + a * b**2 / (E * section.Iz) + a / (E * section.A), rtol=2e-3)
    assert_allclose(found[4], a**3 / (3 * E * section.Iz) + b / (E * section.A), rtol=2e-3)


def test_a_quarter_of_a_circle_bends_across_its_plane_by_its_closed_form():
    """Castigliano: F R^3 (pi / (4 E I) + (3 pi / 4 - 2) / (G J)); 24 chords, 16 modes."""
    R, section = 0.6, mb.Section.circle(0.01)
    angle = np.linspace(0, np.pi / 2, 25)
    points = R * np.array([np.sin(angle), 1 - np.cos(angle), 0 * angle]).T
    modal = mb.FlexibleBeam(points=points, section=section, material=STEEL, modes=16, shear=False).modal
    expected = R**3 * (np.pi / 4 / (2.1e11 * section.Iy) + (3 * np.pi / 4 - 2) / (STEEL.shear_modulus * section.J))
    assert_allclose(flexibility(modal)[5, 5], expected, rtol=5e-3)


def test_sections_at_points_are_those_of_their_pieces():
    """Each piece tapers; 3 uniform pieces for each element."""
    sections = [mb.Section.rectangle(b, 0.02) for b in (0.05, 0.03, 0.02)]
    modal = mb.FlexibleBeam(points=CORNER, section=sections, material=STEEL, modes=3, elements=26).modal
    pieces, fine = [], []
    for k, (direction, n) in enumerate(((np.array([0.8, 0, 0]), 48), (np.array([0, 0.5, 0]), 30))):
        b = [each.A / 0.02 for each in sections[k : k + 2]]
        pieces += [direction / n] * n
        fine += [mb.Section.rectangle(b[0] + (b[1] - b[0]) * (j + 0.5) / n, 0.02) for j in range(n)]
    assert_allclose(modal.frequencies, lowest(*of_pieces(pieces, fine), 3), rtol=5e-3)  # J between the sections


def test_a_straight_line_through_points_is_a_beam_that_lies_there():
    """In a direction of the body: the same motion under the same loads in its own axes; stiffened as any straight beam."""
    x = np.array([2.0, 1.0, -2.0]) / 3
    start = np.array([0.3, -0.1, 0.2])
    line = mb.FlexibleBeam(
        points=[start, start + 0.4 * x, start + 1.5 * x], section=mb.Section.rectangle(0.02, 0.03), material=STEEL, modes=3
    )
    beam = mb.FlexibleBeam(1.5, mb.Section.rectangle(0.02, 0.03), STEEL, modes=3, elements=15)
    assert line.is_stiffened
    assert_allclose(line.modal.frequencies, beam.modal.frequencies, rtol=1e-4)
    for each in ("start", "end"):
        found, expected = line.modal.interfaces[each], beam.modal.interfaces[each]
        assert_allclose(found.X.p, start + x * expected.X.p[0], atol=1e-12)
        assert_allclose(np.abs(x @ found.shapes[3:]), 0, atol=1e-12)
    assert_allclose(
        np.linalg.norm(line.modal.interfaces["end"].shapes[3:], axis=0),
        np.linalg.norm(beam.modal.interfaces["end"].shapes[3:], axis=0),
        rtol=1e-4,
    )
    assert_allclose(
        np.einsum("a,aij->ij", x, line.modal.interfaces["end"].second)[0, 0], beam.modal.interfaces["end"].second[0, 0, 0], rtol=1e-4
    )
    assert_allclose(line.modal.mass_properties.com, start + 0.75 * x, rtol=1e-12)


@pytest.mark.parametrize("kind", ["corner", "cone"])
def test_a_free_beam_of_each_kind_keeps_its_energy(kind):
    system = mb.MultibodySystem()
    matter = mb.MatterSubsystem(system)
    circles = [mb.Section.circle(0.008), mb.Section.circle(0.004)]
    if kind == "corner":
        given = mb.FlexibleBeam(points=CORNER, section=[*circles, circles[1]], material=STEEL, modes=3)
    else:
        given = mb.FlexibleBeam(1.0, circles, STEEL, modes=3)
    body = mb.Free(matter.ground, given, name="beam")
    state = system.realize_topology()
    body.set_u(state, [1.0, 2.0, -1.5, 0.1, 0.2, 0.3])
    body.set_eta(state, [0.01, -0.005, 0.004])
    results = mb.Simulation(system, accuracy=1e-9).run(state, until=0.2)
    assert_allclose(results["energy"][-1], results["energy"][0], rtol=1e-6)


def test_a_beam_with_corners_and_sections_is_restored_bit_for_bit(tmp_path):
    system = mb.MultibodySystem("frame")
    matter = mb.MatterSubsystem(system)
    sections = [mb.Section.tube(0.02, 0.018), mb.Section.circle(0.02), mb.Section.rectangle(0.01, 0.02)]
    frame = mb.Pin(matter.ground, mb.FlexibleBeam(points=CORNER, section=sections, material=STEEL, modes=3, axis="z"), name="frame")
    mb.Weld(frame.interface("end"), mb.FlexibleBeam(0.4, sections[1:], STEEL, modes=2), name="arm")
    loaded = same_bytes(system, tmp_path)
    state = system.realize_topology()
    frame.set_eta(state, [0.01, -0.02, 0.003])
    same_bits(system, loaded, state, mb.Stage.ACCELERATION)
    frame_in_file, arm_in_file = (each["flexible"] for each in json.loads((tmp_path / "one.json").read_text())["bodies"][:2])
    assert set(frame_in_file) == {"type", "points", "section", "material", "modes", "axis"}
    assert [len(each["section"]) for each in (frame_in_file, arm_in_file)] == [3, 2]


def test_a_beam_is_drawn_with_its_sections_along_its_line():
    def volume(surface):
        a, b, c = (surface.vertices[surface.faces[:, k]] for k in range(3))
        return np.einsum("ij,ij->", a, np.cross(b, c)) / 6

    wedge = mb.FlexibleBeam(1.5, [mb.Section.rectangle(0.05, 0.02), mb.Section.rectangle(0.01, 0.02)], STEEL, modes=2).modal.surface
    assert_allclose(volume(wedge), 1.5 * 0.03 * 0.02, rtol=1e-12)
    modal = mb.FlexibleBeam(points=CORNER, section=mb.Section.rectangle(0.04, 0.02), material=STEEL, modes=3).modal
    drawn = modal.surface
    assert_allclose(drawn.vertices.min(axis=0), [0.1, -0.02, 0.19], atol=1e-12)
    assert_allclose(drawn.vertices.max(axis=0), [0.92, 0.5, 0.21], atol=1e-12)
    at_end = drawn.shapes[drawn.vertices[:, 1] > 0.5 - 1e-9]
    assert_allclose(at_end.mean(axis=0), modal.interfaces["end"].shapes[3:], atol=1e-12)


CIRCLE = mb.Section.circle(0.01)


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        ({"points": CORNER, "section": CIRCLE, "geometric_stiffening": True, "modes": 13}, "at most 12"),
        ({"points": CORNER, "section": CIRCLE, "frame": "nodal"}, "frame is 'inboard' or 'mean', not 'nodal'"),
        ({"points": CORNER, "length": 1.0, "section": CIRCLE}, "give a length, or points, one of them"),
        ({"section": CIRCLE}, "give a length, or points, one of them"),
        ({"points": CORNER[:1], "section": CIRCLE}, r"points has shape \(1, 3\)"),
        ({"points": [[0, 0, 0], [1, 0, 0], [1, 0, 0]], "section": CIRCLE}, "points 1 and 2 are the same"),
        ({"points": [[0, 0, 0], [1, 0, 0], [0.5, 0, 0]], "section": CIRCLE}, "folds back at its point 1"),
        ({"points": [[0, 0, 0], [-1, 0, 0]], "section": CIRCLE}, "first piece points against 'x'"),
        ({"points": CORNER, "section": [CIRCLE] * 2}, "2 sections for 3 points"),
        ({"length": 1.0, "section": [CIRCLE]}, "two or more of them"),
        ({"length": 1.0, "section": [CIRCLE, 0.1]}, "two or more of them"),
        ({"points": CORNER, "section": CIRCLE, "modes": 101, "elements": 40}, "at most 100"),
        ({"points": CORNER, "section": CIRCLE, "modes": 97}, "97 modes; 16 elements have 96. Give fewer modes"),
    ],
)
def test_lines_and_sections_that_are_no_beam_are_refused(arguments, words):
    with pytest.raises((InputError, UnsupportedError), match=words):
        mb.FlexibleBeam(material=STEEL, **arguments)
