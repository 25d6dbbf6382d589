"""Damaged and malicious URDF files raise errors with file, line, element and remedy."""

import pytest

import mobod as mb
from mobod.errors import InputError, ModelFileError
from mobod.files import ModelFileWarning, xml_source
from tests.unit.files.conftest import TWO_LINKS, joint


def refused(path, message, **options):
    with pytest.raises(ModelFileError, match=message) as caught:
        mb.load_urdf(path, **options)
    assert str(caught.value).startswith(str(path.parent))


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (joint(child="baar"), r"thing.urdf, line 11: joint 'pin': its child: no link is named 'baar'. Did you mean 'bar'\?"),
        (joint(parent="base", child="base"), "line 11: joint 'pin' connects link 'base' with itself"),
        (joint() + "\n" + joint(name="second"), "line 12: link 'bar' has two parents: joint 'pin' in line 11 .* loop_joints"),
        (joint() + "\n" + joint(), "line 12: there is a joint named 'pin' already, in line 11"),
        ('<link name="bar"/>' + joint(), "line 11: there is a link named 'bar' already, in line 4"),
        (joint() + joint(name="back", parent="bar", child="base"), r"cycle: 'base' <- 'bar' <- 'base'|cycle: 'bar' <- 'base' <- 'bar'"),
        (
            joint(child="bar")
            + '<link name="x"/><link name="y"/>'
            + joint(name="a", parent="x", child="y")
            + joint(name="b", parent="y", child="x"),
            "the joints go round in a cycle: 'x' <- 'y' <- 'x'",
        ),
        (joint("revolut"), "joint 'pin' has the type 'revolut'. There are: revolute, continuous"),
        ('<joint name="pin" type="fixed"><child link="bar"/></joint>', "<joint> 'pin' has no <parent>"),
        ('<joint name="pin" type="fixed"><parent link="base"/><child/></joint>', "<child> has no attribute 'link'"),
        ('<joint type="fixed"><parent link="base"/><child link="bar"/></joint>', "<joint> has no attribute 'name'"),
        (joint(content='<axis xyz="0 1"/>'), "attribute 'xyz' of <axis> has 2 numbers, '0 1'; 3 are needed"),
        (joint(content='<axis xyz="0 one 0"/>'), "attribute 'xyz' of <axis> is 'one', which is no number"),
        (joint(content='<axis xyz="0 1_0 0"/>'), "is '1_0', which is no number"),
        (joint(content='<origin xyz="0 nan 0"/>'), "attribute 'xyz' of <origin> is 'nan'. A finite number"),
        (joint(content='<origin xyz="0 1e400 0"/>'), "is '1e400', which is too large for a number"),
        (joint(content='<origin xyz="0 1e300 0"/>'), r"is 1e\+300, more than 1e\+12.*Check units"),
        (joint(name="p'in"), "has a quote or a line break"),
    ],
)
def test_an_invalid_description_is_refused(urdf, content, message):
    refused(urdf(content), message)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (('mass value="2.5"', 'mass value="-2.5"'), "line 5: link 'bar': .*mass is -2.5 kg"),
        (('izz="0.04"', ""), "line 8: <inertia> has no attribute 'izz'"),
        (('izz="0.04"', 'izz="nan"'), "line 8: attribute 'izz' of <inertia> is 'nan'. A finite number"),
        (('mass value="2.5"', 'mass value="1e200"'), r"line 7: attribute 'value' of <mass> is 1e\+200"),
    ],
)
def test_impossible_mass_properties_are_refused(urdf, change, message):
    refused(urdf(joint(), TWO_LINKS.replace(*change)), message)


@pytest.mark.parametrize(
    ("visual", "message"),
    [
        ('<geometry><box size="0 1 1"/></geometry>', "line 3: Box: half_lengths is 0 m"),
        ("<geometry/>", "<geometry> has 0 shapes"),
        ('<geometry><mesh scale="1 1 1"/></geometry>', "<mesh> has no attribute 'filename'"),
        ('<geometry><sphere radius="1"/></geometry><material name="blue"/>', "no <material> named 'blue'"),
        ('<geometry><sphere radius="1"/></geometry><material><color rgba="1 0 0 2"/></material>', "Each number is from 0 to 1"),
    ],
)
def test_an_invalid_shape_is_omitted_or_grey_and_refused_if_strict(urdf, visual, message):
    file = urdf(joint(), TWO_LINKS.replace('<link name="base"/>', f'<link name="base"><visual>{visual}</visual></link>'))
    refused(file, message, strict=True)
    with pytest.warns(ModelFileWarning, match=message) as caught:
        system = mb.load_urdf(file)
    (finding,) = caught[0].message.findings
    assert (finding.kind, finding.link, finding.line) == ("material" if "material" in visual else "shape", "base", 3)
    assert [each.geometry.color for body in system.matter.bodies for each in body.decorations] == [(0.6, 0.6, 0.6)] * ("material" in visual)


def test_a_file_without_links_or_of_another_kind_is_refused(tmp_path, urdf):
    refused(urdf("", ""), "<robot> has no <link>")
    (tmp_path / "world.urdf").write_text("<sdf/>")
    refused(tmp_path / "world.urdf", "it is not a URDF file. The root element is <sdf>, not <robot>")
    refused(tmp_path / "none.urdf", "the file does not exist")
    refused(tmp_path, "the file does not exist")


@pytest.mark.parametrize(
    "text",
    [
        "",
        "<robot",
        "robot",
        "\0\0",
        "<?xml version='1.0'?>\0\0\n<robot name='a'/>",
        "<robot name='a'><link name='b'></robot>",
        "<robot>&nothing;</robot>",
    ],
)
def test_malformed_xml_is_refused_with_its_line(tmp_path, text):
    path = tmp_path / "broken.urdf"
    path.write_text(text)
    refused(path, "it is not well-formed XML")


def test_entities_are_not_read(tmp_path):
    secret = tmp_path / "secret.txt"
    secret.write_text("secret")
    for doctype in (
        f'<!DOCTYPE robot [<!ENTITY x SYSTEM "{secret.as_uri()}">]>',
        '<!DOCTYPE robot [<!ENTITY a "aaaaaaaaaa"><!ENTITY x "&a;&a;&a;&a;&a;&a;&a;&a;">]>',
        '<!DOCTYPE robot SYSTEM "http://localhost/robot.dtd">',
    ):
        path = tmp_path / "hostile.urdf"
        path.write_text(
            f'<?xml version="1.0"?>{doctype}<robot name="&x;"><link name="base"/></robot>'
            if 'SYSTEM "http' not in doctype
            else f"{doctype}<robot name='r'/>"
        )
        refused(path, "document type declaration|not well-formed")


def test_deep_nesting_is_refused(tmp_path):
    path = tmp_path / "deep.urdf"
    path.write_text("<robot>" + "<link>" * 100_000 + "</link>" * 100_000 + "</robot>")
    refused(path, "not well-formed XML: .*depth")


def test_a_giant_file_is_refused_before_it_is_read(tmp_path, monkeypatch):
    path = tmp_path / "giant.urdf"
    with path.open("wb") as file:
        file.truncate(xml_source.MAX_BYTES + 1)  # sparse: it takes no room
    refused(path, f"it has {xml_source.MAX_BYTES + 1} bytes, and the limit is {xml_source.MAX_BYTES}")


@pytest.mark.slow
def test_a_long_chain_of_links_needs_no_recursion(urdf):
    n = 1200  # Python stops a recursion at 1000
    link = TWO_LINKS[TWO_LINKS.index('<link name="bar">') :]
    links = '<link name="l0"/>' + "".join(link.replace('"bar"', f'"l{k}"') for k in range(1, n))
    joints = "".join(joint(name=f"j{k}", parent=f"l{k - 1}", child=f"l{k}") for k in range(1, n))
    assert mb.load_urdf(urdf(joints, links)).matter.n_bodies == n


def test_a_file_of_loop_joints_is_checked_too(urdf):
    file = urdf(joint())
    for content, message in (
        ('<link name="own"/>', "loops.urdf, line 2: a file of loop joints has no links of its own"),
        (joint(name="pin"), "loops.urdf, line 2: .*thing.urdf has another joint named 'pin'"),
        (joint(name="loop", child="baar"), "no link is named 'baar'"),
    ):
        refused(file, message, loop_joints=urdf(content, "", file="loops.urdf"))


def test_the_name_ground_is_refused_for_a_joint_but_allowed_for_a_link(urdf):
    refused(urdf(joint(name="ground")), "thing.urdf, line 11: joint 'ground': the name 'ground' is taken by Ground", strict=True)
    loops = urdf(joint("fixed", name="ground"), "", file="loops.urdf")
    refused(urdf(joint()), "loops.urdf, line 2: joint 'ground': the name 'ground' is taken by Ground", loop_joints=loops, strict=True)
    heavy = TWO_LINKS.replace('<link name="base"/>', "").replace('"bar"', '"ground"') + TWO_LINKS.replace('<link name="base"/>', "")
    for options in ({}, {"floating_base": True}):
        system = mb.load_urdf(urdf(joint(parent="ground"), heavy), **options)
        assert [body.name for body in system.matter.bodies] == ["#ground", "pin"]


@pytest.mark.parametrize(("name", "other"), [("gravity", "any"), ("pin_motor", "pin"), ("pin_damper", "pin")])
def test_the_name_of_a_force_is_refused_for_a_joint(urdf, name, other):
    bars = TWO_LINKS + '<link name="world"/>' + TWO_LINKS.replace('<link name="base"/>', "").replace('"bar"', '"other"')
    joints = (
        joint(name=name)
        + joint(name=other, child="other", content='<dynamics damping="1"/>')
        + joint("fixed", name="w", parent="world", child="base")
    )
    refused(urdf(joints, bars), f"thing.urdf: the name '{name}' is taken by a body .*rename the joint", strict=True)


def test_a_massless_floating_base_is_refused(urdf):
    refused(
        urdf(joint("floating")),
        r"line 3: link 'base' has no mass and one joint, 'pin', which is floating: with floating_base",
        floating_base=True,
    )
    assert mb.load_urdf(urdf(joint("fixed")), floating_base=True).matter.n_bodies == 3


def test_an_invalid_option_is_refused(urdf):
    with pytest.raises(InputError, match=r"friction is 'none'. Valid values: 'regularised', 'rigid', 'error', 'warn', 'ignore'"):
        mb.load_urdf(urdf(joint()), friction="none")
    with pytest.raises(InputError, match="limits is 'hard'"):
        mb.load_urdf(urdf(joint()), limits="hard")
