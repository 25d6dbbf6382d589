"""Where the C runtime lies."""

from pathlib import Path

from mobod.errors import MobodError


def native_sources() -> Path:
    """The folder of model.h and of the C files that go with it into a shared library or an FMU.

    A wheel holds it inside the package; in a checkout, and so in an editable install, it is fmu_src/native.
    Raises MobodError where it is in neither place.
    """
    package = Path(__file__).resolve().parent
    in_wheel = package / "_fmu_src" / "native"
    in_checkout = package.parent.parent / "fmu_src" / "native"
    for folder in (in_wheel, in_checkout):
        if (folder / "model.h").is_file():
            return folder
    raise MobodError(
        f"the C runtime of mobod (model.h) is missing: it is neither in '{in_wheel}' nor in '{in_checkout}'. "
        "Install mobod again, from a wheel or from a whole checkout."
    )
