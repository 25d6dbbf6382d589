"""The content of an .fmu file."""

import zipfile

from lxml import etree


def content(fmu):
    """File name -> bytes."""
    with zipfile.ZipFile(fmu) as archive:
        return {name: archive.read(name) for name in archive.namelist()}


def description(fmu):
    """The root of its model description."""
    return etree.fromstring(content(fmu)["modelDescription.xml"])
