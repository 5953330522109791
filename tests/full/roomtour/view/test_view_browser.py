import threading
import time

import pytest
from playwright.sync_api import Page, expect

from roomtour.drawing.thumbnails import spread
from roomtour.run import Run
from roomtour.view.live import LiveViewer
from roomtour.view.offline import write_offline
from roomtour.view.ports import free_port
from roomtour.view.tour import load_tour
from tests.support.runs.made_tour import make_run
from tests.support.runs.run_folder import write_run

EVIL = "<script>window.harmed = 1</script><img src=x onerror='window.harmed = 1'>"
PATIENCE_MS = 120_000
"""A browser that draws in software on a busy machine is slow, and nothing here is about speed."""
expect.set_options(timeout=PATIENCE_MS)


@pytest.fixture(scope="module")
def tour(tmp_path_factory):
    folder = tmp_path_factory.mktemp("browser") / "run"
    (folder / "frames").mkdir(parents=True)
    return load_tour(Run(write_run(folder, make_run(folder / "frames", models=2, text=EVIL))), 3000)


@pytest.fixture
def viewer(tour):
    started = LiveViewer(tour, tour.model(None), free_port(18300))
    yield started
    started.stop()


def open_viewer(viewer, window) -> Page:
    page = window.open(viewer.address)
    page.set_default_timeout(PATIENCE_MS)
    expect(page.locator(".rt-card image")).to_be_visible(timeout=PATIENCE_MS)
    return page


def frame_on_page(page: Page) -> str:
    return page.locator(".rt-card strong", has_text="Frame").inner_text().split(" ")[1]


def test_the_live_page_loads_quietly_and_runs_no_text(viewer, browser_page):
    window = browser_page(1100, 800)
    page = open_viewer(viewer, window)
    expect(page.get_by_text("Model 0:")).to_be_visible()
    assert page.evaluate("window.harmed") is None
    assert window.problems == []
    assert window.requests_beyond_loopback() == []


def test_the_slider_walks_and_play_moves_it(viewer, browser_page):
    page = open_viewer(viewer, browser_page(1100, 800))
    assert frame_on_page(page) == str(viewer.shown_frame)
    first = viewer.shown_frame
    slider = page.get_by_role("slider").first
    slider.focus()
    for _ in range(40):
        slider.press("ArrowRight")
    expect(page.locator(".rt-card strong", has_text="Frame")).not_to_contain_text(f"Frame {first} ")
    assert viewer.shown_frame > first
    before = viewer.shown_frame
    page.get_by_text("Play the walk").click()
    expect(page.get_by_text("Pause")).to_be_visible()
    ended = threading.Event()
    player = threading.Thread(target=viewer.serve, args=(ended,))
    player.start()
    expect(page.locator(".rt-card strong", has_text="Frame")).not_to_contain_text(f"Frame {before} ")
    ended.set()
    player.join()
    assert viewer.shown_frame > before


def test_another_model_can_be_chosen_and_layers_hidden(viewer, tour, browser_page):
    window = browser_page(1100, 800)
    page = open_viewer(viewer, window)
    page.locator("input[value='0']").first.click()
    page.get_by_role("option", name="1").click()
    expect(page.get_by_text("Model 1:")).to_be_visible()
    assert viewer.shown_frame in tour.models[1].frames
    page.get_by_text("Show", exact=True).click()
    page.get_by_label("Object boxes").click()
    deadline = time.monotonic() + PATIENCE_MS / 1000
    while layers(viewer)["boxes"].visible and time.monotonic() < deadline:
        page.wait_for_timeout(100)
    assert not layers(viewer)["boxes"].visible
    assert layers(viewer)["points"].visible
    assert window.problems == []


def test_the_offline_file_plays_and_shows_what_is_clicked(tour, tmp_path, browser_page):
    path = tmp_path / "tour.html"
    model = tour.models[0]
    write_offline(tour, model, path, max_frames=8)
    window = browser_page(1100, 800)
    page = window.open(path)
    page.set_default_timeout(PATIENCE_MS)
    expect(page.get_by_label("Hide scene tree").or_(page.get_by_label("Show scene tree"))).to_be_visible()
    track = page.locator(".mantine-Slider-root").bounding_box()
    assert track is not None
    page.mouse.click(track["x"] + 0.7 * track["width"], track["y"] + track["height"] / 2)
    start_s, end_s = (tour.frames[frame].time_s for frame in (model.frames[0], model.frames[-1]))
    moment_s = start_s + 0.7 * (end_s + 1.0 - start_s)
    walked = max(frame for frame in spread(model.frames, 8) if tour.frames[frame].time_s <= moment_s)
    expect(page.locator("article:visible")).to_have_id(f"rt-{walked}")
    button = page.locator("#rt-frames button").nth(2)
    button.click()
    expect(page.locator("article:visible")).to_have_id(f"rt-{button.get_attribute('value')}")
    page.get_by_text("Follow the walk").click()
    expect(page.locator("article:visible")).to_have_id(f"rt-{walked}")
    assert page.evaluate("window.harmed") is None
    window.assert_quiet()


def layers(viewer: LiveViewer):
    assert viewer._layers is not None
    return viewer._layers._roots
