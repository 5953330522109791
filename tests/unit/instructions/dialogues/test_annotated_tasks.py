"""Keypoints and read words of annotations become tasks; what does not fit is told in one line or counted."""

import json
from dataclasses import replace
from pathlib import Path

import pytest

from instructions.dialogues.options import DialogueOptions
from instructions.dialogues.tasks.annotations import (
    COCO_KEYPOINTS,
    Annotation,
    Keypoint,
    Person,
    ReadText,
    find_annotated_tasks,
    read_annotations,
)
from instructions.dialogues.tasks.formats import benchmark_row, tell_turns
from instructions.dialogues.writer import write_dialogues
from instructions.errors import InstructionError
from recon.records import Frame
from roomtour.scoring.dialogues import right

FRAMES = tuple(Frame(n, float(n), f"{n:06d}.jpg", 640, 360, 1.0, 0) for n in (1, 2, 3))
PERSON = {"box": [100, 50, 300, 350], "points": {"nose": [200, 80], "left_wrist": [130, 200], "right_knee": [220, 300]}}


def write(path: Path, *lines: object) -> Path:
    path.write_text("".join(json.dumps(line) + "\n" for line in lines), encoding="utf-8")
    return path


def read(path: Path, *lines: object) -> tuple[Annotation, ...]:
    return read_annotations(write(path / "notes.jsonl", *lines), FRAMES, ["0"])


def test_what_a_file_says_is_read(tmp_path: Path):
    flags = [value for n in range(17) for value in (110.0 + 10 * n, 60.0 + 10 * n, 2.0 if n % 2 else 1.0)]
    by_name, by_index, cloud = read(
        tmp_path,
        {"image": "frames/000002.jpg", "words": [{"text": "Way out", "box": [0, 0, 100, 20]}], "label": "kitchen"},
        {"frame": 3, "people": [PERSON, {"box": [100, 50, 300, 350], "keypoints": flags}], "source": "by hand"},
        {"cloud": "0", "pairs": [{"question": "How many?", "answer": "2"}], "captions": ["A flat."]},
    )
    assert (by_name.frame, by_name.label, by_name.words[0].text) == (2, "kitchen", "Way out")
    assert [point.name for point in by_index.people[0].keypoints] == ["nose", "left wrist", "right knee"]
    # Only what COCO flags as visible.
    assert [point.name for point in by_index.people[1].keypoints] == list(COCO_KEYPOINTS[1::2])
    assert (cloud.frame, cloud.model, cloud.pairs[0].answer) == (None, "0", "2")


WRONG = (
    ({"frame": 9}, "frame 9 is none"),
    ({"image": "x.jpg"}, "none of the run's 3 frames"),
    ({"frame": 1, "cloud": "0"}, "need one of image, frame and cloud"),
    ({"cloud": "7"}, "no model '7'"),
    ({"cloud": "0", "words": [{"text": "a", "box": [0, 0, 1, 1]}]}, "has no words"),
    ({"frame": 1, "words": [{"text": "a", "box": [0, 0, 641, 1]}]}, "words.0: box"),
    ({"frame": 1, "words": [{"text": "a", "box": [0, 0, float("nan"), 1]}]}, ""),
    ({"frame": 1, "words": [{"text": "a", "box": [9, 0, 1, 9]}]}, "words.0: box"),
    ({"frame": 1, "people": [{"box": [0, 0, 9, 9], "points": {"nose": [700, 1]}}]}, "outside of the picture"),
    ({"frame": 1, "colour": 1}, "colour"),
    ("{", ""),
)


def test_what_does_not_fit_is_one_line(subtests, tmp_path: Path):
    path = tmp_path / "notes.jsonl"
    for line, told in WRONG:
        with subtests.test(str(line)):
            path.write_text(line if isinstance(line, str) else json.dumps(line))
            with pytest.raises(InstructionError, match=r"notes\.jsonl:1") as caught:
                read_annotations(path, FRAMES, ["0"])
            assert told in str(caught.value)
            assert "\n" not in str(caught.value)


def test_unreadable_words_and_bare_people_are_counted():
    box = (10.0, 10.0, 60.0, 30.0)
    words = tuple(ReadText(text, box) for text in ("EXIT", 'say "hi"', "[1]", "|", "Push", "Push", "<image>"))
    few = Person((0.0, 0.0, 50.0, 90.0), (Keypoint("nose", 20.0, 10.0),))
    stray = Person(
        (0.0, 0.0, 50.0, 90.0),
        (Keypoint("nose", 20.0, 10.0), Keypoint("left eye", 20.5, 10.0), Keypoint("left hip", 25.0, 50.0),
         Keypoint("left ankle", 300.0, 80.0)),
    )  # fmt: skip
    drafts, left = find_annotated_tasks([Annotation(1, words=words, people=(few, stray))])
    assert [draft.slots.get("A") or draft.slots["P"] for draft in drafts] == ["left hip", "EXIT"]
    assert left == {
        "words_not_quotable": 4, "words_twice": 2, "person_with_few_keypoints": 1, "keypoint_off_its_person": 1,
        "keypoints_in_one_place": 2,
    }  # fmt: skip


@pytest.fixture(scope="module")
def rows(few_views):
    points = tuple(Keypoint(name, 120.0 + 20 * n, 80.0 + 30 * n) for n, name in enumerate(("nose", "left hip", "chin")))
    told = Annotation(1, words=(ReadText("Mind the step", (10.0, 20.0, 200.0, 60.0)),),
                      people=(Person((100.0, 50.0, 300.0, 350.0), points),), source="by hand")  # fmt: skip
    made = write_dialogues(replace(few_views, annotations=(told,)), DialogueOptions(medium="view"))
    return [row for row in made.rows if row.task in ("keypoints", "words")]


def test_rows_ask_for_parts_and_words(rows):
    assert sorted(row.truth.label for row in rows) == ["Mind the step", "chin", "left hip", "nose"]
    for row in rows:
        (turn,) = row.turns
        assert row.truth.label in (turn.question if row.task == "keypoints" else turn.answer)
        assert len(turn.spots) == (2 if row.task == "keypoints" else 1)
        assert tell_turns(row) == [(turn.question, turn.answer)]
        assert row.evidence[0].words.endswith("by hand")


def test_their_own_answers_score_full(rows):
    for task, score, name in (("keypoints", right.score_keypoints, "PCK10"), ("words", right.score_words, "f1")):
        told = []
        for row in rows:
            if row.task == task:
                meta = benchmark_row(row)
                assert meta is not None
                truth = meta["object"] if task == "keypoints" else meta["word_list"]
                told.append({"gt_answers": truth, "answer": row.turns[0].answer})
        scores = {key.lower(): value for key, value in score(told).items()}
        assert scores[name.lower()] == 1.0
        wrong = [{**one, "answer": 'It is at [0.99, 0.99] and says "nothing".'} for one in told]
        assert {key.lower(): value for key, value in score(wrong).items()}[name.lower()] == 0.0
