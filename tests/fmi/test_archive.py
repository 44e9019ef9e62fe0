"""Archives that should not be unpacked: nothing is written, and the message names the reason."""

import os
import stat
import struct
import zipfile
import zlib

import pytest

from counterpoint.fmi import Archive, ArchiveError, ArchiveLimits
from counterpoint.fmi.archive import remove_stale_directories

DESCRIPTION = ("modelDescription.xml", b"<fmiModelDescription/>")


def archive(path, *members, method=zipfile.ZIP_DEFLATED):
    with zipfile.ZipFile(path, "w", method) as made:
        for name, data in (DESCRIPTION, *members):
            made.writestr(name, data)
    return path


def problems(path, limits=None):
    with pytest.raises(ArchiveError) as refused:
        Archive(path, limits)
    assert all(problem.startswith(f"{path}: ") for problem in refused.value.problems)
    return str(refused.value)


def test_a_good_archive_is_unpacked_without_documentation_and_other_platforms(tmp_path):
    names = ("binaries/linux64/a.so", "binaries/win64/a.dll", "documentation/index.html", "resources/ü 日本/x.txt")
    good = Archive(archive(tmp_path / "good.fmu", *((name, b"x") for name in names)))
    assert good.platforms == ["linux64", "win64"]
    unpacked = good.unpack("linux64")
    found = {path.relative_to(unpacked.root).as_posix() for path in unpacked.root.rglob("*") if path.is_file()}
    assert found == {"modelDescription.xml", "binaries/linux64/a.so", "resources/ü 日本/x.txt"}
    assert stat.S_IMODE(unpacked.root.stat().st_mode) == 0o700
    unpacked.close()
    assert not unpacked.root.exists()


def test_the_directory_goes_with_its_last_user(tmp_path):
    root = Archive(archive(tmp_path / "good.fmu")).unpack("linux64").root
    assert not root.exists()


def test_users_of_the_same_archive_share_a_directory_until_the_last_is_gone(tmp_path):
    path = archive(tmp_path / "good.fmu")
    first, second = (Archive(path).unpack_shared("linux64") for _ in range(2))
    root = first.root
    assert second.root == root
    del first
    assert root.exists()
    del second
    assert not root.exists()


def test_an_archive_that_was_written_again_is_unpacked_again(tmp_path):
    path = archive(tmp_path / "good.fmu", ("resources/a.txt", b"old"))
    old = Archive(path).unpack_shared("linux64")
    archive(path, ("resources/a.txt", b"new"))
    new = Archive(path).unpack_shared("linux64")
    assert (new.root / "resources/a.txt").read_bytes() == b"new"
    assert (old.root / "resources/a.txt").read_bytes() == b"old"


@pytest.mark.parametrize("data", [b"", b"hello", b"PK\x03\x04"])
def test_something_else_than_a_zip_archive_is_refused(tmp_path, data):
    path = tmp_path / "x.fmu"
    path.write_bytes(data)
    assert "not a valid ZIP archive" in problems(path)


def test_half_an_archive_is_refused(tmp_path):
    path = archive(tmp_path / "x.fmu", ("a", os.urandom(5000)))
    path.write_bytes(path.read_bytes()[:3000])
    assert "not a valid ZIP archive" in problems(path)


def test_a_missing_file_and_a_directory_are_named(tmp_path):
    (tmp_path / "nine.fmu").touch()
    assert 'no such file; did you mean "nine.fmu"?' in problems(tmp_path / "none.fmu")
    assert "is a directory" in problems(tmp_path)


def test_a_damaged_member_is_named_and_nothing_is_left(tmp_path):
    path = archive(tmp_path / "x.fmu", ("resources/data.bin", b"a" * 100), method=zipfile.ZIP_STORED)
    path.write_bytes(path.read_bytes().replace(b"a" * 100, b"a" * 99 + b"b"))
    with pytest.raises(ArchiveError, match=r"resources/data\.bin is damaged: .*CRC"):
        Archive(path).unpack("linux64")


@pytest.mark.parametrize(
    ("name", "reason"),
    [
        ("../x", "leads out of the archive's folder"),
        ("resources/../../x", "leads out of the archive's folder"),
        ("a//b", "leads out of the archive's folder"),
        ("/etc/x", "absolute"),
        ("C:/x", "absolute"),
        ("C:x", "absolute"),
        ("resources/x:stream", "absolute"),
        ("..\\x", "leads out of the archive's folder"),
        ("./../x", "leads out of the archive's folder"),
        (".", "leads out of the archive's folder"),
        ("\\x", "absolute"),
        ("resources/a\x1b[31m", "control characters"),
        ("x" * 300, "too long"),
    ],
)
def test_a_name_that_leads_elsewhere_is_refused(tmp_path, name, reason):
    assert reason in problems(archive(tmp_path / "x.fmu", (name, b"evil")))
    assert {path.name for path in tmp_path.iterdir()} == {"x.fmu"}


@pytest.mark.parametrize(
    ("kind", "word"), [(stat.S_IFLNK, "link"), (stat.S_IFCHR, "special file"), (stat.S_IFIFO, "special file")]
)
def test_links_and_devices_are_refused(tmp_path, kind, word):
    member = zipfile.ZipInfo("resources/thing")
    member.external_attr = (kind | 0o777) << 16
    assert f"is a {word}" in problems(archive(tmp_path / "x.fmu", (member, b"/etc/passwd")))


@pytest.mark.filterwarnings("ignore:Duplicate name")
@pytest.mark.parametrize("names", [("a/b", "A/B"), ("é", "e\u0301"), ("straße", "STRASSE")])
def test_names_that_are_the_same_somewhere_are_refused(tmp_path, names):
    assert "use different names" in problems(archive(tmp_path / "x.fmu", *((name, name.encode()) for name in names)))


def test_a_file_that_is_also_a_folder_is_refused(tmp_path):
    assert "a file and a folder" in problems(archive(tmp_path / "x.fmu", ("a", b""), ("a/b", b"")))


def test_an_encrypted_member_is_refused(tmp_path):
    path = archive(tmp_path / "x.fmu", ("secret", b"x"))
    data = bytearray(path.read_bytes())
    for signature, offset in ((b"PK\x01\x02", 8), (b"PK\x03\x04", 6)):
        data[data.rindex(signature) + offset] |= 1
    path.write_bytes(data)
    assert "is encrypted" in problems(path)


def test_another_compression_is_refused(tmp_path):
    assert "is compressed with method 12" in problems(
        archive(tmp_path / "x.fmu", ("a", b"x"), method=zipfile.ZIP_BZIP2)
    )


def test_all_reasons_are_told_at_once(tmp_path):
    found = problems(archive(tmp_path / "x.fmu", ("../a", b""), ("/b", b""), ("c\\..\\d", b"")))
    assert len(found.splitlines()) == 3


def test_a_bomb_is_refused_by_its_ratio(tmp_path):
    path = archive(tmp_path / "x.fmu", ("resources/zeros", bytes(100 << 20)))
    assert path.stat().st_size < 200_000
    assert "the limit is 250 times the packed size" in problems(path)


def test_an_archive_that_is_too_large_is_refused(tmp_path):
    path = archive(tmp_path / "x.fmu", ("resources/data", os.urandom(2000)))
    assert "the limit is 1000" in problems(path, ArchiveLimits(total_bytes=1000))


def test_too_many_members_are_refused(tmp_path):
    path = archive(tmp_path / "x.fmu", *((f"resources/{k}", b"") for k in range(30)))
    assert "contains 31 files; the limit is 20" in problems(path, ArchiveLimits(members=20))


def test_bytes_are_counted_when_the_directory_lies_about_sizes(tmp_path):
    """The sizes of the directory are those of a small file, what comes out is larger."""
    path = archive(tmp_path / "x.fmu", ("resources/zeros", bytes(1 << 20)))
    data = bytearray(path.read_bytes())
    place = data.rindex(b"PK\x01\x02")
    data[place + 24 : place + 28] = struct.pack("<I", 10)
    data[place + 16 : place + 20] = struct.pack("<I", zlib.crc32(bytes(1 << 20)))
    path.write_bytes(data)
    with pytest.raises(ArchiveError):
        unpacked = Archive(path).unpack("linux64")
        size = (unpacked.root / "resources/zeros").stat().st_size
        raise ArchiveError(f"{size} bytes") if size <= 10 else AssertionError(f"{size} bytes written")


@pytest.mark.parametrize(
    ("name", "text"), [("model/modelDescription.xml", "but at model/"), ("readme.txt", "found: readme.txt")]
)
def test_a_missing_description_says_what_is_there(tmp_path, name, text):
    path = tmp_path / "x.fmu"
    with zipfile.ZipFile(path, "w") as made:
        made.writestr(name, "")
    assert text in problems(path)


def test_directories_of_dead_processes_are_removed(nothing_left_behind):
    stale = nothing_left_behind / "counterpoint-fmu-4194999-abc"
    kept = nothing_left_behind / f"counterpoint-fmu-{os.getpid()}-abc"
    stale.mkdir()
    kept.mkdir()
    (stale / "file").touch()
    remove_stale_directories()
    assert not stale.exists()
    kept.rmdir()
