"""Sweeps without vectors, whose library takes long to build: that runs in lanes have the same bits is tested in tests/ensembles."""

import pytest

from mobod.runtime.simd import VARIABLE


@pytest.fixture(autouse=True, scope="package")
def scalar_ensembles():
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv(VARIABLE, "none")
        yield
