"""Saved states of native FMUs with other numbers, and the checksum that fits."""

import struct

from mobod.native_sources import native_sources

FIRST_NUMBER = 3  # the first words: format, FMU, number of words
# numbers before those of w: the fields of State that are saved
N_FIELDS = (native_sources() / "state" / "serialized_state.c").read_text(encoding="utf-8").count("    {offsetof(State, ")


def sealed(data: bytes) -> bytes:
    """The bytes with a valid checksum: FNV-1a, 64 bits, of all but the last word."""
    checksum = 0xCBF29CE484222325
    for byte in data[:-8]:
        checksum = (checksum ^ byte) * 0x100000001B3 % 2**64
    return data[:-8] + struct.pack("<Q", checksum)


def with_number(data: bytes, word: int, value: float) -> bytes:
    """The bytes with one word replaced by another number."""
    return sealed(data[: 8 * word] + struct.pack("<d", value) + data[8 * word + 8 :])


def word_of(offset: int, ranges) -> int:
    """The index of the word that stores the number at an offset of w; ranges: of `saved_ranges`."""
    word = FIRST_NUMBER + N_FIELDS
    for first, numbers in ranges:
        if first <= offset < first + numbers.count:
            return word + offset - first
        word += numbers.count
    raise AssertionError(f"the number at {offset} is not saved")
