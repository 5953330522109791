"""What one camera sees: whether it may be asked."""

from __future__ import annotations

from math import hypot

from instructions.asking.gates import compare, hide_pair
from instructions.facts.between import ahead_difference, lateral_difference
from instructions.facts.measured import Measured
from instructions.facts.overlap import measure_span_overlap
from instructions.programs.judge.asker import SetAsker
from instructions.programs.judge.truths import Judged
from instructions.programs.reference import analyse
from instructions.programs.types import ProgramType
from instructions.programs.world import Given

Things = tuple[str, ...]


def judge_range(asker: SetAsker, kind: ProgramType, things: Things, given: Given) -> Judged | str:
    """From the eye to the centre of one thing."""
    if (reason := asker.hide_size(things[0])) is not None:
        return reason
    value = asker.views.views[0].viewer.range(asker.known(things[0]).body.center)
    return asker.judge_length(kind, things, value, hypot(asker.sigma(*things), asker.eye_sigma()))


def judge_nearer(asker: SetAsker, kind: ProgramType, things: Things, given: Given) -> Judged | str:
    """Two things from the eye."""
    viewer = asker.views.views[0].viewer
    answer = str(analyse(kind.name, things, asker.scene, given))
    order = sorted(things, key=lambda name: name != answer)
    values = [viewer.range(asker.known(name).body.center) for name in order]
    return asker.judge_best(values, hypot(asker.sigma(*things), asker.eye_sigma()) / 2**0.5, answer)


def judge_direction(asker: SetAsker, kind: ProgramType, things: Things, given: Given) -> Judged | str:
    """Front or back, left or right of each other."""
    view = asker.views.views[0]
    if not view.viewer.has_sides:
        return "no_sides"
    a, b = (asker.views.seen[name][0] for name in things)
    reason = hide_pair(a, b, asker.bars)
    if reason is not None:
        return reason
    pair = asker.pair(*things)
    if max(pair.inside) >= asker.bars.most_inside:
        return "inside_other"
    sigma = hypot(asker.sigma(*things), asker.turn_sigma() * pair.distance)
    unit = "m" if asker.has_scale else "unit"
    evidence = []
    ahead = ahead_difference(a.body, b.body, view.viewer)
    right = lateral_difference(a.body, b.body, view.viewer)
    for name, difference in (("ahead", ahead), ("right", right)):
        if (given.word, name) in (("left_right", "ahead"), ("front_back", "right")):
            continue
        decision = compare(
            difference, sigma, apart=pair.distance, mean_size=0.0, smaller=pair.smaller_side, metre=asker.metre,
            has_scale=asker.has_scale, bars=asker.bars,
        )  # fmt: skip
        if decision.verdict not in ("more", "less"):
            return "undecided"
        if name == "right":
            step = a.box[0] + a.box[2] - b.box[0] - b.box[2]
            if step * right <= 0 or measure_span_overlap(a.box, b.box, 0) > asker.bars.most_span_overlap:
                return "image_disagrees"
        else:
            further = view.viewer.range(a.body.center) - view.viewer.range(b.body.center)
            depth_a, depth_b = (float(view.pose.depths(one.body.center[None])[0]) for one in (a, b))
            if further * ahead <= 0 or (depth_a - depth_b) * ahead <= 0:
                return "orders_disagree"
        evidence += [Measured(name, difference, unit, sigma), Measured("margin", decision.margin, unit, 0.0)]
    return Judged(analyse(kind.name, things, asker.scene, given), evidence=tuple(evidence))
