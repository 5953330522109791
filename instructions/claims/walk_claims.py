"""Is a text true? Every claim is judged by what is measured between the frames it names, apart from what led to it.

Shared with the writer are the measures (`instructions.facts`), not the choice of stretches and events, nor thresholds.
How one walks and turns is judged position by position (`walk_motion`). The claim names frames, object, side and angle,
and the poses between those decide by bars of this judge's own (`ClaimBars`, `MotionBars`), wider than the writer's.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType

import numpy as np
from numpy.typing import NDArray

from instructions.claims.walk_bars import ClaimBars, is_slight
from instructions.claims.walk_motion import WalkMotion, measure_untold_deg
from instructions.claims.walk_places import (
    FrameRanges,
    find_before,
    is_across,
    judge_length,
    judge_range,
    judge_room,
    judge_shown_side,
    judge_side,
    measure_missed_deg,
    measure_past_deg,
    project_box,
)
from instructions.errors import InstructionError
from instructions.facts.walk import Passing, ThingAlongWalk, Walk, measure_passing, measure_turn_back
from instructions.records import Box, Claim, ClaimCheck, RoomSpan, SceneObject
from recon.geometry import Array
from recon.records import Scene, SceneModel
from trajectories.records import Trajectory

FrameBoxes = Mapping[str, Mapping[int, Box]]
"""Where frames show each thing, in pixels, by object and frame."""
_Verdict = tuple[bool, str]


@dataclass(frozen=True, eq=False)
class _Stretch:
    """What a claim is about: positions `first` to `last` of the walk, and the thing named, if any."""

    motion: WalkMotion
    told_turns: NDArray[np.bool_]  # (N,) positions that a turn of the text covers
    first: int
    last: int
    named: ThingAlongWalk | None
    others: tuple[ThingAlongWalk, ...]
    bars: ClaimBars
    shown: Box | None
    """Where the last picture would show the thing, as shares of its width and height."""

    @property
    def walk(self) -> Walk:
        return self.motion.walk

    @property
    def metre(self) -> float:
        return self.motion.metre

    @property
    def thing(self) -> ThingAlongWalk:
        if self.named is None:
            raise AssertionError("a claim about an object reached its check without one")
        return self.named

    def is_in_view(self, within_s: float) -> bool:
        """Whether the thing was seen so near to the end, or a little earlier or later and fills part of its picture."""
        unseen_s = float(self.thing.unseen_s[self.last])
        if unseen_s <= within_s or self.shown is None:
            return unseen_s <= within_s
        x0, y0, x1, y1 = self.shown
        return unseen_s <= self.bars.filled_seen_s and (x1 - x0) * (y1 - y0) >= self.bars.filled_share


def check_claims(
    scene: Scene,
    trajectory: Trajectory,
    objects: Sequence[SceneObject],
    claims: Sequence[Claim],
    bars: ClaimBars = ClaimBars(),
    *,
    rooms: Sequence[RoomSpan] = (),
    ranges: FrameRanges = MappingProxyType({}),
    boxes: FrameBoxes = MappingProxyType({}),
) -> tuple[ClaimCheck, ...]:
    """Measure each claim against the poses, and against what perception measured of single frames.

    Args:
        scene: The scene the trajectory belongs to.
        trajectory: The walk the claims are about.
        objects: Objects the claims may name.
        claims: In the order of the text.
        bars: What counts as true.
        rooms: Stays in rooms; no claim about a room is true without them.
        ranges: How far things are in single frames; no claim of a range is true without them.
        boxes: Where frames show things, in pixels; what is walked towards is also judged by them, where there are any.

    Returns:
        One check per claim, same order. A claim about an unknown object, about frames that are not in the walk, or told
        before something that happened earlier, is false.

    Raises:
        InstructionError: If the trajectory's model is not in the scene.
    """
    model = next((model for model in scene.models if model.name == trajectory.model), None)
    if model is None:
        raise InstructionError(f"trajectory {trajectory.id}: model {trajectory.model} is not in scene {scene.id}")
    walk, metre = Walk.of(trajectory), model.nominal_metre
    things = {one.id: ThingAlongWalk(walk, one, metre) for one in objects if one.model == trajectory.model}
    motion, told_turns = WalkMotion(walk, metre), _mark_turns(walk, claims)
    checks: list[ClaimCheck] = []
    began, passed = 0, 0  # where the latest true claim begins, and where the latest true pass is closest
    for claim in claims:
        true, reason = _check(model, motion, told_turns, things, claim, rooms, bars)
        if true and claim.kind == "approach" and claim.object in boxes:
            true, reason = _judge_shown(claim, walk, metre, boxes[claim.object or ""], model, bars, reason)
        if true and claim.kind == "side" and claim.object in boxes:
            true, reason = judge_shown_side(claim, walk, boxes[claim.object or ""], model, bars, reason)
        if true and claim.range is not None:
            true, reason = judge_range(claim, walk, walk.index_of[claim.last_frame or 0], ranges, bars)
        if true and claim.first_frame is not None:
            begins, ends = walk.index_of[claim.first_frame], walk.index_of[claim.last_frame or 0]
            closest = things[claim.object or ""].closest(begins, ends) if claim.kind == "pass" else passed
            if begins < began or closest < passed:
                true, reason = False, f"happens before what the text mentions before it ({reason})"
            else:
                began, passed = begins, closest
        checks.append(ClaimCheck(claim, true, reason))
    return tuple(checks)


def _judge_shown(
    claim: Claim, walk: Walk, metre: float, boxes: Mapping[int, Box], model: SceneModel, bars: ClaimBars, reason: str
) -> _Verdict:
    """Pictures show what is walked towards where the way leads."""
    first, last = walk.index_of[claim.first_frame or 0], walk.index_of[claim.last_frame or 0]
    missed = measure_missed_deg(walk, first, last, metre, boxes, model)
    if missed is None or missed <= bars.approach_shown_deg:
        return True, reason
    return False, f"{reason}, and pictures show it {missed:.0f} deg beside the place where the way leads"


def judge_untold_turn(
    trajectory: Trajectory,
    claims: Sequence[Claim],
    first_frame: int,
    last_frame: int,
    metre: float = 1.0,
    bars: ClaimBars = ClaimBars(),
) -> str | None:
    """What a text leaves out of the turning of its way, in words; None if a listener ends up facing about right.

    It is added up swing by swing, whatever its sense.
    """
    walk = Walk.of(trajectory)
    motion, told = WalkMotion(walk, metre), _mark_turns(walk, claims)
    swings = motion.drop_looks(motion.find_swings(walk.index_of[first_frame], walk.index_of[last_frame]), told)
    untold = measure_untold_deg(swings, motion, told, motion.bars.swing_deg)
    return f"the text leaves out {untold:.0f} deg of turning" if untold > bars.untold_turn_deg else None


def _mark_turns(walk: Walk, claims: Sequence[Claim]) -> NDArray[np.bool_]:
    """(N,) positions between the frames of the turns and looks that are told."""
    told = np.zeros(len(walk.frames), dtype=bool)
    for claim in claims:
        first, last = (walk.index_of.get(frame or 0) for frame in (claim.first_frame, claim.last_frame))
        if claim.kind in ("turn", "look") and first is not None and last is not None:
            told[first : last + 1] = True
    return told


def _check(
    model: SceneModel,
    motion: WalkMotion,
    told_turns: NDArray[np.bool_],
    things: Mapping[str, ThingAlongWalk],
    claim: Claim,
    rooms: Sequence[RoomSpan],
    bars: ClaimBars,
) -> _Verdict:
    walk = motion.walk
    if claim.first_frame not in walk.index_of or claim.last_frame not in walk.index_of:
        return False, f"frames {claim.first_frame} to {claim.last_frame} are not in this walk"
    first, last = walk.index_of[claim.first_frame], walk.index_of[claim.last_frame]
    if first > last:
        return False, "ends before it begins"
    if claim.kind in ("room", "enter", "exit"):
        return judge_room(claim, walk, last, rooms, bars)
    if claim.kind == "length":
        return judge_length(claim, motion, first, last, model.scale, bars)
    if claim.kind not in ("walk", "turn", "look") and claim.object not in things:
        return False, f"no object {claim.object} in this model"
    named = things.get(claim.object or "")
    others = tuple(one for name, one in things.items() if name != claim.object)
    shown = None
    if named is not None and claim.kind in _PLACES:
        shown = project_box(named.thing, model, claim.last_frame)
    return _CHECKS[claim.kind](claim, _Stretch(motion, told_turns, first, last, named, others, bars, shown))


def _check_walk(claim: Claim, at: _Stretch) -> _Verdict:
    """The walker walked, and at each moment in the direction told relative to where it looked then."""
    angle = claim.angle_deg or 0.0
    within = at.bars.aside_off_deg if abs(angle) == 90.0 else at.bars.walk_off_deg
    gone, walked = at.motion.measure_way_gone(at.first, at.last, angle, within)
    standing = at.motion.measure_share_standing(at.first, at.last)
    left, right = _measure_untold_swings(at)
    reason = f"{gone:.1f} of {walked:.1f} nominal metres go that way, stands for {standing:.0%} of the frames"
    if min(left, right) >= at.bars.walk_swing_deg:
        untold = f"turns left by {left:.0f} and right by {right:.0f} deg, which the text does not tell"
        return False, f"{reason}, and {untold}"
    is_there = gone >= max(at.bars.walk_m, at.bars.walk_share * walked)
    return is_there and standing <= at.bars.walk_stand_share, reason


def _measure_untold_swings(at: _Stretch) -> tuple[float, float]:
    """Turning to the left and to the right on a stretch outside the turns told, without looks about, in degrees."""
    swings = at.motion.drop_looks(at.motion.find_swings(at.first, at.last), at.told_turns)
    sides = [[swing for swing in swings if swing.angle_deg * sign > 0.0] for sign in (1.0, -1.0)]
    left, right = (measure_untold_deg(side, at.motion, at.told_turns, at.bars.turn_deg) for side in sides)
    return left, right


def _check_turn(claim: Claim, at: _Stretch) -> _Verdict:
    """The walk turns to the side and by about the size told, and never far back.

    Where it mostly does not go ahead, what turns is the view; also where feet and view turn at different times, and in
    the end the feet go where the view looks, or rest.
    """
    part = slice(at.first, at.last + 1)
    verdict = _judge_turning(claim, at, at.motion.facing_deg[part], "the walk turns")
    if verdict[0] or at.motion.measure_told_by_view_deg(at.first, at.last) is None:
        return verdict
    return _judge_turning(claim, at, at.walk.heading_deg[part], "the view turns")


def _check_look(claim: Claim, at: _Stretch) -> _Verdict:
    """The view goes to the side and about as far as told, whether or not it comes back, and never far to the other."""
    gone = at.walk.heading_deg[at.first : at.last + 1] - at.walk.heading_deg[at.first]
    sign = _SIGNS.get(claim.side or "", 1.0)
    far, other = float((gone * sign).max()), float((-gone * sign).max())
    size_fits = claim.angle_deg is None or abs(far - abs(claim.angle_deg)) <= at.bars.turn_tolerance_deg
    reason = f"the view goes {far:.0f} deg to that side and {other:.0f} deg to the other"
    return far >= at.bars.turn_deg and other <= at.bars.turn_back_deg and size_fits, reason


def _judge_turning(claim: Claim, at: _Stretch, angles_deg: Array, what: str) -> _Verdict:
    turned = float(angles_deg[-1] - angles_deg[0])
    back = measure_turn_back(angles_deg, 1.0 if turned >= 0.0 else -1.0)
    reason = f"{what} by {turned:+.0f} deg"
    if back > at.bars.turn_back_deg:
        return False, f"{reason} in all, but {back:.0f} deg against it on the way"
    if is_slight(claim.angle_deg) and abs(turned) > at.bars.slight_most_deg:
        return False, f"{reason}, which the words do not fit"
    if claim.side is None:
        return at.bars.around_least_deg <= abs(turned) <= at.bars.around_most_deg, reason
    size_fits = claim.angle_deg is None or abs(turned - claim.angle_deg) <= at.bars.turn_tolerance_deg
    return _SIGNS.get(claim.side, 0.0) * turned >= at.bars.turn_deg and size_fits, reason


def _check_pass(claim: Claim, at: _Stretch) -> _Verdict:
    """At the closest point the object is on the side told; it was ahead before and is behind after."""
    bars, near = at.bars, at.thing.closest(at.first, at.last)
    direction = at.walk.chord(near, bars.pass_reach_m * at.metre, at.first, at.last)
    if direction is None:
        return False, "stands still at the closest point"
    by = measure_passing(at.thing, near, direction, slice(at.first, at.last + 1))
    seen = (
        at.thing.seen_since_s[near] <= bars.pass_seen_before_s or at.thing.seen_until_s[near] <= bars.pass_seen_after_s
    )
    ahead, behind = float(by.along[0]), float(by.along[-1])
    true = _is_passed(by, ahead, behind, claim, bars) and bool(seen)
    reason = f"{abs(by.lateral):.1f} to the {by.side} at the closest point, {ahead:+.1f} ahead before, {behind:+.1f}"
    return true, f"{reason} after" + ("" if seen else ", not seen before")


def _is_passed(by: Passing, ahead: float, behind: float, claim: Claim, bars: ClaimBars) -> bool:
    is_aside = _SIGNS.get(claim.side or "", 0.0) * by.lateral >= bars.pass_clear_m
    falls_behind = ahead > bars.pass_margin_m and behind < -bars.pass_margin_m
    return is_aside and falls_behind and by.distance <= bars.pass_within_m


def _check_approach(claim: Claim, at: _Stretch) -> _Verdict:
    """The distance shrinks, the way leads there, and the object is in view, at the end too, with nothing before it."""
    start, end, off = _distances_and_bearing(at)
    reason = f"distance {start:.1f} to {end:.1f}, {off:+.0f} deg off the view at the end"
    unseen_s = at.thing.unseen_s[at.first : at.last + 1]
    share = float(np.mean(unseen_s <= at.bars.approach_seen_s))
    seen = bool(unseen_s[-1] <= at.bars.seen_s) and share >= at.bars.approach_seen_share
    is_nearer = start - end >= at.bars.approach_share * start > 0.0
    if not (is_nearer and abs(off) <= at.bars.approach_view_deg and seen):
        return False, reason + ("" if seen else ", hardly in view")
    past = measure_past_deg(at.thing, at.first, at.last)
    if past > at.bars.approach_course_deg:
        return False, f"{reason}, and the way leads {past:.0f} deg past it"
    before = find_before(at.thing, at.others, at.last, at.bars, is_seen_over=at.thing.thing.category in _HANGING)
    return before is None, reason if before is None else f"{reason}, behind the {before.alias}"


def _check_front(claim: Claim, at: _Stretch) -> _Verdict:
    """In view, near the middle of the image, near enough for the words used, and with nothing before it."""
    _, distance, off = _distances_and_bearing(at)
    limit = at.bars.stop_m if claim.kind == "stop_at" else at.bars.face_m
    is_ahead = abs(off) <= at.bars.front_deg or (at.shown is not None and is_across(at.shown, at.bars.across_share))
    seen = at.is_in_view(at.bars.front_seen_s)
    reason = f"{off:+.0f} deg off the view at {distance:.1f}" + ("" if seen else ", not in view")
    if not (is_ahead and 0.0 < distance <= limit and seen):
        return False, reason
    before = find_before(at.thing, at.others, at.last, at.bars, is_seen_over=claim.kind == "see")
    return before is None, reason if before is None else f"{reason}, behind the {before.alias}"


def _check_side(claim: Claim, at: _Stretch) -> _Verdict:
    return judge_side(claim, at.thing, at.last, at.shown, at.bars, is_in_view=at.is_in_view(at.bars.side_seen_s))


def _check_visible(claim: Claim, at: _Stretch) -> _Verdict:
    unseen_s = float(at.thing.unseen_s[at.last])
    return unseen_s <= at.bars.side_seen_s, f"seen {unseen_s:.1f} s from there"


def _distances_and_bearing(at: _Stretch) -> tuple[float, float, float]:
    """Distance to the object at the start and at the end, and its bearing at the end."""
    start, end = at.thing.distance[[at.first, at.last]].tolist()
    return start, end, float(at.thing.bearing_deg[at.last])


_PLACES = ("stop_at", "see", "side")
_HANGING = ("window", "picture", "mirror")
_SIGNS: Mapping[str, float] = {"left": 1.0, "right": -1.0}
_CHECKS: Mapping[str, Callable[[Claim, _Stretch], _Verdict]] = {
    "walk": _check_walk,
    "turn": _check_turn,
    "look": _check_look,
    "pass": _check_pass,
    "approach": _check_approach,
    "stop_at": _check_front,
    "see": _check_front,
    "side": _check_side,
    "visible": _check_visible,
}
