"""Network: FMUs by name and the connections between their variables."""

from collections.abc import Iterable, Mapping, Sequence
from os import PathLike
from pathlib import Path
from typing import TYPE_CHECKING, Self, final

import numpy as np
from numpy.typing import ArrayLike

from mobod import errors
from mobod.arguments.real_numbers import real_numbers
from mobod.cosim.component import Component, ComponentVariable
from mobod.cosim.connection import Connection
from mobod.cosim.connections.bond import Bond
from mobod.cosim.connections.terminals import bond_members, terminal_pairs
from mobod.cosim.models import Addable, component_model, default_name
from mobod.cosim.ssp.folder import DEFAULT_STRUCTURE
from mobod.cosim.ssp.loading import Given, load_ssp
from mobod.cosim.ssp.origin import SspOrigin
from mobod.errors import DuplicateNameError, InputError, UnknownNameError, UnsupportedError
from mobod.fmi.fmu_limits import FmuLimits
from mobod.fmi.isolation.isolation import Isolation
from mobod.system.names import check_characters

if TYPE_CHECKING:
    from mobod.fmu.native_export import Code
    from mobod.system import State


@final
class Network:
    """FMUs and the connections between their variables.

        network = Network()
        network.add("controller.fmu", start={"gain": 20.0})
        network.add("pendulum.fmu")
        network.connect("controller.torque", "pendulum.motor.force")

    A variable is named `component.variable`; the component's name ends at the first dot. All input is checked when it is added, before
    anything runs. A network contains only descriptions, so it can be run any number of times.
    """

    def __init__(self) -> None:
        self.components: dict[str, Component] = {}
        self.connections: list[Connection] = []
        self.bonds: list[Bond] = []
        self.ssp: SspOrigin | None = None  # where it was read from

    def add(
        self,
        path: Addable,
        name: str | None = None,
        start: Mapping[str, object] | None = None,
        *,
        interface: str | None = None,
        limits: FmuLimits | None = None,
        isolate: bool | Isolation | None = None,
        strict: bool | None = None,
        share_library: bool | None = None,
        state: "State | None" = None,
        outputs: Sequence[str] | None = None,
    ) -> Component:
        """Add a component, with start values of its parameters, inputs and initial values.

        path       of an FMU, or of a table (.csv, .mat, .h5); or a System, a Simulation of a System with its options, a Table, a
                   TableSource, a PythonComponent, or an object that PythonComponent.of takes
        name       default: that of the file or of the System
        interface  of an FMU: 'co-simulation' or 'model-exchange'; default: co-simulation if it has it
        limits     upper limits for the FMU's size; default: FmuLimits()
        isolate    of an FMU: whether it runs in a process of its own, where it can crash or never return without harm to the others;
                   Isolation(seconds=60) limits the time that a call may take; default: FMUs that run Python do
        strict     of an FMU: whether it is refused if its modelDescription.xml breaks rules of FMI that other tools forgive; default: it is
                   read nevertheless, with a MobodWarning that names the clauses
        share_library  of an FMU: whether its instances in this process share one library with those of equal FMUs; default: they do if the
                   FMU allows several instances in a process. False is for FMUs that wrongly keep data of an instance in their library
        state      of a System: the State at which runs start; default: the default State
        outputs    of a System: names of the variables that are recorded by default; default: its states

        Raises FmuFileError, UnsupportedError, DuplicateNameError, UnknownNameError, InputError.
        """
        if name is None:
            name = default_name(path)
        if not name or "." in name:
            raise InputError(
                f"{path}: '{name}' cannot be the name of an FMU in a network, since names end at the first dot. Give it another name."
            )
        check_characters(name, f"{path}: a component")
        if name in self.components:
            taken = self.components[name].model.origin
            raise DuplicateNameError(f"{path}: the network already has an FMU named '{name}' ({taken}). Give it another name.")
        model = component_model(
            path,
            interface=interface,
            limits=limits,
            isolate=isolate,
            strict=strict,
            share_library=share_library,
            state=state,
            outputs=outputs,
        )
        component = Component(name, model)
        self._check_shares_process(component)
        component.set_start(start or {})
        self.components[name] = component
        return component

    @classmethod
    def from_ssp(
        cls,
        path: str | PathLike[str],
        *,
        parameters: Given | Sequence[Given] = (),
        structure: str = DEFAULT_STRUCTURE,
        limits: FmuLimits | None = None,
        isolate: bool | Isolation | None = None,
        strict: bool = False,
        allow_outside: bool = False,
    ) -> Self:
        """The network of a System Structure Package of SSP 1.0 or 2.0, or of a folder with its files.

            network = mb.Network.from_ssp("car.ssp", parameters=["winter.ssv", {"controller.gain": 20.0}])
            results = mb.Master(network).run(until=network.ssp.structure.stop)

        parameters  parameter sets for the whole system, which count more than those that the SSP binds, the last one most: the path of a
                    .ssv file, the name of a set in the SSP, or values by hierarchical name, such as 'front.wheel.mass'
        structure   the .ssd file, if the SSP has several variants
        limits      upper limits for the size of the SSP and of each FMU; default: FmuLimits()
        isolate     as in `add`, with the same default, for all FMUs
        strict      as in `add`, for all FMUs; and whether units are refused that the SSP uses without a definition
        allow_outside
                    of a folder: whether its files may name files elsewhere. An archive never may

        A component 'wheel' of the system 'front' is named 'front/wheel'. `ssp` has the name, the default experiment and the annotations.
        Raises SspFileError, and the errors of `add` and `connect` with the place in the SSP.
        """
        network = cls()
        network.ssp = load_ssp(
            network,
            path,
            parameters=parameters,
            structure=structure,
            limits=limits,
            isolate=isolate,
            strict=strict,
            allow_outside=allow_outside,
        )
        return network

    def to_ssp(
        self,
        path: str | PathLike[str],
        *,
        name: str | None = None,
        start: float | None = None,
        stop: float | None = None,
        parameter_sets: Mapping[str, Mapping[str, object]] | None = None,
        platforms: str | Iterable[str] = "host",
        code: "Code" = "auto",
    ) -> Path:
        """Write the network as a System Structure Package of SSP 1.0, with its FMUs.

        name         of the system; default: that with which it was read, or that of the file
        start, stop  s, of the default experiment; default: as it was read
        parameter_sets
                     more parameter sets, by name: values by `component.variable`. They become files resources/NAME.ssv, which are chosen by
                     name when a network is read
        platforms, code
                     of the FMUs that are made of Systems and of tables with real columns, as in `export_fmu`

        Start values become a set of each component, and arrays single variables. Units are converted by transformations. Returns the path.
        Raises UnsupportedError for Python functions.
        """
        from mobod.cosim.ssp.writing import write_ssp  # loads what exports Systems

        return write_ssp(
            self, Path(path), name=name, start=start, stop=stop, parameter_sets=parameter_sets or {}, platforms=platforms, code=code
        )

    def connect(self, source: str, target: str, *, gain: ArrayLike = 1.0, offset: ArrayLike = 0.0) -> Connection | list[Connection]:
        """Connect the output `source` to the input `target`: single variables, whole arrays, or ports.

        gain, offset  of real numbers: input = gain * output + offset, after the output was converted to the unit of the input; for arrays
                      a number or a list

        An array is one of FMI 3.0 or of a System, or all variables `p[1]`, `p[2]`, ... A port is a Port or an InputMotion of a System or of
        an FMU made of one, or any terminal that an FMU lists: its members are connected by name, in both directions, and if force and
        velocity, or torque and angular velocity, are among them, they are declared as a bond.

        Returns the Connection, or a list of them for arrays and ports. Raises UnknownNameError, and errors.ConnectionError if the variables
        do not fit or an input is already connected; then nothing is connected.
        """
        ends = [self._terminal(name) for name in (source, target)]
        if ends[0] is not None and ends[1] is not None:
            if (real_numbers(gain, "Network.connect: gain") != 1).any() or real_numbers(offset, "Network.connect: offset").any():
                raise errors.ConnectionError(f"'{source}' and '{target}' are ports, which take no gain and no offset.")
            return self._connect_terminals(ends[0], ends[1])
        for end, name, other in zip(ends, (source, target), (target, source), strict=True):
            if end is not None and self.ports(other):
                raise errors.ConnectionError(
                    f"'{source}' cannot be connected to '{target}': '{name}' is a port, and '{other}' is none. Connect one of its "
                    f"variables: {', '.join(end[0].terminals[end[1]].values())}."
                )
        connections = self._connect_entries(source, target, gain, offset)
        return connections[0] if len(connections) == 1 and self._is_single(source) and self._is_single(target) else connections

    def connect_vectors(self, source: str, target: str) -> list[Connection]:
        """Connect each entry of the vector `source`, outputs `source[1]`, `source[2]`, ..., to the entry of the vector `target` of inputs.

        Raises the same errors as `connect`, and errors.ConnectionError if the lengths differ. Then nothing is connected.
        """
        return self._connect_entries(source, target, 1.0, 0.0)

    def add_connections(self, connections: list[Connection]) -> list[Connection]:
        """Add connections of variables of this network. Raises errors.ConnectionError if an input is connected already."""
        for connection in connections:
            for other in self.connections:
                if other.target.is_same(connection.target):
                    raise errors.ConnectionError(
                        f"'{connection.target}' is already connected: {other}. An input takes only one connection."
                    )
        self.connections += connections
        return connections

    def bond(self, effort: Connection | Sequence[Connection], flow: Connection | Sequence[Connection]) -> Bond:
        """Declare that connections of the network carry power: the sum of effort * flow over the pairs.

            network.bond(network.connect("motor.torque", "shaft.torque"), network.connect("shaft.speed", "motor.speed"))

        effort, flow  connections, or lists of equal length, in opposite directions between the same two components

        `bonds` lists them. A master can then compare the power that each of the two components counts. Raises errors.ConnectionError.
        """
        efforts, flows = ((each,) if isinstance(each, Connection) else tuple(each) for each in (effort, flow))
        bond = Bond(efforts, flows)
        for connection in (*efforts, *flows):
            if connection not in self.connections:
                raise errors.ConnectionError(f"no bond can be made of {connection}: it is no connection of this network. Connect it first.")
            for other in self.bonds:
                if connection in (*other.efforts, *other.flows):
                    raise errors.ConnectionError(f"no bond can be made of {connection}: it belongs to another bond already.")
        self.bonds.append(bond)
        return bond

    def copy(self) -> "Network":
        """A network of the same FMUs and connections. Later additions to one network do not change the other."""
        network = Network()
        network.components.update(self.components)
        network.connections.extend(self.connections)
        network.bonds.extend(self.bonds)
        network.ssp = self.ssp
        return network

    def port(self, name: str) -> ComponentVariable:
        """The variable named `component.variable`. Raises UnknownNameError, and InputError for a name without a dot."""
        component, dot, variable = name.partition(".")
        if not dot:
            raise InputError(f"'{name}' is not a variable of an FMU. Write the FMU's name in the network, a dot and the variable's name.")
        UnknownNameError.check("FMU of the network", component, self.components)
        return self.components[component].port(variable)

    def ports(self, name: str) -> list[ComponentVariable]:
        """The entries of the array `component.variable`, or the variable of this name. Raises the same errors as `port`."""
        component, _, variable = name.partition(".")
        if component in self.components and variable:
            return self.components[component].ports(variable)
        return [self.port(name)]

    def _connect_entries(self, source: str, target: str, gain: ArrayLike, offset: ArrayLike) -> list[Connection]:
        outputs, inputs = self.ports(source), self.ports(target)
        what = f"'{source}' cannot be connected to '{target}': "
        shapes = [ports[0].component.shape(name.partition(".")[2]) for name, ports in ((source, outputs), (target, inputs))]
        if len(outputs) != len(inputs):
            raise errors.ConnectionError(f"{what}they have {len(outputs)} and {len(inputs)} entries.")
        if len(shapes[0]) > 1 and len(shapes[1]) > 1 and shapes[0] != shapes[1]:
            of_sizes = " and ".join(" x ".join(map(str, shape)) for shape in shapes)
            raise errors.ConnectionError(f"{what}they are matrices of {of_sizes} entries.")
        numbers = []
        for option, value in (("gain", gain), ("offset", offset)):
            array = real_numbers(value, f"Network.connect: {option}").ravel()
            if array.size not in (1, len(outputs)):
                raise errors.ConnectionError(f"{what}{option} has {array.size} entries, and the connection {len(outputs)}.")
            numbers.append(np.broadcast_to(array, len(outputs)).tolist())
        return self.add_connections([Connection(*each) for each in zip(outputs, inputs, *numbers, strict=True)])

    def _connect_terminals(self, source: tuple[Component, str], target: tuple[Component, str]) -> list[Connection]:
        pairs = terminal_pairs(source, target)
        connections = self.add_connections([Connection(output, to) for output, to, _ in pairs])
        by_member = {member: connection for connection, (_, _, member) in zip(connections, pairs, strict=True)}
        of_power = [(by_member[effort], by_member[flow]) for effort, flow in bond_members(list(by_member))]
        across = [(effort, flow) for effort, flow in of_power if effort.source.component is flow.target.component]
        if across:
            self.bond([effort for effort, _ in across], [flow for _, flow in across])
        return connections

    def _terminal(self, name: str) -> tuple[Component, str] | None:
        """The component and the name in it of a port; None for a variable or an array."""
        of, _, variable = name.partition(".")
        component = self.components.get(of)
        if component is None or component.has(variable) or variable not in component.terminals:
            return None
        return component, variable

    def _is_single(self, name: str) -> bool:
        component, _, variable = name.partition(".")
        return not self.components[component].is_array(variable)

    def _check_shares_process(self, component: Component) -> None:
        model = component.model
        for other in self.components.values():
            if model.capabilities.once_per_process and model.identity == other.model.identity:
                raise UnsupportedError(
                    f"{model.origin}: it allows only one instance in a process, and '{other.name}' is already an instance of it. "
                    "Run it in a process of its own (isolate=True)."
                )
