"""Take the pictures of the viewer, the offline file, the review and the report from a finished run.

    pip install -e ".[view,test]" && python docs/make_screenshots.py runs/apartment

Needs Debian's chromium. The pictures go to docs/images.
"""

from __future__ import annotations

import argparse
import shutil
import tempfile
import threading
from pathlib import Path

from playwright.sync_api import Browser, Page, sync_playwright

import roomtour
from roomtour.errors import RoomtourError
from roomtour.review.server import ReviewServer
from roomtour.review.texts import ReviewSession, draw_sample
from roomtour.view.live import LiveViewer
from roomtour.view.offline import write_offline
from roomtour.view.ports import free_port
from roomtour.view.tour import TourView, load_tour

ARGUMENTS = ["--no-sandbox", "--use-angle=swiftshader", "--enable-unsafe-swiftshader"]
DESKTOP, NARROW_DESKTOP, PHONE = (1400, 860), (1080, 830), (390, 844)
_DRAWN_MS = 15_000
"""Drawing in software takes its time, and no event tells when the last label is there."""
_PATIENCE_MS = 120_000


def main() -> None:
    """Take them all."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("run", type=Path)
    parser.add_argument("--doubtful", type=Path, help="a run that is not to be trusted, for the picture of its report")
    parser.add_argument("--out", type=Path, default=Path(__file__).parent / "images")
    args = parser.parse_args()
    chromium = shutil.which("chromium")
    if chromium is None:
        raise RoomtourError("chromium is not installed (Debian: apt install chromium)")
    tour = load_tour(roomtour.Run(args.run), 1_000_000)
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=chromium, args=ARGUMENTS)
        shoot_viewer(browser, tour, args.out)
        shoot_offline(browser, tour, args.out)
        shoot_review(browser, tour, args.out)
        shoot(open_page(browser, (args.run / "report.html").resolve().as_uri(), DESKTOP), args.out / "report.jpg")
        if args.doubtful is not None:
            report = (args.doubtful / "report.html").resolve().as_uri()
            shoot(open_page(browser, report, NARROW_DESKTOP), args.out / "report_no_model.jpg")
        browser.close()


def shoot_viewer(browser: Browser, tour: TourView, out: Path) -> None:
    """The live page where there is most to see, light and dark."""
    for name, dark in (("viewer", False), ("viewer_dark", True)):
        viewer = LiveViewer(tour, tour.model(None), free_port(18700), dark=dark)
        try:
            viewer.go_to(busy_s(tour))
            page = open_page(browser, viewer.address, DESKTOP)
            page.locator(".rt-card image").wait_for()
            settle(page)
            shoot(page, out / f"{name}.jpg")
        finally:
            viewer.stop()


def shoot_offline(browser: Browser, tour: TourView, out: Path) -> None:
    """The offline file, stopped in the middle of the walk."""
    model = tour.model(None)
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "tour.html"
        write_offline(tour, model, path, max_frames=60)
        page = open_page(browser, path.as_uri(), DESKTOP)
        track = page.locator(".mantine-Slider-root")
        track.wait_for()
        box = track.bounding_box()
        if box is not None:
            page.mouse.click(box["x"] + box["width"] / 2, box["y"] + box["height"] / 2)
        settle(page)
        shoot(page, out / "viewer_offline.jpg")


def shoot_review(browser: Browser, tour: TourView, out: Path) -> None:
    """A text with two marked words on a desk, and the same in the dark on a phone."""
    with tempfile.TemporaryDirectory() as folder:
        session = ReviewSession(draw_sample({"run": tour}, 100), {"run": Path(folder)}, "anna")
        with ReviewServer(session, 18750) as server:
            thread = threading.Thread(target=server.serve_forever)
            thread.start()
            for name, size, dark in (("review", DESKTOP, False), ("review_phone", PHONE, True)):
                page = open_page(browser, server.address, size, dark)
                for word in (2, 3):
                    page.locator(".word").nth(word).click()
                shoot(page, out / f"{name}.jpg")
            server.shutdown()
            thread.join()


def open_page(browser: Browser, address: str, size: tuple[int, int], dark: bool = False) -> Page:
    """A page in a window of its own."""
    context = browser.new_context(
        viewport={"width": size[0], "height": size[1]}, color_scheme="dark" if dark else "light"
    )
    page = context.new_page()
    page.set_default_timeout(_PATIENCE_MS)
    page.goto(address, wait_until="load")
    return page


def settle(page: Page) -> None:
    """Wait until the scene is drawn, and close viser's remark on the missing GPU."""
    page.wait_for_timeout(_DRAWN_MS)
    remark = page.locator(".mantine-Notification-closeButton")
    if remark.count():
        remark.first.click()
        page.wait_for_timeout(_DRAWN_MS / 5)


def shoot(page: Page, path: Path) -> None:
    """Take one picture and leave the page."""
    page.screenshot(path=path, type="jpeg", quality=86, timeout=_PATIENCE_MS)
    page.context.close()


def busy_s(tour: TourView) -> float:
    """The moment of the tour with most to see."""
    busy = max(tour.frames, key=lambda frame: (len(tour.seen.get(frame, ())), frame))
    return tour.frames[busy].time_s


if __name__ == "__main__":
    main()
