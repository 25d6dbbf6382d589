"""Running `mobod` in an empty folder that holds a file with models."""

from collections.abc import Callable
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from mobod.cli import main
from tests.importer.foreign_fmus import build_foreign_fmu

MODELS = """
import mobod as mb


def crane():
    system = mb.MultibodySystem("crane")
    matter = mb.MatterSubsystem(system)
    forces = mb.ForceSubsystem(system)
    mb.Gravity(forces, matter, down=[0, -1, 0], magnitude=9.7, name="gravity")
    trolley = mb.Slider(matter.ground, mb.MassProperties.point(2.5, [0, 0, 0]), name="trolley")
    load = mb.Pin(trolley, mb.MassProperties.point(1.3, [0, -0.8, 0]), name="load")
    mb.MobilityForce(forces, trolley, name="winch")
    mb.MobilityLinearSpring(forces, load, stiffness=0.0, q_zero=0.1, name="spring")
    return system


def negative_mass():
    return mb.MassProperties.point(-1.0, [0, -1, 0])


def divides_by_zero():
    return 1 / 0


def gives_up():
    raise SystemExit("no more")


def returns_text():
    return "crane"


def tangled():
    system = crane()
    mb.MobilityLinearSpring(system.subsystems[2], system.matter.body("load"), stiffness=1e308, name="wall")
    return system


class Landing(mb.TriggeredEventHandler):
    def witness(self, state):
        return self.system.matter.body("stone").q(state)[0] + 0.5

    def handle_event(self, state, event):
        event.terminate_when(True)


def falling():
    # from rest at 0 m to -0.5 m in 1 s
    system = mb.MultibodySystem("fall")
    stone = mb.Slider(mb.MatterSubsystem(system).ground, mb.MassProperties.point(1.3, [0, 0, 0]), name="stone")
    mb.Gravity(mb.ForceSubsystem(system), system.matter, down=[-1, 0, 0], magnitude=1.0)
    Landing(system, stage=mb.Stage.POSITION, name="landing")
    return system
"""


@pytest.fixture
def run(tmp_path, monkeypatch) -> Callable[..., Result]:
    """run("info", "models.py:crane") runs the command as in a terminal, in tmp_path."""
    (tmp_path / "models.py").write_text(MODELS)
    monkeypatch.chdir(tmp_path)
    return lambda *arguments: CliRunner().invoke(main, [str(argument) for argument in arguments], prog_name="mobod")


@pytest.fixture(scope="session")
def foreign(tmp_path_factory) -> dict[str, Path]:
    """FMUs with both interfaces that mobod did not make, by name: `tank` of FMI 3.0, `ball` of FMI 2.0."""
    folder = tmp_path_factory.mktemp("foreign")
    return {name: build_foreign_fmu(name, folder / f"{name}.fmu") for name in ("tank", "ball")}
