"""The lists of docs/concepts/contributing.md, "To add something", followed in a copy of the repository: the files that they
name are enough.
"""

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
METHODS = "fmu_src/native/methods"
pytestmark = pytest.mark.slow  # copies of the repository, one of which compiles the runtime


@pytest.fixture
def copy(tmp_path):
    for name in ("engine", "fmu_src", "build_scripts", "docs"):
        shutil.copytree(ROOT / name, tmp_path / name, ignore=shutil.ignore_patterns("__pycache__"))
    return tmp_path


def run(copy, *arguments):
    environment = os.environ | {"PYTHONPATH": str(copy / "engine")}
    done = subprocess.run([sys.executable, *arguments], cwd=copy, env=environment, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return done.stdout


def listed(what, name):
    """The files of the product in the list, in which <name> is replaced."""
    page = (ROOT / "docs" / "concepts" / "contributing.md").read_text(encoding="utf-8")
    (row,) = re.findall(rf"^\| {re.escape(what)} \|([^|]*)\|", page, re.MULTILINE)
    return {path.replace("<name>", name) for path in re.findall(r"`((?:engine|fmu_src)/[^`]*)`", row)}


def change(copy, changes):
    """changes: path -> the text of a new file, or pairs of old and new text."""
    for path, change in changes.items():
        file = copy / path
        if isinstance(change, str):
            file.write_text(change, encoding="utf-8")
            continue
        text = file.read_text(encoding="utf-8")
        for old, new in change:
            assert old in text
            text = text.replace(old, new, 1)
        file.write_text(text, encoding="utf-8")
    return set(changes)


HEUN = """\
#include "method.h"

static const double c[4] = {0, 1.0 / 3, 2.0 / 3, 1};
static const double a[4 * 4] = {0, 0, 0, 0, 1.0 / 3, 0, 0, 0, 0, 2.0 / 3, 0, 0, 1.0 / 4, 0, 3.0 / 4, 0};
static const Tableau tableau = {.n_stages = 4, .c = c, .a = a};

const Method heun = {.name = "HEUN", .title = "order 3, Heun", .use = "tests", .order = 3, .degree = 3, .last = 3, .stability = 2.5,
                     .oscillations = 1.7, .pair = &tableau};
"""
OSCILLATION = """\
import numpy as np
import mobod as mb
system = mb.MultibodySystem("oscillator")
matter, forces = mb.MatterSubsystem(system), mb.ForceSubsystem(system)
slider = mb.Slider(matter.ground, mb.MassProperties(2.0, [0, 0, 0], np.eye(3)), name="mass")
mb.MobilityLinearSpring(forces, slider, stiffness=8.0)
state = system.realize_topology()
slider.set_q(state, 0.1)
for step in (0.02, 0.01):
    run = mb.Simulation(system, integrator="HEUN", step=step, backend="interpreted").run(state, 2.0)
    print(abs(run["mass.q"][-1] - 0.1 * np.cos(4.0)))
"""


def test_an_integrator_is_a_file_and_a_line(copy):
    changed = change(
        copy,
        {
            f"{METHODS}/heun.c": HEUN,
            f"{METHODS}/method_list.h": [("    METHOD(RK3, rk3) \\\n", "    METHOD(RK3, rk3) \\\n    METHOD(HEUN, heun) \\\n")],
        },
    )
    assert changed == listed("an integrator with fixed steps", "heun")
    run(copy, "build_scripts/generate_methods.py")
    assert "HEUN" in (copy / "docs" / "numerics" / "integrators.md").read_text(encoding="utf-8")
    coarse, fine = (float(line) for line in run(copy, "-c", OSCILLATION).split())
    assert 7.5 < coarse / fine < 8.5  # of third order


DUMBBELL = '''\
"""Dumbbell: two points on x."""

from typing import final

from mobod.contact.shapes.bounded_shape import BoundedShape, LowestPoint, lowest_of
from mobod.contact.shapes.contact_shape import Decorations, Look
from mobod.matter.parameters import equations
from mobod.scalar import Array
from mobod.system.elements import parameter
from mobod.system.named_arguments import named_arguments


@final
@named_arguments
@equations
class Dumbbell(BoundedShape):
    """Two points on x.

    half_length  m
    """

    half_length: float = parameter("m", "half of the distance", above=0.0, kw_only=False)

    @property
    def features(self) -> tuple[str, ...]:
        return "left", "right"

    def lowest_points(self, m: Array) -> list[LowestPoint]:
        return lowest_of([[-self.half_length, 0, 0], [self.half_length, 0, 0]], m)

    def decorations(self, look: Look) -> Decorations:
        return []
'''
LYING = """\
import mobod as mb
shape = mb.contact.Dumbbell(0.4)
print(mb.contact.pair_of(mb.contact.HalfSpace(), shape).names, "Dumbbell" in str(mb.model_schema()), shape)
"""


def test_a_shape_is_a_file_and_its_name_in_two_imports(copy):
    imported = "from mobod.contact.shapes.cylinder import Cylinder\n"
    changed = change(
        copy,
        {
            "engine/mobod/contact/shapes/dumbbell.py": DUMBBELL,
            "engine/mobod/contact/shapes/__init__.py": [
                (imported, imported + "from mobod.contact.shapes.dumbbell import Dumbbell\n"),
                ("ConvexMesh, Cylinder, Ellipsoid", "ConvexMesh, Cylinder, Dumbbell, Ellipsoid"),
            ],
            "engine/mobod/contact/__init__.py": [
                ("    Cylinder,\n", "    Cylinder,\n    Dumbbell,\n"),
                ('    "Cylinder",\n', '    "Cylinder",\n    "Dumbbell",\n'),
            ],
        },
    )
    assert changed == listed("a shape of contacts", "dumbbell")
    assert run(copy, "-c", LYING) == "('left', 'right') True Dumbbell(half_length=0.4)\n"


VERB = '''\
"""The command `mobod where`."""

import click

from mobod.cli.command_output import quiet_option


@click.command()
@quiet_option
def where(quiet: bool) -> None:
    """Show where mobod is installed."""
    if not quiet:
        click.echo(f"here: {click.__name__}")
'''


def test_a_verb_is_a_file_and_a_line(copy):
    changed = change(
        copy,
        {
            "engine/mobod/cli/commands/where.py": VERB,
            "engine/mobod/cli/group.py": [
                (
                    "from mobod.cli.commands.view import view\n",
                    "from mobod.cli.commands.view import view\nfrom mobod.cli.commands.where import where\n",
                ),
                ("bench, doctor):", "bench, doctor, where):"),
            ],
        },
    )
    assert changed == listed("a verb of the command line", "where")
    assert run(copy, "-m", "mobod", "where") == "here: click\n"
    assert "Show where mobod is installed." in run(copy, "-m", "mobod", "--help")
