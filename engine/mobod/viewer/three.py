"""three.js, which draws the pages: taken from the installed trimesh, whose viewer contains it."""

from hashlib import sha256
from importlib.metadata import version
from importlib.resources import files
from io import BytesIO
from zipfile import BadZipFile, ZipFile

from mobod.errors import UnsupportedError

REVISION = "140"
_ARCHIVE, _TEMPLATE = "templates/viewer.zip", "viewer.html.template"
_BEGIN, _END = "/**\n * @license\n * Copyright 2010-2022 Three.js Authors\n", "\n(function(){const _changeEvent"
_HASH = "1baf8525cd80caceabd6eb50da7961aa47f191ac7a68adb454c3a761b29244e2"


def three_source() -> str:
    """The text of three.js, a script that defines THREE. Raises UnsupportedError if trimesh contains another one."""
    archive = files("trimesh.resources").joinpath(_ARCHIVE)
    try:
        with ZipFile(BytesIO(archive.read_bytes())) as opened:
            template = opened.read(_TEMPLATE).decode()
    except (OSError, BadZipFile, KeyError, UnicodeDecodeError):
        template = ""
    begin = template.find(_BEGIN)
    source = template[begin : template.find(_END, max(0, begin))] if begin >= 0 else ""
    if sha256(source.encode()).hexdigest() != _HASH:
        raise UnsupportedError(
            f"trimesh {version('trimesh')} does not contain three.js r{REVISION}, with which mobod draws pages. Install one that "
            "does: python -m pip install 'trimesh>=4.10,<5.3'"
        )
    return source
