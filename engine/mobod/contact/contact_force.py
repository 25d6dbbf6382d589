"""ContactForce: a force between two shapes, of each feature that overlaps."""

from abc import ABC
from typing import Any, ClassVar

import numpy as np

from mobod.contact.laws import ContactLaw
from mobod.contact.seen_features import SeenRow, compliant_features, names_of_features
from mobod.errors import InputError
from mobod.forces.force import Force
from mobod.forces.two_point.stations import BodyPair
from mobod.matter import Ground, MobilizedBody
from mobod.scalar.slot import Slot
from mobod.spatial import Transform
from mobod.system import CatalogueVariable, Layout, Numbers, Stage, State
from mobod.system.elements import checked_frame

PlacedShapes = tuple[tuple[MobilizedBody | Ground, Transform, Any], tuple[MobilizedBody | Ground, Transform, Any]]
"""(body, frame on it, shape) of both surfaces."""


class ContactForce(Force, ABC):
    """A force of each feature that touches: normal force and friction, equal and opposite."""

    _at_position: ClassVar[tuple[str, ...]] = ("distance", "normal", "arm1", "arm2")
    _results: ClassVar[dict[str, tuple[tuple[int, ...], str, str]]] = {  # shape of each feature, unit, description
        "normal_force": ((), "N", "normal forces"),
        "friction_force": ((3,), "N", "friction on body 2"),
        "slip_speed": ((), "m/s", "speeds of slip"),
        "contact_point": ((3,), "m", "points of contact in Ground"),
        "power_dissipation": ((), "W", "dissipated power"),
    }

    @property
    def _shown(self) -> dict[str, tuple[tuple[int, ...], str, str]]:
        """_results, and moments if the law has them."""
        moments = {"friction_moment": ((3,), "N.m", "moments of friction on body 2")} if self.law.has_moments else {}
        return self._results | moments

    def _place(self, body1: object, X_B1S1: Transform | None, body2: object, X_B2S2: Transform | None) -> None:
        """Check and keep the bodies, and the frames of the shapes on them."""
        what = type(self).__name__
        self._bodies = BodyPair.checked(self.forces, body1, body2, what)
        check_not_welded(self._bodies, what)
        self._frames = tuple(
            Transform() if X is None else checked_frame(X, f"{what}: {name}") for X, name in ((X_B1S1, "X_B1S1"), (X_B2S2, "X_B2S2"))
        )

    def _complete(
        self,
        *,
        pair: tuple[Any, Any],
        law: ContactLaw,
        law_numbers: tuple[str, ...],
        feature_names: tuple[str, ...],
        numbers_of_shapes: dict[str, np.ndarray],
    ) -> None:
        """The end of a subclass's `__post_init__`.

        pair               both shapes
        law                what forces follow from the depth and the slip
        law_numbers        the names of the parameters that the law takes, in order
        feature_names      of the features of the shapes that may touch, each for itself
        numbers_of_shapes  what rows read of the shapes, by name
        """
        self.pair, self.law, self.law_numbers = pair, law, law_numbers
        self.feature_names, self.numbers_of_shapes = feature_names, numbers_of_shapes
        if self.law.has_bristles:
            self.z_starts = (0.0,) * (3 * self.n_features)
        super().__post_init__()

    @property
    def n_features(self) -> int:
        """The number of features of the pair of shapes, such as the corners of a box."""
        return len(self.feature_names)

    def placed_shapes(self, state: State) -> PlacedShapes:
        """For each body (body, Transform X_BS, shape)."""
        return (self._bodies.body1, self._frames[0], self.pair[0]), (self._bodies.body2, self._frames[1], self.pair[1])

    def distance(self, state: State) -> np.ndarray:
        """(n_features,) m, negative where the shapes overlap; from POSITION on."""
        return self._computed(state, "distance")

    def normal_force(self, state: State) -> np.ndarray:
        """(n_features,) N, at least 0, which pushes the bodies apart; from DYNAMICS on."""
        return self._computed(state, "normal_force")

    def friction_force(self, state: State) -> np.ndarray:
        """(n_features, 3) N, on body 2 in Ground; from DYNAMICS on."""
        return self._computed(state, "friction_force")

    def slip_speed(self, state: State) -> np.ndarray:
        """(n_features,) m/s, tangential speed of the bodies against each other at each point; from DYNAMICS on."""
        return self._computed(state, "slip_speed")

    def contact_point(self, state: State) -> np.ndarray:
        """(n_features, 3) m, in Ground: where the forces act; from DYNAMICS on. Of features that do not touch, between the shapes."""
        return self._computed(state, "contact_point")

    def power_dissipation(self, state: State) -> np.ndarray:
        """(n_features,) W, the power that each feature turns into heat; from DYNAMICS on."""
        return self._computed(state, "power_dissipation")

    def friction_moment(self, state: State) -> np.ndarray:
        """(n_features, 3) N m, friction on body 2 against spin and rolling about each point, in Ground; from DYNAMICS on. Raises InputError
        if the law has none.
        """
        if not self.law.has_moments:
            raise InputError(
                f"'{self.name}' has no moments of friction. Make a CompliantContact with torsional_friction or rolling_friction."
            )
        return self._computed(state, "friction_moment")

    # for ForceSubsystem
    def allocate(self, state: State) -> None:
        """Allocate its variables and computed values, at TOPOLOGY."""
        super().allocate(state)
        S1, S2 = self._frames
        values = {**self.numbers_of_shapes, "R_S1": S1.R, "p_S1": S1.p, "R_S2": S2.R, "p_S2": S2.p}
        for name, value in values.items():
            self._handles[name] = state.allocate_discrete_variable(
                self.forces, f"{self.name}.{name}", np.array(value), Stage.INSTANCE, numbers=[Numbers(np.size(value))]
            )
        n = self.n_features
        shapes = {"distance": (n,), "normal": (n, 3), "arm1": (n, 3), "arm2": (n, 3)}
        for name in self._at_position:
            self._allocate_entry(state, name, shapes[name], Stage.POSITION)
        for name, (shape, _, _) in self._shown.items():
            self._allocate_entry(state, name, (n, *shape), Stage.DYNAMICS)

    def variables(self, layout: Layout) -> list[CatalogueVariable]:
        """The parameters, the distances, forces, points and losses of the features, and the deflections of bristles with their rates."""
        of = f"between '{self._bodies.body1.name}' and '{self._bodies.body2.name}'"
        outputs = {"distance": ("m", "distances", Stage.POSITION)}
        outputs |= {name: (unit, text, Stage.DYNAMICS) for name, (_, unit, text) in self._shown.items()}
        found = [
            CatalogueVariable.output(f"{self.name}.{name}", layout.slots[self._cache(name)], stage, unit, f"{text} {of}")
            for name, (unit, text, stage) in outputs.items()
        ]
        if self.law.has_bristles:
            z, text = self.forces.z(layout, self), f"deflections of the bristles {of}, in the frame of shape 1"
            state = CatalogueVariable.state(f"{self.name}.deflection", z, "m", text, Stage.DYNAMICS)
            found += [state, state.rate(self.matter.tree(layout).rate(z), Stage.DYNAMICS, f"rates of {text}")]
        return super().variables(layout) + found

    @property
    def bodies(self) -> tuple[MobilizedBody | Ground, MobilizedBody | Ground]:
        """Both bodies."""
        return self._bodies.body1, self._bodies.body2

    @property
    def stage_of_forces(self) -> Stage:
        """The stage from which its normal forces are known."""
        return Stage.DYNAMICS

    def pressed_slots(self, layout: Layout) -> tuple[Slot, Slot]:
        """Normal forces (n_features,), and points of contact in Ground (n_features, 3)."""
        normal_force, point = self._entry_slots(layout, "normal_force", "contact_point")
        return normal_force, point

    def seen_row(self, layout: Layout) -> SeenRow:
        """What a page shows of its features."""
        entries = self._entry_slots(layout, "normal_force", "friction_force", "slip_speed", "contact_point", "normal")
        numbers = [self._slot(layout, name) for name in self.law_numbers]
        return SeenRow(names_of_features(self.name, self.feature_names), compliant_features, (self.law,), (*entries, *numbers))

    def why_not_finite(self, state: State) -> str:
        """A hint for the error message when the force is not finite: its cause, and what to check."""
        depth = -float(np.min(self.distance(state)))
        return f"The depth is {depth:.6g} m. {super().why_not_finite(state)}"

    # inside
    def _frame_slots(self, layout: Layout) -> list[Slot]:
        return [self._slot(layout, name) for name in ("R_S1", "p_S1", "R_S2", "p_S2")]

    def _allocate_entry(self, state: State, name: str, shape: tuple[int, ...], stage: Stage) -> None:
        self._entries[name] = state.allocate_cache_entry(self.forces, f"{self.name}.{name}", stage, shape=shape, computed_by=stage)


def check_not_welded(bodies: BodyPair, what: str) -> None:
    """Raise InputError if welds make them one rigid body."""
    if carrier(bodies.body1) is carrier(bodies.body2):
        raise InputError(
            f"{what}: '{bodies.body1.name}' and '{bodies.body2.name}' are welded to each other, so that they cannot move against "
            "each other. Give two bodies that can; one may be Ground."
        )


def carrier(body: MobilizedBody | Ground) -> MobilizedBody | Ground:
    """The body that it is welded to, directly or by other welded bodies; itself if it can move in its parent."""
    while isinstance(body, MobilizedBody) and body.nu == 0 and body.shapes is None:
        body = body.parent
    return body
