"""Small FMUs that follow the standard, into which tests plant faults."""

import struct
import zipfile
from pathlib import Path

FMI2 = """<?xml version="1.0" encoding="UTF-8"?>
<fmiModelDescription fmiVersion="2.0" modelName="Right" guid="{1}" generationDateAndTime="2026-01-02T03:04:05Z"
    variableNamingConvention="structured" numberOfEventIndicators="0">
<ModelExchange modelIdentifier="Right" canGetAndSetFMUstate="true" canSerializeFMUstate="true">
 <SourceFiles><File name="all.c"/></SourceFiles></ModelExchange>
<CoSimulation modelIdentifier="Right" canHandleVariableCommunicationStepSize="true">
 <SourceFiles><File name="all.c"/></SourceFiles></CoSimulation>
<UnitDefinitions>
 <Unit name="m"><BaseUnit m="1"/><DisplayUnit name="mm" factor="1000"/></Unit>
 <Unit name="m/s"><BaseUnit m="1" s="-1"/></Unit>
 <Unit name="kg"><BaseUnit kg="1"/></Unit>
</UnitDefinitions>
<TypeDefinitions>
 <SimpleType name="Mass"><Real unit="kg" min="0"/></SimpleType>
 <SimpleType name="Mode"><Enumeration><Item name="slow" value="1"/><Item name="fast" value="5"/></Enumeration></SimpleType>
</TypeDefinitions>
<LogCategories><Category name="logEvents"/><Category name="logStatusError"/></LogCategories>
<DefaultExperiment startTime="0" stopTime="2" tolerance="1e-6" stepSize="0.5"/>
<VendorAnnotations><Tool name="a"><x/></Tool><Tool name="b"><x/></Tool></VendorAnnotations>
<ModelVariables>
 <ScalarVariable name="time" valueReference="0" causality="independent" variability="continuous"><Real/></ScalarVariable>
 <ScalarVariable name="m" valueReference="1" causality="parameter" variability="fixed">
  <Real declaredType="Mass" start="2"/></ScalarVariable>
 <ScalarVariable name="mode" valueReference="1" causality="parameter" variability="fixed">
  <Enumeration declaredType="Mode" start="5"/></ScalarVariable>
 <ScalarVariable name="u" valueReference="2" causality="input" canHandleMultipleSetPerTimeInstant="false">
  <Real start="0.1" nominal="2"/></ScalarVariable>
 <ScalarVariable name="x" valueReference="3" causality="output" initial="exact">
  <Real unit="m" displayUnit="mm" start="1" max="3" reinit="true"/></ScalarVariable>
 <ScalarVariable name="der(x)" valueReference="4"><Real unit="m/s" derivative="5"/></ScalarVariable>
 <ScalarVariable name="y" valueReference="3" causality="output"><Real unit="m"/></ScalarVariable>
 <ScalarVariable name="count" valueReference="2" causality="output" variability="discrete"><Integer/></ScalarVariable>
 <ScalarVariable name="half" valueReference="5" causality="calculatedParameter" variability="fixed"><Real/></ScalarVariable>
 <ScalarVariable name="k" valueReference="6" variability="constant"><Real start="7"/></ScalarVariable>
 <ScalarVariable name="text" valueReference="0" causality="parameter" variability="tunable"><String start=""/></ScalarVariable>
</ModelVariables>
<ModelStructure>
 <Outputs>
  <Unknown index="5" dependencies="5" dependenciesKind="constant"/>
  <Unknown index="7" dependencies="4 5"/>
  <Unknown index="8"/>
 </Outputs>
 <Derivatives><Unknown index="6" dependencies="1 4 5" dependenciesKind="dependent fixed tunable"/></Derivatives>
 <InitialUnknowns>
  <Unknown index="6" dependencies="2 4"/>
  <Unknown index="7" dependencies="5" dependenciesKind="constant"/>
  <Unknown index="8"/>
  <Unknown index="9" dependencies="2"/>
 </InitialUnknowns>
</ModelStructure>
</fmiModelDescription>
"""

FMI3 = """<?xml version="1.0" encoding="UTF-8"?>
<fmiModelDescription fmiVersion="3.0" modelName="Right" instantiationToken="{1}" variableNamingConvention="structured">
<ModelExchange modelIdentifier="Right"/>
<CoSimulation modelIdentifier="Right" hasEventMode="true" providesIntermediateUpdate="true" canReturnEarlyAfterIntermediateUpdate="true"
 fixedInternalStepSize="0.1"/>
<UnitDefinitions><Unit name="m"><BaseUnit m="1"/><DisplayUnit name="mm" factor="1000"/></Unit></UnitDefinitions>
<TypeDefinitions>
 <Float64Type name="Length" unit="m" min="-3"/>
 <EnumerationType name="Mode"><Item name="slow" value="1"/><Item name="fast" value="5"/></EnumerationType>
</TypeDefinitions>
<DefaultExperiment startTime="0" stopTime="2"/>
<ModelVariables>
 <Float64 name="time" valueReference="0" causality="independent" variability="continuous"/>
 <UInt64 name="n" valueReference="1" causality="structuralParameter" variability="fixed" start="2" max="3"/>
 <Float64 name="w" valueReference="2" causality="parameter" variability="fixed" start="1 2 3 4">
  <Dimension valueReference="1"/><Dimension start="2"/></Float64>
 <Float64 name="u" valueReference="3" causality="input" intermediateUpdate="true" start="0.5"/>
 <Float64 name="x" valueReference="4" initial="exact" declaredType="Length" start="1"><Alias name="position" displayUnit="mm"/></Float64>
 <Float64 name="der(x)" valueReference="5" derivative="4"/>
 <Float64 name="y" valueReference="6" causality="output"/>
 <Enumeration name="mode" valueReference="7" causality="parameter" declaredType="Mode" start="5"/>
 <Binary name="image" valueReference="8" causality="input" mimeType="image/png" maxSize="3"><Start value="0a0b0c"/></Binary>
 <String name="words" valueReference="9" causality="parameter"><Dimension start="2"/><Start value="a"/><Start value="b"/></String>
 <Clock name="tick" valueReference="10" causality="input" intervalVariability="constant" intervalDecimal="0.5" shiftDecimal="0.1"/>
 <Clock name="alarm" valueReference="11" causality="output" intervalVariability="triggered"/>
 <Int32 name="s" valueReference="12" causality="output" clocks="10" previous="13"/>
 <Int32 name="s_before" valueReference="13" clocks="10" initial="exact" start="4"/>
 <Float64 name="above" valueReference="14"/>
</ModelVariables>
<ModelStructure>
 <Output valueReference="6" dependencies="2 3 4" dependenciesKind="fixed constant dependent"/>
 <Output valueReference="11"/>
 <Output valueReference="12" dependencies="10 13"/>
 <ContinuousStateDerivative valueReference="5" dependencies="3"/>
 <ClockedState valueReference="12" dependencies="13"/>
 <InitialUnknown valueReference="5" dependencies="3 2" dependenciesKind="dependent constant"/>
 <InitialUnknown valueReference="6"/>
 <InitialUnknown valueReference="11"/>
 <EventIndicator valueReference="14" dependencies="4"/>
</ModelStructure>
</fmiModelDescription>
"""

TERMINALS = """<?xml version="1.0" encoding="UTF-8"?>
<fmiTerminalsAndIcons fmiVersion="3.0">
<GraphicalRepresentation><CoordinateSystem x1="-100" y1="-100" x2="100" y2="100" suggestedScalingFactorTo_mm="0.1"/>
 <Icon x1="-1" y1="-1" x2="1" y2="1"/></GraphicalRepresentation>
<Terminals><Terminal name="flange" matchingRule="plug">
 <TerminalMemberVariable variableName="u" memberName="force" variableKind="signal"/>
 <TerminalMemberVariable variableName="y" memberName="position" variableKind="signal"/>
 <TerminalGraphicalRepresentation x1="0" y1="0" x2="1" y2="1" iconBaseName="flange"/>
</Terminal></Terminals>
</fmiTerminalsAndIcons>
"""

BUILD = """<?xml version="1.0" encoding="UTF-8"?>
<fmiBuildDescription fmiVersion="3.0">
<BuildConfiguration modelIdentifier="Right">
 <SourceFileSet language="C99"><SourceFile name="all.c"/>
  <PreprocessorDefinition name="SPEED" value="1"><Option value="1"/><Option value="2"/></PreprocessorDefinition>
  <IncludeDirectory name="parts"/></SourceFileSet>
</BuildConfiguration>
<BuildConfiguration modelIdentifier="Right" platform="x86_64-linux">
 <SourceFileSet language="C99"><SourceFile name="all.c"/></SourceFileSet>
</BuildConfiguration>
</fmiBuildDescription>
"""

MANIFEST = """<?xml version="1.0" encoding="UTF-8"?>
<fmiLayeredStandardManifest xmlns="http://fmi-standard.org/fmi-ls-manifest" xmlns:fmi-ls="http://fmi-standard.org/fmi-ls-manifest"
 fmi-ls:fmi-ls-name="com.example.standard" fmi-ls:fmi-ls-version="1.0" fmi-ls:fmi-ls-description="an example"/>
"""


def elf_library(names, machine=62):
    """A 64-bit ELF file with nothing but these exported functions."""
    text = b"\0" + b"".join(name.encode() + b"\0" for name in names)
    symbols, at = bytes(24), 1
    for name in names:
        symbols += struct.pack("<IBBHQQ", at, 0x12, 0, 1, 0x1000, 1)
        at += len(name) + 1
    header = struct.pack(
        "<16sHHIQQQIHHHHHH", b"\x7fELF\x02\x01\x01", 3, machine, 1, 0, 0, 64 + len(text) + len(symbols), 0, 64, 0, 0, 64, 3, 0
    )
    sections = bytes(64)
    sections += struct.pack("<IIQQQQIIQQ", 0, 3, 0, 0, 64, len(text), 0, 0, 1, 0)
    sections += struct.pack("<IIQQQQIIQQ", 0, 11, 0, 0, 64 + len(text), len(symbols), 1, 0, 8, 24)
    return header + text + symbols + sections


def right_files(version, functions):
    """The files of an FMU that follows the standard.

    functions  those that its library exports
    """
    files = {
        "modelDescription.xml": FMI2 if version == "2" else FMI3,
        "binaries/linux64/Right.so" if version == "2" else "binaries/x86_64-linux/Right.so": elf_library(functions),
        "sources/all.c": '#include "model.c"\n',
        "sources/model.c": '#include "parts/part.h"\n',
        "sources/parts/part.h": "",
        "sources/buildDescription.xml": BUILD,
        "documentation/index.html": "<html></html>",
        "documentation/licenses/license.txt": "free",
        "terminalsAndIcons/terminalsAndIcons.xml": TERMINALS,
        "terminalsAndIcons/icon.png": "",
        "terminalsAndIcons/flange.png": "",
        "extra/com.example.standard/fmi-ls-manifest.xml": MANIFEST,
    }
    return {name: content if isinstance(content, bytes) else content.encode() for name, content in files.items()}


def write_fmu(path: Path, files):
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in files.items():
            archive.writestr(name, content)
    return path
