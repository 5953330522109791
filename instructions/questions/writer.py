"""The questions of a tour: what may be asked, chosen, and put into words, with its twin."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace

from instructions.asking.counts import NotAsked
from instructions.asking.draws import Draw
from instructions.facts.pairs import PairTable
from instructions.facts.things import Thing
from instructions.questions.options import SpatialOptions
from instructions.questions.records import KIND, Reference, SpatialQuestion
from instructions.questions.things.choice import Chooser
from instructions.questions.things.evening import even_out
from instructions.questions.things.truths import Truth
from instructions.questions.things.unseen import ask_unseen
from instructions.questions.things.view_judge import find_truths
from instructions.questions.things.words import Said, compose, draw_wording
from instructions.records import Detection, Observation, SceneObject
from instructions.rows import name_perception, row_id
from instructions.tour import Tour
from instructions.view import SeenThing, View
from recon.findings import Finding
from recon.records import Scene


@dataclass(frozen=True)
class SpatialRows:
    """The rows of a tour, and what became of everything else that could have been asked."""

    rows: tuple[SpatialQuestion, ...]
    """In time order; a twin stands behind its row."""
    not_asked: NotAsked = field(default_factory=Counter)
    findings: tuple[Finding, ...] = ()


def write_questions(
    scene: Scene,
    objects: Sequence[SceneObject],
    observations: Sequence[Observation],
    detections: Sequence[Detection] = (),
    options: SpatialOptions = SpatialOptions(),
    *,
    seed: int = 0,
    exact: bool = False,
) -> SpatialRows:
    """Ask about every view of a tour.

    Args:
        scene: Models with poses.
        objects: Things of all models.
        observations: Which frames see them.
        detections: What the detector found in single frames: anything else that a phrase might mean.
        options: Gates and caps.
        seed: Of every random choice.
        exact: A known world: boxes have no error, and the observations name all that a frame shows.

    Returns:
        Rows in time order, model by model; none, with a finding, where no two things can be asked about. The same for
        the same input and seed, in any process.
    """
    not_asked: NotAsked = Counter()
    rows: list[SpatialQuestion] = []
    findings: list[Finding] = []
    asked_of: list[_Asked] = []
    perception = name_perception(objects)
    tour = Tour(scene, objects, observations, detections, exact=exact)
    for model in scene.models:
        known, faults = tour.know(model), tour.find_faults(model)
        findings += [Finding("warning", "spatial.box", name, f"left out: {fault}") for name, fault in faults.items()]
        pairs, chooser = PairTable(model, tuple(known.values())), Chooser(options.choice, not_asked)
        asked_of.append(_Asked(model.name, known, tour.views(model)))
        for view in tour.views(model):
            found = find_truths(view, pairs, options.gates)
            not_asked.update(found.not_asked)
            draw = Draw(seed, scene.id, KIND, model.name, view.frame)
            asker = _Asker(scene.id, view, perception, seed, not_asked)
            for truth in chooser.choose(view, found.truths, draw):
                rows += asker.ask(truth)
    rows = even_out(rows, not_asked, halves=options.choice.halves)
    for one in asked_of:
        mine = [row for row in rows if row.model == one.model]
        share = options.choice.unseen_share
        rows += ask_unseen(one.views, one.known, mine, options.gates, share, seed=seed, exact=exact)
    order = {one.model: place for place, one in enumerate(asked_of)}
    rows.sort(key=lambda row: (order[row.model], row.views))  # stable: a twin stays behind its row
    return SpatialRows(tuple(rows), not_asked, tuple(findings))


@dataclass(frozen=True, eq=False)
class _Asked:
    """What was asked about in a model."""

    model: str
    known: Mapping[str, Thing]
    views: Sequence[View]


@dataclass(eq=False)
class _Asker:
    """Puts truths of one view into rows."""

    tour: str
    view: View
    perception: str
    seed: int
    not_asked: NotAsked
    _texts: set[str] = field(default_factory=set)

    def ask(self, truth: Truth) -> list[SpatialQuestion]:
        """The row, and its twin; none if the view has the same question."""
        # Not by frame: the same question of the same things has the same words from wherever it is asked.
        named = sorted(one.id for one in truth.things)
        draw = Draw(self.seed, self.tour, KIND, self.view.model.name, truth.type.name, *named)
        for _ in range(_TRIES):
            wording, spoken = draw_wording(truth, draw)
            said = compose(truth, wording, spoken, draw)
            twin = compose(truth, wording, None, draw, swapped=True) if truth.type.has_twin else None
            texts = {said.question} | ({twin.question} if twin else set())
            if len(texts) == (2 if twin else 1) and not texts & self._texts:
                self._texts |= texts
                break
        else:
            self.not_asked[truth.type.name, "doubled"] += 1
            return []
        references = tuple(
            _reference(one, naming.text, naming.clause) for one, naming in zip(truth.things, wording.names, strict=True)
        )
        row = self._row(truth, said, references)
        if twin is None:
            return [row]
        other = self._row(truth, twin, tuple(reversed(references)))
        return [replace(row, twin=other.id), replace(other, twin=row.id)]

    def _row(self, truth: Truth, said: Said, references: tuple[Reference, ...]) -> SpatialQuestion:
        model, kind = self.view.model, truth.type
        named = [reference.object for reference in references]
        about = row_id(self.view.frame, kind.name, *named, said.template.split("/questions", 1)[0], said.question)
        return SpatialQuestion(
            id=f"{self.tour}_m{model.name}_q{about}",
            tour=self.tour,
            model=model.name,
            views=(self.view.frame,),
            scale_status=model.scale.status,
            perception=self.perception,
            writer="embedded",
            seed=self.seed,
            accepted=True,
            type=kind.name,
            family=kind.family,
            level=kind.level,
            references=references,
            question=said.question,
            answer=said.answer,
            form=kind.form,
            truth=said.truth,
            measured=truth.measured,
            said=said.said,
            choices=said.choices,
            correct=said.correct,
            evidence=truth.evidence,
            twin=None,
            group=row_id(self.tour, model.name, kind.name, *(named if kind.has_twin else sorted(named))),
            upright=self.view.viewer.pitch_deg is not None,
            template=said.template,
        )


_TRIES = 4


def _reference(one: SeenThing, text: str, clause: str | None) -> Reference:
    phrase = text.removesuffix(f" {clause}") if clause else text
    return Reference(one.id, phrase, clause, one.known.thing.category, one.box, one.seen.mask)


def find_silence(scene: Scene, rows: Collection[SpatialQuestion], not_asked: NotAsked) -> list[Finding]:
    """The finding that nothing could be asked about any view, with the most frequent reasons."""
    if rows or not scene.models:
        return []
    reasons: Counter[str] = Counter()
    for (_, reason), count in not_asked.items():
        reasons[reason] += count
    told = ", ".join(f"{reason} {count}" for reason, count in reasons.most_common(3)) or "no view shows a thing"
    return [Finding("warning", "spatial.none", scene.id, f"nothing could be asked about any view: {told}")]
