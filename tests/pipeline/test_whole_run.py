"""A run with every kind of data: its counts, its report, its pictures, and its datasets of every format."""

import json
import shutil
from collections import Counter
from pathlib import Path

import av
import cv2
import numpy as np
import pytest
from markupsafe import escape

from instructions.asking.counts import Reach
from instructions.questions.quality.explain import explain as explain_question
from roomtour.cli import main
from roomtour.errors import RoomtourError
from roomtour.explain.rows import draw_rows, write_page
from roomtour.export import export_runs, validate_export
from roomtour.export.core.talks.spool import SOURCES, TALK_KINDS
from roomtour.kinds import KIND_NAMES, KINDS
from roomtour.run import Run
from roomtour.view.film import FPS, write_film
from tests.support.export.made_datasets import FORMATS_HERE
from tests.support.runs.read_page import ReadPage

EXPLAINED = {"spatial": explain_question, "programs": explain_question}


@pytest.fixture(scope="module")
def run(whole_run: Path) -> Run:
    return Run(whole_run)


def test_every_kind_has_rows_a_section_and_a_source_of_talks(run: Run, subtests: pytest.Subtests):
    assert set(KIND_NAMES) == {"navigation", *TALK_KINDS}
    assert len({source.file for source in SOURCES}) == len(SOURCES)
    page = (run.path / "report.html").read_text(encoding="utf-8")
    for kind in KINDS:
        with subtests.test(kind.name):
            rows = run.rows(kind.name)
            assert rows
            assert all(row.accepted for row in rows)
            assert not any(row.accepted for row in run.rejected_rows(kind.name))
            assert kind.title in page or kind.name in ("navigation", "dialogues", "regions")


def test_counts_add_up_and_say_why_the_rest_was_not_asked(run: Run, subtests: pytest.Subtests):
    frames = set(run.scene.models[0].frames)
    for kind, explain in EXPLAINED.items():
        with subtests.test(kind):
            counts = json.loads((run.path / kind / "counts.json").read_text(encoding="utf-8"))
            rows = run.rows(kind)
            assert counts["written"] == counts["kept"] == len(rows) > 0
            assert sum(sum(types.values()) for types in counts["not_asked"].values()) > 0
            assert {row.scale_status for row in rows} == {"assumed"}
            assert all(set(row.views) <= frames and len(explain(row)) >= 3 for row in rows)
    reach = [Reach(**run.row_counts(kind)["reach"]) for kind in EXPLAINED]
    page = (run.path / "report.html").read_text(encoding="utf-8")
    assert all(str(escape(str(one))) in page for one in reach)
    assert all(0 < one.views <= one.all_views == len(frames) for one in reach)


def test_rows_are_drawn_with_their_views(run: Run, tmp_path: Path):
    for kind in EXPLAINED:
        rows = run.rows(kind)
        for drawn in draw_rows(run, kind, rows, tmp_path):
            assert cv2.imread(str(drawn)) is not None
        write_page(run, kind, rows[:2], tmp_path / "index.html")
        page = ReadPage((tmp_path / "index.html").read_text(encoding="utf-8"))
        assert [found["id"] for found in page.named("section")] == [f"row-{row.id}" for row in rows[:2]]
        assert all(found["src"].startswith("data:image/jpeg;base64,") for found in page.named("img"))
        text = " ".join(page.text.split())
        assert all(" ".join(said.split()) in text for row in rows[:2] for said in (row.question, row.answer))


def test_a_run_becomes_a_film_that_browsers_play(run: Run, tmp_path: Path):
    length_s = write_film(run, tmp_path / "film.mp4")
    with av.open(str(tmp_path / "film.mp4")) as container:
        stream = container.streams.video[0]
        pictures = [frame.to_ndarray(format="bgr24") for frame in container.decode(stream)]
        assert stream.codec_context.pix_fmt == "yuv420p"
    times = [frame.time_s for frame in run.scene.frames]
    assert len(pictures) == round(length_s * FPS)
    assert abs(length_s - (max(times) - min(times) + 1.0)) < 1.0 / FPS
    assert not np.array_equal(pictures[0], pictures[-1])
    with pytest.raises(RoomtourError, match="tour itself"):
        write_film(run, Path(run.scene.source.path))


def test_the_same_rows_at_any_number_of_workers(whole_run: Path, tmp_path: Path):
    again = shutil.copytree(whole_run, tmp_path / "again")
    shutil.rmtree(again / "spatial")
    assert main(["make", str(again), "--data", "spatial", "--set", "workers=2"]) == 0
    assert (again / "spatial" / "rows.jsonl").read_bytes() == (whole_run / "spatial" / "rows.jsonl").read_bytes()


def test_every_format_is_written_valid_and_the_same_twice(whole_run: Path, tmp_path: Path, subtests: pytest.Subtests):
    for name in FORMATS_HERE:
        with subtests.test(name):
            one, two = tmp_path / name, tmp_path / "again" / name
            for out in (one, two):
                assert main(["export", str(whole_run), "--format", name, "--out", str(out)]) == 0
            assert main(["validate", str(one)]) == 0
            assert "## Convention" in (one / "README.md").read_text(encoding="utf-8")
            sums = [(out / "SHA256SUMS").read_text(encoding="utf-8") for out in (one, two)]
            assert sums[0] == sums[1] or name == "rerun"  # its rows have random ids
            assert len(sums[0].splitlines()) >= 3


def test_messages_hold_every_accepted_row_with_its_pictures(run: Run, tmp_path: Path):
    export_runs([run.data], "messages", tmp_path / "out", kinds=("regions", "dialogues", "programs"))
    rows = [json.loads(line) for line in (tmp_path / "out" / "train.jsonl").read_text(encoding="utf-8").splitlines()]
    wanted = {row.id for kind in ("regions", "programs") for row in run.rows(kind)}
    wanted |= {row.id for row in run.rows("dialogues") if row.cloud is None}
    assert {row["id"] for row in rows} == wanted
    assert all(cv2.imread(str(tmp_path / "out" / image)) is not None for row in rows for image in row["images"])


def test_regions_are_drawn_where_their_rows_say(run: Run, tmp_path: Path):
    export_runs([run.data], "llava", tmp_path / "out", kinds=("regions",))
    rows = json.loads((tmp_path / "out" / "regions_train.json").read_text(encoding="utf-8"))
    views = {view.id: view for view in run.region_views}
    source = {row.id: row for row in run.rows("regions")}
    assert len(Counter(row["image"] for row in rows)) == len({source[row["id"]].view for row in rows})
    for row in rows[:20]:
        view = views[source[row["id"]].view]
        drawn = cv2.imread(str(tmp_path / "out" / "images" / row["image"]))
        frame = cv2.imread(str(run.path / "frames" / view.image))
        assert drawn is not None
        assert frame is not None
        changed = (drawn.astype(int) - frame.astype(int)) != 0
        x0, y0, _, _ = (int(value) for value in view.regions[-1].box_xyxy)
        assert changed[max(y0, 0), max(x0, 0)].any()  # the border of the region drawn last begins in its corner


def test_whatever_is_changed_after_the_export_is_found(run: Run, tmp_path: Path):
    out = tmp_path / "out"
    export_runs([run.data], "hf", out, kinds=("regions",))
    shard = next((out / "views").glob("*.parquet"))
    data = bytearray(shard.read_bytes())
    data[len(data) // 3] ^= 0xFF  # inside a picture
    shard.write_bytes(data)
    assert validate_export(out)
    out = tmp_path / "chats"
    export_runs([run.data], "llava", out, kinds=("regions",))
    next((out / "images" / "drawn").rglob("*.png")).unlink()
    assert validate_export(out)
    out = tmp_path / "again"
    export_runs([run.data], "llava", out, kinds=("regions",))
    marker = out / "export.json"
    marker.write_text(marker.read_text(encoding="utf-8")[:40], encoding="utf-8")
    assert validate_export(out, "llava")
    export_runs([run.data], "messages", tmp_path / "other", kinds=("regions",))
    (tmp_path / "other" / "SHA256SUMS").unlink()  # changed on purpose
    assert validate_export(tmp_path / "other") == []
