"""Solids from mesh files, against closed forms: mass, inertia, frequencies and deflections of a bar; what is refused."""

from pathlib import Path

import meshio
import numpy as np
import pytest
from numpy.testing import assert_allclose

import mobod as mb
from mobod.errors import InputError, ModelFileError

skfem = pytest.importorskip("skfem", reason="the extra fem is not installed")

L, B, H = 0.5, 0.03, 0.02  # m
STEEL = mb.Material(E=2.1e11, nu=0.0, density=7850)  # without contraction across, so that a clamped end does not stiffen the bar
BRACKET = Path(__file__).parents[2] / "examples" / "bracket.msh"
ENDS = {"root": lambda x: x[:, 0] < 1e-6, "tip": lambda x: x[:, 0] > L - 1e-6}


def bar(kind, path, unit=1.0, shift=(0, 0, 0)):
    """A mesh file of a bar along x, its lengths in units of so many metres, with the groups 'left' and 'right'."""
    axes = (np.linspace(0, L, 9), np.linspace(0, B, 2), np.linspace(0, H, 2))
    mesh = (skfem.MeshTet if kind == "tetra" else skfem.MeshHex).init_tensor(*axes)
    points = (mesh.p.T + shift) / unit
    cells = mesh.t.T
    if kind == "hexahedron":  # to the order of VTK, by the corners' positions
        low = mesh.p.T[mesh.t.T].min(axis=1)
        high = mesh.p.T[mesh.t.T].max(axis=1)
        corners = np.array([[0, 0, 0], [1, 0, 0], [1, 1, 0], [0, 1, 0], [0, 0, 1], [1, 0, 1], [1, 1, 1], [0, 1, 1]])
        wanted = low[:, None] + corners * (high - low)[:, None]
        number = {tuple(np.round(each, 9)): i for i, each in enumerate(mesh.p.T)}
        cells = np.array([[number[tuple(np.round(each, 9))] for each in cell] for cell in wanted])
    meshio.Mesh(points, [(kind, cells)]).write(path)
    return path


@pytest.fixture(scope="module", params=["tetra", "hexahedron"])
def modal(request, tmp_path_factory):
    path = bar(request.param, tmp_path_factory.mktemp("bar") / "bar.vtk", unit=1e-3, shift=[0, -B / 2, -H / 2])
    return mb.ModalData.from_solid(path, STEEL, ENDS, inboard="root", scale=1e-3)


def test_mass_and_inertia_are_those_of_the_solid(modal):
    m = STEEL.density * L * B * H
    assert_allclose(modal.total_mass, m, rtol=1e-12)
    assert_allclose(modal.mass_properties.com, [L / 2, 0, 0], atol=1e-12)
    central = m / 12 * np.diag([B**2 + H**2, L**2 + H**2, L**2 + B**2])
    assert_allclose(modal.central_inertia, central, atol=1e-11 * m)
    assert_allclose(modal.interfaces["root"].X.p, [0, 0, 0], atol=1e-12)
    assert_allclose(modal.interfaces["tip"].X.p, [L, 0, 0], atol=1e-12)


def test_frequencies_are_those_of_a_cantilever(modal):
    """8 elements of second order along the bar, beside the library's Timoshenko beam: 0.3 % for half a wave, 2 % for two in 8 elements."""
    beam = mb.FlexibleBeam(L, mb.Section.rectangle(B, H), STEEL, modes=4).modal
    assert_allclose(modal.frequencies[:2], beam.frequencies[:2], rtol=0.003)
    assert_allclose(modal.frequencies[2:4], beam.frequencies[2:], rtol=0.02)
    root = 1.8751040687119611  # of cos x cosh x = -1; a bar of 1 : 17 is 0.3 % lower by shear and rotary inertia
    closed = [root**2 * np.sqrt(STEEL.E * I / (STEEL.density * B * H)) / L**2 / (2 * np.pi) for I in (B * H**3 / 12, H * B**3 / 12)]
    assert_allclose(modal.frequencies[:2], closed, rtol=0.01)


def test_static_deflections_are_those_of_a_cantilever(modal):
    """With all shapes of the tip: under a force and a pull at the tip, bending with shear, and elongation."""
    tip = modal.interfaces["tip"].shapes
    flexibility = (tip / modal.stiffness) @ tip.T
    I, G = B * H**3 / 12, STEEL.shear_modulus
    assert_allclose(flexibility[5, 5], L**3 / (3 * STEEL.E * I) + 1.2 * L / (G * B * H), rtol=0.01)
    assert_allclose(flexibility[3, 3], L / (STEEL.E * B * H), rtol=1e-6)
    assert_allclose(flexibility[1, 5], -(L**2) / (2 * STEEL.E * I), rtol=0.01)


def test_the_surface_is_closed_and_seen_from_outside(modal):
    """Its volume by Gauss's theorem is that of the bar, positive only with all faces outward; it moves with the interfaces."""
    surface = modal.surface
    a, b, c = (surface.vertices[surface.faces[:, k]] for k in range(3))
    assert_allclose(np.einsum("ij,ij->", a, np.cross(b, c)) / 6, L * B * H, rtol=1e-12)
    at_tip = surface.vertices[:, 0] > L - 1e-9
    rigid = modal.interfaces["tip"].shapes
    arms = surface.vertices[at_tip] - [L, 0, 0]
    wanted = rigid[3:] + np.array([np.cross(rigid[:3].T, arm).T for arm in arms])
    assert_allclose(surface.shapes[at_tip], wanted, atol=1e-9 * np.abs(wanted).max())
    assert np.abs(surface.shapes[surface.vertices[:, 0] < 1e-9]).max() < 1e-9


def test_groups_of_faces_of_a_mesh_file_are_interfaces():
    """The bracket of the examples, in mm."""
    aluminium = mb.Material(E=7e10, nu=0.33, density=2700)
    modal = mb.ModalData.from_solid(
        BRACKET, aluminium, {"base": "base", "top": {"on": "top", "tie": "average"}}, inboard="base", scale=1e-3, modes=3
    )
    assert_allclose(modal.total_mass, 2700 * (60 * 40 * 8 + 8 * 40 * 72) * 1e-9, rtol=1e-12)
    assert_allclose(modal.interfaces["base"].X.p, [0.03, 0.02, 0], atol=1e-12)
    assert_allclose(modal.interfaces["top"].X.p, [0.004, 0.02, 0.08], atol=1e-12)
    with pytest.raises(InputError, match=r"bracket.msh: there is no group of faces 'lug'. The file has 'base', 'top'"):
        mb.ModalData.from_solid(BRACKET, aluminium, {"base": "lug"}, inboard="base")


def test_what_is_no_solid_is_refused(tmp_path):
    path = bar("tetra", tmp_path / "bar.vtk")
    with pytest.raises(InputError, match=r"bar.vtk: interface 'side' has no faces on the surface"):
        mb.ModalData.from_solid(path, STEEL, {"side": lambda x: x[:, 0] > 2 * L}, inboard="side")
    with pytest.raises(InputError, match=r"the function of interface 'side' returned float64"):
        mb.ModalData.from_solid(path, STEEL, {"side": lambda x: x[:, 0]}, inboard="side")
    with pytest.raises(InputError, match=r"an incompressible solid needs other elements"):
        mb.ModalData.from_solid(path, mb.Material(E=1e6, nu=0.5, density=1000), ENDS, inboard="root")
    with pytest.raises(InputError, match=r"interface 'root' has 'on', and may have 'tie' and 'X'; not \['nodes'\]"):
        mb.ModalData.from_solid(path, STEEL, {"root": {"nodes": [1]}}, inboard="root")
    meshio.Mesh(np.eye(3), [("triangle", [[0, 1, 2]])]).write(tmp_path / "flat.vtk")
    with pytest.raises(ModelFileError, match=r"flat.vtk: a mesh of tetrahedra, or of hexahedra, is needed. It has triangle"):
        mb.ModalData.from_solid(tmp_path / "flat.vtk", STEEL, ENDS, inboard="root")
    mesh = meshio.read(path)
    mesh.points[:, 2] = 0
    mesh.write(tmp_path / "crushed.vtk")
    with pytest.raises(ModelFileError, match=r"crushed.vtk: cell \d+ is flat, or folded at a corner"):
        mb.ModalData.from_solid(tmp_path / "crushed.vtk", STEEL, ENDS, inboard="root")
    (tmp_path / "text.msh").write_text("no mesh")
    with pytest.raises(ModelFileError, match=r"text.msh is no mesh that meshio reads"):
        mb.ModalData.from_solid(tmp_path / "text.msh", STEEL, ENDS, inboard="root")
    with pytest.raises(ModelFileError, match=r"none.msh: there is no such file"):
        mb.ModalData.from_solid(tmp_path / "none.msh", STEEL, ENDS, inboard="root")
