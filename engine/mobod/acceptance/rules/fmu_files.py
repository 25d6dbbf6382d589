"""FmuFiles: the files of an archive, as the rules read them."""

import zipfile
from functools import cached_property
from pathlib import PurePosixPath
from typing import final

from lxml import etree

from mobod.fmi.rules.description import Description
from mobod.fmi.rules.rule import RuleFindings
from mobod.fmi.rules.xml_files import WELL_FORMED, parse

_MOST_XML = 32 * 2**20  # bytes of an XML file beside the model description


@final
class FmuFiles:
    """The files of an archive that is safe to read.

    description  modelDescription.xml
    names        paths of all files, without folders
    """

    def __init__(self, archive: zipfile.ZipFile, description: Description) -> None:
        self._archive = archive
        self.description = description
        self.names = sorted({entry.filename for entry in archive.infolist() if not entry.is_dir()})

    @cached_property
    def _set(self) -> set[str]:
        return set(self.names)

    def __contains__(self, name: str) -> bool:
        return name in self._set

    def read(self, name: str) -> bytes:
        return self._archive.read(name)

    def under(self, folder: str) -> list[str]:
        """Paths of all files in the folder, such as "sources/", and in its folders."""
        return [name for name in self.names if name.startswith(folder)]

    def folders(self, folder: str) -> list[str]:
        """Names of the folders in it that contain files."""
        depth = folder.count("/")
        return sorted({PurePosixPath(name).parts[depth] for name in self.under(folder) if name.count("/") > depth})

    def xml(self, name: str, found: RuleFindings) -> "etree._Element | None":
        """The root element of an XML file; None, with a finding, if it is not well-formed or too large."""
        content = self.read(name)
        if len(content) > _MOST_XML:
            found.add(WELL_FORMED, f"the file has {len(content)} bytes, and the limit is {_MOST_XML}. Write a smaller one.", name)
            return None
        return parse(content, name, found)
