"""Results: the recorded States of a simulation."""

from collections.abc import Iterable, Iterator, Sequence
from copy import deepcopy
from itertools import groupby
from os import PathLike
from typing import TYPE_CHECKING, final

import numpy as np

from mobod.errors import InputError
from mobod.pages import ShownInNotebooks
from mobod.simulate.comparison import Comparison
from mobod.simulate.delays import delay_rows
from mobod.simulate.pickled import reduced
from mobod.simulate.run_record import RunRecord
from mobod.simulate.sampling import can_sample, sample
from mobod.simulate.table import Table
from mobod.system import CatalogueVariable, Stage, State, System
from mobod.system.readable import Readable

if TYPE_CHECKING:
    import pandas
    import xarray
    from matplotlib.axes import Axes


@final
class Results(ShownInNotebooks, Readable):
    """The States of a run at its report times. `results[name]` is the value of any variable over these times.

        results = mb.Simulation(system).run(state, until=1.0, report_every=0.01)
        angle = results["lower.q"]
        results.to_csv("run.csv", "lower.q", "energy")

    time         (m,)     s; occurs twice where a handler changed the State: before and after the change
    y            (m, ny)  all continuous variables, [q u z]
    events                an EventRecord for each call of a handler or reporter, in order, except handlers at the end of each step
    terminated_by         the name of the event that ended the run early, or None
    warnings              messages on anything that makes the results doubtful, with its time; each was also issued as a MobodWarning
    final_state           the State at the end
    backend, integrator   those that were used: 'interpreted, then compiled at 1.2 s' of a run that was compiled in the background
    steps, evaluations    of the integrator
    jammed_steps          fixed steps in which bodies have jammed, so that gaps of contacts were kept which the step closes; see warnings

    They can be pickled, and so be returned by another process. The System goes with them.
    """

    def __init__(self, system: System, state: State, run: RunRecord, *, backend: str, integrator: str):
        self.system = system
        self.final_state = state
        self.time = np.array(run.times)
        self.y = np.array(run.ys).reshape(len(run.times), state.layout.n_y)
        self.backend = backend
        self.integrator = integrator
        self.steps = run.steps
        self.evaluations = run.evaluations
        self.jammed_steps = run.jammed_steps
        self.events = tuple(run.events)
        self.terminated_by = run.terminated_by
        self.warnings = tuple(run.warnings)
        self._discrete = run.discrete
        self._pasts = run.pasts
        self._known: dict[str, np.ndarray] = {}

    def __deepcopy__(self, memo: dict[int, object]) -> "Results":
        memo[id(self)] = other = object.__new__(Results)
        vars(other).update(deepcopy(vars(self), memo))
        return other

    def __reduce__(self) -> tuple[object, ...]:
        return reduced(self, self.system)

    def _summary(self) -> str:
        end = "" if self.terminated_by is None else f", ended by '{self.terminated_by}'"
        span = f"{len(self.time)} points from {self.time[0]:.6g} s to {self.time[-1]:.6g} s{end}"
        return f"of System '{self.system.name}': {span}; {self.steps} steps of {self.integrator} ({self.backend})"

    def __getitem__(self, name: str) -> np.ndarray:
        """The values of a variable: (m,) for one number, (m, n) for n numbers (matrices by rows): 'lower.q', 'lower.p_GB', 'energy'.

        Of one of n numbers: 'lower.p_GB[2]', 'der(free.q[2])'.

        Raises UnknownNameError with the nearest name.
        """
        if name not in self._known:
            name = self.system.variable(self.final_state, name).name
            self._read([name])
        return self._known[name].copy()

    def _read(self, names: Iterable[str]) -> None:
        """Compute those of the named variables that are not known yet, all together."""
        named = {each.name: each for each in (self.system.variable(self.final_state, name) for name in names)}
        variables = [each for name, each in named.items() if name not in self._known]
        layout = self.final_state.layout
        columns = {}
        for variable in variables:
            if variable.role == "state":
                first = variable.slot.offset - layout.y.offset
                columns[variable.name] = self.y[:, first : first + variable.slot.size]
        computed = [variable for variable in variables if variable.name not in columns]
        if computed:
            columns |= _split(computed, self._computed(computed))
        self._known |= {each.name: columns[each.name][:, 0] if each.slot.size == 1 else columns[each.name] for each in variables}

    def _computed(self, variables: Sequence[CatalogueVariable]) -> np.ndarray:
        """(m, n) values of computed variables, one variable after the other."""
        state = self.final_state.copy()
        if delay_rows(self.system, state) or not can_sample(self.system, state):
            return self._realized(state, variables)
        values = self._sampled(state, variables)
        columns = _split(variables, values)
        doubtful = [each for each in variables if not np.isfinite(columns[each.name]).all()]
        if doubtful:  # raises an error that explains values that are not finite
            for name, exact in _split(doubtful, self._realized(state, doubtful)).items():
                columns[name][:] = exact
        return values

    def _sampled(self, state: State, variables: Sequence[CatalogueVariable]) -> np.ndarray:
        values, first = np.empty((len(self.time), sum(each.slot.size for each in variables))), 0
        for _, group in groupby(self._discrete, key=id):
            last = first + len(list(group))
            state.take(self._discrete[first])
            self.system.realize(state, Stage.INSTANCE)
            values[first:last] = sample(self.system, state, variables, self.time[first:last], self.y[first:last])
            first = last
        return values

    def _realized(self, state: State, variables: Sequence[CatalogueVariable]) -> np.ndarray:
        values = [self.system.value(each, variable).ravel() for each in self._moved(state) for variable in variables]
        return np.concatenate(values).reshape(len(self.time), -1)

    def states(self) -> Iterator[State]:
        """The States at the report times, in order: one State, which each step of the iteration changes. Realize it as far as needed."""
        return self._moved(self.final_state.copy())

    def _moved(self, state: State) -> Iterator[State]:
        last, delays = None, delay_rows(self.system, state)
        for time, y, discrete, pasts in zip(self.time, self.y, self._discrete, self._pasts, strict=True):
            if discrete is not last:
                state.take(last := discrete)
            for delay, past in zip(delays, pasts, strict=True):
                delay.history(state.values).replace(past)
            state.move_to(time, y)
            yield state

    @property
    def names(self) -> list[str]:
        """The names of all variables, for `results[name]`."""
        return [variable.name for variable in self.system.variables(self.final_state)]

    def event_times(self, name: str) -> np.ndarray:
        """(k,) s: the times at which the handler or reporter of this name was called."""
        self.system.events.event(name)
        return np.array([event.time for event in self.events if event.name == name])

    def __contains__(self, name: object) -> bool:
        try:
            return isinstance(name, str) and bool(self.system.variable(self.final_state, name))
        except InputError:  # also UnknownNameError
            return False

    def table(self, *names: str) -> Table:
        """A Table of the named variables; default: all states."""
        chosen = names or [variable.name for variable in self.system.variables(self.final_state) if variable.role == "state"]
        catalogue = {name: self.system.variable(self.final_state, name) for name in chosen}
        self._read(chosen)
        return Table(
            self.time,
            {name: self[name] for name in chosen},
            {name: catalogue[name].units[0] for name in chosen if len(set(catalogue[name].units)) == 1},
            components={name: catalogue[name].labels() for name in chosen if catalogue[name].slot.size != 1},
            descriptions={name: catalogue[name].description for name in chosen},
            parameters=[name for name in chosen if catalogue[name].role == "parameter"],
            terminated_by=self.terminated_by,
        )

    def table_like(self, table: Table) -> Table:
        """A Table of the variables that are also columns of another Table; there `p[1]` is an entry of `p`.

        Raises InputError, with the nearest name, if there is none.
        """
        known = [name for name in table if name in self]
        for name in () if known else table:
            self.system.variable(self.final_state, name)  # raises the error
        return self.table(*known)

    def to_csv(self, path: str | PathLike[str], *names: str) -> None:
        """Write time and the named variables as CSV; default: all states. Reading the file gives the same numbers, bit for bit."""
        self.table(*names).to_csv(path)

    def to_mat(self, path: str | PathLike[str], *names: str) -> None:
        """Write the named variables, by default all states, and all parameters as a .mat file, as Dymola and OpenModelica do."""
        chosen = names or tuple(self.table())
        parameters = [each.name for each in self.system.variables(self.final_state) if each.role == "parameter"]
        self.table(*dict.fromkeys([*chosen, *parameters])).to_mat(path)

    def to_hdf5(self, path: str | PathLike[str], *names: str) -> None:
        """Write time and the named variables as HDF5, with units and descriptions; default: all states. Needs h5py."""
        self.table(*names).to_hdf5(path)

    def to_dataframe(self, *names: str) -> "pandas.DataFrame":
        """The named variables, by default all states, as a DataFrame of pandas, with the time as its index."""
        return self.table(*names).to_dataframe()

    def to_xarray(self, *names: str) -> "xarray.Dataset":
        """The named variables, by default all states, as a Dataset of xarray, with units."""
        return self.table(*names).to_xarray()

    def compare(
        self,
        other: "Results | Table | str | PathLike[str]",
        tolerance: float = 1e-6,
        *,
        rtol: float | None = None,
        atol: float | None = None,
        names: Sequence[str] = (),
    ) -> Comparison:
        """Compare with other Results, a Table, or a .csv, .mat, .h5 or .hdf5 file. `if not comparison` means that they differ.

        tolerance  a difference is allowed up to atol + rtol |value of other|, where both are `tolerance` unless they are given
        names      of the variables to compare; default: those of the Table or file, of Results all states

        Raises InputError if there is nothing to compare; UnknownNameError.
        """
        if isinstance(other, Results):
            return self.table(*names).compare(other.table(*names), tolerance, rtol=rtol, atol=atol, names=names)
        if isinstance(other, (str, PathLike)):
            other = Table.from_file(other)
        return self.table_like(other).compare(other, tolerance, rtol=rtol, atol=atol, names=names)

    def plot(self, *names: str) -> "Axes":
        """Plot the named variables over time, with separate axes for each unit. Default: all coordinates, or all states if there are none.

        Returns the first Axes of Matplotlib. `.figure.axes` are all axes, and `.figure.savefig("run.png")` writes a file.
        """
        return self.table(*(names or self._coordinates())).plot()

    def animate(self, path: str | PathLike[str], *names: str, title: str | None = None, speed: float = 1.0) -> None:
        """Write a page of the run: 3-D, a play bar, and plots, in one HTML file that works offline. docs/concepts/view.md describes it.

        path   ends with .html; .png and .mp4 are a picture and a film of the page, by an installed Chromium and the extra `view`
        names  of the variables that are plotted at first; default: the coordinates
        title  default: the name of the System
        speed  of a film: seconds of the run in a second

        Raises UnknownNameError; InputError for a System without bodies; UnsupportedError; WriteError.
        """
        from mobod.viewer.run_page import animate  # late: see pyproject.toml

        animate(self, path, names, title, speed)

    def _coordinates(self) -> list[str]:
        q = self.final_state.layout.q
        states = [each for each in self.system.variables(self.final_state) if each.role == "state"]
        return [each.name for each in states if q.offset <= each.slot.offset < q.offset + q.size]


def _split(variables: Sequence[CatalogueVariable], values: np.ndarray) -> dict[str, np.ndarray]:
    """Views of the columns (m, k) of each variable."""
    ends = np.cumsum([variable.slot.size for variable in variables], dtype=int)
    return {variable.name: values[:, end - variable.slot.size : end] for variable, end in zip(variables, ends, strict=True)}
