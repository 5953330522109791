"""Is a text true? Every claim is measured again from the raw poses, apart from what led to the text.

Nothing here uses the smoothed turns, legs or events of the writer: the claim names frames, object, side and angle, and
the poses between those frames decide. Limits are wider than the writer's by a small margin, never narrower.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from instructions.facts.reliable import nominal_metre
from instructions.facts.walk import Walk, floor_center, floor_distance
from instructions.facts.way import FACE_MAX_M, PASS_WITHIN_M, SEEN_WITHIN_S, STOP_MAX_M
from instructions.records import Claim, ClaimCheck, SceneObject
from recon.conventions import wrap_deg
from recon.records import Scene
from trajectories.records import Trajectory

TURN_TOLERANCE_DEG = 30.0
UNTOLD_TURN_DEG = 50.0
APPROACH_SHARE = 0.15
IN_VIEW_DEG = 40.0
FRONT_DEG = 25.0


@dataclass(frozen=True, eq=False)
class _Facts:
    """What a claim is measured against: positions `first` to `last` of the walk."""

    walk: Walk
    metre: float
    first: int
    last: int
    thing: SceneObject | None

    @property
    def object(self) -> SceneObject:
        if self.thing is None:
            raise AssertionError("a claim about an object reached its check without one")
        return self.thing

    def seen_between(self, first_s: float, last_s: float) -> bool:
        times = [float(self.walk.time_s[self.walk.index_of[f]]) for f in self.object.frames if f in self.walk.index_of]
        return any(first_s - 1e-6 <= time <= last_s + 1e-6 for time in times)

    def distances(self) -> np.ndarray:
        """Floor distance to the object at each position of the claim, in nominal metres."""
        return floor_distance(self.object.obb, self.walk.xy[self.first : self.last + 1]) / self.metre


def check_claims(
    scene: Scene, trajectory: Trajectory, objects: Sequence[SceneObject], claims: Sequence[Claim]
) -> tuple[ClaimCheck, ...]:
    """Measure each claim against the poses.

    Args:
        scene: The scene the trajectory belongs to.
        trajectory: The walk the claims are about.
        objects: Objects the claims may name.
        claims: In the order of the text.

    Returns:
        One check per claim, same order. A claim about an unknown object, about frames that are not in the walk, or told
        before something that happened earlier, is false.

    Raises:
        StopIteration: Never for records of one run: the trajectory's model is one of the scene's.
    """
    model = next(model for model in scene.models if model.name == trajectory.model)
    known = {thing.id: thing for thing in objects if thing.model == trajectory.model}
    walk, metre = Walk.of(trajectory), nominal_metre(model)
    checks: list[ClaimCheck] = []
    began, passed = 0, 0  # where the latest true claim begins, and where the latest true pass is closest
    for claim in claims:
        true, reason = _check(walk, metre, known, claim)
        if true and claim.first_frame is not None:
            begins = walk.index_of[claim.first_frame]
            closest = _closest(_facts(walk, metre, known, claim)) if claim.kind == "pass" else passed
            if begins < began or closest < passed:
                true, reason = False, f"happens before what the text mentions before it ({reason})"
            else:
                began, passed = begins, closest
        checks.append(ClaimCheck(claim, true, reason))
    return tuple(checks)


def untold_turn_deg(trajectory: Trajectory, claims: Sequence[Claim], first_frame: int, last_frame: int) -> float:
    """Net change of heading over a way less the turns its text tells, in [-180, 180): what a listener would miss."""
    walk = Walk.of(trajectory)
    net = float(walk.heading_deg[walk.index_of[last_frame]] - walk.heading_deg[walk.index_of[first_frame]])
    return wrap_deg(net - sum(claim.angle_deg or 0.0 for claim in claims if claim.kind == "turn"))


def _check(walk: Walk, metre: float, known: Mapping[str, SceneObject], claim: Claim) -> tuple[bool, str]:
    if claim.first_frame not in walk.index_of or claim.last_frame not in walk.index_of:
        return False, f"frames {claim.first_frame} to {claim.last_frame} are not in this walk"
    if walk.index_of[claim.first_frame] > walk.index_of[claim.last_frame]:
        return False, "ends before it begins"
    if claim.kind not in ("walk", "turn") and claim.object not in known:
        return False, f"no object {claim.object} in this model"
    check = _CHECKS.get(claim.kind)
    if check is None:
        return False, f"claims of kind {claim.kind} are read out of texts and checked there"
    return check(claim, _facts(walk, metre, known, claim))


def _facts(walk: Walk, metre: float, known: Mapping[str, SceneObject], claim: Claim) -> _Facts:
    first, last = walk.index_of[claim.first_frame or 0], walk.index_of[claim.last_frame or 0]
    return _Facts(walk, metre, first, last, known.get(claim.object or ""))


def _closest(facts: _Facts) -> int:
    """Position of the claim's span that is closest to the centre of its object."""
    away = facts.walk.xy[facts.first : facts.last + 1] - floor_center(facts.object.obb)
    return facts.first + int(np.argmin((away**2).sum(axis=1)))


def _check_walk(claim: Claim, facts: _Facts) -> tuple[bool, str]:
    """The walker got somewhere, and in the direction told relative to where it looked."""
    step = facts.walk.xy[facts.last] - facts.walk.xy[facts.first]
    length = float(np.linalg.norm(step)) / facts.metre
    headings = np.radians(facts.walk.heading_deg[facts.first : facts.last + 1])
    view = float(np.degrees(np.arctan2(np.sin(headings).mean(), np.cos(headings).mean())))
    off = wrap_deg(float(np.degrees(np.arctan2(step[1], step[0]))) - view)
    error = abs(wrap_deg(off - (claim.angle_deg or 0.0)))
    return length >= 0.5 and error <= 60.0, f"moves {off:.0f} deg from the view, {length:.1f} nominal metres"


def _check_turn(claim: Claim, facts: _Facts) -> tuple[bool, str]:
    """Net change of heading between the two frames has the side and about the size told."""
    turned = float(facts.walk.heading_deg[facts.last] - facts.walk.heading_deg[facts.first])
    reason = f"heading changes by {turned:+.0f} deg"
    if claim.side is None:
        return 135.0 <= abs(turned) <= 225.0, reason
    sign = {"left": 1.0, "right": -1.0}.get(claim.side, 0.0)
    size_fits = claim.angle_deg is None or abs(turned - claim.angle_deg) <= TURN_TOLERANCE_DEG
    return sign * turned >= 20.0 and size_fits, reason


def _check_pass(claim: Claim, facts: _Facts) -> tuple[bool, str]:
    """At the closest point the object is on the side told; it was ahead before and is behind after."""
    walk, center = facts.walk, floor_center(facts.object.obb)
    near = _closest(facts)
    reach = 0.5 * facts.metre
    before = near
    while before > facts.first and np.linalg.norm(walk.xy[before] - walk.xy[near]) < reach:
        before -= 1
    after = near
    while after < facts.last and np.linalg.norm(walk.xy[after] - walk.xy[near]) < reach:
        after += 1
    step = walk.xy[after] - walk.xy[before]
    if np.linalg.norm(step) < reach:
        return False, "stands still at the closest point"
    direction = step / np.linalg.norm(step)
    away = (center - walk.xy[near]) / facts.metre
    lateral = float(direction[0] * away[1] - direction[1] * away[0])
    ahead = float((center - walk.xy[facts.first]) @ direction) / facts.metre
    behind = float((center - walk.xy[facts.last]) @ direction) / facts.metre
    nearest = float(facts.distances()[near - facts.first])
    seen = facts.seen_between(walk.time_s[near] - SEEN_WITHIN_S, walk.time_s[near] + 1.0)
    sign = {"left": 1.0, "right": -1.0}.get(claim.side or "", 0.0)
    true = sign * lateral >= 0.2 and ahead > 0.1 and behind < -0.1 and nearest <= PASS_WITHIN_M and seen
    side = "left" if lateral > 0 else "right"
    reason = f"{abs(lateral):.1f} to the {side} at the closest point, {ahead:+.1f} ahead before, {behind:+.1f} after"
    return true, reason + ("" if seen else ", not seen before")


def _check_approach(claim: Claim, facts: _Facts) -> tuple[bool, str]:
    """The distance shrinks by at least 15 %, and the object is in view at the end."""
    start, end = (float(value) for value in facts.distances()[[0, -1]])
    off = facts.walk.bearing_deg(facts.last, floor_center(facts.object.obb))
    now = float(facts.walk.time_s[facts.last])
    seen = facts.seen_between(now - 2.5, now + 2.5)
    true = start - end >= APPROACH_SHARE * start > 0.0 and abs(off) <= IN_VIEW_DEG and seen
    return true, f"distance {start:.1f} to {end:.1f}, {off:+.0f} deg off the view at the end"


def _check_leave(claim: Claim, facts: _Facts) -> tuple[bool, str]:
    """Seen at the start; at the end further away and no longer in front."""
    start, end = (float(value) for value in facts.distances()[[0, -1]])
    off = facts.walk.bearing_deg(facts.last, floor_center(facts.object.obb))
    now = float(facts.walk.time_s[facts.first])
    true = end - start >= 1.0 and abs(off) >= 80.0 and facts.seen_between(now - 2.5, now + 2.5)
    return true, f"distance {start:.1f} to {end:.1f}, {off:+.0f} deg off the view at the end"


def _check_front(claim: Claim, facts: _Facts) -> tuple[bool, str]:
    """In view, near the middle of the image, and near enough for the words used."""
    distance = float(facts.distances()[-1])
    off = facts.walk.bearing_deg(facts.last, floor_center(facts.object.obb))
    now = float(facts.walk.time_s[facts.last])
    limit = STOP_MAX_M if claim.kind == "stop_at" else FACE_MAX_M
    true = abs(off) <= FRONT_DEG and 0.0 < distance <= limit and facts.seen_between(now - 1.5, now + 1.5)
    return true, f"{off:+.0f} deg off the view at {distance:.1f}"


_CHECKS: Mapping[str, Callable[[Claim, _Facts], tuple[bool, str]]] = {
    "walk": _check_walk,
    "turn": _check_turn,
    "pass": _check_pass,
    "approach": _check_approach,
    "leave": _check_leave,
    "stop_at": _check_front,
    "see": _check_front,
}
