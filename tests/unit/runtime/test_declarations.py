"""The declarations of the C runtime are made once, and again when the headers change."""

import pytest

from mobod.runtime import declarations
from mobod.runtime.declarations import make_module, read_declarations


@pytest.fixture
def own_cache(tmp_path, monkeypatch):
    monkeypatch.setenv("MOBOD_CACHE", str(tmp_path))
    return tmp_path


def made(cache):
    return sorted(cache.glob("declarations/*/declarations.py"))


@pytest.mark.slow
def test_the_declarations_are_made_once(own_cache, monkeypatch):
    first = read_declarations()
    assert [file.read_text() for file in made(own_cache)] == [make_module()]

    monkeypatch.setattr(declarations, "make_module", lambda: pytest.fail("they are in the cache"))
    assert read_declarations().typeof("Kernel *").item.fields[0][0] == first.typeof("Kernel *").item.fields[0][0] == "run"


@pytest.mark.slow
def test_other_headers_have_other_declarations(own_cache, monkeypatch):
    read_declarations()
    monkeypatch.setattr(declarations, "_declarations", lambda header: "typedef struct { int only; } Kernel;")
    assert [name for name, _ in read_declarations().typeof("Kernel").fields] == ["only"]
    assert len(made(own_cache)) == 2


@pytest.mark.slow
def test_a_changed_file_in_the_cache_is_made_again(own_cache):
    read_declarations()
    (file,) = made(own_cache)
    file.write_text("raise RuntimeError")
    assert read_declarations().typeof("Kernel").kind == "struct"
    assert file.read_text() == make_module()


@pytest.mark.slow
def test_a_cache_that_cannot_be_used_costs_time_alone(monkeypatch, tmp_path):
    (tmp_path / "file").write_text("")
    monkeypatch.setenv("MOBOD_CACHE", str(tmp_path / "file"))
    assert read_declarations().typeof("Kernel").kind == "struct"
