"""Every template of every type: enough of them, agreement with every form of name, nothing left unfilled."""

from __future__ import annotations

import re
from importlib.resources import files

import pytest

from instructions.asking.english import fill
from instructions.programs.compound import COMPOUNDS
from instructions.programs.types import TYPES
from instructions.programs.words import templates_of
from tests.support.cases import each_case

NAMES = (("the chair", False), ("the curtains", True), ("the shelves further to the left in the image", True))
WORDS = {
    "q": "1.5 meters", "side": "height", "more": "nearest", "to": "to", "sense": "from center to center",
    "within": "2 meters", "category": "chairs", "all": "the sofa and the bed", "any": "the sofa or the bed",
    "others": "the sofa and the bed", "any_other": "the sofa or the bed", "labels": "left or right",
}  # fmt: skip
OWN_FILES = sorted({kind.template for kind in TYPES.values()})
FORMS = {kind.template: kind.form for kind in (*TYPES.values(), *COMPOUNDS.values())}


def test_every_type_has_its_file_and_no_file_is_left_over():
    folder = files("instructions.programs") / "templates"
    names = {path.name.removesuffix(".toml") for path in folder.iterdir() if path.name.endswith(".toml")}
    assert names == {*OWN_FILES, *COMPOUNDS, "steps", "units", "openings"}


@each_case("name", [*OWN_FILES, *COMPOUNDS])
def test_there_are_enough_templates_and_none_twice(name: str):
    lists = templates_of(name)
    assert len(set(lists["questions"])) >= 20
    for key in ("yes", "no") if FORMS[name] == "yes_no" else ("answers",):
        assert len(set(lists[key])) >= 10
    for texts in lists.values():
        assert len(set(texts)) == len(texts)
    for word in ("yes", "no"):
        assert all(text.lower().startswith(word) for text in lists.get(word, ()))


@each_case("name", [*OWN_FILES, *COMPOUNDS, "steps"])
def test_every_template_makes_a_sentence_with_every_form_of_name(name: str):
    for key, texts in templates_of(name).items():
        for template in texts:
            for first in NAMES:
                things = {slot: first for slot in "ABCDEFWL"}
                text = fill(template, things, WORDS)
                assert not re.search(r"[{}]|  | [.,;?]", text), text
                assert text[0].isupper() or text[0].isdigit(), text
                assert text[-1] in (".?" if key == "questions" else "."), text
                if first[1]:
                    assert not re.search(
                        rf"{first[0]} (is|has|does|lies|stands|comes)\b",
                        text.replace(f"of {first[0]}", "")
                        .replace(f"from {first[0]}", "")
                        .replace(f"between {first[0]}", "")
                        .replace(f"and {first[0]}", ""),
                    ), text


@each_case("name", [*OWN_FILES, *COMPOUNDS])
def test_no_fixed_verb_stands_before_a_name(name: str):
    for texts in templates_of(name).values():
        for text in texts:
            assert not re.search(r"\b(is|does|was) \{[A-F]\}", text), text


@pytest.mark.parametrize(
    "kind",
    [kind for kind in TYPES.values() if "distance" in kind.name and kind.things[0] > 1],
    ids=lambda kind: kind.name,
)
def test_a_distance_says_where_it_is_measured(kind):
    for text in templates_of(kind.template)["questions"]:
        assert "{sense}" in text or "camera" in text or "picture" in text or "viewer" in text, text
