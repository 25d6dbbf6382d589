"""ModalData.read: modal data from a file, by its suffix and content."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from os import PathLike, fspath
from pathlib import Path
from typing import Any, Generic, TypeVar, final

from numpy.typing import ArrayLike

from mobod.errors import InputError, MassPropertiesError, ModelFileError, UnknownNameError
from mobod.flexible.files.calculix_file import read_calculix
from mobod.flexible.files.fields import Fields, read_npz
from mobod.flexible.files.matrix_files import MatrixFields, files_of_folder, matrices_of_mat, matrices_of_matrix_market, matrices_of_npz
from mobod.flexible.files.modal_file import FORMAT, modal_parts
from mobod.flexible.files.nastran_file import read_nastran
from mobod.flexible.files.numbered_matrices import NumberedMatrices
from mobod.flexible.files.sid_body import reduced_sid
from mobod.flexible.files.sid_file import SidData, read_sid
from mobod.flexible.modal_arguments import checked_inboard
from mobod.flexible.reduction import Reduced
from mobod.spatial import MassProperties

T = TypeVar("T")
Files = str | PathLike[str] | Mapping[str, str | PathLike[str]]


@final
@dataclass(frozen=True)
class Makers(Generic[T]):
    """What makes modal data: from its fields, from matrices of a mesh, from reduced matrices, from a reduction."""

    of_parts: Callable[..., T]
    of_matrices: Callable[..., T]
    of_reduced_matrices: Callable[..., T]
    of_reduction: Callable[[Reduced, MassProperties | None], T]


def modal_data_of_file(
    make: Makers[T],
    path: Files,
    interfaces: Any,
    inboard: str | None,
    nodes: ArrayLike | None,
    given: dict[str, Any],
) -> T:
    """See ModalData.read. given: modes, below, frame, mass_properties"""
    if isinstance(path, Mapping):
        return _of_matrices(
            make, matrices_of_matrix_market(path, Path(fspath(next(iter(path.values()), "")))), interfaces, inboard, nodes, given
        )
    file = Path(path)
    if file.is_dir():
        return _of_matrices(make, matrices_of_matrix_market(files_of_folder(file), file), interfaces, inboard, nodes, given)
    if not file.is_file():
        raise ModelFileError(f"{file}: there is no such file.")
    match file.suffix.lower():
        case ".npz":
            arrays = read_npz(file)
            if "format" in arrays:
                return _of_modal_file(make, Fields(file, arrays), {"interfaces": interfaces, "inboard": inboard, "nodes": nodes, **given})
            return _of_matrices(make, matrices_of_npz(file, arrays), interfaces, inboard, nodes, given)
        case ".mat":
            return _of_matrices(make, matrices_of_mat(file), interfaces, inboard, nodes, given)
        case ".sti":
            return _of_numbered(make, read_calculix(file), interfaces, inboard, nodes, given)
        case ".pch" | ".dmig":
            return _of_numbered(make, read_nastran(file), interfaces, inboard, nodes, given)
        case ".sid" | ".sid_fem":
            if nodes is not None:
                raise InputError(f"ModalData.read: {file} has nodes of its own. Leave out nodes.")
            return _of_sid(make, read_sid(file), interfaces, inboard, given)
    raise InputError(
        f"ModalData.read: '{file}': files end with .npz, .mat, .sti (CalculiX), .pch (Nastran), .sid or .SID_FEM; Matrix Market files are "
        "in a folder, or in a dict such as {'M': 'M.mtx', 'K': 'K.mtx'}."
    )


def _of_modal_file(make: Makers[T], fields: Fields, others: Mapping[str, object]) -> T:
    if fields.texts("format") != [FORMAT]:
        raise fields.error("format", f"is not '{FORMAT}'")
    wrong = [name for name, value in others.items() if value is not None and (name, value) != ("frame", "inboard")]
    if wrong:
        raise InputError(f"ModalData.read: {fields.path} has modal data already. Leave out {', '.join(wrong)}.")
    try:
        return make.of_parts(**modal_parts(fields))
    except ModelFileError:
        raise
    except InputError as error:
        raise ModelFileError(f"{fields.path}: {error}") from None


def _of_matrices(
    make: Makers[T], fields: MatrixFields, interfaces: Any, inboard: str | None, nodes: ArrayLike | None, given: dict[str, Any]
) -> T:
    found = fields.found
    if interfaces is None or (inboard is None and given["frame"] == "inboard"):
        raise InputError(f"ModalData.read: {fields.path} has matrices. Give interfaces={{'root': ..., 'tip': ...}} and inboard='root'.")
    checked_inboard(inboard, given["frame"])
    if nodes is not None and "nodes" in found:
        raise InputError(f"ModalData.read: {fields.path} has nodes already. Leave out nodes.")
    positions = found.get("nodes", nodes)
    given = {"inboard": inboard, "D": found.get("D"), **given}
    if positions is None:
        return _made(fields.path, lambda: make.of_reduced_matrices(found["M"], found["K"], interfaces, **given))
    given["surface"] = found.get("surface")
    return _made(fields.path, lambda: make.of_matrices(found["M"], found["K"], positions, interfaces, **given))


def _of_numbered(
    make: Makers[T], found: NumberedMatrices, interfaces: Any, inboard: str | None, nodes: ArrayLike | None, given: dict[str, Any]
) -> T:
    if nodes is not None:
        raise InputError(f"ModalData.read: {found.path} has nodes of its own. Leave out nodes.")
    if not isinstance(interfaces, Mapping) or (inboard is None and given["frame"] == "inboard"):
        raise InputError(f"ModalData.read: {found.path} has matrices. Give interfaces={{'root': ..., 'tip': ...}} and inboard='root'.")
    checked_inboard(inboard, given["frame"])
    if found.n_modes:
        M, K, places = found.reduced(interfaces)
        return _made(found.path, lambda: make.of_reduced_matrices(M, K, places, inboard=inboard, **given))
    chosen, positions = found.interfaces(interfaces), found.nodes
    return _made(found.path, lambda: make.of_matrices(found.M, found.K, positions, chosen, inboard=inboard, **given))


def _made(path: Path, make: Callable[[], T]) -> T:
    """Errors of what a file has name the file."""
    try:
        return make()
    except UnknownNameError:
        raise
    except (InputError, MassPropertiesError) as error:
        raise ModelFileError(f"{path}: {error}") from None


def _of_sid(make: Makers[T], sid: SidData, interfaces: Any, inboard: str | None, given: dict[str, Any]) -> T:
    named = {f"node{number}": number for number in sid.nodes} if interfaces is None else interfaces
    frame = given.pop("frame")
    if inboard is None and frame == "inboard":
        raise InputError(f"ModalData.read: {sid.path} needs inboard: {', '.join(map(repr, named))}.")
    expected = given.pop("mass_properties")
    return make.of_reduction(reduced_sid(sid, named, checked_inboard(inboard, frame), **given), expected)
