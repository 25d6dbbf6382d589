"""What steps at velocity level support of a System."""

from mobod.errors import UnsupportedError
from mobod.matter import MatterSubsystem, MultibodySystem
from mobod.matter.unilateral.contact_events import Contact
from mobod.matter.unilateral.friction import FrictionEvent
from mobod.simulate.delays import delay_rows
from mobod.simulate.velocity_level.fixed_steps import INTEGRATOR, WHOLE
from mobod.system import State, System
from mobod.system.measures.sampling import Sampling


def checked_matter(system: System, state: State, step: float, *, with_reporters: bool = True) -> MatterSubsystem:
    """The matter of the System, for steps (s). Raises UnsupportedError, which names it, for anything that the integrator ignores, and for
    samples that follow each other faster than steps. FMUs have no reporters.
    """
    if not isinstance(system, MultibodySystem) or not system.has_matter:
        raise _unsupported(f"System '{system.name}' has no matter")
    for event in system.events.table(state.layout).rows if system.has_events else ():
        is_own = event.event.only_ends_steps or event.event.only_samples or isinstance(event.event, (Contact, FrictionEvent))
        if not is_own and (with_reporters or not event.event.is_reporter):
            raise _unsupported(f"it does not support events such as {event.event.title}")
        if isinstance(event.event, Sampling) and event.event.interval < step * (1 - WHOLE):
            raise _unsupported(
                f"'{event.event.measure.name}' takes a sample every {event.event.interval:g} s, and a step of {step:g} s takes one at its "
                "end. Choose a step that is not longer"
            )
    for delay in delay_rows(system, state):
        raise _unsupported(f"it does not record the history of delay '{delay.name}'")
    for errors in state.layout.errors:
        raise _unsupported(f"it does not enforce the constraint errors '{errors.name}' of a subsystem")
    return system.matter


def _unsupported(why: str) -> UnsupportedError:
    return UnsupportedError(f"integrator='{INTEGRATOR}': {why}. Use one of the integrators with error control, such as 'RK45'.")
