"""Every template of every type: enough of them, agreement with every form of name, nothing left unfilled."""

from __future__ import annotations

import re

from instructions.questions.sets.compound import COMPOUNDS
from instructions.questions.sets.judging import SET_TYPES
from instructions.questions.wording.templates import templates_of
from instructions.wording.english import fill
from tests.support.cases import each_case

NAMES = (("the chair", False), ("the curtains", True), ("the shelves further to the left in the image", True))
WORDS = {
    "q": "1.5 meters", "side": "height", "more": "nearest", "to": "to", "sense": "from center to center",
    "within": "2 meters", "category": "chairs", "all": "the sofa and the bed", "any": "the sofa or the bed",
    "others": "the sofa and the bed", "any_other": "the sofa or the bed", "labels": "left or right",
}  # fmt: skip
OWN_FILES = sorted({kind.template for kind in SET_TYPES.values()})
FORMS = {kind.template: kind.form for kind in (*SET_TYPES.values(), *COMPOUNDS.values())}


@each_case("name", [*OWN_FILES, *COMPOUNDS, "steps"])
def test_every_template_fills_into_a_sentence_whatever_the_names(name: str):
    lists = templates_of(name)
    if name != "steps":
        assert len(set(lists["questions"])) >= 20
        for key in ("yes", "no") if FORMS[name] == "yes_no" else ("answers",):
            assert len(set(lists[key])) >= 10
    for key, texts in lists.items():
        assert len(set(texts)) == len(texts)
        for template in texts:
            assert not re.search(r"\b(is|does|was) \{[A-F]\}", template), template
            assert key not in ("yes", "no") or template.lower().startswith(key), template
            for first in NAMES:
                text = fill(template, dict.fromkeys("ABCDEFWL", first), WORDS)
                assert not re.search(r"[{}]|  | [.,;?]|\b(the|a|an) (the|a|an)\b", text), text
                assert text[0].isupper() or text[0].isdigit(), text
                assert text[-1] in (".?" if key == "questions" else "."), text
                if first[1]:
                    free = re.sub(rf"\b(of|from|between|and) {first[0]}", "", text)
                    assert not re.search(rf"{first[0]} (is|has|does|lies|stands|comes)\b", free), text


def test_a_distance_says_where_it_is_measured():
    for kind in SET_TYPES.values():
        if "distance" in kind.name and kind.things[0] > 1:
            for text in templates_of(kind.template)["questions"]:
                assert any(word in text for word in ("{sense}", "camera", "picture", "viewer")), text
