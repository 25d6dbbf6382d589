"""MissingToolError: a compiler or package that fuzzing needs is not installed."""


class MissingToolError(Exception):
    """The message names the package to install."""
