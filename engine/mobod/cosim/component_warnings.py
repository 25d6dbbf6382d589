"""ComponentWarnings: what components of a run warn of, which is worth a message without a log file."""

from collections.abc import Mapping
from typing import final

from mobod.cosim.instance import Instance
from mobod.cosim.system_instance import SystemInstance
from mobod.errors import MobodWarning
from mobod.simulate.deformation_checks import flexible_bodies, messages_of_state


@final
class ComponentWarnings:
    """Of FMUs the first message with the status 'warning'; of Systems their flexible bodies that deform or turn too much at the end.

    instances  by the names of the components; an FMU whose messages go to a file is left out
    """

    def __init__(self, instances: Mapping[str, object]):
        self._logs = {name: each.log for name, each in instances.items() if isinstance(each, Instance) and each.log.file is None}
        systems = {name: each for name, each in instances.items() if isinstance(each, SystemInstance)}
        self._flexible = {name: each for name, each in systems.items() if flexible_bodies(each.system)}

    def check(self) -> None:
        """Issue a MobodWarning for each component that has something to say for the first time. Costs nothing for one that has not."""
        for log in [log for log in self._logs.values() if log.source is not None]:
            log.read_source()
        for name in [name for name, log in self._logs.items() if log.n_warnings]:
            texts = [line.message.strip() for line in self._logs.pop(name).lines if line.status == "warning"]
            _warn(name, texts)
        for name, instance in list(self._flexible.items()):
            texts = [] if instance.run is None else messages_of_state(instance.system, instance.run.state)
            if texts:
                del self._flexible[name]
                _warn(name, texts)


def _warn(name: str, texts: list[str]) -> None:
    more = f" ({len(texts) - 1} more)" if len(texts) > 1 else ""
    MobodWarning.warn(f"component '{name}': {texts[0]}{more}", stacklevel=5)
