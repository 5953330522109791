"""Dialogues are accepted and rejected in a real browser; what fails the check never leaves the house."""

import json
from collections import Counter
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from playwright.sync_api import expect

from instructions.dialogues.records import Cloud, CloudBox, Dialogue, Evidence, TalkBox, Turn
from instructions.dialogues.talks.pilot import Rating, judge_stratum
from instructions.records import Obb
from roomtour.errors import RoomtourError
from roomtour.export import export_runs
from roomtour.export.core.records import RunData
from roomtour.files.records import write_jsonl
from roomtour.files.reviews import DIALOGUE_RATINGS, PILOT, key_of
from roomtour.review.dialogues import DialogueItem, DialogueSession, draw_dialogues, summarize_dialogues
from roomtour.run import Run
from roomtour.view.tour import load_tour
from tests.support.runs.made_tour import make_run
from tests.support.runs.review_server import serving
from tests.support.runs.run_folder import STAGES_RUN, write_run

expect.set_options(timeout=120_000)
EVIL = "<img src=x onerror='window.harmed = 1'>"
UNTURNED = ((1.0, 0.0, 0.0), (0.0, 1.0, 0.0), (0.0, 0.0, 1.0))
CHAIR = CloudBox("0_1", "chair", (1.0, 0.5, 0.4), (0.5, 0.5, 0.8), Obb((1.0, 0.5, 0.4), (0.25, 0.25, 0.4), UNTURNED))


def make_row(data: RunData, number: int, *, prompt: str | None = "daily@1f2e3d4c", cloud: str | None = None):
    """A row as a language model (or, without a prompt, a template) leaves it."""
    frame = min(data.scene.models[0].world_from_cam)
    return Dialogue(
        id=f"{data.scene.id}_d{number:03d}{'m' if prompt else 'e'}{'c' if cloud else ''}",
        tour=data.scene.id,
        model=data.scene.models[0].name,
        views=() if cloud else (frame,),
        scale_status="metric",
        perception="made",
        writer="llm scripted" if prompt else "embedded",
        prompt=prompt,
        seed=0,
        accepted=True,
        kind="daily",
        medium="cloud" if cloud else "view",
        cloud=cloud,
        turns=(
            Turn(f"What is thing {number}? {EVIL}", "It is a chair.", "visible", ("kind",)),
            Turn("Where does it stand?", "It stands in the corner.", "place"),
        ),
        evidence=(Evidence("kind", "a chair is measured here", ("0_1",), 0.9, "share"),),
        boxes=() if cloud else (TalkBox("0_1", "chair", (10.0, 10.0, 50.0, 60.0)),),
        size_px=None if cloud else (160, 120),
        pilot="passed" if prompt else None,
    )


@pytest.fixture
def data(tmp_path: Path) -> RunData:
    (tmp_path / "frames").mkdir()
    return make_run(tmp_path / "frames")


def write(folder: Path, data: RunData, rows: list[Dialogue], clouds: tuple[Cloud, ...] = ()) -> Path:
    place = write_run(folder, data, stages=[*STAGES_RUN, "dialogues"])
    (place / "dialogues").mkdir(exist_ok=True)
    write_jsonl(place / "dialogues/rows.jsonl", rows, Dialogue)
    write_jsonl(place / "dialogues/rejected.jsonl", [], Dialogue)
    write_jsonl(place / "dialogues/clouds.jsonl", clouds, Cloud)
    return place


def open_session(place: Path, rater: str = "anna", size: int = 99) -> DialogueSession:
    run = Run(place)
    tour = load_tour(run, 1000)
    items = draw_dialogues([DialogueItem("run", tour, row) for row in run.rows("dialogues")], size)
    return DialogueSession(items, {"run": place}, rater, {"run": run.clouds})


@pytest.fixture
def folder(tmp_path: Path, data: RunData) -> Path:
    unit = ((1.0, 0.0, 0.0, 0.0), (0.0, 1.0, 0.0, 0.0), (0.0, 0.0, 1.0, 0.0), (0.0, 0.0, 0.0, 1.0))
    cloud = Cloud("room", data.scene.id, "0", "tracks", 400, "clouds/room.npy", unit, (CHAIR,), "metric", 0.02)
    rows = [*(make_row(data, number) for number in range(3)), make_row(data, 7, cloud="room")]
    place = write(tmp_path, data, rows, (cloud,))
    (place / "dialogues/clouds").mkdir()
    spread = np.random.default_rng(0).uniform((0, 0, 0, 0, 0, 0), (3, 3, 2.4, 255, 255, 255), (400, 6))
    np.save(place / "dialogues/clouds/room.npy", spread.astype(np.float32))
    return place


@pytest.fixture
def server(folder: Path):
    with serving(open_session(folder), 18800) as started:
        yield started


def test_a_person_accepts_rejects_and_marks(server, browser_page, folder: Path):
    window = browser_page()
    page = window.open(server.address)
    expect(page.locator("#evidence")).to_have_count(0)  # what the checks had is hidden until the row is judged
    assert "a chair is measured here" not in page.content()
    page.keyboard.press("a")
    expect(page).to_have_url(f"{server.address}item/1")
    page.wait_for_load_state()
    page.locator(".turn").nth(1).click()
    page.locator("#note").fill("a1 it stands by the door")  # keys in the note judge nothing
    page.get_by_role("button", name="wrong answer").click()
    expect(page).to_have_url(f"{server.address}item/2")
    page.wait_for_load_state()
    page.keyboard.press("3")
    expect(page).to_have_url(f"{server.address}item/3")
    page.wait_for_load_state()
    first, second, third = DIALOGUE_RATINGS.load(folder)
    assert (first.accepted, first.reason, first.wrong_turns) == (True, None, ())
    assert (second.accepted, second.reason, second.wrong_turns) == (False, "wrong answer", (1,))
    assert second.note == "a1 it stands by the door"
    assert third.reason == "unsupported"
    page.goto(f"{server.address}item/1")
    expect(page.locator("#evidence")).to_contain_text("a chair is measured here")
    expect(page.locator(".turn[aria-pressed='true']")).to_contain_text("It stands in the corner.")
    page.locator(".turn[aria-pressed='true']").click()
    page.keyboard.press("a")
    page.wait_for_url(f"{server.address}item/3")
    assert [one.accepted for one in DIALOGUE_RATINGS.load(folder)] == [True, True, False]
    assert page.evaluate("window.harmed") is None
    assert [problem for problem in window.problems if not problem.endswith("net::ERR_ABORTED")] == []
    assert window.requests_beyond_loopback() == []


def test_what_does_not_fit_is_refused(folder: Path, subtests: pytest.Subtests):
    for sent, words in (
        ({"accepted": True, "reason": "form"}, "accepted row has no wrong turn"),
        ({"accepted": True, "wrong_turns": [0]}, "accepted row has no wrong turn"),
        ({"accepted": False}, "say why"),
        ({"accepted": False, "reason": "ugly"}, "reason"),
        ({"accepted": False, "reason": "form", "wrong_turns": [2]}, "below 2"),
        ({"accepted": True, "note": "x" * 3000}, "at most"),
        ([], "judgement"),
    ):
        with subtests.test(str(sent)):
            with pytest.raises(RoomtourError, match=words):
                open_session(folder).take(0, sent)
            assert not (folder / DIALOGUE_RATINGS.file).exists()


def test_strata_stand_or_fall_at_the_bar_with_a_tenth_of_each_drawn(tmp_path: Path, data: RunData):
    rows = [make_row(data, number) for number in range(400)]
    rows += [make_row(data, number, prompt=None) for number in range(40)]
    rows += [make_row(data, number, prompt="daily@00000000") for number in range(400, 410)]
    place = write(tmp_path, data, rows)
    drawn = open_session(place, size=999).items
    assert Counter(item.row.prompt for item in drawn) == {"daily@1f2e3d4c": 40, None: 30, "daily@00000000": 10}
    prompts = [item.row.prompt for item in drawn]
    assert None not in prompts[:50]  # language models first, strata by turns
    assert set(prompts[:2]) == {"daily@1f2e3d4c", "daily@00000000"}
    assert [item.row.id for item in open_session(place, "ben", 999).items] == [item.row.id for item in drawn]
    assert judge_stratum(400, 39, 39) == "open"
    assert judge_stratum(400, 40, 37) == "passed"  # Wilson's lower bound: 0.801
    assert judge_stratum(400, 40, 36) == "failed"  # 0.769
    assert judge_stratum(10, 9, 9) == "open"
    assert judge_stratum(10, 10, 8) == "passed"  # every row judged: the share itself
    assert judge_stratum(10, 10, 7) == "failed"


def rate(place: Path, rows: list[Dialogue], bad: int, rater: str = "anna") -> None:
    for number, row in enumerate(rows):
        DIALOGUE_RATINGS.append(
            place,
            Rating(
                row.id, rater, f"daily view {row.prompt or 'embedded'}", number >= bad,
                None if number >= bad else "form", key_of(row),
            ),
        )  # fmt: skip


@pytest.mark.parametrize("format", ["lamm", "llava", "messages", "hf", "jsonl", "vlmeval"])
def test_a_stratum_that_fails_its_check_is_withheld(tmp_path: Path, data: RunData, format: str):
    good = [make_row(data, number, prompt=None) for number in range(5)]
    weak = [make_row(data, number) for number in range(40)]
    place = write(tmp_path, data, [*good, *weak])
    rate(place, weak[:30], 10)
    report = export_runs([Run(place).data], format, tmp_path / "out", kinds=("dialogues",))
    assert report.dropped["dialogue that a person rejected"] == 10
    assert report.dropped["dialogue of a stratum that failed its check"] == 30
    assert [one.code for one in report.findings].count("export.stratum_withheld") == 1
    written = _all_bytes(tmp_path / "out")
    assert not any(row.id.encode() in written for row in weak)


def _all_bytes(folder: Path) -> bytes:
    """Everything a dataset holds, tables decoded."""
    import pyarrow.parquet as pq

    out = b""
    for file in sorted(folder.rglob("*")):
        if file.suffix == ".parquet":
            out += json.dumps(pq.read_table(file).to_pylist(), default=str).encode()
        elif file.is_file():
            out += file.read_bytes()
    return out


def test_ratings_of_other_words_do_not_count(tmp_path: Path, data: RunData):
    row = make_row(data, 0)
    place = write(tmp_path, data, [row])
    rate(place, [replace(row, turns=row.turns[:1])], 1)
    report = export_runs([Run(place).data], "lamm", tmp_path / "out", kinds=("dialogues",))
    assert report.counts["image"] == 1
    summary = summarize_dialogues([("flat", [row], DIALOGUE_RATINGS.load(place))])
    assert (summary.outdated, summary.strata) == (1, ())


def test_a_pilot_is_judged_whole_and_opens_the_gate(tmp_path: Path, data: RunData):
    from instructions.dialogues.talks.pilot import bounds_by_stratum, passes
    from roomtour.review.kinds import read_dialogues
    from roomtour.stages.kinds.dialogues import read_pilot_ratings

    place = write(tmp_path, data, [make_row(data, 0, prompt=None)])
    pilot = [make_row(data, number) for number in range(50)]
    write_jsonl(place / PILOT, pilot, Dialogue)
    rows, shown = read_dialogues(Run(place))
    assert (len(rows), len(shown)) == (1, 50)
    tour = load_tour(Run(place), 1000)
    items = [DialogueItem("run", tour, row) for row in rows]
    items += [DialogueItem("run", tour, row, is_pilot=True) for row in shown]
    session = DialogueSession(draw_dialogues(items, 999), {"run": place}, "anna", {})
    assert [item.is_pilot for item in session.items] == [True] * 50 + [False]
    stratum = "daily view daily@1f2e3d4c"
    for row in range(50):
        assert not passes(stratum, bounds_by_stratum(read_pilot_ratings(place, None))) or row > 15
        session.take(row, {"accepted": row % 25 != 0, "reason": None if row % 25 else "form"})
    assert passes(stratum, bounds_by_stratum(read_pilot_ratings(place, None)))
    export_runs([Run(place).data], "lamm", tmp_path / "out", kinds=("dialogues",))
    written = _all_bytes(tmp_path / "out")
    assert not any(row.id.encode() in written for row in pilot)
