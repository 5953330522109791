"""Questions whose right answer is that a thing is out of view: asked elsewhere in the same words, and answered there.

Each repeats a question of the same tour at a view that shows one of the two things and surely not the other. So every
such text has an answer in one picture and none in another, and no wording or name tells which.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

from instructions.asking.absence import Absence
from instructions.asking.bars import GateOptions
from instructions.asking.draws import Draw
from instructions.facts.measured import Measured
from instructions.facts.things import Thing
from instructions.questions.records import KIND, NOT_VISIBLE, SpatialQuestion
from instructions.questions.things.words import templates_of
from instructions.questions.types import TYPES
from instructions.rows import row_id
from instructions.view import SeenThing, View
from instructions.wording.english import fill, is_plural


def ask_unseen(
    views: Sequence[View],
    known: Mapping[str, Thing],
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
    absence = Absence.of(views, known, exact=exact)
    taken = {(row.views[0], row.question) for row in rows}
    wanted = round(share * len(rows))
    out: list[SpatialQuestion] = []
    for row in sorted(filter(_may_repeat, rows), key=lambda row: row.id[-16:]):
        if len(out) >= wanted:
            break
        draw = Draw(seed, row.tour, KIND, "unseen", row.id)
        place = int(draw.uniform() < 0.5)
        shown, gone = row.references[place], row.references[1 - place]
        for view, one in absence.find_views(shown.object, shown.phrase, gone.phrase, bars, draw):
            if (view.frame, row.question) not in taken:
                taken.add((view.frame, row.question))
                out.append(_repeat(row, view, one, place, known[gone.object], draw))
                break
    return sorted(out, key=lambda row: row.views)


def _may_repeat(row: SpatialQuestion) -> bool:
    kind = TYPES[row.type]
    plain = all(one.clause is None and one.category is not None for one in row.references)
    return kind.objects == 2 and plain and not kind.supposes and kind.family != "stands_on"


def _repeat(row: SpatialQuestion, view: View, one: SeenThing, place: int, gone: Thing, draw: Draw) -> SpatialQuestion:
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
