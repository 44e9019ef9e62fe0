"""The first bytes of an HDF5 file: whether it is being written, and where it ends.

HDF5 file format specification 3.0, II.A, versions 2 and 3; older ones are not ours.
"""

from __future__ import annotations

SIGNATURE = b"\x89HDF\r\n\x1a\n"
SIZE = 48
_VERSION, _FLAGS = 8, 11
_WRITTEN, _SWMR = 1, 4
_END = slice(28, 36)
_CHECKSUM = slice(44, 48)
_WORD = 0xFFFFFFFF


def is_marked(head: bytes) -> bool:
    """Say whether a writer has the file open, or died with it."""
    return _is_known(head) and bool(head[_FLAGS])


def end_of_file(head: bytes) -> int:
    """Return the size in bytes that the file must have; 0 when not known."""
    return int.from_bytes(head[_END], "little") if _is_known(head) else 0


def closed(head: bytes, end: int) -> bytes:
    """Return the superblock of a file without a writer that ends at `end`; `head` as it is when not known."""
    return _changed(head, 0, end) if _is_known(head) else head


def readable(head: bytes) -> bytes:
    """Return the superblock with which readers may come in while the file is written in SWMR mode.

    HDF5 leaves one of the two marks out when it writes through a file object.
    """
    if not _is_known(head) or not head[_FLAGS] & _SWMR:
        return head
    return _changed(head, head[_FLAGS] | _WRITTEN, end_of_file(head))


def _changed(head: bytes, flags: int, end: int) -> bytes:
    block = bytearray(head[:SIZE])
    block[_FLAGS] = flags
    block[_END] = end.to_bytes(8, "little")
    block[_CHECKSUM] = checksum(bytes(block[: _CHECKSUM.start])).to_bytes(4, "little")
    return bytes(block) + head[SIZE:]


def _is_known(head: bytes) -> bool:
    return len(head) >= SIZE and head.startswith(SIGNATURE) and head[_VERSION] in (2, 3)


def checksum(data: bytes) -> int:
    """Return the checksum that HDF5 puts at the end of metadata (B. Jenkins, lookup3, 2006).

    >>> hex(checksum(b"Four score and seven years ago"))
    '0x17770551'
    """
    a = b = c = (0xDEADBEEF + len(data)) & _WORD
    blocks = max(0, len(data) - 1) // 12
    for k in range(blocks):
        x, y, z = _words(data[12 * k : 12 * k + 12])
        a, b, c = _mixed((a + x) & _WORD, (b + y) & _WORD, (c + z) & _WORD)
    x, y, z = _words(data[12 * blocks :].ljust(12, b"\0"))
    return _final((a + x) & _WORD, (b + y) & _WORD, (c + z) & _WORD) if data else c


def _words(data: bytes) -> tuple[int, int, int]:
    x, y, z = (int.from_bytes(data[i : i + 4], "little") for i in (0, 4, 8))
    return x, y, z


def _rotated(x: int, bits: int) -> int:
    return (x << bits | x >> (32 - bits)) & _WORD


def _mixed(a: int, b: int, c: int) -> tuple[int, int, int]:
    for bits in (4, 6, 8, 16, 19, 4):
        a = (a - c) & _WORD ^ _rotated(c, bits)
        a, b, c = b, (c + b) & _WORD, a
    return a, b, c


def _final(a: int, b: int, c: int) -> int:
    for bits in (14, 11, 25, 16, 4, 14, 24):
        c = ((c ^ b) - _rotated(b, bits)) & _WORD
        a, b, c = b, c, a
    return b
