"""The C functions of kinds: how they are shared, and in which files they are written."""

import re

import numpy as np
import pytest

import mobod as mb
from mobod.compilation.calls.liveness import live_sweeps
from mobod.compilation.source.kinds_source import kernels_c, tangents_c
from mobod.compilation.source.model_source import generate
from mobod.scalar.slot import Slot
from mobod.scalar.sweep import Sweep
from mobod.system import Stage
from tests.laws.mechanisms import random_frame, random_mass, random_mechanism

A, B, TOTAL = Slot(0, ()), Slot(1, (2,)), Slot(3, (2,))


def spread(x):
    return x * x + x


def definitions(text, prefix):
    return re.findall(rf"^int ((?:{prefix})_\w+)\(", text, re.MULTILINE)


@pytest.mark.parametrize("write", [kernels_c, tangents_c])
def test_adding_kinds_call_setting_kinds(write):
    sweep = Sweep("sweep", clears=[TOTAL])
    for slot in (B, TOTAL, TOTAL):
        sweep.add(spread, [B], [slot], adds=() if slot is B else (0,))
    source = write(call.kind for call in live_sweeps({Stage.POSITION: sweep}, [1, 2, 3, 4])[Stage.POSITION].calls)
    functions = source.functions
    adding = next(name for kind, name in functions.items() if kind.adds)
    setting = next(name for kind, name in functions.items() if not kind.adds and kind.kind == next(k.kind for k in functions if k.adds))
    (text,) = source.files.values()
    assert len(functions) == 3  # the first overlaps its argument and is a function of its own
    assert f"{setting}(" in text.split(f"int {adding}(")[1]


@pytest.mark.slow
def test_many_functions_are_distributed_over_files():
    """One large file would compile slowly. The mechanism has every mobilizer and every force."""
    model = generate(random_mechanism(3).system)
    files = model.source([])
    for prefix in ("kernel", "tangent"):
        of_kinds = [text for file, text in files.items() if file.startswith(prefix)]
        defined = [each for text in of_kinds for each in definitions(text, prefix)]
        called = re.findall(rf"\{{\.run = ({prefix}_\w+)\}}", files["model.c"])
        assert len(of_kinds) > 1
        assert called
        assert set(called) <= set(defined)
        assert len(set(defined)) == len(defined)
        assert max(text.count("\n") for text in of_kinds) < 8000


@pytest.mark.slow
def test_the_same_model_has_the_same_source():
    one, other = (generate(random_mechanism(3, n_bodies=6).system).source([]) for _ in range(2))
    assert one == other


@pytest.mark.slow
def test_a_large_function_is_the_same_file_in_all_models():
    """It is then compiled only once: names, masses, frames and other elements have no influence."""
    one, other = (
        generate(arm(*kinds)).source([]) for kinds in (("Slider", "Gimbal", "Ball"), ("Pin", "Gimbal", "Ball", "Slider", "Gimbal"))
    )
    shared = {file for file in one if file in other} - {"model.c", "kernels_1.c", "tangents_1.c"}
    assert {f"{form}_position_gimbalequations" for form in ("kernel", "tangent")} <= {file.rpartition("_")[0] for file in shared}
    for file in shared:
        assert one[file] == other[file]
        assert definitions(one[file], "kernel|tangent") == [file.removesuffix(".c")]
    assert any(file.startswith("tangent_position_sliderequations") for file in other.keys() - one.keys())


def arm(*mobilizers):
    rng = np.random.default_rng(len(mobilizers))
    system = mb.MultibodySystem("arm")
    matter, forces = mb.MatterSubsystem(system), mb.ForceSubsystem(system)
    mb.Gravity(forces, matter)
    body = matter.ground
    for number, mobilizer in enumerate(mobilizers):
        frames = random_frame(rng), random_frame(rng)
        body = getattr(mb, mobilizer)(body, random_mass(rng), *frames, name=f"{mobilizer} {number}")
    return system
