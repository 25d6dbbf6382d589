"""CustomForce: a user's force, as NumPy text that is recorded."""

from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping
from typing import Any, final

import numpy as np

from mobod.errors import InputError
from mobod.forces.custom_force_subsystem import is_something
from mobod.forces.force import Force
from mobod.forces.gravity import where_enabled
from mobod.forces.unrecorded_force import UnrecordedForce, UnrecordedSum
from mobod.matter.dynamics.tree import Tree
from mobod.matter.tree.tree_body import TreeBody
from mobod.scalar import Array, Scalar, Slot, Sweep, where
from mobod.spatial import shift_force
from mobod.system import CacheEntry, Continuous, CustomElement, DiscreteVariable, Layout, Stage, State
from mobod.system.elements import argument
from mobod.system.state.handles import Prerequisite
from mobod.system.state.reading import Reader
from mobod.system.state.recorded_state import RecordedState, plain_numbers, slots_read


class CustomForce(CustomElement, Force, ABC):
    """Subclass it, declare its arguments and parameters as fields, and write `calc_force`; the potential energy if there is one.

        class Drag(mb.CustomForce):
            body: mb.MobilizedBody = mb.argument("the body that is slowed")
            drag: mb.Parameter[float] = mb.parameter("N.s/m", "force for a unit of speed", least=0.0)

            def calc_force(self, state, body_forces, mobility_forces):
                body_forces[self.body.index, 3:] -= self.drag(state) * self.body.V_GB(state)[3:]

    Each method is a pure function of what it reads of `state`: poses, velocities and stations of bodies, q, u, time, and this force's
    parameters. It is recorded once, so a decision by value is `where(condition, a, b)` of mobod.scalar, not `if`. It
    runs compiled like a built-in, in an FMU too, where the parameters are tunable.

    recordable  False in a subclass whose code cannot be recorded, since it calls what knows only numbers: a table in C, a network, a
                file. It then runs as plain Python, with floats, between what is compiled. Such a System has no derivatives and no native
                code; its FMU is export_fmu(..., kind='python'). An error that its code raises becomes an ElementError.
    depends_only_on_positions
                True in a subclass whose force and energy depend on time, poses and its own variables alone, not on speeds or z: then they
                are computed when they are first asked for, and kept until one of these changes
    defaults    value in a new State of each parameter that the tuple `parameters` lists, the older way to declare them (ForceParameter)

    It may have hooks for the stages, with variables and computed values of its own: see CustomElement.
    """

    recordable = True
    depends_only_on_positions = False

    defaults: Mapping[str, Any] | None = argument("of what `parameters` lists", default=None, kw_only=False, is_kept=False)

    def __post_init__(self) -> None:
        given = dict(self.given["defaults"] or {})
        known = [each.name for each in type(self).parameters]
        if sorted(given) != sorted(known):
            raise InputError(f"{type(self).__name__}: its parameters are {known}, but defaults are given for {sorted(given)}.")
        self.given |= given
        self._evaluations = 0
        self._own: list[DiscreteVariable] = []
        super().__post_init__()
        self._start_hooks(self.forces.system, "force")

    def model_arguments(self) -> Mapping[str, Any] | None:
        """See Element; None for a class with `parameters` that are no fields, unless it says what it was made of."""
        return None if type(self).parameters else super().model_arguments()

    @abstractmethod
    def calc_force(self, state: State, body_forces: Array, mobility_forces: Array) -> None:
        """Add to the forces, by `+=`; from VELOCITY on.

        body_forces      (n_bodies, 6)  N m, N  about the bodies' origins, in Ground; Ground first
        mobility_forces  (nu,)                  generalized forces
        """

    def calc_potential_energy(self, state: State) -> Scalar:
        """J, from POSITION on; 0 if it is not written."""
        return 0.0

    def calc_power_dissipation(self, state: State) -> Scalar:
        """W, the power that it turns into heat, from VELOCITY on; 0 if it is not written."""
        return 0.0

    @final
    @property
    def num_evaluations(self) -> int:
        """How often force and energy were computed since the element was made, if they depend on positions only."""
        return self._evaluations

    # for ForceSubsystem
    @final
    def allocate(self, state: State) -> None:
        """Allocate its variables and computed values, at TOPOLOGY."""
        super().allocate(state)
        own = self._hooks.index if self._hooks is not None else None
        self._own = [each for each in state.discrete_variables if each.subsystem == own]
        if self.depends_only_on_positions:
            n, nu = self.matter.n_bodies, sum(body.nu for body in self.matter.bodies)
            self._entries["energy"] = state.allocate_cache_entry(self.forces, f"{self.name}.energy", Stage.POSITION, shape=())
            self._entries["forces"] = state.allocate_cache_entry(
                self.forces,
                f"{self.name}.forces",
                Stage.POSITION,
                shape=(6 * n + nu,),
                prerequisites=[handle for handle in self.handles if handle is not self._handles["enabled"]],
            )

    @property
    def handles(self) -> list[DiscreteVariable]:
        """Its discrete variables, once they are allocated."""
        return [*super().handles, *self._own]

    @property
    def variable_names(self) -> list[str]:
        """The last parts of the names of its variables, which parameters and variables of your own cannot have."""
        return ["enabled", *(parameter.name for parameter in self.parameters)]

    @property
    def prerequisites(self) -> list[Prerequisite]:
        """What its energy and its dissipation depend on beside the motion, once allocated."""
        return [*self.handles, *([] if self._hooks is None else [Continuous.Z])]

    @property
    def lazy_entries(self) -> list[CacheEntry]:
        """The lazy values that its rows read."""
        return [self._cache("forces")] if self.depends_only_on_positions else []

    @final
    def tabulate(self, layout: Layout, tree: Tree) -> None:
        """The lazy sweep: where only positions matter, what it applies, about the origins of M, and its energy."""
        if not self.depends_only_on_positions:
            return
        on_bodies, on_mobilities, energy = self._kept(layout)
        sweep = layout.lazy_sweeps[self._cache("forces")] = Sweep(self.name, clears=[energy, on_bodies, on_mobilities])
        layout.begins[self._cache("forces")] = self._begin
        self._write_forces(sweep, tree, layout, on_bodies, on_mobilities)
        self._write_sum(sweep, self.calc_potential_energy, CustomForce.calc_potential_energy, layout, Stage.POSITION, energy)

    @final
    def write_forces(self, sweep: Sweep, tree: Tree, layout: Layout) -> None:
        """Add the rows that add this force to the sums of body forces and generalized forces."""
        s = tree.slots
        if not self.depends_only_on_positions:
            self._write_forces(sweep, tree, layout, s.body_forces, s.mobility_forces)
            return
        on_bodies, on_mobilities, _ = self._kept(layout)
        enabled, calls = self._slot(layout, "enabled"), layout.lazy_sweeps[self._cache("forces")].calls
        written = {offset for call in calls for slot in call.outputs for offset in range(slot.offset, slot.offset + slot.size)}
        parts = [(on_bodies[b], s.body_forces[b]) for b in range(self.matter.n_bodies)]
        parts += [(tree.speeds(on_mobilities, body), tree.speeds(s.mobility_forces, body)) for body in tree.bodies if body.nu]
        for kept, total in parts:
            if kept.offset in written:
                sweep.add(where_enabled, [enabled, kept], [total], adds=(0,))

    @final
    def write_potential_energy(self, sweep: Sweep, tree: Tree, layout: Layout, total: Slot) -> None:
        """Add the rows that add its potential energy to `total`, J."""
        if self.depends_only_on_positions:
            sweep.add(where_enabled, [self._slot(layout, "enabled"), self._kept(layout)[2]], [total], adds=(0,))
        else:
            self._write_sum(sweep, self.calc_potential_energy, CustomForce.calc_potential_energy, layout, Stage.POSITION, total)

    @final
    def write_power_dissipation(self, sweep: Sweep, tree: Tree, layout: Layout, total: Slot) -> None:
        """Add the rows that add the power that it dissipates to `total`, W."""
        self._write_sum(sweep, self.calc_power_dissipation, CustomForce.calc_power_dissipation, layout, Stage.VELOCITY, total)

    # inside
    def _kept(self, layout: Layout) -> tuple[Slot, Slot, Slot]:
        """Of what is kept where only positions matter: body forces (n_bodies, 6), mobility forces (nu,), energy."""
        whole, n = layout.slots[self._cache("forces")], self.matter.n_bodies
        on_mobilities = Slot(whole.offset + 6 * n, (whole.size - 6 * n,))
        return Slot(whole.offset, (n, 6)), on_mobilities, layout.slots[self._cache("energy")]

    def _begin(self, values: np.ndarray) -> bool:
        """Before the lazy sweep."""
        self._evaluations += 1
        return True

    def _write_forces(self, sweep: Sweep, tree: Tree, layout: Layout, on_bodies: Slot, on_mobilities: Slot) -> None:
        """Add the calls that add to these."""
        at_positions = self.depends_only_on_positions
        reader = self._reader("calc_force", *((Stage.POSITION, Stage.POSITION) if at_positions else (Stage.VELOCITY, Stage.DYNAMICS)))
        if not self.recordable:
            sweep.calls.append(UnrecordedForce(self, tree, layout, reader, on_bodies, on_mobilities))
            return
        bodies: list[int] = []
        mobilities: list[TreeBody] = []

        def probe(state: RecordedState) -> None:
            F, f = self._forces(state, tree)
            bodies.extend(b for b in range(len(F)) if is_something(F[b]))
            mobilities.extend(body for body in tree.bodies if is_something(_part(f, tree, body)))

        slots = slots_read(probe, self.forces.system, layout, reader)

        def forces(state: RecordedState, *r: Array) -> tuple[Array, ...]:
            F, f = self._forces(state, tree)
            # from the body's origin to that of its frame M; r is p_MB
            return (*(shift_force(F[b], -r_b) for b, r_b in zip(bodies, r, strict=True)), *(_part(f, tree, body) for body in mobilities))

        if bodies or mobilities:
            outputs = [*(on_bodies[b] for b in bodies), *(tree.speeds(on_mobilities, body) for body in mobilities)]
            self._add(sweep, forces, slots, outputs, layout, reader, [tree.slots.r[b] for b in bodies])

    def _write_sum(self, sweep: Sweep, method: Any, inherited: Callable[..., Scalar], layout: Layout, stage: Stage, total: Slot) -> None:
        if method.__func__ is inherited:
            return
        reader = self._reader(method.__name__, stage, stage)
        if not self.recordable:
            sweep.calls.append(UnrecordedSum(self, method, reader, total, layout))
        else:
            self._add(sweep, method, slots_read(method, self.forces.system, layout, reader), [total], layout, reader, [])

    def _add(
        self,
        sweep: Sweep,
        function: Callable[..., object],
        slots: list[Slot],
        outputs: list[Slot],
        layout: Layout,
        reader: Reader,
        more: list[Slot],
    ) -> None:
        evaluation = _ForceEvaluation(self, function, slots, layout, reader)
        sweep.add(
            evaluate_custom_force,
            [self._slot(layout, "enabled"), *slots, *more],
            outputs,
            structure=(type(self).__name__, evaluation),
            adds=range(len(outputs)),
        )

    def _forces(self, state: RecordedState, tree: Tree) -> tuple[np.ndarray, np.ndarray]:
        F, f = np.zeros((1 + len(tree.bodies), 6), dtype=object), np.zeros(tree.all_u.size, dtype=object)
        F[...], f[...] = 0.0, 0.0
        calc_force: Callable[..., object] = self.calc_force
        self.check_returned(calc_force(state, F, f))
        return F, f

    @final
    def check_returned(self, given: object) -> None:
        """What calc_force returns would be lost."""
        if given is not None:
            raise InputError(
                f"{self.about('calc_force')}: it returns something. Add forces to what it is handed: body_forces[body.index, 3:] += force"
            )

    def about(self, method: str) -> str:
        """A method of it, for messages."""
        return f"{method} of force '{self.name}' ({type(self).__name__})"

    def _reader(self, method: str, stage: Stage, variables: Stage) -> Reader:
        """What a method may read: the variables of the forces of its subsystem too, since energies are lost when these change."""
        allowed = [each for force in self.forces.elements for each in force.prerequisites]
        if self.depends_only_on_positions and stage == Stage.POSITION:
            allowed = list(self.handles)
        return Reader(about=self.about(method), stage=stage, variables=variables, prerequisites=frozenset(allowed))


class _ForceEvaluation:
    """What a row of a custom force calls, and where its arguments lie."""

    def __init__(self, force: CustomForce, function: Callable[..., object], slots: list[Slot], layout: Layout, reader: Reader):
        self.force, self.function, self.slots, self.layout, self.reader = force, function, slots, layout, reader

    def __call__(self, *arrays: Array) -> Any:
        read, more = dict(zip(self.slots, arrays, strict=False)), arrays[len(self.slots) :]
        return self.function(RecordedState(self.force.forces.system, self.layout, self.reader, read), *more)


def evaluate_custom_force(name: str, evaluation: _ForceEvaluation, enabled: Scalar, *arrays: Array) -> Array | tuple[Array, ...]:
    """What it gives, or 0 where the force is disabled."""
    results = evaluation(*arrays)
    if isinstance(results, tuple):
        return tuple(where(enabled, plain_numbers(result), 0.0) for result in results)
    return where(enabled, plain_numbers(results), 0.0)


def _part(f: np.ndarray, tree: Tree, body: TreeBody) -> np.ndarray:
    return f[tree.u_entries(body)]
