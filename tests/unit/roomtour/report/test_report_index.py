import base64
import re
from hashlib import sha256
from pathlib import Path

import pytest

from recon.findings import Finding
from roomtour.report.index.page import write_index
from roomtour.report.index.runs import find_runs, read_run_row
from tests.support.runs.made_runs import make_run_folder, make_runs
from tests.support.runs.read_page import ReadPage

EVIL = "<script>alert(1)</script>\"'&"
NAMES = ["attic", "barn", "cellar", "deep/den", "deep/entry", "flat"]


@pytest.fixture(scope="module")
def runs(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return make_runs(tmp_path_factory.mktemp("collection") / "runs")


def page_of(folder: Path, out: Path) -> ReadPage:
    write_index(folder, out)
    return ReadPage(out.read_text(encoding="utf-8").replace(_script_of(out), ""))


def _script_of(out: Path) -> str:
    found = re.search(r"<script>(.*?)</script>", out.read_text(encoding="utf-8"), re.DOTALL)
    assert found
    return found[1]


def test_runs_are_found_at_any_depth_but_not_in_runs_or_along_circles(runs: Path, tmp_path: Path):
    assert [path.relative_to(runs).as_posix() for path in find_runs(runs)] == NAMES
    make_run_folder(tmp_path / "runs" / "one")
    make_run_folder(tmp_path / "runs" / "one" / "frames" / "two")
    make_run_folder(tmp_path / "runs" / ".hidden")
    (tmp_path / "runs" / "again").symlink_to(tmp_path / "runs")
    assert find_runs(tmp_path / "runs") == (tmp_path / "runs" / "one",)


def test_rows_hold_what_the_manifest_says(runs: Path):
    row = read_run_row(runs / "barn", runs)
    assert (row.state, row.tour_s, row.frames, row.registered, row.models) == ("finished", 90.0, 100, 40, 1)
    assert (row.scale, row.instructions, row.seconds) == ("assumed", 12, 30.0)
    assert [finding.code for finding in row.findings] == ["sfm.no_model", "merge.apart"]
    row = read_run_row(runs / "deep" / "den", runs)
    assert (row.state, row.note) == ("unfinished", "stopped after sfm")
    assert (row.tour_s, row.frames, row.registered, row.instructions) == (60.0, 100, None, None)
    assert row.report is None


def test_a_run_that_cannot_be_read_says_why(runs: Path, tmp_path: Path):
    for name, reason in (("deep/entry", "manifest.json: not valid JSON"), ("flat", "manifest format 99")):
        row = read_run_row(runs / name, runs)
        assert row.state == "unreadable"
        assert reason in row.note
    folder = make_run_folder(tmp_path / "one")
    (folder / "scene" / "scene.json").write_text("{")
    row = read_run_row(folder, tmp_path)
    assert (row.state, row.verdict, row.largest_share) == ("finished", None, None)
    assert "scene/scene.json" in row.note
    (folder / "source.json").write_text("[]", encoding="utf-8")
    assert "does not describe the source" in read_run_row(folder, tmp_path).note
    (folder / "source.json").unlink()
    assert read_run_row(folder, tmp_path).state == "unreadable"


def test_the_page_tells_totals_charts_pictures_and_other_versions(runs: Path, tmp_path: Path):
    page = page_of(runs, tmp_path / "index.html")
    for figure in (
        "6tours1 unfinished, 2 unreadable",
        "13 min 30 sof video",
        "79 %frames with a pose",
        "17instructions",
        "made by version 0.0.1",
    ):
        assert figure in page.text
    assert read_run_row(runs / "cellar", runs).from_other_version
    assert not read_run_row(runs / "attic", runs).from_other_version
    told = [found["aria-label"] for found in page.of_class("bars")]
    assert len(told) == 3
    assert "all frames: 1; 90 % and more: 0; 50 to 90 %: 1; less: 1; not known: 3" in told[0]
    assert "merge.apart: 2 tours, warning; sfm.no_model: 1 tour, error" in told[2]
    pictures = page.named("img")
    assert len(pictures) == 4
    assert all(found["src"].startswith("data:image/jpeg;base64,") and found["alt"] for found in pictures)
    write_index(runs, tmp_path / "again.html")
    assert (tmp_path / "again.html").read_bytes() == (tmp_path / "index.html").read_bytes()


def test_only_plain_files_of_the_frames_folder_are_shown(tmp_path: Path):
    make_run_folder(tmp_path / "runs" / "one", picture="secret.jpg").joinpath("frames/secret.jpg").rename(
        tmp_path / "runs" / "secret.jpg"
    )
    for number, name in enumerate(("../../secret.jpg", "missing/000002.jpg", "/etc/passwd")):
        make_run_folder(tmp_path / "runs" / str(number), picture=name)
    assert page_of(tmp_path / "runs", tmp_path / "index.html").named("img") == []


def test_a_run_says_what_one_may_do_with_it_and_why(runs: Path, tmp_path: Path):
    page = page_of(runs, tmp_path / "index.html").text
    verdicts = {name: read_run_row(runs / name, runs).verdict for name in ("attic", "barn", "cellar", "deep/den")}
    told = {name: verdict and verdict.level for name, verdict in verdicts.items()}
    assert told == {"attic": "care", "barn": "distrust", "cellar": "good", "deep/den": None}
    assert "the largest model of 2 holds 87 % of the frames, whole tours 90 % and more" in page
    assert "nothing to see" in page


def test_links_lead_to_the_pages_of_the_runs(tmp_path: Path):
    make_run_folder(tmp_path / "runs" / "a b #1?%:c")
    elsewhere = tmp_path / "pages"
    elsewhere.mkdir()
    page = page_of(tmp_path / "runs", elsewhere / "index.html")
    link = page.named("a")[-1]["href"]
    assert link == "../runs/a%20b%20%231%3F%25%3Ac/report.html"


def test_text_of_runs_never_becomes_markup(tmp_path: Path):
    evil = Finding("error", EVIL, EVIL, EVIL)
    name = EVIL.replace("/", "")
    make_run_folder(tmp_path / name, source=EVIL, scale=EVIL, version=EVIL, findings=(evil,))
    (tmp_path / f"{name}2").mkdir()
    (tmp_path / f"{name}2" / "manifest.json").write_text(EVIL, encoding="utf-8")
    page = page_of(tmp_path, tmp_path / "index.html")
    assert len(page.named("script")) == 1
    assert not [key for _, found in page.elements for key in found if key.startswith("on")]
    assert page.text.count("<script>alert(1)") >= 5


def test_only_its_own_script_may_run(runs: Path, tmp_path: Path):
    out = tmp_path / "index.html"
    page = page_of(runs, out)
    code = base64.b64encode(sha256(_script_of(out).encode()).digest()).decode()
    policy = next(found["content"] for found in page.named("meta") if "http-equiv" in found)
    assert policy.endswith(f"; script-src 'sha256-{code}'")
    assert policy.startswith("default-src 'none';")
