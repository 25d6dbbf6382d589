"""The C runtime as WebAssembly, run by wasmtime: what the page's script does, for tests in Python."""

from functools import cache

import numpy as np
from wasmtime import Engine, Instance, Module, Store

from mobod.runtime.web_library import web_library

REACHED, UNDER_WAY, ENDED, FAILED = range(4)


@cache
def module():
    """The library, compiled by wasmtime, and the engine for which it is."""
    engine = Engine()
    return engine, Module(engine, web_library())


class LiveRun:
    """A model that `live_model` has made, at its start."""

    def __init__(self, header, tables):
        engine, library = module()
        self.header, self._store = header, Store(engine)
        exports = Instance(self._store, library, []).exports(self._store)
        self._exports, self._memory = exports, exports["memory"]
        at = self("live_allocate", len(tables))
        self._memory.write(self._store, tables, at)
        self.is_open = bool(self("live_open", at, len(tables), header["pull"]))
        self("live_release", at)

    def __call__(self, name, *arguments):
        return self._exports[name](self._store, *arguments)

    def read(self, at, n):
        return bytes(self._memory.read(self._store, at, at + n))

    def message(self, name="live_message"):
        return self.read(self(name), 1100).split(b"\0")[0].decode()

    def step_to(self, time, n_steps=2**31 - 1):
        end = self("live_end_near", time)
        result = self("live_begin_step", end, n_steps)
        while result == UNDER_WAY:
            result = self("live_continue", end, n_steps)
        return result

    def entry(self, name):
        return next(each for each in self.header["variables"] if each["name"] == name)

    def numbers(self, stage=2):
        """(size,) w computed up to a stage."""
        at = self("live_numbers", stage)
        return np.frombuffer(self.read(at, 8 * self.header["size"]))

    def value(self, name):
        entry = self.entry(name)
        return self.numbers(max(entry["stage"], 2))[entry["at"]]

    def set(self, name, value):
        entry = self.entry(name)
        assert self("live_set", entry["at"], value, entry["sets"])

    def events(self):
        counts = np.frombuffer(self.read(self("live_events"), 4 * len(self.header["events"])), dtype=np.int32)
        return {each["name"]: int(count) for each, count in zip(self.header["events"], counts, strict=True)}
