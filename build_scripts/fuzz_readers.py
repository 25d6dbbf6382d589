"""READERS: what `fuzz.py` gives changed files to. Each has small examples to begin with, which its `examples` makes.

mobod is imported within functions: the fuzzer counts the branches of modules that are imported after it.
"""

import hashlib
import struct
import zipfile
from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import dataclass
from functools import partial
from importlib import import_module
from io import BytesIO
from pathlib import Path
from runpy import run_path
from tempfile import TemporaryDirectory
from typing import Any
from zlib import crc32

from fuzz_changes import Change, changed_cells, changed_hdf5, changed_json, changed_json_lines, changed_mat, changed_xml

ROOT = Path(__file__).resolve().parents[1]
EXAMPLES = ROOT / "examples"

Read = Callable[[Path], object]


@dataclass(frozen=True, kw_only=True)
class Reader:
    """A reader of files.

    reads     what it reads, for people
    suffix    of its files
    modules   whose branches are counted
    examples  makes files that it accepts
    prepare   makes the function that reads a file; its argument is a folder for other files that this needs
    change    changes that keep the form of the file; None: bytes are changed
    seal      makes checksums right, which no random change does
    needs     a package that it needs
    """

    reads: str
    suffix: str
    modules: tuple[str, ...]
    examples: Callable[[], Iterator[bytes]]
    prepare: Callable[[Path], Read]
    change: Change | None = None
    seal: Callable[[bytes], bytes] = bytes
    needs: str = ""


# ------------------------------------------------------------------------------------------------------------------- robots, models, meshes


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


def _urdf(folder: Path) -> Read:
    import mobod as mb

    def read(path: Path) -> object:
        mb.load_urdf(path, contact="compliant", limits="stops", floating_base=True)
        return mb.read_urdf(path, strict=True)

    return read


def _model_examples() -> Iterator[bytes]:
    import mobod as mb

    systems = [
        _of_example("04_four_bar.py", "four_bar"),
        _of_example("16_block_on_incline.py", "block_on_incline", 0.3)[0],
        mb.load_urdf(EXAMPLES / "arm.urdf", limits="stops"),
    ]
    with TemporaryDirectory() as folder:
        for system in systems:
            yield mb.save_model(system, Path(folder) / "system.json").read_bytes()
    yield b"""{"format": "mobod-model", "version": 1, "name": "by hand", "up_direction": [0, 0, 1], "penetration_tol": 0.001,
 "bodies": [{"name": "a", "type": "Pin", "parent": "ground", "mass": 1, "com": [0, 0, 0], "inertia": [[1, 0, 0], [0, 1, 0], [0, 0, 1]]}],
 "constraints": [], "forces": [{"name": "forces", "elements": []}], "measures": []}"""


def _of_example(file: str, function: str, *arguments: Any) -> Any:
    return run_path(str(EXAMPLES / file))[function](*arguments)


def _model(folder: Path) -> Read:
    import mobod as mb

    return mb.load_model


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


def _mesh(folder: Path) -> Read:
    import trimesh  # noqa: F401  its branches are not counted: mobod takes any of its errors

    from mobod.files.mesh_file import read_mesh
    from mobod.matter.bodies.decorations import MeshFile

    return lambda path: read_mesh(MeshFile(str(path)), [path.parent])


# ----------------------------------------------------------------------------------------------------------------------------------- tables


def _table_examples(suffix: str) -> Iterator[bytes]:
    import numpy as np

    import mobod as mb
    from mobod.simulate.column import Column

    time = np.array([0.0, 0.1, 0.25])
    columns = [
        Column("a.q", np.array([1.0, -2.5, np.nan]), unit="rad", description="an angle"),
        Column("mass", np.array([2.0, 2.0, 2.0]), unit="kg", is_parameter=True),
    ]
    table = mb.Table._of(time, columns)
    with TemporaryDirectory() as folder:
        path = Path(folder) / f"table{suffix}"
        getattr(table, {".csv": "to_csv", ".mat": "to_mat", ".h5": "to_hdf5"}[suffix])(path)
        yield path.read_bytes()
    if suffix == ".csv":
        yield b"time,a,text\n0,1,one\n1,2.5,two\n# ended: because\n"


def _table(folder: Path) -> Read:
    import mobod as mb

    return mb.Table.from_file


def _inputs_examples() -> Iterator[bytes]:
    yield b'"time", "u", "on"\n0, 1, true\n0.5, 2.5, false\n0.5, 3, 0\n1, -1e3, 1\n'


def _inputs(folder: Path) -> Read:
    from mobod.importer.input_table import read_input_table

    return read_input_table


# ------------------------------------------------------------------------------------------------------------------------------------- FMUs


def _descriptions() -> tuple[bytes, bytes]:
    made = import_module("tests.acceptance.right_fmus")
    return made.FMI2.encode(), made.FMI3.encode()


_TERMINALS = b"""<?xml version="1.0" encoding="UTF-8"?>
<fmiTerminalsAndIcons fmiVersion="3.0"><Terminals><Terminal name="port" matchingRule="plug" terminalKind="k">
<TerminalMemberVariable variableName="x" memberName="p" variableKind="signal"/>
<TerminalMemberVariable variableName="u" variableKind="signal"/>
</Terminal></Terminals></fmiTerminalsAndIcons>"""


def _fmu(description: bytes, terminals: bytes = _TERMINALS) -> bytes:
    """An FMU whose libraries are empty: they are not loaded."""
    import fmpy

    made = BytesIO()
    with zipfile.ZipFile(made, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("modelDescription.xml", description)
        archive.writestr("terminalsAndIcons/terminalsAndIcons.xml", terminals)
        archive.writestr("resources/data.txt", "1 2 3\n" * 20)
        for platform in (fmpy.platform, fmpy.platform_tuple):
            archive.writestr(f"binaries/{platform}/Right{fmpy.sharedLibraryExtension}", "")
    return made.getvalue()


def _archive_examples() -> Iterator[bytes]:
    yield from map(_fmu, _descriptions())


def _archive(folder: Path) -> Read:
    import mobod as mb
    from mobod.fmi.fmu_archive import FmuArchive

    limits = mb.FmuLimits(unpacked=10**7, files=100)

    def read(path: Path) -> object:
        archive = FmuArchive(path, limits)
        archive.content("resources/data.txt")
        with TemporaryDirectory(dir=folder) as unpacked:
            archive.unpack(Path(unpacked))
            here = Path(unpacked).resolve()
            assert all(each.resolve().is_relative_to(here) for each in here.rglob("*")), "a file lies outside of the folder"
        return archive.description(validate=False)

    return read


def _description_examples() -> Iterator[bytes]:
    import mobod as mb

    yield from _descriptions()
    system = _of_example("09_events.py", "bouncing_ball")
    with TemporaryDirectory() as folder:
        for version in ("2.0", "3.0"):
            path = mb.export_fmu(
                system, Path(folder) / "ball.fmu", fmi_version=version, outputs=["ball.q"], code="interpreted", reference=False
            )
            with zipfile.ZipFile(path) as archive:
                yield archive.read("modelDescription.xml")


def _description(folder: Path) -> Read:
    from mobod.acceptance.validate import experiment_of
    from mobod.cosim.models import component_model
    from mobod.errors import MobodError
    from mobod.fmi.fmu_archive import FmuArchive
    from mobod.fmi.rules.description import Description
    from mobod.fmi.rules.description_rules import check_description
    from mobod.fmi.rules.rule import RuleFindings
    from mobod.fmi.rules.versions import rules_version
    from mobod.fmi.rules.xml_files import check_encoding
    from mobod.importer.fmu_model import FmuModel

    made = folder / "made.fmu"

    def attempt(action: Callable[..., object], *arguments: object) -> None:
        """All parts are tried, also after one that refuses the file."""
        with suppress(MobodError):
            action(*arguments)

    def rules(archive: FmuArchive) -> None:
        version = rules_version(archive.fmi_version)
        if version is not None:
            found = RuleFindings(version)
            check_encoding(archive.root, archive.xml, "modelDescription.xml", found)
            check_description(Description(archive.root, version), found)

    def use(model: FmuModel) -> None:
        attempt(model.default_experiment)
        attempt(lambda: experiment_of(model, None, None))
        attempt(lambda: model.states)
        for interface in model.interfaces:
            attempt(model.capabilities, interface)
            attempt(model.runs_here, interface)
        for variable in model.variables.values():
            attempt(model.shape, variable)
            attempt(getattr, variable, "start_values")

    def read(path: Path) -> object:
        made.write_bytes(_fmu(path.read_bytes()))
        rules(FmuArchive(made))
        attempt(lambda: use(FmuModel(made)))
        for interface in ("co-simulation", "model-exchange"):
            attempt(partial(component_model, made, interface=interface))
        return None

    return read


def _terminals_examples() -> Iterator[bytes]:
    yield _TERMINALS


def _terminals(folder: Path) -> Read:
    from mobod.cosim.connections.terminals import terminals_of_fmu
    from mobod.fmi.fmu_archive import FmuArchive

    made, description = folder / "made.fmu", _descriptions()[1]

    def read(path: Path) -> object:
        made.write_bytes(_fmu(description, path.read_bytes()))
        return terminals_of_fmu(FmuArchive(made))

    return read


# -------------------------------------------------------------------------------------------------------------------------------------- SSP

_SPACES = " ".join(
    f'xmlns:{prefix}="http://ssp-standard.org/SSP1/SystemStructure{name}"'
    for prefix, name in (
        ("ssc", "Common"),
        ("ssd", "Description"),
        ("ssv", "ParameterValues"),
        ("ssm", "ParameterMapping"),
        ("ssb", "SignalDictionary"),
    )
)
_PARAMETERS = f"""<?xml version="1.0" encoding="UTF-8"?>
<ssv:ParameterSet {_SPACES} version="1.0" name="set"><ssv:Parameters>
<ssv:Parameter name="m"><ssv:Real value="2.5" unit="kg"/></ssv:Parameter>
<ssv:Parameter name="mode"><ssv:Enumeration value="slow"/></ssv:Parameter>
<ssv:Parameter name="half"><ssv:Boolean value="true"/></ssv:Parameter><ssv:Parameter name="text"><ssv:String value="a"/></ssv:Parameter>
<ssv:Parameter name="n"><ssv:Integer value="3"/></ssv:Parameter></ssv:Parameters>
<ssv:Units><ssc:Unit name="kg"><ssc:BaseUnit kg="1" factor="1"/></ssc:Unit></ssv:Units></ssv:ParameterSet>"""
_STRUCTURE = f"""<?xml version="1.0" encoding="UTF-8"?>
<ssd:SystemStructureDescription {_SPACES} name="by hand" version="1.0"><ssd:System name="root">
<ssd:Connectors><ssd:Connector name="in" kind="input"><ssc:Real unit="m"/></ssd:Connector>
<ssd:Connector name="out" kind="output"><ssc:Real unit="mm"/></ssd:Connector></ssd:Connectors>
<ssd:ParameterBindings><ssd:ParameterBinding source="parameters.ssv" prefix="one."><ssd:ParameterMapping>
<ssm:ParameterMapping version="1.0">
<ssm:MappingEntry source="m" target="m"><ssc:LinearTransformation factor="2" offset="1"/></ssm:MappingEntry></ssm:ParameterMapping>
</ssd:ParameterMapping></ssd:ParameterBinding></ssd:ParameterBindings>
<ssd:Elements>
<ssd:Component name="one" source="right.fmu"><ssd:Connectors><ssd:Connector name="u" kind="input"><ssc:Real/></ssd:Connector>
<ssd:Connector name="x" kind="output"><ssc:Real unit="m"/></ssd:Connector></ssd:Connectors></ssd:Component>
<ssd:Component name="two" source="right.fmu" type="application/x-fmu-sharedlibrary"><ssd:Connectors><ssd:Connector name="u" kind="input"/>
<ssd:Connector name="x" kind="output"/></ssd:Connectors></ssd:Component>
<ssd:System name="inner"><ssd:Connectors><ssd:Connector name="a" kind="input"><ssc:Real/></ssd:Connector>
<ssd:Connector name="b" kind="output"><ssc:Real/></ssd:Connector></ssd:Connectors>
<ssd:Connections><ssd:Connection startConnector="a" endConnector="b"/></ssd:Connections></ssd:System>
<ssd:SignalDictionaryReference name="bus" dictionary="signals"/>
</ssd:Elements>
<ssd:Connections><ssd:Connection startElement="one" startConnector="x" endElement="two" endConnector="u"/>
<ssd:Connection startConnector="in" endElement="one" endConnector="u"/>
<ssd:Connection startElement="two" startConnector="x" endConnector="out"><ssc:LinearTransformation factor="1000"/></ssd:Connection>
</ssd:Connections>
<ssd:SignalDictionaries><ssd:SignalDictionary name="signals"><ssb:SignalDictionary version="1.0">
<ssb:DictionaryEntry name="s"><ssc:Real/>
</ssb:DictionaryEntry></ssb:SignalDictionary></ssd:SignalDictionary></ssd:SignalDictionaries>
</ssd:System>
<ssd:Units><ssc:Unit name="m"><ssc:BaseUnit m="1"/></ssc:Unit><ssc:Unit name="mm"><ssc:BaseUnit m="1" factor="0.001"/></ssc:Unit>
</ssd:Units><ssd:DefaultExperiment startTime="0" stopTime="1"/></ssd:SystemStructureDescription>"""


def _structure_examples() -> Iterator[bytes]:
    yield _STRUCTURE.encode()
    yield _STRUCTURE.replace('name="by hand" version="1.0"', 'name="by hand" version="2.0"').encode()  # there is no schema of it


def _structure(folder: Path) -> Read:
    from mobod.cosim import Network

    system = folder / "system"
    system.mkdir()
    (system / "right.fmu").write_bytes(_fmu(_descriptions()[0]))
    (system / "parameters.ssv").write_text(_PARAMETERS, encoding="utf-8")

    def read(path: Path) -> object:
        (system / "SystemStructure.ssd").write_bytes(path.read_bytes())
        return Network.from_ssp(system)

    return read


def _parameters_examples() -> Iterator[bytes]:
    yield _PARAMETERS.encode()
    yield _PARAMETERS.replace('version="1.0" name="set"', 'version="2.0" name="set"').replace('name="m"', 'name="one.m"').encode()


def _parameters(folder: Path) -> Read:
    from mobod.cosim import Network

    system = folder / "system"
    system.mkdir()
    (system / "right.fmu").write_bytes(_fmu(_descriptions()[0]))
    (system / "SystemStructure.ssd").write_text(_STRUCTURE, encoding="utf-8")

    def read(path: Path) -> object:
        content = path.read_bytes()
        (system / "parameters.ssv").write_bytes(content)
        return Network.from_ssp(system)

    return read


def _ssp_examples() -> Iterator[bytes]:
    made = BytesIO()
    with zipfile.ZipFile(made, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("SystemStructure.ssd", _STRUCTURE)
        archive.writestr("parameters.ssv", _PARAMETERS)
        archive.writestr("right.fmu", _fmu(_descriptions()[0]))
    yield made.getvalue()


def _ssp(folder: Path) -> Read:
    import mobod as mb
    from mobod.cosim import Network

    limits = mb.FmuLimits(unpacked=10**7, files=100)
    return lambda path: Network.from_ssp(path, limits=limits)


# ------------------------------------------------------------------------------------------------------ journals, checkpoints, saved states


def _journal_examples() -> Iterator[bytes]:
    from mobod.sweeps.journal import Journal

    with TemporaryDirectory() as folder:
        journal = Journal(Path(folder) / "journal", "fingerprint", 5)
        journal.add([(0, [1.5, float("nan")], ""), (3, [float("inf"), -2.0], ""), (1, [float("nan")] * 2, "no steps")])
        yield journal.path.read_bytes()


def _journal(folder: Path) -> Read:
    from mobod.sweeps.journal import Journal

    return lambda path: Journal(path, "fingerprint", 5)


def _seal_journal(data: bytes) -> bytes:
    """With the right checksum at the end of each line that has one."""
    head, *lines = data.split(b"\n")
    texts = [line.rpartition(b" ")[0] for line in lines]
    return b"\n".join([head, *(b"%b %08x" % (text, crc32(text)) if text else line for line, text in zip(lines, texts, strict=True))])


def _checkpoint_examples() -> Iterator[bytes]:
    with _network().start() as run:
        run.until(0.1)
        yield run.checkpoint().to_bytes()


def _network() -> Any:
    import mobod as mb
    from mobod.cosim import Master, Network

    network = Network()
    for name in ("one", "two"):
        network.add(_of_example("09_events.py", "bouncing_ball"), name)
    network.add(mb.Table._of(*_time_and_columns()), "inputs")
    return Master(network, step=0.05, algorithm="gauss-seidel")


def _time_and_columns() -> tuple[Any, Any]:
    import numpy as np

    from mobod.simulate.column import Column

    return np.array([0.0, 1.0]), [Column("a", np.array([1.0, 2.0]))]


def _checkpoint(folder: Path) -> Read:
    from mobod.cosim import Checkpoint

    run = _network().start().__enter__()
    return lambda path: run.restore(Checkpoint.load(path))


def _seal_checkpoint(data: bytes) -> bytes:
    magic = b"mobod checkpoint 1\n"
    body = data[len(magic) + 32 :]
    return data if len(data) < len(magic) + 32 else magic + hashlib.sha256(body).digest() + body


def _change_checkpoint(data: bytes, random: Any) -> bytes | None:
    """Its head is a line of JSON."""
    start = len(b"mobod checkpoint 1\n") + 32
    head, end, states = data[start:].partition(b"\n")
    changed = changed_json(head, random)
    return None if changed is None else data[:start] + changed + end + states


def _state_examples() -> Iterator[bytes]:
    for system in _systems_of_states():
        yield system.realize_topology().to_bytes()


def _systems_of_states() -> list[Any]:
    return [_of_example("09_events.py", "bouncing_ball"), _of_example("10_measures.py", "crane")]


def _state(folder: Path) -> Read:
    from mobod import State
    from mobod.errors import MobodError

    systems = _systems_of_states()

    def read(path: Path) -> object:
        data = path.read_bytes()
        with suppress(MobodError):
            return State.from_bytes(systems[0], data)
        return State.from_bytes(systems[1], data)

    return read


def _seal_state(data: bytes) -> bytes:
    magic, header = b"mobod state\n", struct.Struct("<12sIQ32s")
    content = data[header.size :]
    return data if len(data) < header.size else header.pack(magic, 1, len(content), hashlib.sha256(content).digest()) + content


_FMI = ("mobod.fmi", "mobod.importer", "mobod.cosim", "fmpy")

READERS = {
    "urdf": Reader(
        reads="robots",
        suffix=".urdf",
        modules=("mobod.files", "mobod.graph"),
        examples=_urdf_examples,
        prepare=_urdf,
        change=changed_xml,
    ),
    "model": Reader(
        reads="model files",
        suffix=".json",
        modules=("mobod.files", "mobod.matter", "mobod.forces", "mobod.contact", "mobod.couplings", "mobod.functions"),
        examples=_model_examples,
        prepare=_model,
        change=changed_json,
    ),
    "stl": Reader(reads="meshes", suffix=".stl", modules=("mobod.files", "trimesh.exchange"), examples=_stl_examples, prepare=_mesh),
    "obj": Reader(reads="meshes", suffix=".obj", modules=("mobod.files", "trimesh.exchange"), examples=_obj_examples, prepare=_mesh),
    "dae": Reader(
        reads="meshes",
        suffix=".dae",
        modules=("mobod.files", "trimesh.exchange", "collada"),
        examples=_dae_examples,
        prepare=_mesh,
        change=changed_xml,
        needs="pycollada",
    ),
    "csv": Reader(
        reads="tables of results",
        suffix=".csv",
        modules=("mobod.simulate",),
        examples=lambda: _table_examples(".csv"),
        prepare=_table,
        change=changed_cells,
    ),
    "mat": Reader(
        reads="tables of results",
        suffix=".mat",
        modules=("mobod.simulate", "scipy.io"),
        examples=lambda: _table_examples(".mat"),
        change=changed_mat,
        prepare=_table,
    ),
    "hdf5": Reader(
        reads="tables of results",
        suffix=".h5",
        modules=("mobod.simulate", "h5py"),
        examples=lambda: _table_examples(".h5"),
        change=changed_hdf5,
        prepare=_table,
        needs="h5py",
    ),
    "inputs": Reader(
        reads="inputs of FMUs over time",
        suffix=".csv",
        modules=("mobod.importer",),
        examples=_inputs_examples,
        prepare=_inputs,
        change=changed_cells,
    ),
    "fmu": Reader(reads="archives of FMUs", suffix=".fmu", modules=(*_FMI, "zipfile"), examples=_archive_examples, prepare=_archive),
    "description": Reader(
        reads="modelDescription.xml of FMUs",
        suffix=".xml",
        modules=(*_FMI, "mobod.acceptance"),
        examples=_description_examples,
        prepare=_description,
        change=changed_xml,
    ),
    "terminals": Reader(
        reads="terminalsAndIcons.xml of FMUs",
        suffix=".xml",
        modules=_FMI,
        examples=_terminals_examples,
        prepare=_terminals,
        change=changed_xml,
    ),
    "ssp": Reader(reads="archives of systems of FMUs", suffix=".ssp", modules=(*_FMI, "zipfile"), examples=_ssp_examples, prepare=_ssp),
    "ssd": Reader(
        reads="structures of systems of FMUs",
        suffix=".ssd",
        modules=_FMI,
        examples=_structure_examples,
        prepare=_structure,
        change=changed_xml,
    ),
    "ssv": Reader(
        reads="parameters of systems of FMUs",
        suffix=".ssv",
        modules=_FMI,
        examples=_parameters_examples,
        prepare=_parameters,
        change=changed_xml,
    ),
    "journal": Reader(
        reads="journals of sweeps",
        suffix=".journal",
        modules=("mobod.sweeps",),
        examples=_journal_examples,
        prepare=_journal,
        change=changed_json_lines,
        seal=_seal_journal,
    ),
    "checkpoint": Reader(
        reads="checkpoints of co-simulations",
        suffix=".checkpoint",
        modules=("mobod.cosim", "mobod.system", "mobod.simulate"),
        examples=_checkpoint_examples,
        prepare=_checkpoint,
        change=_change_checkpoint,
        seal=_seal_checkpoint,
    ),
    "state": Reader(
        reads="States as bytes",
        suffix=".state",
        modules=("mobod.system",),
        examples=_state_examples,
        prepare=_state,
        seal=_seal_state,
    ),
}
