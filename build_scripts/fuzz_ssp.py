"""Readers of systems of FMUs (fuzz.py). mobod is imported within functions: see fuzz_reader.py."""

import zipfile
from collections.abc import Iterator
from io import BytesIO
from pathlib import Path

from fuzz_changes import changed_xml
from fuzz_fmus import descriptions, fmu_of
from fuzz_reader import FMI_MODULES, Read, reader

_SPACES = " ".join(
    f'xmlns:{prefix}="http://ssp-standard.org/SSP1/SystemStructure{name}"'
    for prefix, name in (
        ("ssc", "Common"),
        ("ssd", "Description"),
        ("ssv", "ParameterValues"),
        ("ssm", "ParameterMapping"),
        ("ssb", "SignalDictionary"),
    )
)
_PARAMETERS = f"""<?xml version="1.0" encoding="UTF-8"?>
<ssv:ParameterSet {_SPACES} version="1.0" name="set"><ssv:Parameters>
<ssv:Parameter name="m"><ssv:Real value="2.5" unit="kg"/></ssv:Parameter>
<ssv:Parameter name="mode"><ssv:Enumeration value="slow"/></ssv:Parameter>
<ssv:Parameter name="half"><ssv:Boolean value="true"/></ssv:Parameter><ssv:Parameter name="text"><ssv:String value="a"/></ssv:Parameter>
<ssv:Parameter name="n"><ssv:Integer value="3"/></ssv:Parameter></ssv:Parameters>
<ssv:Units><ssc:Unit name="kg"><ssc:BaseUnit kg="1" factor="1"/></ssc:Unit></ssv:Units></ssv:ParameterSet>"""
_STRUCTURE = f"""<?xml version="1.0" encoding="UTF-8"?>
<ssd:SystemStructureDescription {_SPACES} name="by hand" version="1.0"><ssd:System name="root">
<ssd:Connectors><ssd:Connector name="in" kind="input"><ssc:Real unit="m"/></ssd:Connector>
<ssd:Connector name="out" kind="output"><ssc:Real unit="mm"/></ssd:Connector></ssd:Connectors>
<ssd:ParameterBindings><ssd:ParameterBinding source="parameters.ssv" prefix="one."><ssd:ParameterMapping>
<ssm:ParameterMapping version="1.0">
<ssm:MappingEntry source="m" target="m"><ssc:LinearTransformation factor="2" offset="1"/></ssm:MappingEntry></ssm:ParameterMapping>
</ssd:ParameterMapping></ssd:ParameterBinding></ssd:ParameterBindings>
<ssd:Elements>
<ssd:Component name="one" source="right.fmu"><ssd:Connectors><ssd:Connector name="u" kind="input"><ssc:Real/></ssd:Connector>
<ssd:Connector name="x" kind="output"><ssc:Real unit="m"/></ssd:Connector></ssd:Connectors></ssd:Component>
<ssd:Component name="two" source="right.fmu" type="application/x-fmu-sharedlibrary"><ssd:Connectors><ssd:Connector name="u" kind="input"/>
<ssd:Connector name="x" kind="output"/></ssd:Connectors></ssd:Component>
<ssd:System name="inner"><ssd:Connectors><ssd:Connector name="a" kind="input"><ssc:Real/></ssd:Connector>
<ssd:Connector name="b" kind="output"><ssc:Real/></ssd:Connector></ssd:Connectors>
<ssd:Connections><ssd:Connection startConnector="a" endConnector="b"/></ssd:Connections></ssd:System>
<ssd:SignalDictionaryReference name="bus" dictionary="signals"/>
</ssd:Elements>
<ssd:Connections><ssd:Connection startElement="one" startConnector="x" endElement="two" endConnector="u"/>
<ssd:Connection startConnector="in" endElement="one" endConnector="u"/>
<ssd:Connection startElement="two" startConnector="x" endConnector="out"><ssc:LinearTransformation factor="1000"/></ssd:Connection>
</ssd:Connections>
<ssd:SignalDictionaries><ssd:SignalDictionary name="signals"><ssb:SignalDictionary version="1.0">
<ssb:DictionaryEntry name="s"><ssc:Real/>
</ssb:DictionaryEntry></ssb:SignalDictionary></ssd:SignalDictionary></ssd:SignalDictionaries>
</ssd:System>
<ssd:Units><ssc:Unit name="m"><ssc:BaseUnit m="1"/></ssc:Unit><ssc:Unit name="mm"><ssc:BaseUnit m="1" factor="0.001"/></ssc:Unit>
</ssd:Units><ssd:DefaultExperiment startTime="0" stopTime="1"/></ssd:SystemStructureDescription>"""


_FILES = {"SystemStructure.ssd": _STRUCTURE, "parameters.ssv": _PARAMETERS}


def _structure_examples() -> Iterator[bytes]:
    yield _STRUCTURE.encode()
    yield _STRUCTURE.replace('name="by hand" version="1.0"', 'name="by hand" version="2.0"').encode()  # there is no schema of it


def _file_of_system(name: str, folder: Path) -> Read:
    """Reads a system of FMUs in a folder, one file of which is the one that is given."""
    from mobod.cosim import Network

    system = folder / "system"
    system.mkdir()
    for file, content in _FILES.items():
        (system / file).write_text(content, encoding="utf-8")
    (system / "right.fmu").write_bytes(fmu_of(descriptions()[0]))

    def read(path: Path) -> object:
        (system / name).write_bytes(path.read_bytes())
        return Network.from_ssp(system)

    return read


@reader("ssd", reads="structures of systems of FMUs", suffix=".ssd", modules=FMI_MODULES, examples=_structure_examples, change=changed_xml)
def _structure(folder: Path) -> Read:
    return _file_of_system("SystemStructure.ssd", folder)


def _parameters_examples() -> Iterator[bytes]:
    yield _PARAMETERS.encode()
    yield _PARAMETERS.replace('version="1.0" name="set"', 'version="2.0" name="set"').replace('name="m"', 'name="one.m"').encode()


@reader("ssv", reads="parameters of systems of FMUs", suffix=".ssv", modules=FMI_MODULES, examples=_parameters_examples, change=changed_xml)
def _parameters(folder: Path) -> Read:
    return _file_of_system("parameters.ssv", folder)


def _ssp_examples() -> Iterator[bytes]:
    made = BytesIO()
    with zipfile.ZipFile(made, "w", zipfile.ZIP_DEFLATED) as archive:
        for file, content in _FILES.items():
            archive.writestr(file, content)
        archive.writestr("right.fmu", fmu_of(descriptions()[0]))
    yield made.getvalue()


@reader("ssp", reads="archives of systems of FMUs", suffix=".ssp", modules=(*FMI_MODULES, "zipfile"), examples=_ssp_examples)
def _ssp(folder: Path) -> Read:
    import mobod as mb
    from mobod.cosim import Network

    limits = mb.FmuLimits(unpacked=10**7, files=100)
    return lambda path: Network.from_ssp(path, limits=limits)
