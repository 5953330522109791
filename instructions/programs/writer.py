"""The questions of a tour about images, sets of images and videos: what may be asked, chosen, and put into words."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from instructions.asking.counts import NotAsked
from instructions.asking.draws import Draw
from instructions.facts.pairs import PairTable
from instructions.programs.choice import Chooser
from instructions.programs.compound import find_compounds
from instructions.programs.judge.asker import SetAsker, Surroundings
from instructions.programs.judge.families import find_truths, types_of
from instructions.programs.options import ProgramOptions
from instructions.programs.records import KIND, ProgramQuestion
from instructions.programs.rows import RowMaker
from instructions.programs.seen_names import SeenName
from instructions.programs.unseen import ask_unseen
from instructions.programs.view_sets import choose_view_sets
from instructions.records import Detection, Observation, SceneObject
from instructions.rows import name_perception
from instructions.tour import Tour
from recon.findings import Finding
from recon.records import Scene


@dataclass(frozen=True)
class ProgramRows:
    """The rows of a tour, and what became of everything else that could have been asked."""

    rows: tuple[ProgramQuestion, ...]
    """Model by model, images first; a twin stands behind its row."""
    not_asked: NotAsked = field(default_factory=Counter)
    findings: tuple[Finding, ...] = ()


def write_questions(
    scene: Scene,
    objects: Sequence[SceneObject],
    observations: Sequence[Observation],
    detections: Sequence[Detection] = (),
    surroundings: Mapping[str, Surroundings] = {},
    options: ProgramOptions = ProgramOptions(),
    *,
    seed: int = 0,
    exact: bool = False,
    seen_names: Mapping[str, SeenName] = {},
) -> ProgramRows:
    """Ask about images, sets of images and the video of every model of a tour.

    Args:
        scene: Models with poses.
        objects: Things of all models.
        observations: Which frames see them.
        detections: What the detector found in single frames: anything else that a phrase might mean.
        surroundings: Rooms by model, as far as known.
        options: Gates and caps.
        seed: Of every random choice.
        exact: A known world: boxes have no error, and the observations name all that a frame shows.
        seen_names: Names by their looks of things that share a category.

    Returns:
        Rows; none, with a finding, where nothing can be asked. The same for the same input and seed, in any process.
    """
    not_asked: NotAsked = Counter()
    rows: list[ProgramQuestion] = []
    findings: list[Finding] = []
    perception = name_perception(objects)
    chooser = Chooser(options.choice, not_asked)
    letters: Counter[tuple[int, int]] = Counter()
    tour = Tour(scene, objects, observations, detections, exact=exact)
    for model in scene.models:
        known, faults = tour.know(model), tour.find_faults(model)
        findings += [Finding("warning", "programs.box", name, f"left out: {fault}") for name, fault in faults.items()]
        views = tour.views(model)
        draw = Draw(seed, scene.id, KIND, model.name, "views")
        pairs = PairTable(model)
        own, gates = options.bars, options.gates
        around = surroundings.get(model.name, Surroundings())
        first = len(rows)
        for views_of in choose_view_sets(
            model, views, known, tour.time_s, options.views, gates, own, draw, seen_names, around.scan_views
        ):
            asker = SetAsker(views_of, pairs, options.gates, options.bars, around, exact)
            about = (seed, scene.id, KIND, model.name, views_of.medium, *views_of.frames)
            maker = RowMaker(scene.id, asker, perception, seed, options.choice.choices, not_asked, letters)
            truths = {
                kind.name: find_truths(asker, kind, Draw(*about, kind.name), options.choice.tries, not_asked)
                for kind in types_of(views_of.medium)
            }
            for truth in chooser.choose(views_of.medium, truths):
                rows += maker.ask(truth)
            most = options.choice.compound
            for truth in find_compounds(asker, Draw(*about, "compound"), options.choice.tries, most, not_asked):
                rows += maker.ask(truth)
            if options.choice.steps and views_of.medium == "video":
                rows += maker.ask_steps(Draw(*about, "steps"))
        rows += ask_unseen(
            views, known, rows[first:], gates, options.choice.unseen, letters, seed=seed, exact=exact
        )  # fmt: skip
    rows = even_out(rows, not_asked)
    if not rows and scene.models:
        findings.append(_silence(scene, not_asked))
    return ProgramRows(tuple(rows), not_asked, tuple(findings))


def even_out(rows: list[ProgramQuestion], not_asked: NotAsked) -> list[ProgramQuestion]:
    """As many `no` as `yes` of every type that has no twin to make them so; which ones go hangs on their id."""
    gone: set[str] = set()
    by_answer: dict[str, dict[bool, list[ProgramQuestion]]] = defaultdict(lambda: defaultdict(list))
    for row in rows:
        if row.form == "yes_no" and row.twin is None:
            by_answer[row.type][bool(row.truth)].append(row)
    for answers in by_answer.values():
        least = min(len(answers[True]), len(answers[False]))
        for kept in answers.values():
            gone |= {row.id for row in sorted(kept, key=lambda row: row.id[-16:])[least:]}
    for row in rows:
        if row.id in gone:
            not_asked[row.type, "one_answer"] += 1
    return [row for row in rows if row.id not in gone]


def _silence(scene: Scene, not_asked: NotAsked) -> Finding:
    reasons: Counter[str] = Counter()
    for (_, reason), count in not_asked.items():
        reasons[reason] += count
    told = ", ".join(f"{reason} {count}" for reason, count in reasons.most_common(3)) or "no view shows a thing"
    return Finding("warning", "programs.none", scene.id, f"nothing could be asked about any views: {told}")
