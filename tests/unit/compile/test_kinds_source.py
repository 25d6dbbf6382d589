"""The C functions of kinds: how they are shared, and in which files they lie."""

import re

import pytest

from mobod.compile.kinds_source import kernels_c, tangents_c
from mobod.compile.liveness import live_sweeps
from mobod.compile.model_source import generate
from mobod.scalar.slot import Slot
from mobod.scalar.sweep import Sweep
from mobod.system import Stage
from tests.laws.mechanisms import random_mechanism

A, B, TOTAL = Slot(0, ()), Slot(1, (2,)), Slot(3, (2,))


def spread(x):
    return x * x + x


def definitions(text, prefix):
    return re.findall(rf"^(?:static )?void ({prefix}_\w+)\(", text, re.MULTILINE)


@pytest.mark.parametrize("write", [kernels_c, tangents_c])
def test_what_adds_calls_what_sets(write):
    sweep = Sweep("sweep", clears=[TOTAL])
    for slot in (B, TOTAL, TOTAL):
        sweep.add(spread, [B], [slot], adds=() if slot is B else (0,))
    source = write(live_sweeps({Stage.POSITION: sweep}, [1, 2, 3, 4]))
    names = list(source.names.values())
    adding = next(name for kind, name in source.names.items() if kind.adds)
    setting = next(
        name for kind, name in source.names.items() if not kind.adds and kind.kind == next(k.kind for k in source.names if k.adds)
    )
    assert len(names) == 3  # the first overlaps its argument and is a function of its own
    assert f"{setting}(" in source.text.split(f"void {adding}(")[1]
    assert not source.files


def test_many_functions_lie_in_several_files_each_once():
    """Large files compile one after another; the mechanism has every mobilizer and every force."""
    model = generate(random_mechanism(3).system)
    files = model.source([])
    for name, prefix in (("model.c", "kernel"), ("tangents.c", "tangent")):
        others = {file: text for file, text in files.items() if re.fullmatch(rf"{prefix}s_\d+\.c", file)}
        defined = [each for text in (files[name], *others.values()) for each in definitions(text, prefix)]
        table = re.search(r"\[\] = \{((?:tangent|kernel)_[^}]*)\}", files[name])[1].split(", ")
        assert len(others) > 1
        assert sorted(defined) == sorted(table)
        assert len(set(defined)) == len(defined)
        assert max(text.count("\n") for text in others.values()) < 8000
        for text in others.values():
            assert "static void" not in text
    assert files == generate(random_mechanism(3).system).source([])
