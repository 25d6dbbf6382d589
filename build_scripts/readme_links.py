"""Relative links of README.md as addresses of the source of a version: a package index shows the text without the files around it."""

import re

# [text](place) and ![text](place), where the place is no address and no heading of the page itself
_RELATIVE = re.compile(r"(?P<picture>!?)\[(?P<text>[^\]]*)\]\((?!\w+:|#)(?P<place>[^)\s]+)\)")
_CODE = re.compile(r"(^```.*?^```)", re.MULTILINE | re.DOTALL)


def with_addresses(text: str, source: str, version: str) -> str:
    """The text with addresses below that of the source, at the tag of the version: raw files for pictures, pages for links.

    Code is left as it is.
    """

    def whole(found: re.Match[str]) -> str:
        kind = "raw" if found["picture"] else "blob"
        return f"{found['picture']}[{found['text']}]({source}/{kind}/v{version}/{found['place']})"

    parts = _CODE.split(text)
    return "".join(part if part.startswith("```") else _RELATIVE.sub(whole, part) for part in parts)


def relative_links(text: str) -> list[str]:
    """The places of links and pictures that need files beside the page."""
    return [found["place"] for part in _CODE.split(text) if not part.startswith("```") for found in _RELATIVE.finditer(part)]
