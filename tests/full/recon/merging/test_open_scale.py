"""What becomes of joined models whose scale is open somewhere: joined once more, told, or neither."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import pycolmap
import pytest

from recon.audit.verdict import Verdict
from recon.findings import Finding
from recon.merging import finish, merge
from recon.merging.merge import MergeResult, merge_sub_models
from recon.records import SubModel
from tests.support.recon.made_models import walk_scene, write_matches

ASKED: Any = SimpleNamespace(name="000/0", frames=tuple(range(1, 101)), held_by_floor=False, reconstruction=None)


@pytest.fixture
def merging(monkeypatch, tmp_path):
    """Merges sub-models with given outcomes: frames of known scale without cuts and with them, of 100 in all."""

    def run(known: int, then_known: int, spared: float | None) -> tuple[list[float], MergeResult]:
        outcomes = {0.03: known, 0.0: then_known}
        asked: list[float] = []

        def once(sub_models, database_path, options, bars, *_):
            asked.append(bars.straighten.hold.min_sigma)
            finding = Finding("info", str(asked[-1]), "tour", "")
            return MergeResult((ASKED,), (), (finding,)), outcomes[asked[-1]]

        doubts = () if spared is None else (Verdict(False, "open scale", 0.1, 0.02, (3, 4), "", spared),)
        monkeypatch.setattr(merge, "_merge", once)
        monkeypatch.setattr(merge, "find_weak_scale", lambda *_: doubts)
        return asked, merge_sub_models([ASKED], tmp_path / "none.db")

    return run


def test_what_was_spared_is_cut_where_the_joined_model_leaves_its_scale_open(merging):
    asked, merged = merging(60, 61, 0.02)
    assert asked == [0.03, 0.0]
    assert merged.findings[0].code == "0.0"


def test_the_longer_stretch_of_known_scale_is_taken(merging):
    asked, merged = merging(60, 60, 0.02)
    assert asked == [0.03, 0.0]
    assert merged.findings[0].code == "0.03"


def test_a_model_of_known_scale_is_joined_once(merging):
    assert merging(100, 0, 0.02)[0] == [0.03]


@pytest.mark.parametrize(("sigma", "times"), [(None, 1), (0.029, 2), (0.031, 1)])
def test_nothing_is_done_again_where_nothing_was_spared(merging, sigma, times):
    assert len(merging(60, 80, sigma)[0]) == times


@pytest.mark.parametrize("is_open", [False, True])
def test_an_open_scale_of_the_finished_model_is_told(is_open, tmp_path, monkeypatch):
    scene = walk_scene(12, 400)
    write_matches(scene, tmp_path / "database.db")
    sigmas = {(4, 5): 0.011, (7, 8): 0.014} if is_open else {}
    places = tuple(Verdict(False, "open scale", 0.1, 0.02, at, "", sigma) for at, sigma in sigmas.items())
    monkeypatch.setattr(finish, "find_weak_scale", lambda *_: places)
    model = SubModel("000/0", ("000",), pycolmap.Reconstruction(scene))

    merged = merge_sub_models([model], tmp_path / "database.db")

    told = [finding for finding in merged.findings if finding.code == "merge.scale_open"]
    assert len(told) == is_open
    if is_open:
        assert told[0].severity == "warning"
        assert told[0].where == "frames 4-8"
        assert "a model of 12 frames may change by 1.4% (most at 7-8)" in told[0].message
