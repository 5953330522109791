"""The site: built strictly, served on loopback, every page opened."""

import re
import threading
from collections.abc import Iterator
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest
from mkdocs.commands.build import build
from mkdocs.config import load_config

from tests.support.browser import OpenWindow
from tests.support.paths import ROOT


class _Silent(SimpleHTTPRequestHandler):
    def log_message(self, format: str, *args: object) -> None:
        """Say nothing of each request."""


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("site")
    config = load_config(str(ROOT / "mkdocs.yml"), site_dir=str(folder), strict=True)
    build(config)
    return folder


@pytest.fixture(scope="module")
def address(site: Path) -> Iterator[str]:
    with ThreadingHTTPServer(("127.0.0.1", 0), partial(_Silent, directory=str(site))) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield f"http://127.0.0.1:{server.server_port}"
        server.shutdown()


def test_pages_load_nothing_from_another_host(site: Path):
    for page in site.rglob("*.html"):
        text = page.read_text(encoding="utf-8")
        assert not re.search(r"""(src=|url\(|@import\s*)["']?(https?:)?//""", text), page.name
        assert set(re.findall(r'href="https?://([^/"]+)', text)) <= {"roomtour3d.github.io"}, page.name


def test_generated_parts_are_in(site: Path):
    for page, words in {
        "options.html": "--sample.fps", "formats.html": "val_share", "commands.html": "usage: roomtour export",
        "findings.html": "recon/upright/checks.py", "reference/recon.html": "recon.video.decode",
        "reference/trajectories.html": "find_view_changes",
    }.items():  # fmt: skip
        text = (site / page).read_text(encoding="utf-8")
        assert words in text, page
        assert "generated:" not in text, page


def test_no_source_is_published(site: Path):
    assert not list(site.rglob("*.py"))
    assert not list(site.rglob("__pycache__"))


@pytest.mark.parametrize(("width_px", "dark"), [(390, True), (1280, False)])
def test_pages_are_quiet_and_fit(site: Path, address: str, browser_page: OpenWindow, width_px: int, dark: bool):
    names = sorted(page.relative_to(site).as_posix() for page in site.rglob("*.html") if page.name != "404.html")
    assert len(names) >= 16
    window = browser_page(width_px, dark=dark)
    for name in names:
        window.open(f"{address}/{name}").wait_for_load_state("networkidle")
        assert window.requests_beyond_loopback() == [], name
        assert window.problems == [], name
        assert not window.scrolls_sideways(), name


def test_search_finds_a_finding(address: str, browser_page: OpenWindow):
    window = browser_page()
    page = window.open(f"{address}/index.html")
    page.wait_for_load_state("networkidle")
    page.locator(".md-search__input").click()
    page.keyboard.type("watermark")
    page.locator(".md-search-result__item a").first.wait_for()
    assert window.problems == []
