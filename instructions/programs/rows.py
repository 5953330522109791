"""Truths of one set of views as rows: words, options, references, and the twin."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field, replace

import numpy as np

from instructions.asking.counts import NotAsked
from instructions.asking.draws import Draw
from instructions.asking.names import Naming
from instructions.facts.measured import Measured
from instructions.programs.choices import draw_options, place_right
from instructions.programs.judge.asker import SetAsker
from instructions.programs.judge.truths import Truth
from instructions.programs.records import KIND, ProgramQuestion, Reference, spell_category
from instructions.programs.reference import analyse
from instructions.programs.seen_names import find_seen_names, name_seers
from instructions.programs.steps import find_steps, round_steps, say_step
from instructions.programs.types import ProgramType
from instructions.programs.words import Said, compose, draw_wording, templates_of
from instructions.programs.world import Given, Value
from instructions.rows import row_id
from instructions.wording.english import fill

_TRIES = 4
_SHARES = {"always": 1.0, "never": 0.0}
"""Of rows with options, for types whose definition says so."""
STEPS = ProgramType(
    "steps", ("video",), "text", (0, 0), "", "none", "Turns and distances from the first view to the last, in order."
)
"""The way of the camera. Its truth are the steps in words, and `evidence` has their sums."""


@dataclass(eq=False)
class RowMaker:
    """Puts truths of one set of views into rows."""

    tour: str
    asker: SetAsker
    perception: str
    seed: int
    share: float
    """Of rows with options, for types that leave it open."""
    not_asked: NotAsked
    letters: Counter[tuple[int, int]] = field(default_factory=Counter)
    """How often each place was right, by number of options: one counter for all sets of views of a tour."""
    _texts: set[str] = field(default_factory=set)

    def ask(self, truth: Truth) -> list[ProgramQuestion]:
        """The row, and its twin; none if the views have the same question."""
        views = truth.views
        draw = Draw(
            self.seed,
            self.tour,
            KIND,
            views.medium,
            *views.frames,
            truth.kind.name,
            *truth.things,
            *tell_given(truth.given),
        )
        share = _SHARES.get(truth.kind.options, self.share)
        options = draw_options(truth, draw) if draw.uniform() < share else None
        choices, correct = self._even_letters(*options, draw) if options else ((), None)
        swapped = (truth.things[1], truth.things[0]) if truth.kind.has_twin else ()
        other = analyse(truth.kind.name, swapped, self.asker.scene, truth.given) if swapped else truth.value
        twin_choices = _swap_options(choices, truth) if swapped else ()
        reason = "same_name"
        for _ in range(_TRIES):
            wording = draw_wording(truth, draw)
            if wording is None:
                continue
            reason = "doubled"
            said = compose(truth, wording, truth.value, truth.things, draw, choices)
            twin = compose(truth, wording, other, swapped, draw, twin_choices) if swapped else None
            texts = {said.question} | ({twin.question} if twin else set())
            if len(texts) < (2 if twin else 1) or texts & self._texts:
                continue
            self._texts |= texts
            if correct is not None:
                self.letters[len(choices), correct] += 1
            row = self._row(truth, truth.things, truth.value, said, wording.names, choices, correct)
            if twin is None:
                return [row]
            names = (wording.names[1], wording.names[0])
            place = twin_choices.index(_option(other)) if choices else None
            if place is not None:
                self.letters[len(choices), place] += 1
            second = self._row(truth, swapped, other, twin, names, twin_choices, place)
            return [replace(row, twin=second.id), replace(second, twin=row.id)]
        self.not_asked[truth.kind.name, reason] += 1
        return []

    def _even_letters(self, options: tuple[str, ...], right: int, draw: Draw) -> tuple[tuple[str, ...], int]:
        """The right option at a letter that was right least often in this tour; by chance among several."""
        count = len(options)
        least = min(self.letters[count, place] for place in range(count))
        free = [place for place in range(count) if self.letters[count, place] == least]
        place = free[int(draw.uniform() * len(free))]
        return place_right(options, right, place), place

    def ask_steps(self, draw: Draw) -> list[ProgramQuestion]:
        """How the camera gets from the first view to the last; none without metres."""
        views = self.asker.views
        if not self.asker.has_scale:
            self.not_asked["steps", "no_scale"] += 1
            return []
        if views.model.scale.sigma > self.asker.bars.relative_sigma_bar:
            self.not_asked["steps", "uncertain"] += 1
            return []
        frames = views.model.frames
        poses = list(views.model.world_from_cam.values())
        ahead = np.array([pose.forward for pose in poses])
        heading = np.degrees(np.arctan2(ahead[:, 1], ahead[:, 0]))
        stops = [frames.index(frame) for frame in views.frames]
        steps = round_steps(find_steps(views.model.centers[:, :2], heading, stops))
        if not steps:
            self.not_asked["steps", "out_of_range"] += 1
            return []
        lists = templates_of("steps")
        question, answer = draw.shorter(lists["questions"]), draw.shorter(lists["answers"])
        told = tuple(say_step(*step) for step in steps)
        said = Said(
            lists["questions"][question],
            fill(lists["answers"][answer], {}, {"q": ", then ".join(told)}),
            f"steps/questions/{question}/answers/{answer}",
        )
        whole = sum(distance for _, distance in steps)
        turn = float(sum(turn for turn, _ in steps))
        evidence = (
            Measured("way", whole, "m", whole * views.model.scale.sigma),
            Measured("turn", turn, "deg", 0.0),
        )
        truth = Truth(STEPS, views, (), (), Given(), told, None, evidence)
        return [self._row(truth, (), told, said, (), (), None)]

    def _row(
        self,
        truth: Truth,
        things: Sequence[str],
        value: Value,
        said: Said,
        names: Sequence[Naming],
        options: tuple[str, ...],
        correct: int | None,
    ) -> ProgramQuestion:
        kind, views, model = truth.kind, truth.views, truth.views.model
        about = row_id(views.medium, *views.frames, kind.name, *things, *tell_given(truth.given), said.question)
        return ProgramQuestion(
            id=f"{self.tour}_m{model.name}_p{about}",
            tour=self.tour,
            model=model.name,
            views=views.frames,
            scale_status=model.scale.status,
            perception=name_seers(self.perception, find_seen_names(views.seen_names, things, names)),
            writer="embedded",
            seed=self.seed,
            accepted=True,
            type=kind.name,
            category=spell_category(kind.name),
            medium=views.medium,
            question=said.question,
            answer=said.answer,
            form=kind.form,
            truth=value,
            truth_source=truth.source,
            answer_unit=kind.unit,
            given=tuple(_pairs(truth.given)),
            references=tuple(self._refer(name, naming, truth) for name, naming in zip(things, names, strict=True)),
            measured=truth.measured,
            choices=said.choices,
            choice_values=options,
            correct=correct,
            evidence=truth.evidence,
            parts=truth.parts,
            template=said.template,
        )

    def _refer(self, name: str, naming: Naming, truth: Truth) -> Reference:
        """The view that shows a thing best; the first one, where the question is about time."""
        seen = truth.views.seen[name]
        phrase = f"the {naming.phrase}"
        thing = truth.views.known[name].thing
        if not seen:
            return Reference(name, phrase, naming.clause, thing.category, None, None)
        place = max(seen, key=lambda at: (seen[at].seen.visible_fraction, _area(seen[at].box), -at))
        shown = self.asker.scene.things[name].appear
        if truth.kind.name in _ABOUT_TIME and shown:
            place = truth.views.frames.index(shown[0])
        return Reference(name, phrase, naming.clause, thing.category, truth.views.frames[place], seen[place].box)


_ABOUT_TIME = ("appearance_order", "vsi_appearance_order", "temporal_sequence", "in_frame")


def tell_given(given: Given) -> tuple[str, ...]:
    """What a question asks for, as words that name it."""
    return tuple(f"{name}={value}" for name, value in _pairs(given))


def _pairs(given: Given) -> list[tuple[str, str]]:
    values = {"side": given.side, "word": given.word, "sense": given.sense, "category": given.category}
    out = [(name, value) for name, value in values.items() if value]
    return out + ([("within_m", f"{given.within_m:g}")] if given.within_m else [])


def _option(value: Value) -> str:
    return ",".join(value) if isinstance(value, tuple) else str(value)


def _swap_options(options: tuple[str, ...], truth: Truth) -> tuple[str, ...]:
    """A and B change places in a choice between the two; labels stay."""
    if truth.kind.form != "thing":
        return options
    swap = {truth.things[0]: truth.things[1], truth.things[1]: truth.things[0]}
    return tuple(swap[one] for one in options)


def _area(box: tuple[float, float, float, float]) -> float:
    return (box[2] - box[0]) * (box[3] - box[1])
