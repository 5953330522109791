"""Truths as rows: words, options, references, and the twin.

Of the options of a multiple choice each wrong one is false by computation, and the place of the right one says nothing.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import asdict, dataclass, field, replace
from itertools import permutations
from math import ceil
from typing import Any

from instructions.asking.counts import NotAsked
from instructions.asking.draws import Draw
from instructions.asking.names import Naming
from instructions.questions.core.records import PROGRAMS, SPATIAL, Mark, Question, Reference
from instructions.questions.core.view_sets import Truth, ViewSet
from instructions.questions.core.world import Given, ProgramScene
from instructions.questions.wording.words import Said, compose, draw_wording, plain_value
from instructions.rows import row_id

MOST_OPTIONS = 4
LEAST_SHARE = 0.25
"""Wrong numbers differ by so much from the truth and from each other, as a share of the greater."""
LEAST_SIGMAS = 3.0
_SPREAD = 0.5
"""Steps between options are up to this share wider than they must be."""
_MOST_SHARE = 0.6
"""A number that is less sure leaves no wrong one that anybody would believe."""
_ABOUT_TIME = ("appearance_order", "vsi_appearance_order", "temporal_sequence", "in_frame")
_TRIES = 4
_SHARES = {"always": 1.0, "never": 0.0}
"""Of rows with options, for types whose definition says so."""


def draw_options(truth: Truth, draw: Draw) -> tuple[tuple[str, ...], int] | None:
    """Values to choose from and the place of the right one, or None where no honest options can be given.

    Values are written as `Truth.value` is, lists joined by commas. Two to four; every place is equally likely.
    """
    form = truth.kind.form
    if form == "number":
        return _draw_numbers(truth, draw)
    if form == "thing":
        others = [candidate for candidate in _candidates(truth) if candidate != truth.value]
    elif form == "label":
        others = [one for one in truth.kind.labels_of(truth.given) if one != truth.value]
    elif form == "order" and isinstance(truth.value, tuple):
        others = [",".join(permutation) for permutation in permutations(truth.value) if permutation != truth.value]
    else:
        return None
    right = ",".join(truth.value) if isinstance(truth.value, tuple) else str(truth.value)
    wrong = draw.take(others, MOST_OPTIONS - 1)
    place = int(draw.uniform() * (len(wrong) + 1))
    return (*wrong[:place], right, *wrong[place:]), place


def _candidates(truth: Truth) -> tuple[str, ...]:
    """Things that the question names as possible answers."""
    if truth.candidates:
        return truth.candidates
    return truth.things[1:] if "relative_distance" in truth.kind.name else truth.things


def _draw_numbers(truth: Truth, draw: Draw) -> tuple[tuple[str, ...], int] | None:
    if truth.measured is None:
        return None
    value, sigma = truth.measured.value, truth.measured.sigma
    count = 2 + int(draw.uniform() * (MOST_OPTIONS - 1))
    rank = int(draw.uniform() * count)
    if truth.kind.unit == "":
        return _draw_counts(round(value), count, rank, draw)
    share = max(LEAST_SHARE, LEAST_SIGMAS * sigma / value)
    if share >= _MOST_SHARE:
        return None
    step = 1.0 / (1.0 - share) * (1.0 + _SPREAD * draw.uniform())
    return _shuffle([f"{value * step ** (at - rank):.6g}" for at in range(count)], rank, draw)


def _draw_counts(value: int, count: int, rank: int, draw: Draw) -> tuple[tuple[str, ...], int] | None:
    step = max(1, ceil(LEAST_SHARE * (value + 3)))
    if value - (MOST_OPTIONS - 1) * step < 1:
        return None  # not every rank is possible, so the rank would tell
    return _shuffle([str(value + (at - rank) * step) for at in range(count)], rank, draw)


def _shuffle(values: list[str], right: int, draw: Draw) -> tuple[tuple[str, ...], int]:
    out = draw.take(values, len(values))
    return tuple(out), out.index(values[right])


@dataclass(eq=False)
class RowMaker:
    """Puts truths of one set of views into rows."""

    tour: str
    perception: str
    seed: int
    not_asked: NotAsked
    scene: ProgramScene | None = None
    """As reference programs see the views: when each thing is first shown."""
    share: float = 0.0
    """Of rows with options, for types that leave it open."""
    letters: Counter[tuple[int, int]] = field(default_factory=Counter)
    """How often each place was right, by number of options: one counter for all sets of views of a tour."""
    _texts: set[tuple[str, tuple[str, ...]]] = field(default_factory=set)
    """Questions so far, with the things that are marked in their pictures."""

    def ask(self, truth: Truth) -> list[Question]:
        """The row, and its twin; none if the views have the same question."""
        draw = Draw(self.seed, self.tour, *_tell_lot(truth))
        share = _SHARES.get(truth.kind.options, self.share)
        options = draw_options(truth, draw) if share and draw.uniform() < share else None
        choices = self._even_letters(*options, draw) if options else ()
        asked = [(truth, choices)]
        if truth.twin is not None:
            turned = replace(truth, things=truth.things[::-1], value=truth.twin)
            # A and B change places in a choice between the two; labels stay.
            swap = dict(zip(truth.things, turned.things, strict=True)) if truth.kind.form == "thing" else {}
            asked.append((turned, tuple(swap.get(choice, choice) for choice in choices)))
        reason = "same_name"
        for _ in range(_TRIES):
            wording = draw_wording(truth, draw)
            if wording is None:
                continue
            reason = "doubled"
            names = dict(zip(truth.things, wording.names, strict=True))
            told = [compose(one, names, wording, draw, values) for one, values in asked]
            drawn = tuple(thing for thing, one in names.items() if one.mark is not None)
            texts = {(said.question, drawn) for said in told}
            if len(texts) < len(told) or texts & self._texts:
                continue
            self._texts |= texts
            for said in told:
                if choices and said.correct is not None:
                    self.letters[len(choices), said.correct] += 1
            rows = [
                self.make(one, said, [names[thing] for thing in one.things], options=values)
                for (one, values), said in zip(asked, told, strict=True)
            ]
            return [replace(row, twin=twin.id) for row, twin in permutations(rows)] if len(rows) > 1 else rows
        self.not_asked[truth.kind.name, reason] += 1
        return []

    def make(self, truth: Truth, said: Said, names: Sequence[Naming], **more: Any) -> Question:
        """One row; see `make_row`."""
        return make_row(truth, said, names, self.tour, self.perception, self.seed, scene=self.scene, **more)

    def _even_letters(self, options: tuple[str, ...], right: int, draw: Draw) -> tuple[str, ...]:
        """The right option at a letter that was right least often in this tour; by chance among several."""
        count = len(options)
        least = min(self.letters[count, place] for place in range(count))
        free = [place for place in range(count) if self.letters[count, place] == least]
        place, others = draw.pick(free), [one for at, one in enumerate(options) if at != right]
        return (*others[:place], options[right], *others[place:])


def make_row(
    truth: Truth,
    said: Said,
    names: Sequence[Naming],
    tour: str,
    perception: str,
    seed: int,
    *,
    options: tuple[str, ...] = (),
    scene: ProgramScene | None = None,
    **more: Any,
) -> Question:
    """The row of a truth in words; of a twin with its things swapped. The scene tells when things are first shown;
    `more` are fields that differ from those of a row by templates.
    """
    kind, views, model = truth.kind, truth.views, truth.views.model
    value = plain_value(truth.value) if isinstance(truth.value, bool) else truth.value
    first = scene.things if scene is not None and kind.name in _ABOUT_TIME else {}
    shown_first = {name: one.appear[0] for name, one in first.items() if one.appear}
    references = tuple(
        refer(views, name, naming, shown_first.get(name)) for name, naming in zip(truth.things, names, strict=True)
    )
    unit = truth.measured.unit if truth.measured and kind.form == "number" else ""
    row = Question(
        id=_name_row(tour, truth, said.question, said.template),
        tour=tour,
        model=model.name,
        views=views.frames,
        scale_status=model.scale.status,
        perception=perception,
        writer="embedded",
        seed=seed,
        accepted=True,
        type=kind.name,
        family=kind.family,
        level=kind.level,
        medium=views.medium,
        references=references,
        question=said.question,
        answer=said.answer,
        form=kind.form,
        truth=value,
        truth_source=truth.source,
        answer_unit=kind.unit or unit,
        given=list_given(truth.given),
        measured=truth.measured,
        said=said.said,
        choices=said.choices,
        choice_values=options,
        correct=said.correct,
        evidence=truth.evidence,
        group=_name_group(tour, truth),
        upright=all(view.viewer.pitch_deg is not None for view in views.views),
        parts=truth.parts,
        template=said.template,
    )
    return replace(row, **more)


def _name_row(tour: str, truth: Truth, question: str, template: str) -> str:
    """Id of a row; those about single views by measures end in `q` and their number, those by programs in `p`."""
    views, kind = truth.views, truth.kind.name
    if truth.source == "measures":
        about = row_id(views.frames[0], kind, *truth.things, template.split("/questions", 1)[0], question)
        return f"{tour}_m{views.model.name}_q{about}"
    about = row_id(views.medium, *views.frames, kind, *truth.things, *tell_given(truth.given), question)
    return f"{tour}_m{views.model.name}_p{about}"


def _name_group(tour: str, truth: Truth) -> str:
    """What all rows of a tour share that ask this of these things."""
    things = truth.things if truth.kind.has_twin else sorted(truth.things)
    return row_id(tour, truth.views.model.name, truth.kind.name, *things, *tell_given(truth.given))


def _tell_lot(truth: Truth) -> tuple[str | int, ...]:
    """What the choice of words hangs on: of one view not its frame, so that the same question of the same things has
    the same words from wherever it is asked.
    """
    views = truth.views
    if truth.source == "measures":
        return SPATIAL, views.model.name, truth.kind.name, *sorted(truth.things)
    return PROGRAMS, views.medium, *views.frames, truth.kind.name, *truth.things, *tell_given(truth.given)


def refer(views: ViewSet, thing: str, naming: Naming, frame: int | None = None) -> Reference:
    """A thing in a frame, or in the view that shows it best."""
    seen, category = views.seen[thing], views.known[thing].category
    phrase = f"the {naming.phrase}"
    if not seen:
        return Reference(thing, phrase, category, None, None)
    place = views.find_best(thing)[0] if frame is None else views.frames.index(frame)
    one = seen[place]
    mark = None if naming.mark is None else Mark(naming.mark, one.point)
    if one.point is not None:
        return Reference(thing, phrase, category, views.frames[place], None, None, mark)
    return Reference(thing, phrase, category, views.frames[place], one.box, one.mask, mark)


def tell_given(given: Given) -> tuple[str, ...]:
    """What a question asks for, as words that name it."""
    return tuple(f"{name}={value}" for name, value in list_given(given))


def list_given(given: Given) -> tuple[tuple[str, str], ...]:
    """What a question asks for: names and values of what is not empty, numbers in full."""
    values = asdict(given).items()
    return tuple((name, f"{value:g}" if isinstance(value, float) else value) for name, value in values if value)
