"""The pictures of a video: key frames for what they show, and one each quarter of a second for the same footage under
several names: runs of pictures that agree at one offset in time, also mirrored.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping
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

Gray = NDArray[np.uint8]


@dataclass(frozen=True)
class VideoHashes:
    """Of pictures a quarter of a second apart; a picture that is nearly plain has none (0)."""

    plain: NDArray[np.uint64]
    mirrored: NDArray[np.uint64]


def probe_video(candidate: Candidate, options: CollectOptions) -> Judgement:
    """Look at the key frames of a video: does it decode, and is it a moving picture of something?"""
    looks: list[Gray] = []
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
        message = f"{candidate.path}: damaged or cut off: {why} after {count(len(looks), 'key frame')}. Copy it again"
        return call_unreadable(candidate.id, "probe", message, _WHOLE)
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


def hash_picture(gray: Gray) -> int:
    """64 bits of the lowest frequencies of a picture; 0 for one that is nearly plain."""
    small = cv2.resize(np.ascontiguousarray(gray), (_HASH_SIDE, _HASH_SIDE), interpolation=cv2.INTER_AREA)
    if float(small.std()) < 5.0:
        return 0
    low = cv2.dct(small.astype(np.float32))[:8, 1:9].ravel()
    bits = low > np.median(low)
    return int.from_bytes(np.packbits(bits).tobytes(), "big")


def _quarters(path: Path) -> Iterator[Gray]:
    with open_video(path) as container:
        stream, _ = choose_stream(path, container)
        due = None
        for frame in container.decode(stream):
            time = frame.time
            if time is None or (due is not None and time < due):
                continue
            due = (time if due is None else due) + _STEP_S
            yield _shrink(frame)


def _shrink(frame: av.VideoFrame) -> Gray:
    return frame.reformat(width=_SIDE_PX, height=_SIDE_PX, format="gray").to_ndarray().astype(np.uint8)


def _measure(looks: list[Gray]) -> dict[str, float]:
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


_MOST_BITS = 10
"""Of 64 by which two pictures of the same moment may differ; of other moments of one home 20 and more do."""
_RUN = 20
"""Quarters of a second in a row that have to agree: five seconds."""
_MISSES = 5
"""Of them that need not: a copy that was cut elsewhere shows moments an eighth of a second apart."""
_BANDS = 4
_COMMON = 50
"""A band that more pictures have than this tells nothing: fades, plain walls."""


def find_duplicates(hashes: Mapping[str, VideoHashes]) -> list[tuple[str, str]]:
    """Pairs of videos that share at least five seconds, each pair once, the earlier of the mapping first."""
    names = list(hashes)
    places = _index({name: video.plain for name, video in hashes.items()})
    pairs: set[tuple[int, int]] = set()
    for number, name in enumerate(names):
        for own in (hashes[name].plain, hashes[name].mirrored):
            for other, offset in _candidates(own, places):
                before = names.index(other)
                pair = (before, number)
                if before < number and pair not in pairs and _agree(own, hashes[other].plain, offset):
                    pairs.add(pair)
    return [(names[first], names[second]) for first, second in sorted(pairs)]


def _index(hashes: Mapping[str, NDArray[np.uint64]]) -> dict[tuple[int, int], list[tuple[str, int]]]:
    """By band and its bits, where pictures have them."""
    places: dict[tuple[int, int], list[tuple[str, int]]] = defaultdict(list)
    for name, own in hashes.items():
        for at, value in enumerate(own):
            for band, bits in _split(int(value)):
                places[band, bits].append((name, at))
    return places


def _split(value: int) -> list[tuple[int, int]]:
    return [(band, value >> (16 * band) & 0xFFFF) for band in range(_BANDS)] if value else []


def _candidates(
    own: NDArray[np.uint64], places: Mapping[tuple[int, int], list[tuple[str, int]]]
) -> list[tuple[str, int]]:
    """Videos and offsets at which some band of some picture is equal; most hits first."""
    hits: Counter[tuple[str, int]] = Counter()
    for at, value in enumerate(own):
        for key in _split(int(value)):
            there = places.get(key, [])
            if len(there) <= _COMMON:
                hits.update((name, other - at) for name, other in there)
    return [place for place, number in hits.most_common() if number >= 2]


def _agree(own: NDArray[np.uint64], other: NDArray[np.uint64], offset: int) -> bool:
    """Whether five seconds in a row agree, but for some moments, with `own` at `offset` in `other`."""
    first, last = max(0, -offset), min(len(own), len(other) - offset)
    if last - first < _RUN:
        return False
    here, there = own[first:last], other[first + offset : last + offset]
    differ = np.unpackbits((here ^ there).view(np.uint8)).reshape(-1, 64).sum(axis=1)
    same = (differ <= _MOST_BITS) & (here != 0) & (there != 0)
    return bool((np.convolve(same, np.ones(_RUN), "valid") >= _RUN - _MISSES).any())
