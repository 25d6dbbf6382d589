"""MessageFile: the messages of FMUs in a file of limited size, written while a run goes on."""

import logging
from collections import Counter
from contextlib import nullcontext
from os import PathLike
from pathlib import Path
from threading import Lock
from types import TracebackType
from typing import Self, final

from mobod.disk.whole_file import is_written_directly
from mobod.errors import WriteError
from mobod.fmi.log_file import ALL, PRINTED, LogFile

_log = logging.getLogger("mobod")
_HEADER = b"# time (s)\tFMU\tstatus\tcategory\tmessage\n"
_MARK = b"# the newest message is above, the oldest one is below\n"
_LONGEST, _LONGEST_NAME, _LONGEST_REASON = 8000, 200, 500  # characters of a text, of a name, and of why a run ended
_MOST_COUNTED = 1000  # categories
_OTHERS = "(others)"
# one line for each message, and no control characters, which a terminal would obey
_ESCAPES = str.maketrans({chr(code): repr(chr(code))[1:-1] for code in (*range(32), *range(127, 160))})


@final
class MessageFile:
    """Writes messages, each at once. A context manager.

        with MessageFile(LogFile("run.log")) as file:
            file.write(0.25, "plant", "warning", "logEvents", "the valve is stuck")

    wanted      which messages it gets
    categories  that FMUs are known to have

    The first half of the file is for the first messages, the second half for the last ones: when it is full, the newest message overwrites
    the oldest one there. The end of the `with` puts them in order, and adds the number of messages that were left out, by FMU and category,
    and why a run ended that failed. Devices and pipes get all messages.

    On a full disk it keeps the messages that fitted, and warns: no run ends because of its log. Raises WriteError if the file cannot be
    made.
    """

    def __init__(self, wanted: LogFile) -> None:
        self.wanted = wanted
        self.categories = {PRINTED}
        self._is_bounded = not is_written_directly(Path(wanted.path))
        self._half = wanted.limit // 2
        self._at = 0  # where the next line goes, bytes
        self._ring: int | None = None  # where the second half begins
        self._has_wrapped = False
        self._in_ring: Counter[tuple[str, str]] = Counter()  # messages that were written there, by FMU and category
        self._left_out: Counter[tuple[str, str]] = Counter()
        self._last_time = "-"
        self._has_failed = False
        self._lock = Lock()  # FMUs may have threads
        try:
            self._file = open(wanted.path, "wb+" if self._is_bounded else "wb", buffering=0)  # noqa: SIM115  closed by __exit__
        except OSError as error:
            raise WriteError(f"'{wanted.path}' was not written: {error.strerror or error}.", error) from error
        self._write(_HEADER)

    def write(self, time: float | None, fmu: str, status: str, category: str, text: str) -> None:
        """Write a message of this time, s; None: before the FMU has one."""
        more = f" ... ({len(text) - _LONGEST} more characters)" if len(text) > _LONGEST else ""
        key = _printable(fmu, _LONGEST_NAME), _printable(category, _LONGEST_NAME)
        said = "-" if time is None else f"{time:.12g}"
        line = f"{said}\t{key[0]}\t{status}\t{key[1]}\t{_printable(text.rstrip(), _LONGEST)}{more}\n".encode(errors="replace")
        with self._lock:
            if self._ring is None and self._is_bounded and self._at + len(line) > self._half:
                self._ring = self._at
            if self._ring is not None:
                self._in_ring[self._counted(self._in_ring, key)] += 1
            if self.wanted.categories:
                self.categories.add(category)
            self._write(line)
            if not self._has_failed:
                self._last_time = said

    def leave_out(self, fmu: str, category: str, count: int, what: str = "messages") -> None:
        """Count what is lost already, `what` of this category."""
        key = _printable(fmu, _LONGEST_NAME), f"{_printable(category, _LONGEST_NAME)}\t{what}"
        self._left_out[self._counted(self._left_out, key)] += count

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None) -> None:
        with self._file:
            if self._ring is not None and self._has_wrapped:
                self._put_in_order(self._ring)
            self._ring, self._has_wrapped = None, False
            for (fmu, category), count in self._left_out.items():
                self._write(f"# left out of '{fmu}':\t{count}\t{category}\n".encode(errors="replace"))
            for category in sorted({*self.wanted.categories} - self.categories - {ALL}):
                known = ", ".join(sorted(self.categories))
                _log.warning("'%s' has no message of the category '%s'. Categories of these FMUs: %s", self.wanted.path, category, known)
            if error is not None:
                why = _printable(" ".join(str(error).split()), _LONGEST_REASON) or type(error).__name__
                self._write(f"# ended: {why}\n".encode(errors="replace"))

    def _write(self, line: bytes) -> None:
        """Write a line at its place."""
        if self._has_failed:
            return
        try:
            if self._ring is not None and self._at + len(line) + len(_MARK) > self._ring + self._half:
                self._file.truncate(self._at)
                self._at, self._has_wrapped = self._file.seek(self._ring), True
            self._append(line + _MARK if self._has_wrapped and self._ring is not None else line)
            self._at += len(line)
            if self._has_wrapped:
                self._file.seek(self._at)
        except OSError as error:
            self._fail(error)

    def _append(self, data: bytes) -> None:
        left = memoryview(data)
        while left:
            left = left[self._file.write(left) :]

    def _put_in_order(self, ring: int) -> None:
        """Write the second half, from `ring` on, in the order of time."""
        try:
            self._file.seek(ring)
            content = self._file.read()
            newer = content[: self._at - ring]
            # the first of the older lines is overwritten in part
            older = content[len(newer) + len(_MARK) :].partition(b"\n")[2]
            kept: Counter[tuple[str, str]] = Counter()
            for line in (older + newer).decode(errors="replace").split("\n"):
                fields = line.split("\t", 4)
                if len(fields) == 5:  # a signal may have cut off the last one
                    kept[self._counted(self._in_ring, (fields[1], fields[3]))] += 1
            lost = self._in_ring - kept
            for (fmu, category), count in lost.items():
                self.leave_out(fmu, category, count)
            said = f"# {lost.total()} messages are left out here, since the log is limited to {2 * self._half} bytes\n"
            self._file.seek(ring)
            self._append(b"".join([said.encode(), older, newer]))
            self._file.truncate()
            self._at = self._file.tell()
        except OSError as error:
            self._fail(error)

    def _fail(self, error: OSError) -> None:
        self._has_failed = True
        if self._is_bounded and not self._has_wrapped:
            self._file.truncate(self._at)
        _log.warning(
            "'%s' is not written any further: %s. It has the messages until %s s. Give a path on a disk that has room.",
            self.wanted.path,
            error.strerror or error,
            self._last_time,
        )

    @staticmethod
    def _counted(counter: Counter[tuple[str, str]], key: tuple[str, str]) -> tuple[str, str]:
        """The key, or that of all others where there are too many."""
        return key if key in counter or len(counter) < _MOST_COUNTED else (key[0], _OTHERS)


def message_file(log: str | PathLike[str] | LogFile | None) -> "MessageFile | nullcontext[None]":
    """A context manager with the file for messages; None: without one."""
    if log is None:
        return nullcontext()
    return MessageFile(log if isinstance(log, LogFile) else LogFile(log))


def _printable(text: str, most: int) -> str:
    return text[:most].translate(_ESCAPES)
