"""A film of a run: its frames in their time, the words that hold as a subtitle, and the camera moving over the plan."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path

import av
import cv2
import numpy as np
from numpy.typing import NDArray

from instructions.navigation.records import Instruction
from recon.geometry import Array
from recon.records import Frame, SceneModel
from roomtour.drawing.clauses import Clause, cut_clauses, find_clause
from roomtour.drawing.floor_plan import draw_bare_plan
from roomtour.drawing.map import WIDTH
from roomtour.drawing.map_marks import find_heading
from roomtour.drawing.raster import HERSHEY_PX, rasterize, to_ascii
from roomtour.drawing.text import clock
from roomtour.drawing.thumbnails import require_picture
from roomtour.errors import RoomtourError
from roomtour.run import Run
from roomtour.view.card import open_frames

FPS = 12
"""Pictures per second: frames of the run stand longer, but the camera moves smoothly over the plan."""
SHORT_SIDE_PX = 540
_BAND_LINES = 3
_LETTER_PX = 22.0
_PLAN_SHARE = 0.34
"""Of the width of the picture."""
_PLAN_OPACITY = 0.88
_SIGHT_DEG, _SIGHT_PX = 60.0, 26.0
_GROUND, _BRIGHT, _DIM = (24, 20, 18), (255, 255, 255), (150, 146, 142)
_CAMERA = (40, 40, 220)
_KINDS = ("instruction", "description")
"""Of the texts of one way the first is shown; other kinds where there is neither."""
_SENTENCE = re.compile(r"[^.!?]*[.!?]?\s*")

Image = NDArray[np.uint8]


@dataclass(frozen=True, eq=False)
class _Plan:
    """The plan of a model in pixels of the film, and where its camera is."""

    image: Image
    xy_px: Array  # (N, 2)
    heading_deg: Array  # (N,)
    """Unwrapped, so that it can be interpolated."""
    time_s: Array  # (N,)

    def holds(self, time_s: float) -> bool:
        """Whether the time lies between the first and the last frame with a pose in this model."""
        return bool(self.time_s[0] <= time_s <= self.time_s[-1])

    def draw(self, time_s: float) -> Image:
        """The plan with the camera; without it before the first and after the last frame with a pose."""
        image = self.image.copy()
        if self.holds(time_s):
            x, y = (float(np.interp(time_s, self.time_s, self.xy_px[:, axis])) for axis in (0, 1))
            heading = float(np.interp(time_s, self.time_s, self.heading_deg))
            rays = np.radians(heading + np.linspace(-_SIGHT_DEG / 2, _SIGHT_DEG / 2, 9))
            rim = [(x, y), *((x + _SIGHT_PX * np.cos(ray), y - _SIGHT_PX * np.sin(ray)) for ray in rays)]
            sight = image.copy()
            cv2.fillPoly(sight, [np.round(rim).astype(np.int32)], _CAMERA, cv2.LINE_AA)
            image = cv2.addWeighted(sight, 0.4, image, 0.6, 0.0)
            cv2.circle(image, (round(x), round(y)), 6, _BRIGHT, -1, cv2.LINE_AA)
            cv2.circle(image, (round(x), round(y)), 5, _CAMERA, -1, cv2.LINE_AA)
        return np.asarray(image, dtype=np.uint8)


@dataclass(frozen=True)
class Subtitle:
    """A sentence, and the part of it that holds now."""

    before: str
    now: str
    after: str


def write_film(run: Run, out: Path) -> float:
    """Write the film of a run as an MP4 that browsers play; an existing one is replaced.

    Without a model it has no plan.

    Returns:
        Its length in seconds.

    Raises:
        RoomtourError: If the run has no frames, one cannot be read, `out` is the tour itself, or it cannot be written.
        InstructionError: If the run was to hide something and nothing here can find it.
    """
    frames = sorted(run.scene.frames, key=lambda frame: frame.time_s)
    if not frames:
        raise RoomtourError(f"{run.path}: no frames, so there is nothing to film")
    if out.exists() and out.resolve() == Path(run.scene.source.path).resolve():
        raise RoomtourError(f"{out}: is the tour itself; give another --out")
    part = out.with_name(out.name + ".part")
    try:
        with open_frames(run, frames) as folder:
            written = _encode(_draw_pictures(run, frames, folder), part)
        part.replace(out)
    except OSError as error:
        raise RoomtourError(f"{out}: cannot be written: {error.strerror or error}") from error
    finally:
        part.unlink(missing_ok=True)
    return written / FPS


def find_subtitle(texts: Sequence[tuple[Instruction, Sequence[Clause]]], frame: int) -> Subtitle | None:
    """The sentence that holds at a frame, of the first of these texts whose way has the frame."""
    for told, clauses in texts:
        clause = find_clause(clauses, frame)
        if clause is None or frame > max(told.views):
            continue
        for found in _SENTENCE.finditer(told.text):
            if found.start() <= clause.start < found.end():
                stop = min(clause.start + len(clause.text), found.end())
                before, now = told.text[found.start() : clause.start], told.text[clause.start : stop]
                return Subtitle(before, now, told.text[stop : found.end()].rstrip())
    return None


def _draw_pictures(run: Run, frames: Sequence[Frame], folder: Path) -> Iterator[Image]:
    scale = SHORT_SIDE_PX / min(frames[0].width, frames[0].height)
    size = tuple(2 * round(side * scale / 2) for side in (frames[0].width, frames[0].height))
    band_px = 2 * round(_LETTER_PX * (1.35 * _BAND_LINES + 0.8) / 2)
    plans = _make_plans(run, round(size[0] * _PLAN_SHARE))
    accepted = [instruction for instruction in run.instructions if instruction.accepted]
    accepted.sort(key=lambda told: _KINDS.index(told.kind) if told.kind in _KINDS else len(_KINDS))
    texts = [(told, cut_clauses(told)) for told in accepted]
    start_s, end_s = frames[0].time_s, frames[-1].time_s + 1.0
    shown, row = None, -1
    picture = subtitles = np.zeros((0, 0, 3), np.uint8)
    for step in range(max(1, round((end_s - start_s) * FPS))):
        time_s = start_s + step / FPS
        while row + 1 < len(frames) and frames[row + 1].time_s <= time_s + 1e-6:
            row += 1
        if frames[row] is not shown:
            shown = frames[row]
            picture = cv2.resize(require_picture(folder / shown.image), size, interpolation=cv2.INTER_CUBIC)
            subtitles = _draw_band(find_subtitle(texts, shown.index), size[0], band_px)
        whole = np.asarray(np.vstack([picture, subtitles]), dtype=np.uint8)
        if plan := next((one for one in plans if one.holds(time_s)), next(iter(plans), None)):
            _lay_over(whole, plan.draw(time_s))
        cv2.rectangle(whole, (10, 10), (86, 36), _GROUND, -1)
        cv2.putText(whole, clock(time_s), (18, 29), cv2.FONT_HERSHEY_SIMPLEX, 0.55, _BRIGHT, 1, cv2.LINE_AA)
        yield whole


def _make_plans(run: Run, width_px: int) -> list[_Plan]:
    """Of each model, the largest first."""
    return [
        _make_plan(run, model, width_px / WIDTH)
        for model in sorted(run.scene.models, key=lambda one: -len(one.frames))
        if model.frames
    ]


def _make_plan(run: Run, model: SceneModel, factor: float) -> _Plan:
    svg, view = draw_bare_plan(run, model)
    times = [run.scene.frame_by_index[frame].time_s for frame in model.frames]
    return _Plan(rasterize(svg, factor), view.at(model.centers) * factor, _headings(model), np.array(times))


def _headings(model: SceneModel) -> Array:
    """Of each frame; one that looks straight up or down keeps that of the frame before."""
    headings: list[float] = []
    for frame in model.frames:
        found = find_heading(model.world_from_cam[frame])
        headings.append(found if found is not None else headings[-1] if headings else 0.0)
    return np.degrees(np.unwrap(np.radians(headings)))


def _lay_over(picture: Image, plan: Image) -> None:
    """The plan in the upper right corner, shrunk where it is higher than half of the picture."""
    most = picture.shape[0] // 2
    if plan.shape[0] > most:
        plan = np.asarray(cv2.resize(plan, (round(plan.shape[1] * most / plan.shape[0]), most)), dtype=np.uint8)
    height, width = plan.shape[:2]
    corner = picture[10 : 10 + height, -10 - width : -10]
    corner[:] = cv2.addWeighted(plan, _PLAN_OPACITY, np.ascontiguousarray(corner), 1.0 - _PLAN_OPACITY, 0.0)


def _draw_band(subtitle: Subtitle | None, width: int, height: int) -> Image:
    """The sentence in words, those that hold now bright; letters shrink where it is too long for the band."""
    band = np.full((height, width, 3), _GROUND, np.uint8)
    if subtitle is None:
        return band
    parts = ((subtitle.before, _DIM), (subtitle.now, _BRIGHT), (subtitle.after, _DIM))
    words = [(word, color) for text, color in parts for word in to_ascii(text).split()]
    letter = _LETTER_PX
    while len(lines := _wrap(words, width - 40, letter / HERSHEY_PX)) * letter * 1.35 > height - letter / 2:
        letter *= 0.9
    top = (height - len(lines) * letter * 1.35) / 2
    for row, line in enumerate(lines):
        for x, word, color in line:
            at = (20 + round(x), round(top + (row + 0.85) * letter * 1.35))
            cv2.putText(band, word, at, cv2.FONT_HERSHEY_SIMPLEX, letter / HERSHEY_PX, color, 1, cv2.LINE_AA)
    return band


def _wrap(
    words: Iterable[tuple[str, tuple[int, int, int]]], width: int, size: float
) -> list[list[tuple[float, str, tuple[int, int, int]]]]:
    """Words in lines, each with where it begins."""
    space = HERSHEY_PX * size * 0.35
    lines: list[list[tuple[float, str, tuple[int, int, int]]]] = [[]]
    x = 0.0
    for word, color in words:
        wide = cv2.getTextSize(word, cv2.FONT_HERSHEY_SIMPLEX, size, 1)[0][0]
        if lines[-1] and x + wide > width:
            lines.append([])
            x = 0.0
        lines[-1].append((x, word, color))
        x += wide + space
    return lines


def _encode(pictures: Iterable[Image], path: Path) -> int:
    """Write pictures of even size (H, W, 3), BGR, as MP4; returns how many."""
    codec = "libx264" if "libx264" in av.codecs_available else "mpeg4"
    number = 0
    with av.open(str(path), "w", format="mp4", options={"movflags": "faststart"}) as container:
        stream = None
        for picture in pictures:
            if stream is None:
                stream = container.add_stream(codec, rate=FPS)
                stream.height, stream.width = picture.shape[:2]
                stream.pix_fmt, stream.time_base = "yuv420p", Fraction(1, FPS)
                stream.options = {"crf": "23", "preset": "veryfast"} if codec == "libx264" else {"q:v": "4"}
            frame = av.VideoFrame.from_ndarray(picture, format="bgr24")
            frame.pts, frame.time_base = number, Fraction(1, FPS)
            container.mux(stream.encode(frame))
            number += 1
        if stream is not None:
            container.mux(stream.encode())
    return number
