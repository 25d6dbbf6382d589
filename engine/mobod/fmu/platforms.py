"""The folders of an FMU's binaries/ that a library belongs in."""

import platform
import sys

from mobod.errors import UnsupportedError

# FMI 2.0.4 names other processors like FMI 3.0 does. Masters older than that, and FMPy, look in the folders of 2.0 there too.
_FMI2_FOLDERS = {
    ("linux", "x86_64"): ("linux64",),
    ("linux", "aarch64"): ("aarch64-linux", "linux64"),
    ("win32", "x86_64"): ("win64",),
    ("win32", "aarch64"): ("aarch64-windows", "win64"),
    ("darwin", "x86_64"): ("darwin64",),
    ("darwin", "aarch64"): ("aarch64-darwin", "darwin64"),
}


def fmi2_folders() -> tuple[str, ...]:
    """The folders for a library that was built for this machine. Raises UnsupportedError for a machine that FMI has no name for."""
    processor = {"amd64": "x86_64", "arm64": "aarch64"}.get(platform.machine().lower(), platform.machine().lower())
    try:
        return _FMI2_FOLDERS[sys.platform, processor]
    except KeyError:
        known = ", ".join(f"{system} on {machine}" for system, machine in _FMI2_FOLDERS)
        raise UnsupportedError(f"no FMU can be made on {sys.platform} on {processor}. mobod makes them on {known}.") from None
