"""Products and inverses of matrices as steps of the C runtime: recorded code would grow with each entry.

In C: fmu_src/native/matrices/. Their tangents and adjoints are those of matrix calculus: d(A B) = dA B + A dB, d D^-1 = -D^-1 dD D^-1.
"""

# Decision: docs/decisions/216-matrix-steps.md

from functools import cached_property
from typing import final

from mobod.runtime.tables import Struct
from mobod.scalar.procedure import Procedure, ProcedureInC
from mobod.scalar.slot import Slot


@final
class MatrixProduct(Procedure):
    """C = start + A B, or start - A B.

    a, b, c   matrices, or vectors (n,), which are columns
    start     of the shape of c; None: 0; c itself: the product is added
    negative  whether the product is subtracted
    transposed_a, transposed_b
              whether the transposed matrix is meant. A vector's product with a symmetric matrix is faster with transposed_a
    """

    def __init__(
        self,
        a: Slot,
        b: Slot,
        c: Slot,
        *,
        start: Slot | None = None,
        negative: bool = False,
        transposed_a: bool = False,
        transposed_b: bool = False,
    ):
        self.a, self.b, self.c, self.start = a, b, c, start
        self.negative, self.transposed_a, self.transposed_b = negative, transposed_a, transposed_b
        (rows, inner), (inner_of_b, columns) = _shape(a, transposed_a), _shape(b, transposed_b)
        if inner != inner_of_b or _shape(c) != (rows, columns) or (start is not None and start.shape != c.shape):
            raise ValueError(f"a product of {a.shape} and {b.shape} is not {c.shape}. This is a bug in mobod.")
        self._sizes = rows, inner, columns

    @property
    def name(self) -> str:
        return "multiply matrices"

    @property
    def inputs(self) -> tuple[Slot, ...]:
        return (self.a, self.b) if self.start is None else (self.a, self.b, self.start)

    @property
    def outputs(self) -> tuple[Slot, ...]:
        return (self.c,)

    def in_c(self) -> ProcedureInC:
        return ProcedureInC("matrix_steps.h", "run_product", "run_product_tangent", "run_product_adjoint", self._table)

    @cached_property
    def _table(self) -> Struct:
        rows, inner, columns = self._sizes
        return Struct(
            "MatrixProduct",
            n_rows=rows,
            n_inner=inner,
            n_columns=columns,
            sign=-1 if self.negative else 1,
            a=_place(self.a, self.transposed_a),
            b=_place(self.b, self.transposed_b),
            c=_place(self.c),
            start=Struct("MatrixPlace", at=-1, down=0, across=0) if self.start is None else _place(self.start),
        )


@final
class SumInverse(Procedure):
    """(A + B)^-1 of symmetric positive definite A + B; 0 while the motion of the coordinates is known.

    a, b, inverse  (n, n)
    spare          (2 n,)  temporary
    known_level    ()  as in Prescription; None: the motion is never known
    """

    def __init__(self, a: Slot, b: Slot, inverse: Slot, spare: Slot, known_level: Slot | None = None):
        self.a, self.b, self.inverse, self._spare, self.known_level = a, b, inverse, spare, known_level

    @property
    def name(self) -> str:
        return "invert a matrix"

    @property
    def inputs(self) -> tuple[Slot, ...]:
        return (self.a, self.b) if self.known_level is None else (self.a, self.b, self.known_level)

    @property
    def outputs(self) -> tuple[Slot, ...]:
        return (self.inverse,)

    @property
    def workspace(self) -> tuple[Slot, ...]:
        return (self._spare,)

    def in_c(self) -> ProcedureInC:
        return ProcedureInC("matrix_steps.h", "run_inverse", "run_inverse_tangent", "run_inverse_adjoint", self._table)

    @cached_property
    def _table(self) -> Struct:
        return Struct(
            "SumInverse",
            n=self.a.shape[0],
            a=self.a.offset,
            b=self.b.offset,
            known_level=-1 if self.known_level is None else self.known_level.offset,
            inverse=self.inverse.offset,
            spare=self._spare.offset,
        )


def _shape(slot: Slot, transposed: bool = False) -> tuple[int, int]:
    rows, columns = slot.shape if len(slot.shape) == 2 else (slot.size, 1)
    return (columns, rows) if transposed else (rows, columns)


def _place(slot: Slot, transposed: bool = False) -> Struct:
    across = slot.shape[1] if len(slot.shape) == 2 else 1
    down, across = across, 1
    return Struct("MatrixPlace", at=slot.offset, down=across if transposed else down, across=down if transposed else across)
