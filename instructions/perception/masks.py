"""Binary masks as run lengths, in COCO's uncompressed form.

pycocotools is not used: it packs run lengths into strings and never hands them out, so rows that can be read without it
would still need these lines, and the base install would gain a compiled package (0.5 MB) for them.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray

from instructions.errors import InstructionError
from instructions.records import MaskRle


def encode_mask(mask: ArrayLike) -> MaskRle:
    """Run lengths of a mask (height, width), column by column, beginning with a run of zeros (maybe of length 0)."""
    array = np.asarray(mask, dtype=bool)
    if array.ndim != 2:
        raise ValueError(f"encode_mask: shape {array.shape}, need (height, width)")
    flat = array.T.ravel()
    edges = np.flatnonzero(flat[1:] != flat[:-1]) + 1
    starts = np.concatenate([[0], edges, [len(flat)]]).astype(np.int64)
    counts = np.diff(starts).tolist()
    if len(flat) and flat[0]:
        counts.insert(0, 0)
    return MaskRle(array.shape[0], array.shape[1], tuple(int(count) for count in counts if len(flat)))


def decode_mask(rle: MaskRle) -> NDArray[np.bool_]:
    """The mask (height, width).

    Raises:
        InstructionError: If the runs do not add up to the size.
    """
    counts = np.array(rle.counts, dtype=np.int64)
    if counts.sum() != rle.height * rle.width or (counts < 0).any():
        raise InstructionError(
            f"mask: runs cover {int(counts.sum())} pixels, the image has {rle.height} x {rle.width}; "
            "the file is damaged"
        )
    values = np.arange(len(counts)) % 2 == 1
    return np.repeat(values, counts).reshape(rle.width, rle.height).T


def pack_runs(rle: MaskRle) -> dict[str, object]:
    """COCO's compressed form, as pycocotools decodes it: size (height, width) and the runs as letters.

    From the third run on, what is packed is the difference to the run before the last; each number in pieces of five
    bits, the lowest first, with a sixth bit that says whether more follow.
    """
    letters: list[str] = []
    for place, count in enumerate(rle.counts):
        value = count - rle.counts[place - 2] if place > 2 else count
        while True:
            piece, value = value & 0x1F, value >> 5
            more = value != (-1 if piece & 0x10 else 0)
            letters.append(chr(48 + (piece | (0x20 if more else 0))))
            if not more:
                break
    return {"size": [rle.height, rle.width], "counts": "".join(letters)}


def unpack_runs(letters: str) -> tuple[int, ...]:
    """The run lengths of COCO's compressed form: what `pack_runs` made of them.

    Raises:
        InstructionError: For a letter that the form does not have, or an end inside a number.
    """
    counts: list[int] = []
    value = shift = 0
    for letter in letters:
        piece = ord(letter) - 48
        if not 0 <= piece < 64 or shift > 60:  # no picture has as many pixels
            raise InstructionError(f"mask: the letter {letter!r} is none of COCO's compressed form")
        value |= (piece & 0x1F) << shift
        shift += 5
        if piece & 0x20:
            continue
        if piece & 0x10:
            value -= 1 << shift
        counts.append(value + counts[-2] if len(counts) > 2 else value)
        value = shift = 0
    if shift:
        raise InstructionError("mask: its compressed form ends inside a number")
    return tuple(counts)
