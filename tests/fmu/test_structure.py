"""The dependencies that an FMU declares: which ones, which lists are left out, and how the description grows."""

import re
from zipfile import ZipFile

import numpy as np
import pytest
from fmpy.validation import validate_fmu

import mobod as mb
from mobod import functions
from mobod.compilation.source.model_source import generate
from mobod.cosim.network import Network
from mobod.cosim.signals.passing_order import feed_through, passing_order
from mobod.fmu.description.model_description import model_description
from mobod.fmu.interface import make_interface
from mobod.fmu.structure import LONG
from mobod.scalar.procedure import Procedure
from tests.analytic.linkage import linkage
from tests.fmu.bouncing_sphere import RADIUS, sphere
from tests.fmu.python_instances import instance_of

LINK = mb.MassProperties(1.3, [0.2, -0.3, 0.1], np.diag([0.6, 0.7, 0.8]))
FRAME = mb.Transform(p=[0.1, -0.7, 0.2])


def chain(n):
    """A chain of pins with a motor at the first one, and beside it one pin with a motor."""
    system = mb.MultibodySystem(f"chain of {n}")
    matter, forces = mb.MatterSubsystem(system), mb.ForceSubsystem(system)
    mb.Gravity(forces, matter, down=[0, -1, 0], magnitude=9.81, name="gravity")
    body = matter.ground
    for i in range(n):
        body = mb.Pin(body, LINK, FRAME, name=f"b{i}")
    mb.MobilityForce(forces, matter.body(1), force=0.3, name="motor")
    beside = mb.Pin(matter.ground, LINK, FRAME, name="beside")
    mb.MobilityForce(forces, beside, force=0.2, name="motor beside")
    return system


def in_a_bush():
    """A free body and a slider with a stop, joined by a bushing, and a pin whose motion is prescribed."""
    system = mb.MultibodySystem("bush")
    matter, forces = mb.MatterSubsystem(system), mb.ForceSubsystem(system)
    free = mb.Free(matter.ground, LINK, FRAME, name="free")
    slider = mb.Slider(free, LINK, name="slider")
    other = mb.Slider(matter.ground, LINK, FRAME, name="other")
    mb.MobilityLinearStop(forces, slider, stiffness=10.0, dissipation=0.1, q_low=-0.2, q_high=0.2, name="stop")
    mb.LinearBushing(forces, slider, other, stiffness=[3.0] * 6, damping=[0.2] * 6, name="bush")
    mb.SteadyMotion(mb.Pin(slider, LINK, name="driven"), 0.7)
    return system, system.realize_topology()


def interface_of(system, state=None, **chosen):
    return make_interface(generate(system, state), system.name, **chosen)


def declared(interface):
    """For each unknown the names of the knowns, while stepping and during initialization. None: no list."""

    def names(references):
        return None if references is None else {interface.rows[reference].name for reference in references}

    return {
        row.name: (names(row.depends_on), names(row.starts_from)) for row in interface.rows if row.initial == "calculated" or row.is_state
    }


def one_by_one(model):
    """Offset -> offsets of the independent numbers on which the number depends, by a set for each number."""
    sets = {offset: {offset} for v in model.variables if v.role in ("state", "parameter", "input") for offset in v.slot.offsets}
    sets[model.time.offset] = {model.time.offset}
    for stage in sorted(model.sweeps):
        for call in model.sweeps[stage].calls:
            if isinstance(call, Procedure):
                whole = set().union(*(sets.get(offset, set()) for slot in call.inputs for offset in slot.offsets))
                sets |= {offset: whole for slot in call.outputs for offset in slot.offsets}
                continue
            found = [
                [set().union(*(sets.get(call.inputs[i].offset + k, set()) for i, k in sources)) for sources in entries]
                for entries in call.kind.recording().dependencies
            ]
            for i, (slot, entries) in enumerate(zip(call.outputs, found, strict=True)):
                for offset, depends in zip(slot.offsets, entries, strict=True):
                    sets[offset] = depends | sets.get(offset, set()) if i in call.kind.adds else depends
    return sets


def changed_by_constraints(model, sets):
    """(numbers that change together at the start, numbers on which this depends): by a bilateral constraint, or as a quaternion."""
    layout, changed = model.layout, []
    if "rows" in layout.c_tables:
        for block in model.system.matter.constraint_sweeps(layout).table.blocks:
            for errors, of in ((block.position_errors, layout.q), (block.velocity_errors, layout.u)):
                offsets = [*errors.offsets, *(block.enabled.offsets if errors.size else ())]
                depends = set().union(*(sets.get(offset, set()) for offset in offsets))
                changed.append((depends & set(of.offsets), depends))
    changed += [({first + i for i in range(4)}, {first + i for i in range(4)}) for first in layout.quaternions]
    return changed


def closed_over(changed, depends):
    """All that `depends` reaches, one constraint after the other."""
    found, before = set(depends), None
    while found != before:
        before = set(found)
        for numbers, sources in changed:
            if numbers & found:
                found |= sources
    return found


def check_lists(model, interface):
    """Check each list against the sets for each number, and that it is left out only where that is allowed. Returns how many are."""
    sets, rows, n_y = one_by_one(model), interface.rows, model.y.size
    stepping = {row.at: i for i, row in enumerate(rows) if row.is_state or row.causality in ("input", "independent")}
    at_start = {row.at: i for i, row in enumerate(rows) if row.causality == "independent" or row.start is not None}
    first_start = next(i for i, row in enumerate(rows) if row.at == len(model.start))
    at_start |= {model.y.offset + i: first_start + i for i in range(n_y)}
    knowns_at_start = len(set(at_start.values()))
    itself = {first_start + i: stepping[model.y.offset + i] for i in range(n_y) if rows[stepping[model.y.offset + i]].start is not None}
    inputs = {row.at for row in rows if row.causality == "input"}
    changed_at_start = changed_by_constraints(model, sets)
    left_out = 0
    for row in rows:
        if row.initial != "calculated" and not row.is_state:
            continue
        depends = sets.get(row.at, set())
        through_start = closed_over(changed_at_start, depends)
        for written, references, count, sources in (
            (row.depends_on, stepping, len(stepping), depends),
            (row.starts_from, at_start, knowns_at_start, through_start),
        ):
            expected = sorted(references[offset] for offset in sources if offset in references)
            if written is None:
                left_out += 1
                assert len(expected) > max(LONG, count / 2)
                assert inputs <= sources
            else:
                also = [itself[each] for each in expected if each in itself] if references is at_start else []
                assert list(written) == sorted([*expected, *also])  # a state that takes a start value stands for it, too
                assert len(expected) <= max(LONG, count / 2) or not inputs <= sources
    return left_out


@pytest.mark.slow
def test_lists_are_those_of_sets_for_each_number():
    for system, state, given in ((*in_a_bush(), "bush.stiffness"), (linkage().system, None, "gravity.magnitude")):
        model = generate(system, state)
        outputs = [each.name for each in model.variables if each.role == "output"]
        assert check_lists(model, make_interface(model, "it", inputs=[given], outputs=outputs)) == 0


def test_a_prescribed_state_depends_on_what_prescribes_it():
    system, state = in_a_bush()
    lists = declared(interface_of(system, state, inputs=["driven.motion.rate_of_u"]))
    assert lists["driven.u"][0] == {"driven.u", "driven.motion.rate_of_u"}
    assert lists["slider.u"][0] == {"slider.u"}


@pytest.mark.fast(1)
@pytest.mark.parametrize("inputs", [[], ["motor.force"], ["motor.force", "motor beside.force"]])
def test_lists_of_a_long_chain_are_those_of_sets_for_each_number(inputs):
    model = generate(chain(40))
    interface = make_interface(model, "chain", inputs=inputs, outputs=["b39.p_GB", "b39.v_GB", "b39.a_GB", "beside.a_GB", "b3.v_GB"])
    assert (check_lists(model, interface) > 0) is (len(inputs) < 2)


@pytest.mark.slow
def test_a_list_is_left_out_only_if_the_unknown_depends_on_every_input():
    system = chain(40)
    depends = {n: declared(interface_of(system, inputs=["motor.force", "motor beside.force"][:n])) for n in range(3)}
    for n_inputs, is_left_out in ((0, True), (1, True), (2, False)):
        stepping, starting = depends[n_inputs]["der(b20.u)"]
        assert (stepping is None, starting is None) == (is_left_out, is_left_out)
    stepping, starting = depends[2]["der(b20.u)"]
    assert stepping == {f"b{i}.{each}" for i in range(40) for each in "qu"} | {"motor.force"}
    assert "motor.force" in starting
    assert "'motor beside'.force" not in starting
    for n in range(3):
        stepping, _ = depends[n]["der(beside.u)"]
        assert stepping == {"beside.q", "'motor beside'.force"} - ({"'motor beside'.force"} if n < 2 else set())


@pytest.mark.slow
def test_an_output_without_feed_through_keeps_its_list_if_there_are_inputs():
    system = chain(40)
    for inputs in ([], ["motor.force"]):
        lists = declared(interface_of(system, inputs=inputs, outputs=["b39.v_GB", "b39.p_GB"]))
        stepping, _ = lists["b39.v_GB[1]"]  # depends on most states
        assert stepping == (None if not inputs else {f"b{i}.{each}" for i in range(39) for each in "qu"})
        stepping, _ = lists["b39.p_GB[1]"]
        assert stepping == {f"b{i}.q" for i in range(39)}


def touching_sphere():
    """A sphere just above a plane, which falls and slides slowly."""
    system, state = sphere()
    body = system.matter.body("ball")
    body.set_q(state, [1, 0, 0, 0, 0, 0, RADIUS + 1e-7])
    body.set_u(state, [1e-4, 0, 0, 1e-3, 0, -1e-4])
    return system, state


def creeping_brake():
    """A slider with dry friction, which moves slowly."""
    system = mb.MultibodySystem("brake")
    matter, forces = mb.MatterSubsystem(system), mb.ForceSubsystem(system)
    block = mb.Slider(matter.ground, LINK, name="block")
    mb.JointFriction(forces, block, limit=3.0, transition_speed=None, name="brake")
    state = system.realize_topology()
    block.set_u(state, 1e-6)
    return system, state


def loose_gear():
    """Two coordinates that a gear joins, with an error."""
    system = mb.MultibodySystem("gear")
    matter = mb.MatterSubsystem(system)
    one, two = (mb.Slider(matter.ground, LINK, name=name) for name in ("one", "two"))
    mb.CoordinateCoupler(matter, functions.Linear([1.0, -2.0, 0.0]), [one, two], [0, 0], name="gear")
    state = system.realize_topology()
    one.set_q(state, 1e-3)
    return system, state


def touching_stop():
    """A slider just above its limit, which approaches it slowly."""
    system = mb.MultibodySystem("stop")
    matter = mb.MatterSubsystem(system)
    slider = mb.Slider(matter.ground, LINK, name="slider")
    slider.set_limits(0.0, 1.0, restitution=0.5)
    state = system.realize_topology()
    slider.set_q(state, 1e-7)
    slider.set_u(state, -1e-3)
    return system, state


def kneeling():
    """A free body with a leg whose knee is just above its limit, and a slider that a gear joins to the hip; beside it a loose pin."""
    system = mb.MultibodySystem("kneeling")
    matter = mb.MatterSubsystem(system)
    body = mb.Free(matter.ground, LINK, name="body")
    hip = mb.Pin(body, LINK, FRAME, name="hip")
    knee = mb.Pin(hip, LINK, FRAME, name="knee")
    knee.set_limits(0.0, 1.0, restitution=0.5)
    geared = mb.Slider(matter.ground, LINK, name="geared")
    mb.CoordinateCoupler(matter, functions.Linear([1.0, -2.0, 0.0]), [hip, geared], [0, 0], name="gear")
    mb.Pin(mb.Slider(geared, LINK, FRAME, name="carried"), LINK, name="on top")
    mb.Pin(matter.ground, LINK, name="beside")
    state = system.realize_topology()
    knee.set_q(state, 1e-10)
    knee.set_u(state, -0.7)
    return system, state


TOLERANCES = ("numerics.tolerance", "numerics.constraint_tolerance")


@pytest.mark.parametrize("made", [touching_sphere, creeping_brake, touching_stop])
def test_what_tolerances_change_at_the_start_is_declared(made):
    system, state = made()
    outputs = [each.name for each in system.variables(state) if each.role == "output"]
    rows = interface_of(system, state, outputs=outputs).rows
    instance, references = instance_of(system, state, outputs=outputs)
    instance.set_up_experiment(0.0, None, None)
    instance.enter_initialization()
    unknowns = [i for i, row in enumerate(rows) if row.initial == "calculated"]
    before, changed = np.array(instance.get(unknowns, "real")), set()
    for name in TOLERANCES:
        for value in (0.05, 1e-3, 1e-12):
            instance.set([references[name]], [value], "real")
            differ = np.abs(instance.get(unknowns, "real") - before) > 1e-10 * (1 + np.abs(before))  # round-off
            for i in np.array(unknowns)[differ]:
                changed.add(rows[i].name)
                assert rows[i].starts_from is None or references[name] in rows[i].starts_from, (rows[i].name, name)
        instance.set([references[name]], [0.0], "real")
    assert changed


def test_an_impact_at_the_start_changes_all_speeds_of_the_trees_that_it_reaches():
    system, state = kneeling()
    rows = interface_of(system, state).rows
    lists = declared(interface_of(system, state))
    instance, references = instance_of(system, state)
    instance.set_up_experiment(0.0, None, None)
    instance.enter_initialization()
    unknowns = [i for i, row in enumerate(rows) if row.is_state]
    before = np.array(instance.get(unknowns, "real"))
    instance.set([references["knee.u_start"]], [-1.3], "real")
    changed = {rows[i].name for i in np.array(unknowns)[np.abs(instance.get(unknowns, "real") - before) > 1e-6]}
    assert {f"body.u[{i}]" for i in range(1, 7)} | {"hip.u", "knee.u", "geared.u", "carried.u"} <= changed
    assert all("knee.u_start" in lists[name][1] for name in changed)
    assert lists["beside.u"][1] == {"beside.u_start", "beside.u"}


def test_constraints_that_are_equations_are_satisfied_whatever_the_tolerance():
    system, state = loose_gear()
    lists = declared(interface_of(system, state))
    assert {"gear.enabled", "one.q_start", "two.q_start"} <= lists["two.q"][1]
    assert lists["two.q"][1].isdisjoint(TOLERANCES)
    instance, references = instance_of(system, state)
    instance.set_up_experiment(0.0, None, None)
    instance.enter_initialization()
    for name in TOLERANCES:
        instance.set([references[name]], [0.05], "real")
        one, two = instance.get([references["one.q"], references["two.q"]], "real")
        assert one == pytest.approx(2 * two, abs=1e-15)


def test_short_lists_are_kept():
    (stepping, _), n = declared(interface_of(chain(5)))["der(b2.u)"], 5
    assert stepping == {f"b{i}.{each}" for i in range(n) for each in "qu"}


@pytest.mark.slow
def test_the_description_grows_linearly_with_the_bodies():
    sizes = [len(model_description(interface_of(chain(n), inputs=["motor.force"]), ["a.c"])) for n in (50, 100, 200)]
    assert sizes[2] - sizes[1] == pytest.approx(2 * (sizes[1] - sizes[0]), rel=0.05)  # numbers get longer
    assert sizes[2] / 200 < 2500


@pytest.mark.slow
def test_an_absent_list_is_read_as_all_inputs(tmp_path):
    fmu = mb.export_fmu(chain(40), tmp_path / "chain.fmu", inputs=["motor.force"], outputs=["b9.reaction", "b39.p_GB"])
    assert validate_fmu(str(fmu)) == []
    with ZipFile(fmu) as archive:
        structure = re.search(r"<Outputs>(.*)</Outputs>", archive.read("modelDescription.xml").decode(), re.DOTALL)
    assert structure is not None
    assert [" dependencies=" in unknown for unknown in re.findall("<Unknown[^>]*>", structure[1])] == 6 * [False] + 3 * [True]

    network = Network()
    for name in ("one", "other"):
        network.add(fmu, name)
    network.connect("one.b9.reaction[1]", "other.motor.force")
    network.connect("other.b9.reaction[1]", "one.motor.force")
    ranks = passing_order(feed_through(network.connections, at_start=True))
    assert [len(loop) for rank in ranks for loop in rank.loops] == [2]
