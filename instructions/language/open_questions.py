"""Questions to a language model that stay open: how many of how many, why, and what helps."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from functools import reduce
from operator import add

from instructions.language.model import UnusableReplies
from instructions.language.options import LanguageOptions
from recon.numerals import count

MOST_USELESS = 0.5
"""Share of the replies of a kind of data that may be unusable. A model that can do the task fails at single questions;
where more fail than not, the model or its options are at fault, and the few rows would be a chance choice of them."""
SHOWN_CHARS = 80
"""Of an unusable reply: enough to know an excuse, half a thought or markup by."""
BUDGET = "budget"
GO_ON = "what was answered is kept, run the same command again to ask only the others"
_LONGER = "try --set language.max_reply_tokens={more}: a model that thinks before it answers needs some thousand"
_OTHER_MODEL = "try another model"


@dataclass(frozen=True)
class Cause:
    """A reason why a question stays open, in words."""

    noun: str
    """What is counted."""
    what: str
    """Said after it."""
    help: str


CAUSES: Mapping[str, Cause] = {
    BUDGET: Cause("question", " left by the budget", "raise it with --set {budgets}"),
    "no_reply": Cause(
        "question",
        " that the server does not take",
        "its words tell why; for a model that takes no pictures set sight to off",
    ),
    "refused": Cause("question", " refused by the model", _OTHER_MODEL),
    "withheld": Cause("reply", " withheld by a content filter of the server", _OTHER_MODEL),
    "cut": Cause("reply", " cut off at {tokens} tokens", _LONGER),
    "empty": Cause("empty reply", "", _LONGER),
    "schema": Cause(
        "reply",
        " not of the asked form",
        "take a model or server with structured output: response_format json_schema",
    ),
}
"""Why a question has no usable answer, by code: the budget, or what became of the reply."""


@dataclass(frozen=True)
class OpenQuestions:
    """What was asked, and what of it has no usable answer. Adds up."""

    asked: int = 0
    """All questions, also those that the budget left."""
    reasons: Counter[str] = field(default_factory=Counter)
    """How many stay open, by a code of `CAUSES`."""
    said: Mapping[str, str] = field(default_factory=dict)
    """By code, how one unusable reply begins."""

    @property
    def count(self) -> int:
        """Questions without a usable answer."""
        return self.reasons.total()

    @property
    def useless(self) -> int:
        """Of these, the ones that were asked."""
        return self.count - self.reasons[BUDGET]

    def __add__(self, other: OpenQuestions) -> OpenQuestions:
        return OpenQuestions(self.asked + other.asked, self.reasons + other.reasons, {**other.said, **self.said})

    def tell(self, options: LanguageOptions) -> str:
        """One sentence for people: how many of how many, each cause with what helps, and how such a reply begins."""
        budgets = [name for name in ("max_tokens", "max_cost", "max_requests") if getattr(options, name) is not None]
        words = {
            "tokens": options.max_reply_tokens,
            "more": max(4000, 2 * options.max_reply_tokens),
            "budgets": " or ".join(f"language.{name}=NUMBER" for name in budgets),
        }
        often = self.reasons.most_common()
        causes = ", ".join(
            f"{count(number, (cause := CAUSES[code]).noun)}{cause.what} ({cause.help})".format(**words)
            for code, number in often
        )
        began = next((self.said[code] for code, _ in often if self.said.get(code)), "")
        example = f"; for example {began!r}" if began else ""
        return f"{self.count} of {self.asked} questions to {options.model} got no usable answer: {causes}{example}"

    def require_enough(self, options: LanguageOptions) -> None:
        """Refuse to go on where the answers are too few to make rows of.

        Raises:
            UnusableReplies: If more replies than `MOST_USELESS` were unusable, or nothing was answered at all.
        """
        answered = self.asked - self.count
        if self.useless > MOST_USELESS * (answered + self.useless) or (self.count and not answered):
            raise UnusableReplies(f"{self.tell(options)}; {GO_ON}")


def sum_open(parts: Iterable[OpenQuestions]) -> OpenQuestions:
    """All of them together."""
    return reduce(add, parts, OpenQuestions())
