"""C sources for processors without an operating system: the bits of stepped runs here and on an emulated Cortex-M7, and what is refused."""

import re
import shutil
import struct
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from click.testing import CliRunner

import mobod as mb
from mobod.cli import main
from mobod.compilation.source.model_source import generate
from mobod.errors import InputError, UnknownNameError, UnsupportedError
from mobod.fmu.bare.absent import absent_tables, without_absent
from mobod.fmu.bare.members import groups_of
from mobod.fmu.bare.one_file import in_one_file
from mobod.fmu.bare.texts import FLAGS, header
from mobod.fmu.interface import make_interface
from mobod.fmu.names import flat_name
from mobod.runtime.compiler import has_zig
from mobod.runtime.integrators import DEFAULT_ACCURACY
from tests.native.slave import c_compiler
from tests.unit.simulate.test_bounded_steps import falling_balls

HERE = Path(__file__).parent
ARM = Path(__file__).resolve().parents[3] / "examples" / "arm.urdf"
WARNINGS = ("-Wall", "-Wextra", "-Wconversion", "-Werror")
N_STEPS = 500


def pendulum():
    system = mb.MultibodySystem("pendulum")
    matter, forces = mb.MatterSubsystem(system), mb.ForceSubsystem(system)
    mb.Gravity(forces, matter, down=[0, -1, 0], magnitude=9.81, name="gravity")
    arm = mb.Pin(matter.ground, mb.MassProperties.point(mass=1.3, p=[0.1, -0.4, 0]), name="arm")
    arm.set_default_q(0.7)
    mb.MobilityConstantForce(forces, arm, force=0.0, name="motor")
    return system


def falling_box():
    """A box that falls on a floor, with friction."""
    system = mb.MultibodySystem("box")
    matter, forces = mb.MatterSubsystem(system), mb.ForceSubsystem(system)
    mb.Gravity(forces, matter, down=[0, 0, -1], magnitude=9.81, name="gravity")
    box = mb.Free(matter.ground, mb.MassProperties(2.0, [0, 0, 0], mb.Inertia.box(mass=2.0, size=[0.4, 0.3, 0.2])), name="box")
    box.set_default_q([1.0, 0.05, 0.02, 0.0, 0.0, 0.0, 0.2])
    contacts = mb.ContactSet(matter, forces)
    contacts.add(matter.ground, mb.contact.HalfSpace(), friction=0.4)
    contacts.add(box, mb.contact.Box([0.2, 0.15, 0.1]), friction=0.4)
    contacts.rigid(restitution=0.2)
    mb.ConstantForce(forces, box, station=[0.0, 0.0, 0.0], force=[0.0, 0.0, 0.0], name="push")
    return system


def robot():
    return mb.load_urdf(ARM)


def thrown_balls():
    """Ten balls that reach the floor at ten times, all within a step of 50 ms, which is bounded."""
    system = falling_balls()
    forces = next(each for each in system.subsystems if isinstance(each, mb.ForceSubsystem))
    mb.MobilityConstantForce(forces, system.matter.body("ball3"), force=0.0, name="push")
    return system


def slider_on_a_spring():
    system = mb.MultibodySystem("slider")
    matter, forces = mb.MatterSubsystem(system), mb.ForceSubsystem(system)
    block = mb.Slider(matter.ground, mb.MassProperties.point(mass=0.5, p=[0, 0, 0]), name="block")
    mb.MobilityLinearSpring(forces, block, stiffness=40.0, q_zero=0.1)
    mb.MobilityConstantForce(forces, block, force=0.0, name="push")
    return system


ZIG = [sys.executable, "-m", "ziglang", "cc", "-target", "thumb-freestanding-eabihf", "-mcpu=cortex_m7"]
BOARD = [str(HERE / "cortex_m7.c"), "-T", str(HERE / "cortex_m7.ld"), "-ffunction-sections", "-Wl,--gc-sections", "-Wl,-e,reset"]
LEFT = [f"numerics_{name}" for name in ("overrun", "late", "left_length", "left_angle", "left_speed", "left_angular_speed", "left_impulse")]

# make -> input, its values by the number of the step, outputs, options, step
MODELS = {
    pendulum: ("motor.force", lambda i: 0.3 - 0.001 * i, ["arm.q", "arm.u", "energy"], {"integrator": "RK4", "step": 1e-3}, 1e-3),
    robot: (
        "elbow_motor.force",
        lambda i: 2.0 - 0.01 * i,
        ["elbow.q", "flange_roll.u"],
        {"integrator": "SemiImplicitEuler", "step": 2e-3},
        2e-3,
    ),
    falling_box: ("push.force[1]", lambda i: 0.02 * i, ["box.q", "box.u"], {"integrator": "velocity_level", "step": 2e-3}, 2e-3),
    slider_on_a_spring: ("push.force", lambda i: 0.1 * i, ["block.q"], {"integrator": "auto"}, 1e-2),
    thrown_balls: ("push.force", lambda i: 0.1 * i, ["ball3.q"], {"integrator": "RK4", "step": 0.05, "bounded": True}, 0.05),
}


def members(header, struct):
    """The names of the members of a struct of the header."""
    body = re.search(rf"typedef struct {{([^}}]*)}} {struct};", header)[1]
    return re.findall(r"^    (?:double|int|char) (\w+);", body, re.MULTILINE)


def stepped(make, order):
    """The lines that walk.c prints, by a SteppedRun. order: of the outputs"""
    name, value, outputs, options, step = MODELS[make]
    system, lines = make(), []
    given = options if "step" in options else {**options, "accuracy": DEFAULT_ACCURACY}
    with mb.Simulation(system, **given).start(system.realize_topology(), report_every=np.inf) as run:
        for i in range(N_STEPS):
            run.set(name, value(i))
            run.step(step)
            if (i + 1) % (N_STEPS // 10) == 0:
                numbers = {}
                for each in outputs:
                    entries = np.ravel(run.variables(each).get())
                    numbers |= {f"{flat_name(each)}_{k + 1}" if len(entries) > 1 else flat_name(each): x for k, x in enumerate(entries)}
                left = vars(run.leftovers).values()
                numbers |= {**dict(zip(LEFT, left, strict=True)), "numerics_jammed_steps": run.jammed_steps}
                lines += [struct.pack(">d", numbers[member]).hex() for member in order]
    return [*lines, "it fits"]


@pytest.fixture(scope="module", params=MODELS, ids=lambda make: make.__name__)
def exported(request, tmp_path_factory):
    make = request.param
    name, _, outputs, options, _ = MODELS[make]
    folder = tmp_path_factory.mktemp("bare") / "in_c"
    return make, mb.export_c(make(), folder, inputs=[name], outputs=outputs, name="plant", **options)


def compiled(exported, command, more, program):
    """walk.c with the model, compiled by a command."""
    make, folder = exported
    name, _, _, _, step = MODELS[make]
    value = {
        pendulum: "0.3 - 0.001 * i",
        robot: "2.0 - 0.01 * i",
        falling_box: "0.02 * i",
        slider_on_a_spring: "0.1 * i",
        thrown_balls: "0.1 * i",
    }[make]
    defined = ['-DWALK_HEADER="plant.h"', f"-DWALK_STEPS={N_STEPS}", f"-DWALK_STEP={step!r}"]
    defined.append(f"-DWALK_INPUT(inputs,i)=(inputs).{flat_name(name)} = {value}")
    sources = [*map(str, sorted((folder / "sources").glob("*.c"))), str(folder / "plant.c"), str(HERE / "walk.c")]
    places = ["-I", str(folder / "sources"), "-I", str(folder)]
    subprocess.run([*command, *FLAGS.split(), *WARNINGS, *defined, *places, *sources, *more, "-o", str(program)], check=True)
    return program


@pytest.mark.slow  # compiles the runtime for each model
def test_the_numbers_are_those_of_a_stepped_run(exported, tmp_path):
    make, folder = exported
    program = compiled(exported, [c_compiler()], [str(HERE / "host.c")], tmp_path / "walk")
    done = subprocess.run([str(program)], capture_output=True, text=True, check=True)
    assert done.stdout.split("\n")[:-1] == stepped(make, members((folder / "plant.h").read_text(), "model_Outputs"))


@pytest.mark.slow
def test_one_file_has_the_same_numbers(tmp_path):
    make = falling_box
    name, _, outputs, options, _ = MODELS[make]
    folder = mb.export_c(make(), tmp_path / "in_c", inputs=[name], outputs=outputs, name="plant", one_file=True, **options)
    assert sorted(each.name for each in folder.iterdir()) == ["README.md", "example.c", "plant.c", "plant.h"]
    program = compiled((make, folder), [c_compiler()], [str(HERE / "host.c")], tmp_path / "walk")
    done = subprocess.run([str(program)], capture_output=True, text=True, check=True)
    assert done.stdout.split("\n")[:-1] == stepped(make, members((folder / "plant.h").read_text(), "model_Outputs"))


def test_names_that_two_files_have_differ_in_one_file():
    sources = {
        "bare.h": "#define BARE 1\n",
        "row.h": '#include "bare.h"\n#include "lanes_only.h"\ntypedef struct {\n    int size;\n} Row;\nint of_row(Row *row);\n',
        "a.c": '#include "row.h"\nstatic const int SIZE = 1, MOST = 2;\nstatic int size(Row *row) { return row->size + SIZE; }\n'
        "int of_row(Row *row) { return size(row) + MOST; } /* the size */\n",
        "b.c": '#include "row.h"\nenum { SIZE = 3 };\nstatic int size(void) { return SIZE; }\n'
        'const char *text(void) { return size() ? "size" : ""; }\n',
    }
    made = in_one_file(sources, ["b.c"])
    assert "#include" not in made
    assert made.count("} Row;") == 1
    assert "static const int SIZE_of_a = 1, MOST = 2;" in made
    assert "static int size_of_a(Row *row) { return row->size + SIZE_of_a; }" in made
    assert "return size_of_a(row) + MOST; } /* the size */" in made
    assert "enum { SIZE_of_b = 3 };" in made
    assert 'return size_of_b() ? "size" : "";' in made


@pytest.mark.slow
def test_an_emulated_microcontroller_has_the_same_bits(exported, tmp_path):
    if not has_zig():
        pytest.skip("ziglang, which compiles for a Cortex-M7, is not installed: the extra `compiler`")
    if shutil.which("qemu-system-arm") is None:
        pytest.skip("qemu-system-arm is not installed: apt-get install qemu-system-arm")
    make, folder = exported
    program = compiled(exported, ZIG, BOARD, tmp_path / "walk.elf")
    board = ["-M", "mps2-an500", "-nographic", "-semihosting-config", "enable=on,target=native", "-kernel", str(program)]
    done = subprocess.run(["qemu-system-arm", *board], capture_output=True, text=True, check=True)
    assert done.stderr.split("\n")[:-1] == stepped(make, members((folder / "plant.h").read_text(), "model_Outputs"))


@pytest.mark.slow
def test_the_library_needs_memcpy_and_memset_alone(exported, tmp_path):
    """Besides what the library of the compiler has, which is called __aeabi_...; and without an instruction for roots, it has its own."""
    if not has_zig():
        pytest.skip("ziglang is not installed: the extra `compiler`")
    _, folder = exported
    units = sorted((folder / "sources").glob("*.c"))
    zig = [sys.executable, "-m", "ziglang", "cc", "-target", "thumb-freestanding-eabi", "-mcpu=cortex_m4"]
    together = tmp_path / "all.o"
    subprocess.run([*zig, *FLAGS.split(), "-I", str(folder / "sources"), "-r", *map(str, units), "-o", str(together)], check=True)
    undefined = subprocess.run(["nm", "-u", str(together)], capture_output=True, text=True, check=True).stdout.split()[1::2]
    assert {each for each in undefined if not each.startswith("__")} <= {"memcpy", "memset", "memmove"}


@pytest.mark.slow
def test_a_pendulum_fits_a_microcontroller_with_256_kb_of_flash_and_memory(tmp_path):
    """What it does not have is left out: contacts, friction, shapes, constraints, events, and integrators with error control."""
    if not has_zig():
        pytest.skip("ziglang is not installed: the extra `compiler`")
    name, _, outputs, options, _ = MODELS[pendulum]
    folder = mb.export_c(pendulum(), tmp_path / "in_c", inputs=[name], outputs=outputs, name="plant", **options)
    program = compiled((pendulum, folder), [*ZIG, "-Os"], BOARD, tmp_path / "walk.elf")
    size = subprocess.run(["size", str(program)], capture_output=True, text=True, check=True).stdout.split("\n")[1].split()
    code, data, memory = map(int, size[:3])
    assert code + data < 100e3
    assert code + data + memory < 256e3


def test_absent_tables_are_those_that_the_model_does_not_name():
    sources = {"bare.h": "#endif\n", "event.c": "if (model->events && instance->model->contacts)\n    work->events = NULL;\n"}
    names = absent_tables("{.events = &eventtable_1, .rows = NULL}")
    assert {"rows", "contacts"} < names
    assert "events" not in names
    made = without_absent(sources, names, "RK4")
    assert made["event.c"] == "if (model->events && ((void)(instance->model), mobod_absent.contacts))\n    work->events = NULL;\n"
    assert "const struct ContactTable *contacts;" in made["absent.h"]
    assert made["bare.h"].startswith('#include "absent.h"')


def test_structs_have_the_variables_of_the_model():
    model = generate(falling_box())
    interface = make_interface(model, "box", inputs=["push.force[1]"], outputs=["box.u"], names="flat")
    groups = {group.name: [member.name for member in group.members] for group in groups_of(interface)}
    assert groups["inputs"] == ["push_force_1"]
    assert groups["outputs"] == [f"box_u_{i}" for i in range(1, 7)]
    assert {"gravity_magnitude", "push_force_2", "push_enabled"} <= set(groups["parameters"])
    assert {"box_q_start_1", "box_u_start_6"} <= set(groups["start"])
    assert not any("numerics" in member for members in groups.values() for member in members)
    text = header("box", groups_of(interface), 1000, 1e-3)
    assert members(text, "model_Inputs") == groups["inputs"]
    assert "    double push_force_1; /* N, " in text
    assert "#define MODEL_BYTES 1000" in text


def test_what_is_wrong_is_refused_before_anything_is_written(tmp_path):
    system, folder = pendulum(), tmp_path / "c"
    with pytest.raises(UnknownNameError, match=r"arm\.qq"):
        mb.export_c(system, folder, outputs=["arm.qq"])
    with pytest.raises(InputError, match=r"export_c: .*step"):
        mb.export_c(system, folder, integrator="RK4")
    with pytest.raises(InputError, match=r"'.*missing' does not exist"):
        mb.export_c(system, tmp_path / "missing" / "c")
    (tmp_path / "file").touch()
    with pytest.raises(InputError, match="is a file"):
        mb.export_c(system, tmp_path / "file")
    with pytest.raises(InputError, match="holds file that mobod did not write"):
        mb.export_c(system, tmp_path)
    unrecorded = pendulum()
    mb.PeriodicEventHandler.of(unrecorded, 0.1, lambda s, e: print(s.time), name="log", recordable=False)
    with pytest.raises(UnsupportedError, match="log"):
        mb.export_c(unrecorded, folder)
    assert not folder.exists()


@pytest.mark.parametrize("option", [["--platform", "win64"], ["--fmi-version", "3.0"], ["--code", "compiled"], ["--report"]])
def test_the_command_refuses_options_of_fmus(tmp_path, option):
    result = CliRunner().invoke(main, ["export", str(ARM), "--target", "c", "-o", str(tmp_path / "arm"), *option])
    assert result.exit_code == 2
    assert f"{option[0]} is an option of FMUs" in result.output


@pytest.mark.slow
def test_the_command_writes_a_folder_that_compiles(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    arguments = ["export", str(ARM), "--target", "c", "--integrator", "RK4", "--step", "0.001"]
    for _ in range(2):  # the second time over the first
        result = CliRunner().invoke(main, arguments)
        assert result.exit_code == 0, result.output
        assert "wrote arm_c: README.md, arm.c, arm.h, example.c and " in result.output
    command = re.search(r"^    (cc .*)$", (tmp_path / "arm_c" / "README.md").read_text(), re.MULTILINE)[1]
    subprocess.run(f"{command.replace('cc', c_compiler(), 1)} -o example && ./example", shell=True, check=True, cwd=tmp_path / "arm_c")
