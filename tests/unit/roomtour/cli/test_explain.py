from pathlib import Path

import cv2
import numpy as np
import pytest

from instructions.questions.writers.views import write_questions
from roomtour.cli import main
from roomtour.explain.pictures import WIDTH_PX, Marked, draw
from roomtour.export.core.records import RunData
from roomtour.run import Run
from tests.support.export.breaking import frames_on_disk
from tests.support.runs.run_folder import STAGES_RUN, write_run
from tests.support.worlds.box_rooms import Block, make_room


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("asked")
    blocks = (
        Block("chair", (4.0, 1.0, 0.45), (0.5, 0.5, 0.9)),
        Block("lamp", (5.5, -1.0, 0.9), (0.4, 0.4, 1.8)),
        Block("table", (5.0, 0.2, 0.4), (0.9, 0.9, 0.8)),
    )
    room = make_room(blocks)
    rows = write_questions(room.tour).rows
    frames = frames_on_disk(folder / "frames", 1, 640, 480)
    data = RunData(room.scene, (), room.objects, room.observations, (), {"spatial": rows}, frames, {})
    return write_run(folder, data, stages=[*STAGES_RUN, "spatial"])


def test_one_row_or_some_by_chance_are_drawn(run: Path, tmp_path: Path):
    row = Run(run).rows("spatial")[0]
    assert main(["explain", str(run), row.id, "--out", str(tmp_path / "one")]) == 0
    assert cv2.imread(str(tmp_path / "one" / f"{row.id}.png")) is not None
    drawn = []
    for seed in ("1", "1", "2"):
        out = tmp_path / f"some{len(drawn)}"
        assert main(["explain", str(run), "--data", "spatial", "--sample", "3", "--seed", seed, "--out", str(out)]) == 0
        drawn.append({path.name for path in out.glob("*.png")})
    assert len(drawn[0]) == 3
    assert drawn[0] == drawn[1] != drawn[2]


def test_a_picture_has_the_boxes_the_text_and_the_points_that_it_shows():
    image = np.zeros((120, 160, 3), np.uint8)
    boxes = (("A", (10.0, 10.0, 60.0, 60.0)), ("B", (70.0, 20.0, 150.0, 100.0)))
    plain, told = draw([Marked(image)], ("one",)), draw([Marked(image, boxes)], ("one", "two"))
    assert plain.shape[1] == told.shape[1] == 960
    assert told.shape[0] > plain.shape[0]
    assert not (plain[:720] != 0).any()
    assert (told[:720] != 0).any()
    image = np.full((480, 640, 3), 128, np.uint8)
    places = ((100.0, 200.0), (500.0, 300.0))
    plain = draw([Marked(image), Marked(image)], ())
    told = draw([Marked(image, (), (("1", places[0]),)), Marked(image, (), (("2", places[1]),))], ())
    changed = np.argwhere((plain != told).any(axis=2))[:, ::-1]
    wide = WIDTH_PX / 2
    at = [np.array(xy) * wide / 640 + (side * wide, 0) for side, xy in enumerate(places)]
    near = [np.linalg.norm(changed - one, axis=1) < 50 for one in at]
    assert min(map(np.sum, near)) > 30
    assert (near[0] | near[1]).all()
