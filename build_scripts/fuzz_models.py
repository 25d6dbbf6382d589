"""Readers of robots, models and meshes (fuzz.py). mobod is imported within functions: see fuzz_reader.py."""

import struct
from collections.abc import Iterator
from functools import partial
from pathlib import Path

from fuzz_changes import changed_json, changed_xml
from fuzz_reader import EXAMPLES, Read, of_example, reader, written


def _urdf_examples() -> Iterator[bytes]:
    yield (EXAMPLES / "arm.urdf").read_bytes()
    yield (EXAMPLES / "quadruped.urdf").read_bytes()
    yield b"""<?xml version="1.0"?>
<robot name="all kinds">
 <material name="red"><color rgba="1 0 0 1"/></material>
 <link name="base"><inertial><origin xyz="0 0 0.1" rpy="0.1 0 0"/><mass value="2"/>
  <inertia ixx="0.1" iyy="0.1" izz="0.1" ixy="0" ixz="0" iyz="0"/></inertial>
  <visual><geometry><box size="1 2 3"/></geometry><material name="red"/></visual>
  <collision name="c"><geometry><box size="1 1 1"/></geometry></collision>
  <visual><geometry><mesh filename="package://x/mesh.stl" scale="1 1 1"/></geometry></visual></link>
 <link name="a"><inertial><mass value="1"/><inertia ixx="1" iyy="1" izz="1" ixy="0" ixz="0" iyz="0"/></inertial>
  <visual><geometry><cylinder radius="0.1" length="0.2"/></geometry></visual>
  <collision><geometry><sphere radius="0.1"/></geometry></collision>
  <contact><lateral_friction value="0.5"/><rolling_friction value="0"/><stiffness value="1e5"/><damping value="10"/></contact></link>
 <link name="b"/><link name="d"/><link name="e"/>
 <joint name="j1" type="revolute"><parent link="base"/><child link="a"/><origin xyz="0 0 1" rpy="0 0 0"/><axis xyz="0 0 1"/>
  <limit lower="-1" upper="1" effort="10" velocity="2"/><dynamics damping="0.1" friction="0.2"/>
  <safety_controller k_velocity="1" soft_lower_limit="-0.9" soft_upper_limit="0.9"/></joint>
 <joint name="j2" type="prismatic"><parent link="a"/><child link="b"/><limit effort="1" velocity="1" lower="0" upper="1"/>
  <mimic joint="j1" multiplier="2" offset="0.1"/></joint>
 <joint name="j3" type="planar"><parent link="b"/><child link="d"/><axis xyz="1 0 0"/></joint>
 <joint name="j4" type="floating"><parent link="d"/><child link="e"/></joint>
 <transmission name="t"><type>x</type><joint name="j1"/><actuator name="m"/></transmission>
 <gazebo reference="a"><mu1>0.3</mu1><kp>1e6</kp></gazebo>
</robot>"""


@reader("urdf", reads="robots", suffix=".urdf", modules=("mobod.files", "mobod.graph"), examples=_urdf_examples, change=changed_xml)
def _urdf(folder: Path) -> Read:
    import mobod as mb

    def read(path: Path) -> object:
        mb.load_urdf(path, contact="compliant", limits="stops", floating_base=True)
        return mb.read_urdf(path, strict=True)

    return read


def _sdf_examples() -> Iterator[bytes]:
    yield b"""<?xml version="1.0"?>
<sdf version="1.11"><world name="w"><gravity>0 0 -9.8</gravity><physics type="ode"/><plugin name="p" filename="f"/>
 <model name="ground"><static>true</static><link name="l"><collision name="c"><geometry><plane><normal>0 0 1</normal></plane></geometry>
  </collision></link></model>
 <model name="arm" canonical_link="a" placement_frame="f"><pose relative_to="ground">1 0 0 0 0 0.5</pose><self_collide>1</self_collide>
  <frame name="f" attached_to="a"><pose degrees="true">0 0 1 0 45 0</pose></frame>
  <link name="a"><inertial><pose>0 0 0.1 0 0 0</pose><mass>2</mass><inertia><ixx>0.1</ixx><iyy>0.1</iyy><izz>0.1</izz></inertia></inertial>
   <visual name="v"><geometry><box><size>1 2 3</size></box></geometry><material><diffuse>1 0 0 1</diffuse></material></visual>
   <collision name="c"><geometry><sphere><radius>0.1</radius></sphere></geometry><surface><friction><ode><mu>0.5</mu></ode></friction>
    <contact><collide_bitmask>0x01</collide_bitmask></contact></surface></collision><sensor name="s" type="imu"/></link>
  <link name="b"><pose relative_to="f" rotation_format="quat_xyzw">0 0 1 0 0 0 1</pose><inertial auto="true"/><gravity>false</gravity>
   <collision name="c"><density>10</density><geometry><cylinder><radius>0.1</radius><length>1</length></cylinder></geometry></collision>
  </link>
  <model name="tool"><link name="c"/></model>
  <joint name="j1" type="universal"><parent>world</parent><child>a</child><axis><xyz>1 0 0</xyz></axis><axis2><xyz>0 1 0</xyz></axis2>
  </joint>
  <joint name="j2" type="screw"><parent>f</parent><child>b</child><axis><xyz expressed_in="__model__">0 0 1</xyz><limit><lower>-1</lower>
   <upper>1</upper><effort>10</effort><velocity>2</velocity><stiffness>1e4</stiffness></limit><dynamics><damping>0.1</damping>
   <friction>0.2</friction><spring_stiffness>1</spring_stiffness></dynamics></axis><screw_thread_pitch>0.1</screw_thread_pitch></joint>
  <joint name="j3" type="revolute"><parent>b</parent><child>tool::c</child><axis><xyz>0 0 1</xyz>
   <mimic joint="j2"><multiplier>2</multiplier></mimic></axis><sensor name="t" type="force_torque"/></joint></model></world></sdf>"""
    yield b"""<sdf version="1.5"><model name="old"><link name="a"/><link name="b"/><link name="c"/>
 <joint name="j" type="revolute2"><parent>a</parent><child>b</child>
 <axis><xyz>1 0 0</xyz><use_parent_model_frame>1</use_parent_model_frame></axis><axis2><xyz>0 0 1</xyz></axis2></joint>
 <joint name="k" type="revolute"><parent>c</parent><child>a</child><axis><xyz>0 0 1</xyz></axis></joint>
 <joint name="l" type="revolute"><parent>c</parent><child>b</child><axis><xyz>0 0 1</xyz></axis></joint>
 <joint name="g" type="gearbox"><parent>a</parent><child>b</child><gearbox_reference_body>c</gearbox_reference_body></joint>
 </model></sdf>"""


@reader("sdf", reads="robots", suffix=".sdf", modules=("mobod.files", "mobod.graph"), examples=_sdf_examples, change=changed_xml)
def _sdf(folder: Path) -> Read:
    import mobod as mb

    def read(path: Path) -> object:
        mb.load_sdf(path, contact="compliant", limits="stops")
        return mb.read_sdf(path, strict=True)

    return read


def _model_examples() -> Iterator[bytes]:
    import mobod as mb

    systems = [
        of_example("04_four_bar.py", "four_bar"),
        of_example("16_block_on_incline.py", "block_on_incline", 0.3)[0],
        mb.load_urdf(EXAMPLES / "arm.urdf", limits="stops"),
    ]
    for system in systems:
        yield written(partial(mb.save_model, system))
    yield b"""{"format": "mobod-model", "version": 1, "name": "by hand", "up_direction": [0, 0, 1], "penetration_tol": 0.001,
 "bodies": [{"name": "a", "type": "Pin", "parent": "ground", "mass": 1, "com": [0, 0, 0], "inertia": [[1, 0, 0], [0, 1, 0], [0, 0, 1]]}],
 "constraints": [], "forces": [{"name": "forces", "elements": []}], "measures": []}"""


@reader(
    "model",
    reads="model files",
    suffix=".json",
    modules=("mobod.files", "mobod.matter", "mobod.forces", "mobod.contact", "mobod.couplings", "mobod.functions"),
    examples=_model_examples,
    change=changed_json,
)
def _model(folder: Path) -> Read:
    import mobod as mb

    return mb.load_model


_OF_MESHES = ("mobod.files", "trimesh.exchange")  # modules
_CORNERS = ((0, 0, 0), (1, 0, 0), (0, 2, 0), (0, 0, 3))
_FACES = ((0, 2, 1), (0, 1, 3), (0, 3, 2), (1, 2, 3))


def _stl_examples() -> Iterator[bytes]:
    triangles = [[_CORNERS[k] for k in face] for face in _FACES]
    rows = [struct.pack("<12fH", 0, 0, 0, *(x for corner in each for x in corner), 0) for each in triangles]
    yield bytes(80) + struct.pack("<I", len(rows)) + b"".join(rows)
    facets = [
        "facet normal 0 0 0\nouter loop\n" + "".join(f"vertex {x} {y} {z}\n" for x, y, z in each) + "endloop\nendfacet"
        for each in triangles
    ]
    yield "\n".join(["solid thing", *facets, "endsolid thing\n"]).encode()


def _obj_examples() -> Iterator[bytes]:
    corners = [f"v {x} {y} {z}" for x, y, z in _CORNERS]
    faces = [f"f {a + 1} {b + 1} {c + 1}" for a, b, c in _FACES]
    yield "\n".join(["mtllib m.mtl", "o thing", *corners, "usemtl blue", *faces]).encode()
    yield "\n".join([*corners, "vt 0 0", "vn 0 0 1", "g a", "s 1", "f 1/1/1 2/1/1 3/1/1 4/1/1", "f -1//1 -2//1 -3//1", "l 1 2"]).encode()


def _dae_examples() -> Iterator[bytes]:
    numbers = " ".join(str(x) for corner in _CORNERS for x in corner)
    indices = " ".join(str(k) for face in _FACES for k in face)
    yield f"""<?xml version="1.0" encoding="utf-8"?>
<COLLADA xmlns="http://www.collada.org/2005/11/COLLADASchema" version="1.4.1">
 <asset><unit meter="0.01"/><up_axis>Y_UP</up_axis></asset>
 <library_effects><effect id="e"><profile_COMMON><technique sid="t"><lambert>
  <diffuse><color>0 0.6 0.2 1</color></diffuse></lambert></technique></profile_COMMON></effect></library_effects>
 <library_materials><material id="m"><instance_effect url="#e"/></material></library_materials>
 <library_geometries><geometry id="g"><mesh>
  <source id="s"><float_array id="a" count="12">{numbers}</float_array><technique_common><accessor source="#a" count="4" stride="3">
   <param name="X" type="float"/><param name="Y" type="float"/><param name="Z" type="float"/></accessor></technique_common></source>
  <vertices id="v"><input semantic="POSITION" source="#s"/></vertices>
  <triangles count="4" material="m"><input semantic="VERTEX" source="#v" offset="0"/><p>{indices}</p></triangles>
  <polylist count="1" material="m"><input semantic="VERTEX" source="#v" offset="0"/><vcount>4</vcount><p>0 1 2 3</p></polylist>
 </mesh></geometry></library_geometries>
 <library_nodes><node id="n1"><translate>1 0 0</translate><instance_geometry url="#g"/></node></library_nodes>
 <library_visual_scenes><visual_scene id="scene"><node id="n"><matrix>1 0 0 5 0 1 0 0 0 0 1 0 0 0 0 1</matrix>
  <instance_geometry url="#g"><bind_material><technique_common><instance_material symbol="m" target="#m"/></technique_common>
  </bind_material></instance_geometry></node><node id="more"><rotate>0 0 1 90</rotate><instance_node url="#n1"/></node>
 </visual_scene></library_visual_scenes>
 <scene><instance_visual_scene url="#scene"/></scene>
</COLLADA>""".encode()


@reader("stl", reads="meshes", suffix=".stl", modules=_OF_MESHES, examples=_stl_examples)
@reader("obj", reads="meshes", suffix=".obj", modules=_OF_MESHES, examples=_obj_examples)
@reader(
    "dae",
    reads="meshes",
    suffix=".dae",
    modules=(*_OF_MESHES, "collada"),
    examples=_dae_examples,
    change=changed_xml,
    needs="pycollada",
)
def _mesh(folder: Path) -> Read:
    import trimesh  # noqa: F401  its branches are not counted: mobod takes any of its errors

    from mobod.files.meshes.mesh_file import read_mesh
    from mobod.matter.bodies.decorations import MeshFile

    return lambda path: read_mesh(MeshFile(str(path)), [path.parent])
