"""Is a text about frames without poses true? What it says of rooms, sides and ranges is looked up frame by frame.

Nobody knows how the camera moved, so a statement about walking, turning, passing or coming near holds for nobody:
such a text is rejected, however likely it is.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from instructions.facts.seen import SeenFrame, SeenStretch
from instructions.truth.reader import read_text
from instructions.truth.told import Told


@dataclass(frozen=True)
class SeenCheck:
    """What the frames say of one statement."""

    told: Told
    true: bool
    reason: str
    first_frame: int | None = None
    last_frame: int | None = None


@dataclass(frozen=True)
class SeenVerdict:
    """The verdict on a text, with the code and the words of what is wrong; both None for a text that holds."""

    checks: tuple[SeenCheck, ...]
    fault: str | None
    false_because: str | None


@dataclass(frozen=True)
class _Label:
    """A kind of thing as the reader wants a name: the label is its own id."""

    id: str

    @property
    def alias(self) -> str:
        return self.id


def check_seen_text(text: str, stretch: SeenStretch) -> SeenVerdict:
    """Compare what a text says with what the frames show, in the order in which it is told."""
    told = read_text(text, [_Label(label) for label in stretch.labels], tuple(dict.fromkeys(stretch.rooms)))
    began, rank_began, rank = 0, 0, float("-inf")
    checks: list[SeenCheck] = []
    for one in told:
        if one.rank > rank:
            began, rank = max(began, rank_began), one.rank
        check, at = _check(one, stretch, began)
        checks.append(check)
        if check.true and at is not None:
            rank_began = max(rank_began, at)
    wrong = [check for check in checks if not check.true]
    if not told:
        return SeenVerdict((), "nothing_told", "says nothing that can be checked")
    if not wrong:
        return SeenVerdict(tuple(checks), None, None)
    needs_poses = all(check.told.kind in _NEEDS_POSES for check in wrong)
    because = "; ".join(f"{check.told.words!r}: {check.reason}" for check in wrong[:3])
    return SeenVerdict(tuple(checks), "needs_poses" if needs_poses else "false_claim", because)


_NEEDS_POSES = ("walk", "back", "aside", "turn", "around", "circle", "pass", "approach", "leave", "stop", "end facing")
_NEEDS_POSES += ("near", "front", "threshold")


def _check(told: Told, stretch: SeenStretch, began: int) -> tuple[SeenCheck, int | None]:
    """The check of one statement, and the first place at or after `began` where it is true, if it is a moment."""
    if told.kind in _NEEDS_POSES:
        return SeenCheck(told, False, "without poses nobody knows how the camera moved or how near it came"), None
    if told.kind == "rooms":
        count = len(set(stretch.rooms))
        is_right = told.count in (count, len(stretch.rooms)) and bool(stretch.rooms)
        return SeenCheck(told, is_right, f"{count} rooms are seen"), None
    shows = _SHOWS.get(told.kind)
    if shows is None:
        return SeenCheck(told, False, _REFUSED.get(told.kind, "cannot be checked")), None
    if told.count is not None and told.things and told.count != 1:
        return SeenCheck(told, False, "things are not told apart without poses, so nobody can count them"), None
    if told.kind in ("enter", "exit"):
        where = [at for at in range(1, len(stretch.frames)) if _changes(told, stretch, at)]
    else:
        where = [at for at, frame in enumerate(stretch.frames) if shows(told, frame)]
    later = [at for at in where if at >= began]
    if not where:
        return SeenCheck(told, False, "no frame shows it so"), None
    frames = stretch.frames[where[0]].frame, stretch.frames[where[-1]].frame
    if not later:
        return SeenCheck(told, False, "is shown before what the text mentions before it", *frames), None
    return SeenCheck(told, True, f"frames {frames[0]} to {frames[1]} show it", *frames), max(later[0], began)


def _shows_thing(told: Told, frame: SeenFrame) -> bool:
    return any(thing.label in told.things for thing in frame.things)


def _shows_on_side(told: Told, frame: SeenFrame) -> bool:
    return any(thing.label in told.things and told.side in thing.sides for thing in frame.things)


def _shows_in_range(told: Told, frame: SeenFrame) -> bool:
    return any(thing.label in told.things and told.range in thing.ranges for thing in frame.things)


def _is_in_room(told: Told, frame: SeenFrame) -> bool:
    return told.room is not None and frame.room == told.room


def _changes(told: Told, stretch: SeenStretch, at: int) -> bool:
    before = next((one.room for one in reversed(stretch.frames[:at]) if one.room is not None), None)
    now = stretch.frames[at].room
    if before is None or now is None or before == now:
        return False
    return told.room == (now if told.kind == "enter" else before)


_SHOWS: dict[str, Callable[[Told, SeenFrame], bool]] = {
    "see": _shows_thing,
    "side": _shows_on_side,
    "range": _shows_in_range,
    "room": _is_in_room,
    "enter": _is_in_room,
    "exit": _is_in_room,
}
_REFUSED = {
    "unknown": "nothing like this was seen here",
    "length": "texts may not give lengths",
    "unreadable": "says what is not the case, which is not checked",
}
