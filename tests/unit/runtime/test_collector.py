"""The garbage collector waits while large tables are made, and goes on as the user has it."""

import gc

import pytest

from mobod.runtime.collector import collector_waits


@pytest.fixture(autouse=True)
def collector_as_before():
    was_enabled = gc.isenabled()
    yield
    (gc.enable if was_enabled else gc.disable)()


@pytest.mark.parametrize("is_enabled", [True, False])
def test_the_collector_is_afterwards_as_it_was(is_enabled):
    (gc.enable if is_enabled else gc.disable)()
    with collector_waits():
        assert not gc.isenabled()
        with collector_waits():
            pass
        assert not gc.isenabled()
    assert gc.isenabled() == is_enabled


def test_an_error_lets_the_collector_go_on():
    gc.enable()
    with pytest.raises(ZeroDivisionError), collector_waits():
        1 / 0  # noqa: B018 # for its error
    assert gc.isenabled()
