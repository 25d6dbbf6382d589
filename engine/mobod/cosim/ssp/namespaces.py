"""The XML namespaces of SSP, the same in 1.0 and 2.0, and access to XML by them."""

from mobod.errors import SspFileError

SSC = "http://ssp-standard.org/SSP1/SystemStructureCommon"
SSD = "http://ssp-standard.org/SSP1/SystemStructureDescription"
SSV = "http://ssp-standard.org/SSP1/SystemStructureParameterValues"
SSM = "http://ssp-standard.org/SSP1/SystemStructureParameterMapping"
SSB = "http://ssp-standard.org/SSP1/SystemStructureSignalDictionary"
PREFIXES = {"ssc": SSC, "ssd": SSD, "ssv": SSV, "ssm": SSM, "ssb": SSB}

VERSIONS = ("1.0", "2.0")


def qualified(name: str) -> str:
    """'ssd:System' as lxml writes it."""
    prefix, _, local = name.partition(":")
    return f"{{{PREFIXES[prefix]}}}{local}"


def refuse_version(where: str, version: str | None) -> None:
    """Raise SspFileError unless mobod reads this version."""
    if version not in VERSIONS:
        raise SspFileError(f"{where}: it is of SSP version {version or '(none)'}, and mobod reads {' and '.join(VERSIONS)}.")
