"""Files that other tools accept are loaded, one summary lists all changes of the model, and strict=True refuses such files."""

import sys
from types import SimpleNamespace

import numpy as np
import pytest
from numpy.testing import assert_allclose

import mobod as mb
from mobod.errors import ModelFileError
from mobod.files import ModelFileWarning
from mobod.spatial.nearest_inertia import nearest_inertia
from tests.unit.files.conftest import TWO_LINKS, joint
from tests.unit.files.test_urdf import bar

AXIS = '<axis xyz="0 0 1"/>'


def mended(path, **options):
    """The System, and the findings of the only warning."""
    with pytest.warns(ModelFileWarning) as caught:
        system = mb.load_urdf(path, **options)
    (one,) = caught
    assert str(path) in str(one.message)
    for finding in one.message.findings:
        assert finding.message in str(one.message)
    return system, one.message.findings


def refused_if_strict(path, message):
    with pytest.raises(ModelFileError, match=message):
        mb.load_urdf(path, strict=True)


def accelerations(system):
    """The accelerations due to gravity at the start."""
    state = system.realize_topology()
    system.realize(state, mb.Stage.ACCELERATION)
    return {body.name: body.u_dot(state) for body in system.matter.bodies if body.nu}


@pytest.mark.parametrize(
    ("content", "kind", "name", "message", "strict"),
    [
        (
            joint(content='<limit lower="2" upper="1" effort="1" velocity="1"/>'),
            "limits",
            "pin",
            "its lower limit, 2, is above its upper limit, 1. It moves without limits",
            "lower limit, 2, is above",
        ),
        (
            joint(content='<limit lower="0" upper="nan" effort="1" velocity="1"/>'),
            "number",
            "pin",
            "attribute 'upper' of <limit> is 'nan', which is no number. It is taken as 0",
            "'upper' of <limit> is 'nan'",
        ),
        (
            joint(content='<limit lower="0" upper="1" effort="-1" velocity="1"/>'),
            "limits",
            "pin",
            "greatest effort is -1. It cannot be negative. It is taken as not given",
            "effort is -1",
        ),
        (joint(content='<dynamics damping="-0.1"/>'), "dynamics", "pin", "its damping is -0.1. .* It is taken as 0", "damping is -0.1"),
        (joint(content='<axis xyz="0 0 0"/>'), "axis", "pin", r"its axis is \[0, 0, 0\].* The joint is fixed", r"axis is \[0, 0, 0\]"),
        (joint(content='<axis xyz="0, 0, 1"/>'), "number", "pin", "'0, 0, 1', with commas. They are taken as blanks", "with commas"),
        (joint(content='<origin rpy="0 0 1 0"/>'), "number", "pin", "has 4 numbers, .* The first 3 are used", "has 4 numbers"),
        (joint(content='<dynamics damping="0.5f"/>'), "number", "pin", "is '0.5f', which is no number. It is taken as 0.5", "is '0.5f'"),
        (
            joint(content='<limit lower="-1.57." upper="1" effort="1" velocity="1"/>'),
            "number",
            "pin",
            "is '-1.57.', which is no number. It is taken as -1.57",
            "is '-1.57.'",
        ),
        (joint(content='<origin xyz=""/>'), "number", "pin", "<origin> has no attribute 'xyz'. Its default", "no attribute 'xyz'"),
        (joint(content="<origin/><origin/>"), "repeated", "pin", "a second <origin> in <joint> 'pin'. .* The first is used", "a second"),
        (
            joint(content='<mimic joint="pin"/>'),
            "mimic",
            "pin",
            "'pin' mimics itself: pin -> pin. Joint 'pin' moves by itself",
            "mimics itself",
        ),
        (
            joint(content='<mimic joint="pim"/>'),
            "mimic",
            "pin",
            r"no joint is named 'pim'. Did you mean 'pin'\? Joint 'pin'",
            "mimics an unknown joint",
        ),
        (
            joint(content="<mimic/>"),
            "mimic",
            "pin",
            "<mimic> has no attribute 'joint'. Joint 'pin' moves by itself",
            "no attribute 'joint'",
        ),
        (joint("ball"), "joint-type", "pin", "has the type 'ball'. .* It is made a ball joint", "has the type 'ball'"),
        (
            joint(parent="world") + joint("fixed", name="b", parent="world", child="base"),
            "world",
            "world",
            "no link 'world'",
            "link is named 'world'",
        ),
        (
            '<link name="lost"/>' + joint(),
            "several-roots",
            "lost",
            "'lost' has no parent, and neither has 'base'. It is fixed",
            "2 links have no parent",
        ),
        (
            '<joint name="pin" type="revolute"><parent link="base"/><child link="bar"/></joint>',
            "limits",
            "pin",
            "is revolute and has no <limit>. .* It moves without limits",
            "revolute and has no <limit>. .*continuous",
        ),
        (
            '<link name="tip"/>' + joint() + joint("prismatic", name="wrist", parent="bar", child="tip"),
            "massless",
            "tip",
            r"'tip' and all that it carries have no mass for the motion of joint 'wrist' \(prismatic\). The link is fixed to 'bar'",
            "'tip' is massless and a terminal body: its only joint, 'wrist', is movable",
        ),
        (
            joint(content='<mimic joint="f"/>') + '<link name="b"/>' + joint("fixed", name="f", child="b"),
            "mimic",
            "pin",
            "'f' is fixed, and a mimic is between joints of one coordinate. Joint 'pin' moves by itself",
            "'f' is fixed, and a mimic",
        ),
    ],
)
def test_a_fault_is_corrected_with_a_warning_and_refused_if_strict(urdf, content, kind, name, message, strict):
    file = urdf(content)
    refused_if_strict(file, strict)
    system, (finding,) = mended(file)
    assert (finding.kind, finding.link or finding.joint) == (kind, name)
    assert finding.line is not None
    assert finding.line >= 3
    with pytest.warns(ModelFileWarning, match=message):
        mb.load_urdf(file)
    assert all(np.isfinite(each).all() for each in accelerations(system).values())


@pytest.mark.parametrize(
    ("change", "kind", "message", "strict"),
    [
        (
            ('mass value="2.5"', 'mass value="0"'),
            "inertia-without-mass",
            "a moment of 0.06 kg m.2. The inertia is ignored",
            "the mass is 0 kg",
        ),
        (('<mass value="2.5"/>', ""), "mass-missing", "<inertial> has no <mass>. It is taken as 0 kg", "<inertial> has no <mass>"),
        (('ixz="-0.003"', ""), "inertia-missing", "<inertia> has no attribute 'ixz'. It is taken as 0", "no attribute 'ixz'"),
    ],
)
def test_missing_parts_of_an_inertial_are_zero_and_refused_if_strict(urdf, change, kind, message, strict):
    file = urdf(joint("fixed"), TWO_LINKS.replace(*change))
    refused_if_strict(file, strict)
    system, findings = mended(file)
    found = {each.kind: each for each in findings}
    assert found[kind].link == "bar"
    with pytest.warns(ModelFileWarning, match=message):
        mb.load_urdf(file)
    mass = system.matter.body("pin").body.mass_properties
    assert mass.mass == (2.5 if kind == "inertia-missing" else 0)


def test_a_mass_without_inertia_is_a_point_mass(urdf):
    inertia = TWO_LINKS[TWO_LINKS.index("<inertia ") : TWO_LINKS.index("</inertial>")]
    missing = urdf(joint(), TWO_LINKS.replace(inertia, ""))
    refused_if_strict(missing, "link 'bar': <inertial> has no <inertia>")
    zero = urdf(joint(), TWO_LINKS.replace(inertia, '<inertia ixx="0" ixy="0" ixz="0" iyy="0" iyz="0" izz="0"/>'), file="zero.urdf")
    for file in (missing, zero):
        system, findings = mended(file)
        assert findings[-1].kind == "mass-without-inertia"
        assert "link 'bar' has a mass of 2.5 kg and no inertia: it is a point mass at 0.1, 0.2, -0.3 m" in findings[-1].message
        assert_allclose(system.matter.body("pin").body.mass_properties.inertia_about_com, np.zeros((3, 3)), atol=1e-16)


def test_an_impossible_inertia_becomes_the_nearest_one_with_a_warning(urdf):
    file = urdf(joint(), TWO_LINKS.replace('izz="0.04"', 'izz="0.4"'))
    refused_if_strict(file, "line 5: link 'bar': inertia: not the inertia of a rigid body")
    system, (finding,) = mended(file)
    given = np.array([[0.05, 0.004, -0.003], [0.004, 0.06, 0.002], [-0.003, 0.002, 0.4]])
    used = np.linalg.eigvalsh(system.matter.body("pin").body.mass_properties.inertia_about_com)
    assert_allclose(used[0] + used[1], used[2], rtol=1e-12)
    # the plane c = a + b is met by going along (-1, -1, 1): each moment changes by a third of the excess
    before = np.linalg.eigvalsh(given)
    excess = before[2] - before[0] - before[1]
    assert_allclose(used, before + np.array([1, 1, -1]) * excess / 3, rtol=1e-12)
    assert (finding.kind, finding.link, finding.line) == ("inertia", "bar", 5)
    for moments in (before, used):
        assert ", ".join(f"{moment:.6g}" for moment in moments) in finding.message
    assert f"differs by {excess / np.sqrt(3):.3g} kg m^2" in finding.message


@pytest.mark.parametrize("moments", [[0.1, 0.2, 0.9], [-0.4, 0.5, 0.6], [-1.0, -2.0, 0.3], [0.3, 0.4, 0.5], [-1.0, -0.5, -0.2]])
def test_the_nearest_inertia_is_the_projection_onto_possible_inertias(moments):
    """A projection onto a convex cone: the residual is orthogonal to the projection, and its product with any other inertia is not
    positive, in any axes.
    """
    rng = np.random.default_rng(7)
    axes = np.linalg.qr(rng.normal(size=(3, 3)))[0]
    matrix = axes @ np.diag(moments) @ axes.T
    nearest = nearest_inertia(matrix)
    mb.Inertia(nearest)  # raises for one that no body can have
    left = matrix - nearest
    assert_allclose(np.sum(left * nearest), 0, atol=1e-15)
    for _ in range(500):
        points = rng.normal(size=(rng.integers(1, 4), 3))  # points, rods and plates are at the edges of the cone
        other = sum(mb.Inertia.point(mass=1.0, p=p).matrix for p in points)
        assert np.sum(left * other) <= 1e-14 * np.abs(other).max()


def test_materials_are_found_in_the_whole_file(urdf):
    def link(name, material):
        return f'<link name="{name}"><visual><geometry><sphere radius="1"/></geometry>{material}</visual></link>'

    links = (
        '<material name="red"><color rgba="1 0 0 1"/></material>\n<material name="red"><color rgba="0 0 1 1"/></material>'
        '<material name="red"><color rgba="1 0 0 1"/></material>'
        + link("base", '<material name="green"/>')
        + link("a", '<material name="green"><color rgba="0 1 0 1"/></material>')
        + link("b", '<material name="red"/><material name="green"/>')
    )
    joints = joint("fixed", name="pa", child="a") + joint("fixed", name="pb", child="b")
    file = urdf(joints, links)
    refused_if_strict(file, "the <material> 'red' is defined already, in line 2 with another color")
    system, findings = mended(file)
    assert [each.geometry.color for body in system.matter.bodies for each in body.decorations] == [(0, 1, 0), (0, 1, 0), (1, 0, 0)]
    assert [(each.kind, each.link) for each in findings] == [
        ("material", None),
        ("material", None),
        ("material", "base"),
        ("repeated", "b"),
    ]


# massless links
def test_massless_terminal_links_are_fixed_at_their_start_and_nothing_else_changes(urdf):
    """A chain of massless links, with a limit that excludes 0, a motor, damping and a mimic."""
    links = TWO_LINKS + '<link name="one"/><link name="two"/><link name="three"/>'
    limit = '<limit lower="0.3" upper="1" effort="1" velocity="1"/><origin xyz="0.5 0 0"/>'
    content = (
        joint(content=AXIS + '<axis xyz="0 1 0"/>'.replace("axis", "origin").replace("0 1 0", "0 0 0.2"))
        + joint(content=limit + AXIS + '<dynamics damping="2" friction="1"/>', name="j1", parent="bar", child="one")
        + joint("fixed", name="j2", parent="one", child="two")
        + joint(
            "prismatic",
            '<axis xyz="1 0 0"/><origin xyz="0 0.25 0"/><mimic joint="j1" offset="0.1"/>',
            name="j3",
            parent="two",
            child="three",
        )
    )
    system, findings = mended(urdf(content, links))
    assert [(each.kind, each.link, each.joint) for each in findings] == [("massless", "one", "j1"), ("massless", "three", "j3")]
    assert "fixed to 'bar' at 0.3 rad" in findings[0].message
    assert "fixed to 'two' at 0.4 m" in findings[1].message
    assert {name: u_dot.size for name, u_dot in accelerations(system).items()} == {"pin": 1}
    state = system.realize_topology()
    assert [each.name for each in system.variables(state) if each.role == "input"] == ["pin_motor.force"]
    system.realize(state, mb.Stage.POSITION)
    rest = system.matter.body("pin").X_GB(state).inverse() @ system.matter.body("j3").X_GB(state)
    c, s = np.cos(0.3), np.sin(0.3)
    assert_allclose(rest.p, [0.5 + 0.4 * c - 0.25 * s, 0.4 * s + 0.25 * c, 0], atol=1e-15)


def test_a_point_mass_on_the_axis_of_its_joint_is_fixed(urdf):
    point = '<link name="ball"><inertial><origin xyz="0 0 0.3"/><mass value="2"/></inertial></link>'
    system, findings = mended(urdf(joint() + joint("continuous", AXIS, name="spin", parent="bar", child="ball"), TWO_LINKS + point))
    assert [(each.kind, each.link) for each in findings][-1] == ("no-inertia", "ball")
    assert set(accelerations(system)) == {"pin"}
    other, _ = mended(
        urdf(joint() + joint("continuous", '<axis xyz="0 1 1"/>', name="spin", parent="bar", child="ball"), TWO_LINKS + point),
        limits="ignore",
    )
    assert set(accelerations(other)) == {"pin", "spin"}


def test_of_two_coaxial_joints_without_mass_between_them_the_inner_one_is_fixed(urdf):
    links = '<link name="base"/><link name="between"/>' + bar("bar")
    content = joint("continuous", AXIS, name="inner", child="between") + joint("continuous", AXIS, name="outer", parent="between")
    system, (finding,) = mended(urdf(content, links))
    assert (finding.kind, finding.joint) == ("no-inertia", "inner")
    assert set(accelerations(system)) == {"outer"}


def test_joints_that_mimic_a_fixed_joint_keep_their_ratio(urdf):
    links = '<link name="base"/><link name="handle"/>' + bar("one") + bar("two")
    content = (
        joint("continuous", AXIS, name="lead", child="handle")
        + joint("continuous", AXIS + '<mimic joint="lead" multiplier="2" offset="0.1"/>', name="first", child="one")
        + joint("continuous", AXIS + '<mimic joint="first" multiplier="-3" offset="0.5"/>', name="second", child="two")
    )
    system, findings = mended(urdf(content, links))
    assert [(each.kind, each.joint) for each in findings] == [("mimic", "first"), ("massless", "lead")]
    state = system.realize_topology()
    system.matter.body("first").set_q(state, 0.2)
    assembler = mb.Assembler(system, accuracy=1e-12)
    assembler.lock_q(system.matter.body("first"))
    assert_allclose(system.matter.body("second").q(assembler.assemble(state)), [-3 * 0.2 + 0.5], atol=1e-11)


def test_a_massless_link_in_a_loop_is_not_fixed(urdf):
    links = '<link name="base"/>' + bar("bar") + '<link name="slide"/>'
    tree = joint("continuous", AXIS) + joint("continuous", AXIS, name="rail", child="slide")
    loop = joint("continuous", AXIS, name="closing", parent="slide", child="bar")
    with pytest.raises(ModelFileError, match=r"body 'slide' is massless .* behind a joint that must be a loop joint"):
        mb.load_urdf(urdf(tree, links), loop_joints=urdf(loop, "", file="loops.urdf"))


# names
@pytest.mark.parametrize(("name", "other"), [("gravity", "any"), ("pin_motor", "pin"), ("pin_damper", "pin")])
def test_a_force_is_renamed_if_a_joint_has_its_name(urdf, name, other):
    links = TWO_LINKS + bar("other")
    system, (finding,) = mended(urdf(joint(name=name) + joint(name=other, child="other", content='<dynamics damping="1"/>'), links))
    assert finding.kind == "name"
    assert f"'{name}' is called '#{name}'" in finding.message
    assert f"#{name}" in {each.name.rpartition(".")[0] for each in system.variables(system.realize_topology())}


def test_a_joint_named_ground_is_renamed_also_in_mimics(urdf):
    links = TWO_LINKS + bar("other")
    content = joint(name="ground", content=AXIS) + joint(name="second", child="other", content=AXIS + '<mimic joint="ground"/>')
    system, (finding,) = mended(urdf(content, links))
    assert (finding.kind, finding.joint) == ("name", "ground")
    assert [body.name for body in system.matter.bodies] == ["#ground", "second"]
    assert [each.name for each in system.matter.constraints if "mimic" in each.name] == ["second_mimic"]


# XML
@pytest.mark.parametrize(
    ("text", "message"),
    [
        ('\n <?xml version="1.0"?><robot name="r">{}</robot>', "line 2: .*XML declaration allowed only at the start"),
        ('<?xml version="0.0" ?><robot name="r">{}</robot>', "line 1: .*Unsupported version '0.0'. It was read all the same"),
        ('<?xml version="1.0"?><robot name="r">{}</robot>\0\0', "not well-formed XML"),
        ('<robot name="r"><!-- ---- twice -- -->{}</robot>', "not well-formed XML"),
        ('<robot name="r">{}<sensor:camera/></robot>', "Namespace prefix sensor on camera is not defined"),
        ('<robot name="r" xmlns="http://localhost/robot">{}</robot>', "the namespace 'http://localhost/robot' of the elements is ignored"),
        ('<!DOCTYPE robot>\n<robot name="r">{}</robot>', "the document type declaration is ignored"),
        ('<?xml version="1.0" encoding="utf-8"?><robot name="r">{}<!-- gr\xfcn --></robot>', "not well-formed XML|not proper UTF-8"),
    ],
)
def test_xml_errors_outside_of_elements_are_ignored_and_refused_if_strict(tmp_path, text, message):
    path = tmp_path / "slip.urdf"
    path.write_bytes(text.replace("{}", TWO_LINKS + joint()).encode("latin-1"))
    with pytest.raises(ModelFileError):
        mb.load_urdf(path, strict=True)
    system, findings = mended(path)
    assert findings[0].kind == "xml"
    assert [body.name for body in system.matter.bodies] == ["pin"]
    with pytest.warns(ModelFileWarning, match=message):
        mb.load_urdf(path)


def test_valid_byte_order_marks_and_encodings_cause_no_warning(tmp_path):
    text = TWO_LINKS + joint().replace('"pin"', '"gelenk grün/1"')
    path = tmp_path / "fine.urdf"
    for prefix, declared, encoding in ((b"\xef\xbb\xbf", "utf-8", "utf-8"), (b"", "iso-8859-1", "latin-1")):
        path.write_bytes(prefix + f'<?xml version="1.0" encoding="{declared}"?><robot name="r">{text}</robot>'.encode(encoding))
        assert [body.name for body in mb.load_urdf(path, strict=True).matter.bodies] == ["gelenk grün/1"]


# macros
MACRO = '<robot name="r" xmlns:xacro="http://www.ros.org/wiki/xacro">\n<link name="a"/>\n<xacro:macro name="leg"/></robot>'
SUBSTITUTION = '<robot name="r" xmlns:xacro="http://www.ros.org/wiki/xacro"><link name="${1 + 1}"/></robot>'
PLAIN = '<robot name="r"><link name="a"/></robot>'


@pytest.fixture
def expanded_files(monkeypatch):
    """The files that a stand-in for the package xacro has expanded, which would execute their code."""
    seen = []
    text = f'<?xml version="1.0" ?><robot name="r">{TWO_LINKS}{joint()}</robot>'
    expand = SimpleNamespace(process_file=lambda path: seen.append(path) or SimpleNamespace(toxml=lambda: text))
    monkeypatch.setitem(sys.modules, "xacro", expand)
    return seen


@pytest.fixture
def macros(tmp_path):
    path = tmp_path / "robot.urdf.xacro"
    path.write_text(MACRO)
    return path


@pytest.mark.parametrize(("name", "text"), [("a.urdf", MACRO), ("a.urdf", SUBSTITUTION), ("a.xacro", PLAIN)])
def test_a_file_with_macros_is_expanded_only_if_it_is_allowed(tmp_path, expanded_files, name, text):
    path = tmp_path / name
    path.write_text(text)
    for read in (mb.load_urdf, mb.read_urdf):
        with pytest.raises(
            ModelFileError, match=r"runs Python code of the file .*load_urdf\(\.\.\., allow_macros=True\), or --allow-macros"
        ):
            read(path)
    assert expanded_files == []
    with pytest.warns(ModelFileWarning, match="xacro expanded the file"):
        mb.load_urdf(path, allow_macros=True)
    assert expanded_files == [str(path)]


def test_a_file_of_loop_joints_is_expanded_only_if_it_is_allowed(urdf, macros, expanded_files):
    with pytest.raises(ModelFileError, match=r"robot\.urdf\.xacro, line 3: <xacro:macro> must .* allow_macros=True"):
        mb.load_urdf(urdf(joint()), loop_joints=macros)
    assert expanded_files == []


def test_macros_are_refused_with_a_remedy_if_xacro_is_not_installed(macros, monkeypatch):
    monkeypatch.setitem(sys.modules, "xacro", None)
    what = "robot.urdf.xacro, line 3: <xacro:macro> must first be expanded by xacro"
    with pytest.raises(ModelFileError, match=what + ". Install it: python -m pip install xacro"):
        mb.load_urdf(macros, allow_macros=True)
    with pytest.raises(ModelFileError, match=what + ", since strict reading changes nothing: `xacro FILE.xacro > FILE.urdf`"):
        mb.load_urdf(macros, allow_macros=True, strict=True)


def test_macros_are_expanded_if_xacro_is_installed(macros, expanded_files, monkeypatch):
    system, (finding,) = mended(macros, allow_macros=True)
    assert expanded_files == [str(macros)]
    assert (finding.kind, finding.line) == ("xacro", None)
    assert [body.name for body in system.matter.bodies] == ["pin"]

    def fail(path):
        raise RuntimeError("undefined macro")

    monkeypatch.setitem(sys.modules, "xacro", SimpleNamespace(process_file=fail))
    with pytest.raises(ModelFileError, match="xacro cannot expand it: RuntimeError: undefined macro"):
        mb.load_urdf(macros, allow_macros=True)


def test_undefined_macros_are_ignored(urdf, monkeypatch):
    monkeypatch.setitem(sys.modules, "xacro", None)
    path = urdf(joint() + '<x:grey xmlns:x="http://www.ros.org/wiki/xacro"/>')
    _, (finding,) = mended(path)
    assert (finding.kind, finding.message) == ("ignored", "<xacro:grey> is defined nowhere in the file and ignored.")
    refused_if_strict(path, "<xacro:grey> must first be expanded by xacro")


# the summary
def test_reading_and_building_each_warn_of_their_findings(urdf):
    file = urdf(joint(content='<dynamics friction="0.4" damping="-1"/>'))
    with pytest.warns(ModelFileWarning) as caught:
        robot = mb.read_urdf(file)
    assert [each.kind for each in robot.findings if not each.is_information] == ["dynamics"]
    assert caught[0].message.findings == tuple(each for each in robot.findings if not each.is_information)
    with pytest.warns(ModelFileWarning) as caught:
        robot.build(friction="warn")
    assert [each.kind for each in caught[0].message.findings] == ["friction"]
    assert caught[0].filename == __file__


def test_the_summary_has_a_line_for_each_finding_and_is_also_data(urdf):
    content = joint(content='<dynamics friction="0.4"/>') + "\n<transmission/>\n<transmission/>"
    with pytest.warns(ModelFileWarning) as caught:
        mb.load_urdf(urdf(content), friction="warn")
    lines = str(caught[0].message).splitlines()
    assert lines[0].endswith("thing.urdf: 2 things were changed or ignored:")
    assert [line.split(":")[0] for line in lines[1:]] == ["  lines 12, 13", "  line 11"]
    ignored, friction = (each.as_json() for each in caught[0].message.findings)
    assert ignored == {"link": None, "joint": None, "kind": "ignored", "line": 12, "message": lines[1].partition(": ")[2]}
    assert friction == {"link": None, "joint": "pin", "kind": "friction", "line": 11, "message": lines[2].partition(": ")[2]}
