"""The same calls give the same bits, independent of other instances."""

from itertools import pairwise

import numpy as np

TIMES = np.linspace(0, 1, 41)


def test_the_same_run_gives_the_same_bits(new_slave):
    assert new_slave().start().run(TIMES).states() == new_slave().start().run(TIMES).states()


def test_two_instances_do_not_disturb_each_other(new_slave):
    mass, torque = {"rod.mass": 2.3}, {"motor.torque": -0.6}
    alone = new_slave().start(mass, tolerance=1e-8).run(TIMES), new_slave().start(torque).run(TIMES)

    first, second = new_slave().start(mass, tolerance=1e-8), new_slave().start(torque)
    for begin, end in pairwise(TIMES):
        first.step(begin, end - begin)
        second.step(begin, end - begin)

    assert [first.states(), second.states()] == [slave.states() for slave in alone]


def test_a_reset_instance_is_a_new_one(new_slave):
    slave = new_slave().start({"rod.length": 1.7, "pendulum.q_start": 2.0}, start=3.0, tolerance=1e-3).run(3 + TIMES)
    slave.call("Reset")

    assert slave.start().run(TIMES).states() == new_slave().start().run(TIMES).states()
