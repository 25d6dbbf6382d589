"""Meshes of STL, OBJ and DAE files: where they are found, what is read, and what is refused."""

import os
import struct

import numpy as np
import pytest
from numpy.testing import assert_allclose

import mobod as mb
from mobod.errors import ModelFileError, UnsupportedError
from mobod.files.meshes.mesh_file import MOST_BYTES, read_mesh
from mobod.files.meshes.places import find_mesh_file
from mobod.matter.bodies.decorations import MeshFile

# a tetrahedron
POINTS = np.array([[0, 0, 0], [1, 0, 0], [0, 2, 0], [0, 0, 3.0]])
FACES = np.array([[0, 2, 1], [0, 1, 3], [0, 3, 2], [1, 2, 3]])


def binary_stl(triangles, count=None):
    rows = [struct.pack("<12fH", 0, 0, 0, *np.ravel(each), 0) for each in triangles]
    return bytes(80) + struct.pack("<I", len(rows) if count is None else count) + b"".join(rows)


def ascii_stl(triangles):
    corners = "".join(
        "facet normal 0 0 0\nouter loop\n" + "".join(f"vertex {x} {y} {z}\n" for x, y, z in each) + "endloop\nendfacet\n"
        for each in triangles
    )
    return f"solid thing\n{corners}endsolid thing\n".encode()


def obj(more=""):
    lines = [f"v {x} {y} {z}" for x, y, z in POINTS] + [f"f {a + 1} {b + 1} {c + 1}" for a, b, c in FACES[:2]]
    return "\n".join([*lines[:4], more, *lines[4:], "usemtl blue", *(f"f {a + 1} {b + 1} {c + 1}" for a, b, c in FACES[2:])]).encode()


def dae(*, before="", unit="0.01", nodes=""):
    numbers = " ".join(map(str, POINTS.ravel()))
    indices = " ".join(map(str, FACES.ravel()))
    return f"""<?xml version="1.0" encoding="utf-8"?>{before}
<COLLADA xmlns="http://www.collada.org/2005/11/COLLADASchema" version="1.4.1">
 <asset><unit meter="{unit}"/><up_axis>Y_UP</up_axis></asset>
 <library_effects><effect id="e"><profile_COMMON><technique sid="t"><lambert>
  <diffuse><color>0 0.6 0.2 1</color></diffuse></lambert></technique></profile_COMMON></effect></library_effects>
 <library_materials><material id="m"><instance_effect url="#e"/></material></library_materials>
 <library_geometries><geometry id="g"><mesh>
  <source id="s"><float_array id="a" count="12">{numbers}</float_array><technique_common><accessor source="#a" count="4" stride="3">
   <param name="X" type="float"/><param name="Y" type="float"/><param name="Z" type="float"/></accessor></technique_common></source>
  <vertices id="v"><input semantic="POSITION" source="#s"/></vertices>
  <triangles count="4" material="m"><input semantic="VERTEX" source="#v" offset="0"/><p>{indices}</p></triangles>
 </mesh></geometry></library_geometries>
 {nodes}
 <library_visual_scenes><visual_scene id="scene"><node id="n"><matrix>1 0 0 5 0 1 0 0 0 0 1 0 0 0 0 1</matrix>
  <instance_geometry url="#g"><bind_material><technique_common><instance_material symbol="m" target="#m"/></technique_common>
  </bind_material></instance_geometry></node>{'<node id="more"><instance_node url="#n1"/></node>' if nodes else ""}
 </visual_scene></library_visual_scenes>
 <scene><instance_visual_scene url="#scene"/></scene>
</COLLADA>""".encode()


def written(folder, name, data):
    (folder / name).write_bytes(data)
    return folder / name


def triangles_of(parts):
    return np.concatenate([part.vertices[part.faces] for part in parts])


def same_triangles(parts, expected):
    """Whether they are the same in any order, each from any of its corners, with the same orientation."""

    def sorted_rows(triangles):
        turned = [np.roll(each, -min(range(3), key=lambda i: tuple(each[i])), axis=0) for each in np.round(triangles, 5) + 0.0]
        return np.array(sorted(tuple(each.ravel()) for each in turned))

    found = sorted_rows(triangles_of(parts))
    return found.shape == sorted_rows(expected).shape and np.allclose(found, sorted_rows(expected), atol=1e-5)


@pytest.mark.parametrize("data", [binary_stl(POINTS[FACES]), binary_stl(POINTS[FACES]) + b"more", ascii_stl(POINTS[FACES])])
def test_a_stl_file_has_each_vertex_once_and_the_color_of_its_shape(tmp_path, data):
    written(tmp_path, "part.STL", data)
    (part,) = read_mesh(MeshFile("part.STL", (2, 1, 0.5), color=(0.1, 0.2, 0.3)), [tmp_path])
    assert (part.vertices.shape, part.vertices.dtype, part.faces.dtype) == ((4, 3), np.float32, np.int32)
    assert same_triangles([part], POINTS[FACES] * [2, 1, 0.5])
    assert part.color == (0.1, 0.2, 0.3)


def test_a_mirrored_mesh_is_still_seen_from_outside(tmp_path):
    written(tmp_path, "part.stl", binary_stl(POINTS[FACES]))
    (part,) = read_mesh(MeshFile("part.stl", (1, 1, -1)), [tmp_path])
    a, b, c = part.vertices[part.faces].transpose(1, 0, 2)
    volume = np.einsum("ij,ij->", a, np.cross(b, c)) / 6
    assert volume == pytest.approx(1.0)


def test_an_obj_file_has_the_colors_of_its_materials(tmp_path):
    written(tmp_path, "part.mtl", b"newmtl blue\nKd 0 0 1\nnewmtl red\nKd 1 0 0\nmap_Kd /etc/passwd\n")
    written(tmp_path, "part.obj", obj("mtllib part.mtl\nusemtl red"))
    parts = read_mesh(MeshFile("part.obj"), [tmp_path])
    assert {part.color for part in parts} == {(1, 0, 0), (0, 0, 1)}
    assert same_triangles(parts, POINTS[FACES])
    (part,) = read_mesh(MeshFile("part.obj", color=(0, 1, 0)), [tmp_path])  # that of the URDF file comes first
    assert part.color == (0, 1, 0)
    (tmp_path / "part.mtl").unlink()
    (part,) = read_mesh(MeshFile("part.obj"), [tmp_path])
    assert same_triangles([part], POINTS[FACES])
    assert part.color == (0.6, 0.6, 0.6)


def test_a_dae_file_has_its_unit_its_nodes_and_its_axes(tmp_path):
    pytest.importorskip("collada")
    written(tmp_path, "part.dae", dae())
    (part,) = read_mesh(MeshFile("part.dae", (1, 2, 1)), [tmp_path])
    assert same_triangles([part], (POINTS[FACES] + [5, 0, 0]) * 0.01 * [1, 2, 1])
    assert_allclose(part.color, [0, 0.6, 0.2], atol=0.003)


def test_a_large_mesh_is_simplified_and_keeps_its_size(tmp_path):
    angles = np.linspace(0, 2 * np.pi, 121)
    heights = np.linspace(-1, 1, 61)
    grid = np.array([[np.cos(a), np.sin(a), h] for h in heights for a in angles])
    quads = [(i * 121 + j, i * 121 + j + 1, (i + 1) * 121 + j + 1, (i + 1) * 121 + j) for i in range(60) for j in range(120)]
    faces = np.array([each for a, b, c, d in quads for each in ((a, b, c), (a, c, d))])
    written(tmp_path, "tube.stl", binary_stl(grid[faces]))
    (part,) = read_mesh(MeshFile("tube.stl"), [tmp_path], most_triangles=2000)
    assert 1000 < len(part.faces) <= 2000
    assert_allclose(np.ptp(part.vertices, axis=0), [2, 2, 2], atol=0.1)
    assert len(np.unique(part.faces)) == len(part.vertices)
    (whole,) = read_mesh(MeshFile("tube.stl"), [tmp_path])
    assert len(whole.faces) == len(faces)


@pytest.mark.parametrize(
    "name",
    [
        "../meshes/a.stl",
        "package://robot/meshes/a.stl",
        "package://meshes/a.stl",
        "model://meshes/a.stl",
        "package://x/meshes/a.stl",
        "meshes/a.stl",
    ],
)
def test_a_file_is_found_by_its_name(tmp_path, name):
    for folder in ("robot/urdf", "robot/meshes", "x/meshes"):
        (tmp_path / folder).mkdir(parents=True)
    path = written(tmp_path, "x/meshes/a.stl" if "/x/" in name else "robot/meshes/a.stl", b"")
    assert os.path.samefile(find_mesh_file(name, [tmp_path / "robot" / "urdf"]), path)


def test_an_absolute_path_is_read_only_in_the_folders_of_the_model(tmp_path):
    folder = tmp_path / "a" / "b" / "c" / "d" / "e" / "f"
    folder.mkdir(parents=True)
    (tmp_path / "other").mkdir()
    path = written(tmp_path / "other", "a part.stl", b"")
    near = written(folder, "near.stl", b"")
    assert find_mesh_file(str(near), [folder]) == near
    for name in (str(path), f"file://{path}".replace(" ", "%20"), "../../../../../../other/a part.stl"):
        with pytest.raises(ModelFileError, match=r"is outside of the folders of meshes.*Add its folder to system\.mesh_folders"):
            find_mesh_file(name, [folder])
        assert os.path.samefile(find_mesh_file(name, [folder, tmp_path / "other"]), path)


def test_what_is_no_ordinary_file_is_not_read(tmp_path):
    (tmp_path / "folder.stl").mkdir()
    names = ["folder.stl", "none.stl", "", "a\0.stl"]
    if hasattr(os, "mkfifo"):
        os.mkfifo(tmp_path / "pipe.stl")
        names.append("pipe.stl")
    for name in names:
        with pytest.raises(ModelFileError, match="mesh file "):
            find_mesh_file(name, [tmp_path])
    with pytest.raises(ModelFileError, match="the folder of the model is not known"):
        find_mesh_file("a.stl", [])


ENTITIES = '<!DOCTYPE a [<!ENTITY b "bbbbbbbb"><!ENTITY c "&b;&b;&b;&b;">]>'
CHAIN = "".join(f'<node id="n{i}">' + f'<instance_node url="#n{i + 1}"/>' * 10 + "</node>" for i in range(1, 30))
CIRCLE = '<node id="n1"><instance_node url="#n1"/></node>'
DAMAGED = {
    "a cut.stl": (binary_stl(POINTS[FACES])[:-30], "it is cut off: it has 3 of 4 triangles"),
    "a wrong count.stl": (binary_stl(POINTS[FACES], count=4_000_000_000), "it is cut off: it has 4 of 4000000000 triangles"),
    "empty.stl": (b"", "it is cut off"),
    "cut text.stl": (ascii_stl(POINTS[FACES])[:-60], "it is cut off: 'endsolid' is missing"),
    "no triangle.stl": (binary_stl([]), "it has no triangles|it cannot be read"),
    "not finite.stl": (binary_stl([np.full((3, 3), np.nan), np.full((3, 3), 1e35)]), "it has no triangles"),
    "flat.stl": (binary_stl([np.zeros((3, 3))]), "it has no triangles"),
    "text.obj": (b"hello", "it cannot be read as OBJ|it has no triangles"),
    "beyond.obj": (b"v 0 0 0\nf 1 2 9\n", "it cannot be read as OBJ|it has no triangles"),
    "entities.dae": (dae(before=ENTITIES), "document type declaration, which is not allowed"),
    "utf-16.dae": (dae().decode().replace("utf-8", "utf-16").encode("utf-16"), "it is not an XML file in UTF-8"),
    "encoding.dae": (dae().replace(b"utf-8", b"IBM037"), "its encoding, IBM037, is not supported"),
    "cut.dae": (dae()[:900], "it is not well-formed XML"),
    "other.dae": (b"<robot/>", "it is not a DAE file"),
    "archive.dae": (b"PK\3\4", "it is not an XML file"),
    "unit.dae": (dae(unit="-1"), "the unit of its lengths, '-1' m"),
    "nested.dae": (dae(nodes="<a>" * 300 + "</a>" * 300), "elements are nested deeper than 200"),
    "circle.dae": (
        dae(nodes='<library_nodes><node id="n1"><instance_node url="#n1"/></node></library_nodes>'),
        "node 'n1' contains itself",
    ),
    "often.dae": (
        dae(nodes=f'<library_nodes>{CHAIN}<node id="n30"><instance_geometry url="#g"/></node></library_nodes>'),
        "has too many geometries",
    ),
}


@pytest.mark.parametrize("name", DAMAGED)
def test_damaged_and_hostile_files_are_named_in_an_error(tmp_path, name):
    pytest.importorskip("collada")
    data, message = DAMAGED[name]
    written(tmp_path, name, data)
    with pytest.raises(ModelFileError, match=message) as caught:
        read_mesh(MeshFile(name), [tmp_path])
    assert name in str(caught.value)


def test_a_file_that_is_too_large_is_not_opened(tmp_path):
    with (tmp_path / "large.stl").open("wb") as file:
        file.truncate(MOST_BYTES + 1)
    with pytest.raises(ModelFileError, match=f"it has {MOST_BYTES + 1} bytes, and the limit is"):
        read_mesh(MeshFile("large.stl"), [tmp_path])


def test_other_formats_are_refused(tmp_path):
    written(tmp_path, "part.ply", b"")
    with pytest.raises(UnsupportedError, match=r"meshes are read from STL, OBJ and DAE files, not from \.ply"):
        read_mesh(MeshFile("part.ply"), [tmp_path])


def test_systems_of_files_know_the_folder_of_their_meshes(tmp_path):
    inertia = '<inertia ixx="1" iyy="1" izz="1" ixy="0" ixz="0" iyz="0"/>'
    text = f'<robot name="r"><link name="base"><inertial><mass value="1"/>{inertia}</inertial></link></robot>'
    path = written(tmp_path, "r.urdf", text.encode())
    system = mb.load_urdf(path)
    assert system.mesh_folders == (str(tmp_path),)
    mb.save_model(system, tmp_path / "r.json")
    assert mb.load_model(tmp_path / "r.json").mesh_folders == (str(tmp_path),)
