"""Shows a server a few frames with numbered things and reads its replies as votes; what is odd in them is counted."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Annotated

import cv2
from pydantic import BaseModel, ConfigDict, Field

from instructions.errors import InstructionError
from instructions.language.connect import connect_server
from instructions.language.model import Message, ServerUnusable, TextModel
from instructions.language.open_questions import SHOWN_CHARS, OpenQuestions
from instructions.language.options import LanguageOptions
from instructions.language.pictures import PictureFiles
from instructions.language.prompts import load
from instructions.language.quoting import clean
from instructions.language.quoting import name as plain_words
from instructions.language.requests import Answers, Request
from instructions.language.runner import ask_all
from instructions.perception.draw import Highlight, draw_highlights
from instructions.perception.frames.tags import category_of, names_a_room, names_someone, plain_tag
from instructions.perception.frames.upright import turn_box_back, turn_image
from instructions.perception.interfaces import RgbImage
from instructions.perception.marked.choose import MarkedView
from instructions.perception.read_rgb import read_rgb
from instructions.perception.rooms.priors import room_priors
from instructions.perception.things.close_look import count_turns_up
from instructions.wording.colors import NAMES
from recon.findings import Finding
from recon.records import Scene

_PICTURES = 4
"""In one request: the prompt is paid once for all, and a small model still tells them apart."""
_NUMBERS = 12
"""In one request: as many answers fit into `language.max_reply_tokens`, even with a space and a line for each word."""
_JPEG_QUALITY = 92
_TOKENS_PER_MARK = 40
"""Of a reply, for estimates."""
_NO_WORD = frozenset({"unknown", "unclear", "object", "thing", "item", "nothing", "none"})


class NamedThing(BaseModel):
    """One number of a picture."""

    model_config = ConfigDict(extra="forbid")
    number: int
    category: str
    color: str
    sure: bool
    caption: Annotated[str, Field(max_length=200)] = ""


class NamedPicture(BaseModel):
    """One picture of a request."""

    model_config = ConfigDict(extra="forbid")
    picture: int
    room: str
    things: Annotated[list[NamedThing], Field(max_length=100)]


class NamedPictures(BaseModel):
    """A reply."""

    model_config = ConfigDict(extra="forbid")
    pictures: Annotated[list[NamedPicture], Field(max_length=3 * _PICTURES)]


@dataclass(frozen=True)
class Vote:
    """What a server calls a thing in one frame."""

    frame: int
    word: str
    """As the project calls such things; a word of its own where the project has none."""
    color: str | None
    """One of the palette's names."""
    is_sure: bool
    caption: str = ""
    """A few words that tell the thing from others in the frame; empty where it gave none."""


@dataclass(frozen=True, eq=False)
class MarkedRequest:
    """A request, and what its numbers mean."""

    request: Request[NamedPictures]
    marks: Mapping[int, Mapping[int, str]]
    """By picture, things by number; no number is used twice."""
    frames: Mapping[int, int]
    """By picture, its frame."""


@dataclass(frozen=True)
class Witness:
    """What a server says of a scene."""

    votes: Mapping[str, Sequence[Vote]]
    """By thing."""
    rooms: Mapping[int, str]
    """By frame, a kind of room that the project knows."""
    source: str
    """Name of the model, by the server."""
    open: OpenQuestions
    findings: tuple[Finding, ...] = ()


def make_requests(
    scene: Scene, views: Sequence[MarkedView], frames_dir: Path, drawn: Path, pictures: PictureFiles, *, seed: int = 0
) -> list[MarkedRequest]:
    """Draw the numbers and write the questions, up to four pictures each.

    Args:
        scene: Upright: pictures of a camera that lies on its side are turned.
        views: Frames with their marks. One whose picture cannot be read is left out.
        frames_dir: Folder of the pictures.
        drawn: Folder for the drawn ones, which are needed until all is answered.
        pictures: Gets to know them.
        seed: Another one asks anew.

    Raises:
        InstructionError: If a drawn picture cannot be written.
    """
    pose_of = {frame: pose for model in scene.models for frame, pose in model.world_from_cam.items()}
    rooms, colors = (", ".join(names) for names in ([prior.name for prior in room_priors()], NAMES))
    prompt = load("instructions.perception.marked", "name").text.format(rooms=rooms, colors=colors)
    requests: list[MarkedRequest] = []
    for group in _group_views(views):
        marks: dict[int, dict[int, str]] = {}
        frames: dict[int, int] = {}
        digests: list[str] = []
        used = 0
        for view in group:
            image_rgb = read_rgb(frames_dir / scene.frame_by_index[view.frame].image)
            if image_rgb is None:
                continue
            numbers = range(used + 1, used + 1 + len(view.boxes))
            path = drawn / f"{view.frame}.jpg"
            _draw_numbers(image_rgb, view, numbers, count_turns_up(pose_of[view.frame]), path)
            digests.append(pictures.add(path))
            frames[len(digests)] = view.frame
            marks[len(digests)] = {n: thing for n, (thing, _) in zip(numbers, view.boxes, strict=True)}
            used = numbers[-1]
        if digests:
            lines = [f"Picture {place}: {', '.join(map(str, own))}" for place, own in marks.items()]
            messages = (Message("system", prompt), Message("user", "\n".join(lines), tuple(digests)))
            name = f"marks_{len(requests)}"
            likely = _TOKENS_PER_MARK * (used + len(digests))
            request = Request(name, messages, NamedPictures, seed=seed, temperature=0.0, likely_tokens=likely)
            requests.append(MarkedRequest(request, marks, frames))
    return requests


def _group_views(views: Sequence[MarkedView]) -> list[list[MarkedView]]:
    """Views that share a request, in order."""
    groups: list[list[MarkedView]] = []
    for view in views:
        last = groups[-1] if groups else []
        used = sum(len(one.boxes) for one in last)
        if last and len(last) < _PICTURES and used + len(view.boxes) <= _NUMBERS:
            last.append(view)
        else:
            groups.append([view])
    return groups


def _draw_numbers(image_rgb: RgbImage, view: MarkedView, numbers: Iterable[int], turns: int, path: Path) -> None:
    """Write the upright picture with its things numbered."""
    upright = turn_image(image_rgb, turns)
    height, width = upright.shape[:2]
    boxes = [turn_box_back(box, -turns, width, height) for _, box in view.boxes]
    highlights = [Highlight(box, number=number) for number, box in zip(numbers, boxes, strict=True)]
    shown = draw_highlights(upright, highlights, draw_numbers=True)
    if not cv2.imwrite(str(path), shown[..., ::-1], [cv2.IMWRITE_JPEG_QUALITY, _JPEG_QUALITY]):
        raise InstructionError(f"{path}: the drawn picture cannot be written")


def ask_server(
    asked: Sequence[MarkedRequest],
    pictures: PictureFiles,
    replies: Path,
    language: LanguageOptions,
    where: str,
    *,
    connect: Callable[[PictureFiles], TextModel] | None = None,
    progress: Callable[[float], None] | None = None,
) -> Witness:
    """Ask, and read what was answered; a server that is away, refuses or errs leaves things as they are.

    Args:
        asked: The requests.
        pictures: Knows their pictures.
        replies: Folder that keeps every reply.
        language: Server, model, limits and budget.
        where: Name of the tour, for findings.
        connect: Makes the model; the server of the options if not given.
        progress: Told the share answered.
    """

    def open_server() -> TextModel:
        return connect(pictures) if connect else connect_server(language, pictures)

    answers = _ask([one.request for one in asked], open_server, replies, language, progress)
    votes: dict[str, list[Vote]] = defaultdict(list)
    rooms: dict[int, str] = {}
    odd: Counter[str] = Counter()
    for one, answer in zip(asked, answers.answers, strict=True):
        if answer.value is not None:
            for thing, vote in read_votes(one, answer.value, odd):
                votes[thing].append(vote)
            rooms |= _read_rooms(one, answer.value, odd)
    source = next((one.served_by for one in answers.answers if one.served_by), language.model)
    findings = ()
    if odd:
        counts = ", ".join(f"{count} {what}" for what, count in odd.most_common())
        findings = (
            Finding("info", "perception.odd_reply", where, f"replies of {source}: {counts}; these were left out"),
        )
    return Witness(votes, rooms, source, answers.open, findings)


def _ask(
    requests: Sequence[Request[NamedPictures]],
    open_server: Callable[[], TextModel],
    replies: Path,
    language: LanguageOptions,
    progress: Callable[[float], None] | None,
) -> Answers[NamedPictures]:
    """Every request with its answer; where the server fails, those with kept replies, and the others open."""
    try:
        return ask_all(requests, open_server, replies, language, progress=progress)
    except ServerUnusable as error:
        kept = ask_all(requests, open_server, replies, replace(language, max_requests=0))
        reason = clean(str(error), SHOWN_CHARS)
        answers = tuple(
            answer if answer.value is not None else replace(answer, open_because="no_reply", said=reason)
            for answer in kept.answers
        )
        return replace(kept, answers=answers)


def read_votes(asked: MarkedRequest, reply: NamedPictures, odd: Counter[str]) -> Iterator[tuple[str, Vote]]:
    """Things with votes out of one reply.

    Args:
        asked: What the numbers mean.
        reply: Of the server.
        odd: Counts what is of no use: numbers that are missing, of no picture or under another one, told twice, and
            words that name no thing.
    """
    named_things: dict[tuple[int, int], NamedThing] = {}
    picture_of = {number: place for place, own in asked.marks.items() for number in own}
    for picture in reply.pictures:
        for one in picture.things:
            at = (picture.picture, one.number)
            if picture_of.get(one.number) != picture.picture:
                odd["numbers of another picture" if one.number in picture_of else "numbers that nothing has"] += 1
            elif at in named_things:
                odd["numbers told twice"] += 1
            else:
                named_things[at] = one
    for number, place in picture_of.items():
        one = named_things.get((place, number))
        if one is None:
            odd["numbers without an answer"] += 1
            continue
        word = plain_tag(one.category)
        if word in _NO_WORD:
            continue
        if word is None or names_a_room(word) or names_someone(word):
            odd["words that name no thing"] += 1
            continue
        color = one.color.lower().strip().replace("grey", "gray")
        caption = plain_words(one.caption).lower()
        vote = Vote(asked.frames[place], category_of(word), color if color in NAMES else None, one.sure, caption)
        yield asked.marks[place][number], vote


def _read_rooms(asked: MarkedRequest, reply: NamedPictures, odd: Counter[str]) -> dict[int, str]:
    known = {prior.name for prior in room_priors()}
    rooms: dict[int, str] = {}
    for picture in reply.pictures:
        room = picture.room.lower().strip()
        if picture.picture in asked.frames and room in known:
            rooms.setdefault(asked.frames[picture.picture], room)
        elif room not in ("unknown", "other", ""):
            odd["rooms that are no kind of room or of no picture"] += 1
    return rooms
