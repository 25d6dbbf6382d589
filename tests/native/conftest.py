from pathlib import Path

import pytest

from tests.native.slave import Slave, compile_model


@pytest.fixture(scope="session")
def library() -> Path:
    return compile_model()


@pytest.fixture
def new_slave(library):
    """A function that makes instances; the remaining ones are freed after the test."""
    slaves = []

    def make(**arguments) -> Slave:
        slaves.append(Slave(library, **arguments))
        return slaves[-1]

    yield make
    for slave in slaves:
        slave.free()
