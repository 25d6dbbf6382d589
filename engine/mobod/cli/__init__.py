"""The command line: `mobod`."""

from mobod.cli.group import main

__all__ = ["main"]
