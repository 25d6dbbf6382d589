"""SRDF files: which links of a robot are kept apart, by <disable_collisions>."""

from collections.abc import Collection
from pathlib import Path

from mobod.errors import ModelFileError
from mobod.files.findings import Findings
from mobod.files.xml_source import XmlSource


def pairs_of_srdf(path: str | Path, findings: Findings | None = None) -> tuple[tuple[str, str], ...]:
    """The pairs of links that an SRDF file keeps apart. Raises ModelFileError for a file that is none.

    Links of other files and groups of joints are not read. Source: the SRDF of MoveIt.
    """
    place = Path(path)
    source = XmlSource(place, Findings(place, strict=False) if findings is None else findings)
    if source.tag(source.root) != "robot":
        raise ModelFileError(f"{place}: the file has no <robot>, but <{source.tag(source.root)}>. It is no SRDF file.")
    elements = source.root.findall("disable_collisions")
    return tuple((source.text(each, "link1"), source.text(each, "link2")) for each in elements)


def links_kept_apart(path: str | Path, links: Collection[str], findings: Findings) -> list[tuple[str, str]]:
    """Those of links of this robot. The others are a finding: the file may be that of a robot with more tools."""
    pairs = pairs_of_srdf(path)
    unknown = sorted({name for pair in pairs for name in pair} - set(links))
    if pairs and not any(one in links and other in links for one, other in pairs):
        raise ModelFileError(
            f"{path}: none of its {len(pairs)} <disable_collisions> is of two links of this robot, which has no '{unknown[0]}'."
        )
    if unknown:
        names = ", ".join(f"'{name}'" for name in unknown[:4]) + (", ..." if len(unknown) > 4 else "")
        message = f"the SRDF file keeps links apart that the robot does not have: {names}. They are ignored."
        findings.note("srdf", message, path=Path(path))
    return [(one, other) for one, other in pairs if one in links and other in links]
