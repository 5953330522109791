"""The dialogues of a tour without a language model: talks, descriptions, background and tasks, balanced and cut."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import zip_longest

from instructions.asking.draws import Draw
from instructions.claims.stated import KnownPlace
from instructions.dialogues.clouds.claim_places import place_cloud, place_view
from instructions.dialogues.clouds.cloud_kinds import ask_presence
from instructions.dialogues.clouds.cloud_tasks import CloudThings, find_cloud_tasks
from instructions.dialogues.clouds.clouds import DepthOf, MadeCloud, make_cloud
from instructions.dialogues.options import DialogueOptions
from instructions.dialogues.place import Place
from instructions.dialogues.records import KIND, Context, Dialogue, TalkBox, TalkKind, Turn
from instructions.dialogues.talk_view import TalkView
from instructions.dialogues.talks.compare_views import compare_views
from instructions.dialogues.talks.contexts import make_cloud_context, make_view_context, tell_annotations
from instructions.dialogues.talks.conversation import cut_turns, estimate_tokens
from instructions.dialogues.talks.describe import describe_view
from instructions.dialogues.talks.describe_cloud import describe_cloud, talk_about_cloud
from instructions.dialogues.talks.facts_talk import LEAST_TURNS, Talk, write_talk
from instructions.dialogues.talks.knowledge import Background, own_knowledge, tell_background
from instructions.dialogues.talks.same_turns import ask_unseen, write_same_talks
from instructions.dialogues.talks.talk_replies import Asked
from instructions.dialogues.talks.walk_talk import cut_walks, write_walk
from instructions.dialogues.talks.write_talk import ask
from instructions.dialogues.tasks import balance
from instructions.dialogues.tasks.annotations import AskedPair, find_annotated_tasks
from instructions.dialogues.tasks.balance import Placed
from instructions.dialogues.tasks.distractors import Proposed, prove_absent
from instructions.dialogues.tasks.imported_pairs import state_by_rules
from instructions.dialogues.tasks.picture_tasks import find_picture_tasks
from instructions.dialogues.tasks.tasks import Draft, put_task
from instructions.dialogues.templates import Pool, load_pool
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
    pools: Mapping[str, Pool] | None = None,
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
        pools: Pools of tasks that have further templates.
        show: Digest of a frame's picture, for a language model that is also shown the views; None: it reads only.

    Returns:
        Rows in the order of models, views and clouds; none, with a finding, where nothing is sure. The same for the
        same tour, in any process.
    """
    scene = tour.scene
    told = state_by_rules(tour.annotations) if statements is None else statements
    made = _Made(tour, options, knowledge or {}, for_model, told, distractors, show)
    for model in scene.models:
        made.add_model(model, depth_of(model) if depth_of else None)
    if options.medium != "cloud":
        made.add_annotated()
    left_out = made.left_out
    tasks = _put_tasks(made.drafts, options, pools or {}, left_out)
    rows, full = balance.cap_things([*made.talks, *tasks], options.rows_per_thing)
    rows, uneven = balance.even_yes_no(rows)
    rows, alone = balance.keep_groups(rows)
    left_out.update({"thing_full": full, "yes_and_no": uneven, "group_of_one": alone})
    findings = made.findings
    if not rows and scene.models:
        none = "no view or cloud has enough that is sure; see docs"
        findings.append(Finding("warning", "dialogues.none", scene.id, none))
    if left_out["budget"]:
        over = f"{left_out['budget']} rows were over {options.text_tokens} tokens and left out"
        findings.append(Finding("info", "dialogues.budget", scene.id, over))
    counts = {"left_out": dict(sorted(left_out.items())), "shares": balance.tell_shares(rows, options.mix)}
    contexts, clouds, asked = tuple(made.contexts), tuple(made.clouds), tuple(made.asked)
    return DialogueRows(tuple(rows), contexts, clouds, counts, tuple(findings), asked)


def _choose_tasks(drafts: Sequence[Draft], options: DialogueOptions, draw: Draw) -> list[Draft]:
    """So many tasks of a view, each kind of task in turn."""
    by_task: dict[str, list[Draft]] = {}
    for draft in draw.shuffle(drafts):
        by_task.setdefault(draft.task, []).append(draft)
    turns = zip_longest(*(by_task[task][::-1] for task in draw.shuffle(by_task)))
    return [draft for turn in turns for draft in turn if draft is not None][: options.tasks_per_view or None]


def _put_tasks(
    drafts: Sequence[tuple[Place, Placed]], options: DialogueOptions, pools: Mapping[str, Pool], left_out: Counter[str]
) -> Iterator[Dialogue]:
    """Rows of drafts, evenly worded and none over a loader's limit; `pools` are those that have further templates."""
    kept, uneven = balance.even_answers([one for _, one in drafts], options.most_count_share)
    numbers = balance.draw_templates(kept, pools)
    kept, capped = balance.cap_wordings(kept, numbers, options.most_wording_share)
    left_out.update({**uneven, "template_and_class": capped})
    stays = {one.lot for one in kept}
    for place, one in drafts:
        if one.lot not in stays:
            continue
        draft, chosen = one.draft, numbers[one.lot]
        turn, template, truth = put_task(
            draft, chosen.asked, chosen.told, chosen.place, place.size_px, pools.get(draft.task)
        )
        if estimate_tokens([turn]) > options.text_tokens:
            left_out["budget"] += 1
            continue
        group = row_id(place.tour.scene.id, draft.group) if draft.group else None
        yield place.row(
            "task", draft.key, [turn], draft.evidence, draft.boxes, [template], task=draft.task, truth=truth,
            group=group,
        )  # fmt: skip


@dataclass(eq=False)
class _Made:
    """What was made of a tour so far."""

    tour: TalkTour
    options: DialogueOptions
    knowledge: Mapping[str, Background]
    for_model: bool
    statements: Mapping[AskedPair, str]
    distractors: Proposed
    show: Callable[[int], str] | None
    talks: list[Dialogue] = field(default_factory=list)
    contexts: list[Context] = field(default_factory=list)
    clouds: list[MadeCloud] = field(default_factory=list)
    findings: list[Finding] = field(default_factory=list)
    drafts: list[tuple[Place, Placed]] = field(default_factory=list)
    asked: list[Asked] = field(default_factory=list)
    left_out: Counter[str] = field(default_factory=Counter)
    told: set[str] = field(default_factory=set)
    """Kinds of which background was told."""

    def __post_init__(self) -> None:
        self.place = Place(self.tour, None, name_perception(self.tour.objects))

    def add_model(self, model: SceneModel, depth: DepthOf | None) -> None:
        """Views, walks and the cloud of a model."""
        tour, options, home = self.tour, self.options, replace(self.place, model=model)
        views = tour.find_views(model, options) if options.medium != "cloud" else []
        for view in views:
            self._add_view(replace(home, view=view), view)
        walks = cut_walks(views, [tour.scene.frame_by_index[one.frame].time_s for one in views], options.walks)
        for walk in walks:
            self._add_walk(replace(home, walk=walk))
        if options.medium == "view":
            return
        objects = [one for one in tour.objects if one.model == model.name]
        made = make_cloud(tour.id, model, objects, options.clouds, depth)
        if made is None:
            self.findings.append(_no_cloud(tour.id, model))
            return
        self.clouds.append(made)
        things, place = tour.know_cloud(made, options), replace(home, cloud=made.cloud)
        told = tell_annotations(
            [annotation for annotation in tour.annotations if annotation.model == model.name], self.statements
        )
        context = make_cloud_context(tour.id, things, tour.seed, told)
        self.contexts.append(context)
        draw = self._draw("cloud tasks", model.name)
        proved = self._prove(self.distractors.kinds.get(model.name, ()), things.absent)
        self._add_drafts(place, find_cloud_tasks(things, draw))
        self._add_drafts(place, ask_presence(things, draw, proved, self.distractors.source))
        for view, draft in ask_unseen(things, views):
            self._add_drafts(replace(home, view=view), [draft])
        if self.for_model:
            self._ask_about(place, context, place_cloud(things, [thing.id for thing in context.things]))
            return
        draw = self._draw("cloud talk", model.name)
        self._add_talk(place, "description", "", describe_cloud(things, draw))
        self._add_talk(place, "daily", "", talk_about_cloud(things, options.most_turns, draw))
        self._add_same(place, things, views, walks)

    def _draw(self, *about: str | int) -> Draw:
        return Draw(self.tour.seed, self.tour.id, KIND, *about)

    def _add_drafts(self, place: Place, drafts: Iterable[Draft]) -> None:
        self.drafts += [(place, Placed(draft, place.key)) for draft in drafts]

    def _prove(self, proposed: Sequence[str], absent: Sequence[str]) -> list[str]:
        """Wrong options of the language model that are proved wrong; the others are counted."""
        proved = prove_absent(proposed, absent)
        self.left_out["distractor_not_proved"] += len(proposed) - len(proved)
        return proved

    def _add_view(self, place: Place, view: TalkView) -> None:
        tour, options, frame = self.tour, self.options, view.frame
        room = tour.sure_room(frame, options.gates.room_probability)
        told = tell_annotations(tour.annotations_of.get(frame, ()), self.statements)
        context = make_view_context(tour.id, view, room, tour.seed, told)
        self.contexts.append(context)
        if self.for_model:
            self._ask_about(place, context, place_view(view), self.show(frame) if self.show else None)
        else:
            talk = write_talk(view, options.most_turns, self._draw("talk", frame)) or Talk()
            for number, turns in enumerate(cut_turns(talk.turns, options.most_turns, options.text_tokens)):
                if len(turns) >= LEAST_TURNS:
                    self.talks.append(_put_talk(place, "daily", str(number), talk, turns))
            described = describe_view(view, room, self._draw("description", frame))
            self._add_talk(place, "description", "", described)
            background = tell_background(view.told, self.knowledge, self.told, self._draw("background", frame))
            if background is not None:
                kind, talk, licence = background
                self.told.add(kind)
                boxes = tuple(talk.boxes.values())
                self.talks.append(
                    place.row("factual", kind, talk.turns, talk.evidence, boxes, talk.templates, licence=licence)
                )
        draw = self._draw("tasks", frame)
        proved = self._prove(self.distractors.kinds.get(frame, ()), view.absent)
        found = find_picture_tasks(view, room, tour.tour_kinds, draw, proved, self.distractors.source)
        self._add_drafts(place, _choose_tasks(found, options, draw))

    def _add_walk(self, place: Place) -> None:
        """A talk along a walk, one turn per picture, and one that compares the pictures."""
        draw, walk, options = self._draw("walk", place.key), place.walk, self.options
        self._add_talk(place, "daily", "walk", write_walk(walk, options.walks, draw))
        self._add_talk(place, "daily", "compare", compare_views(walk, options.most_turns, options.walks, draw))

    def _add_talk(self, place: Place, kind: TalkKind, about: str, talk: Talk | None) -> None:
        """A whole talk, if it is not over the loader's limit."""
        if talk is not None and estimate_tokens(talk.turns) <= self.options.text_tokens:
            self.talks.append(_put_talk(place, kind, about, talk, talk.turns))

    def _add_same(
        self, place: Place, things: CloudThings, views: Sequence[TalkView], walks: Sequence[tuple[TalkView, ...]]
    ) -> None:
        """The same turns about a view, its walk and the cloud."""
        options, name = self.options, place.model.name if place.model else ""
        for same in write_same_talks(things, views, walks, options, self._draw("same turns", name)):
            if estimate_tokens(same.talk.turns) > options.text_tokens:
                self.left_out["budget"] += 1
                continue
            frame, home, talk = same.view.frame, replace(place, cloud=None), same.talk
            media: list[tuple[Place, Sequence[TalkBox]]] = [(replace(home, view=same.view), [*talk.boxes.values()])]
            media += [(replace(home, walk=same.walk), same.walk_boxes)] if same.walk else []
            group = row_id(self.tour.id, "same turns", name, frame)
            self.talks += [
                one.row("daily", f"same {frame}", talk.turns, talk.evidence, boxes, talk.templates, group=group)
                for one, boxes in [*media, (place, ())]
            ]

    def _ask_about(self, place: Place, context: Context, known: KnownPlace, picture: str | None = None) -> None:
        """What a language model is asked about a view or cloud: a talk, a description, background of a view's kind."""
        draw = self._draw("asked", place.key)
        question = draw.pick(load_pool("description").questions)
        told = place.view.told if place.view else ()
        boxes = [one.talk_box for one in told]
        kinds: tuple[TalkKind, ...] = ("daily", "description")
        for kind in kinds:
            row = place.row(kind, "llm", [], [], boxes, [])
            self.asked.append(ask(context, known, row, question=question, picture=picture))
        texts = {**own_knowledge(), **self.knowledge}
        named = [one.kind for one in told if one.kind in texts]
        if named:
            background = texts[draw.pick(named) or ""]
            licence = f"{background.licence} ({background.source})"
            row = place.row("factual", "llm", [], [], boxes, [], licence=licence)
            self.asked.append(ask(context, known, row, background=background, picture=picture))

    def add_annotated(self) -> None:
        """Tasks that annotations of frames answer, whether the frame has a pose or not."""
        tour = self.tour
        model_of = {frame: model for model in tour.scene.models for frame in model.world_from_cam}
        for index, told in sorted(tour.annotations_of.items()):
            found, left = find_annotated_tasks(told)
            self.left_out.update(left)
            place = replace(self.place, model=model_of.get(index), frame=tour.scene.frame_by_index[index])
            self._add_drafts(place, found)


def _put_talk(place: Place, kind: TalkKind, about: str, talk: Talk, turns: Sequence[Turn]) -> Dialogue:
    """A row of some turns of a talk, with what they rest on and name."""
    used = {name for turn in turns for name in turn.facts}
    evidence = [one for one in talk.evidence if one.name in used]
    named = {name for one in evidence for name in one.objects}
    boxes = [box for name, box in talk.boxes.items() if name in named and not place.walk]
    for view in place.walk:
        boxes += [replace(one.talk_box, view=view.frame) for one in view.told if one.id in named]
    templates = [template for turn, template in zip(talk.turns, talk.templates, strict=True) if turn in turns]
    return place.row(kind, about, turns, evidence, boxes, templates)


def _no_cloud(tour: str, model: SceneModel) -> Finding:
    why = "its reliable points are fewer than --dialogues.clouds.least-points"
    if model.scale.status == "relative":
        why = "the scale is relative, so there is no cloud in metres; state a scale to get one"
    return Finding("warning", "dialogues.cloud_without_metres", f"{tour} model {model.name}", why)
