"""The questions of a tour about single views: what may be asked, chosen, and put into words, with its twin."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection
from dataclasses import dataclass, field

from instructions.asking.counts import NotAsked
from instructions.asking.draws import Draw
from instructions.facts.pairs import PairTable
from instructions.questions.core.asker import Asker
from instructions.questions.core.options import SpatialOptions
from instructions.questions.core.records import SPATIAL, Question
from instructions.questions.core.view_sets import ViewSet
from instructions.questions.quality.choice import ViewChooser
from instructions.questions.quality.evening import even_answers, even_halves, spread_things
from instructions.questions.quality.unseen import ask_unseen
from instructions.questions.wording.rows import RowMaker
from instructions.rows import name_perception
from instructions.tour import Tour
from recon.findings import Finding


@dataclass(frozen=True)
class QuestionRows:
    """The rows of a tour, and what became of everything else that could have been asked."""

    rows: tuple[Question, ...]
    """Model by model; a twin stands behind its row."""
    not_asked: NotAsked = field(default_factory=Counter)
    findings: tuple[Finding, ...] = ()


def write_questions(tour: Tour, options: SpatialOptions = SpatialOptions()) -> QuestionRows:
    """Ask about every view of a tour, in time order, model by model. The same for the same tour and seed, in any
    process.
    """
    not_asked: NotAsked = Counter()
    rows: list[Question] = []
    findings: list[Finding] = []
    perception = name_perception(tour.objects)
    for model in tour.scene.models:
        faults = tour.find_faults(model)
        findings += [Finding("warning", "spatial.box", name, f"left out: {fault}") for name, fault in faults.items()]
        pairs, chooser = PairTable(model, tuple(tour.know(model).values())), ViewChooser(options.choice, not_asked)
        for view in tour.views(model):
            asker = Asker(ViewSet.of_view(view), pairs, options.gates)
            draw = Draw(tour.seed, tour.id, SPATIAL, model.name, view.frame)
            maker = RowMaker(tour.id, perception, tour.seed, not_asked)
            for truth in chooser.choose(asker, draw):
                rows += maker.ask(truth)
    rows = even_answers(rows, not_asked)
    if options.choice.halves:
        rows = even_halves(rows, not_asked)
    rows = spread_things(rows, tour, options.choice.thing_share, not_asked)
    out: list[Question] = []
    for model in tour.scene.models:
        mine = [row for row in rows if row.model == model.name]
        wanted = round(options.choice.unseen_share * len(mine))
        mine += ask_unseen(tour, model, mine, options.gates, wanted)
        out += sorted(mine, key=lambda row: row.views)  # stable: a twin stays behind its row
    return QuestionRows(tuple(out), not_asked, tuple(findings))


def tell_silence(rows: Collection[Question], not_asked: NotAsked) -> str | None:
    """Why nothing could be asked about any view, with the most frequent reasons; None if something was asked."""
    if rows:
        return None
    reasons: Counter[str] = Counter()
    for (_, reason), count in not_asked.items():
        reasons[reason] += count
    told = ", ".join(f"{reason} {count}" for reason, count in reasons.most_common(3)) or "no view shows a thing"
    return f"nothing could be asked about any view: {told}"
