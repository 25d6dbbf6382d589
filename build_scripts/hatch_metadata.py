"""Metadata hook: the description of the package is README.md, whose relative links lead to the source of this version."""

import sys
from pathlib import Path
from typing import Any

from hatchling.metadata.plugin.interface import MetadataHookInterface

SCRIPTS = Path(__file__).resolve().parent


class ReadmeHook(MetadataHookInterface):
    def update(self, metadata: dict[str, Any]) -> None:
        """Adds the readme to the metadata."""
        sys.path.insert(0, str(SCRIPTS))
        from readme_links import with_addresses

        text = (SCRIPTS.parent / "README.md").read_text(encoding="utf-8")
        metadata["readme"] = {
            "content-type": "text/markdown",
            "text": with_addresses(text, metadata["urls"]["Source"], metadata["version"]),
        }
