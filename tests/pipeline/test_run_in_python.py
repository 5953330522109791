from pathlib import Path
from xml.etree import ElementTree

import cv2
import numpy as np
import pytest

from roomtour import RoomtourError, Run
from roomtour.artifacts import ARTIFACTS, KEPT_ROWS


def test_frames_have_pictures_and_depth(finished_run: Path):
    run = Run(finished_run)
    frame = run.frames[2]
    picture = run.image(frame.index)
    assert picture.shape == (frame.height, frame.width, 3)
    decoded_bgr = cv2.imread(str(finished_run / "frames" / frame.image))
    assert decoded_bgr is not None
    assert np.array_equal(picture[:, :, ::-1], decoded_bgr)
    model = run.scene.models[0]
    pose = model.world_from_cam[frame.index]
    rows = model.points.rows_of_frame(frame.index)
    expected = pose.depths(model.points.xyz[model.points.obs_point[rows]])
    columns, lines = (model.points.obs_xy[rows] / 4).astype(int).T
    read = run.depth(frame.index)[lines, columns]
    known = np.isfinite(read)
    assert known.mean() > 0.5
    assert np.median(np.abs(read[known] / expected[known] - 1)) < 0.05
    with pytest.raises(RoomtourError, match="no frame 999"):
        run.image(999)


def test_every_kind_of_row_comes_as_a_table(whole_run: Path):
    run = Run(whole_run)
    assert len(run.table("frames")) == len(run.frames)
    for kind in KEPT_ROWS:
        assert np.asarray(run.table(kind)["id"]).tolist() == [row.id for row in run.rows(kind)]
    for artifact in ARTIFACTS.values():
        if artifact.record is not None:
            run.table(artifact.name)
    with pytest.raises(RoomtourError, match=r"no such rows.*spatial"):
        run.table("questions")


def test_a_notebook_shows_verdict_and_floor_plan(finished_run: Path):
    run = Run(finished_run)
    plan = run.plot_floor_plan()
    assert plan._repr_svg_() == str(plan)
    assert ElementTree.fromstring(plan).tag.endswith("svg")
    page = run._repr_html_()
    assert str(plan) in page
    assert str(run.verdict) in page
    with pytest.raises(RoomtourError, match="no model 9"):
        run.plot_floor_plan("9")
