"""The zip file: its bytes depend only on its content, and it is written completely or not at all."""

import zipfile

import pytest

from mobod.fmu.archive import write_archive

ENTRIES = {"modelDescription.xml": b"<x/>" * 200, "sources/b.c": b"int b;", "sources/a.c": b"int a;"}


def test_archive_entries_can_be_read_back_in_order_and_are_compressed(tmp_path):
    write_archive(tmp_path / "x.fmu", ENTRIES)
    with zipfile.ZipFile(tmp_path / "x.fmu") as archive:
        assert archive.testzip() is None
        assert archive.namelist() == ["modelDescription.xml", "sources/a.c", "sources/b.c"]
        assert {name: archive.read(name) for name in archive.namelist()} == ENTRIES
        for info in archive.infolist():
            assert info.compress_type == zipfile.ZIP_DEFLATED
            assert info.extract_version <= 20  # FMI requires zip 2.0


def test_the_same_content_gives_the_same_bytes(tmp_path):
    write_archive(tmp_path / "x.fmu", ENTRIES)
    write_archive(tmp_path / "y.fmu", dict(reversed(ENTRIES.items())))
    assert (tmp_path / "x.fmu").read_bytes() == (tmp_path / "y.fmu").read_bytes()


def test_entries_have_the_date_of_the_source_or_the_first_of_the_format(tmp_path, monkeypatch):
    monkeypatch.setenv("SOURCE_DATE_EPOCH", "1700000000")
    write_archive(tmp_path / "dated.fmu", ENTRIES)
    monkeypatch.setenv("SOURCE_DATE_EPOCH", "0")  # 1970: the format begins later
    write_archive(tmp_path / "old.fmu", ENTRIES)
    monkeypatch.delenv("SOURCE_DATE_EPOCH")
    write_archive(tmp_path / "undated.fmu", ENTRIES)
    times = [{info.date_time for info in zipfile.ZipFile(tmp_path / f"{name}.fmu").infolist()} for name in ("dated", "old", "undated")]
    assert times == [{(2023, 11, 14, 22, 13, 20)}, {(1980, 1, 1, 0, 0, 0)}, {(1980, 1, 1, 0, 0, 0)}]


def test_a_failure_keeps_the_existing_file(tmp_path):
    (tmp_path / "x.fmu").write_bytes(b"the old one")
    with pytest.raises(TypeError):
        write_archive(tmp_path / "x.fmu", {"a": b"fine", "b": None})
    assert [path.name for path in tmp_path.iterdir()] == ["x.fmu"]
    assert (tmp_path / "x.fmu").read_bytes() == b"the old one"
