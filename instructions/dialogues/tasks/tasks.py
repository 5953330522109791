"""The tasks of vision: their names for loaders, and a task of a view or cloud before its words are drawn."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from instructions.dialogues.records import About, CloudBox, Evidence, Medium, Spot, TalkBox, TaskTruth, Turn
from instructions.dialogues.spots import say_spot
from instructions.dialogues.templates import Pool, fill, load_pool, option_text
from instructions.errors import InstructionError
from instructions.wording.english import with_article


@dataclass(frozen=True)
class TaskKind:
    """One task."""

    name: str
    """Also of its pool of templates."""
    task_type: str
    """What the loader calls it; it stops at other names."""
    benchmark: str
    """Name of its file in the benchmark: `meta_file/NAME.json`."""
    medium: Medium
    about: About


TASKS: Mapping[str, TaskKind] = {
    kind.name: kind
    for kind in (
        TaskKind("classify_view", "classification", "Classification_rooms", "view", "visible"),
        TaskKind("classify_thing", "classification", "Classification_things", "view", "visible"),
        TaskKind("detect", "detection", "Detection", "view", "place"),
        TaskKind("ground", "detection", "Grounding", "view", "place"),
        TaskKind("count", "counting", "Counting", "view", "count"),
        TaskKind("locate", "normal", "Locating", "view", "place"),
        TaskKind("presence", "VQA", "Presence", "view", "visible"),
        TaskKind("choice", "VQA", "VQA", "view", "relation"),
        TaskKind("keypoints", "keypoint_detection", "Keypoints_Detection", "view", "place"),
        TaskKind("words", "VQA", "OCR", "view", "visible"),
        TaskKind("unseen", "VQA", "Unseen", "view", "place"),
        TaskKind("length", "VQA", "Lengths", "view", "relation"),
        TaskKind("classify_cloud", "classification3d", "Classification3D", "cloud", "visible"),
        TaskKind("detect_cloud", "detection3d", "Detection3D", "cloud", "place"),
        TaskKind("ground_cloud", "visual_grounding3d", "VG3D", "cloud", "place"),
        TaskKind("vqa_cloud", "VQA3D", "VQA3D", "cloud", "relation"),
    )
}
"""By name."""
BENCHMARKS: Mapping[str, TaskKind] = TASKS | {
    "caption": TaskKind("caption", "description", "Caption", "view", "visible"),
    "caption_cloud": TaskKind("caption_cloud", "description3d", "Caption3D", "cloud", "visible"),
}
"""What the benchmark holds, by name: the tasks, and descriptions beside reference sentences."""
TALK_TYPES: Mapping[tuple[str, bool], str] = {
    (kind, is_cloud): name + ("3d" if is_cloud else "")
    for kind, name in (("daily", "conversation"), ("description", "description"), ("factual", "commomsenseqa"))
    for is_cloud in (False, True)
}
"""What the loader calls talks (`commomsenseqa` is so spelt by it), by kind and whether they are about a cloud."""


def require_task(name: str, where: str) -> TaskKind:
    """The task of a name.

    Raises:
        InstructionError: Naming the known ones.
    """
    if name not in TASKS:
        raise InstructionError(f"{where}: no task {name!r}; known: {', '.join(TASKS)}")
    return TASKS[name]


def task_type(kind: str, task: str | None, medium: Medium) -> str:
    """What the loader calls a row."""
    if task is not None:
        return TASKS[task].task_type
    return TALK_TYPES[kind, medium == "cloud"]


@dataclass(frozen=True)
class Draft:
    """A task with its truth, before its template is chosen."""

    task: str
    key: str
    """What it is about, unique among the drafts of its view or cloud."""
    truth: TaskTruth
    evidence: tuple[Evidence, ...]
    slots: Mapping[str, str] = field(default_factory=dict)
    asked_spot: Spot | None = None
    """`{W}` or `{B}` of the question."""
    told_spot: Spot | None = None
    """`{B}` of the answer."""
    boxes: tuple[TalkBox, ...] = ()
    wrong: tuple[str, ...] = ()
    """For a choice: options proved false."""
    right: str = ""
    variant: str = ""
    """Of the pool's answers: `yes`, `no`, or `` where there is one kind."""
    names_class: str = ""
    """The class that template and class are balanced by."""
    group: str = ""
    """Drafts of one group stay only together."""


def put_task(
    draft: Draft, asked: int, told: int, place: int, size_px: tuple[int, int] | None, pool: Pool | None = None
) -> tuple[Turn, str, TaskTruth]:
    """The turn of a draft, the name of its template, and its truth with the options in order.

    Args:
        draft: The task.
        asked: Which question of the pool.
        told: Which answer of the pool.
        place: For a choice, where the right option stands.
        size_px: Of the picture; None for clouds.
        pool: Of the task, if another than our own.
    """
    pool = pool or load_pool(draft.task)
    slots, truth = dict(draft.slots), draft.truth
    spots: list[Spot] = []
    if draft.right:
        place %= len(draft.wrong) + 1
        choices = (*draft.wrong[:place], draft.right, *draft.wrong[place:])
        truth = TaskTruth(choices=choices, correct=place, objects=truth.objects, label=truth.label)
        slots |= {"options": option_text(choices), "L": chr(ord("A") + place), "A": draft.right}
    if draft.asked_spot is not None and size_px is not None:
        spots.append(draft.asked_spot)
        slots |= dict.fromkeys(("W", "B"), say_spot(draft.asked_spot, size_px))
    question = fill(pool.questions[asked], slots)
    template = pool.answers[draft.variant][told]
    if draft.task == "detect" and size_px is not None:
        sentences = []
        for box in truth.objects:
            spots.append(box.box_xyxy)
            sentences.append(fill(template, {**slots, "C": box.name, "B": say_spot(box.box_xyxy, size_px)}))
        answer = " ".join(sentences)
    elif draft.task in ("detect_cloud", "ground_cloud"):
        answer = " ".join(fill(template, {**slots, **_cloud_slots(box)}) for box in truth.cloud_objects)
    else:
        if draft.told_spot is not None and size_px is not None:
            spots.append(draft.told_spot)
            slots |= {"B": say_spot(draft.told_spot, size_px)}
        answer = fill(template, slots)
    variant = f"answers_{draft.variant}" if draft.variant else "answers"
    turn = Turn(question, answer, TASKS[draft.task].about, tuple(one.name for one in draft.evidence), tuple(spots))
    return turn, f"{draft.task}/questions/{asked}/{variant}/{told}", truth


def say_cloud_box(box: CloudBox) -> str:
    """`(cx, cy, cz, lx, ly, lz)`, metres with two decimals, never minus zero."""
    values = (*box.center, *(max(length, 0.01) for length in box.lengths))
    return f"({', '.join(f'{round(value, 2) + 0.0:.2f}' for value in values)})"


def _cloud_slots(box: CloudBox) -> dict[str, str]:
    return {"C": box.name, "aC": with_article(box.name), "B": say_cloud_box(box)}
