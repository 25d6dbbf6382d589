"""FmuLimits: upper limits for the size of an FMU that is opened."""

from dataclasses import dataclass
from typing import final

from mobod.errors import InputError

FREE = 100 * 10**6  # bytes to which an archive of any size may unpack


@final
@dataclass(frozen=True, kw_only=True)
class FmuLimits:
    """Upper limits for an FMU that is read. A larger FMU is refused before it fills the disk or the memory.

    unpacked     bytes  size of all unpacked files together
    files               number of files
    ratio               unpacked bytes for each byte of the archive; checked only if the archive unpacks to more than 100 MB
    description  bytes  size of modelDescription.xml
    variables           number of variables

    For an SSP, they are limits for the SSP and all archives in it together, at any depth; `description` limits the XML files that are read.
    """

    unpacked: int = 2 * 10**9
    files: int = 10_000
    ratio: int = 100
    description: int = 128 * 10**6
    variables: int = 100_000

    def bytes_from(self, archive_size: int) -> int:
        """The largest allowed unpacked size, in bytes, of an archive of this size."""
        return min(self.unpacked, max(FREE, self.ratio * archive_size))

    def check(self, limit: str, found: int, statement: str, error: type[InputError]) -> None:
        """Raise `error` if more is found than the named limit allows. statement: 'a.fmu: it has 3 files'"""
        allowed = getattr(self, limit)
        if found > allowed:
            raise error(
                f"{statement}, and the limit is {allowed}. If you trust the file, raise the limit: mobod.FmuLimits({limit}={found}), or "
                f"--limit {limit}={found}."
            )
