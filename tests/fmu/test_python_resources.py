"""The required content of the folder resources/ of a Python FMU."""

import pickle

import pytest

from mobod.errors import FmuFileError
from mobod.fmu.python.resources import Resources, read_resources


@pytest.mark.parametrize("gone", [b"cmobod.fmu.interface\nNoSuchClass\n.", b"cmobod.no_such_module\nScrew\n."])
def test_an_fmu_of_another_version_is_refused_with_a_message(tmp_path, gone):
    (tmp_path / "model.pickle").write_bytes(gone)
    with pytest.raises(FmuFileError, match=r"another version of mobod has exported this FMU.*Export it again"):
        read_resources(tmp_path)
    with pytest.raises(FmuFileError, match=r"another version of mobod has exported this FMU"):
        Resources(gone, None).unpickle()


def test_a_missing_module_of_the_user_keeps_its_own_error():
    with pytest.raises(ModuleNotFoundError, match="no_such_module_of_the_user"):
        Resources(b"cno_such_module_of_the_user\nForce\n.", None).unpickle()


def test_a_missing_file_is_named(tmp_path):
    with pytest.raises(FmuFileError, match=r"model\.pickle: cannot be read"):
        read_resources(tmp_path)


def test_pickled_resources_are_restored(tmp_path):
    (tmp_path / "model.pickle").write_bytes(pickle.dumps((b"system", "interface")))
    assert read_resources(tmp_path) == Resources(b"system", "interface")
