"""Many instances, many threads, many steps."""

import ctypes
import resource
import sys
from concurrent.futures import ThreadPoolExecutor
from itertools import pairwise

import numpy as np
import pytest

from tests.native.slave import OK

TIMES = np.linspace(0, 0.5, 11)


def own_values(number):
    return {"rod.mass": 1.0 + 0.001 * number, "motor.torque": 0.3 - 0.0007 * number}


def test_a_thousand_instances_give_the_same_results_as_each_alone(new_slave):
    slaves = [new_slave(name=f"slave {number}").start(own_values(number)) for number in range(1000)]
    for begin, end in pairwise(TIMES):
        for slave in slaves:
            assert slave.step(begin, end - begin) == OK

    for number in (0, 17, 500, 999):
        assert slaves[number].states() == new_slave().start(own_values(number)).run(TIMES).states()
    assert len({tuple(slave.states()) for slave in slaves}) == 1000  # each its own


def test_instances_in_eight_threads_do_not_disturb_each_other(new_slave):
    """ctypes releases the interpreter's lock during a call, so that the instances step at the same time."""
    numbers = range(64)
    slaves = [new_slave().start(own_values(number), tolerance=1e-10) for number in numbers]
    with ThreadPoolExecutor(8) as pool:
        results = list(pool.map(lambda slave: slave.run(TIMES).states(), slaves))

    assert results == [new_slave().start(own_values(number), tolerance=1e-10).run(TIMES).states() for number in numbers]


@pytest.mark.slow
@pytest.mark.skipif(sys.platform != "linux", reason="ru_maxrss is in kilobytes on Linux alone")
def test_a_million_steps_take_no_more_memory_than_a_thousand(new_slave):
    slave = new_slave().start(tolerance=1e-3)
    step_size = 1e-4
    do_step = slave.library.fmi2DoStep
    component, size, keeps = ctypes.c_void_p(slave.component), ctypes.c_double(step_size), ctypes.c_int(1)

    def run(first, last):
        for k in range(first, last):
            assert do_step(component, ctypes.c_double(k * step_size), size, keeps) == OK

    run(0, 1000)
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    run(1000, 1_000_000)
    # a leak of one number a step would be 8 MB
    assert resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before < 2000
