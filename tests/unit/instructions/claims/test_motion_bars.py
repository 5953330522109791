"""How the judge says that one moves, on each side of every bar of it, with one quantity changed at a time."""

from collections.abc import Callable
from dataclasses import fields

import numpy as np
from numpy.typing import ArrayLike

from instructions.claims.walk_bars import MotionBars
from instructions.claims.walk_motion import WalkMotion
from instructions.facts.walk import Swing, Walk
from tests.support.cases import each_case


def motion(xs, *, ys=None, headings: ArrayLike = 0.0, times=None, metre=1.0) -> WalkMotion:
    """A second from place to place, so that the velocity at one is that between its neighbours."""
    count = len(xs)
    xy = np.column_stack([xs, np.zeros(count) if ys is None else ys]).astype(float) * metre
    time_s = np.arange(count, dtype=float) if times is None else np.array(times, float)
    return WalkMotion(Walk(tuple(range(count)), time_s, xy, np.zeros(count) + np.array(headings, float)), metre)


def along(courses, *, pace=1.0, headings: ArrayLike = 0.0) -> WalkMotion:
    """A walk that goes just so at each of its places but the last, at a place a second."""
    steps = pace * np.column_stack([np.cos(np.radians(courses)), np.sin(np.radians(courses))])
    xy = [np.zeros(2), steps[0]]
    for step in steps[1:]:
        xy.append(xy[-2] + 2.0 * step)
    xs, ys = np.array(xy).T
    return motion(xs, ys=ys, headings=headings)


def faces(walked: WalkMotion, index: int, deg: float) -> bool:
    return bool(abs(walked.facing_deg[index] - deg) < 1e-6)


def is_fast(step_s) -> bool:
    """A leap from rest, so long before or after a place: part of its velocity if it is near enough."""
    times = [0.0, 1.0 - step_s, 1.0 - step_s / 2, 1.0, 1.0 + step_s / 2, 1.0 + step_s, 2.0]
    return bool(motion([0, 0, 1, 1, 1, 1, 1], times=times).moves[3])


def rests(seconds) -> bool:
    """Feet go 40 degrees beside the view, stop, and go on; who rests for long enough faces along the view."""
    still = seconds + 0.61  # as seen over half a second to either side, less 0.2 m of steps
    times = np.arange(0.0, 6.0, 0.05)
    xs = np.where(times < 2.0, times, np.maximum(2.0, times - still))
    walked = motion(xs, headings=-40.0, times=times)
    middle = int(np.argmin(np.abs(times - 2.0 - still / 2)))
    return bool(walked.facing_deg[middle] < -10.0)


def heads(pace) -> bool:
    """Whether it faces where its feet go, 40 degrees beside the view."""
    return faces(motion(pace * np.arange(6.0), headings=-40.0), 3, 0.0)


def is_steady(deg) -> bool:
    """Whether it faces where its feet go, beside a view that goes back and forth."""
    return faces(motion(np.arange(8.0), headings=[0.0, -deg] * 4), 3, 0.0)


def evens_out(step_s) -> bool:
    """Whether a bend two steps from here counts here already."""
    xs = [*np.arange(8.0), 8.0, 8.0, 8.0, 8.0]
    ys = [*np.zeros(8), 1.0, 2.0, 3.0, 4.0]
    walked = motion(
        np.multiply(xs, step_s), ys=np.multiply(ys, step_s), headings=[0] * 8 + [60] * 4, times=step_s * np.arange(12)
    )
    return not faces(walked, 5, 0.0)


def goes_ahead(deg) -> bool:
    walked = motion(np.arange(6.0), headings=-deg)
    assert walked.measure_share_ahead(0, 5) == float(faces(walked, 3, 0.0))
    return faces(walked, 3, 0.0)


def glances(deg) -> bool:
    """A look far aside, in which the feet go so far off their way."""
    headings = [0, 0, 0, 100, 100, 100, 0, 0, 0, 0]
    return bool(along([0, 0, 0, 0, deg, 0, 0, 0, 0], headings=headings).off_way_deg[4] == 0.0)


def glances_for(seconds) -> bool:
    """A look far aside on a straight way, so long."""
    times = [0, 1, 2, 3, seconds - 1, seconds, seconds + 1]
    walked = motion(times, headings=[0, 0, 100, 100, 0, 0, 0], times=times)
    return bool(walked.off_way_deg[2] == 0.0)


def turns_back(rest_deg) -> bool:
    """A turn to the left and back but for so much, on the spot: no look, if it leaves a turn."""
    headings = [*np.arange(0.0, 91.0, 6.0), *np.linspace(84.0, rest_deg, 9)]
    walked = motion([0.0] * 25, headings=headings, times=0.2 * np.arange(25))
    return not walked.drop_looks([Swing(0, 15, 90.0), Swing(15, 24, rest_deg - 90.0)])


def is_look(seconds=2.0, metres=0.0, path=0.0) -> bool:
    """Whether a swing is taken back: so late, so far from its beginning, or after so long a path there and back."""
    xs = [0.0, path / 2, 0.0] if path else [0.0, metres / 2, metres]
    walked = motion(xs, headings=[0.0, 40.0, 0.0], times=[0.0, seconds / 2, seconds])
    return walked.takes_back(Swing(0, 1, 40.0), Swing(1, 2, -40.0))


def is_left_out(deg) -> bool:
    """Whether a look of so much, from which one turns back and on to the other side, leaves one turn of the two."""
    headings = [*np.linspace(0.0, deg, 11), *np.linspace(deg, -85.0, 21)[1:]]
    walked = motion([0.0] * 31, headings=headings, times=0.2 * np.arange(31))
    left = walked.drop_looks([Swing(0, 10, deg), Swing(10, 30, -85.0 - deg)])
    return len(left) == 1


def looks_about(share) -> bool:
    """Whether a swing is taken back on a way of 4 m of which such a share of the places goes ahead."""
    off = np.where(np.arange(20) < round(20 * share), 0.0, 90.0)
    walked = motion(np.linspace(0.0, 8.0, 20), headings=-off, times=np.linspace(0.0, 9.0, 20))
    return walked.takes_back(Swing(0, 10, 40.0), Swing(10, 19, -40.0))


def sees_late(seconds, ahead_of=False) -> bool:
    """Whether the view turns with a swing though it does so later, or did before."""
    if ahead_of:
        walked = motion([0.0] * 4, headings=[0.0, 50.0, 50.0, 50.0], times=[0.0, seconds, seconds + 1, seconds + 2])
        return walked.count_seen(1, 2, 1.0) == 50.0
    walked = motion([0.0] * 4, headings=[0.0, 0.0, 0.0, 50.0], times=[0.0, 1.0, 2.0, 2.0 + seconds])
    return walked.count_seen(1, 2, 1.0) == 50.0


def walk_tells(share) -> bool:
    """Whether the walk says how far one has turned: straight on, and so much of the view ahead before it turns."""
    off = np.where(np.arange(20) < round(20 * share), 0.0, 90.0)
    return motion(np.arange(20.0), headings=off).measure_told_by_view_deg(0, 19) is None


def view_tells(bend_deg) -> bool:
    """Whether the view says it: it turns by 60 degrees, and the feet by so much of that, and then go with it."""
    courses = [0.0] * 5 + [bend_deg] * 6
    return along(courses, headings=[0.0] * 5 + [60.0] * 7).measure_told_by_view_deg(2, 9) is not None


def follows(deg, counts=(3, 3), seconds=0.5) -> bool:
    """Whether the feet go with the view after its turn: so many places in all, so many of them straight after it."""
    there, all_of_them = counts
    off = [*[0.0] * there, *[deg] * (all_of_them - there)] if there < all_of_them else [deg] * all_of_them
    headings = [0.0, 0.0, *np.subtract(0.0, off)]
    xs = seconds * np.arange(len(headings))
    return motion(xs, headings=headings, times=xs)._goes_with_view(2)


Case = Callable[[float], bool]
BARS: dict[str, tuple[Case, float, float]] = {
    "step_s": (is_fast, 0.49, 0.51),
    "moves_m_s": (lambda pace: bool(motion(pace * np.arange(5.0)).moves.all()), 0.21, 0.19),
    "rest_s": (rests, 0.86, 0.74),
    "heads_m_s": (heads, 0.41, 0.39),
    "steady_deg": (is_steady, 29.5, 30.5),
    "sway_s": (evens_out, 0.39, 0.41),
    "ahead_deg": (goes_ahead, 74.5, 75.5),
    "straight_deg": (glances, 44.5, 45.5),
    "look_s, of a glance": (glances_for, 9.9, 10.1),
    "look_back_deg": (turns_back, 34.5, 35.5),
    "look_s": (is_look, 9.9, 10.1),
    "look_m": (lambda far: is_look(metres=far), 1.29, 1.31),
    "look_m, there and back": (lambda path: is_look(path=path), 2.59, 2.61),
    "look_most_deg": (is_left_out, 74.5, 75.5),
    "look_ahead_share": (looks_about, 0.25, 0.3),
    "view_lag_s": (sees_late, 1.4, 1.6),
    "view_lag_s, before": (lambda seconds: sees_late(seconds, ahead_of=True), 1.4, 1.6),
    "turn_ahead_share": (walk_tells, 0.75, 0.7),
    "feet_share": (view_tells, 31.0, 29.0),
    "follow_deg": (follows, 44.5, 45.5),
    "follow_share": (lambda there: follows(90.0, (int(there), 5), 0.3), 3.0, 2.0),
    "swing_deg": (
        lambda deg: bool(motion([0.0, 0.0], headings=[0.0, deg]).drop_looks([Swing(0, 1, deg)])),
        35.5,
        34.5,
    ),
}
"""By bar: what holds or does not, a value at which it does, and one at which it does not."""


@each_case("bar", BARS)
def test_each_bar_divides_what_holds_from_what_does_not(bar):
    holds, inside, outside = BARS[bar]
    assert holds(inside)
    assert not holds(outside)


def test_no_bar_is_left_out():
    assert {key.split(",")[0] for key in BARS} == {bar.name for bar in fields(MotionBars)}


def test_what_else_is_told_ends_the_search_for_a_turn_of_the_view():
    """The view turns on before and after: up to the nearest place that another statement tells."""
    walked = motion([0.0] * 7, headings=[0.0, 5.0, 15.0, 35.0, 45.0, 55.0, 85.0], times=0.4 * np.arange(7))
    assert walked.count_seen(3, 4, 1.0) == 85.0
    assert walked.count_seen(3, 4, -1.0) == 0.0
    for place, seen_deg in ((0, 85.0), (1, 80.0), (2, 70.0), (3, 85.0), (5, 55.0), (6, 85.0)):
        assert walked.count_seen(3, 4, 1.0, np.arange(7) == place) == seen_deg
    assert walked.count_seen(3, 4, 1.0, np.isin(np.arange(7), (0, 1, 5, 6))) == 50.0
