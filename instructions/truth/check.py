"""The verdict on a text: its statements, placed on the way one after the other, or the reason why they do not fit.

Each statement has stretches of the way on which it is true (`evidence`). A text is true if one moment can be chosen
from the stretches of every statement so that the moments keep the order told. Turns use up the turning they tell, so
that two told turns need two turns walked; turning that no statement tells is measured.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from math import inf

from instructions.facts.walk import Swing
from instructions.facts.way import Span, WayGeometry
from instructions.records import Side
from instructions.truth.evidence import find_arrivals, find_spans, wrong_count
from instructions.truth.motion import WalkMotion
from instructions.truth.moves import LASTING, is_look
from instructions.truth.reader import read_alternatives
from instructions.truth.told import Told
from instructions.truth.unread import find_unread_in_walk

SLACK_S = 1.2
UNTOLD_TURN_DEG = 60.0
END_S = 2.0
MOST_TURNS = 8
MOST_PLAIN_DEG = 165.0
"""A turn told with a side and no size; from here to a half turn one says that the walk turns around."""
MOST_SLIGHT_DEG, MOST_WIDE_SLIGHT_DEG = 75.0, 110.0
"""A slight turn turns by at most so much; one that is a wide bend of the walk feels slight up to a right angle."""
WIDE_M = 2.0
"""A bend is wide if one walks so far in it."""
LEAST_TURN_DEG = 18.0
"""Less turning is not told as a turn."""
MOST_JOINED = 4
"""Swings that one told turn may be: a person looks about while turning ..."""
MOST_BACK_DEG = 35.0
"""... and turns back by at most this much meanwhile ..."""
MOST_BETWEEN_M = 1.5
"""... and walks at most so far between two of them: more is two turns."""

TEXT_FAULTS = {
    "false_claim": "geometry contradicts a statement of the text",
    "untold_turn": "the text leaves out a large part of the turning",
    "unread": "the text says something that cannot be read whole, so nobody can tell whether it is true",
    "nothing_told": "the text says nothing that can be checked",
    "too_many_turns": "the text tells more turns than can be told apart",
}
"""Reasons why a text does not hold, by the code that rows carry."""


@dataclass(frozen=True)
class ToldCheck:
    """What the geometry of the way says of one statement."""

    told: Told
    true: bool
    reason: str
    span: Span | None = None
    """Where it was found to happen."""


@dataclass(frozen=True)
class TextCheck:
    """The verdict on a text."""

    checks: tuple[ToldCheck, ...]
    untold_turn_deg: float
    """Turning between two turns that the text tells, before the first, or after the last, whatever its sense: the
    largest of these sums over swings."""
    false_because: str | None
    """None for a text that holds."""
    fault: str | None = None
    """The same as a code of `TEXT_FAULTS`."""


@dataclass(frozen=True)
class _Way:
    """What statements are placed on."""

    geometry: WayGeometry
    motion: WalkMotion
    swings: tuple[Swing, ...]
    """All turning of the walk."""
    must_tell_deg: tuple[float, ...]
    """By swing: how much of it a text has to tell; 0 for small ones, and for looks about on the spot."""

    @classmethod
    def of(cls, geometry: WayGeometry) -> _Way:
        motion = WalkMotion(geometry.walk, geometry.metre)
        swings = motion.cut_where_back(motion.find_swings(geometry.first, geometry.last))
        kept = motion.drop_looks(swings)
        sizes = [max((abs(two.angle_deg) for two in kept if _overlap(one, two)), default=0.0) for one in swings]
        return cls(geometry, motion, swings, tuple(size if size >= motion.bars.swing_deg else 0.0 for size in sizes))


def _overlap(one: Swing, other: Swing) -> bool:
    """Whether two pieces of turning to one side share some of it."""
    is_shared = max(one.first, other.first) < min(one.last, other.last)
    return is_shared and one.angle_deg * other.angle_deg > 0.0


@dataclass(frozen=True)
class _Placed:
    """Some first statements placed on the way."""

    wrong: int
    untold_deg: float
    """Largest turning between two told turns (or before the first), added up swing by swing."""
    frontier_s: float
    next_swing: int
    checks: tuple[ToldCheck, ...]
    owed_deg: float = 0.0
    """Turning back from a look that was told as a turn: untold if the next turn told is not it."""
    moment_s: float = -inf
    """Latest of the moments (passes, turns, room changes) of the statements being placed."""


def check_text(text: str, way: WayGeometry, *, must_tell_turns: bool = True) -> TextCheck:
    """Compare what a text says with what happened.

    Args:
        text: About this way.
        way: Where to look.
        must_tell_turns: A text that leaves out a large part of the turning is false.

    Returns:
        One check per statement, in the order of time told. A text that may be read in several ways is true if it is so
        in one of them; of a false one the checks are those of the likeliest.
    """
    labels = tuple(dict.fromkeys(span.room for span in way.rooms))
    likeliest: TextCheck | None = None
    for told in read_alternatives(text, list(way.objects.values()), labels):
        found = _check_told(told, way, must_tell_turns)
        if found.false_because is None:
            return _require_read(found, text, way, labels)
        likeliest = likeliest or found
    if likeliest is None:
        raise AssertionError("every text can be read in some way")
    return likeliest


def _require_read(found: TextCheck, text: str, way: WayGeometry, labels: Sequence[str]) -> TextCheck:
    """The check of a text that holds as far as it was read, rejected if some of it was not."""
    unread = find_unread_in_walk(text, list(way.objects.values()), labels)
    if unread is None:
        return found
    return replace(found, false_because=f"{unread!r} is not understood", fault="unread")


def _check_told(told: Sequence[Told], way: WayGeometry, must_tell_turns: bool) -> TextCheck:
    """The check of a text as it is read in one way."""
    if sum(one.kind in _TURNING for one in told) > MOST_TURNS:
        return TextCheck((), 0.0, f"mentions more than {MOST_TURNS} turns", "too_many_turns")
    on = _Way.of(way)
    best = _place(told, on)
    untold = _untold(best, on)
    wrong = [check for check in best.checks if not check.true]
    because = fault = None
    if not told:
        fault, because = "nothing_told", "says nothing that can be checked"
    elif wrong:
        fault = "false_claim"
        because = "; ".join(f"{check.told.words!r}: {check.reason}" for check in wrong[:3])
    elif must_tell_turns and untold > UNTOLD_TURN_DEG:
        fault, because = "untold_turn", f"leaves out a turn of {untold:.0f} deg"
    return TextCheck(best.checks, untold, because, fault)


_TURNING = ("turn", "around", "circle")
_MOMENTS = (*_TURNING, "pass", "enter", "exit", "side")
_BACKGROUND = ("walk", "see", "range", "room", "rooms", "threshold")
"""True for so long that they set no time for what is told with them."""
_GOING = ("walk", "back", "aside")
"""Told after a turn, they go on after its middle: `turn right and walk on` is false where the turn ends the way."""
_MOVING = (*_TURNING, "walk", "back", "aside", "pass", "approach", "leave", "enter", "exit")


_SAME_DEG = 5.0
"""Walk and view turn by the same within this angle."""


_KEEPING = frozenset(f"{verb} {side}" for verb in ("keep", "keeps", "keeping") for side in ("left", "right"))
"""These tell a bend or a step aside."""


def _untold(state: _Placed, way: _Way) -> float:
    return max(state.untold_deg, state.owed_deg + sum(way.must_tell_deg[state.next_swing :]))


def _place(told: Sequence[Told], way: _Way) -> _Placed:
    """The best placing: fewest statements wrong, then least turning untold."""
    states = [_Placed(0, 0.0, float(way.geometry.times[0]), 0, ())]
    groups: list[list[Told]] = []
    for one in told:
        if groups and groups[-1][0].rank == one.rank:
            groups[-1].append(one)
        else:
            groups.append([one])
    moves = [one.rank for one in told if one.kind in _MOVING]
    ends_after = max(moves, default=0.0)
    for group in groups:
        states = _prune([after for state in states for after in _place_group(state, group, way, ends_after)])
    return min(states, key=lambda state: (state.wrong, _untold(state, way)))


def _prune(states: Sequence[_Placed]) -> list[_Placed]:
    """One state per last turn: the one with least wrong, then least untold, then earliest."""
    best: dict[int, _Placed] = {}
    for state in states:
        key = state.next_swing
        known = best.get(key)
        if known is None or _badness(state) < _badness(known):
            best[key] = state
    least = min(state.wrong for state in best.values())
    return [state for state in best.values() if state.wrong <= least + 1]


def _badness(state: _Placed) -> tuple[float, ...]:
    return state.wrong, max(state.untold_deg, UNTOLD_TURN_DEG), state.frontier_s


def _place_group(state: _Placed, group: Sequence[Told], way: _Way, ends_after: float) -> list[_Placed]:
    """Statements of one rank: each after what came before, in any order among themselves."""
    began = state.frontier_s
    states = [replace(state, frontier_s=inf, moment_s=-inf)]
    for one in group:
        states = [after for each in states for after in _place_one(each, one, began, way, ends_after)]
    return [replace(each, frontier_s=_frontier_s(each, began)) for each in states]


def _frontier_s(state: _Placed, began: float) -> float:
    """Where the next statements begin: at the last moment told, or at the start of what was told to go on."""
    if state.moment_s > -inf:
        return max(began, state.moment_s)
    return began if state.frontier_s == inf else state.frontier_s


def _place_one(state: _Placed, told: Told, began: float, way: _Way, ends_after: float) -> list[_Placed]:
    if told.kind in _TURNING:
        turned = _place_turn(state, told, began, way)
        if told.kind != "turn" or told.words not in _KEEPING:
            return turned
        return [*turned, *_place_one(state, replace(told, kind="aside"), began, way, ends_after)]
    if told.is_round:
        rounds = _place_turn(state, replace(told, kind="circle"), began, way)
        return [*rounds[:-1], _place_one(state, replace(told, is_round=False), began, way, ends_after)[0]]
    spans, reason = find_spans(told, way.geometry, way.motion)
    if told.is_listed:
        spans = find_arrivals(told, way.geometry, spans or ())
    if told.count is not None and told.kind != "rooms" and reason is None:
        reason = wrong_count(told, way.geometry)
        spans = [] if reason else spans
    if (told.kind in ("stop", "end facing") or told.is_end) and told.rank >= ends_after and spans:
        ending = float(way.geometry.times[-1]) - END_S
        spans = [span for span in spans if way.geometry.walk.time_s[span.last] >= ending]
        reason = reason or "it is not where this way ends"
    if told.is_start and spans:
        spans = [span for span in spans if span.first == way.geometry.first]
        reason = "the way does not begin there"
    if told.count is not None and spans:  # a count is of the whole way
        return [_with(state, ToldCheck(told, True, f"{told.count} of them fit"), began)]
    if spans is None:
        return [_with(state, ToldCheck(told, True, "nothing to measure"), began)]
    if not spans:
        return [_with(state, ToldCheck(told, False, reason or "does not happen on this way"), began, wrong=1)]
    for span in spans:
        first_s, last_s = (float(way.geometry.walk.time_s[index]) for index in (span.first, span.last))
        slack_s = 0.0 if told.kind in _GOING else SLACK_S
        if last_s >= began - slack_s:
            check = ToldCheck(told, True, _when(way.geometry, span), span)
            return [_with(state, check, max(first_s, min(began, last_s)))]
    happened = _when(way.geometry, spans[-1])
    check = ToldCheck(told, False, f"happens before what the text mentions before it ({happened})", spans[-1])
    return [_with(state, check, began, wrong=1)]


def _with(state: _Placed, check: ToldCheck, moment_s: float, wrong: int = 0) -> _Placed:
    is_listed = check.told.is_listed
    no_time = (check.told.kind in _BACKGROUND and not is_listed) or check.told.is_loose
    is_moment = (check.told.kind in _MOMENTS or is_listed) and check.true and not check.told.is_loose
    return replace(
        state,
        wrong=state.wrong + wrong,
        frontier_s=state.frontier_s if no_time else min(state.frontier_s, moment_s),
        moment_s=max(state.moment_s, moment_s) if is_moment else state.moment_s,
        checks=(*state.checks, check),
    )


def _place_turn(state: _Placed, told: Told, began: float, way: _Way) -> list[_Placed]:
    """Every run of turning this could be, and the case that it is none."""
    out: list[_Placed] = []
    turned: list[str] = []
    for first, last, angle in _turn_choices(way, state.next_swing):
        swings = way.swings[first : last + 1]
        middle_s = _middle_s(way.geometry, swings)
        is_end_of_look = first > 0 and first == last and way.motion.takes_back(way.swings[first - 1], swings[0])
        comes_back = (
            is_end_of_look
            and abs(way.swings[first - 1].angle_deg + swings[0].angle_deg) <= way.motion.bars.look_back_deg
        )
        is_told_look = comes_back and _is_look_told(state, way.swings[first - 1])
        is_after_turn = is_end_of_look and state.next_swing == first and not _is_look_told(state, way.swings[first - 1])
        path_m = float(way.geometry.walk.travelled[swings[-1].last] - way.geometry.walk.travelled[swings[0].first])
        if (
            not _fits(told, angle, path_m / way.geometry.metre)
            or middle_s < began - SLACK_S
            or (is_end_of_look and is_look(told.words) and not is_after_turn)
            or (is_told_look and "back" not in told.words.split())
            or (comes_back and state.next_swing < first)  # nothing tells the look
        ):
            turned.append(f"{angle:+.0f} deg")
            continue
        span = Span(swings[0].first, swings[-1].last)
        check = ToldCheck(told, True, f"the walk turns by {angle:+.0f} deg", span)
        goes_on = told.kind == "circle" or bool(
            LASTING.intersection(told.words.split())
        )  # what is passed meanwhile may be told after it
        placed = _with(state, check, float(way.geometry.walk.time_s[swings[0].first]) if goes_on else middle_s)
        owed = state.owed_deg if first > state.next_swing else 0.0
        untold = max(state.untold_deg, owed + sum(way.must_tell_deg[state.next_swing : first]))
        owes = 0.0 if is_look(told.words) else _measure_taken_back_deg(way, last)
        out.append(replace(placed, untold_deg=untold, owed_deg=owes, next_swing=last + 1))
    there = f"; from here on it turns {', '.join(turned[:3])}" if turned else "; it does not turn from here on"
    missing = ToldCheck(told, False, f"no such turn{there}")
    return [*out, _with(state, missing, began, wrong=1)]


def _measure_taken_back_deg(way: _Way, number: int) -> float:
    """By how much the next swing takes one back, if that is a look about; else 0."""
    if number + 1 >= len(way.swings):
        return 0.0
    one, other = way.swings[number], way.swings[number + 1]
    is_look = way.motion.takes_back(one, other)
    is_look &= abs(one.angle_deg + other.angle_deg) <= way.motion.bars.look_back_deg
    return abs(other.angle_deg) if is_look else 0.0


def _is_look_told(state: _Placed, swing: Swing) -> bool:
    """Whether a swing has been told as a look: coming back from it is no turn to tell."""
    return any(
        is_look(check.told.words) and check.span is not None and check.span.last == swing.last for check in state.checks
    )


def _turn_choices(way: _Way, after: int) -> list[tuple[int, int, float]]:
    """Runs of up to four neighbouring swings from number `after` on: first and last number and the net angle.

    What is joined turns to one side, with looks back of less than `MOST_BACK_DEG`; by the view too, where that tells
    how far one has turned. After a look to the other side on
    the same spot, the turn is what is left of the swing.
    """
    out = []
    swings = way.swings
    for start in range(after, len(swings)):
        for end in range(start, min(start + MOST_JOINED, len(swings))):
            angles = [swing.angle_deg for swing in swings[start : end + 1]]
            net = sum(angles)
            back = max((-angle if net > 0.0 else angle for angle in angles), default=0.0)
            if end > start and _path_between(way, swings[end - 1], swings[end]) > MOST_BETWEEN_M:
                break
            if abs(net) >= LEAST_TURN_DEG and back <= MOST_BACK_DEG:
                out.append((start, end, net))
                seen = way.motion.measure_told_by_view_deg(swings[start].first, swings[end].last)
                if seen is not None and seen * net > 0.0 and abs(seen - net) > _SAME_DEG:
                    out.append((start, end, seen))
        if start and way.motion.takes_back(swings[start - 1], swings[start]):
            left = swings[start - 1].angle_deg + swings[start].angle_deg
            if left * swings[start].angle_deg > 0.0 and abs(left) >= LEAST_TURN_DEG:
                out.append((start, start, left))
    return out


def _path_between(way: _Way, one: Swing, other: Swing) -> float:
    """Nominal metres walked from the end of a swing to the beginning of the next."""
    travelled = way.geometry.walk.travelled
    return float(travelled[other.first] - travelled[one.last]) / way.geometry.metre


def _middle_s(way: WayGeometry, swings: Sequence[Swing]) -> float:
    return 0.5 * float(way.walk.time_s[swings[0].first] + way.walk.time_s[swings[-1].last])


def _fits(told: Told, angle_deg: float, path_m: float) -> bool:
    """Whether a turn by this angle, made while walking so far, is as told."""
    size = abs(angle_deg)
    side: Side = "left" if angle_deg > 0 else "right"
    if told.side in ("left", "right") and told.side != side:
        return False
    if told.kind == "around":
        if "all the way" in told.words:
            return size >= 130.0
        least = (
            60.0 if told.side is not None and told.words.startswith("swing") else 130.0
        )  # `swing around to the left`
        return least <= size <= 230.0
    if told.kind == "circle":
        return size >= 200.0
    if told.size == "slight":
        return size <= (MOST_WIDE_SLIGHT_DEG if path_m >= WIDE_M else MOST_SLIGHT_DEG)
    if told.size == "wide":
        return 45.0 <= size <= 200.0
    if LASTING.intersection(told.words.split()):
        return True
    return size <= MOST_PLAIN_DEG


def _when(way: WayGeometry, span: Span) -> str:
    first, last = (way.walk.frames[index] for index in (span.first, span.last))
    return f"frame {first}" if first == last else f"frames {first} to {last}"
