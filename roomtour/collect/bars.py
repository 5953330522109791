"""Figures of a video against bars, and a rejection in words: what was found, what is asked for, what changes it."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace

from recon.numerals import percent
from roomtour.collect.records import Candidate, CollectOptions, Judgement
from roomtour.drawing.text import duration


@dataclass(frozen=True)
class Bar:
    """One figure and the option that it is held against."""

    option: str
    """Field of `CollectOptions`."""
    what: str
    show: Callable[[float], str]
    """A value with its unit."""

    @property
    def is_least(self) -> bool:
        """Whether a video falls below it, and not above."""
        return not self.option.startswith("max_")

    @property
    def flag(self) -> str:
        """Of the command line."""
        return f"--{self.option.replace('_', '-')}"


BARS = {
    "too-short": Bar("min_seconds", "length", duration),
    "too-long": Bar("max_seconds", "length", duration),
    "too-small": Bar("min_short_side", "shorter side", lambda value: f"{value:g} px"),
    "age-limit": Bar("max_age_limit", "age limit", lambda value: f"{value:g} years"),
    "black": Bar("max_black_share", "black key frames", percent),
    "still": Bar("max_still_share", "key frames equal to the one before", percent),
    "bars": Bar("max_bars_share", "black bars", percent),
    "cuts": Bar("shots_share", "time in the longest shots", percent),
    "overlays": Bar("max_overlay_share", "picture under titles or frames", percent),
    "blurred": Bar("min_sharpness", "sharpness", lambda value: f"{value:.3g} (variance of the Laplacian)"),
    "standing": Bar("max_standing_share", "time in which the camera stands", percent),
    "text-slides": Bar("max_text_share", "frames that show text", percent),
    "people": Bar("max_people_share", "frames with a person before the camera", percent),
    "outdoors": Bar("max_outdoors_share", "frames outdoors", percent),
    "no-home": Bar("min_indoors_share", "frames of a home", percent),
}
"""By the code of the rejection."""
_BY_WORDS = {"licence": "--licences", "words": "--forbidden-words", "title": "--titles"}
"""Options that no number is held against."""


def hold(judgement: Judgement, values: Mapping[str, float | None], options: CollectOptions) -> Judgement:
    """The judgement with the first code whose bar its value does not meet, or with none.

    Args:
        judgement: With its figures.
        values: By code, in the unit of its option; None for what nobody knows, which rejects nothing.
        options: With the bars.
    """
    for code, value in values.items():
        asked = getattr(options, BARS[code].option)
        if value is not None and (value < asked if BARS[code].is_least else value > asked):
            return replace(judgement, code=code, value=round(value, 3), bar=asked)
    return replace(judgement, code="", value="", bar="")


def describe_rejection(judgement: Judgement) -> str:
    """`too-short: length 0.5 s, need at least 5.0 s (--min-seconds)`, and no option where none would help."""
    bar = BARS.get(judgement.code)
    if bar is None or isinstance(judgement.value, str) or isinstance(judgement.bar, str):
        asked = f", asked for {judgement.bar} ({_BY_WORDS[judgement.code]})" if judgement.code in _BY_WORDS else ""
        return f"{judgement.code}: {'the same footage as ' * (judgement.code == 'duplicate')}{judgement.value}{asked}"
    need = "at least" if bar.is_least else "at most"
    return (
        f"{judgement.code}: {bar.what} {bar.show(judgement.value)}, need {need} {bar.show(judgement.bar)} ({bar.flag})"
    )


def advise(rejected: Sequence[Judgement]) -> str:
    """Which check dropped most, and with what bar half of those would pass it; of those that an option loosens."""
    codes = Counter(judgement.code for judgement in rejected)
    code = next((code for code, _ in codes.most_common() if code in BARS), None)
    first, number = codes.most_common(1)[0]
    told = f"{first} dropped most ({number})"
    if first in _BY_WORDS:
        return f"{told}: {_BY_WORDS[first]} decides on that"
    if code is None:
        return f"{told}, which no option changes"
    if code != first:
        told += f", which no option changes; then {code} ({codes[code]})"
    bar = BARS[code]
    measured = (judgement.value for judgement in rejected if judgement.code == code)
    values = sorted((value for value in measured if isinstance(value, float)), reverse=bar.is_least)
    loosened = _round(values[(len(values) - 1) // 2], down=bar.is_least)
    passing = sum(value >= loosened if bar.is_least else value <= loosened for value in values)
    return f"{told}: {bar.flag} {loosened:g} lets {passing} of those pass that check, and nothing is measured again"


def _round(value: float, *, down: bool) -> float:
    """To two digits, to the side on which the value passes."""
    if value <= 0:
        return 0.0
    step = 10.0 ** (math.floor(math.log10(value)) - 1)
    return float(f"{(math.floor if down else math.ceil)(value / step) * step:.2g}")


_CLOSED = ("private", "premium_only", "subscriber_only", "needs_auth")
"""Videos that need an account, in the downloader's words; none is used."""


def judge_facts(candidate: Candidate, options: CollectOptions) -> Judgement:
    """Whether the facts of a video speak against it; the first that does is told."""
    words = f"{candidate.title}\n{candidate.description}".lower()
    forbidden = next((word for word in options.forbidden_words if word.lower() in words), "")
    unlicensed = bool(options.licences) and candidate.licence not in options.licences
    reasons = [
        (candidate.consent == "refused", "consent-refused", candidate.consent, "given or unknown"),
        (candidate.availability in _CLOSED, "not-available", candidate.availability, "public or unlisted"),
        (candidate.is_live, "live", "a live stream", "a video"),
        (unlicensed, "licence", candidate.licence, ", ".join(options.licences)),
        (bool(forbidden), "words", forbidden, "none of these words"),
    ]
    for is_against, code, value, bar in reasons:
        if is_against:
            return Judgement(candidate.id, "facts", code, value, bar)
    values = {
        "age-limit": float(candidate.age_limit),
        "too-short": candidate.seconds or None,
        "too-long": candidate.seconds,
        "too-small": float(min(candidate.width, candidate.height)) or None,
    }
    return hold(Judgement(candidate.id, "facts", ""), values, options)
