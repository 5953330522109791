"""Files and names that are made to do harm, for tests."""

import struct
import zlib
from pathlib import Path

NESTED = "[" * 100_000 + "]" * 100_000
LONG_NAME = "n" * 300
NOT_UTF8 = "x\udcffy"
"""As Python names a file whose name has the byte 255."""


def write_huge_png(path: Path, width: int = 40_000, height: int = 20_000) -> Path:
    """A black picture of one bit per pixel: 97 kB of file, 2.4 GB once decoded."""

    def chunk(kind: bytes, data: bytes) -> bytes:
        return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))

    deflate = zlib.compressobj(9)
    rows = b"".join(deflate.compress(bytes(1 + width // 8)) for _ in range(height)) + deflate.flush()
    head = struct.pack(">IIBBBBB", width, height, 1, 0, 0, 0, 0)
    path.write_bytes(b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", head) + chunk(b"IDAT", rows) + chunk(b"IEND", b""))
    return path
