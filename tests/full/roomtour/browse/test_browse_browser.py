from pathlib import Path
from urllib.parse import quote

import pytest

from roomtour.browse.page import build_page, write_page
from roomtour.browse.records import PageRow, Picture
from tests.support.browser import OpenWindow
from tests.support.page_rows import write_messages

EVIL = "</dd><img src=x onerror=\"document.title='taken'\"><script>document.title='taken'</script>"
ROWS = 25


@pytest.fixture(scope="module")
def page(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Rows 0 to 24: every third rejected, the last two of another type, each with a box."""
    folder = tmp_path_factory.mktemp("browse")
    write_messages(folder / "set", [{"id": "a"}])
    address = quote("set/images/home/1 a#.png")
    picture = Picture(address, "1 a#.png", (("A", 4.0, 4.0, 20.0, 15.0, "#0072b2", "#fff"),))
    rows = [
        PageRow(
            id=f"row{number:02d}",
            kind="spatial",
            type="left choice" if number < ROWS - 2 else f"count {EVIL}",
            tour="home",
            state="rejected" if number % 3 == 0 else "kept",
            reason="too_close" if number % 3 == 0 else "",
            pictures=(picture, Picture(told="gone.png: is not there")) if number else (picture,),
            turns=(("question", f"How many? {EVIL}" * (1 + 3 * number)), ("answer", "two")),
            lines=("measured: " + "0.123456789" * 30,),
            fields={"long_" * 30: EVIL},
        )
        for number in range(ROWS)
    ]
    (folder / "rows.html").write_text(build_page(rows, f"set {EVIL}", "dataset", "25 rows"), encoding="utf-8")
    return folder / "rows.html"


@pytest.mark.parametrize("dark", [False, True])
@pytest.mark.parametrize("width_px", [390, 1280])
def test_pictures_show_nothing_runs_and_nothing_is_wide(
    page: Path, browser_page: OpenWindow, width_px: int, dark: bool
):
    window = browser_page(width_px, dark=dark)
    opened = window.open(page)
    assert opened.locator(".row").count() == 10
    opened.wait_for_selector(".row svg")  # once the picture is there
    box = opened.locator(".row svg rect.box").first.bounding_box()
    image = opened.locator(".row img").first.bounding_box()
    assert box is not None
    assert image is not None
    assert (box["x"] - image["x"]) / image["width"] == pytest.approx(4 / 40, abs=0.02)
    assert box["width"] / image["width"] == pytest.approx(16 / 40, abs=0.03)
    assert "gone.png: is not there" in opened.locator("figcaption").first.inner_text()
    opened.locator("details summary").first.click()
    assert not window.scrolls_sideways()
    assert opened.title() == f"set {EVIL} – rows"
    assert window.problems == []
    assert all(request.endswith(".png") for request in window.requests)
    dim, ground = opened.evaluate(
        "[getComputedStyle(document.body).color, getComputedStyle(document.body).backgroundColor]"
    )
    brightness = [sum(map(int, color[4:-1].split(","))) for color in (dim, ground)]
    assert (brightness[0] > brightness[1]) is dark


def test_filters_and_pages_are_in_the_address(page: Path, browser_page: OpenWindow):
    opened = browser_page().open(page)
    output = opened.locator("output")
    assert output.inner_text() == f"1–10 of {ROWS}"
    opened.keyboard.press("ArrowRight")
    opened.keyboard.press("ArrowRight")
    assert output.inner_text() == f"21–25 of {ROWS}"
    opened.keyboard.press("ArrowLeft")
    assert opened.locator(".row code").first.inner_text() == "row10"
    opened.locator("select[name=state]").select_option("rejected")
    assert output.inner_text() == f"1–9 of 9 (all: {ROWS})"
    choices = opened.locator("select[name=type] option").all_inner_texts()
    assert choices == ["all", f"count {EVIL} (1)", "left choice (8)"]  # how many each would leave
    assert opened.locator("select[name=tour]").is_hidden()  # there is one tour
    opened.locator("input[name=words]").fill("ROW2 two")
    assert [*opened.locator(".row code").all_inner_texts()] == ["row21", "row24"]
    opened.keyboard.press("ArrowLeft")  # moves in the words
    again = browser_page().open(opened.url)
    assert again.locator("input[name=words]").input_value() == "ROW2 two"
    assert again.locator("select[name=state]").input_value() == "rejected"
    assert [*again.locator(".row code").all_inner_texts()] == ["row21", "row24"]
    again.locator("input[name=words]").fill("nowhere")
    assert "No row fits" in again.locator("main").inner_text()
    again.goto(f"{page.as_uri()}#page=99")
    assert again.locator("output").inner_text() == f"21–25 of {ROWS}"


def test_a_page_written_for_a_dataset_finds_its_picture(tmp_path: Path, browser_page: OpenWindow):
    dataset = write_messages(tmp_path / "a set", [{"id": "a", "messages": [{"role": "user", "content": "?"}]}])
    written, _ = write_page(dataset)
    window = browser_page()
    shown = window.open(written).locator(".row img")
    assert shown.evaluate("(image) => image.decode().then(() => image.naturalWidth)") == 40
    (dataset / "images" / "home" / "1 a#.png").unlink()
    window = browser_page()
    window.open(written).wait_for_selector("figcaption")
    assert "is no longer there" in window.page.locator("figcaption").inner_text()
