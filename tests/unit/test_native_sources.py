from pathlib import Path

import pytest

from mobod.errors import MobodError
from mobod.native_sources import native_sources

REPOSITORY = Path(__file__).resolve().parents[2]


@pytest.fixture
def lib(tmp_path, monkeypatch):
    """A folder in whose subfolder python/mobod the package seems to be installed."""
    monkeypatch.setattr("mobod.native_sources.__file__", str(tmp_path / "python" / "mobod" / "native_sources.py"))
    return tmp_path


def put_runtime(folder):
    (folder / "tables").mkdir(parents=True)
    (folder / "tables" / "model.h").touch()
    return folder


def test_a_checkout_uses_its_own_c_sources():
    assert native_sources() == REPOSITORY / "fmu_src" / "native"


def test_an_installed_package_uses_the_runtime_inside_it_even_beside_another(lib):
    inside = put_runtime(lib / "python" / "mobod" / "_fmu_src" / "native")
    put_runtime(lib / "fmu_src" / "native")

    assert native_sources() == inside


def test_a_missing_runtime_is_an_error_that_names_both_places(lib):
    with pytest.raises(MobodError) as error:
        native_sources()

    assert str(lib / "python" / "mobod" / "_fmu_src" / "native") in str(error.value)
    assert str(lib / "fmu_src" / "native") in str(error.value)


def test_a_folder_without_the_contract_header_is_not_the_runtime(lib):
    (lib / "python" / "mobod" / "_fmu_src" / "native").mkdir(parents=True)

    with pytest.raises(MobodError, match=r"model\.h"):
        native_sources()
