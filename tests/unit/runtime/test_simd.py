"""The vector instructions of this processor, and the choice among them."""

import pytest

from mobod.errors import InputError
from mobod.runtime import simd
from mobod.runtime.packaged import LANES
from mobod.runtime.simd import VARIABLE, available_simd, chosen_simd
from mobod.runtime.targets import LINUX_ARM, LINUX_X86, WINDOWS_X86


@pytest.fixture(autouse=True)
def fresh(monkeypatch):
    monkeypatch.delenv(VARIABLE, raising=False)
    available_simd.cache_clear()
    yield
    available_simd.cache_clear()


def test_the_widest_is_chosen():
    available = available_simd()
    assert chosen_simd() == (available[0] if available else None)
    assert [each.lanes for each in available] == sorted((each.lanes for each in available), reverse=True)


def test_the_variable_names_another(monkeypatch):
    monkeypatch.setenv(VARIABLE, "none")
    assert chosen_simd() is None
    for each in available_simd():
        monkeypatch.setenv(VARIABLE, each.name)
        assert chosen_simd() == each


def test_what_the_processor_does_not_have_is_an_error(monkeypatch):
    monkeypatch.setattr(simd, "_has", lambda name: False)
    monkeypatch.setattr(simd.platform, "machine", lambda: "AMD64")
    assert [each.name for each in available_simd()] == ["sse2"]
    monkeypatch.setenv(VARIABLE, "avx2")
    with pytest.raises(InputError, match=r"MOBOD_SIMD is set to 'avx2', which this processor does not have\. Valid: sse2, none"):
        chosen_simd()


def test_other_processors_have_their_own(monkeypatch):
    monkeypatch.setattr(simd.platform, "machine", lambda: "arm64")
    assert [each.name for each in available_simd()] == ["neon"]
    available_simd.cache_clear()
    monkeypatch.setattr(simd.platform, "machine", lambda: "riscv64")
    assert available_simd() == ()
    assert chosen_simd() is None


def test_a_wheel_has_the_libraries_for_its_processor():
    def in_wheel(own):
        return {name for name, library in LANES.items() if library.targets_in_wheel(own, for_release=True)}

    assert in_wheel(LINUX_X86) == in_wheel(WINDOWS_X86) == {"sse2", "avx2", "avx512"}
    assert in_wheel(LINUX_ARM) == {"neon"}
    assert not any(library.targets_in_wheel(LINUX_X86, for_release=False) for library in LANES.values())
