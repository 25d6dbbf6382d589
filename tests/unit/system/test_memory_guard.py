"""The check that recorded functions store nothing outside the State, for many events of one class."""

import dis

import pytest
from benchmarks.fixed_steps import boxes


def test_the_code_of_events_is_read_once_for_all_that_share_it(monkeypatch):
    boxes(1).realize_topology()
    monkeypatch.setattr(dis, "get_instructions", lambda code: pytest.fail(f"{code} is read again"))

    boxes(2).realize_topology()
