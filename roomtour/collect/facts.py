"""Verdicts out of what a list says of a video; no picture is looked at, and what nobody said rejects nothing."""

from __future__ import annotations

from roomtour.collect.bars import hold
from roomtour.collect.records import Candidate, CollectOptions, Judgement

_CLOSED = ("private", "premium_only", "subscriber_only", "needs_auth")
"""Videos that need an account, in the downloader's words; none is used."""


def judge_facts(one: Candidate, options: CollectOptions) -> Judgement:
    """Whether the facts of a video speak against it; the first that does is told."""
    words = f"{one.title}\n{one.description}".lower()
    forbidden = next((word for word in options.forbidden_words if word.lower() in words), "")
    reasons = [
        (one.consent == "refused", "consent-refused", one.consent, "given or unknown"),
        (one.availability in _CLOSED, "not-available", one.availability, "public or unlisted"),
        (one.is_live, "live", "a live stream", "a video"),
        (
            bool(options.licences) and one.licence not in options.licences,
            "licence",
            one.licence,
            ", ".join(options.licences),
        ),
        (bool(forbidden), "words", forbidden, "none of these words"),
    ]
    for is_against, code, value, bar in reasons:
        if is_against:
            return Judgement(one.id, "facts", code, value, bar)
    values = {
        "age-limit": float(one.age_limit),
        "too-short": one.seconds or None,
        "too-long": one.seconds,
        "too-small": float(min(one.width, one.height)) or None,
    }
    return hold(Judgement(one.id, "facts", ""), values, options)
