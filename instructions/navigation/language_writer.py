"""The writer that asks a language model, and believes nothing it says before the geometry agrees."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from instructions.facts.way import WayGeometry
from instructions.language.budget import Usage
from instructions.language.connect import connect_server
from instructions.language.model import TextModel
from instructions.language.open_questions import OpenQuestions
from instructions.language.options import LanguageOptions
from instructions.language.requests import Answer
from instructions.language.runner import ask_all
from instructions.navigation.questions import Question, questions_of
from instructions.navigation.reasons import NO_LANDMARK, REASONS, has_landmark, list_claims
from instructions.navigation.records import KIND, Instruction
from instructions.navigation.schemas import Texts
from instructions.navigation.way_plans import PlanOptions, plan_ways
from instructions.records import Range
from instructions.rows import name_perception, row_id
from instructions.tour import Tour
from instructions.truth.check import TextCheck, check_text
from instructions.truth.ranges import ranges_by_thing
from recon.findings import Finding
from recon.records import Scene
from trajectories.records import Trajectory

WRITER = "llm"


@dataclass(frozen=True, eq=False)
class Written:
    """Rows with what they cost and what a person should know."""

    rows: tuple[Instruction, ...]
    """In time order per trajectory, accepted and rejected."""
    usage: Usage
    open: OpenQuestions
    findings: tuple[Finding, ...]


def find_questions(
    tour: Tour,
    trajectories: Sequence[Trajectory],
    options: LanguageOptions = LanguageOptions(),
    planning: PlanOptions = PlanOptions(),
) -> list[tuple[Trajectory, Question]]:
    """All questions of a tour, in time order per trajectory; asks nothing.

    Raises:
        InstructionError: If a trajectory's model is not in the scene.
    """
    found: list[tuple[Trajectory, Question]] = []
    for trajectory in trajectories:
        model = tour.find_model(trajectory.model, f"trajectory {trajectory.id}")
        mine = {thing.id: thing for thing in tour.objects_of(model)}
        for number, plan in enumerate(plan_ways(tour, trajectory, planning)):
            asked = questions_of(
                f"{trajectory.id}_w{number}",
                plan,
                mine,
                tour.rooms,
                wordings=options.wordings,
                enriched=options.enriched,
                seed=tour.seed,
            )
            found += [(trajectory, question) for question in asked]
    return found


def write_with_language_model(
    tour: Tour,
    trajectories: Sequence[Trajectory],
    *,
    replies: Path,
    options: LanguageOptions = LanguageOptions(),
    planning: PlanOptions = PlanOptions(),
    connect: Callable[[], TextModel] | None = None,
    progress: Callable[[float], None] | None = None,
) -> Written:
    """Have a language model write about every way, and check every text against the geometry.

    Args:
        tour: What may be named. Another seed of it asks for other texts.
        trajectories: Walks, each in one model of the scene.
        replies: Folder that keeps every reply by content: what is in it is not asked again.
        options: Model, limits, budget.
        planning: How walks are cut.
        connect: Makes the model; an OpenAI-compatible server by the options if not given.
        progress: Told the fraction of questions answered.

    Returns:
        One row per text; those that geometry contradicts are not accepted, with the reason. Questions without an answer
        of use have no row and are counted.

    Raises:
        InstructionError: If a trajectory's model is not in the scene, or the server cannot be used.
    """
    asked = find_questions(tour, trajectories, options, planning)
    answers = ask_all(
        [question.request for _, question in asked],
        connect or (lambda: connect_server(options)),
        replies,
        options,
        progress=progress,
    )
    rows: list[Instruction] = []
    ranges = ranges_by_thing(tour.observations)
    for (trajectory, question), answer in zip(asked, answers.answers, strict=True):
        rows += _rows(tour, trajectory, question, answer, ranges, options, planning)
    return Written(tuple(rows), answers.usage, answers.open, _findings(tour.scene, rows))


def _rows(
    tour: Tour,
    trajectory: Trajectory,
    question: Question,
    answer: Answer[Texts],
    ranges: Mapping[str, Mapping[int, tuple[Range, ...]]],
    options: LanguageOptions,
    planning: PlanOptions,
) -> Iterator[Instruction]:
    """One row per different text."""
    if answer.value is None:
        return
    plan, kind, seed = question.plan, question.task.kind, answer.request.seed
    model = tour.find_model(trajectory.model, f"trajectory {trajectory.id}")
    things, scale = {thing.id: thing for thing in tour.objects_of(model)}, model.scale
    sigma = scale.sigma if scale.status == "metric" else None
    ends = plan.way.first, plan.way.last
    geometry = WayGeometry(plan.walk, *ends, plan.metre, things, tuple(tour.rooms), ranges, sigma)
    for wording, text in enumerate(dict.fromkeys(answer.value.texts)):
        checked = check_text(text, geometry, must_tell_turns=question.task.tells_turns)
        code, reason, named = checked.fault, checked.false_because, _find_named(checked)
        if reason is None and question.destination not in (None, *named):
            alias = things[question.destination or ""].alias
            code, reason = "no_destination", f"does not name its destination, {alias}"
        claims = list_claims(checked, plan.walk.frames)
        if reason is None and not (planning.nameless or has_landmark((one.claim for one in claims), tour)):
            code, reason = NO_LANDMARK, REASONS[NO_LANDMARK]
        yield Instruction(
            id=row_id(seed, tour.id, KIND, WRITER, trajectory.id, *plan.ends, kind, wording),
            tour=tour.id,
            model=trajectory.model,
            views=plan.way.views,
            scale_status=scale.status,
            claims=claims,
            perception=name_perception(things.values()),
            writer=f"{WRITER} {answer.served_by or options.model}",
            prompt=question.task.prompt.label,
            reply=answer.reply_key,
            seed=seed,
            accepted=code is None,
            rejected_because=code,
            rejection=reason,
            trajectory=trajectory.id,
            kind=kind,
            text=text,
            objects=named,
            spatial_lines=plan.lines,
        )


def _find_named(checked: TextCheck) -> tuple[str, ...]:
    """Objects that the text names, in its order; of several that fit, the first."""
    return tuple(dict.fromkeys(check.told.things[0] for check in checked.checks if check.told.things))


def _findings(scene: Scene, rows: Sequence[Instruction]) -> tuple[Finding, ...]:
    rejected = [row for row in rows if not row.accepted]
    if not rejected:
        return ()
    kinds = Counter(_cause(row) for row in rejected)
    causes = ", ".join(f"{count} {cause}" for cause, count in kinds.most_common())
    message = f"{len(rejected)} of {len(rows)} texts ({len(rejected) / len(rows):.0%}) were rejected: {causes}"
    return (Finding("info", "language.rejected", scene.id, message),)


def _cause(row: Instruction) -> str:
    """For counting: the code, and of which kind the first false claim is."""
    false = [check.claim.kind for check in row.claims if not check.true]
    code = row.rejected_because or ""
    return f"{code} ({false[0]})" if code == "false_claim" and false else code
