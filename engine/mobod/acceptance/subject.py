"""Subject: the FMU under test. Monitor: where a check says what it is doing."""

import mmap
from dataclasses import dataclass
from pathlib import Path
from typing import final

from mobod.acceptance.report import Experiment
from mobod.fmi.fmu_limits import FmuLimits
from mobod.importer.fmu_model import FmuModel

_NOTE = 512  # bytes


@final
@dataclass(frozen=True)
class Subject:
    """The FMU under test, as each check's process receives it.

    path        the file
    limits      upper limits for its size
    folder      the folder that it is unpacked to; empty if the archive is not fit for that
    experiment  the runs; None if the model description does not allow any
    """

    path: Path
    limits: FmuLimits
    folder: Path
    experiment: Experiment | None

    def model(self) -> FmuModel:
        """The FMU, whose files are copied from the folder. Raises what FmuModel raises."""
        model = FmuModel(self.path, self.limits)
        model.archive.use_unpacked(self.folder)
        return model


@final
class Monitor:
    """A file that holds what a check's process is doing, also after the process has crashed or was killed."""

    def __init__(self, file: Path) -> None:
        file.write_bytes(b" " * _NOTE)
        with file.open("r+b") as opened:
            self._text = mmap.mmap(opened.fileno(), _NOTE)

    def note(self, text: str) -> None:
        """Say what is being done: "fmi2DoStep from 0.3 s". It takes less than a microsecond."""
        self._text[:] = text.encode()[:_NOTE].ljust(_NOTE)

    @staticmethod
    def read(file: Path) -> str:
        return file.read_bytes().decode(errors="replace").strip() if file.is_file() else ""

    def close(self) -> None:
        self._text.close()
