"""The embedded writer: ways, events, words, and a check of every claim before anything is accepted."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from instructions.checks import UNTOLD_TURN_DEG, check_claims, untold_turn_deg
from instructions.errors import InstructionError
from instructions.grammar import Kind, Text, compose
from instructions.perception.reliable import nominal_metre
from instructions.progression import Candidate, Event, ProgressionOptions, find_events, salience
from instructions.records import ClaimCheck, Instruction, Observation, SceneObject
from instructions.spatial_text import describe_frame
from instructions.turns import TurnOptions, find_turns
from instructions.walk import Walk
from instructions.ways import Way, WayOptions, cut_ways
from recon.records import Scene, SceneModel
from trajectories.records import Trajectory

WRITER = "embedded"
KINDS: tuple[Kind, ...] = ("description", "instruction")


@dataclass(frozen=True, kw_only=True)
class WriterOptions:
    """How walks become texts."""

    wordings: int = 2
    """Different wordings per way and kind; fewer where the grammar has no more to offer."""
    min_image_share: float = 0.004
    """An object is named only if a frame of the way shows it at least this big (share of the image)."""
    min_way_frames: int = 3
    """And only if this many frames of the way observed it."""
    ways: WayOptions = WayOptions()
    """How a walk is cut."""
    turns: TurnOptions = TurnOptions()
    """What counts as a turn."""
    progression: ProgressionOptions = ProgressionOptions()
    """What counts as passing, approaching and stopping."""


def write_instructions(
    scene: Scene,
    trajectories: Sequence[Trajectory],
    objects: Sequence[SceneObject],
    observations: Sequence[Observation],
    options: WriterOptions = WriterOptions(),
    *,
    seed: int = 0,
) -> list[Instruction]:
    """Write descriptions and instructions for every walk.

    Args:
        scene: Where the trajectories belong.
        trajectories: Walks, each in one model of the scene.
        objects: What may be named.
        observations: Which frame sees which object.
        options: Lengths and thresholds.
        seed: Chooses among wordings; the facts do not depend on it.

    Returns:
        In time order per trajectory, descriptions before instructions. A claim that the check finds false is left out
        of the text and kept in `dropped`; a text that is wrong without repair is kept with `accepted` False. Empty for
        walks of fewer than four frames.

    Raises:
        InstructionError: If a trajectory's model is not in the scene.
    """
    models = {model.name: model for model in scene.models}
    written: list[Instruction] = []
    for trajectory in trajectories:
        if trajectory.model not in models:
            raise InstructionError(
                f"trajectory {trajectory.id}: model {trajectory.model} is not in scene {scene.id}, "
                f"which has {sorted(models)}; run both stages on one scene"
            )
        mine = [thing for thing in objects if thing.model == trajectory.model]
        names = {thing.id for thing in mine}
        seen = [one for one in observations if one.object in names]
        written += _write_walk(scene, models[trajectory.model], trajectory, mine, seen, options, seed)
    return written


def _write_walk(
    scene: Scene,
    model: SceneModel,
    trajectory: Trajectory,
    objects: Sequence[SceneObject],
    observations: Sequence[Observation],
    options: WriterOptions,
    seed: int,
) -> list[Instruction]:
    walk, metre = Walk.of(trajectory), nominal_metre(model)
    turns = find_turns(walk, metre, options.turns)
    must_show = {decision.positive_frame for decision in trajectory.decisions}
    by_id = {thing.id: thing for thing in objects}
    by_frame: dict[int, list[Observation]] = {}
    for one in observations:
        by_frame.setdefault(one.frame, []).append(one)
    area = float(model.camera.width * model.camera.height)
    written: list[Instruction] = []
    for number, way in enumerate(cut_ways(walk, turns, must_show, metre, options.ways)):
        frames = walk.frames[way.first : way.last + 1]
        candidates = _candidates(by_id, [one for f in frames for one in by_frame.get(f, [])], area, options)
        events = find_events(walk, way, turns, candidates, metre, options.progression)
        lines = tuple(describe_frame(frame, by_frame.get(frame, []), by_id).text for frame in way.views)
        for kind in KINDS:
            told: set[str] = set()
            for wording in range(options.wordings):
                source = f"{seed}/{trajectory.id}/{number}/{kind}/{wording}"
                draft = _checked(scene, trajectory, objects, walk, way, events, kind, source)
                if draft.text.text in told:
                    continue
                told.add(draft.text.text)
                written.append(
                    Instruction(
                        id=f"{trajectory.id}_w{number}_{kind[0]}{wording}",
                        trajectory=trajectory.id,
                        model=trajectory.model,
                        kind=kind,
                        text=draft.text.text,
                        frames=way.views,
                        objects=tuple(dict.fromkeys(c.object for c in draft.text.claims if c.object is not None)),
                        checks=draft.checks,
                        writer=WRITER,
                        perception=objects[0].source if objects else "none",
                        seed=seed,
                        accepted=draft.rejected_because is None,
                        rejected_because=draft.rejected_because,
                        spatial_lines=lines,
                        dropped=draft.dropped,
                    )
                )
    return written


def _candidates(
    objects: Mapping[str, SceneObject], seen: Sequence[Observation], image_area: float, options: WriterOptions
) -> list[Candidate]:
    """Objects of a way that a text may name: coloured, big enough in a frame, and not to be confused on this way."""
    largest: dict[str, float] = {}
    for one in seen:
        x0, y0, x1, y1 = one.box_xyxy
        largest[one.object] = max(largest.get(one.object, 0.0), (x1 - x0) * (y1 - y0) / image_area)
    counts = Counter(one.object for one in seen)
    words = {name: set(objects[name].alias.split()) for name in largest}
    found = [
        Candidate(objects[name], salience(objects[name], share))
        for name, share in largest.items()
        if objects[name].color is not None
        and share >= options.min_image_share
        and counts[name] >= options.min_way_frames
        and not any(words[name] <= words[other] for other in words if other != name)
    ]
    return sorted(found, key=lambda one: (-one.salience, one.thing.id))


@dataclass(frozen=True)
class _Draft:
    text: Text
    checks: tuple[ClaimCheck, ...]
    dropped: tuple[ClaimCheck, ...]
    rejected_because: str | None


def _checked(
    scene: Scene,
    trajectory: Trajectory,
    objects: Sequence[SceneObject],
    walk: Walk,
    way: Way,
    events: Sequence[Event],
    kind: Kind,
    source: str,
) -> _Draft:
    """Compose, check, leave out what is false and compose again, until what is told is true or nothing is left."""
    names = {thing.id: thing.alias for thing in objects}
    remaining = list(events)
    dropped: tuple[ClaimCheck, ...] = ()
    while True:
        text = compose(remaining, names, kind, random.Random(source))
        checks = check_claims(scene, trajectory, objects, text.claims)
        false = [check for check in checks if not check.true]
        if not false:
            break
        dropped += tuple(false)
        gone = {_identity(check.claim) for check in false}
        remaining = [event for event in remaining if _identity(event) not in gone]
    untold = untold_turn_deg(trajectory, text.claims, walk.frames[way.first], walk.frames[way.last])
    moves = [check.claim.text for check in dropped if check.claim.kind in ("walk", "turn")]
    reason = None
    if moves:
        reason = f"the way is not as told: {'; '.join(moves)}"
    elif not any(claim.kind in ("walk", "turn") for claim in text.claims):
        reason = "the camera hardly moves on this way, so there is nothing to tell"
    elif abs(untold) > UNTOLD_TURN_DEG:
        reason = f"the text leaves out {abs(untold):.0f} deg of turning to the {'left' if untold > 0 else 'right'}"
    if reason is not None and not text.text:
        text = Text(compose(events, names, kind, random.Random(source)).text, text.claims)
    return _Draft(text, checks, dropped, reason)


def _identity(told: object) -> tuple[object, ...]:
    """What makes a claim and the event behind it the same thing."""
    return tuple(getattr(told, name) for name in ("kind", "object", "side", "angle_deg", "first_frame", "last_frame"))
