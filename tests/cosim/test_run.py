"""Runs in parts, with values set in between, and from checkpoints."""

from contextlib import suppress
from hashlib import sha256

import numpy as np
import pytest
from numpy.testing import assert_array_equal

from mobod.cosim import Checkpoint, Master, Network
from mobod.errors import FmuCallError, FmuError, InputError, MobodError, UnknownNameError, UnsupportedError


@pytest.fixture
def saving_masses(saving):
    """Two different masses with springs between them."""
    network = Network()
    network.add(saving("spring_mass"), "left", start={"x": 0.7, "mass": 0.9}, isolate=False)
    network.add(saving("spring_mass"), "right", start={"v": -1.1, "stiffness": 31.0}, isolate=False)
    network.connect("left.x", "right.other")
    network.connect("right.x", "left.other")
    return network


def same_bits(table, other):
    return list(table) == list(other) and all(table[name].tobytes() == other[name].tobytes() for name in table)


# in parts --------------------------------------------------------------------------------------------------------------------------------


@pytest.mark.fast("gauss-seidel")
@pytest.mark.parametrize("algorithm", ["jacobi", "gauss-seidel"])
def test_a_run_in_parts_has_the_same_bits_as_a_single_run(two_masses, algorithm):
    master = Master(two_masses, step=0.1, algorithm=algorithm)
    whole = master.run(until=1.3)
    with master.start() as run:
        parts = [run.until(0.3), run.until(0.7), run.until(1.3)]
    # multiples of 0.1 are not exact in binary: where parts meet, the times are those given
    assert [part.time[-1] for part in parts] == [part.time[0] for part in parts[1:]] + [1.3] == [0.3, 0.7, 1.3]
    for name in whole:
        assert_array_equal([*parts[0][name], *parts[1][name][1:], *parts[2][name][1:]], whole[name])


def test_communication_points_are_counted_from_a_shorter_last_step(two_masses):
    with Master(two_masses, step=0.1).start(2.0) as run:
        assert_array_equal(run.until(2.25).time, [2.0, 2.1, 2.2, 2.25])
        assert run.time == 2.25
        assert_array_equal(run.until(2.5).time, [2.25, 2.35, 2.25 + 2 * 0.1, 2.5])


def test_the_rows_before_a_value_that_is_not_finite_are_kept(fmus):
    network = Network()
    network.add(fmus["failing"], "bad", start={"manner": "nan", "limit": 0.25})
    with Master(network, step=0.1).start(0.05) as run:
        assert len(run.recorded.time) == 0
        with pytest.raises(FmuError, match=r"FMU 'bad'.*output 'y' at 0\.35 s is nan"):
            run.until(1.0)
        assert_array_equal(run.recorded.time, [0.05, 0.05 + 0.1, 0.05 + 2 * 0.1])
        assert_array_equal(run.recorded["bad.y"], [0.5, 0.5, 0.5])


@pytest.mark.parametrize("until", [0.7, 0.7 + 1e-16, 7 * 0.1, 0.6])
def test_a_run_must_end_after_its_present_time(two_masses, until):
    with Master(two_masses, step=0.1).start() as run:
        run.until(0.7)
        with pytest.raises(InputError, match="Give a later end"):
            run.until(until)


def test_later_additions_to_the_network_do_not_change_the_run(two_masses, fmus):
    with Master(two_masses).start() as run:
        two_masses.add(fmus["gain"], "late")
        with pytest.raises(UnknownNameError, match="'late'"):
            run.set({"late.gain": 2.0})
        assert list(run.until(0.01)) == ["left.x", "left.v", "right.x", "right.v"]


def test_fmus_are_freed_at_the_end_of_the_run_and_after_an_error(two_masses, tmp_path, monkeypatch):
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    run = Master(two_masses).start()
    assert len(list(tmp_path.glob("mobod_*"))) == 2
    run.close()
    run.close()
    with pytest.raises(ZeroDivisionError), Master(two_masses).start():
        raise ZeroDivisionError
    assert not list(tmp_path.glob("mobod_*"))


# values set on the way -------------------------------------------------------------------------------------------------------------------


@pytest.mark.slow
def test_set_parameters_and_inputs_act_from_then_on(fmus):
    network = Network()
    network.add(fmus["spring_mass"], "mass", start={"x": 0.4})
    master = Master(network, step=0.01)
    with master.start() as run:
        before = run.until(0.3)
        run.set({"mass.stiffness": 7.0, "mass.other": -0.2})
        after = run.until(0.8)
    # the mass does not depend on time: another one that starts with these values moves in the same way
    network.components["mass"].set_start({"stiffness": 7.0, "other": -0.2, "x": before["mass.x"][-1], "v": before["mass.v"][-1]})
    assert same_bits(after, master.run(until=0.5))


@pytest.mark.parametrize(
    ("values", "error", "message"),
    [
        ({"right.stifness": 2.0}, UnknownNameError, "Did you mean 'stiffness'"),
        ({"rigth.stiffness": 2.0}, UnknownNameError, "Did you mean 'right'"),
        ({"right.stiffness": True}, InputError, "'right.stiffness' is of type Real, but was given True"),
        ({"right.stiffness": float("inf")}, InputError, "finite"),
        ({"right.x": 2.0}, InputError, r"'right\.x' cannot be set during a run \(causality output"),
        ({"bad.limit": 2.0}, InputError, r"causality parameter, variability fixed"),
        ({"right.other": 2.0}, InputError, r"'right\.other' cannot be set: it is connected, and left\.x sets it"),
    ],
)
def test_if_one_value_cannot_be_set_none_is_set(two_masses, fmus, values, error, message):
    two_masses.add(fmus["failing"], "bad")
    untouched = Master(two_masses).run(until=0.05)
    with Master(two_masses).start() as run:
        with pytest.raises(error, match=message):
            run.set({"left.stiffness": 1.0, **values})
        assert same_bits(run.until(0.05), untouched)


# checkpoints -----------------------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("algorithm", ["jacobi", "gauss-seidel"])
def test_a_restored_run_continues_with_the_same_bits(saving_masses, algorithm):
    with Master(saving_masses, step=0.1, algorithm=algorithm).start() as run:
        run.until(0.7)
        checkpoint = run.checkpoint()
        first = run.until(1.7)
        run.set({"left.mass": 5.0})
        run.until(2.1)
        run.restore(checkpoint)
        assert run.time == 0.7
        again = run.until(1.7)
    assert same_bits(again, first)
    assert_array_equal(again.time, first.time)


def test_a_checkpoint_read_from_a_file_continues_in_another_run(saving_masses, tmp_path):
    master = Master(saving_masses, step=0.1)
    with master.start() as run:
        run.until(0.7)
        checkpoint = run.checkpoint()
        checkpoint.save(tmp_path / "run.checkpoint")
        expected = run.until(1.2)
    loaded = Checkpoint.load(tmp_path / "run.checkpoint")
    assert loaded == checkpoint == Checkpoint.from_bytes(checkpoint.to_bytes())
    with master.start() as other:
        other.restore(loaded)
        assert same_bits(other.until(1.2), expected)


def test_with_another_step_communication_points_are_counted_from_the_checkpoint(saving_masses):
    with Master(saving_masses, step=0.1).start() as run:
        run.until(0.3)
        checkpoint = run.checkpoint()
    with Master(saving_masses, step=0.25).start() as other:
        other.restore(checkpoint)
        assert_array_equal(other.until(0.8).time, [0.3, 0.55, 0.8])


@pytest.mark.slow
def test_a_checkpoint_of_other_fmus_is_refused_and_changes_nothing(saving_masses, saving, fmus):
    with Master(saving_masses).start() as run:
        checkpoint = run.checkpoint()
    renamed, replaced = Network(), Network()
    for name in ("left", "wrong"):
        renamed.add(saving("spring_mass"), name)
    replaced.add(saving("spring_mass"), "left")
    replaced.add(saving("gain"), "right")
    for network, message in ((renamed, "named left, right. The FMUs of this run are left, wrong"), (replaced, "another FMU named 'right'")):
        untouched = Master(network).run(until=0.05)
        with Master(network).start() as run:
            with pytest.raises(InputError, match=message):
                run.restore(checkpoint)
            assert same_bits(run.until(0.05), untouched)


def test_an_fmu_that_cannot_save_its_state_is_named(saving, fmus, described):
    network = Network()
    network.add(saving("spring_mass"), "saves")
    network.add(described(fmus["gain"], ('canGetAndSetFMUstate="false"', 'canGetAndSetFMUstate="true"')), "in memory alone")
    with (
        Master(network).start() as run,
        pytest.raises(UnsupportedError, match=r"FMU 'in memory alone' .*gain\.fmu.* does not declare canSerializeFMUstate\."),
    ):
        run.checkpoint()


@pytest.mark.parametrize(
    ("damage", "message"),
    [
        (lambda data: b"", "not a checkpoint"),
        (lambda data: data[1:], "not a checkpoint"),
        (lambda data: data.replace(b"checkpoint 1", b"checkpoint 2"), "of this version"),
        (lambda data: data[:-1], "damaged"),
        (lambda data: data[:20], "damaged"),
        (lambda data: data + b"\0", "damaged"),
        (lambda data: data.replace(b'"done": 3', b'"done": 4'), "damaged"),
        (lambda data: data[:-9] + bytes([data[-9] ^ 1]) + data[-8:], "damaged"),
    ],
)
def test_a_damaged_checkpoint_is_refused(saving_masses, tmp_path, damage, message):
    with Master(saving_masses, step=0.1).start() as run:
        run.until(0.3)
        data = run.checkpoint().to_bytes()
    path = tmp_path / "run.checkpoint"
    path.write_bytes(damage(data))
    with pytest.raises(InputError, match=message) as caught:
        Checkpoint.load(path)
    assert str(path) in str(caught.value)


def sealed(data):
    """A checkpoint with a valid hash."""
    magic, body = data[: data.index(b"\n") + 1], data[data.index(b"\n") + 33 :]
    return magic + sha256(body).digest() + body


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ('"time": 0.3', '"time": NaN'),
        ('"time": 0.3', '"time": 1e300'),
        ('"time": 0.3', '"time": true'),
        ('"done": 3', '"done": -3'),
        ('"done": 3', '"done": 1e400'),
        ('"done": 3', '"done": 3.0'),
        ('"done": 3', '"done": 40'),
        ('"step": 0.1', '"step": -0.1'),
        ('"step": 0.1', '"step": Infinity'),
        ('"name": "right"', '"name": "left"'),
        ('"name": "right"', '"name": null'),
        ('"components": [', '"components": 7, "others": ['),
        ("{", "["),
    ],
)
def test_a_checkpoint_with_invalid_content_is_refused_despite_a_valid_hash(saving_masses, old, new):
    with Master(saving_masses, step=0.1).start() as run:
        run.until(0.3)
        data = run.checkpoint().to_bytes()
    head, body = data[: data.index(b"\n") + 33], data[data.index(b"\n") + 33 :]  # the hash may hold any byte
    assert body.count(old.encode()) >= 1
    with pytest.raises(InputError, match="damaged"):
        Checkpoint.from_bytes(sealed(head + body.replace(old.encode(), new.encode(), 1)))


def test_component_sizes_that_only_have_the_right_sum_are_refused(saving_masses):
    with Master(saving_masses, step=0.1).start() as run:
        run.until(0.3)
        checkpoint = run.checkpoint()
    sizes = [len(state.data) for state in checkpoint.components.values()]
    data = checkpoint.to_bytes()
    for size, other in zip(sizes, (-5, sizes[0] + sizes[1] + 5), strict=True):
        data = data.replace(f'"size": {size}'.encode(), f'"size": {other}'.encode(), 1)
    with pytest.raises(InputError, match="damaged"):
        Checkpoint.from_bytes(sealed(data))


@pytest.mark.parametrize("n", [500, pytest.param(10_000, marks=pytest.mark.slow)])
def test_a_randomly_changed_checkpoint_is_refused_or_valid(saving_masses, n):
    with Master(saving_masses, step=0.1).start() as run:
        run.until(0.3)
        data = run.checkpoint().to_bytes()
    generator, taken = np.random.default_rng(4), 0
    for k in range(n):
        changed = bytearray(data)
        changed[generator.integers(52, 400 if k % 2 else len(data))] ^= 1 << int(generator.integers(8))
        with pytest.raises(InputError):
            Checkpoint.from_bytes(bytes(changed))
        with suppress(InputError):
            read = Checkpoint.from_bytes(sealed(bytes(changed)))
            taken += 1
            assert Checkpoint.from_bytes(read.to_bytes()) == read
    assert 0 < taken < n


@pytest.mark.slow
def test_after_a_failed_step_a_run_continues_only_from_a_checkpoint(saving):
    network = Network()
    network.add(saving("spring_mass"), "good")
    network.add(saving("failing"), "bad", start={"manner": "discard", "limit": 0.25})
    with Master(network, step=0.1).start() as run:
        run.until(0.1)
        checkpoint = run.checkpoint()
        first = run.until(0.2)
        with pytest.raises(FmuError, match=r"fmi2DoStep at 0\.2 s returned discard"):
            run.until(0.5)
        for call in (lambda: run.until(0.5), run.checkpoint, lambda: run.set({})):
            with pytest.raises(FmuCallError, match=r"after an error in a step from 0\.2 s"):
                call()
        run.restore(checkpoint)
        assert same_bits(run.until(0.2), first)


@pytest.mark.slow
def test_an_error_of_the_caller_between_steps_does_not_affect_the_run(two_masses):
    def stop(done, steps):
        if done == 1:
            raise MobodError("enough")

    master = Master(two_masses, step=0.1)
    with master.start() as run:
        with pytest.raises(MobodError, match="enough"):
            run.until(0.5, progress=stop)
        assert run.time == pytest.approx(0.1)
        rest = run.until(0.5)
    assert_array_equal(rest["left.x"], master.run(until=0.5)["left.x"][1:])
