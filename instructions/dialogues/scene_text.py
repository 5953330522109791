"""Is a text about a whole cloud true? What it claims is read out of it and measured."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal

from instructions.dialogues.cloud_tasks import CloudThings
from instructions.dialogues.relations import pair_of
from instructions.dialogues.scene_claims import find_scene_claims
from instructions.dialogues.scene_names import name_things
from instructions.facts.things import Thing
from instructions.wording.english import NUMBER_WORDS, pluralize

State = Literal["true", "false", "unknown"]


@dataclass(frozen=True)
class SceneVerdict:
    """What is known of one claim about a scene."""

    words: str
    state: State
    reason: str


def check_scene_text(text: str, things: CloudThings) -> tuple[SceneVerdict, ...]:
    """Verdicts on the claims of a text about a cloud; none where it says nothing that can be measured.

    Counts are over the joined things of the model. Of kinds of which the model may hold more than it knows, a count is
    unknown.
    """
    others = (SceneVerdict(*one) for one in find_scene_claims(text, things))
    return (*_counts(text, things), *_pairs(text, things), *others)


def _counts(text: str, things: CloudThings) -> Iterator[SceneVerdict]:
    kinds = list(things.of_kind)
    if not kinds:
        return
    forms = {form: kind for kind in kinds for form in (kind, pluralize(kind))}
    names = "|".join(re.escape(form) for form in sorted(forms, key=len, reverse=True))
    numbers = "|".join([*NUMBER_WORDS[1:], r"\d+"])
    for match in re.finditer(rf"\b({numbers}|no)\s+(?:\w+\s+)??({names})\b", text, re.I):
        if re.search(r"\bat least\s+$", text[: match.start()], re.I):
            continue
        said = match.group(1).lower()
        number = int(said) if said.isdigit() else NUMBER_WORDS.index(said)
        kind = forms[match.group(2).lower()]
        if kind in things.unsure_kinds:
            yield SceneVerdict(match.group(), "unknown", f"there may be more of {kind} than is known")
            continue
        known = len(things.of_kind[kind])
        state: State = "true" if number == known else "false"
        yield SceneVerdict(match.group(), state, f"the scene has {known} of {kind}")


def _pairs(text: str, things: CloudThings) -> Iterator[SceneVerdict]:
    alone = name_things(text, things)
    if not alone:
        return
    names = "|".join(re.escape(name) for name in sorted(alone, key=len, reverse=True))
    words = (
        r"on top of|on|under|next to|beside|taller than|higher than|larger than|bigger than|smaller than|lower than|"
        r"shorter than|less tall than"
    )
    verbs = "is|are|stands?|lies?|sits?|hangs?|rests?|(?:is|are) (?:standing|lying|sitting|resting|placed)"
    pattern = rf"\bthe (?:\w+ )??({names}) (?:(?:{verbs})\s+)?(not )?({words}) the (?:\w+ )??({names})\b"
    for match in re.finditer(pattern, text, re.I):
        a, b = alone[match.group(1).lower()], alone[match.group(4).lower()]
        if a is b:
            continue
        found = _judge(match.group(3).lower(), a, b)
        if found[0] != "unknown" and match.group(2):
            found = ("false" if found[0] == "true" else "true", found[1])
        yield SceneVerdict(match.group(), *found)


def _judge(words: str, a: Thing, b: Thing) -> tuple[State, str]:
    pair = pair_of(a, b)
    found = {
        "on": lambda: pair.stands_on, "on top of": lambda: pair.stands_on, "under": lambda: pair.is_under,
        "next to": lambda: pair.is_next_to, "beside": lambda: pair.is_next_to,
        "larger than": lambda: pair.is_bigger, "bigger than": lambda: pair.is_bigger,
        "smaller than": lambda: pair.is_bigger.deny(), "taller than": lambda: pair.is_taller,
        "higher than": lambda: pair.is_taller,
    }.get(words, lambda: pair.is_taller.deny())()  # fmt: skip
    state: State = "unknown" if found.state is None else "true" if found.state else "false"
    return state, f"{found.value:+.2f}, need {found.margin:.2f}"
