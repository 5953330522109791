"""Questions whose right answer is that a thing is out of view: asked elsewhere in the same words, and answered there.

Each repeats a question of the same tour at a view that shows one of the two things and surely not the other. So every
such text has an answer in one picture and none in another, and no wording or name tells which.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np

from instructions.asking.bars import GateOptions
from instructions.asking.draws import Draw
from instructions.asking.english import fill, is_plural
from instructions.asking.gates import hide_thing
from instructions.asking.measured import Measured
from instructions.asking.names import fits_phrase, name_things
from instructions.asking.views import Known, QuestionView, SeenThing
from instructions.rows import row_id
from instructions.spatial.records import KIND, NOT_VISIBLE, Reference, SpatialQuestion
from instructions.spatial.types import TYPES
from instructions.spatial.words import templates_of
from recon.geometry import angle_between_deg

_BEYOND_EDGE = 0.10
"""Share of the picture's side by which a thing must lie outside of it: boxes and poses have errors."""
_NEARBY_M, _NEARBY_DEG = 1.5, 75.0
"""A view this near, turned by less than this, may share a part of its picture."""


def ask_unseen(
    views: Sequence[QuestionView],
    known: Mapping[str, Known],
    rows: Sequence[SpatialQuestion],
    bars: GateOptions,
    share: float,
    *,
    seed: int,
    exact: bool,
) -> list[SpatialQuestion]:
    """Repeat questions of a model where one of their two things is out of view.

    Args:
        views: Of the model.
        known: Its things.
        rows: That were asked of it.
        bars: Of the gates, for the thing that is in view.
        share: Rows wanted as a share of `rows`; there are fewer where no view fits.
        seed: Of every random choice.
        exact: The observations name everything that a frame shows.

    Returns:
        In time order.
    """
    showing: dict[str, list[QuestionView]] = defaultdict(list)
    for view in views:
        for one in view.things:
            showing[one.id].append(view)
    absence = _Absence(known, showing, exact)
    taken = {(row.views[0], row.question) for row in rows}
    wanted = round(share * len(rows))
    out: list[SpatialQuestion] = []
    for row in sorted(filter(_may_repeat, rows), key=lambda row: row.id[-16:]):
        if len(out) >= wanted:
            break
        draw = Draw(seed, row.tour, KIND, "unseen", row.id)
        place = int(draw.uniform() < 0.5)
        shown, gone = row.references[place], row.references[1 - place]
        start = int(draw.uniform() * len(showing[shown.object]))
        for view in (*showing[shown.object][start:], *showing[shown.object][:start]):
            one = next(one for one in view.things if one.id == shown.object)
            if (view.frame, row.question) in taken or not absence.is_sure(view, gone):
                continue
            if hide_thing(one, view.size, view.model.nominal_metre, bars) is None and _is_called(view, one, shown):
                taken.add((view.frame, row.question))
                out.append(_repeat(row, view, one, place, known[gone.object], draw))
                break
    return sorted(out, key=lambda row: row.views)


def _may_repeat(row: SpatialQuestion) -> bool:
    kind = TYPES[row.type]
    plain = all(one.clause is None and one.category is not None for one in row.references)
    return kind.objects == 2 and plain and not kind.supposes and kind.family != "stands_on"


def _is_called(view: QuestionView, one: SeenThing, shown: Reference) -> bool:
    names = name_things(view, one, "none")
    return not isinstance(names, str) and any(naming.text == shown.phrase for naming in names)


@dataclass(frozen=True, eq=False)
class _Absence:
    """What a model knows of where things can be seen from."""

    known: Mapping[str, Known]
    showing: Mapping[str, Sequence[QuestionView]]
    """The views that see a thing."""
    exact: bool

    def is_sure(self, view: QuestionView, gone: Reference) -> bool:
        """Whether nothing that the phrase may mean is in the picture: no thing, no detection, no place of a thing."""
        phrase = gone.phrase.removeprefix("the ")
        told = [name for one in view.things for name in (one.known.thing.alias, one.known.thing.category) if name]
        told += [rival.words for rival in view.rivals] + [one.seen.label for one in view.things if one.seen.label]
        if any(fits_phrase(phrase, words) for words in told):
            return False
        if self.exact:
            return True
        alike = [
            name
            for name, one in self.known.items()
            if fits_phrase(phrase, one.thing.alias) or fits_phrase(phrase, one.thing.category or one.thing.alias)
        ]
        return all(_lies_outside(view, self.known[name]) and not self._is_seen_nearby(view, name) for name in alike)

    def _is_seen_nearby(self, view: QuestionView, name: str) -> bool:
        """Whether a view from about here sees it: boxes are often too small, and a corner of it may stick in."""
        near = _NEARBY_M * view.model.nominal_metre
        return any(
            np.linalg.norm(other.viewer.eye - view.viewer.eye) < near
            and angle_between_deg(other.pose.forward, view.pose.forward) < _NEARBY_DEG
            for other in self.showing[name]
        )


def _lies_outside(view: QuestionView, one: Known) -> bool:
    """Whether a box lies wholly behind the camera, or its extent in pixels clearly beside the picture."""
    ahead = view.pose.depths(one.body.points) > 1e-6
    if not ahead.any():
        return True
    if not ahead.all():
        return False
    pixels = view.model.camera.project(view.pose.inverse() @ one.body.points)
    size = np.array(view.size)
    edge = _BEYOND_EDGE * size
    low, high = pixels.min(axis=0), pixels.max(axis=0)
    return bool(((high < -edge) | (low > size + edge)).any())


def _repeat(
    row: SpatialQuestion, view: QuestionView, one: SeenThing, place: int, gone: Known, draw: Draw
) -> SpatialQuestion:
    """The row at another view, with the answer that a thing is not there; `place` is that of the thing in view."""
    shown, absent = row.references[place], row.references[1 - place]
    answers = templates_of("unseen")["answers"]
    answer = draw.shorter(answers)
    things = {"A": (shown.phrase, is_plural(shown.phrase)), "B": (absent.phrase, is_plural(absent.phrase))}
    seen = replace(shown, box_xyxy=one.box, mask=one.seen.mask)
    unseen = replace(absent, box_xyxy=None, mask=None)
    bearing = Measured("bearing of what is out of view", view.viewer.measure_bearing_deg(gone.body.center), "deg", 0.0)
    about = row_id(view.frame, "unseen", row.type, *(one.object for one in row.references), row.question)
    return replace(
        row,
        id=f"{row.tour}_m{row.model}_q{about}",
        views=(view.frame,),
        type="unseen",
        family="unseen",
        level=TYPES["unseen"].level,
        references=(seen, unseen) if place == 0 else (unseen, seen),
        answer=fill(answers[answer], things, {}),
        form="unseen",
        truth=NOT_VISIBLE,
        measured=None,
        said=None,
        choices=(),
        correct=None,
        evidence=(bearing,),
        twin=None,
        upright=view.viewer.pitch_deg is not None,
        template=f"unseen/{row.template.split('/answers')[0].split('/yes')[0].split('/no/')[0].split('/too_close')[0]}"
        f"/answers/{answer}",
    )
