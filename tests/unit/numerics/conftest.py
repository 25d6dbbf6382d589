from collections import deque

import numpy as np
import pytest

GUARD, INTEGER_GUARD = -123.25, -77


@pytest.fixture(autouse=True)
def memory_behind_workspaces(monkeypatch):
    """Checks after each test that C wrote nothing behind the workspaces, which have exactly the required size."""
    guarded: deque[tuple[np.ndarray, np.ndarray]] = deque()

    def workspace(n_reals, n_integers):
        if len(guarded) == 100:
            check(*guarded.popleft())
        reals, integers = np.full(n_reals + 1, GUARD), np.full(n_integers + 1, INTEGER_GUARD, dtype=np.int32)
        guarded.append((reals, integers))
        return reals[:-1], integers[:-1]

    def check(reals, integers):
        assert (reals[-1], integers[-1]) == (GUARD, INTEGER_GUARD)

    for module in ("factor", "complementarity", "quadratic_program"):
        monkeypatch.setattr(f"mobod.numerics.{module}.workspace", workspace)
    yield
    for each in guarded:
        check(*each)
