"""The sizes and counts of an SSP and of the archives in it are limited together."""

import zipfile
from pathlib import Path

import pytest
from click.testing import CliRunner

from mobod.cli import main
from mobod.cosim import FmuLimits, Network
from mobod.errors import SspFileError
from tests.cosim.ssp_files import bindings, component, elements, parameter, parameter_set, ssd, write_ssp


def packed(path: Path, files: dict[str, bytes | Path], *sources: str) -> Path:
    """A compressed SSP that has the files, and runs those sources: SSPs and FMUs."""
    kinds = {"ssp": ' type="application/x-ssp-package"', "fmu": ""}
    listed = (f'<ssd:Component name="c{k}" source="{name}"{kinds[name[-3:]]}/>' for k, name in enumerate(sources))
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as made:
        made.writestr("SystemStructure.ssd", ssd(elements(*listed) if sources else ""))
        for name, content in files.items():
            made.writestr(name, content.read_bytes() if isinstance(content, Path) else content)
    return path


@pytest.fixture
def free_bytes(monkeypatch):
    """Archives of any size may unpack to 100 kB in the tests, to keep them small."""
    monkeypatch.setattr("mobod.fmi.fmu_limits.FREE", 10**5)


ZEROS = {"resources/zeros": bytes(90_000)}


def test_the_size_of_packages_in_packages_is_limited_together(tmp_path, free_bytes):
    inner = packed(tmp_path / "inner.ssp", ZEROS)
    middle = packed(tmp_path / "middle.ssp", {"a.ssp": inner}, "a.ssp")
    outer = packed(tmp_path / "outer.ssp", {"a.ssp": middle, "b.ssp": inner}, "a.ssp", "b.ssp")
    Network.from_ssp(middle)  # alone it is small enough
    message = r"outer\.ssp: together with the archives in it, it has \d+ unpacked bytes for each byte of the outermost archive"
    with pytest.raises(SspFileError, match=message):
        Network.from_ssp(outer)
    done = CliRunner().invoke(main, ["ssp", "check", str(outer)])
    assert "together with the archives in it" in done.output
    Network.from_ssp(outer, limits=FmuLimits(ratio=10**4))


def test_the_sizes_of_the_fmus_of_a_package_are_limited_together(tmp_path, free_bytes):
    fmus = {f"{k}.fmu": packed(tmp_path / f"{k}.fmu", ZEROS) for k in range(2)}
    with pytest.raises(SspFileError, match=r"component 'c1': .*outer\.ssp: together with the archives in it, it has"):
        Network.from_ssp(packed(tmp_path / "outer.ssp", fmus, *fmus))


def test_each_use_of_an_fmu_counts_as_a_copy_on_the_disk(tmp_path):
    files = {"a.fmu": packed(tmp_path / "a.fmu", ZEROS)}
    path = packed(tmp_path / "outer.ssp", files, *["a.fmu"] * 4)
    with pytest.raises(SspFileError, match=r"component 'c3': .*it has \d+ bytes, unpacked, and the limit is 300000"):
        Network.from_ssp(path, limits=FmuLimits(unpacked=300_000))


def test_the_number_of_files_of_packages_is_limited_together(tmp_path):
    inner = packed(tmp_path / "inner.ssp", {f"{k}.txt": b"" for k in range(5)})
    outer = packed(tmp_path / "outer.ssp", {"a.ssp": inner, "b.ssp": inner}, "a.ssp", "b.ssp")
    with pytest.raises(SspFileError, match=r"outer\.ssp: together with the archives in it, it has 15 files, and the limit is 14"):
        Network.from_ssp(outer, limits=FmuLimits(files=14))
    Network.from_ssp(outer, limits=FmuLimits(files=15))


def test_structures_that_name_each_other_many_times_end_at_the_limit(tmp_path):
    """Ten components that are the next file, six files deep: a million systems of 6 kB."""
    files = {
        f"{depth}.ssd": ssd(elements(*(_structure(f"c{k}", f"{depth + 1}.ssd") for k in range(10)))) if depth < 6 else ssd("")
        for depth in range(1, 7)
    }
    path = write_ssp(tmp_path / "a.ssp", ssd(elements(_structure("c", "1.ssd"))), files)
    with pytest.raises(SspFileError, match=r"bytes of XML, of each file as often as it is used, and the limit is 50000"):
        Network.from_ssp(path, limits=FmuLimits(description=50_000))


def test_a_parameter_set_counts_each_time_that_it_is_used(tmp_path):
    values = parameter_set(parameter("x", "Real", value=1.0))
    used = component("c", "a.fmu", bindings(*['<ssd:ParameterBinding source="a.ssv"/>'] * 9))
    path = write_ssp(tmp_path / "a.ssp", ssd(elements(used)), {"a.ssv": values, "a.fmu": ""})
    with pytest.raises(SspFileError, match="bytes of XML, of each file as often as it is used"):
        Network.from_ssp(path, limits=FmuLimits(description=len(values) * 5))


def _structure(name: str, source: str) -> str:
    return f'<ssd:Component name="{name}" source="{source}" type="application/x-ssp-definition"/>'
