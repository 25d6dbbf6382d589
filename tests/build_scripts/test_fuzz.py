"""Fuzzing keeps what a reader should not have raised, and the readers that it knows accept its examples."""

import shutil
import warnings
from dataclasses import replace
from random import Random

import pytest

from build_scripts import fuzz, fuzz_native
from build_scripts.fuzz_python import Harness
from build_scripts.fuzz_readers import READERS
from mobod.errors import InputError
from tests.native.sanitized import need_sanitizers


@pytest.fixture
def harness(tmp_path):
    """A function that makes a Harness; its findings are in tmp_path/findings."""

    def make(reader):
        for name in ("findings", "work"):
            (tmp_path / name).mkdir()
        return Harness(reader, tmp_path / "findings", tmp_path / "work")

    return make


def faulty(folder):
    """A reader that refuses what has no 'a', as it may, and fails with what has an 'x'."""

    def read(path):
        content = path.read_bytes()
        if b"a" not in content:
            raise InputError("there is no a")
        return content.index(b"x") and 1 / 0 if b"x" in content else content

    return read


def test_the_smallest_input_of_each_fault_is_kept_and_an_error_of_mobod_is_none(harness, tmp_path):
    watched = harness(replace(READERS["csv"], prepare=faulty))
    assert [watched.take(data) for data in (b"b", b"a", b"bx")] == [None, None, None]

    kinds = {watched.take(data).kind for data in (b"abcx", b"ax", b"aaax")}

    assert kinds == {"ZeroDivisionError"}
    (kept,) = (tmp_path / "findings").glob("*.csv")
    assert kept.read_bytes() == b"ax"
    assert "ZeroDivisionError: division by zero" in kept.with_suffix(".txt").read_text()


@pytest.mark.fast("csv")
@pytest.mark.parametrize("name", [name for name in READERS if name != "hdf5"])
def test_changed_files_are_read_or_refused_with_an_error_of_mobod(name, harness):
    """300 random changes, one after another: each begins with what the one before has left. The library of HDF5 itself can loop without
    end on changed bytes.
    """
    watched, random = harness(READERS[name]), Random(42)
    examples = list(READERS[name].examples())
    n_changed = 0
    data = examples[0]
    for number in range(300):
        changed = watched.change(data, 2 * len(examples[0]) + 1000, random) or bytes_changed(data, random)
        n_changed += changed != data
        assert watched.take(changed) is None, changed
        data = changed if number % 10 else random.choice(examples)
    assert n_changed > 200


def bytes_changed(data, random):
    changed = bytearray(data)
    changed[random.randrange(len(changed))] ^= 1 << random.randrange(8)
    return bytes(changed)


@pytest.mark.fast("csv")
@pytest.mark.parametrize("name", READERS)
def test_a_reader_accepts_the_examples_from_which_fuzzing_begins(name, tmp_path):
    reader = READERS[name]
    read = reader.prepare(tmp_path)
    for number, example in enumerate(reader.examples()):
        warnings.simplefilter("ignore")  # a reader may warn
        (tmp_path / f"example{number}{reader.suffix}").write_bytes(example)
        assert reader.seal(example) == example
        read(tmp_path / f"example{number}{reader.suffix}")


def test_a_missing_tool_is_named_with_what_to_install(monkeypatch, tmp_path, capsys):
    monkeypatch.setattr(fuzz, "find_spec", lambda name: None)
    monkeypatch.setattr(shutil, "which", lambda name: None)

    codes = [fuzz.main([name, "--folder", str(tmp_path)]) for name in ("csv", "tables", "threads")]

    assert codes == [2, 2, 2]
    messages = capsys.readouterr().err
    assert "csv needs the package atheris, which is not installed. Run: pip install -e '.[fuzz]'" in messages
    assert "apt-get install clang libclang-rt-dev llvm" in messages


@pytest.mark.slow
def test_the_thread_sanitizer_finds_nothing_in_instances_and_networks_in_threads(tmp_path):
    need_sanitizers(tmp_path)
    assert fuzz_native.run_threads(tmp_path) == 0
