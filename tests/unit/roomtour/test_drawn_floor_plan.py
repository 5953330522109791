"""The floor plan as a file of its own, and the pixels that its drawing becomes."""

from pathlib import Path
from xml.etree import ElementTree

import cv2
import numpy as np
import pytest

from recon.records import ScaleStatus
from roomtour.drawing.floor_plan import draw_floor_plan, write_floor_plan
from roomtour.drawing.raster import rasterize
from roomtour.errors import RoomtourError, UsageError
from tests.support.runs.made_tour import make_run

EVIL = '"><script>alert(1)</script>'
FRAME = '<svg viewBox="0 0 40 20"><style>.a .b { fill: #ff0000; } .b.c { fill: #00ff00; }</style>%s</svg>'


@pytest.mark.parametrize(
    ("status", "told"), [("assumed", "Assumed scale"), ("metric", "Measured scale"), ("relative", "unknown")]
)
def test_a_plan_stands_alone_and_says_what_its_scale_is_worth(tmp_path: Path, status: ScaleStatus, told: str):
    svg = draw_floor_plan(make_run(tmp_path, status, models=2, pictures=False))
    assert ElementTree.fromstring(svg).tag == "{http://www.w3.org/2000/svg}svg"
    assert "var(" not in svg
    assert told in svg
    assert ("scale-bar" in svg.partition("</style>")[2]) == (status != "relative")


def test_a_plan_is_written_as_its_ending_says(tmp_path: Path):
    run = make_run(tmp_path, pictures=False, text=EVIL)
    write_floor_plan(run, tmp_path / "plan.svg")
    write_floor_plan(run, tmp_path / "plan.png")
    assert "<script" not in (tmp_path / "plan.svg").read_text()
    image = cv2.imread(str(tmp_path / "plan.png"))
    assert image is not None
    assert image.shape[1] == 1600
    assert 0.02 < np.mean(image.min(axis=2) < 200) < 0.5
    with pytest.raises(UsageError, match="floor plan is"):
        write_floor_plan(run, tmp_path / "plan.pdf")
    with pytest.raises(RoomtourError, match="no model"):
        draw_floor_plan(make_run(tmp_path, models=0, pictures=False))


@pytest.mark.parametrize(
    ("drawn", "color_bgr"),
    [
        ('<g class="a"><rect class="b" width="20" height="20"/></g>', (0, 0, 255)),
        ('<g class="a"><rect class="b c" width="20" height="20"/></g>', (0, 255, 0)),
        ('<rect class="b" width="20" height="20" fill="#0000ff"/>', (255, 0, 0)),
        ('<rect width="20" height="20" style="fill:#000;fill-opacity:.5"/>', (128, 128, 128)),
        ('<g transform="translate(-20 0)"><path d="M20 0H40V20H20Z" fill="#0000ff"/></g>', (255, 0, 0)),
        ('<path d="M0 0H20V20H0ZM5 5H15V15H5Z" fill="#000"/>', (255, 255, 255)),
        ('<line x1="0" x2="20" y1="10" y2="10" stroke="#000" stroke-width="6"/>', (0, 0, 0)),
    ],
)
def test_pixels_are_those_of_the_style_that_fits(drawn: str, color_bgr: tuple[int, int, int]):
    image = rasterize(FRAME % drawn)
    assert image.shape == (20, 40, 3)
    assert np.abs(image[10, 10].astype(int) - color_bgr).max() <= 2
    assert (image[10, 30] == 255).all()
