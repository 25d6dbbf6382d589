"""The rules for extra/ and the manifests of layered standards."""

import re

from mobod.acceptance.rules.fmu_files import FmuFiles
from mobod.fmi.rules.rule import Rule, RuleFindings
from mobod.fmi.rules.xml_files import check_encoding, check_schema

DOMAIN = Rule("extra-domain", "Folders of extra/ are named by a reversed domain, such as com.example.", "2.3.1", "2.5.1.6", "warning")
LOOSE = Rule("extra-loose", "Files of extra/ lie in folders.", "2.3.1", "2.5.1.6", "warning")
MANIFEST = Rule("layered-standard", "The manifest of a layered standard has its name, version and description.", "2.3.1", "2.6", "warning")
MANIFEST_SCHEMA = Rule("layered-standard-schema", "The manifest of a layered standard conforms to its schema.", "2.3.1", "2.6", "warning")

_DOMAIN = re.compile(r"[A-Za-z0-9_-]+(\.[A-Za-z0-9_-]+)+", re.ASCII)
_NAMESPACE = "http://fmi-standard.org/fmi-ls-manifest"
_MINIMAL = f"{{{_NAMESPACE}}}fmiLayeredStandardManifest"  # the only manifest of which the standard has a schema


def check(files: FmuFiles, found: RuleFindings) -> None:
    """Check the folder extra/."""
    for name in files.under("extra/"):
        if name.count("/") == 1:
            found.add(LOOSE, "this file lies in extra/ itself. Move it to a folder that is named by a reversed domain.", name)
        elif name.endswith("/fmi-ls-manifest.xml"):
            _check_manifest(files, name, found)
    for folder in files.folders("extra/"):
        if not _DOMAIN.fullmatch(folder):
            found.add(
                DOMAIN, f"the folder '{folder}' is not named by a reversed domain, such as com.example. Rename it.", f"extra/{folder}/"
            )


def _check_manifest(files: FmuFiles, name: str, found: RuleFindings) -> None:
    root = files.xml(name, found)
    if root is None:
        return
    check_encoding(root, files.read(name), name, found)
    for attribute in ("name", "version", "description"):
        if not (root.get(f"{{{_NAMESPACE}}}fmi-ls-{attribute}") or "").strip():
            found.add(MANIFEST, f"the attribute fmi-ls:fmi-ls-{attribute} is missing or empty. Add it.", f"{name}:{root.sourceline}")
    if root.tag == _MINIMAL and len(root) == 0:
        check_schema(root, "fmi3/fmi3LayeredStandardManifest.xsd", MANIFEST_SCHEMA, name, found)
