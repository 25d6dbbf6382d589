"""help() of public classes and methods: arguments first; shape and unit of each array."""

import inspect
import pydoc
import re

import pytest

import mobod as mb
from mobod.simulate import Results
from mobod.system.elements.declared import Declared

PACKAGES = [mb, *(getattr(mb, name) for name in ("functions", "maximal", "measures", "spatial", "decorations"))]
SHAPE = r"\([\w, +*\-.]*,[\w, +*\-.]*\)|\bshape\b|\bsame\b|\bmatrix\b|\bcolumns?\b|\brows?\b|\bnumbers?\b|\blike\b"
UNIT = r"\b(rad|m|kg|N|J|s|W|Hz|units?|dimensionless)\b|\bq_units\b|  -  "
NUMBERS = {  # counts, flags, coordinates of any unit in the names of their files
    "Ensemble.has_ended",
    "Ensemble.is_failed",
    "Ensemble.steps",
    "MobilizedBody.engaged",
    "UnilateralConstraint.engaged_steps",
    "UnilateralConstraint.is_held",
    "UnilateralConstraint.is_engaged",
    "MaximalJoint.motion",
    "QValue.jacobian",
    "WithHooks.accumulator",
}


def arrays():
    """Qualified name -> docstring of each public method, property and function that returns an array."""
    found = {}
    for package in PACKAGES:
        for holder in (getattr(package, name) for name in package.__all__):
            members = {holder.__name__: holder} if inspect.isfunction(holder) else {}
            for base in holder.__mro__ if inspect.isclass(holder) else ():
                if base.__module__.startswith("mobod"):
                    members |= {f"{base.__qualname__}.{name}": member for name, member in vars(base).items() if not name.startswith("_")}
            for name, member in members.items():
                function = member.fget if isinstance(member, property) else getattr(member, "__func__", member)
                if inspect.isfunction(function) and re.search(r"ndarray|Array\b", str(inspect.signature(function).return_annotation)):
                    found[name] = function.__doc__ or ""
    return found


def test_the_docstring_of_an_array_has_its_shape_and_unit():
    found = arrays()
    bare = {name for name, text in found.items() if not (re.search(SHAPE, text) and re.search(UNIT, text))}

    assert bare - NUMBERS - {name for name in bare if found[name].startswith("See ")} == set()
    assert bare > NUMBERS
    assert len(found) > 200


def elements():
    for package in PACKAGES:
        for holder in (getattr(package, name) for name in package.__all__):
            if inspect.isclass(holder) and issubclass(holder, Declared) and holder.__init__ is Declared.__init__:
                yield holder


@pytest.mark.parametrize("cls", list(elements()), ids=lambda cls: cls.__name__)
def test_help_has_each_argument_of_the_constructor_once(cls):
    text = inspect.getdoc(cls)

    for name in inspect.signature(cls).parameters:
        lines = [line for line in text.splitlines() if re.match(rf"(\w+, )*{name}(, \w+)*(  |$)", line)]
        assert len(lines) == 1, (name, text)


def test_help_of_a_pin_begins_with_its_arguments():
    text = pydoc.plain(pydoc.render_doc(mb.Pin))

    assert text.splitlines()[3].startswith(" |  Pin(parent: ")
    arguments = text.index("Arguments:\n")
    assert arguments < text.index("Method resolution order")
    assert re.search(r"parent +Ground or another mobilized body\n \|  body +MassProperties", text[arguments:])
    assert list(inspect.signature(mb.Pin).parameters) == ["parent", "body", "X_PF", "X_BM", "name", "reversed"]


def test_a_subclass_lists_its_own_arguments_after_those_of_its_base():
    class Winch(mb.Force):
        """A rope that pulls.

        rope  m, its length
        """

        rope: float = mb.argument("not shown, since the docstring has it")
        drum: float = mb.argument("radius, m", default=0.2)

    text = inspect.getdoc(Winch)
    assert text.startswith("A rope that pulls.\n\nrope  m, its length\n\nFurther arguments:\n")
    assert re.search(r"^drum +radius, m; default: 0.2$", text, re.MULTILINE)
    assert "not shown" not in text

    class Hoist(Winch):
        """The same, fast."""

        block: "Pulley" = mb.argument("a class that is defined later")

    class Pulley:
        pass

    assert "rope      not shown" in inspect.getdoc(Hoist)


EXAMPLES = [mb.MultibodySystem, mb.Assembler, mb.LinearSystem, Results, mb.Simulation, mb.MatterSubsystem.station_jacobian]


@pytest.mark.parametrize("documented", EXAMPLES, ids=lambda documented: documented.__name__)
def test_the_example_in_a_docstring_runs(documented, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    system = mb.MultibodySystem("arms")
    matter, forces = mb.MatterSubsystem(system), mb.ForceSubsystem(system)
    mb.Gravity(forces, matter, down=[0, -1, 0], magnitude=9.7)
    upper = mb.Pin(matter.ground, mb.MassProperties.point(1.3, [0, -1, 0]), name="upper")
    lower = mb.Pin(upper, mb.MassProperties.point(0.8, [0, -1, 0]), X_PF=mb.Transform(p=[0, -1, 0]), name="lower")
    state = system.realize_topology()
    system.realize(state, mb.Stage.ACCELERATION)
    names = {"mb": mb, "system": system, "matter": matter, "state": state, "upper": upper, "lower": lower}
    code = [line[4:] for line in inspect.getdoc(documented).splitlines() if re.match(r"    \S", line)]

    assert len(code) >= 2
    exec("\n".join(code), names)
