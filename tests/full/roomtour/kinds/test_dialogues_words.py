"""What is written in views is read by a program and asked about; unsure lines are not; without it one line says so."""

from __future__ import annotations

import shutil
import sys
from pathlib import Path

import cv2
import numpy as np
import pytest

from instructions.perception.interfaces import RgbImage
from recon.pictures import read_picture_file
from roomtour.artifacts import DIALOGUE_CONTEXTS
from roomtour.cli import main
from roomtour.run import Run


@pytest.fixture
def folder(finished_run: Path, tmp_path: Path) -> Path:
    shutil.copytree(finished_run, tmp_path / "run")
    return tmp_path / "run"


def write_on(image: RgbImage, words: str, at: tuple[int, int], scale: float) -> RgbImage:
    cv2.rectangle(image, (at[0] - 20, at[1] - 60), (at[0] + 330, at[1] + 30), (255, 255, 255), -1)
    cv2.putText(image, words, at, cv2.FONT_HERSHEY_SIMPLEX, scale, (0, 0, 0), 3)
    return image


def find_view(folder: Path) -> int:
    """A frame that dialogues are about."""
    assert main(["make", str(folder), "--data", "dialogues"]) == 0
    return min(one.view for one in DIALOGUE_CONTEXTS.read(folder) if one.view is not None)


def put_sign(monkeypatch: pytest.MonkeyPatch, name: str) -> None:
    """A frame as if a sign hung there; the file stays, or the run would be found damaged."""

    def read(path: Path):
        image = read_picture_file(path)
        return write_on(image, "EXIT 42", (60, 100), 1.6) if image is not None and path.name == name else image

    monkeypatch.setattr("roomtour.stages.read_words.read_picture_file", read)


def test_a_sign_in_a_view_becomes_a_question(folder: Path, monkeypatch: pytest.MonkeyPatch):
    pytest.importorskip("rapidocr")
    frame = find_view(folder)
    put_sign(monkeypatch, f"{frame:06d}.jpg")
    assert main(["make", str(folder), "--data", "dialogues", "--set", "dialogues.words=rapidocr"]) == 0
    (row,) = [row for row in Run(folder).rows("dialogues") if row.task == "words"]
    assert row.views == (frame,)
    assert "EXIT 42" in row.turns[0].answer
    assert any("rapidocr" in one.words for one in row.evidence)
    assert row.truth is not None
    assert row.truth.words == ("EXIT", "42")


def test_lines_have_their_boxes_and_nothing_is_nothing():
    pytest.importorskip("rapidocr")
    from instructions.perception.models.rapid_ocr import RapidOcr

    reader = RapidOcr()
    blank = np.full((240, 480, 3), 255, np.uint8)
    assert reader.read_text(blank) == []
    (line,) = reader.read_text(write_on(blank.copy(), "Room 7", (100, 150), 1.6))
    assert line.text == "Room 7"
    assert line.score > 0.9
    x0, y0, x1, y1 = line.box_xyxy
    assert 80 <= x0 <= 110
    assert 100 <= y0 <= 130
    assert 230 <= x1 <= 320
    assert 140 <= y1 <= 180


def test_lines_read_with_little_confidence_are_not_asked_about(folder: Path, monkeypatch: pytest.MonkeyPatch):
    pytest.importorskip("rapidocr")
    frame = find_view(folder)
    put_sign(monkeypatch, f"{frame:06d}.jpg")
    told = ("dialogues.words=rapidocr", "dialogues.word_score=1.0")
    assert main(["make", str(folder), "--data", "dialogues", *(word for one in told for word in ("--set", one))]) == 0
    assert not [row for row in Run(folder).rows("dialogues") if row.task == "words"]
    assert "dialogues.words" in {one.code for one in Run(folder).findings}


def test_without_the_program_one_line_says_what_to_install(
    folder: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
):
    monkeypatch.setitem(sys.modules, "rapidocr", None)
    assert main(["make", str(folder), "--data", "dialogues", "--set", "dialogues.words=rapidocr"]) != 0
    assert 'pip install "roomtour[ocr]"' in capsys.readouterr().err
