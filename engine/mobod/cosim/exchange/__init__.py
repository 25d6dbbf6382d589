"""Exchange of values over connections, and steps of equal size, by tables in the C runtime."""

from mobod.cosim.exchange.exchange import Exchange

__all__ = ["Exchange"]
