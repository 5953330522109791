"""Whether titles and descriptions speak of a walk through a home: by a keyword rule, or as a language model reads them.

Either gives one of three verdicts, and only `other` rejects. Strangers wrote the words: a language model is shown them
as quoted data, and all that its reply can do is to choose among the three.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from pydantic import BaseModel, ConfigDict, Field

from instructions.language.model import Message, TextModel
from instructions.language.options import LanguageOptions
from instructions.language.prompts import load
from instructions.language.quoting import clean
from instructions.language.requests import Request
from instructions.language.runner import ask_all
from roomtour.collect.records import Candidate, Judgement

_TITLE_CHARS, _DESCRIPTION_CHARS, _REASON_CHARS = 200, 1000, 160
_TOKENS = 40

Shows = Literal["home-tour", "other", "cannot-tell"]
_A_TOUR = r"tour|walk ?through|walk ?around|full walk|open house|inside (?:an?|my|our|the|this)"
_A_HOME = (
    "homes?|houses?|flat|apartments?|condo|studio|loft|penthouse|villa|mansion|bungalow|cottage|cabin|townhouse|farmhouse|duplex|"
    "dorm|bed|bedroom|kitchen|bathroom|rooms?|indoor|interior|suite|airbnb|property|real estate"
)
_NEVER_FILMED = (
    "minecraft|roblox|bloxburg|sims ?[1-5]?|fortnite|gta|animal crossing|gameplay|speed ?build|renders?|renderings?|"
    "animation|animated|lumion|unreal engine|sketchup|doll ?house|concert|world tour|tour dates|trailer"
)
"""Games and renderings show homes that no camera walked through; musicians tour, too."""
_NO_TOUR = (
    "tips|how to|tutorial|diy|ideas|mistakes|advice|reviews?|reaction|reacts|news|podcast|interview|recipe|unboxing|"
    "haul|prank|time ?lapse|renovation|renovating|remodel|makeover|construction|slideshow|music|drone|aerial|exterior"
)
_NO_HOME = (
    "walking tour|city (?:walk|tour)|street (?:walk|food|view|art)|campus|museum|garden|hike|hiking|bus tour|car tour|"
    "train"
)
"""Elsewhere, unless a home is named. A street alone is none of these: homes for sale are called `12 Elm Street`."""


def _compile(words: str) -> re.Pattern[str]:
    return re.compile(rf"(?<!\w)(?:{words})(?!\w)")


_TOUR, _HOME, _MADE, _TALK, _ELSEWHERE = map(_compile, (_A_TOUR, _A_HOME, _NEVER_FILMED, _NO_TOUR, _NO_HOME))


class TitleReply(BaseModel):
    """What a model said of one video."""

    model_config = ConfigDict(extra="forbid")

    shows: Shows
    why: str = Field(max_length=2000)


@dataclass(frozen=True)
class ReadTitles:
    """What came of the titles of a list."""

    judgements: tuple[Judgement, ...]
    """One per video that was asked about and answered; in their order."""
    unread: tuple[str, ...] = ()
    """Videos with words about which there is no usable answer."""
    why: str = ""
    """Of the unread ones, in a sentence."""


def read_by_words(title: str, description: str) -> tuple[Shows, str]:
    """What the words of a video say that it shows, by English keywords, and the word that decided.

    Games and renderings, in the title, are something else whatever follows. A title, or else a description, that names
    a home and a tour of it is a home tour. A title that does not, but names advice, building work, news or the like, is
    something else, and so is one that names the open air and no home. All other words, and all other languages, do not
    tell.
    """
    title, description = (re.sub(r"[^\w]+", " ", words.casefold()) for words in (title, description))
    made = _MADE.search(title)
    if made:
        return "other", made.group()
    for words in (title, description):
        home, tour = _HOME.search(words), _TOUR.search(words)
        if home and tour:
            return "home-tour", tour.group()
    found = _TALK.search(title) or (None if _HOME.search(title) else _ELSEWHERE.search(title))
    return ("other", found.group()) if found else ("cannot-tell", "")


def judge_titles_by_words(candidates: Sequence[Candidate], replies: Path | None = None) -> ReadTitles:
    """Judge the words of each video by `read_by_words`; asks nobody, so nothing is kept in `replies`."""
    judgements = []
    for candidate in candidates:
        shows, word = read_by_words(candidate.title[:_TITLE_CHARS], candidate.description[:_DESCRIPTION_CHARS])
        judgements.append(_judge(candidate.id, shows, f"its title says {word}"))
    return ReadTitles(tuple(judgements))


def judge_titles(
    candidates: Sequence[Candidate], connect: Callable[[], TextModel], replies: Path, options: LanguageOptions
) -> ReadTitles:
    """Ask a language model about the words of each video. One without any is not asked about.

    Args:
        candidates: Whose titles are read.
        connect: Makes the model; called once something has to be asked.
        replies: Folder of kept replies: the same words are paid for once.
        options: Of the language model.

    Raises:
        ServerUnusable: If the server cannot be used, went away, or does not answer in time; what it answered is kept.
        Unanswered: If most replies are unusable.
    """
    requests = [_ask(candidate) for candidate in candidates if candidate.title.strip() or candidate.description.strip()]
    judgements: list[Judgement] = []
    unread: list[str] = []
    answered = ask_all(requests, connect, replies, options)
    answered.open.require_enough(options)
    for answer in answered.answers:
        if answer.value is None:
            unread.append(answer.request.id)
        else:
            judgements.append(_judge(answer.request.id, answer.value.shows, answer.value.why))
    return ReadTitles(tuple(judgements), tuple(unread), answered.open.tell(options) if unread else "")


def _ask(candidate: Candidate) -> Request[TitleReply]:
    words = {
        "title": clean(candidate.title, _TITLE_CHARS),
        "description": clean(candidate.description, _DESCRIPTION_CHARS),
    }
    system = Message("system", load("roomtour.collect", "titles").text)
    messages = (system, Message("user", json.dumps(words, ensure_ascii=False)))
    return Request(candidate.id, messages, TitleReply, temperature=0.0, likely_tokens=_TOKENS)


def _judge(name: str, shows: Shows, why: str) -> Judgement:
    """Only what is said to be something else falls: who cannot tell rejects nothing."""
    if shows != "other":
        return Judgement(name, "titles", "")
    return Judgement(name, "titles", "title", clean(why, _REASON_CHARS) or "other", "a walk through a home")
