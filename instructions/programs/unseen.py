"""Questions that a view may not be able to answer: the same words where the thing is in view, and where it is not.

Each takes a row that asks on which side of another a thing is, offers `out of view` as a third answer, and asks it
again in the same words at a view that surely shows nothing the phrase may mean. So every such text is answered with a
side in one picture and with `out of view` in another, and no wording or name tells which.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import replace
from itertools import permutations

from instructions.asking.absence import Absence
from instructions.asking.bars import GateOptions
from instructions.asking.draws import Draw
from instructions.facts.measured import Measured
from instructions.facts.things import Thing
from instructions.programs.choices import LETTERS
from instructions.programs.records import KIND, ProgramQuestion
from instructions.programs.types import SIDES
from instructions.programs.words import templates_of
from instructions.rows import row_id
from instructions.view import View
from instructions.wording.english import fill, is_plural

NAME = "unseen"
OUT_OF_VIEW = "out of view"
OPTIONS = (*SIDES, OUT_OF_VIEW)
_ASKED = "camera_direction_simple"


def ask_unseen(
    views: Sequence[View],
    known: Mapping[str, Thing],
    rows: Sequence[ProgramQuestion],
    bars: GateOptions,
    most: int,
    letters: Counter[tuple[int, int]],
    *,
    seed: int,
    exact: bool,
) -> list[ProgramQuestion]:
    """Pairs of rows of a model: answered where the thing is in view, and where it is not.

    Args:
        views: Of the model.
        known: Its things.
        rows: That were asked of it.
        bars: Of the gates, for the other thing, which is in view both times.
        most: Pairs wanted; there are fewer where no view fits.
        letters: How often each place was right in the tour, by number of options; counted on.
        seed: Of every random choice.
        exact: The observations name everything that a frame shows.

    Returns:
        A row and its partner one after the other.
    """
    absence = Absence.of(views, known, exact=exact)
    out: list[ProgramQuestion] = []
    asked: set[tuple[str, str]] = set()
    for row in sorted(filter(_may_repeat, rows), key=lambda row: row.id[-16:]):
        if len(out) >= 2 * most:
            break
        gone, shown = row.references
        if (gone.object, shown.object) in asked:
            continue
        draw = Draw(seed, row.tour, KIND, NAME, row.id)
        for view, one in absence.find_views(shown.object, shown.phrase, gone.phrase, bars, draw):
            if view.frame not in row.views:
                asked |= {(gone.object, shown.object), (shown.object, gone.object)}
                bearing = view.viewer.measure_bearing_deg(known[gone.object].body.center)
                out += _make_pair(row, view, one.box, bearing, letters, draw)
                break
    return out


def _may_repeat(row: ProgramQuestion) -> bool:
    plain = all(one.clause is None and one.category is not None for one in row.references)
    return row.type == _ASKED and row.truth in SIDES and plain


def _make_pair(
    row: ProgramQuestion,
    view: View,
    box: tuple[float, float, float, float],
    bearing_deg: float,
    letters: Counter[tuple[int, int]],
    draw: Draw,
) -> list[ProgramQuestion]:
    """The row with a third option, and the same at a view that does not show its first thing."""
    gone, shown = row.references
    templates = templates_of(_ASKED)["questions"]
    number = draw.shorter(templates)
    slots = {slot: (one.phrase, is_plural(one.phrase)) for slot, one in zip("AB", row.references, strict=True)}
    order = min(
        permutations(OPTIONS),
        key=lambda one: (sum(letters[3, one.index(said)] for said in (row.truth, OUT_OF_VIEW)), draw.uniform()),
    )
    listed = "".join(f"\n{letter}. {said}" for letter, said in zip(LETTERS, order, strict=False))
    question = fill(templates[number], slots, {"labels": f"{SIDES[0]}, {SIDES[1]} or {OUT_OF_VIEW}"}) + listed

    def make(said: str, frames: tuple[int, ...]) -> ProgramQuestion:
        place = order.index(said)
        letters[3, place] += 1
        about = row_id(row.medium, *frames, NAME, gone.object, shown.object, question)
        return replace(
            row, id=f"{row.tour}_m{row.model}_p{about}", views=frames, type=NAME, category=NAME, question=question,
            answer=f"{LETTERS[place]}. {said}", truth=said, choices=order, choice_values=order, correct=place,
            twin=None, template=f"{NAME}/questions/{number}/options",
        )  # fmt: skip

    told = make(str(row.truth), row.views)
    absent = replace(
        make(OUT_OF_VIEW, (view.frame,)),
        references=(replace(gone, frame=None, box_xyxy=None), replace(shown, frame=view.frame, box_xyxy=box)),
        evidence=(Measured("bearing of what is out of view", bearing_deg, "deg", 0.0),),
    )
    return [told, absent]
