"""The switches of the benchmark that leaves repairs out one at a time: what they name is there, and is told of."""

from __future__ import annotations

import importlib
from pkgutil import resolve_name

import pytest

from recon.audit.contradictions import PairCheck, judge_motions
from tests.support.paths import ROOT

BENCHMARKS = ROOT / "benchmarks"


@pytest.fixture
def switches(monkeypatch):
    monkeypatch.syspath_prepend(str(BENCHMARKS))
    return importlib.import_module("repair_switches")


def test_everything_that_is_watched_or_replaced_is_there(switches):
    for repair in switches.REPAIRS:
        for name, _ in (*repair.calls, *repair.instead):
            assert resolve_name(name) is not None, name
        assert repair.calls


def test_a_repair_is_noted_only_where_it_changed_something(switches):
    merge = importlib.import_module("recon.merging.merge")
    with switches.noting() as acted:
        assert merge.judge_motions([]).ok
        assert acted == set()
        mixed = [PairCheck(k, k + 2, 50, 0.5, 0.5, contradicts=False, ambiguous=True) for k in range(10)]
        assert not merge.judge_motions(mixed).ok
        assert acted == {"look-alikes"}
    assert merge.judge_motions is judge_motions


def test_what_stands_for_a_repair_is_called_only_inside(switches):
    join = importlib.import_module("recon.merging.join")
    repair = switches.BY_NAME["picking up lost frames"]
    model = object()
    before = join.grow
    with switches.without(repair):
        assert join.grow(model, None, [1], None, 0) is model
    assert join.grow is before
