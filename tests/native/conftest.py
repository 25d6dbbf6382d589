from pathlib import Path

import pytest

from tests.native.slave import Slave, compile_model


@pytest.fixture(scope="session")
def library() -> Path:
    return compile_model()


@pytest.fixture
def new_slave(library):
    """Makes instances, and frees those that the test has left."""
    slaves = []

    def make(**arguments) -> Slave:
        slaves.append(Slave(library, **arguments))
        return slaves[-1]

    yield make
    for slave in slaves:
        slave.free()
