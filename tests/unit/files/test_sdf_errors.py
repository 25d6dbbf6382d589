"""SDF files with mistakes: an error with file and line, or a finding."""

import random
import re
import warnings

import pytest

import mobod as mb
from mobod.errors import MobodError, ModelFileError
from tests.unit.files.sdf_files import INERTIAL, joint, link, loaded, model, sdf, written

PIN = joint("pin", "revolute", "world", "a")


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("<robot/>", r"thing.sdf, line 1: it is not an SDF file. The root element is <robot>"),
        (sdf(""), "has neither a <world> nor a <model>"),
        (sdf("", "eleven"), r"line 2: the version of <sdf> is 'eleven'. There are 1.4 to 1.12"),
        (model(link("a") + link("a")), r"line 4: there is something named 'a' already, at .*line 4"),
        (model(link("a") + joint("a", "fixed", "world", "a")), "there is something named 'a' already"),
        (model(link("world")), "line 4: the name 'world' is reserved"),
        (model(link("a") + joint("pin", "revolute", "world", "b")), r"line 4: <child> of joint 'pin': no link.* is named 'b' here"),
        (model(link("arm") + joint("pin", "revolute", "world", "amr")), "Did you mean 'arm'"),
        (model(link("a") + joint("pin", "hinge", "world", "a")), "joint 'pin' has the type 'hinge'. There are: revolute, continuous"),
        (model(link("a") + joint("pin", "revolute", "a", "a")), "joint 'pin' connects link 'a' with itself"),
        (model(link("a") + joint("pin", "revolute", "a", "world")), "its <child> is the world, which can only be a <parent>"),
        (model(link("a", "<pose relative_to='b'/>")), "line 4: relative_to of <pose>: no link, joint, frame or model is named 'b' here"),
        (
            model(link("a", "<pose relative_to='f'/>") + "\n<frame name='f' attached_to='a'/>"),
            r"frames go round in a cycle by relative_to: 'a' -> 'f' -> 'a'",
        ),
        (
            model(
                link("a")
                + "<frame name='f' attached_to='g'><pose relative_to='a'/></frame>\n"
                + "<frame name='g' attached_to='f'><pose relative_to='a'/></frame>"
                + joint("p", "fixed", "world", "f", "")
            ),
            r"frames go round in a cycle by attached_to: 'f' -> 'g' -> 'f'",
        ),
        (model(link("a", "<pose>0 0 1 0 0</pose>")), r"line 4: <pose> of <link> 'a' has 5 numbers, '0 0 1 0 0'; 6 are needed"),
        (model(link("a", "<pose>0 0 x 0 0 0</pose>")), r"line 4: <pose> of <link> 'a' is 'x', which is no number"),
        (model(link("a", "<pose rotation_format='quat_xyzw'>0 0 0 0 0 0 0</pose>")), "its quaternion is 0"),
        (model(link("a", inertial="<inertial><mass>-2</mass></inertial>")), "line 4: link 'a': its mass is -2 kg. It cannot be negative"),
        (model(link("a", inertial="<inertial><mass>1e20</mass></inertial>")), "<mass> of <inertial> is 1e[+]20, more than 1e[+]12"),
        (model(link("a", inertial="<inertial auto='true'/>")), "needs a <collision> whose mass can be computed"),
        (
            model(link("a", "<collision name='c'><geometry><plane/></geometry></collision>", inertial="<inertial auto='true'/>")),
            "<inertial auto='true'>: a HalfSpace has no volume",
        ),
        (model(f"{link('a')}<include><uri>model://cart</uri></include>"), r"line 4: <include>: 'model://cart' is not in .*paths=\[...\]"),
        (model(f"{link('a')}<include><uri>https://example.org/cart.sdf</uri></include>"), "is on a network, which is not used"),
        (model(f"{link('a')}<include><uri>../cart.sdf</uri></include>"), "'../cart.sdf' is outside of"),
        (model(f"{link('a')}<include/>"), "line 4: <include> has no <uri>"),
        (model(link("a", "<gravity>perhaps</gravity>") + "<joint"), "it is not well-formed XML"),
        (f"<!DOCTYPE sdf [<!ENTITY x 'y'>]>{sdf('')[22:]}", "document type declaration, which is not allowed"),
    ],
)
def test_a_mistake_that_cannot_be_mended_is_an_error_with_its_place(tmp_path, text, message):
    written(tmp_path, model(link("wheel"), "cart"), "cart.sdf")
    file = written(tmp_path, text, "folder/thing.sdf")
    with pytest.raises(ModelFileError, match=message) as caught:
        loaded(file)
    assert str(file) in str(caught.value)


@pytest.mark.parametrize(
    ("text", "kind", "message"),
    [
        (model(link("a") + PIN, version="1.3"), "version", "the version of <sdf> is 1.3, and those from 1.4 to 1.12 are known"),
        (model(link("a") + joint("pin", "revolute", "world", "a", "")), "axis", r"joint 'pin' \(revolute\) has no <axis>"),
        (
            model(link("a") + joint("pin", "revolute", "world", "a", "<axis><xyz>0 0 0</xyz></axis>")),
            "axis",
            "<xyz> of its <axis> is 0 0 0, which has no direction. The joint is fixed",
        ),
        (model(link("a", "<gravity>perhaps</gravity>")), "number", "is 'perhaps', which is neither true nor false. It is taken as true"),
        (model(link("a", "<inertail/>")), "ignored", "<inertail> in <link> is unknown and ignored. Did you mean 'inertial'"),
        (model(link("a") + "<plugin name='p' filename='f'/>"), "ignored", "<plugin> of a <model> is ignored"),
        (model(link("a", "<velocity_decay><linear>2</linear></velocity_decay>")), "ignored", "<velocity_decay> of a <link> is ignored"),
        (
            model(link("a") + joint("pin", "revolute", "world", "a", "<axis><limit><lower>2</lower><upper>1</upper></limit></axis>")),
            "limits",
            "its lower limit, 2, is above its upper limit, 1",
        ),
        (
            model(link("a") + joint("pin", "revolute", "world", "a", "<axis><dynamics><damping>-2</damping></dynamics></axis>")),
            "dynamics",
            "its damping is -2. It cannot be negative. It is taken as 0",
        ),
        (model(link("a") + joint("g", "gearbox", "world", "a", "")), "gearbox", "has no <gearbox_reference_body>"),
        (model(link("a", inertial=INERTIAL.replace("0.05", "5"))), "inertia", "no rigid body has its inertia"),
        (
            model(link("a") + joint("pin", "revolute", "world", "a", "<axis/><sensor name='s' type='force_torque'/>")),
            "sensor",
            "sensor 's' shows what the parent of joint 'pin' exerts on the child",
        ),
        (sdf(f"<model name='m'>{link('a')}</model><model name='n'>{link('a')}</model>"), "repeated", "there are 2 models without a world"),
        (
            model(link("a", "<visual name='v'><geometry><box><size>1 2</size></box></geometry></visual>")),
            "shape",
            "<size> of <box> has 2 numbers, '1 2'; 3 are needed. The shape is left out",
        ),
    ],
)
def test_a_mistake_that_is_mended_is_a_finding_with_its_line(tmp_path, text, kind, message):
    _, findings = loaded(written(tmp_path, text))
    found = [each for each in findings if each.kind == kind]
    assert any(re.search(message, each.message) for each in found)
    assert all(each.line is not None for each in found)


def test_strict_reading_refuses_what_it_would_have_to_change(tmp_path):
    text = model(link("a") + joint("pin", "revolute", "world", "a", "<axis><dynamics><damping>-2</damping></dynamics></axis>"))
    with pytest.raises(ModelFileError, match="line 4: joint 'pin': its damping is -2"):
        mb.load_sdf(written(tmp_path, text), strict=True)


def test_files_that_include_each_other_are_refused(tmp_path):
    include = "<include><uri>{}.sdf</uri></include>"
    for one, other in (("a", "b"), ("b", "a")):
        written(tmp_path, model(link("l") + include.format(other), one), f"{one}.sdf")
    with pytest.raises(ModelFileError, match="files include each other more than 16 deep"):
        loaded(tmp_path / "a.sdf")


def test_a_model_that_is_not_there_is_named_with_those_that_are(tmp_path):
    world = sdf(f"<world name='w'><model name='one'>{link('a')}</model></world>")
    with pytest.raises(ModelFileError, match=r"no <model> of the file is named 'two'. There are: one"):
        loaded(written(tmp_path, world), "two")


def test_an_unknown_link_for_contacts_is_named(tmp_path):
    with pytest.raises(MobodError, match=r"no link is named 'foto'. Did you mean 'foot'"):
        loaded(written(tmp_path, model(link("foot"))), contact="rigid", links=["foto"])


GENERAL = model(
    "<pose>1 0 0 0 0 0.3</pose><frame name='f' attached_to='a'><pose>0 0 1 0 0.2 0</pose></frame>\n"
    + link(
        "a",
        "<pose>0 0 1 0 0 0</pose><gravity>false</gravity><collision name='c'><geometry><sphere><radius>0.1</radius></sphere>"
        "</geometry></collision>",
    )
    + "\n"
    + link("b", "<pose relative_to='f'>0.1 0 0 0 0 0</pose>")
    + "\n"
    + joint("pin", "universal", "world", "a", "<axis><xyz>1 0 0</xyz></axis><axis2><xyz>0 1 0</xyz></axis2>")
    + "\n"
    + joint("nut", "screw", "f", "b", "<axis><xyz expressed_in='f'>0 0 1</xyz></axis><screw_thread_pitch>0.1</screw_thread_pitch>")
)


@pytest.mark.parametrize("seed", range(40))
def test_a_file_with_a_mutation_loads_or_is_refused_with_its_place(tmp_path, seed):
    rng = random.Random(seed)
    text = list(GENERAL)
    for _ in range(rng.randint(1, 3)):
        at = rng.randrange(60, len(text))
        change = rng.choice(("drop", "double", "letter", "swap"))
        if change == "drop":
            text[at] = ""
        elif change == "double":
            text[at] *= 2
        elif change == "letter":
            text[at] = rng.choice("abz019.<>/'\" -e&")
        else:
            text[at - 1], text[at] = text[at], text[at - 1]
    file = written(tmp_path, "".join(text))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        message = ""
        try:
            mb.load_sdf(file)
        except ModelFileError as error:  # any other error fails the test
            message = str(error)
    assert not message or str(file) in message
