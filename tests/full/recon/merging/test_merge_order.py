"""What merging asks on its way from sub-models to finished models."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import pytest

from recon.audit.contradictions import PairCheck
from recon.merging import join, merge
from recon.merging.regrow import MergeBars
from tests.support.recon.made_models import cut


def model(name: str, *frames: int) -> Any:
    """As far as what is asked of names and frames goes; the clips are the letters of the name."""
    return SimpleNamespace(name=name, frames=frames, clips=tuple(name))


def test_a_model_reaches_for_what_lies_between_its_frames_and_is_in_no_larger_one():
    model_, small, equal = model("a", 2, 3, 9, 10, 20), model("b", 5, 6), model("c", 12, 13, 14, 40, 41)
    others = [model_, small, equal]
    assert join._find_enclosed(model_, others, range(1, 31)) == {4, 5, 6, 7, 8, 11, 15, 16, 17, 18, 19}
    assert join._find_enclosed(small, others, range(1, 31)) == set()
    assert join._find_enclosed(model_, others, ()) == set()


def test_it_says_how_far_it_is(scene, database):
    said = []
    parts = [cut(scene, range(1, 13), "000/0"), cut(scene, range(9, 25), "001/0")]
    merge.merge_sub_models(parts, database, progress=said.append)
    assert said == pytest.approx([0.15, 0.3, 0.8, 1.0])


def test_a_single_whole_model_is_not_thinned(scene, database, monkeypatch):
    thinned = []
    thin = merge._thin
    monkeypatch.setattr(merge, "_thin", lambda part: thinned.append(part.name) or thin(part))
    merge.merge_sub_models([cut(scene, range(1, 13), "000/0")], database)
    assert thinned == []
    merge.merge_sub_models([cut(scene, range(1, 13), "000/0"), cut(scene, range(9, 25), "001/0")], database)
    assert thinned == ["000/0", "001/0"]


def test_look_alikes_are_asked_of_the_first_kind_where_there_are_two(scene, database, monkeypatch, tmp_path):
    asked, told = [], []
    check = PairCheck(1, 3, 99, 1.0, 1.0, contradicts=False, ambiguous=True)
    monkeypatch.setattr(merge, "check_pairs", lambda part, path, options: asked.append((path, options)) or [check])
    judge = merge.judge_motions
    monkeypatch.setattr(merge, "judge_motions", lambda checks: told.append(checks) or judge(checks))
    parts = [cut(scene, range(1, 13), "000/0"), cut(scene, range(9, 25), "001/0")]
    merge.merge_sub_models(parts, database, first_kind_path=tmp_path)
    assert asked == [(tmp_path, MergeBars().check)] * 2
    assert told == [[check]]  # the pair lies in both clips
    merge.merge_sub_models(parts, database)
    assert len(asked) == 2
    assert len({(one.first, one.second) for one in told[1]}) == len(told[1]) > 10  # each pair once


def test_the_models_are_named_from_the_largest_on(scene):
    parts = [cut(scene, range(1, 6), "000/0"), cut(scene, range(10, 25), "001/0")]
    result = merge.merge_sub_models(parts)
    assert [(one.name, len(one.frames)) for one in result.models] == [("merged/0", 15), ("merged/1", 5)]
    assert result.models[0].reconstruction is not parts[1].reconstruction
