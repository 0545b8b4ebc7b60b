"""Pictures for the sites of the tests."""

from __future__ import annotations

import struct
import zlib


def png(red: int, green: int, blue: int) -> bytes:
    """Draw a square of one colour."""
    rows = b"".join(b"\0" + bytes((red, green, blue)) * 8 for _ in range(8))

    def part(name: bytes, data: bytes) -> bytes:
        return struct.pack(">I", len(data)) + name + data + struct.pack(">I", zlib.crc32(name + data))

    head = part(b"IHDR", struct.pack(">IIBBBBB", 8, 8, 8, 2, 0, 0, 0))
    return b"\x89PNG\r\n\x1a\n" + head + part(b"IDAT", zlib.compress(rows)) + part(b"IEND", b"")
