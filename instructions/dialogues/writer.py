"""The dialogues of a tour without a language model: talks, descriptions, background and tasks, balanced and cut."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace

from instructions.asking.draws import Draw
from instructions.claims.stated import KnownPlace
from instructions.dialogues.budget import cut_turns, estimate_tokens
from instructions.dialogues.clouds.claim_places import place_cloud, place_view
from instructions.dialogues.clouds.cloud_kinds import ask_presence
from instructions.dialogues.clouds.cloud_tasks import CloudThings, find_cloud_tasks
from instructions.dialogues.clouds.clouds import DepthOf, MadeCloud, make_cloud
from instructions.dialogues.options import DialogueOptions
from instructions.dialogues.place import Place
from instructions.dialogues.put_rows import choose_tasks, put_tasks
from instructions.dialogues.records import KIND, Cloud, Context, Dialogue, Evidence, TalkKind, Turn
from instructions.dialogues.talk_view import TalkView
from instructions.dialogues.talks.compare_views import compare_views
from instructions.dialogues.talks.contexts import make_cloud_context, make_view_context, tell_annotations
from instructions.dialogues.talks.describe import describe_view
from instructions.dialogues.talks.describe_cloud import describe_cloud, talk_about_cloud
from instructions.dialogues.talks.facts_talk import LEAST_TURNS, Talk, write_talk
from instructions.dialogues.talks.knowledge import Background, ask_about, own_knowledge
from instructions.dialogues.talks.same_turns import write_same_talks
from instructions.dialogues.talks.talk_replies import Asked
from instructions.dialogues.talks.unseen import ask_unseen
from instructions.dialogues.talks.walk_talk import cut_walks, write_walk
from instructions.dialogues.talks.write_talk import ask
from instructions.dialogues.tasks.annotated_tasks import find_annotated_tasks
from instructions.dialogues.tasks.annotations import AskedPair
from instructions.dialogues.tasks.balance import Placed, cap_things, even_yes_no, keep_groups, tell_shares
from instructions.dialogues.tasks.choices import find_absent
from instructions.dialogues.tasks.distractors import Proposed, prove_absent
from instructions.dialogues.tasks.imported_pairs import state_by_rules
from instructions.dialogues.tasks.picture_tasks import find_picture_tasks
from instructions.dialogues.tasks.pool_files import read_pools
from instructions.dialogues.templates import load_pool
from instructions.dialogues.tour import TalkTour
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


def write_dialogues(
    tour: TalkTour,
    options: DialogueOptions = DialogueOptions(),
    *,
    depth_of: Callable[[SceneModel], DepthOf | None] | None = None,
    knowledge: Mapping[str, Background] | None = None,
    for_model: bool = False,
    statements: Mapping[AskedPair, str] | None = None,
    distractors: Proposed = Proposed({}),
    show: Callable[[int], str] | None = None,
) -> DialogueRows:
    """Write everything that is true of a tour's views and clouds, balanced.

    Args:
        tour: What the run knows.
        options: How much, and when.
        depth_of: Learned or measured depth of a model; None for clouds of tracks.
        knowledge: Background texts by category besides our own.
        for_model: Talks, descriptions and background are left to a language model: `asked` holds its requests.
        statements: What annotated pairs of question and answer say; None: by rules.
        distractors: Wrong options of a language model by frame and scan; only those that are proved wrong are used.
        show: Digest of a frame's picture, for a language model that is also shown the views; None: it reads only.

    Returns:
        Rows in the order of models, views and clouds; none, with a finding, where nothing is sure. The same for the
        same tour, in any process.
    """
    scene = tour.scene
    made = _Made(tour, options, name_perception(tour.objects), knowledge or {}, for_model=for_model)
    made.statements = state_by_rules(tour.annotations) if statements is None else statements
    made.distractors, made.show = distractors, show
    for model in scene.models:
        made.add_model(model, depth_of(model) if depth_of else None)
    if options.medium != "cloud":
        made.add_annotated()
    tasks, left_out = put_tasks(made.drafts, options, read_pools(options.pools) if options.pools else {})
    left_out.update(made.left_out)
    rows, capped = cap_things([*made.talks, *tasks], options.rows_per_thing)
    left_out["thing_full"] += capped
    rows, uneven = even_yes_no(rows)
    left_out["yes_and_no"] += uneven
    rows, alone = keep_groups(rows)
    left_out["group_of_one"] += alone
    counts = {"left_out": dict(sorted(left_out.items())), "shares": tell_shares(rows, options.mix)}
    findings = made.findings
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
    return DialogueRows(
        tuple(rows), tuple(made.contexts), tuple(made.clouds), counts, tuple(findings), tuple(made.asked)
    )


@dataclass(eq=False)
class _Made:
    """What was made of a tour so far."""

    tour: TalkTour
    options: DialogueOptions
    perception: str
    knowledge: Mapping[str, Background]
    for_model: bool
    statements: Mapping[AskedPair, str] = field(default_factory=dict)
    distractors: Proposed = Proposed({})
    show: Callable[[int], str] | None = None
    talks: list[Dialogue] = field(default_factory=list)
    contexts: list[Context] = field(default_factory=list)
    clouds: list[MadeCloud] = field(default_factory=list)
    findings: list[Finding] = field(default_factory=list)
    drafts: list[tuple[Place, Placed]] = field(default_factory=list)
    asked: list[Asked] = field(default_factory=list)
    left_out: Counter[str] = field(default_factory=Counter)

    def add_model(self, model: SceneModel, depth: DepthOf | None) -> None:
        """Views, walks and the cloud of a model."""
        tour, options = self.tour, self.options
        views = tour.find_views(model, options) if options.medium != "cloud" else []
        for view in views:
            self._add_view(model, view)
        walks = cut_walks(views, [tour.scene.frame_by_index[one.frame].time_s for one in views], options.walks)
        for walk in walks:
            self.talks += _talk_along(Place(tour, model, self.perception, walk=walk), options)
        if options.medium == "view":
            return
        made = make_cloud(tour.id, model, [one for one in tour.objects if one.model == model.name],
                          options.clouds, depth)  # fmt: skip
        if made is None:
            self.findings.append(_no_cloud(tour.id, model))
            return
        self.clouds.append(made)
        things = tour.know_cloud(made, options)
        told = tell_annotations([one for one in tour.annotations if one.model == model.name], self.statements)
        self.contexts.append(make_cloud_context(tour.id, things, tour.seed, told))
        place = Place(tour, model, self.perception, cloud=made.cloud)
        draw = Draw(tour.seed, tour.id, KIND, "cloud tasks", model.name)
        proved = self._prove(self.distractors.of_scans.get(model.name, ()), things.absent)
        found = [*find_cloud_tasks(things, draw), *ask_presence(things, draw, proved, self.distractors.source)]
        self.drafts += [(place, Placed(draft, place.key)) for draft in found]
        self._add_unseen(model, things, views)
        if self.for_model:
            context = self.contexts[-1]
            self.asked += _ask_about(place, context, place_cloud(things, [one.id for one in context.things]))
        else:
            self.talks += _describe_cloud(place, things, options)
            self._add_same(model, things, made.cloud, views, walks)

    def _add_view(self, model: SceneModel, view: TalkView) -> None:
        tour, options, frame = self.tour, self.options, view.frame
        place = Place(tour, model, self.perception, view=view)
        room = tour.sure_room(frame, options.gates.room_probability)
        told = tell_annotations(tour.annotations_of.get(frame, ()), self.statements)
        self.contexts.append(make_view_context(tour.id, view, room, tour.seed, told))
        if self.for_model:
            picture = self.show(frame) if self.show else None
            known, context = place_view(view), self.contexts[-1]
            self.asked += _ask_about(place, context, known, view=view, knowledge=self.knowledge, picture=picture)
        else:
            self.talks += _talk_about(place, view, room, options, self.knowledge)
        draw = Draw(tour.seed, tour.id, KIND, "tasks", frame)
        proved = self._prove(self.distractors.kinds.get(frame, ()), find_absent(view))
        found = find_picture_tasks(view, room, tour.tour_kinds, draw, proved, self.distractors.source)
        self.drafts += [(place, Placed(draft, place.key)) for draft in choose_tasks(found, options, draw)]

    def _prove(self, proposed: Sequence[str], absent: Sequence[str]) -> list[str]:
        """Wrong options of the language model that are proved wrong; the others are counted."""
        proved = prove_absent(proposed, absent)
        self.left_out["distractor_not_proved"] += len(proposed) - len(proved)
        return proved

    def _add_unseen(self, model: SceneModel, things: CloudThings, views: Sequence[TalkView]) -> None:
        for pair in ask_unseen(things, views):
            for view, draft in (pair.seen, pair.unseen):
                place = Place(self.tour, model, self.perception, view=view)
                self.drafts.append((place, Placed(draft, place.key)))

    def _add_same(
        self, model: SceneModel, things: CloudThings, cloud: Cloud, views: Sequence[TalkView],
        walks: Sequence[tuple[TalkView, ...]],
    ) -> None:  # fmt: skip
        """The same turns about a view, its walk and the cloud."""
        tour, options = self.tour, self.options
        draw = Draw(tour.seed, tour.id, KIND, "same turns", model.name)
        for same in write_same_talks(things, views, walks, options, draw):
            if estimate_tokens(same.talk.turns) > options.text_tokens:
                self.left_out["budget"] += 1
                continue
            frame = same.view.frame
            places = [(Place(tour, model, self.perception, view=same.view), tuple(same.talk.boxes.values()))]
            if same.walk:
                places.append((Place(tour, model, self.perception, walk=same.walk), same.walk_boxes))
            places.append((Place(tour, model, self.perception, cloud=cloud), ()))
            group = row_id(tour.id, "same turns", model.name, frame)
            self.talks += [
                place.row("daily", f"same {frame}", same.talk.turns, same.talk.evidence, boxes,
                          same.talk.templates, group=group)
                for place, boxes in places
            ]  # fmt: skip

    def add_annotated(self) -> None:
        """Tasks that annotations of frames answer, whether the frame has a pose or not."""
        tour = self.tour
        model_of = {frame: model for model in tour.scene.models for frame in model.world_from_cam}
        for index, told in sorted(tour.annotations_of.items()):
            frame = tour.scene.frame_by_index[index]
            place = Place(tour, model_of.get(index), self.perception, frame=frame)
            found, left = find_annotated_tasks(told)
            self.left_out.update(left)
            self.drafts += [(place, Placed(draft, place.key)) for draft in found]


def _talk_about(
    place: Place, view: TalkView, room: str | None, options: DialogueOptions, knowledge: Mapping[str, Background]
) -> list[Dialogue]:
    tour, frame = place.tour, view.frame
    out: list[Dialogue] = []
    talk = write_talk(view, options.most_turns, Draw(tour.seed, tour.id, KIND, "talk", frame))
    if talk is not None:
        for number, turns in enumerate(cut_turns(talk.turns, options.most_turns, options.text_tokens)):
            if len(turns) >= LEAST_TURNS:
                out.append(_row_of(place, "daily", str(number), talk, turns))
    described = describe_view(view, room, Draw(tour.seed, tour.id, KIND, "description", frame))
    if described is not None and estimate_tokens(described.turns) <= options.text_tokens:
        out.append(_row_of(place, "description", "", described, described.turns))
    return [*out, *_tell_background(place, view, knowledge)]


def _talk_along(place: Place, options: DialogueOptions) -> list[Dialogue]:
    """A talk along a walk, one turn per picture, and one that compares the pictures."""
    draw = Draw(place.tour.seed, place.tour.id, KIND, "walk", place.key)
    out = []
    for about, talk in (
        ("walk", write_walk(place.walk, options.walks, draw)),
        ("compare", compare_views(place.walk, options.most_turns, options.walks, draw)),
    ):
        if talk is None or estimate_tokens(talk.turns) > options.text_tokens:
            continue
        named = {name for one in talk.evidence for name in one.objects}
        boxes = [replace(one.talk_box, view=view.frame) for view in place.walk for one in view.told if one.id in named]
        out.append(place.row("daily", about, talk.turns, talk.evidence, boxes, talk.templates))
    return out


def _ask_about(
    place: Place,
    context: Context,
    known: KnownPlace,
    *,
    view: TalkView | None = None,
    knowledge: Mapping[str, Background] | None = None,
    picture: str | None = None,
) -> list[Asked]:
    """What a language model is asked about a view or cloud: a talk, a description, and background of a view's kind."""
    draw = Draw(place.tour.seed, place.tour.id, KIND, "asked", place.key)
    pool = load_pool("description")
    question = pool.questions[int(draw.uniform() * len(pool.questions))]
    boxes = [one.talk_box for one in view.told] if view else []
    kinds: tuple[TalkKind, ...] = ("daily", "description")
    out = [
        ask(kind, context, known, place.row(kind, "llm", [], [], boxes, []), question=question, picture=picture)
        for kind in kinds
    ]
    texts = {**own_knowledge(), **(knowledge or {})}
    kinds_told = [one.kind for one in view.told if one.kind in texts] if view else []
    if kinds_told:
        background = texts[kinds_told[int(draw.uniform() * len(kinds_told))] or ""]
        licence = f"{background.licence} ({background.source})"
        row = place.row("factual", "llm", [], [], boxes, [], licence=licence)
        out.append(ask("factual", context, known, row, background=background, picture=picture))
    return out


def _row_of(place: Place, kind: TalkKind, about: str, talk: Talk, turns: Sequence[Turn]) -> Dialogue:
    used = {name for turn in turns for name in turn.facts}
    evidence = [one for one in talk.evidence if one.name in used]
    named = {name for one in evidence for name in one.objects}
    boxes = [box for name, box in talk.boxes.items() if name in named]
    templates = [template for turn, template in zip(talk.turns, talk.templates, strict=True) if turn in turns]
    return place.row(kind, about, turns, evidence, boxes, templates)


def _tell_background(place: Place, view: TalkView, knowledge: Mapping[str, Background]) -> list[Dialogue]:
    """One row per view: background of the largest kind in view that there is a text for, by turns."""
    draw = Draw(place.tour.seed, place.tour.id, KIND, "background", view.frame)
    own = own_knowledge()
    kinds = [one for one in view.told if one.kind in own or one.kind in knowledge]
    if not kinds:
        return []
    chosen = kinds[int(draw.uniform() * len(kinds))]
    kind = chosen.kind or ""
    evidence = [Evidence(f"visible {chosen.id}", f"{kind} is seen", (chosen.id,), chosen.visible_fraction, "share")]
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


def _describe_cloud(place: Place, things: CloudThings, options: DialogueOptions) -> list[Dialogue]:
    out = []
    name = place.model.name if place.model else ""
    draw = Draw(place.tour.seed, place.tour.id, KIND, "cloud talk", name)
    for kind, talk in (
        ("description", describe_cloud(things, draw)),
        ("daily", talk_about_cloud(things, options.most_turns, draw)),
    ):
        if talk is not None and estimate_tokens(talk.turns) <= options.text_tokens:
            out.append(_row_of(place, kind, "", talk, talk.turns))  # type: ignore[arg-type]
    return out


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
