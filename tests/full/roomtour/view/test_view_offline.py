import re

import pytest

from roomtour.errors import RoomtourError
from roomtour.run import Run
from roomtour.view.offline import write_offline
from roomtour.view.tour import load_tour
from tests.support.runs.made_tour import make_run
from tests.support.runs.read_page import EVIL, Elements
from tests.support.runs.run_folder import write_run


@pytest.fixture(scope="module")
def run(tmp_path_factory):
    folder = tmp_path_factory.mktemp("offline") / "run"
    (folder / "frames").mkdir(parents=True)
    return Run(write_run(folder, make_run(folder / "frames", models=2, text=EVIL)))


def write(run, path, points=2000, frames=6, model=None):
    tour = load_tour(run, points)
    return write_offline(tour, tour.model(model), path, max_frames=frames)


def test_one_file_with_a_card_per_frame_and_nothing_from_elsewhere(run, tmp_path):
    path = tmp_path / "tour.html"
    assert write(run, path) == path.stat().st_size
    html = path.read_text(encoding="utf-8")
    page = Elements(html)
    assert sum(name == "article" for name, _ in page.tags) == 6
    policy = next(a["content"] or "" for _, a in page.tags if a.get("http-equiv") == "Content-Security-Policy")
    assert policy.startswith("default-src 'none'")
    assert "http" not in policy
    assert "'self'" not in policy
    addresses = [value for _, a in page.tags for key, value in a.items() if key in ("src", "href", "action") and value]
    assert all(address.startswith("data:") for address in addresses)
    assert set(re.findall(r"https?://[\w.]+", html)) <= {"http://www.w3.org"}  # the name of SVG, which is not fetched


def test_no_model_or_no_room_is_one_line(run, tmp_path):
    tour = load_tour(run, 100)
    with pytest.raises(RoomtourError, match="no model to show"):
        write_offline(tour, None, tmp_path / "tour.html", max_frames=3)
    with pytest.raises(RoomtourError, match=r"--html .*cannot be written"):
        write_offline(tour, tour.models[0], tmp_path / "absent" / "tour.html", max_frames=3)
