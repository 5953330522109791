"""What people or other programs say of pictures and scenes, and the tasks that only that can answer."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path, PurePosixPath
from typing import Annotated

from annotated_types import Len
from pydantic import Field, FiniteFloat, model_validator

from instructions.dialogues.given import read_given_lines
from instructions.dialogues.records import Evidence, TalkBox, TaskTruth
from instructions.dialogues.tasks.tasks import Draft
from instructions.errors import InstructionError
from instructions.language.quoting import name as plain_words
from instructions.language.requests import StrictModel
from instructions.records import Box
from recon.records import Frame

COCO_KEYPOINTS = (
    "nose", "left eye", "right eye", "left ear", "right ear", "left shoulder", "right shoulder", "left elbow",
    "right elbow", "left wrist", "right wrist", "left hip", "right hip", "left knee", "right knee", "left ankle",
    "right ankle",
)  # fmt: skip
"""In COCO's order; left and right are the person's own."""
VISIBLE = 2
"""COCO's flag of a keypoint that is labelled and can be seen."""
_MOST_BYTES = 256 * 1024 * 1024


@dataclass(frozen=True)
class Keypoint:
    """A named part of a body that can be seen, in pixels of the frame."""

    name: str
    x: float
    y: float


@dataclass(frozen=True)
class Person:
    """Somebody with keypoints."""

    box_xyxy: Box
    keypoints: tuple[Keypoint, ...]


@dataclass(frozen=True)
class ReadText:
    """Writing in a picture and where it is, in pixels of the frame."""

    text: str
    box_xyxy: Box


_Text = Annotated[str, Field(min_length=1, max_length=2000)]
_Numbers = Annotated[list[FiniteFloat], Len(4, 4)]


@dataclass(frozen=True)
class AskedPair:
    """A question and its answer from another data set."""

    __pydantic_config__ = StrictModel.model_config
    question: _Text
    answer: _Text


@dataclass(frozen=True)
class Annotation:
    """What is said of one frame, or of a model's cloud."""

    frame: int | None
    """None where it is about a cloud."""
    model: str | None = None
    """Of the cloud; None where it is about a frame."""
    label: str | None = None
    """What room or place the picture shows."""
    attributes: tuple[str, ...] = ()
    captions: tuple[str, ...] = ()
    words: tuple[ReadText, ...] = ()
    people: tuple[Person, ...] = ()
    pairs: tuple[AskedPair, ...] = ()
    source: str = "annotations"
    """Who says so."""


class WordLine(StrictModel):
    """A piece of writing as a line has it."""

    text: Annotated[str, Field(min_length=1, max_length=200)]
    box: _Numbers


class PersonLine(StrictModel):
    """Somebody as a line has them."""

    box: _Numbers
    keypoints: list[FiniteFloat] = Field(default_factory=list)
    """As COCO has them: x, y, flag for each of 17."""
    points: dict[str, Annotated[list[FiniteFloat], Len(2, 2)]] = Field(default_factory=dict)

    @model_validator(mode="after")
    def _whole(self) -> PersonLine:
        if self.keypoints and len(self.keypoints) != 3 * len(COCO_KEYPOINTS):
            raise ValueError(f"has {len(self.keypoints)} numbers, need {3 * len(COCO_KEYPOINTS)}: x, y, flag for each")
        return self


class AnnotationLine(StrictModel):
    """What a line says of one picture or cloud, besides what it is about."""

    label: Annotated[str, Field(max_length=80)] | None = None
    attributes: list[Annotated[str, Field(max_length=80)]] = Field(default_factory=list)
    captions: list[_Text] = Field(default_factory=list)
    words: list[WordLine] = Field(default_factory=list)
    people: list[PersonLine] = Field(default_factory=list)
    pairs: list[AskedPair] = Field(default_factory=list)


class _Line(AnnotationLine):
    image: str | None = None
    frame: int | None = None
    cloud: str | None = None
    source: Annotated[str, Field(max_length=200)] = "annotations"

    @model_validator(mode="after")
    def _about_one(self) -> _Line:
        if sum(one is not None for one in (self.image, self.frame, self.cloud)) != 1:
            raise ValueError("need one of image, frame and cloud (the model of the scene)")
        if self.cloud is not None and (self.words or self.people):
            raise ValueError("a cloud has no words and people")
        return self


def read_annotations(path: Path, frames: Sequence[Frame], models: Iterable[str]) -> tuple[Annotation, ...]:
    """Annotations of a run's frames and clouds from JSONL.

    Each line: {image | frame | cloud, label?, attributes?, captions?, words? [{text, box}], people? [{box, keypoints |
    points}], pairs? [{question, answer}], source?}. Boxes are x0, y0, x1, y1 in pixels of the frame.

    Args:
        path: The file.
        frames: Of the run; `image` is a file name of one of them.
        models: Names of the scene's models; `cloud` is one of them.

    Raises:
        InstructionError: Naming file, line and field of what does not fit, an unknown picture, a box outside of it.
    """
    by_index = {one.index: one for one in frames}
    by_name = {PurePosixPath(one.image).name: one for one in frames}
    known = sorted(models)
    out = []
    for at, row in read_given_lines(path, f"--dialogues.annotations {path}", _Line, _MOST_BYTES):
        frame = by_index.get(row.frame or 0) or by_name.get(PurePosixPath(row.image or "").name)
        if row.cloud is not None and row.cloud not in known:
            raise InstructionError(f"{at}: cloud: no model {row.cloud!r}; the scene has {', '.join(known)}")
        if row.cloud is None and frame is None:
            asked = f"frame {row.frame}" if row.frame is not None else f"image {row.image!r}"
            such = min(by_name, default="none")
            raise InstructionError(f"{at}: {asked} is none of the run's {len(frames)} frames, such as {such}")
        out.append(take_line(row, frame, row.cloud, row.source, at))
    return tuple(out)


def take_line(row: AnnotationLine, frame: Frame | None, model: str | None, source: str, where: str) -> Annotation:
    """A checked line as a record.

    Raises:
        InstructionError: For a box or point that is not in the picture.
    """
    size = (frame.width, frame.height) if frame is not None else (0, 0)
    people = []
    for number, one in enumerate(row.people):
        at = f"{where}: people.{number}"
        people.append(Person(_box(one.box, size, at), tuple(_points(one, size, at))))
    words = tuple(ReadText(one.text, _box(one.box, size, f"{where}: words.{n}")) for n, one in enumerate(row.words))
    return Annotation(
        frame.index if frame is not None else None, model, row.label, tuple(row.attributes), tuple(row.captions), words,
        tuple(people), tuple(row.pairs), source,
    )  # fmt: skip


def name_points(box: Sequence[float], keypoints: Sequence[float], names: Sequence[str], where: str) -> PersonLine:
    """A person of a COCO file: the visible ones of its keypoints, by the names that its category has.

    Raises:
        InstructionError: Where there are not three numbers to each name.
    """
    names = names or COCO_KEYPOINTS
    if len(keypoints) != 3 * len(names):
        raise InstructionError(f"{where}: {len(keypoints)} numbers, need {3 * len(names)}: x, y, flag for each name")
    triples = zip(names, keypoints[::3], keypoints[1::3], keypoints[2::3], strict=True)
    points = {name: [x, y] for name, x, y, flag in triples if flag >= VISIBLE}
    return PersonLine.model_construct(box=list(box), keypoints=[], points=points)


def by_frame(annotations: Iterable[Annotation]) -> Mapping[int, list[Annotation]]:
    """Those about frames."""
    out: dict[int, list[Annotation]] = {}
    for annotation in annotations:
        if annotation.frame is not None:
            out.setdefault(annotation.frame, []).append(annotation)
    return out


def _box(values: Sequence[float], size: tuple[int, int], where: str) -> Box:
    x0, y0, x1, y1 = values
    if not (0.0 <= x0 < x1 <= size[0] and 0.0 <= y0 < y1 <= size[1]):
        raise InstructionError(
            f"{where}: box {list(values)}: need corners in pixels, 0 <= x0 < x1 <= {size[0]}, 0 <= y0 < y1 <= {size[1]}"
        )
    return (x0, y0, x1, y1)


def _points(row: PersonLine, size: tuple[int, int], where: str) -> Iterable[Keypoint]:
    told = {name.lower().replace("_", " "): (x, y) for name, (x, y) in row.points.items()}
    if row.keypoints:
        points = name_points(row.box, row.keypoints, COCO_KEYPOINTS, where).points
        told = {name: (x, y) for name, (x, y) in points.items()} | told
    for name, (x, y) in told.items():
        if not (0.0 <= x <= size[0] and 0.0 <= y <= size[1]):
            raise InstructionError(
                f"{where}: {name} at [{x}, {y}]: outside of the picture, {size[0]} x {size[1]} pixels"
            )
        yield Keypoint(name, x, y)


_READABLE = re.compile(r"[^\"'\u201c\u201d\[\]{}<>|\x00-\x1f\x7f]{1,80}")
"""What can stand between quotation marks: the answer's only ones, with nothing that stands for a place or a medium."""
_LEAST_LETTERS = 2
_LEAST_KEYPOINTS = 3
"""Parts of a person that must be marked: of one with fewer most lies outside or is hidden."""
_INSIDE_SHARE = 0.05
"""Of the person's longer side: keypoints lie no further off its box."""
_SAME_SHARE = 0.02
"""Of the longer side: parts nearer to each other than this have one place."""


def find_annotated_tasks(annotations: Sequence[Annotation]) -> tuple[list[Draft], Counter[str]]:
    """Tasks about one frame, and how many annotations were left out by reason."""
    out: list[Draft] = []
    left: Counter[str] = Counter()
    for annotation in annotations:
        for number, person in enumerate(annotation.people):
            out += _ask_keypoints(annotation, number, person, left)
        texts = Counter(word.text for word in annotation.words)
        for number, word in enumerate(annotation.words):
            text = " ".join(word.text.split())
            if not _READABLE.fullmatch(text) or sum(sign.isalnum() for sign in text) < _LEAST_LETTERS:
                left["words_not_quotable"] += 1
                continue
            if texts[word.text] > 1:
                left["words_twice"] += 1
                continue
            thing = TalkBox(f"{annotation.frame} words {number}", "words", word.box_xyxy)
            evidence = (Evidence(f"words {number}", f"read by {annotation.source}", (thing.object,)),)
            truth = TaskTruth(label=text, words=tuple(text.split()), objects=(thing,))
            out.append(
                Draft("words", f"words {number} {text}", truth, evidence, {"A": text}, asked_spot=word.box_xyxy,
                      boxes=(thing,), names_class="words")
            )  # fmt: skip
    return out, left


def _ask_keypoints(one: Annotation, number: int, person: Person, left: Counter[str]) -> list[Draft]:
    x0, y0, x1, y1 = person.box_xyxy
    longer = max(x1 - x0, y1 - y0)
    slack = _INSIDE_SHARE * longer
    if len(person.keypoints) < _LEAST_KEYPOINTS:
        left["person_with_few_keypoints"] += 1
        return []
    thing = TalkBox(f"{one.frame} person {number}", "person", person.box_xyxy)
    out = []
    for point in person.keypoints:
        part = plain_words(point.name)
        if not (x0 - slack <= point.x <= x1 + slack and y0 - slack <= point.y <= y1 + slack) or not part:
            left["keypoint_off_its_person"] += 1
            continue
        others = [other for other in person.keypoints if other is not point]
        if any(max(abs(other.x - point.x), abs(other.y - point.y)) < _SAME_SHARE * longer for other in others):
            left["keypoints_in_one_place"] += 1
            continue
        spot = (point.x, point.y)
        evidence = (Evidence(f"keypoint {number} {part}", f"{part} marked by {one.source}", (thing.object,)),)
        truth = TaskTruth(label=part, point=spot, objects=(thing,))
        out.append(
            Draft("keypoints", f"{part} {number}", truth, evidence, {"P": part}, asked_spot=person.box_xyxy,
                  told_spot=spot, boxes=(thing,), names_class=part)
        )  # fmt: skip
    return out
