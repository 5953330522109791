"""The dialogues of a tour without a language model: talks, descriptions, background and tasks, balanced and cut."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace

from instructions.asking.draws import Draw
from instructions.dialogues.balance import Placed, cap_things, draw_templates, even_answers, even_yes_no, tell_shares
from instructions.dialogues.budget import cut_turns, estimate_tokens
from instructions.dialogues.cloud_kinds import ask_presence
from instructions.dialogues.cloud_tasks import CloudThings, find_cloud_tasks
from instructions.dialogues.clouds import DepthOf, MadeCloud, make_cloud
from instructions.dialogues.compare_views import compare_views
from instructions.dialogues.contexts import make_cloud_context, make_view_context
from instructions.dialogues.describe import describe_view
from instructions.dialogues.describe_cloud import describe_cloud, talk_about_cloud
from instructions.dialogues.facts_talk import LEAST_TURNS, Talk, write_talk
from instructions.dialogues.knowledge import Background, ask_about, own_knowledge
from instructions.dialogues.options import DialogueOptions
from instructions.dialogues.picture_tasks import find_picture_tasks
from instructions.dialogues.records import (
    KIND,
    Cloud,
    Context,
    Dialogue,
    Evidence,
    Medium,
    TalkBox,
    TalkKind,
    TaskTruth,
    Turn,
)
from instructions.dialogues.tasks import TASKS, Draft, put_task
from instructions.dialogues.templates import load_pool
from instructions.dialogues.tour import TourFacts
from instructions.dialogues.view_things import ViewThings
from instructions.dialogues.walk_talk import cut_walks, write_walk
from instructions.dialogues.write_talk import Asked, ask
from instructions.facts.view_things import ViewFacts
from instructions.rows import name_perception, row_id
from recon.findings import Finding
from recon.records import SceneModel


@dataclass(frozen=True)
class DialogueRows:
    """What was made of a tour."""

    rows: tuple[Dialogue, ...]
    contexts: tuple[Context, ...]
    clouds: tuple[MadeCloud, ...]
    counts: Mapping[str, object] = field(default_factory=dict)
    findings: tuple[Finding, ...] = ()
    asked: tuple[Asked, ...] = ()
    """What a language model may be asked in place of the embedded talks."""


@dataclass(frozen=True, eq=False)
class _Place:
    """A view or cloud with everything that a row of it carries."""

    tour: TourFacts
    model: SceneModel
    seed: int
    perception: str
    view: ViewThings | None = None
    cloud: Cloud | None = None
    walk: tuple[ViewThings, ...] = ()

    @property
    def key(self) -> str:
        if self.walk:
            return f"views {' '.join(str(frame) for frame in self.frames)}"
        return f"view {self.view.view.frame}" if self.view else f"cloud {self.cloud.name if self.cloud else ''}"

    @property
    def frames(self) -> tuple[int, ...]:
        return tuple(one.view.frame for one in (self.walk or ((self.view,) if self.view else ())))

    @property
    def medium(self) -> Medium:
        return "views" if self.walk else "view" if self.view else "cloud"

    @property
    def size_px(self) -> tuple[int, int] | None:
        view = self.walk[0] if self.walk else self.view
        return view.view.size if view else None

    def row(
        self, kind: TalkKind, about: str, turns: Sequence[Turn], evidence: Sequence[Evidence], boxes: Sequence[TalkBox],
        templates: Sequence[str], *, task: str | None = None, truth: TaskTruth | None = None, licence: str = "",
    ) -> Dialogue:  # fmt: skip
        """One accepted row."""
        scene = self.tour.scene
        name = row_id(scene.id, self.key, kind, task or "", about)
        return Dialogue(
            id=f"{scene.id}_m{self.model.name}_d{name}",
            tour=scene.id,
            model=self.model.name,
            views=self.frames,
            scale_status=self.model.scale.status,
            perception=self.perception,
            writer="embedded",
            seed=self.seed,
            accepted=True,
            kind=kind,
            task=task,
            medium=self.medium,
            cloud=self.cloud.name if self.cloud else None,
            turns=tuple(turns),
            evidence=tuple(evidence),
            boxes=tuple(boxes),
            truth=truth,
            templates=tuple(templates),
            text_licence=licence,
            size_px=self.size_px,
        )


def write_dialogues(
    tour: TourFacts,
    options: DialogueOptions = DialogueOptions(),
    *,
    seed: int = 0,
    depth_of: Callable[[SceneModel], DepthOf | None] | None = None,
    knowledge: Mapping[str, Background] | None = None,
    for_model: bool = False,
) -> DialogueRows:
    """Write everything that is true of a tour's views and clouds, balanced.

    Args:
        tour: What the run knows.
        options: How much, and when.
        seed: Of every random choice.
        depth_of: Learned or measured depth of a model; None for clouds of tracks.
        knowledge: Background texts by category besides our own.
        for_model: Talks, descriptions and background are left to a language model: `asked` holds its requests.

    Returns:
        Rows in the order of models, views and clouds; none, with a finding, where nothing is sure. The same for the
        same input and seed, in any process.
    """
    scene = tour.scene
    perception = name_perception(tour.objects)
    talks: list[Dialogue] = []
    contexts: list[Context] = []
    clouds: list[MadeCloud] = []
    findings: list[Finding] = []
    drafts: list[tuple[_Place, Placed]] = []
    asked: list[Asked] = []
    for model in scene.models:
        views = tour.find_views(model, options) if options.medium != "cloud" else []
        facts = tour.find_facts(views) if for_model else {}
        for view in views:
            place = _Place(tour, model, seed, perception, view=view)
            room = tour.sure_room(view.view.frame, options.gates.room_probability)
            contexts.append(make_view_context(scene.id, view, room, seed))
            if for_model:
                asked += _ask_about(
                    place, contexts[-1], view=view, facts=facts.get(view.view.frame), knowledge=knowledge or {}
                )
            else:
                talks += _talk_about(place, view, room, options, knowledge or {})
            draw = Draw(seed, scene.id, KIND, "tasks", view.view.frame)
            found = find_picture_tasks(view, room, tour.tour_kinds, draw)
            drafts += [(place, Placed(draft, place.key)) for draft in _choose(found, options, draw)]
        walks = cut_walks(views, [scene.frame_by_index[one.view.frame].time_s for one in views], options.walks)
        for walk in walks:
            talks += _talk_along(_Place(tour, model, seed, perception, walk=walk), options)
        if options.medium == "view":
            continue
        made = make_cloud(scene.id, model, [one for one in tour.objects if one.model == model.name], options.clouds,
                          depth_of(model) if depth_of else None)  # fmt: skip
        if made is None:
            findings.append(_no_cloud(scene.id, model))
            continue
        clouds.append(made)
        things = tour.know_cloud(made, options)
        contexts.append(make_cloud_context(scene.id, things, seed))
        place = _Place(tour, model, seed, perception, cloud=made.cloud)
        draw = Draw(seed, scene.id, KIND, "cloud tasks", model.name)
        found = [*find_cloud_tasks(things, draw), *ask_presence(things, draw)]
        drafts += [(place, Placed(draft, place.key)) for draft in found]
        if for_model:
            asked += _ask_about(place, contexts[-1], things=things)
        else:
            talks += _describe_cloud(place, things, options)
    tasks, left_out = _put_tasks(drafts, options)
    rows, capped = cap_things([*talks, *tasks], options.rows_per_thing)
    left_out["thing_full"] += capped
    rows, uneven = even_yes_no(rows)
    left_out["yes_and_no"] += uneven
    counts = {"left_out": dict(sorted(left_out.items())), "shares": tell_shares(rows, options.mix)}
    if not rows and scene.models:
        findings.append(
            Finding("warning", "dialogues.none", scene.id, "no view or cloud has enough that is sure; see docs")
        )
    if left_out["budget"]:
        findings.append(
            Finding(
                "info",
                "dialogues.budget",
                scene.id,
                f"{left_out['budget']} rows were over {options.text_tokens} tokens and left out",
            )
        )
    return DialogueRows(tuple(rows), tuple(contexts), tuple(clouds), counts, tuple(findings), tuple(asked))


def _talk_about(
    place: _Place, view: ViewThings, room: str | None, options: DialogueOptions, knowledge: Mapping[str, Background]
) -> list[Dialogue]:
    tour, frame = place.tour.scene.id, view.view.frame
    out: list[Dialogue] = []
    talk = write_talk(view, options.most_turns, Draw(place.seed, tour, KIND, "talk", frame))
    if talk is not None:
        for number, turns in enumerate(cut_turns(talk.turns, options.most_turns, options.text_tokens)):
            if len(turns) >= LEAST_TURNS:
                out.append(_row_of(place, "daily", str(number), talk, turns))
    described = describe_view(view, room, Draw(place.seed, tour, KIND, "description", frame))
    if described is not None and estimate_tokens(described.turns) <= options.text_tokens:
        out.append(_row_of(place, "description", "", described, described.turns))
    return [*out, *_tell_background(place, view, knowledge)]


def _talk_along(place: _Place, options: DialogueOptions) -> list[Dialogue]:
    """A talk along a walk, one turn per picture, and one that compares the pictures."""
    draw = Draw(place.seed, place.tour.scene.id, KIND, "walk", place.key)
    out = []
    for about, talk in (
        ("walk", write_walk(place.walk, options.walks, draw)),
        ("compare", compare_views(place.walk, options.most_turns, options.walks, draw)),
    ):
        if talk is None or estimate_tokens(talk.turns) > options.text_tokens:
            continue
        named = {name for one in talk.evidence for name in one.objects}
        boxes = [
            replace(one.talk_box, view=view.view.frame) for view in place.walk for one in view.things if one.id in named
        ]
        out.append(place.row("daily", about, talk.turns, talk.evidence, boxes, talk.templates))
    return out


def _ask_about(
    place: _Place, context: Context, *, view: ViewThings | None = None, facts: ViewFacts | None = None,
    things: CloudThings | None = None, knowledge: Mapping[str, Background] | None = None,
) -> list[Asked]:  # fmt: skip
    """What a language model is asked about a view or cloud: a talk, a description, and background of a view's kind."""
    draw = Draw(place.seed, place.tour.scene.id, KIND, "asked", place.key)
    pool = load_pool("description")
    question = pool.questions[int(draw.uniform() * len(pool.questions))]
    boxes = [one.talk_box for one in view.things] if view else []
    kinds: tuple[TalkKind, ...] = ("daily", "description")
    out = [
        ask(kind, context, place.row(kind, "llm", [], [], boxes, []), view=facts, scene=things, question=question)
        for kind in kinds
    ]
    texts = {**own_knowledge(), **(knowledge or {})}
    known = [one.kind for one in view.things if one.kind in texts] if view else []
    if known:
        background = texts[known[int(draw.uniform() * len(known))] or ""]
        licence = f"{background.licence} ({background.source})"
        row = place.row("factual", "llm", [], [], boxes, [], licence=licence)
        out.append(ask("factual", context, row, background=background, view=facts))
    return out


def _row_of(place: _Place, kind: TalkKind, about: str, talk: Talk, turns: Sequence[Turn]) -> Dialogue:
    used = {name for turn in turns for name in turn.facts}
    evidence = [one for one in talk.evidence if one.name in used]
    named = {name for one in evidence for name in one.objects}
    boxes = [box for name, box in talk.boxes.items() if name in named]
    templates = [template for turn, template in zip(talk.turns, talk.templates, strict=True) if turn in turns]
    return place.row(kind, about, turns, evidence, boxes, templates)


def _tell_background(place: _Place, view: ViewThings, knowledge: Mapping[str, Background]) -> list[Dialogue]:
    """One row per view: background of the largest kind in view that there is a text for, by turns."""
    draw = Draw(place.seed, place.tour.scene.id, KIND, "background", view.view.frame)
    own = own_knowledge()
    kinds = [one for one in view.things if one.kind in own or one.kind in knowledge]
    if not kinds:
        return []
    chosen = kinds[int(draw.uniform() * len(kinds))]
    kind = chosen.kind or ""
    evidence = [
        Evidence(f"visible {chosen.id}", f"{kind} is seen", (chosen.id,), chosen.seen.seen.visible_fraction, "share")
    ]
    turns: list[Turn] = []
    licences = []
    if kind in own:
        licences.append(own[kind].licence)
        wording = int(draw.uniform() * 6)
        order = sorted(range(4), key=lambda _: draw.uniform())[:3]
        for number in sorted(order):
            evidence.append(Evidence(f"knowledge {kind} {number}", own[kind].sentences[number]))
            turns.append(
                Turn(
                    ask_about(own[kind], number, wording),
                    own[kind].sentences[number],
                    "knowledge",
                    (evidence[0].name, evidence[-1].name),
                )
            )
    if kind in knowledge:
        text = knowledge[kind]
        licences.append(f"{text.licence} ({text.source})")
        evidence.append(Evidence(f"knowledge {kind} text", text.source))
        turns.append(
            Turn(
                f"What does one read about the {kind} in a reference work?",
                text.sentences[0],
                "knowledge",
                (evidence[-1].name,),
            )
        )
    return [
        place.row(
            "factual", kind, turns, evidence, [chosen.talk_box], ["knowledge"] * len(turns), licence="; ".join(licences)
        )
    ]


def _describe_cloud(place: _Place, things: CloudThings, options: DialogueOptions) -> list[Dialogue]:
    out = []
    draw = Draw(place.seed, place.tour.scene.id, KIND, "cloud talk", place.model.name)
    for kind, talk in (
        ("description", describe_cloud(things, draw)),
        ("daily", talk_about_cloud(things, options.most_turns, draw)),
    ):
        if talk is not None and estimate_tokens(talk.turns) <= options.text_tokens:
            out.append(_row_of(place, kind, "", talk, talk.turns))  # type: ignore[arg-type]
    return out


def _choose(drafts: Sequence[Draft], options: DialogueOptions, draw: Draw) -> list[Draft]:
    """So many tasks of a view, each kind of task in turn."""
    by_task: dict[str, list[Draft]] = {}
    for draft in sorted(drafts, key=lambda _: draw.uniform()):
        by_task.setdefault(draft.task, []).append(draft)
    out: list[Draft] = []
    most = options.tasks_per_view or len(drafts)
    order = sorted(by_task, key=lambda _: draw.uniform())
    while len(out) < most and any(by_task.values()):
        for task in order:
            if by_task[task] and len(out) < most:
                out.append(by_task[task].pop())
    return out


def _put_tasks(
    drafts: Sequence[tuple[_Place, Placed]], options: DialogueOptions
) -> tuple[list[Dialogue], Counter[str]]:
    kept, left_out = even_answers([one for _, one in drafts], options.most_count_share)
    stays = {one.lot for one in kept}
    numbers = draw_templates(kept)
    rows: list[Dialogue] = []
    for place, one in drafts:
        if one.lot not in stays:
            continue
        draft, chosen = one.draft, numbers[one.lot]
        turn, template, truth = put_task(draft, chosen.asked, chosen.told, chosen.place, place.size_px)
        if estimate_tokens([turn]) > options.text_tokens:
            left_out["budget"] += 1
            continue
        rows.append(
            place.row(
                "task",
                draft.key,
                [turn],
                draft.evidence,
                draft.boxes,
                [template],
                task=TASKS[draft.task].name,
                truth=truth,
            )
        )
    return rows, left_out


def _no_cloud(tour: str, model: SceneModel) -> Finding:
    where = f"{tour} model {model.name}"
    if model.scale.status == "relative":
        return Finding(
            "warning",
            "dialogues.cloud_without_metres",
            where,
            "the scale is relative, so there is no cloud in metres; state a scale to get one",
        )
    return Finding(
        "warning",
        "dialogues.cloud_without_metres",
        where,
        "its reliable points are fewer than --dialogues.clouds.least-points",
    )
