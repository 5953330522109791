"""Rules of tasks: what fills its crop, how evenly sentences are used, what is said where nothing has a category."""

import re
from collections import Counter
from dataclasses import replace

import numpy as np
import pytest

from instructions.asking.draws import Draw
from instructions.dialogues.options import DialogueOptions
from instructions.dialogues.records import TaskTruth
from instructions.dialogues.tasks.balance import Placed, draw_templates
from instructions.dialogues.tasks.picture_tasks import find_picture_tasks, measure_filled
from instructions.dialogues.tasks.tasks import Draft
from instructions.dialogues.templates import load_pool
from instructions.dialogues.writer import write_dialogues
from instructions.perception.masks import encode_mask
from tests.full.instructions.dialogues.test_what_is_told import FRIDGE, tell
from tests.support.cases import each_case

VIEWS = DialogueOptions(medium="view")


@each_case("share", [0.34, 0.36])
def test_a_thing_is_what_a_crop_shows_only_if_it_fills_it(share: float):
    view = tell((FRIDGE,), frozenset())
    (one,) = view.things
    x0, y0, x1, y1 = one.box
    mask = np.zeros((view.size[1], view.size[0]), bool)
    rows, columns = np.mgrid[int(y0) : int(y1), int(x0) : int(x1)]
    wide = int(x0) + round(share * (x1 - x0))
    mask[rows[:, : wide - int(x0)], columns[:, : wide - int(x0)]] = True
    masked = replace(view, things=(replace(one, seen=replace(one.seen, mask=encode_mask(mask))),))
    assert measure_filled(masked.told[0]) == pytest.approx(share, abs=0.03)
    drafts = find_picture_tasks(masked, None, (), Draw(0, "tasks"))
    assert any(draft.task == "classify_thing" for draft in drafts) == (share > 0.35)


def test_each_sentence_is_within_a_fifth_of_its_even_share():
    task = "presence"
    variants = [one for one in load_pool(task).answers]
    drafts = [
        Placed(
            Draft(task, f"{kind} {number}", TaskTruth(label=kind), (), variant=variants[number % len(variants)],
                  names_class=kind),
            f"view {number}",
        )
        for kind in ("chair", "table", "lamp", "door", "bed")
        for number in range(60 * len(variants))
    ]  # fmt: skip
    drawn = draw_templates(drafts)
    for variant in variants:
        mine = [drawn[one.lot] for one in drafts if one.draft.variant == variant]
        for told, pool in (
            (Counter(one.asked for one in mine), load_pool(task).questions),
            (Counter(one.told for one in mine), load_pool(task).answers[variant]),
        ):
            even = len(mine) / len(pool)
            assert len(told) == len(pool)
            assert all(0.8 * even <= count <= 1.2 * even for count in told.values())


def test_where_nothing_has_a_category_things_are_called_by_their_looks(few_views):
    shades = ("red", "blue", "green", "white", "black", "yellow", "brown", "purple", "orange", "gray", "pink")
    words = [f"{size} {shade} object" for size in ("tall", "wide", "low") for shade in shades]
    objects = [
        replace(one, category=None, categories=(), alias=words[number % len(words)], size_word=None)
        for number, one in enumerate(few_views.objects)
    ]
    plain = replace(few_views, objects=objects, detections=())
    written = write_dialogues(plain, VIEWS)
    assert written.rows
    kinds = {one.category for one in few_views.objects if one.category}
    pattern = re.compile(rf"\b(?:{'|'.join(map(re.escape, kinds))})s?\b")
    for row in written.rows:
        told = " ".join(f"{turn.question} {turn.answer}" for turn in row.turns)
        if row.task not in ("presence", "choice") and row.kind != "description":
            assert not pattern.search(told), told  # what was looked for may be denied, nothing is called so
    assert any("object" in turn.answer or "object" in turn.question for row in written.rows for turn in row.turns)
    assert not {row.task for row in written.rows} & {"count", "classify_thing"}
    assert all(row.truth.label == "no" for row in written.rows if row.task == "presence" and row.truth) or not any(
        row.task == "presence" for row in written.rows
    )
