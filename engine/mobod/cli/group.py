"""`mobod`: the commands together."""

import gc

import click

from mobod.cli.commands.bench import bench
from mobod.cli.commands.compare import compare
from mobod.cli.commands.convert import convert
from mobod.cli.commands.cosim import cosim
from mobod.cli.commands.demo import demo
from mobod.cli.commands.doctor import doctor
from mobod.cli.commands.export import export
from mobod.cli.commands.info import info
from mobod.cli.commands.new import new
from mobod.cli.commands.plot import plot
from mobod.cli.commands.simulate import simulate
from mobod.cli.commands.ssp import ssp
from mobod.cli.commands.sweep import sweep
from mobod.cli.commands.validate import validate
from mobod.cli.commands.view import view
from mobod.cli.compiling import compilations_shown
from mobod.cli.failure import errors_as_messages
from mobod.disk.working_folder import working_folder


@click.group(context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(package_name="mobod")
@click.pass_context
def main(context: click.Context) -> None:
    """Multibody dynamics in Python that becomes a Functional Mock-up Unit (FMU).

    A MODEL is `path.py:function`, a Python file and a function in it that takes no arguments and returns a System; or a
    model file (.json), or a robot file (.urdf, .sdf, MJCF .xml). For info, simulate, view, sweep and bench it may also be an FMU (.fmu).

    \b
    mobod new pendulum.py
    mobod simulate pendulum.py:build --until 5 --plot run.png

    \b
    The Tab key completes commands and options after one line in a file of your shell:
    ~/.bashrc                    eval "$(_MOBOD_COMPLETE=bash_source mobod)"
    ~/.zshrc                     eval "$(_MOBOD_COMPLETE=zsh_source mobod)"
    ~/.config/fish/config.fish   _MOBOD_COMPLETE=fish_source mobod | source

    Exit codes: 0 good, 1 the work failed, 2 wrong usage, 130 interrupted by Ctrl-C.
    """
    with errors_as_messages(debug=False):
        working_folder()
    context.with_resource(compilations_shown())
    gc.set_threshold(100_000, 20, 20)  # modules and a model are millions of objects that stay: a tenth of the time of an export


for command in (demo, new, info, simulate, sweep, view, plot, compare, export, convert, validate, cosim, ssp, bench, doctor):
    main.add_command(command)
