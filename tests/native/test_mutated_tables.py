"""Tables with random changes, run with the sanitizers: refused, or the runtime accesses only its own memory."""

import subprocess
import zipfile

import pytest

import mobod as mb
from mobod.fmu.native_export import TABLES
from mobod.native_sources import runtime_sources
from tests.flexible.test_many_modes import ManyModesTree
from tests.native.pile_of_shapes import pile
from tests.native.sanitized import SANITIZERS, need_sanitizers
from tests.native.slave import HERE, c_compiler
from tests.native.test_flipped_states import contacts, everything
from tests.unit.matter.test_parts_of_rows import Windows


@pytest.fixture(scope="module")
def mutate(tmp_path_factory):
    """A program that changes the tables of several FMUs so many times, with a seed."""
    need_sanitizers(tmp_path_factory.mktemp("empty"))
    folder = tmp_path_factory.mktemp("tables")
    for name, text in runtime_sources("interpreted").items():
        (folder / name).write_text(text)
    of_fmus = ("fmi", "resource_tables", "file_of_uri")
    sources = [path for path in folder.glob("*.c") if not path.name.startswith(of_fmus)]
    command = [c_compiler(), "-std=c99", "-O1", "-g", *SANITIZERS, f"-I{folder}", *sources, HERE / "tables_driver.c"]
    built = subprocess.run([*command, "-o", folder / "driver", "-lm"], capture_output=True, text=True, check=False)
    assert built.returncode == 0, built.stderr
    fixed = {"integrator": "velocity_level", "step": 0.01}
    files = []
    for name, (system, state), options in [
        ("all", everything(), {"fmi_version": "3.0"}),
        ("rows", contacts(), {}),
        ("fixed steps", contacts(), fixed),
        ("slots", pile(), fixed),
        ("many modes", ((tree := ManyModesTree(14, "full")).system, tree.state), {"fmi_version": "3.0"}),
        ("many rows", ((windows := Windows(13)).system, windows.state()), {}),  # factored as sparse matrices
    ]:
        fmu = mb.export_fmu(system, folder / f"{name}.fmu", outputs=[], state=state, code="interpreted", **options)
        files.append(folder / name)
        files[-1].write_bytes(zipfile.ZipFile(fmu).read(TABLES))
    return lambda n, seed: subprocess.run([folder / "driver", str(n), str(seed), *files], capture_output=True, text=True, check=False)


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(20))
def test_a_hundred_thousand_changed_tables_are_refused_or_harmless(mutate, seed):
    result = mutate(5_000, seed)
    assert (result.returncode, result.stdout + result.stderr) == (0, "")
