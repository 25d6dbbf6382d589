"""What docs/concepts/trust.md says: a file that is read as data runs no code, opens no connection and reads no file elsewhere."""

import gc
import json
import pickle
import sys
import sysconfig
import tempfile
import threading
import zipfile
from contextlib import contextmanager, suppress
from pathlib import Path

import numpy as np
import pytest
from click.testing import CliRunner
from scipy.io import savemat

import mobod as mb
from mobod.analysis.measurements import _read_csv
from mobod.cli import main
from mobod.cosim import Network
from mobod.cosim.checkpoint import Checkpoint
from mobod.errors import MobodError
from mobod.files.meshes.mesh_file import read_mesh
from mobod.importer.fmu_model import FmuModel
from mobod.importer.input_table import read_input_table
from mobod.matter.bodies.decorations import MeshFile
from mobod.simulate.table import Table
from mobod.sweeps.journal import Journal
from tests.cosim.ssp_files import bindings, component, elements, ssd, write_ssp
from tests.unit.files.test_mesh_file import dae, obj

ROOT = Path(__file__).resolve().parents[3]
# Python's own files; its bytecode may lie in a folder of its own
PYTHON = [
    Path(each).resolve()
    for each in {*sysconfig.get_paths().values(), sys.prefix, sys.base_prefix, *filter(None, [*sys.path, sys.pycache_prefix])}
]
CODE = {"pickle.find_class", "subprocess.Popen", "os.system", "os.exec", "os.posix_spawn", "os.fork", "ctypes.dlopen"}
NETWORK = {"socket.connect", "socket.getaddrinfo", "socket.gethostbyname", "urllib.Request"}


class Watch:
    """Records what a reader does, by Python's audit events: what runs, what is connected to, what is opened."""

    def __init__(self, folder):
        self.folder, self.is_on, self.found, self.others = folder, False, [], set()

    @contextmanager
    def on(self):
        """Garbage and threads of earlier tests may remove their folders, which is not what is watched."""
        gc.collect()  # a reader may collect garbage itself
        self.found.clear()
        self.others = {each.ident for each in threading.enumerate()} - {threading.get_ident()}
        gc.disable()
        self.is_on = True
        try:
            yield
        finally:
            self.is_on = False
            gc.enable()

    def hook(self, event, arguments):
        if not self.is_on or threading.get_ident() in self.others:
            return
        if event in CODE | NETWORK:
            self.found.append((event, arguments))
        elif event == "open" and isinstance(arguments[0], str):
            path = Path(arguments[0]).resolve()
            if not any(path.is_relative_to(each) for each in (self.folder, ROOT / "engine", ROOT / "fmu_src", *PYTHON)):
                self.found.append((event, path))


@pytest.fixture(scope="module")
def watch(tmp_path_factory):
    made = Watch(tmp_path_factory.getbasetemp().resolve())
    sys.addaudithook(made.hook)
    return made


class Touch:
    """Its pickle writes a file when it is loaded."""

    def __init__(self, path):
        self.path = path

    def __reduce__(self):
        return (Path.touch, (self.path,))


def hostile_fmu(path, executed):
    """A description that is right, beside a pickle and a library that would run if they were loaded."""
    xml = (
        '<fmiModelDescription fmiVersion="2.0" modelName="m" guid="g"><CoSimulation modelIdentifier="m"/><ModelVariables>'
        '<ScalarVariable name="y" valueReference="0" causality="output"><Real/></ScalarVariable></ModelVariables>'
        '<ModelStructure><Outputs><Unknown index="1"/></Outputs></ModelStructure></fmiModelDescription>'
    )
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("modelDescription.xml", xml)
        archive.writestr("resources/model.pickle", pickle.dumps(Touch(executed)))
        archive.writestr("resources/slavemodule.txt", "slave")
        archive.writestr("resources/slave.py", f"open({str(executed)!r}, 'w')")
        archive.writestr("binaries/linux64/m.so", b"no library")
    return path


LINK = '<link name="base"/><link name="l"><inertial><mass value="1"/><inertia ixx="1" iyy="1" izz="1" ixy="0" ixz="0" iyz="0"/></inertial>'
JOINT = '<joint name="j" type="continuous"><parent link="base"/><child link="l"/><axis xyz="0 0 1"/></joint>'


def robot(folder, mesh="a.stl", more="", before=""):
    path = folder / "robot.urdf"
    shape = f'<collision><geometry><mesh filename="{mesh}"/></geometry></collision>'
    path.write_text(f'{before}<robot name="r">{more}{LINK}{shape}</link>{JOINT}</robot>')
    return path


def urdf_with_mesh(mesh):
    return lambda folder: mb.load_urdf(robot(folder, mesh), contact="rigid")


def urdf_with(more, before=""):
    return lambda folder: mb.load_urdf(robot(folder, more=more, before=before))


def sdf_with(more, before=""):
    def read(folder):
        path = folder / "robot.sdf"
        path.write_text(f"{before}<sdf version='1.11'><model name='r'><link name='l'/>{more}</model></sdf>")
        return mb.load_sdf(path, contact="rigid")

    return read


def mesh(name, content):
    def read(folder):
        (folder / name).write_bytes(content)
        return read_mesh(MeshFile(name), [folder])

    return read


def csv(read):
    def call(folder):
        (folder / "a.csv").write_text('time,"=cmd|calc",x\n0,1,__import__("os")\n1,2,3\n')
        return read(folder / "a.csv")

    return call


def mat(folder):
    savemat(folder / "a.mat", {"Aclass": np.array([[{}, "a"]], dtype=object), "data_1": np.ones((1, 1))})
    return Table.from_mat(folder / "a.mat")


def hdf5(folder):
    h5py = sys.modules["h5py"]
    with h5py.File(folder / "a.h5", "w") as file:
        file.attrs["format"] = "mobod table 1"
        file["time"] = np.arange(2.0)
        file["x"] = h5py.ExternalLink("/etc/passwd", "/x")
        file.create_dataset("y", (2,), float, external=[("/etc/passwd", 0, 16)])
    return Table.from_hdf5(folder / "a.h5", "x"), Table.from_hdf5(folder / "a.h5", "y")


def written(name, content, read):
    def call(folder):
        (folder / name).write_bytes(content)
        return read(folder / name)

    return call


def ssp_with(source, content=""):
    def call(folder):
        return Network.from_ssp(write_ssp(folder / "a.ssp", ssd(elements(component("c", source, content)))))

    return call


SDF_MESH = "<geometry><mesh><uri>/etc/hosts.stl</uri></mesh></geometry>"
MODEL = {"format": "mobod-model", "version": 1, "name": "m", "bodies": [{"type": "os:system", "name": "b", "parent": "ground"}]}
PICKLE = pickle.dumps(print)
READERS = {
    "URDF, a mesh elsewhere": urdf_with_mesh("/etc/passwd.stl"),
    "URDF, a mesh far above": urdf_with_mesh("../" * 40 + "etc/a.stl"),
    "URDF, a mesh by URL": urdf_with_mesh("http://localhost:1/a.stl"),
    "URDF, a mesh of a package": urdf_with_mesh("package://etc/../../../../../../../../../etc/a.stl"),
    "URDF, a file by URL": urdf_with_mesh("file:///etc/hosts.stl"),
    "URDF, included by xacro": urdf_with('<include xmlns="http://www.ros.org/wiki/xacro" filename="/etc/hosts"/>'),
    "URDF, included by XInclude": urdf_with('<include xmlns="http://www.w3.org/2001/XInclude" href="/etc/hosts" parse="text"/>'),
    "URDF, an entity": urdf_with("&a;", '<!DOCTYPE r [<!ENTITY a SYSTEM "file:///etc/hosts">]>'),
    "URDF, a document type": urdf_with("", '<!DOCTYPE r SYSTEM "http://localhost:1/a.dtd">'),
    "SDF, an include elsewhere": sdf_with("<include><uri>/etc/hosts</uri></include>"),
    "SDF, an include far above": sdf_with(f"<include><uri>{'../' * 40}etc/hosts</uri></include>"),
    "SDF, an include by URL": sdf_with("<include><uri>http://localhost:1/models/cart</uri></include>"),
    "SDF, an include of a model": sdf_with("<include><uri>model://../../../../../../etc</uri></include>"),
    "SDF, a file by URL": sdf_with("<include><uri>file:///etc/hosts</uri></include>"),
    "SDF, a mesh elsewhere": sdf_with(f"<link name='a'><collision name='c'>{SDF_MESH}</collision></link>"),
    "SDF, an entity": sdf_with("&a;", '<!DOCTYPE r [<!ENTITY a SYSTEM "file:///etc/hosts">]>'),
    "OBJ, materials elsewhere": mesh("a.obj", obj("mtllib /etc/hosts\nmtllib http://localhost:1/a.mtl")),
    "DAE, an image by URL": mesh("a.dae", dae(before="").replace(b"</asset>", b'</asset><library_images><image id="i"><init_from>http://localhost:1/a.png</init_from></image></library_images>')),
    "DAE, an entity": mesh("a.dae", dae(before='<!DOCTYPE C [<!ENTITY a SYSTEM "file:///etc/hosts">]>')),
    "model file": written("a.json", json.dumps(MODEL).encode(), mb.load_model),
    "CSV": csv(Table.from_csv),
    "CSV of measurements": csv(_read_csv),
    "CSV of inputs": csv(read_input_table),
    "MATLAB": mat,
    "HDF5": hdf5,
    "journal of a sweep": written("a.unfinished", PICKLE + b"\n", lambda path: Journal(path, "f", 1)),
    "checkpoint": written("a.checkpoint", PICKLE, Checkpoint.load),
    "FMU": lambda folder: FmuModel(hostile_fmu(folder / "a.fmu", folder / "executed")),
    "SSP, an FMU elsewhere": ssp_with("file:///etc/hosts"),
    "SSP, an FMU by URL": ssp_with("http://localhost:1/a.fmu"),
    "SSP, parameters elsewhere": ssp_with("a.fmu", bindings('<ssd:ParameterBinding source="../../../../../../etc/hosts"/>')),
}  # fmt: skip


@pytest.mark.filterwarnings("ignore::mobod.files.ModelFileWarning")
@pytest.mark.parametrize("name", READERS)
def test_a_reader_runs_nothing_connects_to_nothing_and_opens_nothing_elsewhere(tmp_path, watch, name, monkeypatch):
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    if name == "HDF5":
        pytest.importorskip("h5py", reason="HDF5 needs h5py, of the extra 'data'")
    with watch.on(), suppress(MobodError):  # refused is as good
        READERS[name](tmp_path)
    assert watch.found == []


def test_the_watch_sees_code_connections_and_files(tmp_path, watch):
    with watch.on():
        pickle.loads(pickle.dumps(Touch(tmp_path / "executed")))
        with open("/etc/hosts" if Path("/etc/hosts").is_file() else sys.argv[0]):
            pass
    assert {"pickle.find_class", "open"} <= {event for event, _ in watch.found}


def test_packages_of_meshes_are_not_looked_for_by_the_environment(tmp_path, monkeypatch):
    """ROS finds packages by variables of the environment; here the file's own folders count alone."""
    (tmp_path / "ros/robot").mkdir(parents=True)
    (tmp_path / "model/a/b/c/d/e").mkdir(parents=True)
    (tmp_path / "ros/robot/a.obj").write_bytes(obj())
    for variable in ("ROS_PACKAGE_PATH", "AMENT_PREFIX_PATH", "GAZEBO_MODEL_PATH"):
        monkeypatch.setenv(variable, str(tmp_path / "ros"))
    with pytest.raises(MobodError, match="is not in the folders of meshes"):
        read_mesh(MeshFile("package://robot/a.obj"), [tmp_path / "model/a/b/c/d/e"])
    assert read_mesh(MeshFile("package://robot/a.obj"), [tmp_path / "ros"])


@pytest.mark.parametrize("command", [["info"], ["info", "--json"], ["view", "--csv", "a.csv", "-o", "a.html"]])
def test_an_fmu_that_is_only_shown_runs_nothing(tmp_path, monkeypatch, command):
    monkeypatch.chdir(tmp_path)
    hostile_fmu(tmp_path / "a.fmu", tmp_path / "executed")
    (tmp_path / "a.csv").write_text("time,y\n0,1\n1,2\n")
    done = CliRunner().invoke(main, [command[0], "a.fmu", *command[1:]])
    assert done.exit_code == 0, done.output
    assert not (tmp_path / "executed").exists()


def test_texts_of_a_file_cannot_become_code_of_a_page(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    hostile_fmu(tmp_path / "a.fmu", tmp_path / "executed")
    evil = "</script><script>alert(1)</script>"
    (tmp_path / "a.csv").write_text(f'time,y,"{evil}"\n0,1,1\n1,2,1\n')
    done = CliRunner().invoke(main, ["view", "a.fmu", "--csv", "a.csv", "-o", "a.html", "--output", evil])
    assert done.exit_code == 0, done.output
    assert "alert(1)" in (page := (tmp_path / "a.html").read_text(encoding="utf-8"))
    assert evil not in page
