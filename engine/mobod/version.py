"""The version of mobod that is installed."""

from importlib.metadata import PackageNotFoundError, version


def mobod_version() -> str:
    """The version in pyproject.toml; 'not installed' for a checkout that is only on the path."""
    try:
        return version("mobod")
    except PackageNotFoundError:
        return "not installed"
