"""Pages in a real browser: Debian's chromium, driven by playwright; what it complains of or asks for is noted."""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Protocol
from urllib.parse import urlsplit

import pytest

if TYPE_CHECKING:  # tests that open no page do not wait for playwright
    from playwright.sync_api import Browser, Page

ARGUMENTS = (
    "--no-sandbox",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--no-first-run",
    "--use-angle=swiftshader",  # WebGL without a GPU, for the viewer
    "--enable-unsafe-swiftshader",
)
_INSIDE_THE_PAGE = ("data", "blob", "about")


@dataclass
class WatchedPage:
    """A page, and what went wrong in it or left it. Drive it through `page`, playwright's own object."""

    page: Page
    problems: list[str] = field(default_factory=list)
    """Console errors, uncaught exceptions and requests that failed, as text."""
    requests: list[str] = field(default_factory=list)
    """Addresses asked for beside the opened document, web sockets included; `data:` and `blob:` are no requests."""
    _documents: list[str] = field(default_factory=list)

    def open(self, where: Path | str) -> Page:
        """Load a file or an address; returns playwright's page."""
        address = where.resolve().as_uri() if isinstance(where, Path) else where
        self._documents.append(address)
        self.page.goto(address)
        return self.page

    def requests_beyond_loopback(self) -> list[str]:
        """Requests that left this machine, or that read files of it."""
        return [address for address in self.requests if urlsplit(address).hostname not in ("127.0.0.1", "localhost")]

    def assert_quiet(self) -> None:
        """Nothing failed, and nothing but the document itself was asked for."""
        assert self.problems == []
        assert self.requests == []

    def scrolls_sideways(self) -> bool:
        """Whether the page is wider than its window."""
        return self.page.evaluate("document.documentElement.scrollWidth > document.documentElement.clientWidth")

    def watch(self) -> None:
        """Start noting. Called once, before anything is loaded."""
        self.page.on("console", lambda said: self.problems.append(said.text) if said.type == "error" else None)
        self.page.on("pageerror", lambda error: self.problems.append(str(error)))
        self.page.on("requestfailed", lambda request: self._note_failure(request.url, str(request.failure)))
        self.page.on("request", lambda request: self._note(request.url))
        self.page.on("websocket", lambda socket: self._note(socket.url))

    def _note_failure(self, address: str, reason: str) -> None:
        # Chromium fetches icons when it has time, and gives them up if the next page is opened before.
        if not (reason == "net::ERR_ABORTED" and "favicon" in address):
            self.problems.append(f"{address}: {reason}")

    def _note(self, address: str) -> None:
        if urlsplit(address).scheme not in _INSIDE_THE_PAGE and address.split("#")[0] not in self._documents:
            self.requests.append(address)


class OpenWindow(Protocol):
    """What the fixture `browser_page` is: call it for each window a test needs."""

    def __call__(self, width_px: int = 1280, height_px: int = 900, dark: bool = False) -> WatchedPage:
        """A new empty window of that size, in the light or the dark colour scheme."""
        ...


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    """One chromium for the tests of a file. Not of a session: while it lives, the thread cannot use `asyncio.run`.

    Tests are skipped where there is none; with ROOMTOUR_CLIENTS=required, as in CI, they fail.
    """
    chromium = shutil.which("chromium")
    if chromium is None and os.environ.get("ROOMTOUR_CLIENTS") == "required":
        pytest.fail("chromium is not installed, and ROOMTOUR_CLIENTS=required asks for every client")
    if chromium is None:
        pytest.skip("chromium is not installed (Debian: apt install chromium)")
    from playwright.sync_api import sync_playwright

    with sync_playwright() as playwright:
        started = playwright.chromium.launch(executable_path=chromium, args=ARGUMENTS)
        yield started
        started.close()


@pytest.fixture
def browser_page(browser: Browser) -> Iterator[OpenWindow]:
    """Opens windows, each with a fresh profile; all are closed after the test."""
    contexts = []

    def window(width_px: int = 1280, height_px: int = 900, dark: bool = False) -> WatchedPage:
        scheme = "dark" if dark else "light"
        context = browser.new_context(viewport={"width": width_px, "height": height_px}, color_scheme=scheme)
        contexts.append(context)
        context.set_default_timeout(300_000)  # a busy machine takes over 30 s for the largest page
        watched = WatchedPage(context.new_page())
        watched.watch()
        return watched

    yield window
    for context in contexts:
        context.close()
