"""The rows of the kind `dialogues`: turns about a view or a cloud, what they rest on, and the clouds themselves."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from instructions.records import Box, Obb, SourcedText, Vec3
from instructions.rows import Row
from instructions.wording.english import number_of
from recon.records import ScaleStatus

KIND = "dialogues"
TalkKind = Literal["daily", "factual", "description", "task"]
"""C1 to C4: a talk, background knowledge, one long description, one task of vision."""
Medium = Literal["view", "views", "cloud"]
About = Literal["visible", "place", "count", "relation", "reason", "knowledge"]
Points = Literal["depth", "tracks"]
Spot = tuple[float, ...]
"""A box (x0, y0, x1, y1) or a point (x, y) in pixels of the frame, pixel centres at +0.5."""
NOT_IN_VIEW = "not in view"
"""Label of the truth where a thing cannot be seen from a view."""
Row4 = tuple[float, float, float, float]


@dataclass(frozen=True)
class Turn:
    """One question and its answer."""

    question: str
    answer: str
    about: About
    facts: tuple[str, ...] = ()
    """Names of the entries of the row's `evidence` that the answer rests on."""
    spots: tuple[Spot, ...] = ()
    """What the brackets of question and answer stand for, in the order of the text. The text has shares of width and
    height with two decimals; exports write them anew for the encoder."""
    view: int | None = None
    """The frame at which it is asked, in a talk along a walk; None where all pictures lie before one."""


@dataclass(frozen=True)
class Evidence:
    """One measured fact that an answer rests on."""

    name: str
    """Unique in its row: `nearer 0_3 0_7`."""
    words: str
    objects: tuple[str, ...] = ()
    value: float | None = None
    unit: str = ""
    sigma: float = 0.0
    """One standard deviation of the value; 0 where it is no measurement."""
    margin: float | None = None
    """What the value had to exceed."""


def count_things(kind: str, objects: Sequence[str], words: str = "") -> Evidence:
    """How many things of a kind there are; `words` in place of `two chairs`."""
    return Evidence(
        f"count {kind}", words or number_of(len(objects), kind), tuple(objects), float(len(objects)), "things"
    )


@dataclass(frozen=True)
class TalkBox:
    """A thing of a view that a row is about."""

    object: str
    name: str
    box_xyxy: Box
    view: int | None = None
    """The frame, in rows about several; None where the row has one."""


@dataclass(frozen=True)
class CloudBox:
    """A thing of a cloud: centre and full lengths along the axes of the cloud, metres, and its box as it lies there."""

    object: str
    name: str
    center: Vec3
    lengths: Vec3
    obb: Obb
    """In the axes of the cloud."""


@dataclass(frozen=True)
class TaskTruth:
    """The answer of a task as a benchmark compares it. Which fields are set hangs on the task."""

    label: str | None = None
    number: int | None = None
    objects: tuple[TalkBox, ...] = ()
    cloud_objects: tuple[CloudBox, ...] = ()
    choices: tuple[str, ...] = ()
    correct: int | None = None
    point: Spot | None = None
    """Where the keypoint `label` is, in pixels of the frame; `objects` has the person."""
    words: tuple[str, ...] = ()
    """What is written, word by word."""
    metres: float | None = None
    """A measured length."""
    interval_m: tuple[float, float] | None = None
    """The lengths in metres that are right for it."""


@dataclass(frozen=True, kw_only=True)
class Dialogue(Row):
    """One talk, description or task."""

    kind: TalkKind
    task: str | None = None
    """Of kind `task`: a key of `tasks.TASKS`."""
    medium: Medium
    cloud: str | None = None
    """Name of the cloud (`clouds.jsonl`) that it is about."""
    turns: tuple[Turn, ...]
    evidence: tuple[Evidence, ...] = ()
    boxes: tuple[TalkBox, ...] = ()
    """Things of the view that it names."""
    truth: TaskTruth | None = None
    templates: tuple[str, ...] = ()
    """One per turn that was made from a template: `count/questions/3/answers/0`."""
    text_licence: str = ""
    """Of the background texts that it rests on; that of the frames is the run's."""
    size_px: tuple[int, int] | None = None
    """Width and height of the frame."""
    group: str | None = None
    """Rows of one group have the same turns about other media, or ask one question where it can be answered and where
    it cannot."""
    pilot: Literal["passed", "skipped"] | None = None
    """Of a language model's row: whether people accepted enough of a pilot of its prompt."""


@dataclass(frozen=True)
class ContextThing:
    """A thing as a prompt shows it. Four numbers: a box as shares of the view; six: a box of the cloud in metres."""

    id: str
    name: str
    attributes: tuple[str, ...]
    box: tuple[float, ...]
    source: str


@dataclass(frozen=True)
class Relation:
    """`a predicate b`, from the geometry of boxes."""

    a: str
    predicate: str
    b: str
    value: float
    margin: float
    source: str = "geometry of boxes"

    def evidence(self, unit: str) -> Evidence:
        """What an answer that tells it rests on, in this unit of length."""
        words = f"{self.a} {self.predicate} {self.b}"
        return Evidence(words, words, (self.a, self.b), self.value, unit, 0.0, self.margin)


@dataclass(frozen=True)
class Context:
    """What is known of a view or a cloud, as a writer is given it."""

    id: str
    tour: str
    medium: Medium
    view: int | None
    cloud: str | None
    captions: tuple[SourcedText, ...]
    things: tuple[ContextThing, ...]
    relations: tuple[Relation, ...]
    room: SourcedText | None = None


@dataclass(frozen=True)
class Cloud:
    """A point cloud in the form of the loaders: float32 (N, 6), x y z in metres, r g b from 0 to 255."""

    name: str
    tour: str
    model: str
    points: Points
    count: int
    path: str
    """Relative to the folder of the kind."""
    cloud_from_world: tuple[Row4, Row4, Row4, Row4]
    """Moves points of the model to the cloud: floor at z = 0, origin in its middle, box edges along x, y."""
    boxes: tuple[CloudBox, ...]
    scale_status: ScaleStatus
    scale_sigma: float


def explain(row: Dialogue) -> tuple[str, ...]:
    """What kind of row it is, its turns, what they rest on, and what is named."""
    task = f" {row.task}" if row.task else ""
    about = row.cloud or ("one view" if len(row.views) == 1 else f"{len(row.views)} views")
    lines = [f"{row.kind}{task} about {about}; writer {row.writer}"]
    for turn in row.turns:
        at = "" if turn.view is None else f" (at frame {turn.view})"
        lines += [f"Q{at}: {turn.question}", *(f"A: {part}" for part in turn.answer.split("\n\n"))]
    for letter, box in zip("ABCDEFGHIJKLMNOPQRSTUVWXYZ", row.boxes, strict=False):
        lines.append(f"{letter} = {box.name} ({box.object})")
    for one in row.evidence:
        value = "" if one.value is None else f" = {one.value:.3g} {one.unit}".rstrip()
        error = f" +- {one.sigma:.2g}" if one.sigma else ""
        bar = "" if one.margin is None else f" (bar {one.margin:.2g})"
        lines.append(f"{one.name}: {one.words}{value}{error}{bar}")
    if row.rejected_because is not None:
        lines.append(f"rejected, {row.rejected_because}: {row.rejection}")
    return tuple(lines)
