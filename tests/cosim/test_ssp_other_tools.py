"""An SSP of mobod in libcosim, Ecos, FMPy and pyssp_standard."""

import zipfile

import pytest
from numpy.testing import assert_allclose

from mobod.cosim import Master, Network
from tests.cosim.other_masters import import_ecos
from tests.cosim.ssp_files import controlled_pendulum

STEP = 1e-3  # s
STEPS = 200
OUTPUTS = ["pendulum.arm.q", "pendulum.arm.u", "controller.arm.q", "controller.arm.u"]


@pytest.fixture(scope="module")
def path(tmp_path_factory):
    folder = tmp_path_factory.mktemp("ssp")
    return controlled_pendulum(folder, STEP).to_ssp(folder / "pendulum.ssp", stop=0.2, code="interpreted")


@pytest.fixture(scope="module")
def expected(path):
    """Values of outputs at the end, as masters have them that read outputs after steps."""
    run = Master(Network.from_ssp(path), step=STEP, feedthrough="delayed").run(until=STEPS * STEP)
    return {name: run[name][-1] for name in OUTPUTS}


@pytest.mark.slow
def test_libcosim_has_the_same_numbers(path, expected, tmp_path):
    pytest.importorskip("libcosimpy")
    from libcosimpy.CosimExecution import CosimExecution
    from libcosimpy.CosimLogging import CosimLogLevel, log_output_level
    from libcosimpy.CosimObserver import CosimObserver

    log_output_level(CosimLogLevel.WARNING)
    with zipfile.ZipFile(path) as archive:  # it takes the folder
        archive.extractall(tmp_path / "system")
    execution = CosimExecution.from_ssp_file(ssp_path=str(tmp_path / "system"), step_size=round(STEP * 1e9))
    observer = CosimObserver.create_last_value()
    execution.add_observer(observer)
    execution.step(step_count=STEPS)
    found = {}
    for slave in ("pendulum", "controller"):
        index = execution.slave_index_from_instance_name(slave)
        references = {each.name.decode(): each.reference for each in execution.slave_variables(index)}
        names = [name for name in OUTPUTS if name.startswith(slave)]
        values = observer.last_real_values(index, [references[name.partition(".")[2]] for name in names])
        found.update(zip(names, values, strict=True))
    # the same FMUs with the same inputs; libcosim adds the conversion in another order
    assert_allclose([found[name] for name in OUTPUTS], list(expected.values()), rtol=0, atol=1e-13)


def test_ecos_has_the_same_numbers(path, expected):
    try:
        ecos = import_ecos()
    except ImportError as missing:
        pytest.skip(f"Ecos cannot be used here: {missing}")
    with ecos.EcosSimulation(ssp_path=str(path), step_size=STEP) as simulation:
        simulation.init(parameter_set="initialValues")
        simulation.step(STEPS)
        found = [simulation.get_real(name.replace(".", "::", 1)) for name in OUTPUTS]
    assert_allclose(found, list(expected.values()), rtol=0, atol=1e-13)


def test_fmpy_reads_and_validates_it(path):
    from fmpy.ssp.ssd import read_ssd

    structure = read_ssd(str(path))
    assert [each.name for each in structure.system.elements] == ["pendulum", "controller", "noise"]
    assert len(structure.system.connections) == 5


@pytest.mark.slow
def test_pyssp_standard_reads_it(path):
    pyssp_standard = pytest.importorskip("pyssp_standard.ssp")
    with pyssp_standard.SSP(path, mode="r") as ssp, ssp.system_structure as structure:
        listed = structure.system
        assert [each.name for each in listed.elements] == ["pendulum", "controller", "noise"]
        assert len(listed.connections) == 5
