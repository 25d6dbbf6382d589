"""Ports and input motions as terminals."""

import warnings
import zipfile
from pathlib import Path

import fmpy
import numpy as np
import pytest
from lxml import etree

import mobod as mb
from mobod.errors import MobodWarning
from mobod.fmu.description.terminals import TERMINALS, terminals
from mobod.spatial import rotation_about

SCHEMA = etree.XMLSchema(file=str(Path(fmpy.__file__).parent / "schema" / "fmi3" / "fmi3TerminalsAndIcons.xsd"))
ROD = mb.MassProperties(1.0, [0, -0.5, 0], mb.Inertia.sphere(mass=1.0, radius=0.2).shifted([0, -0.5, 0]))
MASSLESS = mb.MassProperties(0, [0, 0, 0], np.zeros((3, 3)))
MOTION = ("q", "u", "u_dot")


def carried():
    """A rod on a Ball on a massless Translation, which both follow inputs, and a port on the rod."""
    system = mb.MultibodySystem("carried")
    matter = mb.MatterSubsystem(system)
    point = mb.Translation(matter.ground, MASSLESS, name="point")
    ball = mb.Ball(point, MASSLESS, name="ball")
    rod = mb.Pin(ball, ROD, name="rod")
    mb.InputMotion(point)
    mb.InputMotion(ball)
    mb.Port(rod, name="far end")
    return system


def export(system, path, inputs, outputs, **options):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", MobodWarning)
        return mb.export_fmu(system, path, inputs=inputs, outputs=outputs, **options)


def files(fmu):
    with zipfile.ZipFile(fmu) as archive:
        return {name: archive.read(name) for name in archive.namelist()}


def members(fmu):
    """Terminal -> member -> variable."""
    root = etree.fromstring(files(fmu)[TERMINALS])
    assert SCHEMA.validate(root), SCHEMA.error_log
    return {each.get("name"): {member.get("memberName"): member.get("variableName") for member in each} for each in root.iter("Terminal")}


INPUTS = [*(f"{body}.motion.{name}" for body in ("point", "ball") for name in MOTION), "far end.force", "far end.torque"]
OUTPUTS = ["point.motion.load", "ball.motion.load", "far end.p_GF", "far end.v_GF", "rod.q"]


@pytest.mark.slow
@pytest.mark.parametrize("options", [{"code": "interpreted"}, {"kind": "python"}])
def test_each_member_is_an_input_or_an_output_of_the_description(tmp_path, options):
    fmu = export(carried(), tmp_path / "carried.fmu", INPUTS, OUTPUTS, **options)
    named = [name for terminal in members(fmu).values() for name in terminal.values()]
    description = fmpy.read_model_description(str(fmu))
    connectable = {each.name for each in description.modelVariables if each.causality in ("input", "output")}
    assert len(named) == len(set(named))
    assert connectable - set(named) == {"rod.q"}
    assert set(named) < connectable
    assert members(fmu).keys() == {"point.motion", "ball.motion", "far end"}


@pytest.mark.slow
def test_motions_of_a_point_and_of_a_rotation_have_the_members_of_a_port(tmp_path):
    """So that a port of another FMU matches them."""
    found = members(export(carried(), tmp_path / "carried.fmu", INPUTS, OUTPUTS, code="interpreted"))
    assert found["far end"]["p_GF[2]"] == "'far end'.p_GF[2]"
    assert found["far end"]["force[3]"] == "'far end'.force[3]"
    assert found["point.motion"] == {
        f"{member}[{i}]": f"point.motion.{name}[{i}]"
        for member, name in (("p_GF", "q"), ("v_GF", "u"), ("a_GF", "u_dot"), ("force", "load"))
        for i in (1, 2, 3)
    }
    assert {member.partition("[")[0] for member in found["ball.motion"]} == {"quaternion_GF", "w_GF", "alpha_GF", "torque"}
    assert found["ball.motion"]["quaternion_GF[4]"] == "ball.motion.q[4]"
    assert found["ball.motion"]["torque[1]"] == "ball.motion.load[1]"


TURNED = mb.Transform(rotation_about([0, 0, 1], 0.3))
OWN = {"q": "q", "u": "u", "u_dot": "u_dot", "load": "load"}


@pytest.mark.parametrize(
    "make",
    [
        lambda ground: mb.Translation(ground, ROD, TURNED),
        lambda ground: mb.Translation(ground, ROD, mb.Transform(p=[0, 0, 0.1])),
        lambda ground: mb.Translation(ground, ROD, reversed=True),
        lambda ground: mb.Ball(mb.Pin(ground, ROD), ROD),
        lambda ground: mb.Ball(mb.Translation(ground, ROD, None, TURNED), ROD),
        lambda ground: mb.Free(ground, ROD),
    ],
)
def test_motions_in_other_frames_have_members_of_their_own(make):
    system = mb.MultibodySystem("one")
    mb.InputMotion(make(mb.MatterSubsystem(system).ground))
    (terminal,) = terminals(system)
    assert terminal.members == OWN


@pytest.mark.slow
def test_single_numbers_have_no_index_and_terminals_without_members_are_left_out(tmp_path):
    system = mb.MultibodySystem("pin")
    pin = mb.Pin(mb.MatterSubsystem(system).ground, ROD, name="pin")
    mb.InputMotion(pin)
    mb.Port(pin, name="tip")
    found = members(export(system, tmp_path / "pin.fmu", ["pin.motion.u"], ["pin.motion.load", "tip.a_GF[2]"], code="interpreted"))
    assert found == {"pin.motion": {"u": "pin.motion.u", "load": "pin.motion.load"}, "tip": {"a_GF[2]": "tip.a_GF[2]"}}
    found = members(export(system, tmp_path / "pin.fmu", [], ["pin.motion.load"], code="interpreted"))
    assert found == {"pin.motion": {"load": "pin.motion.load"}}


@pytest.mark.slow
def test_there_are_no_terminals_without_connectable_ports(tmp_path):
    assert TERMINALS not in files(export(carried(), tmp_path / "carried.fmu", [], ["rod.q"], code="interpreted"))
