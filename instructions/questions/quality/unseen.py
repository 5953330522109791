"""Questions whose right answer is that a thing is out of view: asked elsewhere in the same words, and answered there.

Each repeats a question of the same tour at a view that shows one of the two things and surely not the other. So every
such text has an answer in one picture and none in another, and no wording or name tells which.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace

from instructions.asking.bars import GateOptions
from instructions.asking.draws import Draw
from instructions.asking.gates import hide_thing
from instructions.asking.names import fits_phrase, name_things
from instructions.facts.existence import judge_absence
from instructions.facts.things import Thing
from instructions.facts.verdict import Measured
from instructions.questions.core.records import NOT_VISIBLE, SPATIAL, Question, Reference
from instructions.questions.registry import ALL_TYPES
from instructions.questions.wording.templates import templates_of
from instructions.rows import row_id
from instructions.tour import Tour
from instructions.view import SeenThing, View
from instructions.wording.english import fill, head_noun, is_plural
from recon.records import SceneModel

_ANSWERS = ("/answers", "/yes", "/no/", "/too_close")
_NEARBY_M, _NEARBY_DEG = 1.5, 75.0
"""A view this near, turned by less than this, may share a part of its picture."""


def ask_unseen(
    tour: Tour, model: SceneModel, rows: Sequence[Question], bars: GateOptions, wanted: int
) -> list[Question]:
    """Repeat as many questions of a model as wanted, fewer where no view fits, where one of their two things is out of
    view; in time order.
    """
    showing: dict[str, list[View]] = defaultdict(list)
    for view in tour.views(model):
        for one in view.things:
            showing[one.id].append(view)
    known = tour.know(model)
    taken = {(row.views[0], row.question) for row in rows if row.views}
    out: list[Question] = []
    for row in sorted(filter(_may_repeat, rows), key=lambda row: row.id[-16:]):
        if len(out) >= wanted:
            break
        draw = Draw(tour.seed, row.tour, SPATIAL, "unseen", row.id)
        place = int(draw.uniform() < 0.5)
        shown, gone = row.references[place], row.references[1 - place]
        for view, one in _find_views(showing, shown, gone, bars, draw):
            if (view.frame, row.question) not in taken:
                taken.add((view.frame, row.question))
                out.append(_repeat(row, view, one, place, known[gone.object], draw))
                break
    return sorted(out, key=lambda row: row.views)


def _may_repeat(row: Question) -> bool:
    kind = ALL_TYPES[row.type]
    plain = all(reference.mark is None and reference.category is not None for reference in row.references)
    return (
        plain
        and len(row.references) == 2
        and row.medium == "image"
        and not row.is_choice
        and not kind.supposes
        and kind.family != "stands_on"
    )


def _repeat(row: Question, view: View, one: SeenThing, place: int, gone: Thing, draw: Draw) -> Question:
    """The row at another view, with the answer that a thing is not there; `place` is that of the thing in view."""
    shown, absent = row.references[place], row.references[1 - place]
    answers = templates_of("unseen")["answers"]
    answer = draw.shorter(answers)
    things = {"A": (shown.phrase, is_plural(shown.phrase)), "B": (absent.phrase, is_plural(absent.phrase))}
    seen = replace(shown, frame=view.frame, box_xyxy=one.box, mask=one.seen.mask)
    unseen = replace(absent, frame=None, box_xyxy=None, mask=None)
    bearing = Measured("bearing of what is out of view", view.viewer.measure_bearing_deg(gone.body.center), "deg", 0.0)
    about = row_id(view.frame, "unseen", row.type, *(reference.object for reference in row.references), row.question)
    kind = ALL_TYPES["unseen"]
    return replace(
        row,
        id=f"{row.id[:-16]}{about}",
        views=(view.frame,),
        type=kind.name,
        family=kind.family,
        level=kind.level,
        references=(seen, unseen) if place == 0 else (unseen, seen),
        answer=fill(answers[answer], things, {}),
        form=kind.form,
        truth=NOT_VISIBLE,
        answer_unit="",
        measured=None,
        said=None,
        choices=(),
        correct=None,
        evidence=(bearing,),
        twin=None,
        upright=view.viewer.pitch_deg is not None,
        template=f"unseen/{cut_answer(row.template)}/answers/{answer}",
    )


def cut_answer(template: str) -> str:
    """The name of a template without the list and place of its answer, which tell what is true."""
    for part in _ANSWERS:
        template = template.split(part)[0]
    return template


def _find_views(
    showing: Mapping[str, Sequence[View]], shown: Reference, gone: Reference, bars: GateOptions, draw: Draw
) -> Iterator[tuple[View, SeenThing]]:
    """Views that plainly show one thing under its phrase, and surely nothing that the phrase of what is gone may mean,
    in their order from a drawn one on; `showing` are the views that see a thing.
    """
    views = showing.get(shown.object, ())
    start = int(draw.uniform() * len(views))
    for view in (*views[start:], *views[:start]):
        one = next(thing for thing in view.things if thing.id == shown.object)
        if not _is_absent(view, gone.phrase.removeprefix("the "), showing):
            continue
        names = name_things(view, one, "none")
        is_called = not isinstance(names, str) and any(naming.text == shown.phrase for naming in names)
        if is_called and hide_thing(one, view.size, view.model.nominal_metre, bars) is None:
            yield view, one


def _is_absent(view: View, phrase: str, showing: Mapping[str, Sequence[View]]) -> bool:
    """Whether surely nothing that the phrase may mean is in the picture: no thing, no detection, no place of a thing.
    Nor may a view from about here see such a thing: boxes are often too small, and a corner of it may stick in.
    """
    told = [name for thing in view.things for name in (thing.alias, thing.category, thing.label) if name]
    told += [rival.words for rival in view.rivals]
    if any(fits_phrase(phrase, words) for words in told):
        return False
    if view.is_exact:
        return True
    shown = {head_noun(words) for words in told}
    if judge_absence(phrase, shown, is_looked_for=True, is_detected=True).state is not True:
        return False
    near = _NEARBY_M * view.model.nominal_metre
    return all(
        other.id in view.elsewhere
        and not any(one.standpoint.is_near(view.standpoint, near, _NEARBY_DEG) for one in showing.get(other.id, ()))
        for other in view.others
        if fits_phrase(phrase, other.alias) or fits_phrase(phrase, other.category or other.alias)
    )
