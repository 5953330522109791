"""The repairs of mapping and merging: how each is switched off, and what tells that it did something at all.

A repair that did nothing in a run need not be left out to see what that changes: runs repeat to the last bit. So a run
with everything on notes which repairs acted, and only these are left out (`repair_ablation.py`).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, replace
from pkgutil import resolve_name
from typing import Any
from unittest.mock import patch

from recon.audit.contradictions import ContradictionOptions, judge_motions
from recon.audit.scale_hold import ScaleHoldOptions, find_weak_scale
from recon.audit.torn import TornOptions
from recon.audit.verdict import Verdict
from recon.mapping.judge import CompositeSubmap
from recon.mapping.options import MappingBars, SfmOptions
from recon.merging.join import LinkCheck
from recon.merging.merge import choose_bars
from recon.merging.regrow import MergeBars

Acted = Callable[[tuple[Any, ...], Any], bool]
"""From the arguments and the result of a call."""


@dataclass(frozen=True)
class Repair:
    """One row: how a repair is switched off, and which calls show that it acted."""

    name: str
    calls: tuple[tuple[str, Acted], ...]
    """Functions by dotted name, where they are called, and what makes a call one that changed something."""
    sfm: SfmOptions | None = None
    """Of a repair of mapping; None of one of merging, which shares what was mapped."""
    instead: tuple[tuple[str, Any], ...] = ()
    """Names, and what stands for them."""


def _straighten(**changed: Any) -> tuple[tuple[str, Any], ...]:
    """Models are cut by other bars, whatever holds them."""

    def choose(*, is_learned: bool, has_both_kinds: bool) -> MergeBars:
        bars = choose_bars(is_learned=is_learned, has_both_kinds=has_both_kinds)
        return replace(bars, **changed)

    return (("recon.merging.merge.choose_bars", choose),)


def _has_result(_: tuple[Any, ...], result: Any) -> bool:
    return bool(result)


def _is_something(_: tuple[Any, ...], result: Any) -> bool:
    return result is not None


def _called(_: tuple[Any, ...], result: Any) -> bool:
    return True


def _is_changed(arguments: tuple[Any, ...], result: Any) -> bool:
    return result is not arguments[0]


def _speaks(kind: str, attempt: Any) -> bool:
    return any(one.evidence == kind for one in attempt.audit.doubts)


def _doubted(kind: str) -> tuple[tuple[str, Acted], ...]:
    return (("recon.merging.regrow._audit", lambda _, found: any(one.evidence == kind for one in found.doubts)),)


_TRUSTING, _WHOLE, _HELD = (
    ContradictionOptions(max_share=1.0),
    TornOptions(max_share=1.0),
    ScaleHoldOptions(max_drift=1e6),
)
_SFM = "recon.mapping.sfm"
_LINKS, _JOIN, _MERGE = "recon.merging.links", "recon.merging.join", "recon.merging.merge"

REPAIRS = (
    Repair("cutting where pairs contradict", _doubted("contradicted"), instead=_straighten(check=_TRUSTING)),
    Repair("cutting where torn", _doubted("torn"), instead=_straighten(torn=_WHOLE)),
    Repair("cutting where the scale is open", _doubted("open scale"), instead=_straighten(hold=_HELD)),
    Repair(
        "sparing what is known to 3 %",
        (("recon.merging.regrow._audit", lambda arguments, _: bool(find_weak_scale(arguments[0]))),),
        instead=_straighten(hold=ScaleHoldOptions()),
    ),
    Repair(
        "cutting at all",
        (("recon.merging.regrow._audit", lambda _, found: bool(found.doubts)),),
        instead=_straighten(check=_TRUSTING, torn=_WHOLE, hold=_HELD),
    ),
    Repair(
        "seam scale",
        ((f"{_LINKS}._find_scale_doubt", _has_result),),
        instead=((f"{_LINKS}._find_scale_doubt", lambda *_, **__: ""),),
    ),
    Repair(
        "run of scale along shared frames",
        ((f"{_LINKS}._find_drift", _has_result),),
        instead=((f"{_LINKS}._find_drift", lambda *_: ""),),
    ),
    Repair(
        "agreement of shared cameras",
        ((f"{_LINKS}._find_disagreement", _has_result),),
        instead=((f"{_LINKS}._find_disagreement", lambda *_: ""),),
    ),
    Repair(
        "verdict on the joined model",
        ((f"{_JOIN}._check_link", lambda _, check: bool(check.fault)),),
        instead=((f"{_JOIN}._check_link", lambda *_: LinkCheck()),),
    ),
    Repair(
        "one solve of all links",
        (("recon.merging.links._adjust", _is_changed),),
        instead=(("recon.merging.links._adjust", lambda group, links: group),),
    ),
    Repair(
        "bridge",
        ((f"{_LINKS}.find_bridge", _is_something),),
        instead=((f"{_LINKS}.find_bridge", lambda *_, **__: None),),
    ),
    Repair(
        "look-alikes",
        ((f"{_MERGE}.judge_motions", lambda _, verdict: not verdict.ok),),
        instead=((f"{_MERGE}.judge_motions", lambda checks: judge_motions([])),),
    ),
    Repair(
        "picking up lost frames",
        ((f"{_JOIN}.grow", _is_changed),),
        instead=((f"{_JOIN}.grow", lambda model, *_: model),),
    ),
    Repair(
        "halves",
        ((f"{_SFM}.halves_of", _is_something),),
        sfm=SfmOptions(),
        instead=((f"{_SFM}.halves_of", lambda *_: None),),
    ),
    Repair(
        "mapping again",
        ((f"{_SFM}._map_again", _called),),
        sfm=SfmOptions(),
        instead=((f"{_SFM}._map_again", lambda *_: []),),
    ),
    Repair(
        "asking pairs while mapping",
        ((f"{_SFM}.make_attempt", lambda _, result: _speaks("contradicted", result)),),
        sfm=SfmOptions(),
        instead=(("recon.mapping.learned_fallback.SIFT_BARS", MappingBars(check=None)),),
    ),
    Repair(
        "asking for tears while mapping",
        (
            (f"{_SFM}.make_attempt", lambda _, result: _speaks("torn", result)),
            ("recon.mapping.mapping.make_attempt", lambda _, result: _speaks("torn", result)),
        ),
        sfm=SfmOptions(),
        instead=(("recon.mapping.learned_fallback.SIFT_BARS", MappingBars(torn=None)),),
    ),
    Repair(
        "global mapping",
        ((f"{_SFM}.map_globally", _called),),
        sfm=SfmOptions(),
        instead=((f"{_SFM}.map_globally", lambda _: []),),
    ),
    Repair(
        "holding by the floor",
        (("recon.mapping.judge.Judge.hold", _has_result),),
        sfm=SfmOptions(),
        instead=(("recon.mapping.judge.Judge.hold", lambda *_: []),),
    ),
    Repair(
        "cycles of learned pairs",
        (("recon.matching.pair_filter.find_cycle_inconsistent_pairs", _has_result),),
        sfm=SfmOptions(),
        instead=(("recon.matching.pair_filter.find_cycle_inconsistent_pairs", lambda shared: []),),
    ),
    Repair(
        "patching together what is held",
        (("recon.mapping.judge.concatenate_submaps", lambda _, result: bool(result.seams)),),
        sfm=SfmOptions(),
        instead=(("recon.mapping.judge.concatenate_submaps", lambda models: CompositeSubmap(models[0], ())),),
    ),
    Repair(
        "cutting at leaps",
        (("recon.audit.audit.find_leaps", _has_result),),
        sfm=SfmOptions(),
        instead=(("recon.audit.audit.find_leaps", lambda *_: []),),
    ),
    Repair(
        "closing loops",
        ((f"{_SFM}.close_loops", _is_changed), ("recon.merging.regrow.close_loops", _is_changed)),
        sfm=SfmOptions(),
        instead=(
            (f"{_SFM}.close_loops", lambda model, *_: model),
            ("recon.merging.regrow.close_loops", lambda model, *_: model),
        ),
    ),
    Repair(
        "dropping what has no parallax",
        ((f"{_SFM}.judge_parallax", lambda _, verdict: not verdict.ok),),
        sfm=SfmOptions(),
        instead=((f"{_SFM}.judge_parallax", lambda *_: Verdict(True, "parallax", 1.0, 0.0, (0, 0), "")),),
    ),
    Repair(
        "learned keypoints",
        (
            (
                "recon.mapping.learned_fallback.remap_with_learned_features",
                lambda _, tour: tour.database_path is not None,
            ),
        ),
        sfm=SfmOptions(),
        instead=(("recon.mapping.learned_fallback.needs_learned_features", lambda *_: False),),
    ),
)
BY_NAME = {repair.name: repair for repair in REPAIRS}


@contextmanager
def noting() -> Iterator[set[str]]:
    """While inside, the set gets the names of the repairs that act."""
    acted: set[str] = set()
    watched: dict[str, list[tuple[str, Acted]]] = {}
    for repair in REPAIRS:
        for name, tells in repair.calls:
            watched.setdefault(name, []).append((repair.name, tells))
    with ExitStack() as stack:
        for name, asked in watched.items():
            stack.enter_context(patch(name, _noted(resolve_name(name), asked, acted)))
        yield acted


def _noted(function: Callable[..., Any], asked: list[tuple[str, Acted]], acted: set[str]) -> Callable[..., Any]:
    """The function, which notes whose calls changed something."""

    def call(*arguments: Any, **named: Any) -> Any:
        result = function(*arguments, **named)
        acted.update(name for name, tells in asked if tells(arguments, result))
        return result

    return call


@contextmanager
def without(repair: Repair) -> Iterator[None]:
    """While inside, what stands for the repair's functions is called; its options are the caller's to use."""
    with ExitStack() as stack:
        for name, other in repair.instead:
            stack.enter_context(patch(name, other))
        yield
