from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from roomtour.report.index.page import write_index
from roomtour.report.page import build_page
from tests.support.browser import OpenWindow
from tests.support.runs.made_runs import make_runs
from tests.support.runs.made_tour import make_facts, make_merge_log, make_run

if TYPE_CHECKING:
    from playwright.sync_api import Page

PHONE_PX = 390


@pytest.fixture(scope="module")
def report(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("report")
    attempts, sub_models = make_merge_log()
    page = build_page(make_run(folder, models=2), make_facts(), attempts, sub_models)
    (folder / "report.html").write_text(page, encoding="utf-8")
    return folder / "report.html"


@pytest.fixture(scope="module")
def index(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = make_runs(tmp_path_factory.mktemp("collection") / "runs")
    write_index(folder, folder / "index.html")
    return folder / "index.html"


@pytest.fixture(params=["report", "index"])
def any_page(request: pytest.FixtureRequest) -> Path:
    return request.getfixturevalue(request.param)


@pytest.mark.parametrize("dark", [False, True])
@pytest.mark.parametrize("width_px", [PHONE_PX, 1280])
def test_page_is_quiet_and_fits(any_page: Path, browser_page: OpenWindow, width_px: int, dark: bool):
    window = browser_page(width_px, dark=dark)
    window.open(any_page)
    assert not window.scrolls_sideways()
    window.assert_quiet()


@pytest.mark.parametrize("dark", [False, True])
def test_every_text_stands_out_from_its_ground(any_page: Path, browser_page: OpenWindow, dark: bool):
    window = browser_page(dark=dark)
    window.open(any_page)
    faint = window.page.evaluate(_FAINT_TEXTS)
    assert faint == []


def test_everything_that_acts_is_reached_by_tab(any_page: Path, browser_page: OpenWindow):
    page = browser_page(height_px=2000).open(any_page)
    page.evaluate("document.querySelectorAll('details').forEach((fold) => { fold.open = true; })")
    expected = page.evaluate("document.querySelectorAll('a[href], button, input, summary, [tabindex]').length")
    reached = set()
    page.keyboard.press("Tab")
    assert page.evaluate("document.activeElement.className") == "skip"
    for _ in range(expected + 5):
        reached.add(page.evaluate("[...document.querySelectorAll('*')].indexOf(document.activeElement)"))
        page.keyboard.press("Tab")
    at_body = page.evaluate("[...document.querySelectorAll('*')].indexOf(document.body)")
    assert len(reached - {at_body, -1}) == expected


def test_layers_of_the_map_are_switched(report: Path, browser_page: OpenWindow):
    page = browser_page().open(report)
    layer = page.locator(".map-figure .layer-points").first
    assert layer.is_visible()
    page.locator("input.points").first.focus()
    page.keyboard.press("Space")
    assert not layer.is_visible()


def test_index_sorts_by_click(index: Path, browser_page: OpenWindow):
    page = browser_page().open(index)
    first = _names(page)
    head = page.get_by_role("columnheader", name="minutes")
    head.get_by_role("button").click()
    assert head.get_attribute("aria-sort") == "descending"
    assert _names(page) == ["attic", "barn", "cellar", "deep/den", "deep/entry", "flat"]
    head.get_by_role("button").click()
    assert head.get_attribute("aria-sort") == "ascending"
    assert _names(page) == ["cellar", "deep/den", "barn", "attic", "deep/entry", "flat"]
    page.get_by_role("button", name="tour").click()
    assert head.get_attribute("aria-sort") is None
    assert _names(page) == first


def test_index_shows_the_tours_asked_for(index: Path, browser_page: OpenWindow):
    page = browser_page().open(index)
    page.get_by_role("searchbox").fill("merge.apart finished")
    assert _names(page) == ["attic", "barn"]
    assert page.get_by_role("status").inner_text() == "2 of 6 tours shown"
    page.get_by_role("searchbox").fill("")
    assert len(_names(page)) == 6


def _names(page: Page) -> list[str]:
    return page.evaluate(
        "[...document.querySelectorAll('table.sortable tbody tr')].filter((row) => !row.hidden)"
        ".map((row) => row.cells[0].dataset.key)"
    )


# WCAG 2: text of ordinary size needs 4.5 times the luminance of its ground, or the other way round. SVG text is judged
# by its fill against the nearest ground behind it; letters on pictures and coloured badges have their own halo.
_FAINT_TEXTS = """
() => {
  const parse = (color) => color.match(/[\\d.]+/g).map(Number);
  const linear = (value) => (value / 255 <= 0.04045 ? value / 255 / 12.92 : ((value / 255 + 0.055) / 1.055) ** 2.4);
  const luminance = ([r, g, b]) => 0.2126 * linear(r) + 0.7152 * linear(g) + 0.0722 * linear(b);
  const ground = (element) => {
    for (let at = element; at; at = at.parentElement) {
      const color = parse(getComputedStyle(at).backgroundColor);
      if (color.length === 3 || color[3] > 0) return color;
    }
    return [255, 255, 255];
  };
  const faint = [];
  for (const element of document.body.querySelectorAll("*")) {
    const own = [...element.childNodes].some((node) => node.nodeType === 3 && node.textContent.trim());
    if (!own || element.closest("script, style, title, .thumbnail, .badge, [hidden]")) continue;
    const style = getComputedStyle(element);
    const inside = element.closest("svg");
    if (inside && !(element instanceof SVGTextElement)) continue;
    const ink = parse(inside ? style.fill : style.color);
    const [high, low] = [luminance(ink), luminance(ground(element))].sort((a, b) => b - a);
    const contrast = (high + 0.05) / (low + 0.05);
    if (contrast < 4.5) faint.push(`${element.textContent.trim().slice(0, 30)}: ${contrast.toFixed(1)}`);
  }
  return faint;
}
"""
