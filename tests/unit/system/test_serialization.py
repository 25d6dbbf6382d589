"""A State as bytes and back."""

import hashlib
import subprocess
import sys
import textwrap

import numpy as np
import pytest

import mobod as mb
from mobod.errors import InputError, StateError, UnsupportedError
from mobod.system import Stage, State, System
from mobod.system.state.encoding import encode

TENTH = 0.1 + 2**-55  # a double that needs all its digits


@pytest.fixture
def build(make):
    """build(system=..., options) adds an engine: variables of every kind, three or four coordinates."""

    def add(to, *, gain=1.5, invalidates=Stage.DYNAMICS, name="engine", notes=None):
        def topology(subsystem, state):
            subsystem.is_quaternion = state.allocate_discrete_variable(subsystem, "is_quaternion", False, Stage.MODEL)
            subsystem.joints = state.allocate_discrete_variable(subsystem, "joints", ("x", "y"), Stage.MODEL)
            subsystem.gain = state.allocate_discrete_variable(subsystem, "gain", gain, invalidates)
            subsystem.is_hot = state.allocate_discrete_variable(subsystem, "is_hot", False, Stage.INSTANCE)
            subsystem.notes = state.allocate_discrete_variable(subsystem, "notes", notes, Stage.INSTANCE)
            subsystem.handles = state.allocate_discrete_variable(subsystem, "handles", None, Stage.INSTANCE)

        def model(subsystem, state):
            state.allocate_q(subsystem, [1.0, 0, 0, 0] if state.get(subsystem.is_quaternion) else [0.1, 0.2, 0.3])
            state.allocate_u(subsystem, [0.5] * len(state.get(subsystem.joints)))
            state.allocate_z(subsystem, [0.0])
            limits = state.allocate_discrete_variable(subsystem, "limits", np.zeros((2, 2)), Stage.POSITION)
            state.set(subsystem.handles, {"limits": limits})

        return make({"TOPOLOGY": topology, "MODEL": model}, name=name, to=to)

    return add


@pytest.fixture
def engine(system, build):
    return build(system)


@pytest.fixture
def state(system, engine):
    """A State in which every variable differs from its start value."""
    state = system.realize_topology()
    state.set(engine.is_quaternion, True)
    state.set(engine.joints, ("x", "y", "z"))
    system.realize_model(state)
    state.time, state.q, state.u, state.z = 1 / 3, [TENTH, -0.0, 1e-310, 2.5], [1e300, -1 / 7, 3.0], [np.pi]
    state.set(engine.gain, -TENTH)
    state.set(engine.is_hot, True)
    state.set(engine.notes, {"knots": np.array([0.5, np.nan]), "mode": ["cold", 3, None, (True, 2**70)]})
    state.set(state.get(engine.handles)["limits"], [[1.0, -0.0], [TENTH, 4.0]])
    return state


def test_a_state_with_variables_of_every_kind_is_restored_bit_for_bit(system, engine, state):
    system.realize(state, Stage.REPORT)
    back = State.from_bytes(system, state.to_bytes())
    assert back == state
    assert back.stage == Stage.MODEL
    assert (back.time, back.y.tobytes()) == (state.time, state.y.tobytes())
    limits = back.get(engine.handles)["limits"]
    assert back.get(limits).tobytes() == state.get(limits).tobytes()
    assert type(back.get(engine.is_hot)) is bool
    assert back.get(engine.is_hot)
    assert back.to_bytes() == state.to_bytes()


def test_a_restored_state_is_independent(system, engine, state):
    back = State.from_bytes(system, state.to_bytes())
    back.set(engine.gain, 9.0)
    back.get(engine.notes)["mode"].append("hot")
    assert state.get(engine.gain) == -TENTH
    assert len(state.get(engine.notes)["mode"]) == 4


def test_numbers_that_cannot_be_set_are_restored_too(system, build):
    engine = build(system, gain=np.array([np.nan, np.inf]))
    back = State.from_bytes(system, system.realize_topology().to_bytes())
    assert np.array_equal(back.get(engine.gain), [np.nan, np.inf], equal_nan=True)


def test_an_equal_system_accepts_the_bytes(system, state, build):
    twin = System("clockwork")
    engine = build(twin)
    back = State.from_bytes(twin, state.to_bytes())
    assert back.system is twin
    assert back.get(engine.gain) == -TENTH
    assert back.y.tobytes() == state.y.tobytes()


def test_a_different_default_does_not_change_the_structure(system, state, build):
    twin = System("clockwork")
    engine = build(twin, gain=7.0)
    assert State.from_bytes(twin, state.to_bytes()).get(engine.gain) == -TENTH


def test_another_system_is_refused_with_both_names(state, build):
    other = System("sundial")
    build(other)
    with pytest.raises(StateError, match="the bytes of a State of System 'clockwork', not of 'sundial'"):
        State.from_bytes(other, state.to_bytes())


@pytest.mark.parametrize(
    ("changed", "told"),
    [
        ({"name": "motor"}, r"they know the subsystems 'engine' 1.0; it has 'motor' 1.0"),
        ({"gain": np.ones(2)}, r"they hold 'gain' \(numbers of shape \(\).*where it has 'gain' \(numbers of shape \(2,\)"),
        ({"gain": True}, r"they hold 'gain' \(numbers.*where it has 'gain' \(a boolean"),
        ({"gain": "high"}, r"where it has 'gain' \(an object"),
        ({"invalidates": Stage.TIME}, "'gain' .*invalidates DYNAMICS.*where it has 'gain' .*invalidates TIME"),
    ],
)
def test_a_system_of_the_same_name_with_another_structure_is_refused_saying_what_differs(state, build, changed, told):
    other = System("clockwork")
    build(other, **changed)
    with pytest.raises(StateError, match=f"'clockwork' with another structure: .*{told}"):
        State.from_bytes(other, state.to_bytes())


def test_more_or_fewer_variables_are_refused(system, engine, make):
    few = system.realize_topology().to_bytes()

    def more(subsystem, state):
        engine.script[Stage.MODEL](subsystem, state)
        state.allocate_discrete_variable(subsystem, "extra", 1.0, Stage.REPORT)

    other = System("clockwork")
    make({"TOPOLOGY": engine.script[Stage.TOPOLOGY], "MODEL": more}, name="engine", to=other)
    with pytest.raises(StateError, match=r"they hold no more variables where it has 'extra'"):
        State.from_bytes(other, few)
    with pytest.raises(StateError, match=r"they hold 'extra' .* where it has no more variables"):
        State.from_bytes(system, other.realize_topology().to_bytes())


def mechanism(*, kind=mb.Pin, on_ground=False, com=(0.1, -0.3, 0.2)):
    """Two bodies. The names and shapes of variables are the same for all arguments."""
    system = mb.MultibodySystem("arm")
    matter = mb.MatterSubsystem(system)
    load = mb.MassProperties(mass=1.7, com=list(com), inertia=mb.Inertia.sphere(mass=1.7, radius=0.3).shifted(list(com)))
    upper = mb.Pin(matter.ground, load, name="upper")
    kind(matter.ground if on_ground else upper, load, name="lower")
    return system


@pytest.mark.parametrize(
    "other", [{"kind": mb.Slider}, {"on_ground": True}, {"com": (0.1, -0.3, 0.0)}], ids=["mobilizer", "parent", "zero pattern"]
)
def test_other_elements_with_the_same_variables_are_refused(other):
    data = mechanism().realize_topology().to_bytes()
    assert State.from_bytes(mechanism(com=(0.4, 0.5, 0.6)), data).to_bytes() == data
    with pytest.raises(StateError, match="its elements, or the ways they are connected, were others"):
        State.from_bytes(mechanism(**other), data)


@pytest.mark.slow
def test_another_process_reads_the_bytes_and_writes_the_same(tmp_path):
    program = tmp_path / "build.py"
    program.write_text(
        textwrap.dedent("""
            import sys
            import mobod as mb
            system = mb.MultibodySystem("pendulum")
            matter = mb.MatterSubsystem(system)
            mb.Gravity(mb.ForceSubsystem(system), matter, name="gravity")
            ball = mb.MassProperties(mass=1.0, com=[0, -0.7, 0], inertia=mb.Inertia.point(mass=1.0, p=[0, -0.7, 0]))
            mb.Pin(matter.ground, ball, name="pin")
            if len(sys.argv) > 1:
                state = mb.State.from_bytes(system, open(sys.argv[1], "rb").read())
            else:
                state = system.realize_topology()
                state.time, state.q = 1 / 3, [0.1]
            sys.stdout.buffer.write(state.to_bytes())
        """)
    )
    data = subprocess.run([sys.executable, program], capture_output=True, timeout=60, check=True).stdout
    (tmp_path / "state").write_bytes(data)
    again = subprocess.run([sys.executable, program, tmp_path / "state"], capture_output=True, timeout=60, check=True).stdout
    assert again == data


# damaged bytes


def test_every_truncation_is_refused(system, state):
    data = state.to_bytes()
    for length in (*range(60), len(data) // 2, len(data) - 1):
        with pytest.raises(StateError, match="truncated"):
            State.from_bytes(system, data[:length])
    with pytest.raises(StateError, match="truncated or too long"):
        State.from_bytes(system, data + b"x")


def test_every_flipped_byte_is_refused(system, state):
    data = state.to_bytes()
    for at in range(len(data)):
        damaged = bytearray(data)
        damaged[at] ^= 0x10
        with pytest.raises(StateError):
            State.from_bytes(system, bytes(damaged))


def test_data_that_is_not_a_state_is_refused(system, state):
    with pytest.raises(StateError, match="these are not the bytes of a State: the first bytes are wrong"):
        State.from_bytes(system, b"PK\x03\x04 and so on")
    with pytest.raises(InputError, match="from the bytes that to_bytes returned, not from str"):
        State.from_bytes(system, "mobod state")
    data = bytearray(state.to_bytes())
    data[12] = 2
    with pytest.raises(StateError, match="have format 2; this version of mobod reads format 1"):
        State.from_bytes(system, data)


def forged(data, content):
    """Other content after the header of valid bytes, with the right length and checksum."""
    return data[:16] + len(content).to_bytes(8, "little") + hashlib.sha256(content).digest() + content


@pytest.mark.parametrize(
    "content",
    [
        b"",
        b"?",
        encode("text"),
        encode((1, 2, 3)),
        encode(("clockwork", (("engine", "1.0"),), (1,), b"", (2,), np.zeros(3))),
        encode(("clockwork", ("engine",), (), b"", (), np.zeros(3))),
        encode(("clockwork", (("engine", "1.0"),), (), b"", (), None)),
        encode(("clockwork", (("engine", "1.0"),), (), b"", (), np.zeros(3, dtype=int))),
    ],
)
def test_bytes_with_a_valid_checksum_and_wrong_content_are_refused(system, state, content):
    with pytest.raises(StateError, match="these are not the bytes of a State"):
        State.from_bytes(system, forged(state.to_bytes(), content))


# what cannot be serialised


class Opaque:
    pass


def test_an_object_that_is_not_plain_data_is_reported_with_its_variable(system, engine):
    state = system.realize_topology()
    state.set(engine.notes, ["fine", Opaque()])
    with pytest.raises(UnsupportedError, match=r"variable 'notes' of subsystem 'engine': a value of type .*Opaque cannot be serialised"):
        state.to_bytes()


def test_an_outdated_state_is_not_serialised(system, engine):
    state = system.realize_topology()
    engine.invalidate_topology()
    with pytest.raises(StateError, match="changed after this State was made"):
        state.to_bytes()
