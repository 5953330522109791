"""How a text points at what a picture shows: by name, by a drawn number, or by numbers in the text."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from hashlib import sha256
from pathlib import Path
from typing import Literal

import cv2

from instructions.dialogues.spots import LEAST_INSIDE, BoxSpace, BoxText, inside_square, say_spot
from instructions.perception.draw import Highlight, Pin, draw_highlights, draw_pins
from recon.pictures import write_picture_file
from roomtour.export.core.ledger import ExportOptions
from roomtour.export.core.run_files import read_image
from roomtour.export.core.talks.talk import DRAWN, Place, Talk, TalkImage

References = Literal["names", "marks", "boxes", "points", "both"]
POINT_BOX_SHARE = 1.0 / 30.0
"""Side of the box that stands for a point, of the shorter side of its picture."""
_JPEG_QUALITY = 92
"""Of pictures with marks, of which a view has many: numbers stay sharp at a third of the size of PNG. A view has one
picture with all its regions, which is a PNG."""
_ORDINALS = ("first", "second", "third", "fourth", "fifth", "sixth", "seventh", "eighth")
_SPEAKS_OF_MARKS = re.compile(r"\b(?:marks?|marked|numbered)\b", re.IGNORECASE)


@dataclass(frozen=True, kw_only=True)
class ReferenceOptions(ExportOptions):
    """Options of formats whose texts point at what pictures show."""

    references: References = "names"
    """How: `names` says things by name, numbered regions and marked points are drawn; `marks` draws a number at each
    thing too and says that; `boxes` and `points` write numbers into the text in place of names and marks (a point is a
    small box, or stays a point) and leave the picture plain; `both` draws as `marks` does and writes the box behind the
    first mention."""
    box_text: BoxText = "thousand"
    """Numbers of boxes and points: thousandths of width and height (`thousand`), shares with two or three decimals
    (`unit2`, `unit3`), or `pixels` of the picture as it is written."""


@dataclass(frozen=True)
class Form:
    """One way to point."""

    references: References = "names"
    text: BoxText = "thousand"
    space: BoxSpace = "picture"
    """The picture that boxes are shares of."""


Say = Callable[[Place, str], str]
"""What stands in place of the words of a place, of which the text has these."""


def refer(talk: Talk, form: Form, drawn: Path) -> Talk | str:
    """The talk in a form, or why it cannot have that.

    Args:
        talk: With plain pictures.
        form: Wanted.
        drawn: Folder for pictures that are drawn; its name in a dataset is `images/drawn/`.

    Raises:
        RoomtourError: If a picture to draw in is gone or damaged.
    """
    if form.space == "cropped" and not all(
        _is_inside(talk, place) for place in put(_texts_of(talk), talk.places, _cut)[1]
    ):
        return "a named region is outside of the cropped picture"
    if form.references == "names":
        return _draw(talk, [one for one in talk.places if one.kind != "thing"], drawn)

    def locate(place: Place, _: str) -> str:
        return say_spot(_spot_of(place, talk, form), talk.images[place.picture].size_px, form.space, form.text)

    if form.references in ("boxes", "points"):
        return say_places(talk, locate)
    fault = _find_fault(talk)
    if fault is not None:
        return fault
    seen: set[int] = set()

    def introduce(place: Place, words: str) -> str:
        is_first = place.kind != "mark" and place.number not in seen
        seen.add(place.number)
        return f"{_say_number(place, words)} {locate(place, words)}" if is_first else _say_number(place, words)

    if form.references == "marks":
        return _draw(_put_all(talk, talk.places, _say_number, _say_number), talk.places, drawn)
    pointed = _put_all(talk, talk.places, introduce, _say_number)
    return _draw(_introduce(pointed, locate), talk.places, drawn)


def say_places(talk: Talk, say: Say) -> Talk | str:
    """The talk with other words for what it points at, or why that cannot be.

    Where the texts speak of their marks in other ways too (`the three marks`, `marks 2 to 4`), or of several pictures,
    the marks keep their names and the first question begins by saying what each is.
    """
    fault = _find_fault(talk)
    if fault is not None:
        return fault

    def say_named(place: Place, words: str) -> str:
        return f"{place.phrase} at {say(place, words)}" if words and place.phrase else say(place, words)

    marks = [place for place in talk.places if place.kind == "mark"]
    left, _ = put([*_texts_of(talk), *talk.choices], talk.places, _cut)
    is_led = len(talk.images) > 1 or _count_told(talk, marks) < len(marks) or any(map(_SPEAKS_OF_MARKS.search, left))
    if marks and is_led:
        things = [place for place in talk.places if place.kind == "thing"]
        return _introduce(_put_all(talk, things, say, say), say)
    return _put_all(talk, talk.places, say_named, say_named)


def put(texts: Iterable[str], places: Sequence[Place], say: Say) -> tuple[list[str], list[Place]]:
    """Texts with other words for what they point at, and the places in the order of their mentions."""
    by_words = {place.words.lower(): place for place in places}
    if not by_words:
        return list(texts), []
    words = sorted(by_words, key=len, reverse=True)
    pattern = re.compile("|".join(rf"(?<!\w){re.escape(word)}(?!\w)" for word in words), re.IGNORECASE)
    mentioned: list[Place] = []

    def swap(match: re.Match[str]) -> str:
        mentioned.append(by_words[match[0].lower()])
        return say(mentioned[-1], match[0])

    return [pattern.sub(swap, text) for text in texts], mentioned


def _find_fault(talk: Talk) -> str | None:
    """Why nothing can stand for the names of a talk."""
    if any(place.spot is None for place in talk.places):
        return "a thing is out of view, so it has no region"
    things = [place for place in talk.places if place.kind == "thing"]
    return "a thing is not named as it is" if _count_told(talk, things) < len(things) else None


def _count_told(talk: Talk, places: Sequence[Place]) -> int:
    """How many of these the first question names, each by itself."""
    return len({place.number for place in put([talk.turns[0][0]], places, _cut)[1]})


def _texts_of(talk: Talk) -> list[str]:
    return [text for turn in talk.turns for text in turn]


def _is_inside(talk: Talk, place: Place) -> bool:
    return place.spot is None or inside_square(place.spot, talk.images[place.picture].size_px) >= LEAST_INSIDE


def _cut(place: Place, words: str) -> str:
    return ""


def _say_number(place: Place, words: str) -> str:
    return f"{'Mark' if words[:1].isupper() else 'mark'} {place.number}" if place.kind == "thing" else words


def _introduce(talk: Talk, say: Say) -> Talk:
    """The talk with what each of its marks is before the first question."""
    of = " of the {} picture" if len(talk.images) > 1 else ""
    introduced = [
        f"{place.words} is {say(place, '')}{of.format(_ORDINALS[place.picture])}"
        for place in talk.places
        if place.kind == "mark"
    ]
    if not introduced:
        return talk
    lead = f"{', '.join(introduced[:-1])} and {introduced[-1]}" if len(introduced) > 1 else introduced[0]
    (question, answer), *more = talk.turns
    return replace(talk, turns=((f"{lead[0].upper()}{lead[1:]}. {question}", answer), *more))


def _put_all(talk: Talk, places: Sequence[Place], say: Say, besides: Say) -> Talk:
    """Other words in the turns, in their order, and in what stands beside them."""

    def tell(text: str) -> str:
        return put([text], places, besides)[0][0]

    flat, _ = put(_texts_of(talk), places, say)
    more = {name: tell(text) if name == "rationale" else text for name, text in talk.more.items()}
    if more.get("reward"):
        reward = json.loads(more["reward"])
        if isinstance(reward.get("truth"), str):
            more["reward"] = json.dumps({**reward, "truth": tell(reward["truth"])}, ensure_ascii=False)
    return replace(
        talk,
        turns=tuple(zip(flat[::2], flat[1::2], strict=True)),
        choices=tuple(map(tell, talk.choices)),
        solution=tell(talk.solution),
        rejected=tell(talk.rejected),
        more=more,
    )


def _spot_of(place: Place, talk: Talk, form: Form) -> tuple[float, ...]:
    spot = place.spot or ()
    if len(spot) == 2 and form.references != "points":
        half = POINT_BOX_SHARE * min(talk.images[place.picture].size_px) / 2
        return (spot[0] - half, spot[1] - half, spot[0] + half, spot[1] + half)
    return spot


def _draw(talk: Talk, places: Sequence[Place], drawn: Path) -> Talk:
    """The talk with numbers drawn in its pictures; pictures that show nothing of them stay as they are."""
    images = tuple(
        _draw_one(
            image, [place for place in places if place.picture == shown and place.spot is not None], talk.tour, drawn
        )
        for shown, image in enumerate(talk.images)
    )
    return replace(talk, images=images)


def _draw_one(image: TalkImage, places: Sequence[Place], tour: str, drawn: Path) -> TalkImage:
    """A picture with numbered regions and points, written once for one view and the same of them."""
    if not places:
        return image
    places = sorted(places, key=lambda one: one.number)
    what = sha256(repr([(place.number, place.spot) for place in places]).encode()).hexdigest()[:8]
    name = Path(image.name)
    is_exact = any(place.kind == "region" for place in places)
    target = drawn / name.with_name(f"{name.stem}_{what}{'.png' if is_exact else name.suffix}")
    if not target.exists():
        picture = read_image(Path(image.path), tour)
        boxes = [place for place in places if place.spot is not None and len(place.spot) == 4]
        highlights = [Highlight(box.spot, box.mask, box.number) for box in boxes]  # type: ignore[arg-type]
        pins = [Pin(place.spot, place.number) for place in places if place not in boxes]  # type: ignore[arg-type]
        rgb = draw_pins(draw_highlights(picture[:, :, ::-1], highlights, draw_numbers=True), pins)
        target.parent.mkdir(parents=True, exist_ok=True)
        quality = (cv2.IMWRITE_JPEG_QUALITY, _JPEG_QUALITY) if target.suffix.lower() in (".jpg", ".jpeg") else ()
        write_picture_file(target, rgb[:, :, ::-1], *quality)
    return TalkImage(f"{DRAWN}/{target.relative_to(drawn)}", str(target), image.size_px)
