"""Has a model that sees name things of one category, and believes only names by which it finds each thing again."""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Annotated, Any

from pydantic import AfterValidator, BaseModel, ConfigDict, create_model, model_validator

from instructions.asking.draws import Draw
from instructions.language.budget import Usage, sum_usage
from instructions.language.model import Message, TextModel
from instructions.language.open_questions import OpenQuestions
from instructions.language.options import LanguageOptions
from instructions.language.prompts import load
from instructions.language.requests import Request
from instructions.language.runner import ask_all
from instructions.programs.asked.outlines import OUTLINES, Group, OutlinedPictures, find_groups
from instructions.questions.core.records import PROGRAMS
from instructions.questions.core.view_sets import SeenName
from instructions.records import SceneObject
from instructions.tour import Tour
from instructions.wording.colors import WORDS, may_be_one_color
from instructions.wording.english import head_noun
from recon.findings import Finding

LEAST_WORDS, MOST_WORDS = 2, 6
_PHRASE = re.compile(r"[a-z]+(?:[ '-][a-z]+)*")
_PLACES = frozenset(
    {"left", "right", "leftmost", "rightmost", "foreground", "background", "middle", "outline", "outlined"}
)
"""Words that mean another thing in another view, or what was drawn."""


@dataclass(frozen=True)
class ToldApart:
    """Names of things that share a category."""

    names: Mapping[str, SeenName] = field(default_factory=dict)
    """By thing; of a group all or none."""
    usage: Usage = Usage()
    open: OpenQuestions = OpenQuestions()
    findings: tuple[Finding, ...] = ()


def tell_apart(
    tour: Tour,
    frames_dir: Path,
    pictures: OutlinedPictures,
    *,
    replies: Path,
    language: LanguageOptions,
    connect: Callable[[], TextModel],
) -> ToldApart:
    """Name the things of groups of 2 to 5 of one category by what pictures show of them.

    A second request shows the same pictures with the colours changed about and asks which name is whose: a group whose
    names are not all found again stays without, and so does one whose names break a rule after one repair.

    Args:
        tour: With its frames, its things, and what shows them.
        frames_dir: Folder of the frames.
        pictures: Filled with what is shown; the model must read pictures from it.
        replies: Folder that keeps every reply.
        language: Model, limits, budget.
        connect: Makes the model.

    Raises:
        InstructionError: If the server cannot be used, or a picture cannot be read. Replies so far are kept.
    """
    groups = find_tour_groups(tour)
    files = {frame.index: frames_dir / frame.image for frame in tour.scene.frames}
    first = ask_all([ask_for_names(one, files, pictures, tour.seed) for one in groups], connect, replies, language)
    outcome: Counter[str] = Counter()
    named: list[tuple[Group, dict[str, str]]] = []
    for group, answer in zip(groups, first.answers, strict=True):
        if answer.value is not None:
            said = answer.value.model_dump()
            named.append((group, {one.id: said[color] for color, one in _color(group, 0).items()}))
    asked = [ask_to_find(group, names, files, pictures, tour.seed) for group, names in named]
    second = ask_all(asked, connect, replies, language)
    found: dict[str, SeenName] = {}
    for (group, names), answer in zip(named, second.answers, strict=True):
        if answer.value is None:
            continue
        said = answer.value.model_dump()
        if any(said[color] != names[one.id] for color, one in _color(group, 1).items()):
            outcome["not_found_again"] += 1
        else:
            found |= {
                one: SeenName(phrase, group.id, answer.served_by or language.model) for one, phrase in names.items()
            }
            outcome["named"] += 1
    usage = sum_usage(first.usage, second.usage)
    told = ", ".join(f"{reason} {count}" for reason, count in sorted(outcome.items()))
    findings = (Finding("info", "programs.names", tour.id, f"groups of alike things: {told}"),) if outcome else ()
    return ToldApart(found, usage, first.open + second.open, findings)


def find_tour_groups(tour: Tour) -> list[Group]:
    """The groups of a tour that a model would be asked to name."""
    sizes = {frame.index: (frame.width, frame.height) for frame in tour.scene.frames}
    return find_groups(tour.objects, tour.observations, sizes, Draw(tour.seed, tour.id, PROGRAMS, "groups"))


def find_name_requests(tour: Tour, frames_dir: Path) -> list[Request[BaseModel]]:
    """What a model would be asked: names of each group, and as much again to find them; asks nothing."""
    files, pictures = {frame.index: frames_dir / frame.image for frame in tour.scene.frames}, OutlinedPictures()
    groups = find_tour_groups(tour)
    found = [ask_for_names(one, files, pictures, tour.seed) for one in groups]
    unknown = [{thing.id: "?" * 20 for thing in one.things} for one in groups]
    return found + [
        replace(ask_to_find(one, names, files, pictures, tour.seed), after=asked)
        for one, names, asked in zip(groups, unknown, found, strict=True)
    ]


def ask_for_names(group: Group, files: Mapping[int, Path], pictures: OutlinedPictures, seed: int) -> Request[BaseModel]:
    """The request for names of a group; the reply has the colours as its fields."""
    colors = _color(group, 0)
    told = {"category": group.category, "outlines": list(colors)}
    schema = _make_names_schema(group, colors)
    return _ask("tell_apart", told, schema, group, colors, files, pictures, seed)


def ask_to_find(
    group: Group, names: Mapping[str, str], files: Mapping[int, Path], pictures: OutlinedPictures, seed: int
) -> Request[BaseModel]:
    """The request that has names found again, with other colours."""
    colors = _color(group, 1)
    told = {"category": group.category, "outlines": list(colors), "names": sorted(names.values())}
    fields: dict[str, Any] = dict.fromkeys(colors, (str, ...))
    schema = create_model("FoundNames", __config__=ConfigDict(extra="ignore"), **fields)
    return _ask("find_named", told, schema, group, colors, files, pictures, seed)


def _ask(
    name: str,
    told: Mapping[str, object],
    schema: type[BaseModel],
    group: Group,
    colors: Mapping[str, SceneObject],
    files: Mapping[int, Path],
    pictures: OutlinedPictures,
    seed: int,
) -> Request[BaseModel]:
    color_of = {one.id: color for color, one in colors.items()}
    shown = tuple(
        pictures.draw(files[frame], {color_of[one]: box for one, box in boxes.items()})
        for frame, boxes in group.boxes.items()
    )
    messages = (
        Message("system", load("instructions.programs", name).text),
        Message("user", json.dumps(told, ensure_ascii=False), shown),
    )
    return Request(f"programs/{group.id}/{name}", messages, schema, seed=seed, likely_tokens=20 * len(colors))


def _color(group: Group, shift: int) -> dict[str, SceneObject]:
    """Things by colour; another shift gives every thing another colour."""
    count = len(group.things)
    return {color: group.things[(at + shift) % count] for at, color in zip(range(count), OUTLINES, strict=False)}


def _make_names_schema(group: Group, colors: Mapping[str, SceneObject]) -> type[BaseModel]:
    """A name for every colour, held to the rules: what breaks one is said in the repair round."""

    class Rules(BaseModel):
        model_config = ConfigDict(extra="forbid")

        @model_validator(mode="after")
        def require_different(self) -> Rules:
            said = list(self.model_dump().values())
            if len(set(said)) < len(said):
                raise ValueError("two things have the same name")
            return self

    fields: dict[str, Any] = {
        color: (Annotated[str, AfterValidator(_make_check(one, group.category, set(colors)))], ...)
        for color, one in colors.items()
    }
    return create_model("ThingNames", __base__=Rules, **fields)


def _make_check(thing: SceneObject, category: str, outlines: set[str]) -> Callable[[str], str]:
    def check(said: str) -> str:
        phrase = " ".join(said.lower().split()).removeprefix("the ").removeprefix("a ")
        words = phrase.split()
        if not LEAST_WORDS <= len(words) <= MOST_WORDS or not _PHRASE.fullmatch(phrase):
            raise ValueError(f"a name has {LEAST_WORDS} to {MOST_WORDS} words and no digits or marks")
        if head_noun(phrase) != head_noun(category):
            raise ValueError(f"what it names must be a {category}, at the end or before `with`, `on` or `in`")
        if outlines.intersection(words) - {thing.color}:
            raise ValueError("it names the colour of an outline")
        if _PLACES.intersection(words):
            raise ValueError("it says where in a picture the thing is")
        said_colors = WORDS.intersection(words)
        if said_colors and thing.color in WORDS and not any(may_be_one_color(one, thing.color) for one in said_colors):
            raise ValueError("it gives the thing a colour that it does not have")
        return phrase

    return check
