"""Wrong options of a language model: used only where they are proved wrong, told whose they are, else ours stand."""

import json
from dataclasses import replace
from pathlib import Path

from instructions.dialogues.options import DialogueOptions
from instructions.dialogues.tasks.distractors import Proposed, ask_distractors, prove_absent
from instructions.dialogues.tour import TalkTour
from instructions.dialogues.writer import write_dialogues
from instructions.language.options import LanguageOptions
from tests.support.doubles.scripted_model import ScriptedModel

OPTIONS = DialogueOptions(medium="view", tasks_per_view=0, rows_per_thing=100)
PROPOSED = ["a clock", "a bathtub", "a sofa", "a piano", "a unicorn"]


def propose(tour: TalkTour, folder: Path, content: str) -> tuple[Proposed, list[str]]:
    model = ScriptedModel(lambda messages: content)
    views = [(view, None) for one in tour.scene.models for view in tour.find_views(one, OPTIONS) if view.told]
    made = ask_distractors(
        views, {tour.scene.models[0].name: ["sofa", "bed"]}, tour="t", seed=0, replies=folder,
        options=LanguageOptions(concurrency=1), connect=lambda: model,
    )  # fmt: skip
    return made, [messages[-1].content for messages in model.asked]


def test_only_what_is_proved_wrong_becomes_an_option(few_views: TalkTour, tmp_path: Path):
    proposed, told = propose(few_views, tmp_path, json.dumps({"options": PROPOSED}))
    frames = [place for place in proposed.kinds if isinstance(place, int)]
    assert len(told) == len(proposed.kinds) == len(frames) + 1
    assert len(frames) > 3
    assert all(json.loads(one)["shows"] for one in told)
    written = write_dialogues(few_views, OPTIONS, distractors=proposed)
    ours = write_dialogues(few_views, OPTIONS)
    seen = {}
    for frame in frames:
        shown = {one.object for one in few_views.observations if one.frame == frame}
        seen[frame] = {thing.category for thing in few_views.objects if thing.id in shown}
    rows = [row for row in written.rows if row.task == "choice" and "can be seen" in row.turns[0].question]
    assert rows
    told = 0
    for row in rows:
        assert row.truth is not None
        wrong = [one for at, one in enumerate(row.truth.choices) if at != row.truth.correct]
        assert not {one.split(" ", 1)[1] for one in wrong} & seen[row.views[0]]
        assert "a unicorn" not in wrong  # nobody looked for one
        told += sum("proposed" in one.words for one in row.evidence)
        assert {"a clock", "a bathtub", "a piano"} & set(wrong)
    assert told >= len(rows)
    # What is proved but was not drawn for an option is not counted as unproved.
    views = [view for one in few_views.scene.models for view in few_views.find_views(one, OPTIONS)]
    asked = [(view, proposed.kinds.get(view.frame, ())) for view in views]
    unproved = sum(len(kinds) - len(prove_absent(kinds, view.absent)) for view, kinds in asked)
    left_out = written.counts["left_out"]
    assert isinstance(left_out, dict)
    assert left_out["distractor_not_proved"] == unproved >= len(frames)
    assert [row for row in written.rows if row.task == "presence"] == [
        row for row in ours.rows if row.task == "presence"
    ]


BAD = ("no json", json.dumps({"options": ["a clock"]}), json.dumps({"options": PROPOSED, "more": 1}), "")


def test_bad_replies_leave_our_options(subtests, few_views: TalkTour, tmp_path: Path):
    ours = write_dialogues(few_views, OPTIONS).rows
    for number, content in enumerate(BAD):
        with subtests.test(content):
            proposed, told = propose(few_views, tmp_path / str(number), content)
            assert (proposed.kinds, proposed.open.useless) == ({}, len(told) // 2)  # one repair round each
            assert write_dialogues(few_views, OPTIONS, distractors=proposed).rows == ours


def test_words_that_mean_more_than_was_looked_for_are_never_called_absent(few_views: TalkTour):
    wide = replace(few_views, looked_for=few_views.known_kinds | {"bag", "box"})
    rows = write_dialogues(wide, OPTIONS).rows
    told = [choice for row in rows if row.task == "choice" and row.truth is not None for choice in row.truth.choices]
    assert "a clock" in told
    assert not {"a bag", "a box"} & set(told)
    assert not [row for row in rows if row.task == "presence" and "bag" in row.turns[0].question]


def test_kinds_are_found_under_other_names():
    assert prove_absent(["fridge", "wall of ice", "piano"], ["piano", "refrigerator", "clock"]) == [
        "refrigerator",
        "piano",
    ]
