from contextlib import ExitStack
from dataclasses import replace
from pathlib import Path

import pytest
from playwright.sync_api import expect
from sklearn.metrics import cohen_kappa_score

from instructions.regions.facts_qar import write_facts
from instructions.regions.records import Pair, Qar, Rating3, RegionView
from instructions.regions.regions_of_view import number_regions
from instructions.regions.sets.twins import twist_rows
from roomtour.cli import main
from roomtour.errors import RoomtourError
from roomtour.files.records import write_jsonl
from roomtour.files.reviews import PAIR_RATINGS, QAR_RATINGS
from roomtour.review.agreement import measure_fleiss
from roomtour.review.qars import ROWS_PER_VIEW, QarSession, draw_qars, summarize_qars
from roomtour.review.region_pairs import CRITERIA, PairSession, draw_pairs, summarize_pairs
from roomtour.run import Run
from roomtour.view.tour import TourView, load_tour
from tests.support.runs.made_tour import make_run
from tests.support.runs.review_server import serving
from tests.support.runs.run_folder import STAGES_RUN, write_run
from tests.support.worlds.made_view import thing, view

Judged = tuple[TourView, tuple[RegionView, ...], tuple[Qar, ...], tuple[Pair, ...]]


def write_region_run(folder: Path, **changed: object) -> Path:
    """Write it; `changed` replaces fields of every row."""
    (folder / "frames").mkdir()
    run = make_run(folder / "frames")
    frame = min(run.scene.models[0].world_from_cam)
    write_run(folder, run, stages=[*STAGES_RUN, "regions"])
    numbered, record = number_regions(
        view(
            thing("s", (3.0, 1.5, 0.4), (0.4, 0.9, 0.4), category="sofa", color="red"),
            thing("c", (2.0, -0.8, 0.45), (0.25, 0.25, 0.45), category="chair", color="black"),
            thing("t", (3.0, -0.2, 0.35), (0.4, 0.5, 0.35), category="table", color="brown"),
            looked_for=frozenset({"sofa", "chair", "table", "piano"}),
        ),
        "000001.jpg",
        {},
    )
    written = write_facts(numbered, record, "made", seed=1)
    pairs = twist_rows(numbered, [fact.row for fact in written])
    rows = [replace(one.row, views=(frame,), tour=run.scene.id, **changed) for one in written]  # pyright: ignore[reportArgumentType]
    (folder / "regions").mkdir(exist_ok=True)
    write_jsonl(folder / "regions/rows.jsonl", [row for row in rows if row.accepted], Qar)
    write_jsonl(folder / "regions/rejected.jsonl", [row for row in rows if not row.accepted], Qar)
    write_jsonl(folder / "regions/views.jsonl", [replace(record, frame=frame)], RegionView)
    write_jsonl(folder / "regions/pairs.jsonl", pairs, Pair)
    return folder


def read_judged(folder: Path) -> Judged:
    """What the samples are drawn from."""
    run = Run(folder)
    return load_tour(run, 1000), run.region_views, run.rows("regions"), run.region_pairs


expect.set_options(timeout=120_000)
SENT = {"qa": 3, "rationale": 2, "wrong_words": [], "note": ""}


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return write_region_run(tmp_path)


def qars_of(folder: Path, rater: str = "anna") -> QarSession:
    tour, views, rows, _ = read_judged(folder)
    return QarSession(draw_qars({"run": (tour, views, rows)}, 50), {"run": folder}, rater)


def pairs_of(folder: Path, rater: str = "anna") -> PairSession:
    return PairSession(draw_pairs({"run": read_judged(folder)}, 50, rater), {"run": folder}, rater)


@pytest.fixture
def serve():
    with ExitStack() as stack:
        yield lambda session: stack.enter_context(serving(session, 18800))


def test_two_keys_rate_a_row_and_a_rejected_answer_rejects_its_rationale(serve, browser_page, folder):
    server = serve(qars_of(folder))
    window = browser_page()
    page = window.open(server.address)
    expect(page.locator(".boxed rect").first).to_be_attached()
    assert page.evaluate("document.querySelector('.boxed img').naturalWidth") > 0
    page.locator(".word").nth(2).click()
    page.keyboard.press("3")
    expect(page.locator("#qa .rate[aria-pressed='true']")).to_have_text("3 yes")
    assert QAR_RATINGS.load(folder) == ()  # the rationale is still open
    page.keyboard.press("2")
    expect(page).to_have_url(f"{server.address}item/1")
    page.wait_for_load_state()
    page.keyboard.press("1")  # one key is enough
    expect(page).to_have_url(f"{server.address}item/2")
    page.wait_for_load_state()
    first, second = QAR_RATINGS.load(folder)
    assert (first.qa, first.rationale, first.wrong_words) == (3, 2, (2,))
    assert (second.qa, second.rationale) == (1, 1)
    page.locator("#back").click()
    expect(page.locator("#rationale .rate[aria-pressed='true']")).to_have_text("1 no")
    assert [problem for problem in window.problems if not problem.endswith("net::ERR_ABORTED")] == []
    assert window.requests_beyond_loopback() == []


def test_four_keys_rate_a_pair_and_the_page_does_not_tell_which_is_which(serve, browser_page, folder):
    session = pairs_of(folder)
    server = serve(session)
    window = browser_page()
    page = window.open(server.address)
    for key in "atba":
        page.keyboard.press(key)
    expect(page).to_have_url(f"{server.address}item/1")
    page.wait_for_load_state()
    (rating,) = PAIR_RATINGS.load(folder)
    assert (rating.correct, rating.informative, rating.plausible, rating.overall) == ("A", "tie", "B", "A")
    assert rating.first == session.items[0].first
    assert {item.first for item in session.items} == {"chosen", "rejected"}
    for place, item in enumerate(session.items):
        html = session.draw(place, "token").lower()
        assert "chosen" not in html
        assert "rejected" not in html
        assert item.row.because not in html
    assert [problem for problem in window.problems if not problem.endswith("net::ERR_ABORTED")] == []


def test_what_does_not_fit_is_refused(folder: Path, subtests: pytest.Subtests):
    for changed, words in (
        ({"qa": 4}, "qa"),
        ({"qa": 1, "rationale": 3}, "has rejected its rationale"),
        ({"wrong_words": [900]}, "marked words"),
        ({"note": "x" * 3000}, "note"),
        ({"rationale": None}, "rationale"),
    ):
        with subtests.test(str(changed)):
            with pytest.raises(RoomtourError, match=words):
                qars_of(folder).take(0, {**SENT, **changed})
            with pytest.raises(RoomtourError, match="overall"):
                pairs_of(folder).take(0, {"correct": "A", "informative": "B", "plausible": "tie", "overall": "C"})
            assert not (folder / QAR_RATINGS.file).exists()
            assert not (folder / PAIR_RATINGS.file).exists()


def test_rows_of_a_view_follow_each_other_and_doubted_ones_count_in_no_figure(folder: Path):
    tour, views, rows, _ = read_judged(folder)
    scored = [replace(row, score=place / len(rows)) for place, row in enumerate(rows)]
    other = replace(views[0], id="other")
    twice = [*scored, *(replace(row, id=f"{row.id}x", view="other") for row in scored)]
    items = draw_qars({"run": (tour, (*views, other), twice)}, 50)
    assert [item.drawn for item in items] == ["random"] * ROWS_PER_VIEW + ["uncertain"] * ROWS_PER_VIEW
    assert len({item.view.id for item in items[:ROWS_PER_VIEW]}) == 1
    doubts = sorted(abs((row.score or 0.0) - 0.5) for row in scored)[:ROWS_PER_VIEW]
    assert sorted(abs((item.row.score or 0.0) - 0.5) for item in items[ROWS_PER_VIEW:]) == doubts
    session = QarSession(items, {"run": folder}, "anna")
    for place in range(len(items)):
        session.take(place, SENT)
    summary = summarize_qars([(twice, QAR_RATINGS.load(folder))])
    assert (summary.overall.ratings, summary.uncertain) == (ROWS_PER_VIEW, ROWS_PER_VIEW)


def test_people_agree_as_far_as_they_do(folder: Path, capsys: pytest.CaptureFixture[str]):
    given = {"anna": [3, 3, 2, 1, 3], "ben": [3, 2, 2, 1, 1], "carl": [3, 3, 3, 1, 3]}
    for rater, marks in given.items():
        session = qars_of(folder, rater)
        for place, mark in enumerate(marks):
            session.take(place, {**SENT, "qa": mark, "rationale": mark})
    run = Run(folder)
    summary = summarize_qars([(run.rows("regions"), QAR_RATINGS.load(folder))])
    assert summary.overall.rows == 5
    assert summary.overall.accepted_share == pytest.approx(3 / 5)
    pair = next(one for one in summary.agreements["qa"] if (one.first, one.second) == ("anna", "ben"))
    assert pair.kappa == pytest.approx(cohen_kappa_score(given["anna"], given["ben"]))
    assert pair.weighted_kappa == pytest.approx(cohen_kappa_score(given["anna"], given["ben"], weights="quadratic"))
    rows, people, kappa = summary.fleiss["qa"]
    assert (rows, people) == (5, 3)
    assert kappa == pytest.approx((3 / 5 - 89 / 225) / (1 - 89 / 225))  # by hand: 8 threes, 3 twos, 4 ones
    assert main(["review", str(folder), "--what", "qar", "--summary"]) == 0
    told = capsys.readouterr().out
    for words in ("60 % of 5 rows accepted by all", "anna and ben, qa: 5 common rows", "Fleiss' kappa", "description"):
        assert words in told


def test_fleiss_of_his_own_example():
    # Fleiss 1971's worked table, as reprinted: 10 items, 14 raters, 5 labels, kappa 0.210.
    table = (
        (0, 0, 0, 0, 14), (0, 2, 6, 4, 2), (0, 0, 3, 5, 6), (0, 3, 9, 2, 0), (2, 2, 8, 1, 1),
        (7, 7, 0, 0, 0), (3, 2, 6, 3, 0), (2, 5, 3, 2, 2), (6, 5, 2, 1, 0), (0, 2, 2, 3, 7),
    )  # fmt: skip
    items = [[label for label, times in enumerate(row) for _ in range(times)] for row in table]
    assert measure_fleiss(items) == pytest.approx(0.210, abs=0.0005)
    assert measure_fleiss([]) is None
    assert measure_fleiss([[1, 1], [1, 1]]) is None


def test_a_vote_counts_for_the_answer_and_not_for_its_side(folder: Path, capsys: pytest.CaptureFixture[str]):
    for rater in ("anna", "ben", "carl"):
        session = pairs_of(folder, rater)
        for place, item in enumerate(session.items):
            true = "A" if item.first == "chosen" else "B"
            false = "B" if true == "A" else "A"
            vote = false if rater == "carl" or place == 0 else true
            session.take(place, {**dict.fromkeys(CRITERIA, vote), "informative": "tie"})
    summary = summarize_pairs([(Run(folder).region_pairs, PAIR_RATINGS.load(folder))])
    count = len(Run(folder).region_pairs)
    assert (summary.pairs, summary.ratings) == (count, 3 * count)
    one = summary.scores["overall"]
    assert (one.wins_a, one.wins_b, one.no_majority) == (count - 1, 1, 0)
    assert summary.scores["informative"].ties == count
    assert main(["review", str(folder), "--what", "pairs", "--summary"]) == 0
    assert "no majority" in capsys.readouterr().out


def test_rows_written_anew_do_not_count(folder: Path):
    row = Run(folder).rows("regions")[0]
    QAR_RATINGS.append(folder, Rating3(row.id, "0" * 16, "anna", 3, 3))
    summary = summarize_qars([(Run(folder).rows("regions"), QAR_RATINGS.load(folder))])
    assert (summary.overall.ratings, summary.outdated) == (0, 1)
    assert qars_of(folder).done == 0
