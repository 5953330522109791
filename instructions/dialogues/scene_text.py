"""Is a text about a whole cloud true? What it claims is read out of it and measured."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal

from instructions.dialogues.cloud_tasks import CloudThings
from instructions.dialogues.scene_claims import find_scene_claims
from instructions.dialogues.scene_names import name_things
from instructions.facts.between import footprint_overlap, stands_on_gap
from instructions.facts.gap import gap
from instructions.facts.sizes import height, volume
from instructions.facts.views import Known
from instructions.wording.english import NUMBER_WORDS, pluralize

State = Literal["true", "false", "unknown"]
_NOT_ON_M, _NOT_NEXT_M, _ON_M, _NEXT_M, _SIZE_RATIO = 0.25, 0.80, 0.10, 0.50, 1.15


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


def _judge(words: str, a: Known, b: Known) -> tuple[State, str]:
    slack = 2 * (a.sigma + b.sigma)
    if words in ("on", "on top of", "under"):
        upper, lower = (b, a) if words == "under" else (a, b)
        lift, over = stands_on_gap(upper.body, lower.body), footprint_overlap(upper.body, lower.body)
        reason = f"bottom {lift:+.2f} m from top, {over:.0%} of the plan over it"
        if abs(lift) <= _ON_M and over >= 0.5:
            return "true", reason
        return ("false" if abs(lift) > _NOT_ON_M + slack or over == 0.0 else "unknown"), reason
    if words in ("next to", "beside"):
        apart = gap(a.body, b.body)
        reason = f"{apart:.2f} m apart"
        return ("true" if apart <= _NEXT_M else "false" if apart > _NOT_NEXT_M + slack else "unknown"), reason
    measure = volume if words in ("larger than", "bigger than", "smaller than") else height
    one, other = measure(a.body), measure(b.body)
    if words in ("smaller than", "lower than", "shorter than", "less tall than"):
        one, other = other, one
    ratio = one / max(other, 1e-9)
    return (
        "true" if ratio >= _SIZE_RATIO else "false" if ratio <= 1 / _SIZE_RATIO else "unknown"
    ), f"ratio {ratio:.2f}"
