"""The questions of a tour about images, sets of images and videos: what may be asked, chosen, and put into words; and
what is known besides things: the rooms that the walk goes through, and how large they are.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from itertools import groupby

from instructions.asking.counts import NotAsked
from instructions.asking.draws import Draw
from instructions.facts.pairs import PairTable
from instructions.facts.walk import room_at
from instructions.questions.core.asker import Asker, Surroundings
from instructions.questions.core.options import ProgramOptions
from instructions.questions.core.records import PROGRAMS, Question
from instructions.questions.core.view_sets import choose_view_sets
from instructions.questions.quality.choice import SetChooser
from instructions.questions.quality.evening import even_answers, spread_things
from instructions.questions.quality.unseen import ask_unseen
from instructions.questions.sets.compound import find_compounds
from instructions.questions.sets.families.steps import ask_steps
from instructions.questions.sets.judging import find_truths, types_of
from instructions.questions.wording.rows import RowMaker
from instructions.questions.writers.views import QuestionRows, tell_silence
from instructions.records import RoomSpan, Scan
from instructions.rows import name_perception
from instructions.tour import Tour
from recon.findings import Finding
from recon.records import SceneModel

SURE_SPAN = 0.8
"""Mean probability of a stay; with a less sure one nobody counts how often the room changes."""


def write_questions(
    tour: Tour, surroundings: Mapping[str, Surroundings] = {}, options: ProgramOptions = ProgramOptions()
) -> QuestionRows:
    """Ask about images, sets of images and the video of every model of a tour, with the rooms of a model as far as
    known. Rows come model by model, images first, then what is out of view; none, with a finding, where nothing can be
    asked. The same for the same tour and seed, in any process.
    """
    not_asked: NotAsked = Counter()
    rows: list[Question] = []
    findings: list[Finding] = []
    perception = name_perception(tour.objects)
    chooser = SetChooser(options.choice, not_asked)
    letters: Counter[tuple[int, int]] = Counter()
    for model, askers in find_sets(tour, surroundings, options):
        faults = tour.find_faults(model).items()
        findings += [Finding("warning", "programs.box", name, f"left out: {fault}") for name, fault in faults]
        for asker in askers:
            views = asker.views
            about = (tour.seed, tour.id, PROGRAMS, views.model.name, views.medium, *views.frames)
            maker = RowMaker(
                tour.id, perception, tour.seed, not_asked, asker.scene, options.choice.choices, letters
            )  # fmt: skip
            truths = {
                kind.name: find_truths(asker, kind, Draw(*about, kind.name), options.choice.tries, not_asked)
                for kind in types_of(views.medium)
            }
            for truth in chooser.choose(views.medium, truths):
                rows += maker.ask(truth)
            most = options.choice.compound
            for truth in find_compounds(asker, Draw(*about, "compound"), options.choice.tries, most, not_asked):
                rows += maker.ask(truth)
            if views.medium == "video":
                steps = ask_steps(asker, Draw(*about, "steps"), not_asked)
                rows += [maker.make(*steps, ())] if steps is not None else []
    rows = spread_things(even_answers(rows, not_asked), tour, options.choice.thing_share, not_asked)
    for model in tour.scene.models:
        mine = [row for row in rows if row.model == model.name]
        rows += ask_unseen(tour, model, mine, options.gates, options.choice.unseen)
    if tour.scene.models and (silence := tell_silence(rows, not_asked)):
        findings.append(Finding("warning", "programs.none", tour.id, silence))
    return QuestionRows(tuple(rows), not_asked, tuple(findings))


def find_sets(
    tour: Tour, surroundings: Mapping[str, Surroundings], options: ProgramOptions
) -> Iterator[tuple[SceneModel, list[Asker]]]:
    """Every model with askers of the sets of its views; the arguments are those of `write_questions`."""
    for model in tour.scene.models:
        pairs, around = PairTable(model), surroundings.get(model.name, Surroundings())
        sets = choose_view_sets(tour, model, options, around.scan_views)
        yield model, [Asker(one, pairs, options.gates, options.bars, around, tour.exact) for one in sets]


def find_surroundings(model: SceneModel, spans: Sequence[RoomSpan], scans: Sequence[Scan] = ()) -> Surroundings:
    """The rooms of one model, from the stays of the whole tour. How large they are only an imported scan states: what
    is measured of a floor is what was seen free.
    """
    known = {frame: room_at(spans, frame) for frame in model.frames}
    mine = [span for span in spans if any(span.first_frame <= frame <= span.last_frame for frame in model.frames)]
    sure = bool(mine) and None not in known.values() and all(span.probability >= SURE_SPAN for span in mine)
    stays = tuple(room for room, _ in groupby(str(known[frame]) for frame in model.frames)) if sure else ()
    scan = next((scan for scan in scans if scan.model == model.name), None)
    if scan is None:
        return Surroundings(rooms=stays)
    return Surroundings(scan.floor_area_m2, stays, frozenset(scan.uncounted), scan.views)
