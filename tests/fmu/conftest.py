"""Models for the tests of the exporter, written by hand in the form that recording a System gives."""

from dataclasses import dataclass, field
from functools import cache
from importlib.metadata import packages_distributions

import numpy as np
import pytest

import mobod as mb
from mobod.compilation.calls.dependencies import OffsetSets
from mobod.compilation.calls.operation_counts import OperationCounts, StepOperations
from mobod.cosim import FmuFile, Instance
from mobod.scalar.slot import Slot
from mobod.system.scales import SI, Scales
from mobod.system.stage import Stage
from mobod.system.state.layout import Layout
from mobod.system.variable import CatalogueVariable
from tests.fmu.users_elements import fragile_pendulum, pendulum_in_wind


@dataclass
class HandMadeModel:
    model_c: str
    variables: list[CatalogueVariable]
    start: np.ndarray
    y: Slot
    y_dot: Slot
    time: Slot
    dependencies: dict[int, set[int]]
    system: mb.System = field(default_factory=mb.System)  # without ports
    scales: Scales = SI
    layout: Layout | None = None  # nothing in it bends

    def source(self, wanted, n_inputs, *, with_adjoints) -> dict[str, str]:
        return {"model.c": self.model_c}

    def identity(self, wanted, n_inputs, *, with_adjoints) -> bytes:
        return self.model_c.encode()

    def step_operations(self, wanted) -> StepOperations:
        return StepOperations(OperationCounts(), OperationCounts(), 0, self.y.size)

    def set_by_model(self) -> set[int]:
        return set()

    def event_indicators(self) -> list[str]:
        return []

    def states_that_jump(self) -> frozenset[int]:
        return frozenset()

    def independent_states(self) -> frozenset[int]:
        return frozenset()

    def depends_on(self, offsets) -> OffsetSets:
        free = [v.slot.offsets for v in self.variables if v.role in ("state", "parameter", "input")]
        independent = sorted({0}.union(*free, *self.dependencies.values()))
        bit = {offset: 1 << i for i, offset in enumerate(independent)}
        found = {offset: self.dependencies.get(offset, {offset}) for offset in offsets}
        return OffsetSets(independent, {offset: sum(bit[source] for source in sources) for offset, sources in found.items()})

    depends_on_at_start = depends_on  # it has no constraints


def variable(name, slot, role, units, stage=Stage.MODEL, **more):
    return CatalogueVariable(name=name, slot=slot, stage=stage, role=role, units=units, description=f"what {name} is", **more)


@pytest.fixture(scope="session", autouse=True)
def packages_searched_once():
    """Searches packages once. Otherwise each loaded Python FMU adds a folder to sys.path, and the next export searches again."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("mobod.fmu.python.system_pickle.packages_distributions", cache(packages_distributions))
        yield


@pytest.fixture(autouse=True)
def undated(monkeypatch):
    """FMUs contain no date from the environment."""
    monkeypatch.delenv("SOURCE_DATE_EPOCH", raising=False)


# A mass on a spring with a damper, pushed by a motor that turns its force on with time:
#     m u' = F - k q - c u,  q' = u
OSCILLATOR_C = """
#include "model.h"

#include <stddef.h>

enum { TIME, Q, U, MASS, STIFFNESS, DAMPING, FORCE, DISABLED, Q_DOT, U_DOT, ENERGY, P, N = P + 3, Q_START = N, SETTINGS = N + 4,
       N_W = SETTINGS + N_NUMERICS + NUMBERS_OF_INPUT };

static int position(const void *context, Call *call, const int *at)
{
    double *w = call->w;
    (void)context;
    double q = w[at[0]];
    w[at[1]] = q;
    w[at[1] + 1] = 0;
    w[at[1] + 2] = -q;
    return 0;
}

static int rate(const void *context, Call *call, const int *at)
{
    double *w = call->w;
    (void)context;
    w[at[1]] = w[at[0]];
    return 0;
}

static int acceleration(const void *context, Call *call, const int *at)
{
    double *w = call->w;
    (void)context;
    double stiffness = w[at[5]] != 0 ? 0 : w[at[3]];
    w[at[7]] = (w[at[6]] - stiffness * w[at[0]] - w[at[4]] * w[at[1]]) / w[at[2]];
    return 0;
}

static int energy(const void *context, Call *call, const int *at)
{
    double *w = call->w;
    (void)context;
    w[at[5]] = 0.5 * w[at[2]] * w[at[1]] * w[at[1]] + (w[at[4]] != 0 ? 0 : 0.5 * w[at[3]] * w[at[0]] * w[at[0]]);
    return 0;
}

static const Kernel kernels[] = {{position, NULL}, {rate, NULL}, {acceleration, NULL}, {energy, NULL}};

static const int zero = 0;
static const int kernel_1 = 1, kernel_2 = 2, kernel_3 = 3;
static const int at_position[] = {Q, P};
static const int at_rate[] = {U, Q_DOT};
static const int at_acceleration[] = {Q, U, MASS, STIFFNESS, DAMPING, DISABLED, FORCE, U_DOT};
static const int at_energy[] = {Q, U, MASS, STIFFNESS, DISABLED, ENERGY};

static const Sweep to_position = {0, NULL, 1, &zero, &zero, at_position, NULL};
static const Sweep to_velocity = {0, NULL, 1, &kernel_1, &zero, at_rate, NULL};
static const Sweep to_acceleration = {0, NULL, 1, &kernel_2, &zero, at_acceleration, NULL};
static const Sweep to_report = {0, NULL, 1, &kernel_3, &zero, at_energy, NULL};
static const Sweep *const sweeps[N_STAGES] = {
    [STAGE_POSITION] = &to_position,
    [STAGE_VELOCITY] = &to_velocity,
    [STAGE_ACCELERATION] = &to_acceleration,
    [STAGE_REPORT] = &to_report,
};

static const double start[N_W] = {
    [Q] = 0.3, [U] = -0.7, [MASS] = 1.7, [STIFFNESS] = 21.5, [DAMPING] = 0.9, [FORCE] = 2.6, [Q_START] = 0.3, [Q_START + 1] = -0.7,
};
static const char *const y_names[] = {"block.q", "block.u"};
static const char *const y_units[] = {"m", "m/s"};

static const SavedRange saved_ranges[] = {
    {TIME, Q_DOT, REAL_NUMBER, -1e300, 1e300}, {Q_START, 2, REAL_NUMBER, -1e300, 1e300},
    {Q_START + 2, 2, WHOLE_NUMBER, 0, 1}, {SETTINGS, N_NUMERICS, REAL_NUMBER, 0, 1e6},
};
static const SavedTable saved = {4, saved_ranges};

static const int all_of_w[] = {0, N_W};

const Model mobod_model = {
    "oscillator", N_W, 1, all_of_w, Q_DOT, 1, 1, 0, TIME, Q, Q_DOT, STAGE_VELOCITY, Q_START, N_W, start, y_names, y_units, 0, NULL, 4,
    kernels, .sweeps = sweeps, .saved = &saved,
};
"""


@pytest.fixture
def oscillator():
    TIME, Q, U, MASS, STIFFNESS, DAMPING, FORCE, DISABLED, Q_DOT, U_DOT, ENERGY, P = range(12)
    start = np.zeros(14)
    start[[Q, U, MASS, STIFFNESS, DAMPING, FORCE]] = 0.3, -0.7, 1.7, 21.5, 0.9, 2.6
    return HandMadeModel(
        model_c=OSCILLATOR_C,
        variables=[
            variable("block.q", Slot(Q, (1,)), "state", ("m",), invalidates=Stage.POSITION),
            variable("block.u", Slot(U, (1,)), "state", ("m/s",), invalidates=Stage.VELOCITY),
            variable("der(block.q)", Slot(Q_DOT, (1,)), "derivative", ("m/s",), Stage.VELOCITY),
            variable("der(block.u)", Slot(U_DOT, (1,)), "derivative", ("m/s2",), Stage.ACCELERATION),
            variable("block.mass", Slot(MASS, ()), "parameter", ("kg",), invalidates=Stage.INSTANCE, minimum=0.0),
            variable("spring.stiffness", Slot(STIFFNESS, ()), "parameter", ("N/m",), invalidates=Stage.DYNAMICS, minimum=0.0, maximum=1e6),
            variable("damper.damping", Slot(DAMPING, ()), "parameter", ("N.s/m",), invalidates=Stage.DYNAMICS),
            variable("spring.disabled", Slot(DISABLED, ()), "parameter", ("1",), invalidates=Stage.INSTANCE, type="boolean"),
            variable("motor.force", Slot(FORCE, (1,)), "input", ("N",), invalidates=Stage.DYNAMICS),
            variable("energy", Slot(ENERGY, ()), "output", ("J",), Stage.REPORT),
            variable("block.p_GB", Slot(P, (3,)), "output", ("m",), Stage.POSITION),
        ],
        start=start,
        y=Slot(Q, (2,)),
        y_dot=Slot(Q_DOT, (2,)),
        time=Slot(TIME, ()),
        dependencies={
            Q_DOT: {U},
            U_DOT: {Q, U, MASS, STIFFNESS, DAMPING, DISABLED, FORCE},
            ENERGY: {Q, U, MASS, STIFFNESS, DISABLED},
            P: {Q},
            P + 1: set(),
            P + 2: {Q},
        },
    )


@pytest.fixture
def free_body():
    """A model as tables only, without C: a quaternion and a spin, in a wind of three components that changes with time."""
    TIME, Q, U, WIND, SEAL, Q_DOT, U_DOT, POWER, R = 0, 1, 5, 8, 11, 12, 16, 19, 20
    start = np.linspace(-0.4, 0.6, 29)
    start[TIME], start[SEAL] = 2.5, 1.0
    q, u, wind = set(range(Q, Q + 4)), set(range(U, U + 3)), set(range(WIND, WIND + 3))
    return HandMadeModel(
        model_c="/* none */",
        variables=[
            variable("upper arm.q", Slot(Q, (4,)), "state", ("1",), invalidates=Stage.POSITION),
            variable("upper arm.u", Slot(U, (3,)), "state", ("rad/s",), invalidates=Stage.VELOCITY),
            variable("der(upper arm.q)", Slot(Q_DOT, (4,)), "derivative", ("1/s",), Stage.VELOCITY),
            variable("der(upper arm.u)", Slot(U_DOT, (3,)), "derivative", ("rad/s2",), Stage.ACCELERATION),
            variable("wind.force", Slot(WIND, (3,)), "input", ("N", "N", "N"), invalidates=Stage.DYNAMICS),
            variable("seal.holds", Slot(SEAL, ()), "parameter", ("1",), invalidates=Stage.INSTANCE, type="boolean"),
            variable("wind.power", Slot(POWER, ()), "output", ("W",), Stage.REPORT),
            variable("upper arm.R_GB", Slot(R, (3, 3)), "output", ("1",), Stage.POSITION),
        ],
        start=start,
        y=Slot(Q, (7,)),
        y_dot=Slot(Q_DOT, (7,)),
        time=Slot(TIME, ()),
        dependencies={
            **{Q_DOT + i: q | u for i in range(4)},
            **{U_DOT + i: q | u | wind | {SEAL} for i in range(3)},
            POWER: {TIME, U + 1} | wind,
            **{R + i: q for i in range(9)},
        },
    )


@pytest.fixture(scope="session")
def wind(tmp_path_factory):
    """A Python FMU with a force that cannot be recorded."""
    system, state = pendulum_in_wind()
    path = tmp_path_factory.mktemp("wind") / "wind.fmu"
    outputs = ["upper.q", "lower.q", "lower.p_GB", "energy"]
    return mb.export_fmu(system, path, kind="python", inputs=["motor.force"], outputs=outputs, state=state)


@pytest.fixture(scope="session")
def fragile(tmp_path_factory):
    """A Python FMU with a force that fails from 0.35 s on."""
    system, state = fragile_pendulum()
    path = tmp_path_factory.mktemp("fragile") / "fragile.fmu"
    return mb.export_fmu(system, path, kind="python", outputs=["lower.q"], state=state)


@pytest.fixture
def start(tmp_path, monkeypatch):
    """Starts instances of FMUs; all are closed at the end."""
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    instances = []

    def made(fmu, values=None, stop=None):
        instances.append(Instance(FmuFile(fmu), f"instance {len(instances)}"))
        instances[-1].set_up(0.0, stop, 1e-8)
        instances[-1].set(values or {})
        instances[-1].enter_initialization()
        instances[-1].exit_initialization()
        return instances[-1]

    yield made
    for instance in instances:
        instance.close()
