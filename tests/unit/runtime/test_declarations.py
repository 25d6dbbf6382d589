"""The declarations of the C runtime are made once, and again when the headers change."""

import pytest

from mobod.runtime import declarations
from mobod.runtime.declarations import expand_lists, make_module, read_declarations


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


LIST = """\
#define COLOURS(COLOUR) \\
    COLOUR(RED, 1) \\
    COLOUR(BLUE, 7) \\

#define NUMBERED(NAME, number) COLOUR_##NAME = number,
#define UNUSED(x) (x + \\
    1)
"""


def test_lists_of_macros_are_written_out_as_the_c_preprocessor_does():
    lists = {}
    text = expand_lists(f"{LIST}enum {{ COLOURS(NUMBERED) N_COLOURS }};\n", lists)
    assert " ".join(text.split()) == "enum { COLOUR_RED = 1, COLOUR_BLUE = 7, N_COLOURS };"
    later = expand_lists("#define DECLARED(NAME, number) extern int name_##number;\nCOLOURS(DECLARED)\n", lists)
    assert " ".join(later.split()) == "extern int name_1; extern int name_7;"


def test_an_entry_with_other_members_than_the_macro_is_an_error():
    with pytest.raises(ValueError, match="zip"):
        expand_lists(f"{LIST}#define NAMED(NAME) NAME,\nenum {{ COLOURS(NAMED) }};\n", {})
