"""FMUs to run together, made by pythonfmu from the scripts in slaves/, and ways to change what their descriptions say."""

import shutil
import zipfile
from collections.abc import Callable
from pathlib import Path

import pytest
from pythonfmu.builder import FmuBuilder

SLAVES = Path(__file__).parent / "slaves"


@pytest.fixture(scope="session")
def fmus(tmp_path_factory) -> dict[str, Path]:
    """The path of each FMU by the name of its script: spring_mass, gain, pd_controller, failing, all_types."""
    folder = tmp_path_factory.mktemp("fmus")
    built = {}
    for script in sorted(SLAVES.glob("*.py")):
        # one Python runs all Python FMUs, so their modules need names that nothing else has
        module = shutil.copy(script, folder / f"mobod_test_slave_{script.stem}.py")
        built[script.stem] = Path(FmuBuilder.build_FMU(module, dest=folder / f"{script.stem}.fmu"))
    return built


@pytest.fixture
def described(tmp_path) -> Callable[..., Path]:
    """A copy of an FMU whose modelDescription.xml has each `old` text replaced by `new`."""

    def copy(fmu: Path, *replacements: tuple[str, str], name: str | None = None) -> Path:
        changed = tmp_path / (name or fmu.name)
        with zipfile.ZipFile(fmu) as source, zipfile.ZipFile(changed, "w") as target:
            for entry in source.infolist():
                content = source.read(entry)
                if entry.filename == "modelDescription.xml":
                    text = content.decode()
                    for old, new in replacements:
                        assert old in text, f"{old!r} is not in the description of {fmu.name}"
                        text = text.replace(old, new)
                    content = text.encode()
                target.writestr(entry, content)
        return changed

    return copy
