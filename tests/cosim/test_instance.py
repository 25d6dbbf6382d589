"""One FMU instance: typed values, failed calls, and removal of temporary files."""

import gc
import subprocess
import sys

import pytest

from mobod.cosim import FmuFile, Instance
from mobod.cosim.instance import StepDiscardedError
from mobod.errors import FmuCallError, FmuError, UnknownNameError


@pytest.fixture
def start(fmus, tmp_path, monkeypatch):
    """Starts an instance, unpacked in tmp_path; all are closed at the end."""
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    instances = []

    def start(fmu, name="it", values=None):
        instance = Instance(FmuFile(fmus[fmu]), name)
        instances.append(instance)
        instance.set_up(0.0, 1.0, None)
        instance.set(values or {})
        instance.enter_initialization()
        instance.exit_initialization()
        return instance

    yield start
    for instance in instances:
        instance.close()


def test_values_of_each_type_can_be_set_and_read(start):
    values = {"string_in": "Maß: 3,5 %d", "real_in": -0.1, "boolean_in": False, "integer_in": -(2**31)}
    instance = start("all_types", values=values)
    batch = instance.batch(values)
    assert batch.get() == list(values.values())
    assert [type(value) for value in batch.get()] == [str, float, bool, int]


def test_a_batch_is_read_again_each_time(start):
    instance = start("all_types", values={"real_in": 3.0, "integer_in": 7, "boolean_in": False, "string_in": "a"})
    outputs = instance.batch(["string_out", "real_out", "steps", "integer_out", "boolean_out"])
    before = outputs.get()
    instance.step(0.0, 0.1)
    assert before == ["größe, 1", -1.25, 0, 41, True]
    assert outputs.get() == ["a.", 1.5, 1, 8, True]


def test_unknown_variable_gets_the_nearest_name(start):
    with pytest.raises(UnknownNameError, match="Did you mean 'real_out'"):
        start("all_types").batch(["real_ot"])


def test_failed_step_names_instance_call_and_time_and_ends_with_the_log(start):
    instance = start("failing", "front axle", {"limit": 0.25})
    instance.step(0.0, 0.125)
    instance.step(0.125, 0.125)
    message = r"(?s)FMU 'front axle'.*failing\.fmu.*fmi2DoStep at 0\.25 s returned fatal.*\[error\].*the spring broke"
    with pytest.raises(FmuError, match=message):
        instance.step(0.25, 0.125)


@pytest.mark.parametrize(
    ("manner", "reached", "message"),
    [("discard", None, "it does not say how far it came"), ("part", 0.3, r"it came to 0\.3 s")],
)
def test_discarded_step_is_an_error_with_the_time_that_the_fmu_reached(start, manner, reached, message):
    instance = start("failing", values={"manner": manner, "limit": 0.3})
    expected = rf"FMU 'it' .*fmi2DoStep at 0 s returned discard: it cannot take this step of 0\.5 s; {message}\. .*The FMU logged nothing"
    with pytest.raises(StepDiscardedError, match=expected) as caught:
        instance.step(0.0, 0.5)
    assert caught.value.reached == reached


@pytest.mark.parametrize(("manner", "status"), [("unknown", "77"), ("negative", "-1")])
def test_an_unknown_status_is_an_error_that_names_it(start, manner, status):
    instance = start("failing", "front axle", {"manner": manner, "limit": 0.0})
    with pytest.raises(FmuError, match=rf"FMU 'front axle'.*fmi2DoStep at 0 s returned status {status} \(unknown to FMI\)"):
        instance.step(0.0, 0.5)


def test_a_warning_is_logged_and_is_not_an_error(start):
    instance = start("failing", values={"manner": "warn", "limit": 0.0})
    instance.step(0.0, 0.5)
    assert [(line.status, line.message) for line in instance.log.lines] == [("warning", "the spring is hot")]


def test_each_instance_has_its_own_log(start):
    first, second = (start("failing", name, {"manner": "warn", "limit": 0.0}) for name in ("first", "second"))
    first.step(0.0, 0.5)
    assert len(first.log.lines) == 1
    assert len(second.log.lines) == 0


def test_long_log_keeps_its_end(start):
    instance = start("failing", values={"manner": "warn", "limit": 1.5})
    for k in range(1200):
        instance.step(0.5 * k, 0.5)
    assert len(instance.log.lines) == 1000


def test_instance_is_not_called_after_a_fatal_error(start):
    instance = start("failing", values={"limit": 0.0})
    with pytest.raises(FmuError):
        instance.step(0.0, 0.5)
    with pytest.raises(FmuCallError, match="fmi2GetReal was called after a fatal error"):
        instance.get("y")


def test_instance_is_not_called_after_it_was_closed(start):
    instance = start("gain")
    instance.close()
    instance.close()
    with pytest.raises(FmuCallError, match="fmi2GetReal was called after the instance was closed"):
        instance.get("y")


def test_failed_termination_is_an_error_and_the_folder_is_removed(start, tmp_path):
    instance = start("failing", values={"manner": "terminate"})
    with pytest.raises(FmuError, match=r"(?s)fmi2Terminate.*cannot stop"):
        instance.close()
    assert not list(tmp_path.glob("mobod_*"))


def test_an_error_in_the_body_is_not_hidden_by_an_error_of_the_termination(start):
    instance = start("failing", values={"manner": "terminate"})
    with pytest.raises(ZeroDivisionError), instance:
        raise ZeroDivisionError


@pytest.mark.parametrize("closed_by", ["close", "with", "error", "garbage collection"])
def test_the_folder_is_removed_after_any_end_of_the_instance(fmus, tmp_path, monkeypatch, closed_by):
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    instance = Instance(FmuFile(fmus["gain"]), "it")
    assert len(list(tmp_path.glob("mobod_*"))) == 1
    if closed_by == "close":
        instance.close()
    elif closed_by == "with":
        with instance:
            pass
    elif closed_by == "error":
        with pytest.raises(ZeroDivisionError), instance:
            raise ZeroDivisionError
    else:
        del instance
        gc.collect()
    assert not list(tmp_path.glob("mobod_*"))


@pytest.mark.slow
def test_the_process_ends_normally_although_an_instance_was_not_closed(fmus, tmp_path):
    program = f"""
import gc, tempfile
from mobod.cosim import FmuFile, Instance
from mobod.cosim.instance import StepDiscardedError
from mobod.errors import FmuError
tempfile.tempdir = {str(tmp_path)!r}
file = FmuFile({str(fmus["failing"])!r})
for _ in range(3):
    with Instance(file, "one") as one:
        one.set_up(0.0, 1.0, None)
        one.set({{"manner": "raise", "limit": 0.0}})
        one.enter_initialization()
        one.exit_initialization()
        try:
            one.step(0.0, 0.5)
        except FmuError as error:
            print("caught", "fatal" in str(error))
    gc.collect()
left_open = Instance(file, "left open")
print("end")
"""
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, timeout=60, check=False)
    assert done.returncode == 0, done.stderr
    assert done.stdout.split("\n")[:-1] == ["caught True"] * 3 + ["end"]
    assert not list(tmp_path.glob("mobod_*"))
