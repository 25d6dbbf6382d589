"""The files that a release has beside its wheels and its sdist: bill of materials, notices, recipe for conda-forge, list of SHA-256."""

import email
import hashlib
import json
import re
import uuid
import zipfile
from collections.abc import Iterable, Sequence
from datetime import UTC, datetime
from email.message import Message
from importlib.metadata import version
from pathlib import Path
from typing import Any

from packaging.requirements import Requirement

from mobod.notices import FMI, MINGW, MUSL, NOTICES, ZIG, Notice, joined

ROOT = Path(__file__).resolve().parents[1]
RECIPE = ROOT / "packaging" / "conda-forge" / "recipe.yaml"
SUMS = "SHA256SUMS"
SCHEMA_OF_BILL = "1.6"
# of what the libraries in wheels contain: the package from which it comes, and its licence as SPDX names it
_BUNDLED = {FMI: ("fmpy", "BSD-2-Clause"), ZIG: ("ziglang", "MIT"), MUSL: ("ziglang", "MIT"), MINGW: ("ziglang", None)}


def metadata_of(wheel: Path) -> Message:
    """The file METADATA of a wheel."""
    with zipfile.ZipFile(wheel) as archive:
        (name,) = (each for each in archive.namelist() if each.endswith(".dist-info/METADATA"))
        return email.message_from_bytes(archive.read(name))


def bill_of_materials(metadata: Message, files: Sequence[Path], seconds: int) -> str:
    """A bill of materials in the form of CycloneDX: the files of a release, what they bundle, and the packages that they need.

    metadata  of a wheel
    seconds   of the release, since 1970

    What is not bundled has no version: pip chooses one. The property `requires` has the range.
    """
    name, number = metadata["Name"], metadata["Version"]
    own = f"pkg:pypi/{name}@{number}"
    bundled = [_bundled(notice, *source) for notice, source in _BUNDLED.items()]
    needed = [_needed(Requirement(text)) for text in metadata.get_all("Requires-Dist", [])]
    components = list({each["bom-ref"]: each for each in [*bundled, *needed]}.values())
    required = [each["bom-ref"] for each in components if each["scope"] == "required"]
    digests = [hashlib.sha256(file.read_bytes()).hexdigest() for file in files]
    document = {
        "$schema": f"http://cyclonedx.org/schema/bom-{SCHEMA_OF_BILL}.schema.json",
        "bomFormat": "CycloneDX",
        "specVersion": SCHEMA_OF_BILL,
        "serialNumber": f"urn:uuid:{uuid.uuid5(uuid.NAMESPACE_URL, ' '.join([own, *digests]))}",
        "version": 1,
        "metadata": {
            "timestamp": datetime.fromtimestamp(seconds, UTC).strftime("%Y-%m-%dT%H:%M:%SZ"),
            "component": {
                "type": "library",
                "bom-ref": own,
                "name": name,
                "version": number,
                "description": metadata["Summary"],
                "authors": [{"name": metadata["Author"]}],
                "licenses": [{"license": {"id": metadata["License-Expression"]}}],
                "purl": own,
                "components": [
                    {"type": "file", "bom-ref": file.name, "name": file.name, "hashes": [{"alg": "SHA-256", "content": digest}]}
                    for file, digest in zip(files, digests, strict=True)
                ],
            },
        },
        "components": components,
        "dependencies": [{"ref": own, "dependsOn": sorted(required)}],
    }
    return json.dumps(document, indent=2) + "\n"


def _bundled(notice: Notice, package: str, licence: str | None) -> dict[str, Any]:
    named = {"license": {"id": licence}} if licence else {"license": {"name": f"see {notice.file}", "text": {"content": notice.text}}}
    return {
        "type": "library",
        "bom-ref": f"bundled:{notice.file.removesuffix('.txt')}",
        "name": notice.work,
        "version": f"that of {package} {version(package)}",
        "description": f"{notice.use}.",
        "scope": "required",
        "licenses": [named],
    }


def _needed(requirement: Requirement) -> dict[str, Any]:
    extra = re.search(r"extra == ['\"]([\w-]+)['\"]", str(requirement.marker or ""))
    properties = {"requires": str(requirement.specifier) or "any version", "extra": extra[1] if extra else ""}
    return {
        "type": "library",
        "bom-ref": f"pkg:pypi/{requirement.name.lower()}" + (f"#{extra[1]}" if extra else ""),
        "name": requirement.name,
        "scope": "optional" if extra else "required",
        "purl": f"pkg:pypi/{requirement.name.lower()}",
        "properties": [{"name": f"mobod:{key}", "value": value} for key, value in properties.items() if value],
    }


def fault_in_bill(text: str) -> str | None:
    """What the schema of CycloneDX says against it; None if it fits."""
    from cyclonedx.schema import SchemaVersion  # of the extra `release`
    from cyclonedx.validation.json import JsonStrictValidator

    fault = JsonStrictValidator(SchemaVersion.from_version(SCHEMA_OF_BILL)).validate_str(text)
    return None if fault is None else str(fault)


def notices() -> str:
    """The notices of the parts of wheels, pages and FMUs that others have written."""
    return f"What mobod bundles and others have written. mobod itself has the licence of the file LICENSE.\n\n{joined(NOTICES)}"


def recipe(number: str, sdist_sha256: str) -> str:
    """The recipe for conda-forge, for a version."""
    text = RECIPE.read_text(encoding="utf-8")
    text, n_versions = re.subn(r'^  version: ".*"$', f'  version: "{number}"', text, flags=re.MULTILINE)
    text, n_hashes = re.subn(r"^  sha256: .*$", f"  sha256: {sdist_sha256}", text, flags=re.MULTILINE)
    if (n_versions, n_hashes) != (1, 1):
        raise ValueError(f"{RECIPE.name} has {n_versions} versions and {n_hashes} hashes of the source, not one of each")
    return text


def sums(files: Iterable[Path]) -> str:
    """The list of hashes, as `sha256sum --check` reads it."""
    return "".join(f"{hashlib.sha256(file.read_bytes()).hexdigest()}  {file.name}\n" for file in sorted(files))
