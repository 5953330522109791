"""Support of background answers over all our texts: what a text says is kept, what is planted or borrowed is caught."""

import random
import re

from instructions.dialogues.filters import find_unsupported
from instructions.dialogues.talks.knowledge import own_knowledge
from instructions.wording.english import pluralize
from tests.support.cases import each_case

TEXTS = {kind: [*one.sentences] for kind, one in own_knowledge().items()}
NAMES = ("Persia", "Marco Polo", "Le Corbusier", "Texas", "Thonet", "October", "Monday", "Queen Victoria")
PLANTS = (
    "{sentence} It has been so since {year}.",
    "{sentence} About {number} of them are sold each day.",
    "{sentence} It was first made by {name}.",
    "In {name} this is so: {sentence}",
    "{sentence} It weighs {number} kilograms.",
    "{sentence} It costs {number} euros.",
    "{sentence} On 3 May {year} it became known.",
    "{sentence} It has {word} parts.",
)


def test_planted_numbers_dates_and_names_are_all_caught():
    assert len(TEXTS) >= 60
    assert all(len(sentences) == 4 for sentences in TEXTS.values())
    lot = random.Random(1)
    missed = []
    for kind, sentences in TEXTS.items():
        for plant in PLANTS:
            said = plant.format(
                sentence=lot.choice(sentences), year=lot.randint(1500, 2020), number=lot.randint(13, 900),
                name=lot.choice(NAMES), word=lot.choice(("seven", "twelve", "forty", "ninety")),
            )  # fmt: skip
            if find_unsupported(said, [f"{kind} {' '.join(sentences)}"]) is None:
                missed.append(said)
    assert missed == []


def borrow(kind: str, other: str, lot: random.Random) -> str:
    """A sentence about another kind, told of this one: fluent, plain, and not what the text says."""
    said = lot.choice(TEXTS[other])
    for form, own in ((pluralize(other), pluralize(kind)), (other, kind)):
        said = re.sub(rf"\b{re.escape(form)}\b", own, said, flags=re.I)
    return said


def test_other_inventions_are_caught():
    lot = random.Random(2)
    caught = total = 0
    kinds = sorted(TEXTS)
    for kind in kinds:
        for other in lot.sample([one for one in kinds if one != kind], 15):
            said = borrow(kind, other, lot)
            total += 1
            caught += find_unsupported(said, [f"{kind} {' '.join(TEXTS[kind])}"]) is not None
    assert total >= 900
    assert caught >= 0.90 * total


FORMS = ("{s}", "Yes. {s}", "{s} That is what people say.", "Well, {s}")


@each_case("form", FORMS)
def test_what_the_text_says_is_kept(form: str):
    kept = []
    for kind, sentences in TEXTS.items():
        for sentence in sentences:
            said = form.format(s=sentence if form[0] == "{" else sentence[0].lower() + sentence[1:])
            kept.append(find_unsupported(said, [f"{kind} {' '.join(sentences)}"]) is None)
    assert sum(kept) >= 0.98 * len(kept)
