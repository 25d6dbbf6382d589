"""A polynomial of several arguments."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from math import prod
from typing import Annotated, Any, final

from mobod.errors import InputError
from mobod.functions.checked import checked_count, checked_number
from mobod.functions.function import Function
from mobod.scalar import Array

Terms = Sequence[tuple[float, Sequence[int]]]


@final
@dataclass(frozen=True)
class MultiPoly(Function):
    """The sum of terms c x_0^p_0 x_1^p_1 ...

    terms  a pair (coefficient, powers) for each, with a power, a whole number from 0 on, for each argument:
           MultiPoly(2, [(3.0, (2, 0)), (-1.5, (1, 4))]) is 3 x_0^2 - 1.5 x_0 x_1^4
    """

    n_args: Annotated[int, partial(checked_count, least=1)]
    terms: Terms

    def __post_init__(self) -> None:
        """Raises InputError if there is no argument or no term, or a term is not as above."""
        super().__post_init__()
        if not self.terms:
            raise InputError(f"{self} has no terms. Give at least one, (coefficient, powers).")
        object.__setattr__(self, "terms", tuple(self._checked_term(i, term) for i, term in enumerate(self.terms)))

    @property
    def argument_size(self) -> int:
        """The number of arguments."""
        return self.n_args

    def antiderivative(self) -> "MultiPoly":
        """By the first argument."""
        return MultiPoly(self.n_args, [(c / (first + 1), (first + 1, *others)) for c, (first, *others) in self.terms])

    def value(self, x: Array) -> Any:
        """The value at x (n_args,), floats or recorded scalars."""
        # no factor x^0, whose derivative of NaN and infinity is not 0
        terms = [coefficient * prod([x[i] ** p for i, p in enumerate(powers) if p], start=1.0) for coefficient, powers in self.terms]
        return sum(terms[1:], start=terms[0])

    def _checked_term(self, number: int, term: object) -> tuple[float, tuple[int, ...]]:
        what = f"{self}: term {number}"
        if not isinstance(term, Sequence) or len(term) != 2:
            raise InputError(f"{what} is {term!r}. A pair is needed, (coefficient, powers).")
        coefficient, powers = term
        if not hasattr(powers, "__len__") or len(powers) != self.n_args:
            raise InputError(f"{what} has the powers {powers!r}. A power for each of the {self.n_args} arguments is needed.")
        return checked_number(coefficient, f"{what}, coefficient"), tuple(checked_count(p, f"{what}, a power", least=0) for p in powers)
