"""`python -m mobod`: the command line."""

from mobod.cli import main

main(prog_name="python -m mobod")
