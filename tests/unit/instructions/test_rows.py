"""The base of every row: names, codes and counts."""

from dataclasses import fields, replace

import pytest

from instructions.navigation.grammar_writer import write_instructions
from instructions.navigation.records import REASONS
from instructions.rows import Row, RowCounts, count_rows, row_id
from instructions.tour import Tour
from tests.support.cases import each_case
from tests.support.paths import ROOT
from tests.support.worlds.boxworld import make_world, true_objects
from tests.support.worlds.corridor import FALSE, TRUE, Script, corridor, options, telling
from tests.support.worlds.made_walks import random_world


def made_row(**changes) -> Row:
    base = Row(
        id="x", tour="flat", model="0", views=(1, 2), scale_status="relative", perception="none", writer="embedded",
        seed=0, accepted=True,
    )  # fmt: skip
    return replace(base, **changes)


def test_a_rejected_row_has_a_code_and_a_sentence_and_an_accepted_one_neither():
    for wrong in (
        {"accepted": False},
        {"accepted": False, "rejected_because": "false_claim"},
        {"rejected_because": "false_claim", "rejection": "not so"},
        {"rejection": "not so"},
        {"accepted": False, "rejected_because": "it is not so", "rejection": "not so"},
    ):
        with pytest.raises(ValueError, match="row x: "):
            made_row(**wrong)


def test_counts_add_up():
    rejected = [
        made_row(accepted=False, rejected_because=code, rejection="..")
        for code in ("repeat", "false_claim", "false_claim")
    ]
    assert count_rows([made_row(), *rejected]) == RowCounts(4, 1, 3, {"false_claim": 2, "repeat": 1})
    assert list(count_rows(rejected).rejected_because) == ["false_claim", "repeat"]
    assert count_rows([]) == RowCounts(0, 0, 0, {})
    with pytest.raises(ValueError, match="do not add up"):
        RowCounts(4, 2, 1, {"repeat": 1})


def test_ids_hang_on_what_a_row_is_about():
    assert row_id(0, "flat", "navigation", "t0", 1, 51) == row_id(0, "flat", "navigation", "t0", 1, 51)
    about = [(0, "flat", "a"), (1, "flat", "a"), (0, "hut", "a"), (0, "flat", "b"), (0, "fl", "at", "a")]
    assert len({row_id(*one) for one in about}) == 5
    assert len(row_id()) == 16


@each_case("walk", (0, 3))
def test_ids_and_words_do_not_hang_on_what_stands_beside(walk):
    world = random_world(walk)
    objects, observations = true_objects(world)
    rows = write_instructions(Tour(world.scene, objects, observations, seed=3), [world.trajectory])
    assert len({row.id for row in rows}) == len(rows)
    before = replace(world.trajectory, id="another")
    among = write_instructions(Tour(world.scene, objects, observations, seed=3), [before, world.trajectory])
    assert [row for row in among if row.trajectory == world.trajectory.id] == rows
    assert not {row.id for row in among if row.trajectory == "another"} & {row.id for row in rows}


def test_every_code_that_writers_give_is_documented(tmp_path):
    world = make_world(legs=(("walk", 0.005),) * 40)
    codes = {
        row.rejected_because for row in write_instructions(Tour(world.scene, *true_objects(world)), [world.trajectory])
    }
    for differs in ("~", "Facing"):
        model = Script([telling(FALSE, TRUE)], differs=differs)
        written = corridor().write(tmp_path / differs, options(None, enriched=False), model=model)
        codes |= {row.rejected_because for row in written.rows}
    assert codes - {None} <= set(REASONS)
    assert {"other_words", "other_meaning", "no_movement"} <= codes


def test_the_page_of_the_run_folder_lists_fields_and_codes():
    page = (ROOT / "docs" / "run-folder.md").read_text(encoding="utf-8")
    assert all(f"| `{code}` | {words} |" in page for code, words in REASONS.items())
    assert all(f"`{field.name}`" in page for field in fields(Row))


def test_a_row_of_a_model_has_the_same_id_whatever_it_says(tmp_path):
    ids = [
        [row.id for row in corridor().write(tmp_path / text, options(None), model=Script([telling(text)])).rows]
        for text in (TRUE, FALSE)
    ]
    assert ids[0] == ids[1]
    assert len(set(ids[0])) == 2
