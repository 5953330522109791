"""Questions without names about a tour: what is asked of each view, in words, with twins, and evened out."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace

import numpy as np

from instructions.asking.counts import NotAsked
from instructions.asking.draws import Draw
from instructions.questions.core.options import MarkOptions
from instructions.questions.core.records import SPATIAL, Mark, Question, Reference
from instructions.questions.core.view_sets import Refused, require
from instructions.questions.marks.families import Found, MarkType, Start
from instructions.questions.marks.picture import lay_flat
from instructions.questions.marks.spots import SpotTour, SpotView
from instructions.questions.quality.evening import even_answers, list_options, offer_what_occurs
from instructions.questions.registry import MARK_TYPES, PICTURE_TYPES
from instructions.questions.wording.words import name_spoken, say_measured
from instructions.records import Detection
from instructions.rows import row_id
from instructions.wording.english import capital
from recon.records import Scene

SPAN_S, MOST_SPANS = 1 / 3, 3
"""Seconds between frames as they are sampled by default, and times as many rows a frame has at most where there are
fewer: with one picture a second, as many rows a minute as with three."""
PERCEPTION = "none"
"""Nothing had to know a thing for these rows."""


def write_mark_questions(
    scene: Scene,
    detections: Sequence[Detection] = (),
    options: MarkOptions = MarkOptions(),
    *,
    seed: int = 0,
    not_asked: NotAsked,
    types: Iterable[MarkType] = tuple(MARK_TYPES.values()),
) -> list[Question]:
    """Ask about every frame with a pose; what is left of the rows of imported pictures asks of them as pictures.

    Args:
        scene: Models with poses and tracks.
        detections: Of all frames; their boxes tell which surfaces are glass, mirrors or alive.
        options: How much is asked.
        seed: Of every random choice.
        not_asked: Counts, by type and reason, the views that got no question of a type that was tried.
        types: That are asked of models.

    Returns:
        Rows by model and in time order of their first view; a twin stands behind its row.
    """
    rows: list[Question] = []
    asked = [(model, tuple(types)) for model in scene.models]
    if scene.is_pictures:
        asked += [(lay_flat(scene, frame, seed), tuple(PICTURE_TYPES.values())) for frame in scene.frames]
    taken: Counter[int] = Counter()
    for model, own in asked if options.rows_per_view else ():
        tour = SpotTour(scene, model, detections, seed)
        maker = _Maker(tour)
        # A sparse film shows as much by fewer frames, each of which stands for a longer part of the walk.
        times_s = [view.time_s for view in tour.views.values()]
        between_s = float(np.median(np.diff(times_s))) if len(times_s) > 1 else 0.0
        most = options.rows_per_view * min(max(round(between_s / SPAN_S), 1), MOST_SPANS)
        for view in tour.views.values():
            found = maker.ask_about(view, own, most - taken[view.frame], not_asked)
            if scene.is_pictures:
                taken[view.frame] += len(found)
            rows += found
    fitted = {kind.name for _, own in asked for kind in own if kind.offers_what_occurs}
    return offer_what_occurs(even_answers(rows, not_asked), fitted, not_asked)


@dataclass(eq=False)
class _Maker:
    """Makes the rows of one model, every type as often as its views allow."""

    tour: SpotTour
    _asked: Counter[str] = field(default_factory=Counter)
    _done: set[tuple[object, ...]] = field(default_factory=set)

    def ask_about(self, view: SpotView, kinds: Sequence[MarkType], most: int, not_asked: NotAsked) -> list[Question]:
        """The rows that begin with a view: of the types asked least so far, until there are `most`."""
        tour = self.tour
        about = (tour.seed, tour.scene.id, SPATIAL, tour.model.name, view.frame)
        lot = Draw(*about, "types")
        rows: list[Question] = []
        for kind in sorted(kinds, key=lambda one: (self._asked[one.name], lot.uniform())):
            if len(rows) >= most:
                break
            draw = Draw(*about, kind.name)
            try:
                require(tour.has_scale or not kind.metric, "no_scale")
                require((tour.is_upright and view.viewer.has_sides) or not kind.upright, "not_upright")
                found = kind.find(Start(tour, view, draw))
                both = [one for one in (found, found.twin) if one is not None]
                keys = {(kind.name, one.views, frozenset(spot.point for spot in one.marks)) for one in both}
                require(self._done.isdisjoint(keys), "doubled")
            except Refused as refused:
                not_asked[kind.name, str(refused)] += 1
                continue
            self._done |= keys
            mine = self._write(kind, found, draw)
            self._asked[kind.name] += len(mine)
            rows += mine
        return rows

    def _write(self, kind: MarkType, found: Found, draw: Draw) -> list[Question]:
        question = draw.shorter(kind.questions)
        row = self._row(kind, found, question, draw)
        if found.twin is None:
            return [row]
        twin = self._row(kind, found.twin, question, draw)
        return [replace(row, twin=twin.id), replace(twin, twin=row.id)]

    def _row(self, kind: MarkType, found: Found, question: int, draw: Draw) -> Question:
        tour = self.tour
        key = found.truth if found.truth in kind.answers else "answer"
        answer = draw.shorter(kind.answers[key])
        spoken = say_measured(found.measured, draw) if kind.form == "number" and found.measured else None
        words = {**found.words, "choices": list_options(found.choices), "truth": found.truth}
        words |= {"q": spoken.text} if spoken is not None else {}
        words |= {name.capitalize(): capital(words[name]) for name in ("truth", "q") if name in words}
        names = [f"point {spot.point}" for spot in found.marks]
        references = tuple(
            Reference(
                name, f"mark {at}", None, spot.frame, None, None, Mark(at, (round(spot.xy[0], 2), round(spot.xy[1], 2)))
            )
            for at, (name, spot) in enumerate(zip(names, found.marks, strict=True), start=1)
        )
        about = row_id(*found.views, kind.name, *names, question)
        correct = found.choices.index(found.truth) if found.truth in found.choices else None
        return Question(
            id=f"{tour.scene.id}_m{tour.model.name}_q{about}",
            tour=tour.scene.id,
            model=tour.model.name,
            views=found.views,
            scale_status=tour.model.scale.status,
            perception=PERCEPTION,
            writer="embedded",
            seed=tour.seed,
            accepted=True,
            type=kind.name,
            family=kind.family,
            level=kind.level,
            medium="image" if len(found.views) == 1 else "images",
            references=references,
            question=kind.questions[question].format_map(words),
            answer=capital(kind.answers[key][answer].format_map(words)),
            form=kind.form,
            truth=float(found.truth) if kind.form == "number" else found.truth,
            truth_source="measures",
            answer_unit=found.measured.unit if found.measured else "",
            measured=found.measured,
            said=name_spoken(found.measured, spoken) if found.measured and spoken else None,
            choices=found.choices,
            correct=correct,
            evidence=found.evidence,
            upright=tour.is_upright,
            group=row_id(tour.scene.id, tour.model.name, kind.name, *names, *(() if names else found.views)),
            template=f"{kind.name}/questions/{question}/{key}/{answer}",
        )
