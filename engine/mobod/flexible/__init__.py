"""Data of flexible bodies: modal coordinates, the shapes of interfaces, and their reduction from matrices of finite elements; beams."""

from mobod.flexible.interfaces import ModalInterface
from mobod.flexible.modal_data import ModalData
from mobod.flexible.sections import Material, Section

__all__ = ["Material", "ModalData", "ModalInterface", "Section"]
