"""Every template of every type: enough of them, slots, agreement, sentences, and no word of another measure."""

from __future__ import annotations

import re
from collections import Counter
from importlib.resources import files
from itertools import permutations, product
from typing import get_args

import pytest

from instructions.questions.core.records import Puzzle
from instructions.questions.sets.compound import COMPOUNDS
from instructions.questions.sets.judging import SET_TYPES
from instructions.questions.things.registry import THING_TYPES
from instructions.questions.wording.templates import find_original, templates_of
from instructions.wording.english import fill, is_plural
from tests.support.cases import each_case

NAMES = (
    ("the chair", False),
    ("the tall dark red object", False),
    ("the curtains", True),
    ("the hourglass", False),
    ("the shelves further to the left in the image", True),
)
WORDS = {"q": "1.5 meters", "hour": "3", "word": "left"}
OWN = {
    "lateral": r"left|right|o'clock|clock|hour",
    "vertical": r"above|below|higher|lower|level|vertical|up\b|down\b|floor|on\b|rest|fall|carr|under|free height",
    "ahead": r"behind|front|further|nearer|closer|ahead|back|forward|far\b|close|distan|depth|reach",
    "height": r"tall|short|height|high|the bottom to the top|bottom to top|top to bottom|vertical",
    "width": r"wide|narrow|width|left to right|side to side|left end",
    "volume": r"big|small|volume|space|room|crate|larg",
}
FOREIGN = {
    "lateral": r"\b(taller|shorter|wider|narrower|bigger|smaller|above|below|behind|higher|lower|radius)\b",
    "vertical": r"\b(taller|shorter|tall|wider|narrower|width|bigger|smaller|behind|left|right|radius)\b",
    "ahead": r"\b(taller|shorter|wider|narrower|bigger|smaller|above|below|higher|lower|left|right|width|radius)\b",
    "height": r"\b(wide|wider|narrow|narrower|width|big|bigger|volume|far|distance|radius|behind|left|right)\b",
    "width": r"\b(tall|taller|short|shorter|height|high|big|bigger|volume|distance|radius|behind)\b",
    "volume": r"\b(taller|shorter|height|wider|narrower|width|far|distance|radius|behind|left|right)\b",
}
VERBS = "is|does|has|lies|stands|sits|begins|measures|comes|rests|takes|was"
AFTER_NAME = re.compile(rf"(\S+ )?\{{[ABWL]\}} (?:{VERBS})\b")
"""A fixed verb behind a name, with the word before the name."""
BEFORE_NAME = re.compile(rf"\b(?:{VERBS}) \{{[AB]\}}", re.IGNORECASE)
PREPOSITIONS = {"of", "to", "from", "under", "and", "as"}
"""Behind these a name is not the subject of the verb that follows it."""


def lists_of(name: str) -> dict[str, tuple[str, ...]]:
    return dict(templates_of(name))


def test_the_table_has_43_types_and_those_beyond_each_with_its_file():
    families = Counter(one.family for one in THING_TYPES.values() if not one.supposes)
    own = {"ratio": 3, "clock": 1, "stands_on": 1, "unseen": 1}
    assert families == {"predicate": 12, "choice": 12, "class": 6, "estimate": 13 + 2} | own
    folder = files("instructions.questions") / "templates"
    names = {path.name.removesuffix(".toml") for path in folder.iterdir() if path.name.endswith(".toml")}
    others = {*(kind.template for kind in SET_TYPES.values()), *COMPOUNDS, "steps", *get_args(Puzzle)}
    own = {name for name in THING_TYPES if find_original(name) is None}
    assert names == {*own, *others, "units", "openings", "asks", "shared"}
    assert all((find_original(name) or (name,))[0] in own for name in THING_TYPES)


@each_case("name", THING_TYPES)
def test_there_are_enough_templates_and_none_twice(name: str):
    lists, kind = lists_of(name), THING_TYPES[name]
    if name != "unseen":  # its questions are those of the others
        assert len({*lists["questions"], *lists.get("questions_as_seen", ())}) >= 20
    assert all(len(set(lists[key])) >= 10 for key in (("yes", "no") if kind.form == "yes_no" else ("answers",)))
    assert ("too_close" in lists) == kind.has_twin
    assert not kind.has_twin or len(set(lists["too_close"])) >= 5
    for key, texts in lists.items():
        assert len(set(texts)) == len(texts), key


@each_case("name", THING_TYPES)
def test_every_template_makes_a_sentence_whose_verbs_agree_with_every_form_of_name(name: str):
    for key, texts in lists_of(name).items():
        for template in texts:
            assert not BEFORE_NAME.search(template), template
            for found in AFTER_NAME.finditer(template):
                assert (found[1] or "").strip() in PREPOSITIONS, template
        for template, (a, b) in product(texts, permutations(NAMES, 2)):
            text = fill(template, {"A": a, "B": b, "W": a, "L": b}, WORDS)
            assert not re.search(r"[{}]|  | [.,;?]|\b(a|an) the\b|\bthe the\b", text), text
            assert text[0].isupper() or text[0].isdigit(), text
            assert text[-1] in (".?" if key.startswith("questions") else "."), text


@each_case("name", [name for name, kind in THING_TYPES.items() if kind.comparison is not None or kind.objects == 1])
def test_no_question_asks_for_another_measure(name: str):
    kind = THING_TYPES[name]
    if kind.dimension == "none":
        return
    for key, texts in lists_of(name).items():
        if not key.startswith("questions"):
            continue
        for text in texts:
            plain = re.sub(r"\{[^}]*\}", " ", text).lower()
            for phrase in ("from left to right", "side by side", "as seen from here", "straight above"):
                is_own = "left" in phrase and kind.dimension == "width"
                plain = plain.replace(phrase, "left to right" if is_own else " ")
            if kind.dimension != "lateral":
                plain = plain.replace("from the left end to the right end", "left end")
            assert re.search(OWN[kind.dimension], plain), f"{text!r} does not say what it asks for"
            foreign = FOREIGN[kind.dimension]
            if kind.dimension == "width":
                plain = plain.replace("far does", " ").replace("how far", " ")
            assert not re.search(foreign, plain.replace("left to right", " ").replace("left end", " ")), text


DISTANCES = {
    "distance": r"far|distance|apart",
    "gap": r"space|gap|nearest|shortest|room|edge|close|least|clearance|fits|clear",
    "horizontal_distance": r"horizontal|floor|level|above|plan|map",
    "vertical_distance": r"vertical|level|up and down",
    "passage": r"pass|walk|free|way|floor|room",
}


@each_case("name", DISTANCES)
def test_distances_say_which_one_they_mean(name: str):
    for text in lists_of(name)["questions"]:
        assert re.search(DISTANCES[name], re.sub(r"\{[^}]*\}", " ", text).lower()), text
        if name == "distance":  # of the centres: nothing that a gap or a plan would be asked by
            assert not re.search(r"gap|edge|surface|nearest|horizontal|vertical|floor", text), text


@each_case("name", [name for name, kind in THING_TYPES.items() if kind.comparison is not None])
def test_a_mirrored_type_says_the_mirrored_word(name: str):
    """`left_predicate` never says right in its questions, and so on: a template copied without its word is found."""
    kind = THING_TYPES[name]
    if not kind.word or kind.comparison is None:
        return
    other = kind.comparison.say_less if kind.word == kind.comparison.more else kind.comparison.say_more
    for text in lists_of(name)["questions"]:
        plain = text.lower().replace("from left to right", "").replace("side to side", "")
        if kind.supposes:  # where one turns or steps is said by the other word
            plain = re.sub(rf"\b(?:to the {other}|{other} by|on your {other}|turn(?:ed)? {other})\b", "", plain)
        assert not re.search(rf"\b{other}\b", plain), text


def test_verbs_agree_and_a_slot_that_nothing_fills_is_an_error():
    verbs = {"curtains": "are", "glass": "is", "cactus": "is", "box of toys": "is", "stairs": "are"}
    for noun, verb in verbs.items():
        phrase = f"the {noun}"
        assert fill("{A} {A.is} here.", {"A": (phrase, is_plural(phrase))}, {}) == f"The {noun} {verb} here."
    with pytest.raises(KeyError):
        fill("Is {A} {nothing}?", {"A": ("the chair", False)}, {})
