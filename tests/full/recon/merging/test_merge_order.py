"""In which order sub-models are joined, what is tried again, and what is asked on the way, with given verdicts."""

from __future__ import annotations

from dataclasses import replace
from types import SimpleNamespace
from typing import Any

import pytest

from recon.audit.contradictions import PairCheck
from recon.merging import merge
from recon.merging.join import JoinJob, MergeBars, MergeOptions
from recon.records import MergeAttempt
from tests.support.recon.made_models import cut

JOB = JoinJob(MergeOptions(), None, 7)


def model(name: str, *frames: int) -> Any:
    """As far as what is asked of names and frames goes; the clips are the letters of the name."""
    return SimpleNamespace(name=name, frames=frames, clips=tuple(name))


def attempt(first: str, second: str, verdict: str) -> MergeAttempt:
    made = MergeAttempt(first, second, "", (1,), 0.5, 0.5, None, None, None, 9, None, "rolled back", "why", 0.0)
    return replace(made, verdict=verdict)


@pytest.fixture
def tried(monkeypatch):
    """Pairs in the order tried over frames; those in `tried.refused` are undone, the others become one."""
    seen = SimpleNamespace(pairs=[], names=[], shared=[], refused=set())

    def join(one, other, shared, name, job):
        seen.pairs.append(one.name + "+" + other.name)
        seen.names.append(name)
        seen.shared.append(tuple(shared))
        if frozenset((one.name, other.name)) in seen.refused:
            return None, attempt(one.name, other.name, "rolled back")
        frames = tuple(sorted({*one.frames, *other.frames}))
        return model(one.name + other.name, *frames), attempt(one.name, other.name, "accepted")

    monkeypatch.setattr(merge, "join_by_frames", join)
    return seen


def names(models) -> list[str]:
    return [one.name for one in models]


def test_the_first_clip_grows_by_who_shares_most_until_nobody_fits(tried):
    parts = [model("c", *range(16, 30)), model("a", *range(1, 13)), model("b", *range(8, 20))]
    nodes, attempts = merge._join_all(parts, [], JOB)
    assert tried.pairs == ["a+b", "ab+c"]
    assert tried.shared == [(8, 9, 10, 11, 12), (16, 17, 18, 19)]
    assert tried.names == ["join/0", "join/1"]
    assert names(nodes) == ["abc"]
    assert [one.verdict for one in attempts] == ["accepted", "accepted"]


def test_of_two_neighbours_the_one_with_more_shared_frames_comes_first(tried):
    parts = [model("a", *range(10, 20)), model("b", *range(1, 14)), model("c", *range(15, 40))]
    merge._join_all(parts, [], JOB)
    assert tried.pairs == ["a+c", "ac+b"]


@pytest.mark.parametrize(("shared", "is_tried"), [(3, False), (4, True)])
def test_four_shared_frames_are_needed(shared, is_tried, tried):
    merge._join_all([model("a", *range(1, 11)), model("b", *range(11 - shared, 20))], [], JOB)
    assert bool(tried.pairs) is is_tried


def test_a_pair_that_was_undone_is_tried_again_only_as_part_of_another(tried):
    tried.refused = {frozenset("ab")}
    parts = [model("a", *range(1, 13)), model("b", *range(8, 20)), model("c", *range(14, 30))]
    nodes, _ = merge._join_all(parts, [], JOB)
    assert tried.pairs == ["a+b", "b+c", "a+bc"]
    assert names(nodes) == ["abc"]


def test_undone_pairs_of_before_are_left_unless_one_of_them_changed(tried):
    parts = [model("a", *range(1, 13)), model("b", *range(8, 20))]
    before = [attempt("b", "a", "rolled back"), attempt("a", "x", "accepted")]
    nodes, attempts = merge._join_all(parts, before, JOB)
    assert (names(nodes), attempts, tried.pairs) == (["a", "b"], before, [])
    nodes, attempts = merge._join_all(parts, before, JOB, changed={"b"})
    assert (names(nodes), tried.pairs) == (["ab"], ["a+b"])
    assert tried.names == ["join/2"]
    assert attempts[:2] == before


# Lost frames


def test_models_that_picked_something_up_are_tried_again(tried, monkeypatch, tmp_path):
    a, b = model("a", *range(1, 13)), model("b", *range(12, 20))
    undone = [attempt("a", "b", "rolled back")]
    grown = model("b", *range(8, 20))
    monkeypatch.setattr(merge, "_grow", lambda one, wanted, *_: grown if one is b and wanted == {8} else one)
    nodes, attempts = merge._pick_up_and_join([a, b], [{9}, {8}], undone, tmp_path, JOB)
    assert (names(nodes), tried.pairs, len(attempts)) == (["ab"], ["a+b"], 2)
    tried.pairs.clear()
    assert merge._pick_up_and_join([a, grown], [{9}, {30}], undone, tmp_path, JOB) == ([a, grown], undone)
    assert tried.pairs == []


def test_each_model_reaches_for_what_it_lacks_nearby(monkeypatch, tmp_path):
    asked = {}

    def grow(one, path, wanted, options, seed):
        asked[one.name] = (path, wanted, options, seed)
        return model(one.name, *wanted)

    monkeypatch.setattr(merge, "grow", grow)
    a, b = model("a", 1, 2, 3), model("b", 60, 61)
    grown = [merge._grow(one, {3, 5, 30}, tmp_path, JOB) for one in (a, b)]
    assert asked == {"a": (tmp_path, [1, 2, 3, 5], JOB.bars.straighten, 7)}
    assert names(grown) == ["a", "b"]
    assert grown[1] is b


def test_a_model_reaches_for_what_lies_between_its_frames_and_is_in_no_larger_one():
    model_, small, equal = model("a", 2, 3, 9, 10, 20), model("b", 5, 6), model("c", 12, 13, 14, 40, 41)
    others = [model_, small, equal]
    assert merge._find_enclosed(model_, others, range(1, 31)) == {4, 5, 6, 7, 8, 11, 15, 16, 17, 18, 19}
    assert merge._find_enclosed(small, others, range(1, 31)) == set()
    assert merge._find_enclosed(model_, others, ()) == set()


# Matches


@pytest.fixture
def bridges(monkeypatch):
    """Pairs asked for a bridge in order; those in `bridges.found` get one, and are joined."""
    seen = SimpleNamespace(pairs=[], found=set(), refused=set(), names=[])

    def find(first, second, path, seed):
        seen.pairs.append(first.model.name + second.model.name)
        return "bridge" if frozenset((first.model.name, second.model.name)) in seen.found else None

    def join(first, second, bridge, name, job):
        seen.names.append(name)
        if frozenset((first.name, second.name)) in seen.refused:
            return None, attempt(first.name, second.name, "rolled back")
        frames = tuple(sorted({*first.frames, *second.frames}))
        return model(first.name + second.name, *frames), attempt(first.name, second.name, "accepted")

    monkeypatch.setattr(merge, "find_bridge", find)
    monkeypatch.setattr(merge, "join_by_matches", join)
    return seen


def test_the_largest_are_bridged_first_and_each_pair_once(bridges, tmp_path):
    parts = [model("a", 1, 2), model("b", *range(10, 20)), model("c", *range(30, 35))]
    nodes, attempts = merge._bridge_all(parts, [], tmp_path, JOB)
    assert bridges.pairs == ["bc", "ba", "ca"]
    assert (names(nodes), attempts) == (["b", "c", "a"], [])


def test_what_was_bridged_may_be_joined_over_frames_and_bridged_again(bridges, tried, tmp_path):
    bridges.found = {frozenset("bc"), frozenset(("bc", "d"))}
    parts = [model("b", *range(10, 20)), model("c", *range(30, 38)), model("d", 50, 51, 52)]
    nodes, attempts = merge._bridge_all(parts, [attempt("x", "y", "rolled back")], tmp_path, JOB)
    assert bridges.pairs == ["bc", "bcd"]
    assert bridges.names == ["join/1", "join/2"]
    assert names(nodes) == ["bcd"]
    assert [one.verdict for one in attempts] == ["rolled back", "accepted", "accepted"]


def test_a_bridge_that_made_things_worse_is_undone_and_the_next_is_tried(bridges, tmp_path):
    bridges.found = bridges.refused = {frozenset("ab")}
    parts = [model("a", *range(1, 9)), model("b", *range(10, 16)), model("c", 30, 31)]
    nodes, attempts = merge._bridge_all(parts, [], tmp_path, JOB)
    assert bridges.pairs == ["ab", "ac", "bc"]
    assert names(nodes) == ["a", "b", "c"]
    assert len(attempts) == 1


@pytest.mark.parametrize(
    ("shared", "verdict", "asked"),
    [(4, "rolled back", []), (4, "not aligned", ["ab"]), (3, "rolled back", ["ab"])],
)
def test_models_that_share_enough_frames_are_bridged_only_if_these_told_no_scale(
    shared, verdict, asked, bridges, tmp_path
):
    parts = [model("a", *range(1, 11)), model("b", *range(11 - shared, 16))]
    merge._bridge_all(parts, [attempt("a", "b", verdict)], tmp_path, JOB)
    assert bridges.pairs == asked


# The whole


def test_it_says_how_far_it_is(scene, database):
    said = []
    parts = [cut(scene, range(1, 13), "000/0"), cut(scene, range(9, 25), "001/0")]
    merge.merge_sub_models(parts, database, progress=said.append)
    assert said == pytest.approx([0.15, 0.3, 0.6, 0.8, 1.0])


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
    assert asked == [(tmp_path, MergeBars().straighten.check)] * 2
    assert told == [[check]]  # the pair lies in both clips
    merge.merge_sub_models(parts, database)
    assert len(asked) == 2
    assert len({(one.first, one.second) for one in told[1]}) == len(told[1]) > 10  # each pair once


def test_the_models_are_named_from_the_largest_on(scene):
    parts = [cut(scene, range(1, 6), "000/0"), cut(scene, range(10, 25), "001/0")]
    result = merge.merge_sub_models(parts)
    assert [(one.name, len(one.frames)) for one in result.models] == [("merged/0", 15), ("merged/1", 5)]
    assert result.models[0].reconstruction is not parts[1].reconstruction


@pytest.mark.parametrize(
    ("partner", "bent", "known"),
    [("x", None, 12), ("x", (2, 5), 8), ("x", (9, 20), 9), ("y", (2, 5), 12)],
)
def test_a_stretch_that_is_bent_against_a_model_that_stays_apart_is_not_known(
    partner, bent, known, scene, database, monkeypatch
):
    """The scale of all 12 frames is known; of the models that stay apart one was refused by this, one by another."""
    refused = replace(attempt("000/0" if partner == "x" else "z", partner, "rolled back"), bent=bent)
    monkeypatch.setattr(merge, "_bridge_all", lambda nodes, attempts, *_: (nodes, [*attempts, refused]))
    monkeypatch.setattr(merge, "_thin", lambda part: part)
    arguments = (
        [cut(scene, range(1, 13), "000/0")],
        database,
        MergeOptions(),
        MergeBars(),
        0,
        None,
        merge.map_here,
        None,
    )
    assert merge._merge(*arguments)[1] == known


def test_who_met_later_was_not_bent():
    attempts = [
        replace(attempt("a", "b", "rolled back"), bent=(3, 9)),
        replace(attempt("a", "c", "accepted"), result="join/1"),
        replace(attempt("join/1", "d", "rolled back"), bent=(20, 30)),
    ]

    def find(name, tried):
        return [doubt.frames for doubt in merge._find_bent_places(model(name, 1), tried)]

    assert find("join/1", attempts) == [(3, 9), (20, 30)]
    met = replace(attempt("join/1", "b", "accepted"), result="join/3")
    assert find("join/3", [*attempts, met]) == [(20, 30)]
    assert find("e", attempts) == []
