"""How large an FMU may be that is opened."""

from dataclasses import dataclass
from typing import final

FREE = 100 * 10**6  # bytes to which any archive may unpack, however small it is


@final
@dataclass(frozen=True, kw_only=True)
class FmuLimits:
    """The largest FMU that is read. A larger one is refused before it fills the disk or the memory.

    unpacked     bytes  all files together
    files               their number
    ratio               unpacked bytes for each byte of the archive, of an archive that unpacks to more than 100 MB
    description  bytes  modelDescription.xml
    variables           their number
    """

    unpacked: int = 2 * 10**9
    files: int = 10_000
    ratio: int = 100
    description: int = 128 * 10**6
    variables: int = 100_000

    def bytes_from(self, archive_size: int) -> int:
        """To how many bytes an archive of this size may unpack."""
        return min(self.unpacked, max(FREE, self.ratio * archive_size))
