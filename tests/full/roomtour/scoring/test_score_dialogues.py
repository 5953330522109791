"""The exports of dialogues, what breaks them, and `roomtour score` on their benchmark."""

import importlib.util
import json
import shutil
from pathlib import Path

import cv2
import pytest

from roomtour.cli import main
from roomtour.errors import RoomtourError
from roomtour.export import RunData, export_runs
from roomtour.export.validate import validate_export
from roomtour.scoring import explain_answers, rank_answers, score_answers
from roomtour.scoring.dialogues.tasks import MAIN
from tests.support.export.made_datasets import MadeDatasets


@pytest.fixture(scope="module")
def run(made: MadeDatasets) -> RunData:
    return made.few_dialogues[0]


@pytest.fixture(scope="module")
def benchmark(run: RunData, tmp_path_factory: pytest.TempPathFactory) -> Path:
    out = tmp_path_factory.mktemp("scored") / "data"
    export_runs([run], "lamm-benchmark", out, kinds=("dialogues",))
    return out


def answer(run: RunData, benchmark: Path, folder: Path, say) -> Path:
    known = {row["id"] for file in (benchmark / "meta_file").glob("*.json") for row in json.loads(file.read_text())}
    told = [{"id": row.id, "answer": say(row)} for row in run.rows["dialogues"] if row.id in known]
    file = folder / "answers.jsonl"
    file.write_text("".join(json.dumps(one) + "\n" for one in told), encoding="utf-8")
    return file


def test_our_own_answers_score_full(run: RunData, benchmark: Path, tmp_path: Path):
    (report,) = score_answers(answer(run, benchmark, tmp_path, lambda row: row.turns[0].answer), benchmark)
    for name, figure in report.figures.items():
        scores = figure["scores"]
        main = next(key for key in MAIN if key in scores)
        assert scores[main] == pytest.approx(1), name
        assert figure["junk"]["empty"][main] == 0, name
    has_captions = importlib.util.find_spec("rouge_score") is not None
    assert ("Caption right" in report.figures) == has_captions
    assert any("captions are not scored" in note for note in report.notes) != has_captions


def test_rows_without_answers_and_answers_without_rows(run: RunData, benchmark: Path, tmp_path: Path):
    file = answer(run, benchmark, tmp_path, lambda row: "")
    lines = file.read_text().splitlines()
    file.write_text("\n".join(lines[1:]))
    with pytest.raises(RoomtourError, match="have no answer"):
        score_answers(file, benchmark)
    file.write_text("\n".join([*lines, '{"id": "nobody", "answer": ""}']))
    with pytest.raises(RoomtourError, match="nobody"):
        score_answers(file, benchmark)


def test_lamm_is_valid_in_every_space(run: RunData, tmp_path: Path, subtests: pytest.Subtests):
    for number, space in enumerate(("picture", "padded", "cropped")):
        folder = tmp_path / str(number)
        folder.mkdir()
        with subtests.test(str(space)):
            from roomtour.export.formats.dialogues.lamm import LammOptions

            report = export_runs([run], "lamm", folder / "data", LammOptions(box_space=space))
            assert validate_export(folder / "data") == []
            if space == "cropped":
                assert report.dropped["dialogue about what the encoder does not see"] > 0


def _name(file: Path, name: str) -> Path:
    return file.rename(file.with_name(f"{name}.jsonl"))


def test_several_players_are_ranked_with_intervals(
    run: RunData, benchmark: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
):
    """Whose answers are ours for more rows is better; who says the same as another is not better than that one."""
    shutil.copytree(benchmark, tmp_path / "small")
    benchmark = tmp_path / "small"
    for file in (benchmark / "meta_file").glob("*.json"):
        if file.stem not in ("Counting", "Presence", "VQA", "Grounding"):
            file.unlink()
    lot = {row.id: number for number, row in enumerate(run.rows["dialogues"])}
    shares = {"all": 10, "most": 7, "most_too": 7, "none": 0}
    files = [
        _name(
            answer(run, benchmark, tmp_path, lambda row, n=n: row.turns[0].answer if lot[row.id] % 10 < n else ""), name
        )
        for name, n in shares.items()
    ]
    report = rank_answers(files, benchmark)
    figures = report.figures["ranking"]
    assert list(figures) == ["all", "most", "most_too", "none"]
    assert figures["all"]["mean"] == pytest.approx(1)
    assert figures["none"]["mean"] == 0
    assert figures["most"]["mean"] == figures["most_too"]["mean"]
    assert figures["most"]["better_than_next"] == 0.5
    assert figures["most_too"]["better_than_next"] > 0.95
    for one in figures.values():
        low, high = one["interval"]
        assert low <= one["mean"] <= high
    assert main(["score", *map(str, files[2:]), "--data", str(benchmark)]) == 0  # two are ranked as four are, sooner
    assert "ranking over" in capsys.readouterr().out


def test_each_lost_point_is_drawn_with_both_readings(
    run: RunData, benchmark: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
):
    rows = {row.id: row for row in run.rows["dialogues"]}
    full = answer(run, benchmark, tmp_path, lambda row: row.turns[0].answer)
    lost, _ = explain_answers(full, benchmark)
    assert lost == []
    strange = {"count": "12.", "ground": "[0.1, 0.1, 0.2, 0.2] or [0.5, 0.5, 0.9, 0.9]", "presence": "perhaps"}
    bad = answer(run, benchmark, tmp_path, lambda row: strange.get(row.task or "", row.turns[0].answer))
    out = tmp_path / "lost"
    assert main(["score", str(bad), "--data", str(benchmark), "--explain", str(out)]) == 0
    points = {point.row: point for point in explain_answers(bad, benchmark)[0]}
    wanted = {name for name, row in rows.items() if row.task in strange and row.accepted}
    assert {rows[name].task for name in points} == {rows[name].task for name in wanted} >= {"presence", "ground"}
    assert {file.stem for file in out.rglob("*.png")} == set(points)
    assert f"{len(points)} answers that lose points" in capsys.readouterr().out
    for point in points.values():
        told = "\n".join(point.lines)
        if point.task == "ground":
            assert [spot for _, spot in point.told] == [(0.1, 0.1, 0.2, 0.2), (0.5, 0.5, 0.9, 0.9)]
            assert "compat: no published way" in told
        if point.task == "count":
            assert "reads 12\n" in told
            assert "reads 0 (" in told  # the published code reads nothing out of `12.`
        if point.task == "presence":
            assert "reads nothing" in told
        picture = cv2.imread(str(out / point.task / f"{point.row}.png"))
        assert picture is not None
        assert picture.shape[0] > 360
