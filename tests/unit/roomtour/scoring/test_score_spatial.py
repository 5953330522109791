"""`roomtour score` on spatial questions: made players whose scores are known, junk among them."""

import json
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from instructions.asking.reward import grade_number
from instructions.questions.quality.grades import Grade, Solution, find_asked_unit, grade_answer, read_side
from instructions.questions.registry import ALL_TYPES
from instructions.questions.writers.views import write_questions
from roomtour.cli import main
from roomtour.export import RunData, export_runs
from roomtour.scoring import score_answers
from roomtour.scoring.dataset import read_rows
from roomtour.scoring.intervals import estimate_mean
from roomtour.scoring.records import DatasetRow
from tests.support.export.breaking import frames_on_disk
from tests.support.export.made_datasets import ALL_SPATIAL as ALL
from tests.support.export.made_datasets import make_spatial_tour as make_tour
from tests.support.worlds.box_rooms import Block, make_room


@pytest.fixture(scope="module")
def dataset(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("scored")
    tours = [make_tour(f"home{k}", folder, shift=0.2 * k) for k in range(3)]
    export_runs(tours, "jsonl", folder / "data", kinds=("spatial",))
    return folder / "data"


def play(dataset: Path, folder: Path, player: Callable[[DatasetRow], str | None]) -> dict:
    lines = [(row.id, player(row)) for row in read_rows(dataset)]
    file = folder / "answers.jsonl"
    file.write_text(
        "".join(json.dumps({"id": name, "answer": said}) + "\n" for name, said in lines if said is not None),
        encoding="utf-8",
    )
    (report,) = score_answers(file, dataset)
    return dict(report.figures)


def test_the_same_of_the_same_things_from_everywhere_is_consistent_right_or_wrong(tmp_path: Path):
    blocks = (Block("chair", (4.0, 1.0, 0.45), (0.5, 0.5, 0.9)), Block("lamp", (5.5, -1.0, 0.9), (0.4, 0.4, 1.8)))
    room = make_room(blocks, eyes=((0.0, 0.0, 1.5), (0.0, 0.8, 1.5), (0.8, 0.0, 1.5)))
    rows = write_questions(room.tour, options=ALL).rows
    tour = RunData(room.scene, (), room.objects, room.observations, (), {"spatial": rows}, tmp_path, {})
    export_runs([tour], "jsonl", tmp_path / "data", kinds=("spatial",))
    always = play(tmp_path / "data", tmp_path, lambda row: "2 m" if row.unit else "yes")["consistency"]
    assert always["groups"] > 3
    fixed = play(tmp_path / "data", tmp_path, tell_truth)["consistency"]
    assert (fixed["agreed"], fixed["groups"]) == (1.0, always["groups"])
    count = iter(range(10_000))
    fickle = play(tmp_path / "data", tmp_path, lambda row: f"{2 ** (next(count) % 9)} m")["consistency"]
    assert fickle["agreed"] < 0.3


def test_who_says_that_it_is_not_there_is_right_where_it_is_not(subtests: pytest.Subtests):
    for answer, right in (
        ("The lamp is not in the picture.", True),
        ("I can't see a lamp here.", True),
        ("There is no lamp in this image.", True),
        ("The lamp is out of view.", True),
        ("I cannot tell.", True),
        ("2 meters.", False),
        ("No, it is not in front of the sofa.", False),
        ("The lamp is to the left of the chair.", False),
        ("Yes.", False),
    ):
        with subtests.test(str(answer)):
            truth = truth_of("unseen", "not visible", "How far is the lamp from the chair?")
            assert grade_answer(truth, answer).right is right


def tell_truth(row: DatasetRow) -> str:
    return f"{row.solution} m" if row.unit == "m" else row.solution


def test_the_truth_scores_everything_however_it_is_told(dataset: Path, tmp_path: Path):
    figures = play(dataset, tmp_path, tell_truth)
    assert figures["words"]["success"]["mean"] == 1.0
    assert figures["words"]["twin_accuracy"] == 1.0
    assert figures["words"]["twin_pairs"] > 50
    assert {row["read"] for row in figures["Questions for a word, in %"]} == {1.0}
    numbers = figures["numbers"]
    assert numbers["mra"]["mean"] == pytest.approx(1.0)
    assert numbers["fair_mra"]["mean"] == pytest.approx(1.0)
    assert numbers["in [90, 110] %"]["mean"] == 1.0
    assert numbers["mse_m2"] == pytest.approx(0.0, abs=1e-12)
    figures = play(dataset, tmp_path, lambda row: row.answer)
    assert figures["words"]["success"]["mean"] == 1.0
    assert figures["numbers"]["number given"]["mean"] == 1.0
    assert figures["numbers"]["in [66.7, 150] %"]["mean"] == 1.0  # people round by at most 20 %

    def feet(row: DatasetRow) -> str:
        value = float(row.solution) if row.unit else 0.0
        return f"{value / 0.3048!r} feet" if row.unit == "m" else f"{value!r}" if row.unit else "no"

    assert play(dataset, tmp_path, feet)["numbers"]["mra"]["mean"] == pytest.approx(1.0)


@pytest.mark.parametrize(
    "player",
    [
        lambda row: None if row.tour == "home0" and row.id != "never" else "",
        lambda row: "I cannot measure a picture, but 2 m, yes.",
        lambda row: row.question,
        lambda row: "yes no left right above below behind in front of taller shorter " + " ".join(row.choices),
        lambda row: "Yes or no. " + " and ".join(row.choices),
        lambda row: "?!",
    ],
)
def test_junk_gets_no_words_right(dataset: Path, tmp_path: Path, player: Callable[[DatasetRow], str | None]):
    figures = play(dataset, tmp_path, player)
    # Yes first, then everything: a reader may take the first word; never more than a guess.
    assert figures["words"]["success"]["mean"] <= 0.55
    assert figures["words"]["twin_accuracy"] <= 0.1


def test_numbers_off_by_a_factor_fall_into_the_ranges_they_belong_to(dataset: Path, tmp_path: Path):
    def off(row: DatasetRow) -> str:
        unit = "" if row.unit == "ratio" else f" {row.unit}"
        return f"{1.4 * float(row.solution)!r}{unit}" if row.unit else "yes"

    numbers = play(dataset, tmp_path, off)["numbers"]
    assert numbers["in [50, 200] %"]["mean"] == 1.0
    assert numbers["in [66.7, 150] %"]["mean"] == 1.0
    assert numbers["in [90, 110] %"]["mean"] == 0.0
    assert numbers["relative_error"]["mean"] == pytest.approx(0.4)
    assert numbers["mra"]["mean"] == pytest.approx(grade_number(1.4, 1.0), abs=0.051)


def test_intervals_are_over_tours():
    sure = estimate_mean([1.0, 0.0] * 10, ["a"] * 10 + ["b"] * 10)
    assert sure is not None
    assert (sure.low, sure.high) == (0.5, 0.5)  # both tours alike
    torn = estimate_mean([1.0] * 10 + [0.0] * 10, ["a"] * 10 + ["b"] * 10)
    assert torn is not None
    assert (torn.low, torn.high) == (0.0, 1.0)
    one = estimate_mean([1.0, 0.0], ["a", "a"])
    assert one is not None
    assert one.low is None
    assert estimate_mean([], []) is None


def truth_of(kind: str, truth: str | float, question: str = "How far?", **more: object) -> Solution:
    made = Solution("r", "t", kind, ALL_TYPES[kind].form, truth, "m", question=question)
    return replace(made, **more)  # type: ignore[arg-type]


def test_a_score_that_respects_error_bars_forgives_what_nobody_knows():
    sharp, vague = truth_of("distance", 2.0), truth_of("distance", 2.0, sigma=0.3)
    assert Grade(sharp, 2.2).fair_mra == pytest.approx(Grade(sharp, 2.2).lenient)
    assert Grade(vague, 2.2).fair_mra > Grade(vague, 2.2).lenient
    assert Grade(vague, 4.2).fair_mra < 0.1
    assert Grade(vague, None).fair_mra == 0.0


def test_the_unit_that_a_question_names_is_that_of_a_bare_number(subtests: pytest.Subtests):
    for question, unit in (
        ("How far is it? Answer in feet.", "ft"),
        ("How far is it? Give meters with two decimals.", "m"),
        ("Estimate how far it is. In centimeters, please.", "cm"),
        ("How many feet of the table are there?", ""),
        ("How far is it?", ""),
    ):
        with subtests.test(str(question)):
            assert find_asked_unit(question) == unit


def test_a_bare_number_counts_in_the_unit_asked_for():
    assert grade_answer(truth_of("distance", 3.048, "How far? Answer in feet."), "10").lenient == 1.0
    assert grade_answer(truth_of("distance", 3.048), "10").lenient == 0.0
    assert read_side("taller, shorter", "height") is None
    assert read_side("taller. The other is shorter.", "height") == "more"


def test_words_are_read_as_people_say_them(subtests: pytest.Subtests):
    for kind, answer, read in (
        ("left_right_class", "On the right.", "right"),
        ("left_right_class", "not left but right", "right"),
        ("left_right_class", "left or right", None),
        ("left_right_class", "That is right: on the left.", "left"),
        ("behind_front_class", "It is nearer to the camera.", "in front of"),
        ("behind_front_class", "further away", "behind"),
        ("tall_short_class", "It is not as tall as the lamp.", "shorter"),
        ("tall_short_class", "They are about the same height.", "too close"),
        ("above_below_class", "It hangs over the table.", "above"),
        ("left_predicate", "Too close to call.", "too close"),
        ("left_predicate", "perhaps", None),
        ("clock", "At two o'clock", "2"),
        ("clock", "11", "11"),
    ):
        with subtests.test(str(answer)):
            assert grade_answer(truth_of(kind, "x"), answer).read == read


def test_bad_answers_are_one_line(
    dataset: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str], subtests: pytest.Subtests
):
    for number, (name, text, words) in enumerate(
        (
            ("a.jsonl", "", "holds no answers"),
            ("a.jsonl", "{", "no valid JSON"),
            ("a.jsonl", '{"answer": "x"}', "row 1 has no id"),
            ("a.jsonl", '{"id": "x"}', "has no text"),
            ("a.jsonl", '{"id": "x", "answer": "1"}\n{"id": "x", "answer": "2"}', "a second answer for x"),
            ("a.jsonl", '{"id": "strange", "answer": "1"}', "none of its 1 ids"),
            ("a.json", "3", "need rows with id and answer"),
            ("a.csv", "id,answer\nstrange,2\n", "none of its 1 ids"),
            ("missing.jsonl", None, "cannot be read"),
        )
    ):
        folder = tmp_path / str(number)
        folder.mkdir()
        with subtests.test(str(words)):
            if text is not None:
                (folder / name).write_text(text, encoding="utf-8")
            assert main(["score", str(folder / name), "--data", str(dataset)]) == 1
            error = capsys.readouterr().err
            assert words in error
            assert len(error.strip().splitlines()) == 1


def test_the_command_prints_tables_and_writes_json(dataset: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]):
    file = tmp_path / "answers.json"
    file.write_text(json.dumps({row.id: row.answer for row in read_rows(dataset)}), encoding="utf-8")
    out = tmp_path / "score.json"
    assert main(["score", str(file), "--data", str(dataset), "--json", str(out)]) == 0
    text = capsys.readouterr().out
    assert "right word" in text
    assert "camera_distance" in text
    figures = json.loads(out.read_text(encoding="utf-8"))["spatial"]
    assert figures["words"]["success"]["mean"] == 1.0


def test_another_format_scores_the_same_truth(tmp_path: Path):
    frames = frames_on_disk(tmp_path / "frames", 1, 640, 480)
    export_runs([make_tour("home0", frames)], "llava", tmp_path / "llava")
    figures = play(tmp_path / "llava", tmp_path, lambda row: row.answer)
    assert (figures["words"]["success"]["mean"], figures["numbers"]["number given"]["mean"]) == (1.0, 1.0)
