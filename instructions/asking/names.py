"""How a question refers to a thing of a view: by a name that means it alone, or by its name and a numbered mark."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import count

from instructions.asking.bars import Dimension
from instructions.facts.existence import judge_alone
from instructions.facts.overlap import box_iou
from instructions.facts.things import Thing
from instructions.view import Rival, SeenThing, View
from instructions.wording.colors import WORDS, may_be_one_color
from instructions.wording.english import head_noun, is_plural

SIZES = {
    "tall": {"low", "short", "small"},
    "low": {"tall"},
    "short": {"tall"},
    "small": {"large", "big", "tall", "wide"},
    "large": {"small"},
    "big": {"small"},
    "wide": {"small", "narrow"},
    "narrow": {"wide"},
}
"""Size words, each with those that contradict it."""
TELLS: dict[Dimension, frozenset[str]] = dict.fromkeys(("height", "width", "volume"), frozenset(SIZES))
"""Size words that would give away a question of size; the same for all of these."""
SURFACES = re.compile(
    r"\b(floor|flooring|wall|walls|ceiling|ground|sky|sun|light|lights|sunlight|lighting|reflection|shadow|room|carpet)\b"
)
"""What is no thing with a place and a size of its own. A `ceiling light` goes too: the gate is strict."""
SAME_BOX_IOU = 0.50
"""A detection this alike in place is the same thing."""
_ALIKE_CAPTIONS = 0.6
"""Cosine of the words of two captions from which a reader may take one for the other: `silver laptop` and `silver
laptop on a desk` have 0.63, captions that share a noun and one word of three 0.67, `red chair` and `blue chair` 0.5."""
PLANTS = frozenset({"plant", "tree", "flower", "bush"})


@dataclass(frozen=True)
class Naming:
    """A phrase with its article left out, and the number of the thing's mark where the phrase may mean others too."""

    phrase: str
    mark: int | None = None
    """Of the box that is drawn around it; `number_marks` counts those of one question."""

    @property
    def text(self) -> str:
        """As it stands in a sentence."""
        return f"the {self.phrase}" + (f" at mark {self.mark}" if self.mark else "")

    @property
    def plural(self) -> bool:
        """Whether verbs agree in the plural."""
        return is_plural(self.phrase)


def number_marks(names: Sequence[Naming]) -> tuple[Naming, ...]:
    """The names of one question with their marks numbered from 1 in this order."""
    numbers = count(1)
    return tuple(name if name.mark is None else replace(name, mark=next(numbers)) for name in names)


def name_things(view: View, thing: SeenThing, dimension: Dimension) -> tuple[Naming, ...] | str:
    """Every way to call a thing in a view that means it alone, shortest first; or why there is none. Where its box may
    show something else too, no name does.

    Returns:
        Namings, or a reason: one of `find_phrases`, or `not_unique`.
    """
    phrases = find_phrases(thing, dimension, is_disputed=bool(view.find_disputes(thing)))
    if isinstance(phrases, str):
        return phrases
    if thing.point is not None:
        return "not_unique"
    others = list_others(view, thing)
    alone = [
        Naming(phrase)
        for phrase in phrases
        if means_one(phrase, thing, sum(fits_phrase(phrase, other.words) for other in others))
    ]
    # a colour that was seen may be wrong, so it is said only where it is needed
    return tuple(alone[:1] if thing.sigma > 0 else alone) or "not_unique"


def mark_thing(thing: Thing, dimension: Dimension) -> tuple[Naming, ...] | str:
    """The name of a thing that is not known to be the only one of it, with a mark; or why there is none.

    Returns:
        One naming with mark 1, or a reason: `not_unique` where the name is not sure, `not_one`, `clause_tells`.
    """
    if thing.category is None:
        return "not_unique"
    if not thing.is_one:
        return "not_one"
    if not TELLS.get(dimension, frozenset()).isdisjoint(thing.category.split()):
        return "clause_tells"
    return (Naming(thing.category, mark=1),)


def find_phrases(
    known: Thing, dimension: Dimension, *, is_disputed: bool, is_named: bool = True
) -> tuple[str, ...] | str:
    """What a thing may be called that tells nothing of the dimension, its category first; or why there is nothing.

    Args:
        known: The thing.
        dimension: That the question is about.
        is_disputed: Views call it something else.
        is_named: A category is a name also where the alias fits another thing.

    Returns:
        Phrases, or a reason: `surface`, `ambiguous`, `disputed`, `clause_tells`.
    """
    alias, category = known.alias, known.category
    if SURFACES.search(alias) or (category and SURFACES.search(category)):
        return "surface"
    if known.thing.ambiguous and (category is None or not is_named):
        return "ambiguous"
    if is_disputed:
        return "disputed"
    told = TELLS.get(dimension, frozenset())
    phrases = [phrase for phrase in dict.fromkeys((category or alias, alias)) if told.isdisjoint(phrase.split())]
    return tuple(phrases) or "clause_tells"


def means_one(phrase: str, known: Thing, others: int) -> bool:
    """Whether a phrase surely means a thing alone beside so many others that it fits."""
    return judge_alone(phrase, others, is_detected=known.is_detected).state is True


def list_others(view: View, thing: SeenThing) -> list[Rival]:
    """Everything else that the picture shows or should show, each once."""
    others = [
        Rival(name, other.box) for other in view.things if other.id != thing.id for name in other.thing.possible_names
    ]
    others += [
        Rival(thing.alias, other.box) for other in view.things if other.id != thing.id and are_alike(thing, other)
    ]
    for rival in view.rivals:
        known = [thing.box, *(other.box_xyxy for other in others)]
        if rival.score is None or all(box_iou(rival.box_xyxy, box) < SAME_BOX_IOU for box in known):
            others.append(rival)
    return others


def are_alike(one: Thing, other: Thing) -> bool:
    """Whether what a captioner said of two things is so alike that words for one may be meant for the other."""
    return any(
        word_cosine(caption, its) >= _ALIKE_CAPTIONS for caption in one.thing.captions for its in other.thing.captions
    )


def fits_phrase(phrase: str, words: str) -> bool:
    """Whether a phrase could mean something called by these words: the same noun, and no modifier that contradicts."""
    mine, its = phrase.lower().split(), words.lower().split()
    if head_noun(phrase) == "object":
        pass  # the noun of what has no name fits everything
    elif head_noun(phrase) != head_noun(words):
        return False
    return not any(_contradicts(one, other) for one in mine for other in its)


def _contradicts(one: str, other: str) -> bool:
    if one in WORDS and other in WORDS:
        return not may_be_one_color(one, other)
    return other in SIZES.get(one, ()) or one in SIZES.get(other, ())


def word_cosine(one: str, other: str) -> float:
    """How alike two phrases are, 0 to 1: the cosine of their words."""
    a, b = set(re.findall(r"\w+", one.lower())), set(re.findall(r"\w+", other.lower()))
    return len(a & b) / (len(a) * len(b)) ** 0.5 if a and b else 0.0
