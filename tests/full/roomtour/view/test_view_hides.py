import base64
import re
from collections.abc import Iterable
from pathlib import Path
from types import SimpleNamespace
from typing import Any, cast

import cv2
import numpy as np
import pytest

from recon.tasks import map_here
from roomtour.cli import main
from roomtour.config import Config
from roomtour.review.server import ReviewServer
from roomtour.run import Run
from roomtour.stages import report
from roomtour.stages.context import StageContext
from roomtour.stages.inputs import hidden_frames
from roomtour.store import RunStore
from tests.support.runs.made_tour import make_run
from tests.support.runs.run_folder import write_run

WHOLE = (0.0, 0.0, 4000.0, 4000.0)
"""A person who fills every picture."""


def write_hidden_run(folder: Path) -> Path:
    """Write it."""
    (folder / "frames").mkdir(parents=True)
    data = make_run(folder / "frames")
    for frame in data.scene.frames:
        noise = np.random.default_rng(frame.index).integers(0, 255, (frame.height, frame.width, 3), dtype=np.uint8)
        cv2.imwrite(str(folder / "frames" / frame.image), noise)
    write_run(folder, data)
    store = RunStore(folder)
    store.facts = {**store.facts, "options": {**store.facts["options"], "hide": "person"}}
    store.write()
    return folder


def measure_detail(contents: Iterable[bytes]) -> list[float]:
    """Mean step between neighbouring pixels of each JPEG; over 20 for noise."""
    found = []
    for content in contents:
        picture = cv2.imdecode(np.frombuffer(content, dtype=np.uint8), cv2.IMREAD_COLOR)
        assert picture is not None
        found.append(float(np.abs(np.diff(picture.astype(float), axis=1)).mean()))
    return found


def read_pictures(html: Path) -> list[bytes]:
    """The pictures inside a page."""
    return [base64.b64decode(one) for one in re.findall(r"data:image/jpeg;base64,([\w+/=]+)", html.read_text("utf-8"))]


@pytest.fixture
def run(tmp_path: Path) -> Path:
    return write_hidden_run(tmp_path / "run")


@pytest.fixture
def everywhere(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(hidden_frames, "make_task", lambda words, folder=None: lambda path: [WHOLE])


def test_the_viewer_hides_it(run: Path, tmp_path: Path, everywhere: None, capsys: pytest.CaptureFixture[str]):
    path = tmp_path / "tour.html"
    assert main(["view", str(run), "--html", str(path), "--frames", "5"]) == 0
    assert "looking for person in" in capsys.readouterr().out
    found = measure_detail(read_pictures(path))
    assert len(found) == 5
    assert max(found) < 10.0
    frames = sorted((run / "frames").glob("*.jpg"))
    assert min(measure_detail(one.read_bytes() for one in frames)) > 20.0, "the run's own frames stay as they are"


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


def write_report(run: Path, out: Path, hide: str) -> list[bytes]:
    workers = cast(Any, SimpleNamespace(map=map_here))
    context = StageContext(
        cast(Any, None), Config(hide=hide), RunStore(run), out, lambda share: None, workers, cast(Any, None)
    )
    report.run(context)
    return read_pictures(out / "report.html")


def test_the_report_hides_what_the_tour_was_processed_with(run: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    for module in (report, hidden_frames):
        monkeypatch.setattr(module, "make_task", lambda words, folder=None: lambda path: [WHOLE])
    for part in ("sub_models", "merge_attempts"):  # nothing was reconstructed in a made run
        monkeypatch.setattr(Run, part, ())
    plain = measure_detail(write_report(run, tmp_path / "plain", ""))
    coarse = measure_detail(write_report(run, tmp_path / "coarse", "person"))
    assert len(plain) == len(coarse) > 0
    assert max(coarse) < 0.5 * float(np.mean(plain))
