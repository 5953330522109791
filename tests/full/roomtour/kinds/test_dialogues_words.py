"""What is written in views is read by a program and asked about; unsure lines are not; without it one line says so."""

import shutil
import sys
from pathlib import Path

import cv2
import numpy as np
import pytest

from instructions.perception.interfaces import RgbImage
from instructions.perception.models.rapid_ocr import RapidOcr
from roomtour.artifacts import DIALOGUE_CONTEXTS
from roomtour.cli import main
from roomtour.run import Run
from tests.support.one_line import one_line


def make(folder: Path, *told: str) -> int:
    return main(["make", str(folder), "--data", "dialogues", *(word for one in told for word in ("--set", one))])


@pytest.fixture
def folder(finished_run: Path, tmp_path: Path) -> Path:
    return shutil.copytree(finished_run, tmp_path / "run")


def write_on(image: RgbImage, words: str, at: tuple[int, int], scale: float) -> RgbImage:
    cv2.rectangle(image, (at[0] - 20, at[1] - 60), (at[0] + 330, at[1] + 30), (255, 255, 255), -1)
    cv2.putText(image, words, at, cv2.FONT_HERSHEY_SIMPLEX, scale, (0, 0, 0), 3)
    return image


def test_a_sign_in_a_view_becomes_a_question_unless_it_was_read_with_little_confidence(
    folder: Path, monkeypatch: pytest.MonkeyPatch
):
    pytest.importorskip("rapidocr")
    assert make(folder) == 0
    frame = min(one.view for one in DIALOGUE_CONTEXTS.read(folder) if one.view is not None)
    real, marked = RapidOcr(), cv2.imread(str(folder / "frames" / f"{frame:06d}.jpg"))
    assert marked is not None

    def read_sign(self: RapidOcr, image: RgbImage):
        """As if a sign hung there, in that view alone; the file stays, or the run would be found damaged."""
        far = [np.abs(image.astype(int) - one).mean() > 2.0 for one in (marked, marked[:, :, ::-1])]
        return [] if all(far) else sound(real, write_on(image.copy(), "EXIT 42", (60, 100), 1.6))

    sound = RapidOcr.read_text
    monkeypatch.setattr(RapidOcr, "read_text", read_sign)
    assert make(folder, "dialogues.words=rapidocr") == 0
    (row,) = [row for row in Run(folder).rows("dialogues") if row.task == "words"]
    assert row.views == (frame,)
    assert "EXIT 42" in row.turns[0].answer
    assert any("rapidocr" in one.words for one in row.evidence)
    assert row.truth is not None
    assert row.truth.words == ("EXIT", "42")
    assert make(folder, "dialogues.words=rapidocr", "dialogues.word_score=1.0") == 0
    assert not [row for row in Run(folder).rows("dialogues") if row.task == "words"]
    assert "dialogues.words" in {one.code for one in Run(folder).findings}


def test_lines_have_their_boxes_and_nothing_is_nothing():
    pytest.importorskip("rapidocr")
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


def test_without_the_program_one_line_says_what_to_install(folder: Path, monkeypatch, capsys):
    monkeypatch.setitem(sys.modules, "rapidocr", None)
    words = ["make", str(folder), "--data", "dialogues", "--set", "dialogues.words=rapidocr"]
    assert 'pip install "roomtour[ocr]"' in one_line(capsys, *words)
