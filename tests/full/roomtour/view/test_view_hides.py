"""What a run was processed to hide is pixelated in the viewer and in the review."""

from __future__ import annotations

from pathlib import Path

import pytest

from roomtour.cli import main
from roomtour.review.server import ReviewServer
from roomtour.view import hidden
from tests.support.page_rows import read_page
from tests.support.runs.hidden_run import WHOLE, measure_detail, read_pictures, write_hidden_run


@pytest.fixture
def run(tmp_path: Path) -> Path:
    return write_hidden_run(tmp_path / "run")


@pytest.fixture
def everywhere(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(hidden, "make_task", lambda words, folder=None: lambda path: [WHOLE])


def test_the_viewer_hides_it(run: Path, tmp_path: Path, everywhere: None, capsys: pytest.CaptureFixture[str]):
    path = tmp_path / "tour.html"
    assert main(["view", str(run), "--html", str(path), "--frames", "5"]) == 0
    assert "looking for person in" in capsys.readouterr().out
    found = measure_detail(read_pictures(path))
    assert len(found) == 5
    assert max(found) < 10.0
    frames = sorted((run / "frames").glob("*.jpg"))
    assert min(measure_detail(one.read_bytes() for one in frames)) > 20.0, "the run's own frames stay as they are"


def test_the_page_of_rows_hides_it(run: Path, tmp_path: Path, everywhere: None):
    assert main(["browse", str(run)]) == 0
    rows, _ = read_page(tmp_path / "run.browse.html")
    shown = {tmp_path / picture["address"] for row in rows for picture in row["pictures"]}
    assert {path.parent for path in shown} == {tmp_path / "run.browse" / "frames"}
    assert max(measure_detail(path.read_bytes() for path in shown)) < 10.0


def test_the_review_hides_it(run: Path, everywhere: None, monkeypatch: pytest.MonkeyPatch):
    shown: list[bytes] = []

    def look(server: ReviewServer, *_: object) -> None:
        for item in server.session.items:
            found = [server.pictures[item.run].jpeg(frame, 200) for frame in item.tour.frames]
            shown.extend(one for one in found if one is not None)

    monkeypatch.setattr(ReviewServer, "serve_forever", look)
    assert main(["review", str(run), "--rater", "anna"]) == 0
    assert shown
    assert max(measure_detail(shown)) < 10.0


def test_without_networks_the_viewer_writes_nothing(run: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setenv("ROOMTOUR_MODELS", str(tmp_path / "empty"))
    path = tmp_path / "tour.html"
    assert main(["view", str(run), "--html", str(path)]) == 1
    assert not path.exists()
