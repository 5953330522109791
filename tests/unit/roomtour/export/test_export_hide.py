"""Exports in whose pictures people are coarse squares, whatever the format."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import cv2
import numpy as np
import pyarrow.parquet as pq
import pytest

from instructions.errors import InstructionError
from instructions.perception.hiding import find
from instructions.records import Box
from roomtour.export import RunData, export_runs
from roomtour.export.registry import get_format, parse_options
from roomtour.files.arrays import write_depth_map
from tests.support.export.made_run import make_run

PERSON: Box = (240.0, 60.0, 400.0, 340.0)
INSIDE = (slice(100, 300), slice(270, 370))


def textured() -> np.ndarray:
    small = np.random.default_rng(2).integers(0, 255, (90, 160, 3), dtype=np.uint8)
    return cv2.resize(small, (640, 360), interpolation=cv2.INTER_NEAREST)


@pytest.fixture
def run(tmp_path: Path) -> RunData:
    frames = tmp_path / "frames"
    frames.mkdir()
    made = make_run(frames_dir=frames)
    for frame in made.scene.frames:
        cv2.imwrite(str(frames / frame.image), textured())
    return made


@pytest.fixture
def asked(monkeypatch: pytest.MonkeyPatch) -> list[tuple[str, ...]]:
    """A person in every second picture, found without networks; gives the words that were asked for."""
    words: list[tuple[str, ...]] = []

    def make_task(wanted, folder=None):
        words.append(tuple(wanted))
        return lambda path: [PERSON] if int(path.stem) % 2 else []

    monkeypatch.setattr(find, "make_task", make_task)
    return words


def pictures(out: Path) -> Iterator[np.ndarray]:
    """Every picture of an export: files, and cells of parquet tables."""
    contents = [path.read_bytes() for path in sorted(out.rglob("*.jpg"))]
    for path in sorted(out.rglob("*.parquet")):
        for column in pq.read_table(path).columns:
            cells = [cell.get("bytes") for cell in column.to_pylist() if isinstance(cell, dict)]
            contents += [content for content in cells if content]
    for content in contents:
        picture = cv2.imdecode(np.frombuffer(content, dtype=np.uint8), cv2.IMREAD_COLOR)
        assert picture is not None
        yield np.asarray(picture)


def detail(picture: np.ndarray) -> float:
    """Mean step between neighbours inside the person."""
    return float(np.abs(np.diff(picture[INSIDE].astype(float), axis=1)).mean())


WRITERS = [
    ("navila", []),
    ("gnm", []),
    ("hf", []),
    ("lerobot", []),
    ("llava", []),
]


def test_no_picture_shows_what_is_hidden(
    run: RunData, asked: list[tuple[str, ...]], tmp_path: Path, subtests: pytest.Subtests
):
    for number, (format, options) in enumerate(WRITERS):
        folder = tmp_path / str(number)
        folder.mkdir()
        asked.clear()
        with subtests.test(str(format)):
            hidden = folder / "hidden"
            export_runs([run], format, hidden, parse_options(get_format(format), [*options, "hide=person"]))
            before = {one.shape: detail(cv2.resize(textured(), one.shape[1::-1])) for one in pictures(hidden)}
            after = [detail(one) / before[one.shape] for one in pictures(hidden)]
            assert 0 < max(after) < 0.25  # those between two hidden ones as well
            assert asked == [("person",)]
            card = (hidden / "README.md").read_text(encoding="utf-8")
            assert "person pixelated in 30 of 30 pictures" in card
            assert json.loads((hidden / "export.json").read_text(encoding="utf-8"))["options"]["hide"] == "person"


def test_what_else_lies_in_the_run_is_still_found(run: RunData, asked: list[tuple[str, ...]], tmp_path: Path):
    depth = tmp_path / "perception" / "depth"
    depth.mkdir(parents=True)
    for frame in run.scene.frames:
        write_depth_map(depth, frame.index, np.full((90, 160), 2.0, np.float32))
    export_runs([run], "internnav", tmp_path / "out", parse_options(get_format("internnav"), ["hide=person"]))
    written = [cv2.imread(str(path), cv2.IMREAD_UNCHANGED) for path in (tmp_path / "out").rglob("*.png")]
    assert written
    assert all(one is not None and (one == 2000).all() for one in written)


def test_what_a_run_was_processed_with_is_hidden_unasked(run: RunData, asked: list[tuple[str, ...]], tmp_path: Path):
    kept = replace(run, provenance={**run.provenance, "options": {"hide": "screen"}})
    export_runs([kept], "nerfstudio", tmp_path / "out", parse_options(get_format("nerfstudio"), ["hide=person"]))
    assert asked == [("person", "screen")]


def test_without_networks_nothing_is_exported(run: RunData, tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setenv("ROOMTOUR_MODELS", str(tmp_path / "empty"))
    options = parse_options(get_format("nerfstudio"), ["hide=person"])
    with pytest.raises(InstructionError, match="--hide person: nothing here can find them, so no picture is written"):
        export_runs([run], "nerfstudio", tmp_path / "out", options)
    assert not (tmp_path / "out").exists()
