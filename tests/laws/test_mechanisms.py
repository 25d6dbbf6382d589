"""The random mechanisms have the properties that the tests of laws assume."""

import inspect

import mobod as mb
from tests.laws.mechanisms import FORCES, LOCKS, MOBILIZERS, MOTIONS


def test_every_public_mobilizer_and_force_is_in_the_tables():
    public = [value for value in (getattr(mb, name) for name in mb.__all__) if inspect.isclass(value)]

    def elements(base):
        return {each.__name__ for each in public if issubclass(each, base) and not inspect.isabstract(each) and each is not base}

    # CustomMobilizer has no equations itself; tests/unit/matter/test_custom_mobilizer.py uses it for copies of all others
    assert elements(mb.MobilizedBody) - {"CustomMobilizer"} == {name.split()[0] for name in MOBILIZERS}
    assert elements(mb.Force) == FORCES.keys()
    assert elements(mb.Motion) - {"CustomMotion"} == MOTIONS.keys()


def test_a_mechanism_has_every_mobilizer_and_force_and_general_frames(mechanism):
    assert {body.name.rsplit(" ", 1)[0] for body in mechanism.bodies} == MOBILIZERS.keys()
    assert {type(force).__name__ for force in mechanism.forces.values()} == FORCES.keys()
    assert {type(motion).__name__ for motion in mechanism.motions.values()} == MOTIONS.keys()
    assert {motion.equations.level for motion in mechanism.motions.values()} == set(LOCKS)
    assert tuple(mechanism.lockable) == LOCKS
    for body in mechanism.bodies:
        for X in (body.X_PF, body.X_BM):
            assert X.R.all()
            assert X.p.all()


def test_a_mechanism_branches(mechanism):
    parents = [body.parent.index for body in mechanism.bodies]
    assert len(set(parents)) < len(parents)
    assert max(parents) > 0
