"""A look at the pictures of a video: key frames for what they show, and one each quarter of a second for duplicates."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from hashlib import file_digest
from pathlib import Path

import av
import cv2
import numpy as np
from numpy.typing import NDArray

from recon.errors import ReconError
from recon.numerals import count
from recon.video.container import choose_stream, open_video
from roomtour.collect.bars import hold
from roomtour.collect.records import Candidate, CollectOptions, Judgement, call_unreadable

_SIDE_PX = 64
_BLACK = 20.0
"""Mean brightness (0..255) below which a picture shows nothing."""
_STILL = 1.0
"""Mean change of brightness between two key frames that show the same picture, encoded again."""
_BAR = 12.0
_STEP_S = 0.25
_HASH_SIDE = 32
_WHOLE = "a video that decodes"

Grey = NDArray[np.uint8]


@dataclass(frozen=True)
class VideoHashes:
    """Of pictures a quarter of a second apart; a picture that is nearly plain has none (0)."""

    plain: NDArray[np.uint64]
    mirrored: NDArray[np.uint64]


def probe_video(candidate: Candidate, options: CollectOptions) -> Judgement:
    """Look at the key frames of a video: does it decode, and is it a moving picture of something?"""
    looks: list[Grey] = []
    try:
        with open_video(Path(candidate.path)) as container:
            stream, _ = choose_stream(Path(candidate.path), container)
            seconds = float((container.duration or 0) / av.time_base)
            width, height = stream.codec_context.width, stream.codec_context.height
            stream.codec_context.skip_frame = "NONKEY"
            turned = 0
            for frame in container.decode(stream):
                turned = int(frame.rotation)
                looks.append(_shrink(frame))
    except ReconError as error:
        return call_unreadable(candidate.id, "probe", error, _WHOLE)
    except (OSError, ValueError, EOFError) as error:
        why = getattr(error, "strerror", None) or str(error)
        told = f"{candidate.path}: damaged or cut off: {why} after {count(len(looks), 'key frame')}. Copy it again"
        return call_unreadable(candidate.id, "probe", told, _WHOLE)
    if not looks:
        return call_unreadable(candidate.id, "probe", f"{candidate.path}: holds no picture", _WHOLE)
    figures = {
        "seconds": seconds,
        "width": float(width),
        "height": float(height),
        "upright": float((height > width) != (turned % 180 != 0)),
        **_measure(looks),
    }
    with open(candidate.path, "rb") as file:
        digest = file_digest(file, "sha256").hexdigest()
    return judge_probe(Judgement(candidate.id, "probe", "", figures=figures, sha256=digest), options)


def judge_probe(judgement: Judgement, options: CollectOptions) -> Judgement:
    """Hold the figures of a probe against the bars."""
    figures = judgement.figures
    values = {
        "too-short": figures["seconds"],
        "too-long": figures["seconds"],
        "too-small": min(figures["width"], figures["height"]),
        "black": figures["black_share"],
        "still": figures["still_share"],
        "bars": figures["bars_share"],
    }
    return hold(judgement, values, options)


def hash_video(path: Path) -> VideoHashes:
    """Hashes of its pictures a quarter of a second apart.

    Raises:
        ReconError, OSError, ValueError, EOFError: If it cannot be decoded.
    """
    plain, mirrored = [], []
    for look in _quarters(path):
        plain.append(hash_picture(look))
        mirrored.append(hash_picture(look[:, ::-1]))
    return VideoHashes(np.array(plain, np.uint64), np.array(mirrored, np.uint64))


def hash_picture(grey: Grey) -> int:
    """64 bits of the lowest frequencies of a picture; 0 for one that is nearly plain."""
    small = cv2.resize(np.ascontiguousarray(grey), (_HASH_SIDE, _HASH_SIDE), interpolation=cv2.INTER_AREA)
    if float(small.std()) < 5.0:
        return 0
    low = cv2.dct(small.astype(np.float32))[:8, 1:9].ravel()
    bits = low > np.median(low)
    return int.from_bytes(np.packbits(bits).tobytes(), "big")


def _quarters(path: Path) -> Iterator[Grey]:
    with open_video(path) as container:
        stream, _ = choose_stream(path, container)
        due = None
        for frame in container.decode(stream):
            time = frame.time
            if time is None or (due is not None and time < due):
                continue
            due = (time if due is None else due) + _STEP_S
            yield _shrink(frame)


def _shrink(frame: av.VideoFrame) -> Grey:
    return frame.reformat(width=_SIDE_PX, height=_SIDE_PX, format="gray").to_ndarray().astype(np.uint8)


def _measure(looks: list[Grey]) -> dict[str, float]:
    stack = np.stack(looks).astype(np.float32)
    change = np.abs(np.diff(stack, axis=0)).mean(axis=(1, 2))
    lit = stack.max(axis=0) > _BAR + 8  # what is never lit is a bar
    rows, columns = lit.any(axis=1), lit.any(axis=0)
    shown = float(rows.mean() * columns.mean())
    return {
        "key_frames": float(len(looks)),
        "black_share": float((stack.mean(axis=(1, 2)) < _BLACK).mean()),
        "still_share": float((change < _STILL).mean()) if len(change) else 0.0,
        "bars_share": 1.0 - shown,
    }
