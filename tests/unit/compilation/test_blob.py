"""Tables of a model as bytes."""

import importlib.util
from pathlib import Path

import pytest

from mobod.compilation.source.blob import blob
from mobod.compilation.source.model_source import generate
from mobod.errors import MobodError
from mobod.native_sources import native_file
from mobod.runtime.library import ffi
from mobod.runtime.tables import Struct
from tests.laws.mechanisms import random_mechanism


def test_the_tables_of_the_reader_in_c_match_the_headers():
    script = Path(__file__).parents[3] / "build_scripts" / "generate_table_fields.py"
    spec = importlib.util.spec_from_file_location(script.stem, script)
    generator = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(generator)
    assert native_file("table_fields.h").read_text(encoding="utf-8") == generator.table_fields_text()


@pytest.mark.slow
def test_the_same_model_makes_the_same_bytes():
    made = [blob(generate(random_mechanism(3, n_bodies=6).system).table([])) for _ in range(2)]
    assert made[0] == made[1]


@pytest.mark.slow
def test_different_parameters_make_different_bytes():
    one, other = (blob(generate(random_mechanism(seed, n_bodies=6).system).table([])) for seed in (3, 4))
    assert one != other


def test_a_function_of_python_cannot_be_written():
    call_back = ffi.callback("KernelFunction *", lambda *_: 0)
    with pytest.raises(MobodError, match="function of Python"):
        blob(Struct("Kernel", run=call_back))
