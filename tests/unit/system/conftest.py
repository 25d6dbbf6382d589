"""Subsystems without mechanics, whose hooks the tests give."""

import pytest

from mobod.system import Stage, Subsystem, System
from mobod.system.subsystem import HOOKS


class Scripted(Subsystem):
    """Notes each call of a hook in `log`, as (name, stage), and does what `script` has for the stage."""

    def __init__(self, system, name="scripted", script=None, log=None):
        super().__init__(system, name)
        self.script = script or {}
        self.log = [] if log is None else log

    def _run(self, stage, state):
        self.log.append((self.name, stage))
        if stage in self.script:
            self.script[stage](self, state)


def _hook(stage):
    return lambda self, state: self._run(stage, state)


for _stage, _name in HOOKS.items():
    setattr(Scripted, _name, _hook(_stage))


@pytest.fixture
def system():
    return System("clockwork")


@pytest.fixture
def make(system):
    """make(hooks by stage name, subsystem name) adds a Scripted to the system."""

    def add(script=None, name="scripted", log=None, to=system):
        return Scripted(to, name, {Stage[stage]: hook for stage, hook in (script or {}).items()}, log)

    return add


@pytest.fixture
def continuous(make):
    """A subsystem with two coordinates, one speed and three auxiliary variables."""

    def allocate(subsystem, state):
        state.allocate_q(subsystem, [0.3, -0.4])
        state.allocate_u(subsystem, [1.7])
        state.allocate_z(subsystem, [0.1, 0.2, 0.3])

    return make({"MODEL": allocate}, name="continuous")
