"""The part of the sweeps that becomes C."""

import tracemalloc

import numpy as np

import mobod as mb
from mobod.compilation.calls.liveness import live_sweeps
from mobod.compilation.calls.witness_sweeps import WitnessSweeps
from mobod.compilation.source.model_source import generate
from mobod.scalar.procedure import Procedure
from mobod.scalar.slot import Slot
from mobod.scalar.sweep import Sweep
from mobod.system import Stage
from mobod.system.stage_sweeps import joined

A, B, C, TOTAL, OTHER = Slot(0, ()), Slot(1, ()), Slot(2, ()), Slot(3, ()), Slot(4, ())


def doubled(x):
    return 2 * x


def both(x):
    return x + 1, x - 1


def apart(x, y):
    return 3 * x, 5 * y


class Solve(Procedure):
    """A procedure with these slots."""

    name, inputs, outputs = "solve", (), ()

    def __init__(self, inputs, outputs):
        self.inputs, self.outputs = inputs, outputs

    def in_c(self):
        raise NotImplementedError  # an analysis reads what procedures use, and writes no C


def kinds(live):
    return [each.kind.kind.function.__name__ for each in live.calls]


def kinds_and_procedures(live):
    return [each.name if isinstance(each, Procedure) else each.kind.kind.function.__name__ for each in live.calls]


def sweep_of(*calls, clears=()):
    sweep = Sweep("sweep", clears=list(clears))
    for function, inputs, outputs, adds in calls:
        sweep.add(function, inputs, outputs, adds=adds)
    return {Stage.POSITION: sweep}


def test_calls_without_effect_on_wanted_values_are_removed():
    sweeps = sweep_of((doubled, [A], [B], ()), (doubled, [B], [C], ()), (doubled, [A], [OTHER], ()))
    (live,) = live_sweeps(sweeps, [C.offset]).values()
    assert [each.call.outputs for each in live.calls] == [(B,), (C,)]
    assert live_sweeps(sweeps, [])[Stage.POSITION].calls == []


def test_only_used_results_of_a_call_are_written():
    (live,) = live_sweeps(sweep_of((both, [A], [B, C], ())), [C.offset]).values()
    assert live.calls[0].kind.live == {1}
    assert [output.size for output in live.calls[0].kind.recording().outputs] == [0, 1]


def test_calls_of_one_kind_compute_the_same_results():
    first, second, third = Slot(5, ()), Slot(6, ()), Slot(7, ())
    calls = [
        (doubled, [A], [B], ()),
        (apart, [A, B], [C, TOTAL], ()),
        (apart, [A, OTHER], [first, second], ()),
        (both, [A], [third, OTHER], ()),
    ]
    (live,) = live_sweeps(sweep_of(*calls), [TOTAL.offset, first.offset]).values()
    assert [each.kind.live for each in live.calls if each.kind.kind.function is apart] == [{0, 1}, {0, 1}]
    assert "doubled" in kinds(live)  # B is wanted for TOTAL

    (live,) = live_sweeps(sweep_of(*calls), [C.offset, first.offset]).values()
    assert [each.kind.live for each in live.calls] == [{0}, {0}]


def test_results_computed_only_for_the_kind_have_their_arguments():
    """The function of the kind must not read numbers that have not been computed."""
    D, E = Slot(5, ()), Slot(6, ())
    calls = [(doubled, [A], [B], ()), (apart, [A, A], [C, TOTAL], ()), (apart, [A, B], [D, E], ())]
    (live,) = live_sweeps(sweep_of(*calls), [TOTAL.offset, D.offset]).values()
    assert kinds(live) == ["doubled", "apart", "apart"]


def test_the_first_term_of_a_sum_sets_it_and_nothing_is_cleared():
    (live,) = live_sweeps(sweep_of((doubled, [A], [TOTAL], (0,)), (doubled, [B], [TOTAL], (0,)), clears=[TOTAL]), [TOTAL.offset]).values()
    assert [each.kind.adds for each in live.calls] == [frozenset(), {0}]
    assert live.clears == []


def test_a_sum_whose_first_term_covers_part_of_it_is_cleared():
    whole, part = Slot(10, (2,)), Slot(11, ())
    sweeps = sweep_of((doubled, [A], [part], (0,)), (lambda x: np.array([x, x]), [A], [whole], (0,)), clears=[whole])
    (live,) = live_sweeps(sweeps, [10, 11]).values()
    assert [each.kind.adds for each in live.calls] == [frozenset(), {0}]  # the part is set, the rest of the whole is not
    assert live.clears == [(10, 1)]


def test_a_sum_that_is_read_before_it_is_complete_is_cleared():
    sweeps = sweep_of((doubled, [TOTAL], [B], ()), (doubled, [A], [TOTAL], (0,)), clears=[TOTAL])
    (live,) = live_sweeps(sweeps, [TOTAL.offset, B.offset]).values()
    assert live.clears == [(TOTAL.offset, 1)]
    assert live.calls[1].kind.adds == {0}


def test_memory_that_is_never_written_is_not_cleared():
    (live,) = live_sweeps(sweep_of((doubled, [TOTAL], [B], ()), clears=[TOTAL]), [B.offset]).values()
    assert live.clears == []


def test_calls_whose_results_overlap_arguments_are_detected():
    (live,) = live_sweeps(sweep_of((doubled, [A], [A], ()), (doubled, [A], [B], ())), [B.offset]).values()
    assert [each.kind.overlaps for each in live.calls] == [True, False]


def test_the_memory_of_an_analysis_does_not_grow_with_the_slots_of_procedures():
    """Such as the matrix of all constraint rows, whose size is the square of their number."""
    matrix = Slot(100, (1000, 1000))
    part = matrix[10][7]
    sweep = Sweep("sweep", clears=[matrix])
    sweep.add(doubled, [A], [B])
    sweep.calls.append(Solve((B,), (matrix,)))
    sweep.add(doubled, [B], [part], adds=(0,))
    sweep.add(doubled, [B], [OTHER])
    sweep.calls.append(Solve((matrix,), (C,)))

    tracemalloc.start()
    live = live_sweeps({Stage.POSITION: joined("position", [sweep])}, [C.offset, matrix])
    before = WitnessSweeps(live).before([C.offset], Stage.POSITION)
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()

    assert peak < 1e6  # bytes; a set of the matrix's offsets takes 60 times as many
    assert live[Stage.POSITION].clears == []
    assert [call for call in live[Stage.POSITION].calls if isinstance(call, Procedure)] == [sweep.calls[1], sweep.calls[4]]
    assert (
        kinds_and_procedures(live[Stage.POSITION])
        == kinds_and_procedures(before[Stage.POSITION])
        == ["doubled", "solve", "doubled", "solve"]
    )


def test_poses_and_energies_are_compiled_only_if_wanted():
    system = mb.MultibodySystem("chain")
    matter, forces = mb.MatterSubsystem(system), mb.ForceSubsystem(system)
    mb.Gravity(forces, matter, name="gravity")
    mb.Pin(matter.ground, mb.MassProperties.point(1.0, [0, -1, 0]), name="rod")
    model = generate(system)
    bare = model.source([])["kernels_1.c"]
    offsets = {variable.name: variable.slot.offset for variable in model.variables}
    assert "body_pose" not in bare
    assert "weight_energy" not in bare
    assert "body_pose" in model.source([offsets["rod.p_GB"]])["kernels_1.c"]
    assert "weight_energy" in model.source([offsets["potential_energy"]])["kernels_1.c"]
