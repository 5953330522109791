"""What can be said about each way of a walk: events, things that may be named, and the lines of its frames.

Shared by every writer, so that the grammar and a language model tell the same facts.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache

from instructions.facts.things import may_point_at
from instructions.facts.tracks import find_tracked_pixels
from instructions.facts.walk import ThingAlongWalk, Walk, room_at
from instructions.navigation.moves.legs import Event
from instructions.navigation.moves.motion import MotionOptions, find_motion
from instructions.navigation.moves.turns import LookOptions, TurnOptions, find_looks, find_turns
from instructions.navigation.moves.view_turns import settle_looks
from instructions.navigation.way.frame_lines import describe_frame
from instructions.navigation.way.landmarks import measure_unknown
from instructions.navigation.way.names import Name, name_things
from instructions.navigation.way.places import LEAST_TRACKED, Seen
from instructions.navigation.way.progression import find_events
from instructions.navigation.way.way_facts import ProgressionOptions, Telling, WayFacts, find_nameable
from instructions.navigation.way.ways import Way, WayOptions, cut_ways
from instructions.records import Box, Observation, Range
from instructions.tour import Tour
from recon.geometry import Array
from recon.ranges import AtLeastOne, NotNegative, Share
from trajectories.records import Trajectory

_AROUND_S = 1.0
"""Frames so near to the ends of a way count for whether a thing is seen there."""


@dataclass(frozen=True, kw_only=True)
class PlanOptions:
    """How walks are cut, and what is worth mentioning."""

    min_image_share: Share = 0.004
    """An object is named only if a frame of the way shows it at least this big (share of the image)."""
    min_way_frames: AtLeastOne = 3
    """And only if one frame of the way and, with those of a second before and after it, this many observed it; or if
    the first or last frame of the way, or that at the end of a turn, follows enough of its points."""
    place_sigma_m: NotNegative = 0.25
    """And only if its place is known to this (standard deviation of a side of its box, nominal metres): beyond it
    which side one passes it on, and whether one stands before it, is a guess."""
    nameless: bool = False
    """Texts without a landmark are accepted, too: those that name no room and nothing of a known kind."""
    ways: WayOptions = WayOptions()
    """How a walk is cut."""
    motion: MotionOptions = MotionOptions()
    """When a walker walks, stands, or goes another way than it looks."""
    turns: TurnOptions = TurnOptions()
    """What counts as a turn."""
    looks: LookOptions = LookOptions()
    """Which turns of the view alone are told."""
    progression: ProgressionOptions = ProgressionOptions()
    """What counts as passing, approaching and stopping."""


@dataclass(frozen=True, eq=False)
class WayPlan:
    """One way with everything a text about it may rest on."""

    walk: Walk
    way: Way
    metre: float
    """Length of one (nominal) metre in the walk's unit."""
    tellings: tuple[tuple[Event, ...], ...]
    """What may be told, the best first; no two of them tell the same."""
    things: Sequence[Seen]
    """What may be named, most salient first."""
    names: Mapping[str, Name]
    """What texts call the things that are seen on the way, by id."""
    ranges: Mapping[str, Mapping[int, tuple[Range, ...]]]
    """How far each thing is by the frames of the way that observed it."""
    boxes: Mapping[str, Mapping[int, Box]]
    """Where frames of the model show the things of the way, in pixels."""
    seen: Mapping[int, tuple[Observation, ...]]
    """Observations by view."""
    lines: tuple[str, ...]
    """One structured line per view."""

    @property
    def events(self) -> tuple[Event, ...]:
        """What happens on the way and what is in front where it ends, without what marks places and rooms."""
        told = (telling for telling in self.tellings[0] if telling.part in (None, "end"))
        return tuple(one for one in told if one.kind not in ("side", "room", "enter"))

    @property
    def ends(self) -> tuple[int, int]:
        """First and last frame: no other way of the walk has these two."""
        return self.walk.frames[self.way.first], self.walk.frames[self.way.last]


def plan_ways(tour: Tour, trajectory: Trajectory, options: PlanOptions = PlanOptions()) -> Iterator[WayPlan]:
    """Cut a walk into ways and find what happens on each.

    Yields:
        Ways in time order.

    Raises:
        InstructionError: If the trajectory's model is not in the tour.
    """
    model = tour.find_model(trajectory.model, f"trajectory {trajectory.id}")
    objects, rooms, time_of = tour.objects_of(model), tour.rooms, tour.time_s
    walk, metre = Walk.of(trajectory), model.nominal_metre
    motion = find_motion(walk, metre, options.motion)
    turns = find_turns(motion, options.turns)
    turns, looks = settle_looks(motion, turns, find_looks(motion, turns, options.looks))
    turned = sorted([*turns, *looks], key=lambda turn: turn.first)
    must_show = {decision.positive_frame for decision in trajectory.decisions}
    by_id = {thing.id: thing for thing in objects}
    observations = [one for one in tour.observations if one.object in by_id and may_point_at(by_id[one.object], one)]
    by_frame: dict[int, list[Observation]] = defaultdict(list)
    boxes: dict[str, dict[int, Box]] = defaultdict(dict)
    for one in observations:
        by_frame[one.frame].append(one)
        boxes[one.object][one.frame] = one.box_xyxy
    progression = options.progression
    if model.scale.status == "relative":  # nobody knows how near one stands
        progression = replace(progression, places=replace(progression.places, stop_max_m=0.0))
    known = tour.know(model)
    sure = frozenset(
        thing.id
        for thing in objects
        if thing.category is not None and thing.id in known and known[thing.id].sigma <= options.place_sigma_m * metre
    )

    @cache
    def follow(name: str, frame: int) -> Array:
        return find_tracked_pixels(model, by_id[name], frame, boxes[name])

    along = {thing.id: ThingAlongWalk(walk, thing, metre) for thing in objects}
    standing = tuple(one for one in along.values() if one.thing.category is not None)

    def survey(way: Way) -> tuple[list[Observation], dict[str, Name], WayFacts]:
        """What is seen on a way, how it is called, and what the events are found in."""
        frames = walk.frames[way.first : way.last + 1]
        here = [one for f in frames for one in by_frame[f]]
        counts = Counter(one.object for f in _list_around(walk, way, time_of) for one in by_frame[f])
        shown = sorted({one.object for one in here})
        last = [one.last for one in turned if way.first <= one.last <= way.last]
        ends = [walk.frames[at] for at in (way.first, way.last, *last)]
        at_ends = {name for name in sure.intersection(shown) for end in ends if len(follow(name, end)) >= LEAST_TRACKED}
        things = [by_id[name] for name in shown if counts[name] >= options.min_way_frames or name in at_ends]
        names = name_things(things, metre, objects)

        def find_followed(name: str) -> dict[int, Array]:
            return {frame: follow(name, frame) for frame in ends}

        nameable = find_nameable(along, names, sure, here, find_followed, model, options.min_image_share)
        return here, names, WayFacts(motion, way, turns, looks, nameable, model, standing, rooms)

    if not walk.frames:
        return
    _, _, whole = survey(Way(0, len(walk.frames) - 1, ()))
    unknown = measure_unknown(replace(whole, things=whole.of_known_kind), progression)
    for way in cut_ways(walk, turned, must_show, unknown, metre, options.ways):
        here, names, facts = survey(way)
        shown = sorted({one.object for one in here})
        lines = tuple(describe_frame(f, by_frame[f], by_id, room_at(rooms, f)).text for f in way.views)
        yield WayPlan(
            walk,
            way,
            metre,
            _find_tellings(facts, progression, is_named=bool(tour.detections)),
            facts.things,
            names,
            {name: {one.frame: one.ranges for one in here if one.object == name} for name in shown},
            {name: boxes[name] for name in shown},
            {frame: tuple(by_frame[frame]) for frame in way.views},
            lines,
        )


def _list_around(walk: Walk, way: Way, time_of: Mapping[int, float]) -> list[int]:
    """Frames of a way and shortly before and after it: what is seen as it ends is no glimpse if it is seen on."""
    from_s, to_s = walk.time_s[way.first] - _AROUND_S, walk.time_s[way.last] + _AROUND_S
    return [frame for frame, time_s in time_of.items() if from_s <= time_s <= to_s]


def _find_tellings(facts: WayFacts, options: ProgressionOptions, *, is_named: bool) -> tuple[tuple[Event, ...], ...]:
    """Ways to tell a way that differ in what they name or how they are built.

    Things that have no category are named only where no thing that has one can be, nor a room if a network looked for
    names.
    """
    known, found = facts.of_known_kind, list[tuple[Event, ...]]()
    for pool in (known, facts.things) if known or is_named else (facts.things,):
        laid = replace(facts, things=pool)
        first = find_events(laid, options)
        passed = frozenset(one.object for one in first if one.kind == "pass" and one.object is not None)
        other = find_events(laid, options, Telling(by_view=True, avoid=passed))
        found = [tuple(first), *([tuple(other)] if _name(other) - _name(first) else [])]
        if any(one.object is not None or one.room is not None for telling in found for one in telling):
            break
    return tuple(found)


def _name(events: Sequence[Event]) -> set[tuple[object, ...]]:
    """What a telling says of things and rooms."""
    return {(event.kind, event.object, event.side, event.room) for event in events if event.object or event.room}
