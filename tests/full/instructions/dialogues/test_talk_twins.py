"""False twins of talks: one turn differs, in one thing, and a judge of the world says that it is false."""

from dataclasses import replace

from instructions.dialogues.records import Dialogue, Turn
from instructions.dialogues.talks.twins import make_twin
from instructions.dialogues.templates import fill, load_talk
from roomtour.files.records import to_plain
from tests.support.judges.dialogue_judge import Judge


def test_most_talks_about_views_have_a_twin_that_the_world_contradicts(judge: Judge, rows):
    talks = [row for row in rows if row.kind == "daily" and row.medium == "view" and row.group is None]
    twins = [(row, twin) for row in talks if (twin := make_twin(row)) is not None]
    assert len(twins) >= 0.8 * len(talks) > 5
    for row, twin in twins:
        turn = row.turns[twin.turn]
        assert twin.answer != turn.answer
        assert twin.because
        said = to_plain(replace(row, turns=(replace(turn, answer=twin.answer),)), Dialogue)
        judge.judge({**said, "templates": [row.templates[twin.turn]]})
    judged = judge.shares()[1]
    assert judged > 0.7 * len(twins)
    assert len(judge.wrong) == judged


def test_every_wording_of_a_side_has_a_twin(rows):
    row = next(row for row in rows if row.kind == "daily" and row.medium == "view")
    things = {"P": "the white side table", "Q": "the lamp"}
    for topic, side, other in (("where", "on the left", "on the right"), ("side", "right", "left")):
        pool = load_talk()[topic]
        for asked, question in enumerate(pool.questions):
            for told, answer in enumerate(pool.answers[""]):
                true, false = (fill(answer, {**things, "side": words}) for words in (side, other))
                turn = Turn(fill(question, things), true, "place")
                name = f"talk.{topic}/questions/{asked}/answers/{told}"
                twin = make_twin(replace(row, turns=(turn,), templates=(name,)))
                assert twin is not None, name
                assert (twin.answer, twin.change) == (false, "side")


def test_changes_are_of_several_kinds_and_the_same_again(rows):
    talks = [row for row in rows if row.kind == "daily"]
    changes = {twin.change for row in talks if (twin := make_twin(row)) is not None}
    assert {"side", "order of two"} <= changes
    assert [make_twin(row) for row in talks] == [make_twin(row) for row in talks]


def test_talks_about_several_pictures_have_twins(rows):
    walks = [row for row in rows if row.medium == "views" and row.group is None]
    assert sum(make_twin(row) is not None for row in walks) >= 0.6 * len(walks) > 2


def test_descriptions_and_background_have_none(rows):
    assert all(make_twin(row) is None for row in rows if row.kind in ("description", "factual"))
