"""Instances of equal FMUs in one process share their library."""

import shutil

import pytest

from mobod.cosim import FmuFile, Instance
from mobod.errors import FmuError

ONCE = ("<CoSimulation ", '<CoSimulation canBeInstantiatedOnlyOncePerProcess="true" ')


@pytest.fixture
def start(tmp_path, monkeypatch):
    """Starts an instance of an FMU, unpacked in tmp_path / "runs"; all are closed at the end."""
    runs = tmp_path / "runs"
    runs.mkdir()
    monkeypatch.setattr("tempfile.tempdir", str(runs))
    instances = []

    def start(path, *, limit=9.0, may_share=True):
        file = FmuFile(path)
        file.archive.may_share = may_share
        instances.append(instance := Instance(file, f"number {len(instances)}"))
        instance.set_up(0.0, 1.0, None)
        instance.set({"limit": limit})
        instance.enter_initialization()
        instance.exit_initialization()
        return instance

    yield start
    for instance in instances:
        instance.close()
    assert list(runs.glob("mobod_fmu_*")) == []  # the last user of a library removes its folder


def code_of(instance):
    """The address of its code."""
    return instance.loaded.address("fmi2DoStep")


def test_equal_fmus_share_one_library(fmus, start, tmp_path):
    one, same, copied = start(fmus["failing"]), start(fmus["failing"]), start(shutil.copy(fmus["failing"], tmp_path / "copied.fmu"))

    assert code_of(one) == code_of(same) == code_of(copied)
    assert len({instance.loaded.component for instance in (one, same, copied)}) == 3


def test_fmus_with_other_files_do_not_share_a_library_of_the_same_bytes(fmus, start, described):
    renamed = described(fmus["failing"], ('modelName="', 'modelName="other '))

    assert code_of(start(fmus["failing"])) != code_of(start(renamed))


def test_a_library_is_not_shared_if_the_fmu_or_the_owner_says_so(fmus, start, described):
    once = described(fmus["failing"], ONCE)

    assert code_of(start(once)) != code_of(start(once))
    assert code_of(start(fmus["failing"])) != code_of(start(fmus["failing"], may_share=False))


def test_a_shared_library_outlives_the_instance_that_brought_it(fmus, start):
    first, second = start(fmus["failing"]), start(fmus["failing"])
    first.close()

    second.step(0.0, 0.25)
    third = start(fmus["failing"])
    third.step(0.0, 0.25)

    assert code_of(third) == code_of(second)


def test_after_a_fatal_error_new_instances_have_a_new_library(fmus, start):
    failed = start(fmus["failing"], limit=0.0)
    with pytest.raises(FmuError, match="fatal"):
        failed.step(0.0, 0.25)

    assert code_of(start(fmus["failing"])) != code_of(failed)
