"""Rows that compute what a page shows of contacts, which are added to the model of the page."""

from typing import final

from mobod.compilation.source.model_source import GeneratedModel
from mobod.contact.seen_features import N_NUMBERS
from mobod.disk.json_values import JsonObject
from mobod.matter import MatterSubsystem
from mobod.scalar import Slot, Sweep
from mobod.system import Stage, System
from mobod.viewer.contact_marks import ContactMarks


@final
class LiveContacts:
    """The contacts of a model. Their rows are of stage REPORT: no step computes them."""

    def __init__(self, model: GeneratedModel, system: System, matter: MatterSubsystem) -> None:
        marks = ContactMarks.of(system, matter, model.layout)
        first = model.extra.offset + model.n_extra
        for row in marks.rows:
            numbers = Slot(model.extra.offset + model.n_extra, (len(row.names), N_NUMBERS))
            model.sweeps.setdefault(Stage.REPORT, Sweep("report")).add(row.function, row.inputs, [numbers], structure=row.structure)
            model.n_extra += numbers.size
        self.names = marks.names
        self.offsets = range(first, model.extra.offset + model.n_extra)

    def to_data(self, force: float) -> JsonObject:
        """For the header: where the numbers of each feature begin. force: N, for the scale of the arrows"""
        return {
            "force": force,
            "features": [{"name": name, "at": at} for name, at in zip(self.names, self.offsets[::N_NUMBERS], strict=True)],
        }
