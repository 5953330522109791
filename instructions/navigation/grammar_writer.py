"""The embedded writer: ways, events, words, and a check of every claim before anything is accepted."""

from __future__ import annotations

import random
from collections.abc import Callable, Collection, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import partial

from instructions.claims.walk_bars import ClaimBars
from instructions.claims.walk_claims import check_claims, judge_untold_turn
from instructions.navigation.grammar import Kind, Text, compose
from instructions.navigation.moves.legs import Event
from instructions.navigation.records import KIND, NO_LANDMARK, REASONS, Instruction, InstructionKind, has_landmark
from instructions.navigation.way.way_plans import PlanOptions, WayPlan, plan_ways
from instructions.records import Claim, ClaimCheck
from instructions.rows import name_perception, row_id
from instructions.tour import Tour
from recon.ranges import AtLeastOne
from trajectories.records import Trajectory

WRITER = "embedded"
KINDS: tuple[Kind, ...] = ("description", "instruction")


@dataclass(frozen=True, kw_only=True)
class WriterOptions(PlanOptions):
    """How walks become texts."""

    wordings: AtLeastOne = 2
    """Different texts per way and kind, at most two: they differ in what they name or how they are built, so there is
    one where nothing else can be told."""


def write_instructions(
    tour: Tour,
    trajectories: Sequence[Trajectory],
    options: WriterOptions = WriterOptions(),
    *,
    bars: ClaimBars = ClaimBars(),
) -> list[Instruction]:
    """Write descriptions and instructions for every walk.

    Args:
        tour: What may be named. Its seed chooses among wordings; the facts do not depend on it.
        trajectories: Walks, each in one model of the scene.
        options: Lengths and thresholds.
        bars: What the check takes to be true.

    Returns:
        In time order per trajectory, descriptions before instructions. A claim that the check finds false is left out
        of the text and kept in `dropped`; a text that is wrong without repair is kept with `accepted` False. Empty for
        walks of fewer than four frames.

    Raises:
        InstructionError: If a trajectory's model is not in the scene.
    """
    return [row for trajectory in trajectories for row in _write_walk(tour, trajectory, options, bars)]


def _write_walk(tour: Tour, trajectory: Trajectory, options: WriterOptions, bars: ClaimBars) -> Iterator[Instruction]:
    objects = tour.objects_of(tour.find_model(trajectory.model, f"trajectory {trajectory.id}"))
    for plan in plan_ways(tour, trajectory, options):
        measured = partial(
            check_claims, tour.scene, trajectory, objects, bars=bars, rooms=tour.rooms, ranges=plan.ranges,
            boxes=plan.boxes,
        )  # fmt: skip
        for kind in KINDS:
            told: list[frozenset[tuple[object, ...]]] = []
            for wording, events in enumerate(plan.tellings[: options.wordings]):
                first, last = plan.ends
                source = f"{tour.seed}/{tour.id}/{KIND}/{trajectory.id}/{first}-{last}/{kind}/{wording}"
                draft = _compose_checked(trajectory, events, plan, kind, measured, source)
                if draft.rejected_because is None and not (options.nameless or has_landmark(draft.text.claims, tour)):
                    draft = replace(draft, rejected_because=NO_LANDMARK, rejection=REASONS[NO_LANDMARK])
                tells = frozenset(_identity(claim) for claim in draft.text.claims)
                if tells in told:
                    continue
                told.append(tells)
                yield make_row(tour, trajectory, plan, kind, draft, wording)


@dataclass(frozen=True)
class Draft:
    """A text with the checks of its claims, and what was left out of it."""

    text: Text
    checks: tuple[ClaimCheck, ...]
    dropped: tuple[ClaimCheck, ...]
    rejected_because: str | None = None
    rejection: str | None = None


def make_row(
    tour: Tour, trajectory: Trajectory, plan: WayPlan, kind: InstructionKind, draft: Draft, wording: int = 0
) -> Instruction:
    """The row of a text about a way."""
    model = tour.find_model(trajectory.model, f"trajectory {trajectory.id}")
    return Instruction(
        id=row_id(tour.seed, tour.id, KIND, WRITER, trajectory.id, *plan.ends, kind, wording),
        tour=tour.id,
        model=trajectory.model,
        views=plan.way.views,
        scale_status=model.scale.status,
        claims=draft.checks,
        perception=name_perception(tour.objects_of(model)),
        writer=WRITER,
        seed=tour.seed,
        accepted=draft.rejected_because is None,
        rejected_because=draft.rejected_because,
        rejection=draft.rejection,
        trajectory=trajectory.id,
        kind=kind,
        text=draft.text.text,
        objects=tuple(dict.fromkeys(claim.object for claim in draft.text.claims if claim.object is not None)),
        spatial_lines=plan.lines,
        dropped=draft.dropped,
    )


def _compose_checked(
    trajectory: Trajectory,
    events: Sequence[Event],
    plan: WayPlan,
    kind: Kind,
    measured: Callable[[Sequence[Claim]], tuple[ClaimCheck, ...]],
    source: str,
) -> Draft:
    """Compose, check, leave out what is false and compose again, until what is told is true or nothing is left."""
    names = {thing: name.words for thing, name in plan.names.items()}
    many = {thing for thing, name in plan.names.items() if name.is_open}
    plural = {thing for thing, name in plan.names.items() if name.is_plural}
    remaining = list(events)
    dropped: tuple[ClaimCheck, ...] = ()
    while True:
        text = compose(remaining, names, kind, random.Random(source), many, plural)
        checks = measured(text.claims)
        false = [check for check in checks if not check.true]
        if not false:
            break
        dropped += tuple(false)
        gone = {_identity(check.claim) for check in false}
        remaining = _leave_out(remaining, gone)
    untold = judge_untold_turn(trajectory, text.claims, *plan.ends, plan.metre)
    moves = [check.claim.text for check in dropped if _is_needed(check.claim)]
    code = reason = None
    if moves:
        code, reason = "false_claim", f"the way is not as described: {'; '.join(moves)}"
    elif not any(claim.kind in ("walk", "turn") for claim in text.claims):
        code, reason = "no_movement", "the camera hardly moves on this way, so there is nothing to describe"
    elif untold is not None:
        code, reason = "untold_turn", untold
    if reason is not None and not text.text:
        text = Text(compose(events, names, kind, random.Random(source), many, plural).text, text.claims)
    return Draft(text, checks, dropped, code, reason)


def _leave_out(events: Sequence[Event], gone: Collection[tuple[object, ...]]) -> list[Event]:
    """Events without some, and without what a turn or look leads to that is left out."""
    left: list[Event] = []
    led = True
    for event in events:
        led = led if event.part == "turn" else True
        if _identity(event) in gone:
            led = led and event.kind not in ("turn", "look")
        elif led:
            left.append(event)
    return left


_SLIGHT_DEG = 45.0


def _is_needed(claim: Claim) -> bool:
    """Whether a way is told wrongly without this: a slight bend may be left out, and the rest is judged without it."""
    return claim.kind == "walk" or (claim.kind == "turn" and abs(claim.angle_deg or 0.0) > _SLIGHT_DEG)


_TELLING = ("kind", "object", "side", "angle_deg", "first_frame", "last_frame", "range", "room")


def _identity(told: object) -> tuple[object, ...]:
    """What makes a claim and the event behind it the same thing."""
    return tuple(getattr(told, name) for name in _TELLING)
