"""The review in a real browser: one key writes a rating, words can be marked, back and on work, on a phone too."""

import pytest
from playwright.sync_api import expect

from roomtour.files.reviews import RATINGS
from roomtour.review.texts import ReviewSession, draw_sample
from roomtour.run import Run
from roomtour.view.tour import load_tour
from tests.support.runs.made_tour import make_run
from tests.support.runs.review_server import serving
from tests.support.runs.run_folder import write_run

EVIL = "<script>window.harmed = 1</script><img src=x onerror='window.harmed = 1'>"

expect.set_options(timeout=120_000)
"""A browser on a busy machine is slow, and nothing here is about speed."""


@pytest.fixture
def server(tmp_path):
    (tmp_path / "frames").mkdir()
    folder = write_run(tmp_path, make_run(tmp_path / "frames", text=EVIL))
    items = draw_sample({"run": load_tour(Run(folder), 1000)}, 10)
    with serving(ReviewSession(items, {"run": folder}, "anna"), 18600) as started:
        yield started


def test_a_key_writes_a_rating_and_goes_on(server, browser_page, tmp_path):
    window = browser_page()
    page = window.open(server.address)
    expect(page).to_have_url(f"{server.address}item/0")
    page.locator(".word").nth(2).click()
    page.keyboard.press("n")
    page.keyboard.type("2 of the words")  # a digit in the note is no rating
    page.keyboard.press("Escape")
    page.keyboard.press("3")
    expect(page.locator("#scores .score[aria-pressed='true']")).to_have_count(1)
    assert RATINGS.load(tmp_path) == ()  # whether all is true is asked as well
    page.keyboard.press("f")
    expect(page).to_have_url(f"{server.address}item/1")
    page.wait_for_load_state()  # the address changes before the page listens to keys
    (rating,) = RATINGS.load(tmp_path)
    assert (rating.score, rating.accurate, rating.wrong_words, rating.note) == (3, False, (2,), "2 of the words")
    page.keyboard.press("ArrowLeft")
    expect(page.locator(".score[aria-pressed='true']")).to_have_text(["3 mostly relevant", "f something is false"])
    expect(page.locator(".word[aria-pressed='true']")).to_have_count(1)
    expect(page.locator("#note")).to_have_value("2 of the words")
    page.wait_for_load_state()
    page.keyboard.press("1")
    expect(page).to_have_url(f"{server.address}item/1")
    page.wait_for_load_state()
    assert [rating.score for rating in RATINGS.load(tmp_path)] == [1]
    page.get_by_role("button", name="t all true").click()
    page.get_by_role("button", name="4 perfect match").click()
    expect(page.get_by_text("Every text of the sample is judged")).to_be_visible()
    assert page.evaluate("window.harmed") is None
    # leaving a page stops its pictures that are still on the way, which the browser counts as failed requests
    assert [problem for problem in window.problems if not problem.endswith("net::ERR_ABORTED")] == []
    assert window.requests_beyond_loopback() == []


def test_an_answer_that_could_not_be_saved_is_told(server, browser_page, tmp_path):
    page = browser_page().open(server.address)
    expect(page.locator("#scores")).to_be_visible()
    (tmp_path / "reviews").write_text("in the way")
    page.keyboard.press("4")
    page.keyboard.press("t")
    expect(page.get_by_role("status")).to_contain_text("Not saved")
    expect(page).to_have_url(f"{server.address}item/0")


@pytest.mark.parametrize("dark", [False, True])
def test_it_fits_a_phone(server, browser_page, dark):
    window = browser_page(360, 740, dark)
    page = window.open(server.address)
    expect(page.locator("#accuracy button").last).to_be_in_viewport()
    assert not window.scrolls_sideways()
    page.locator("#scores button").nth(1).click()
    page.locator("#accuracy button").nth(1).click()
    expect(page).to_have_url(f"{server.address}item/1")
