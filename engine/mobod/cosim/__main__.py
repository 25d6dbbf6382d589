"""`python -m mobod.cosim`: the command `mobod cosim` by itself."""

from mobod.cli.commands.cosim import cosim

cosim(prog_name="python -m mobod.cosim")
