"""The division of a flat array into regions."""

from mobod.scalar.regions import Regions
from mobod.scalar.slot import Slot, spans

LARGE = Slot(10, (1000, 1000))
SMALL = Slot(20, (3,))


def test_a_slot_that_is_used_as_a_whole_is_one_region():
    regions = Regions([LARGE, Slot(3, (2,))], [])
    assert [len(regions.of(LARGE)), len(regions)] == [1, 3]  # two slots, and what is between them


def test_entries_of_divided_slots_are_regions_of_their_own():
    regions = Regions([LARGE], [SMALL])
    assert len(regions.of(SMALL)) == len(regions.between(20, 23)) == 3
    assert list(regions.offsets(regions.of(SMALL))) == [20, 21, 22]
    assert set(regions.of(SMALL)) < set(regions.of(LARGE))
    assert len(regions.of(LARGE)) == 5  # before, within and after the small slot


def test_ranges_of_adjacent_regions_are_joined():
    regions = Regions([LARGE], [SMALL])
    assert regions.ranges(regions.of(LARGE)) == [(10, 1_000_000)]
    first, *_, last = regions.of(LARGE)
    assert regions.ranges([first, last]) == [(10, 10), (23, 1_000_010 - 23)]


def test_the_region_of_an_offset():
    regions = Regions([LARGE], [SMALL])
    assert [regions.at(offset) for offset in (9, 10, 19, 21, 500, 1_000_009, 1_000_010)] == [None, 0, 0, 2, 4, 4, None]
    assert Regions([], []).at(0) is None


def test_an_empty_slot_has_no_regions():
    assert list(Regions([Slot(5, (0, 3))], [Slot(7, (0,))]).of(Slot(5, (0, 3)))) == []


def test_spans_cover_the_entries_of_slots_once():
    slots = [Slot(7, (2,)), Slot(3, (2, 2)), Slot(20, ()), Slot(9, ()), Slot(4, ()), Slot(12, (0,))]
    assert spans(slots) == (Slot(3, (7,)), Slot(20, (1,)))
