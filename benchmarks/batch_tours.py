"""Tours for `benchmarks/batch.py`: pieces of walks, damaged files, and children that crash, eat memory or hang.

Pieces are of the example and of the test walks: cut, mirrored, upside down, lying on their side, dimmed, walked
backwards, small. Damaged ones are files without a picture, without an end, or with bytes turned over. Poison is
no file but a fault inside the child of a good piece: the real child goes through the real stages until it comes to one,
and there the native code reads from a null pointer, aborts, takes memory without end, or stands still.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial
from itertools import cycle, islice, takewhile
from pathlib import Path

import av
import numpy as np
from numpy.typing import NDArray

ROOT = Path(__file__).parents[1]
Picture = NDArray[np.uint8]

CHANGES: dict[str, Callable[[Picture], Picture]] = {
    "cut": lambda picture: picture,
    "mirrored": lambda picture: picture[:, ::-1],
    "upside-down": lambda picture: picture[::-1, ::-1],
    "on-its-side": np.rot90,
    "dimmed": lambda picture: (picture * 0.6).astype(np.uint8),
    "small": lambda picture: picture[::2, ::2],
    "backwards": lambda picture: picture,
}
"""What is done to every picture of a piece; `backwards` turns their order round."""


@dataclass(frozen=True)
class Piece:
    """A few seconds of a video of this repository."""

    video: str
    start_s: float
    seconds: float
    fps: int
    """Of the piece; the video's own rate, or a part of it: no stage looks at more than about ten a second."""

    @property
    def name(self) -> str:
        """For a file."""
        return f"{Path(self.video).stem}-{self.start_s:02.0f}"


PIECES = (
    *(
        Piece("examples/apartment.mp4", start, 8.0, 10)
        for start in (0.0, 8.0, 16.0, 24.0, 32.0, 40.0, 48.0, 56.0, 64.0)
    ),
    *(Piece("tests/data/short_walk.mp4", start, 8.0, 15) for start in (0.0, 3.5, 7.0)),
    *(Piece("tests/data/tiled_walk.mp4", start, 8.0, 15) for start in (0.0, 6.0, 12.0)),
    Piece("tests/data/straight_walk.mp4", 0.0, 6.0, 10),
)

_FAULTS = {
    "falls": "ctypes.string_at(0)",
    "aborts": "os.abort()",
    "eats": "held.append(np.ones(50_000_000 // 8)); time.sleep(0.1)",
    "hangs": "time.sleep(1)",
}
_CHILD = """
import ctypes, os, sys, time
import numpy as np
from roomtour.batch.children import phase
tell, held = phase.EventFile.stage_started, []
def tell_and_fall(self, title):
    tell(self, title)
    while title == {title!r}:
        {fault}
phase.EventFile.stage_started = tell_and_fall
sys.exit(phase.main(sys.argv[1]))
"""
_TITLES = {"features": "Features and matches", "sfm": "Structure from motion"}


@dataclass(frozen=True)
class Poison:
    """A fault in the child of a tour, and how the job has to name it."""

    fault: str
    stage: str
    state: str
    signal: int = 0

    @property
    def child(self) -> str:
        """The program of the child: the real one, until it comes to the stage."""
        return _CHILD.format(title=self.title, fault=_FAULTS[self.fault])

    @property
    def title(self) -> str:
        """What people call the stage."""
        return _TITLES[self.stage]


POISON = {
    "falls-features": Poison("falls", "features", "crashed", 11),
    "falls-sfm": Poison("falls", "sfm", "crashed", 11),
    "aborts-sfm": Poison("aborts", "sfm", "crashed", 6),
    "eats-features": Poison("eats", "features", "out-of-memory"),
    "hangs-sfm": Poison("hangs", "sfm", "timed-out"),
}
"""By the name of its tour."""

REFUSED = ("empty", "text", "no-index", "one-picture")
"""Damaged tours that hold nothing to go by; what the others still hold is for a quiet run to say."""
TURNED_OVER = ("truncated", "flipped-20", "flipped-200", "flipped-2000")
"""Tours with damage amid their pictures. Decoders with several threads make up what is missing from whatever they have
at hand, so the same file may give other pictures in the next run."""


def make_tours(folder: Path, pieces: int) -> dict[str, Path]:
    """Files of all tours by name, so many of them pieces; those that are there already stay.

    Raises:
        ValueError: If there are not so many pieces and changes.
    """
    if pieces > len(PIECES) * len(CHANGES):
        raise ValueError(f"{pieces} pieces wanted; there are {len(PIECES) * len(CHANGES)} with all changes")
    folder.mkdir(parents=True, exist_ok=True)
    made: dict[str, Path] = {}
    for piece, change in islice(_choose_pieces(), pieces):
        made[f"{piece.name}-{change}"] = _write_once(
            folder / f"{piece.name}-{change}.mp4", lambda path, p=piece, c=change: cut_piece(path, p, c)
        )
    for name, write in _damages(folder).items():
        made[name] = _write_once(folder / f"{name}.mp4", write)
    for name in POISON:
        made[name] = _write_once(folder / f"{name}.mp4", lambda path: cut_piece(path, PIECES[9], "cut"))
    return made


def _choose_pieces() -> Iterator[tuple[Piece, str]]:
    """Every piece with every change, such that the first few are of all kinds."""
    seen = set()
    changes = list(CHANGES)
    for number, piece in enumerate(cycle(PIECES)):
        pair = piece, changes[(number + number // len(PIECES)) % len(changes)]
        if pair not in seen:
            seen.add(pair)
            yield pair


def _write_once(path: Path, write: Callable[[Path], None]) -> Path:
    if not path.exists():
        part = path.with_name(f".{path.name}")
        write(part)
        part.rename(path)
    return path


def _damages(folder: Path) -> dict[str, Callable[[Path], None]]:
    whole = folder / ".whole"
    if not whole.exists():
        cut_piece(whole, PIECES[9], "cut")
    content = whole.read_bytes()
    streamed = folder / ".streamed"
    if not streamed.exists():
        cut_piece(streamed, PIECES[9], "cut", faststart=True)
    begun = streamed.read_bytes()

    contents = {
        "empty": b"",
        "text": b"no video\n" * 9,
        "no-index": content[: len(content) // 2],
        "truncated": begun[: len(begun) * 3 // 4],
        "flipped-20": _flip(begun, 0, 20),
        "flipped-200": _flip(begun, 1, 200),
        "flipped-2000": _flip(begun, 2, 2000),
    }
    return {
        **{name: partial(_write_bytes, content=held) for name, held in contents.items()},
        "one-picture": lambda path: cut_piece(path, Piece("tests/data/short_walk.mp4", 0.0, 0.01, 15), "cut"),
        "still": lambda path: write_video(path, [read_piece(PIECES[9])[0]] * 60, 10, False),
    }


def _write_bytes(path: Path, content: bytes) -> None:
    path.write_bytes(content)


def _flip(content: bytes, seed: int, count: int) -> bytes:
    """Bytes turned over at random, behind the first tenth, where the index is."""
    turned = np.frombuffer(content, np.uint8).copy()
    turned[np.random.default_rng(seed).integers(len(content) // 10, len(content), count)] ^= 0xFF
    return turned.tobytes()


def cut_piece(path: Path, piece: Piece, change: str, faststart: bool = False) -> None:
    """Write a piece of a video as a file, with a change."""
    pictures = [np.ascontiguousarray(CHANGES[change](picture)) for picture in read_piece(piece)]
    write_video(path, pictures[::-1] if change == "backwards" else pictures, piece.fps, faststart)


def read_piece(piece: Piece) -> list[Picture]:
    """Its pictures, RGB."""
    with av.open(str(ROOT / piece.video)) as source:
        rate = source.streams.video[0].average_rate
        every = round(float(rate or piece.fps) / piece.fps)
        until = takewhile(lambda frame: (frame.time or 0.0) < piece.start_s + piece.seconds, source.decode(video=0))
        frames = [frame for frame in until if (frame.time or 0.0) >= piece.start_s]
        return [frame.to_ndarray(format="rgb24").astype(np.uint8) for frame in frames[::every]]


def write_video(path: Path, pictures: list[Picture], fps: int, faststart: bool = False) -> None:
    """An mp4 file; `faststart` puts its index first, so that half of it can be read. The encoder does not look ahead:
    where it does, no two files of the same pictures are equal.
    """
    options = {"movflags": "+faststart"} if faststart else {}
    with av.open(str(path), "w", format="mp4", options=options) as target:
        stream = target.add_stream("libx264", rate=fps)
        stream.height, stream.width = (side // 2 * 2 for side in pictures[0].shape[:2])
        stream.pix_fmt, stream.options = "yuv420p", {"crf": "18", "tune": "zerolatency"}
        for picture in pictures:
            whole = np.ascontiguousarray(picture[: stream.height, : stream.width])
            target.mux(stream.encode(av.VideoFrame.from_ndarray(whole, "rgb24")))
        target.mux(stream.encode())
