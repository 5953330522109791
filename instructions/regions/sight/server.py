"""An OpenAI-compatible server that takes pictures as captioner, narrator and answerer of views."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, TypeVar

import cv2
from pydantic import BaseModel, Field

from instructions.errors import InstructionError
from instructions.language.budget import Usage, sum_usage
from instructions.language.connect import connect_server
from instructions.language.model import Message, TextModel
from instructions.language.open_questions import OpenQuestions
from instructions.language.options import LanguageOptions
from instructions.language.pictures import PictureFiles
from instructions.language.prompts import load
from instructions.language.requests import Answer, Request, StrictModel
from instructions.language.runner import ask_all
from instructions.perception.draw import Highlight, draw_highlights
from instructions.records import Box, SourcedText
from instructions.regions.parse import PlainText, quote
from instructions.regions.records import Probe
from instructions.regions.sight.pictures import read_rgb

T = TypeVar("T", bound=BaseModel)
_PROMPTS = "instructions.regions.sight"
_NARRATIVE_TEMPERATURE = 1.1
_NO_ANSWER = ("unknown", "not sure", "unclear", "n/a", "none", "")


@dataclass(frozen=True)
class SightView:
    """A picture to look at."""

    id: str
    image: Path
    boxes: tuple[Box, ...]
    """Of the regions, by number, in pixels of the picture."""


class ServerSight:
    """Looks through a server. Replies are kept by content, so the same view is looked at once."""

    def __init__(
        self,
        language: LanguageOptions,
        replies: Path,
        drawn: Path,
        *,
        seed: int = 0,
        connect: Callable[[PictureFiles], TextModel] | None = None,
    ) -> None:
        """Nothing is asked yet.

        Args:
            language: Server, model, limits and budget.
            replies: Folder that keeps every reply.
            drawn: Folder for pictures with one region drawn; may be thrown away when all is answered.
            seed: Another one asks for other words.
            connect: Makes the model; the server of the options if not given.
        """
        self._language, self._replies, self._drawn, self._seed = language, replies, drawn, seed
        self._pictures = PictureFiles()
        self._connect = connect or (lambda pictures: connect_server(language, pictures))
        self.usage = Usage()
        self.open = OpenQuestions()

    def caption(self, views: Sequence[SightView]) -> list[list[SourcedText | None]]:
        """See `RegionCaptioner`: the model is shown the picture with that one box drawn."""
        asked = [
            self._request(f"{view.id}_c{number}", "caption", "What is in the frame?", CaptionReply, digest)
            for view in views
            for number, digest in enumerate(self._draw(view))
        ]
        told = (
            None if one.value is None else SourcedText(one.value.caption.strip(" ."), self._name(one))
            for one in self._ask(asked)
        )
        return [[next(told) for _ in view.boxes] for view in views]

    def narrate(self, views: Sequence[SightView], count: int) -> list[list[SourcedText]]:
        """See `Narrator`."""
        asked = []
        for view in views:
            words, shown = f"Write {count} texts.", self._pictures.add(view.image)
            asked.append(
                self._request(f"{view.id}_n", "narrate", words, NarrativesReply, shown, _NARRATIVE_TEMPERATURE)
            )
        return [
            [] if one.value is None else [SourcedText(text, self._name(one)) for text in one.value.narratives[:count]]
            for one in self._ask(asked)
        ]

    def ask(self, lines: Sequence[Sequence[str]]) -> list[list[str]]:
        """Short questions about views that the model only reads of, at most fifteen each."""
        asked = []
        for place, known in enumerate(lines):
            said = [quote(line) for line in known]
            words = "\n".join([*said, f"Ask {MOST_QUESTIONS} questions."])
            asked.append(self._request(f"{place}_q", "ask", words, QuestionsReply))
        return [[] if one.value is None else list(dict.fromkeys(one.value.questions)) for one in self._ask(asked)]

    def answer(self, views: Sequence[SightView], questions: Sequence[Sequence[str]]) -> list[list[Probe]]:
        """See `QuestionAnswerer`."""
        places = [place for place, asked in enumerate(questions) if asked]
        requests = []
        for place in places:
            view = views[place]
            said = [f"[{number}] {corners}" for number, corners in enumerate(_tell_corners(view))]
            said += [f"{number}. {quote(one)}" for number, one in enumerate(questions[place], start=1)]
            digest = self._pictures.add(view.image)
            requests.append(self._request(f"{view.id}_a", "answer", "\n".join(said), AnswersReply, digest))
        out: list[list[Probe]] = [[] for _ in views]
        for place, one in zip(places, self._ask(requests), strict=True):
            by_number: dict[int, str] = dict(enumerate(questions[place], start=1))
            for told in one.value.answers if one.value is not None else ():
                is_known = told.answer.strip().strip(".").lower() not in _NO_ANSWER
                if is_known and told.number in by_number:
                    out[place].append(Probe(by_number[told.number], told.answer, self._name(one)))
        return out

    def _draw(self, view: SightView) -> list[str]:
        image = read_rgb(view.image)
        digests = []
        for number, box in enumerate(view.boxes):
            drawn = draw_highlights(image, [Highlight(box)])
            path = self._drawn / f"{view.image.stem}_{number}.png"
            if not cv2.imwrite(str(path), drawn[..., ::-1]):
                raise InstructionError(f"{path}: the drawn picture cannot be written")
            digests.append(self._pictures.add(path))
        return digests

    def _request(
        self,
        name: str,
        prompt: str,
        words: str,
        schema: type[T],
        picture: str | None = None,
        temperature: float | None = None,
    ) -> Request[T]:
        shown = () if picture is None else (picture,)
        messages = (Message("system", load(_PROMPTS, prompt).text), Message("user", words, shown))
        return Request(name, messages, schema, seed=self._seed, temperature=temperature)

    def _ask(self, requests: Sequence[Request[T]]) -> tuple[Answer[T], ...]:
        found = ask_all(requests, lambda: self._connect(self._pictures), self._replies, self._language)
        self.usage, self.open = sum_usage(self.usage, found.usage), self.open + found.open
        return found.answers

    def _name(self, one: Answer[T]) -> str:
        return one.served_by or self._language.model


def _tell_corners(view: SightView) -> list[str]:
    height, width = read_rgb(view.image).shape[:2]
    return [
        f"({x0 / width:.2f}, {y0 / height:.2f}) to ({x1 / width:.2f}, {y1 / height:.2f})"
        for x0, y0, x1, y1 in view.boxes
    ]


MOST_NARRATIVES = 5
MOST_QUESTIONS = 15


class CaptionReply(StrictModel):
    """Of one region."""

    caption: Annotated[PlainText, Field(min_length=1, max_length=80)]


class NarrativesReply(StrictModel):
    """Of one view."""

    narratives: Annotated[list[PlainText], Field(min_length=1, max_length=MOST_NARRATIVES)]


class QuestionsReply(StrictModel):
    """Of one view."""

    questions: Annotated[list[PlainText], Field(min_length=1, max_length=MOST_QUESTIONS)]


class NumberedAnswer(StrictModel):
    """To one question."""

    number: Annotated[int, Field(ge=1, le=MOST_QUESTIONS)]
    answer: PlainText


class AnswersReply(StrictModel):
    """To the questions about one view; those that it leaves out are not answered."""

    answers: Annotated[list[NumberedAnswer], Field(max_length=MOST_QUESTIONS)]
