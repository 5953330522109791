"""A question and its answer as marked text: its clauses, what it is about, and whether the answer agrees."""

from __future__ import annotations

import re
from dataclasses import replace

from instructions.dialogues.turn_marks import Marked

THING = r"(?:any |no )?@([^\s@#%=~^*.,;:?!]+)\*?"
MARK = re.compile(r"#(\w+)(\+?)")
YES = re.compile(
    r"^(?:yes|yeah|yep|exactly|indeed|correct|right|true|certainly|clearly|absolutely|sure|definitely|spot on|surely|"
    r"of course|mm-?hm|confirmed)\b|^i(?:'m| am) (?:quite )?sure(?: of (?:it|that))?$|"
    r"^that(?:'s| is) (?:what|where|how|so|the case)\b.*|^(?:it|that|one)(?:'s| is) among them$|"
    r"^(?:it|that|there|this|they|you|we|one|i|somebody|someone|something(?: here)?) (?:certainly |surely )?"
    r"(?:is|are|am|does|do|did|can|could|has|have|would|will)(?: indeed| say| so| true| correct)*$|"
    r"^(?:you are|you're|that's|that is|it is)(?: in luck| true| correct| exactly)?(?: where it is| how it is| so)?$"
)
_NO = re.compile(
    r"^(?:no|nope|none|nowhere|not (?:at all|quite|really|so|a chance)|not|hardly|far from it|no way|"
    r"by no means)$|"
    r"^(?:that is |that's )?(?:quite |simply |plainly |not )?(?:wrong|false|untrue|incorrect)$|^not (?:true|so|"
    r"correct|right)$|"
    r"^(?:(?:it|that|there|this|they|you|we|one|i|nobody)"
    r"(?: is|'s| are| am| does| do| did| can| could| has| have| would| will)?(?: not| n't)|"
    r"nobody (?:is|does|could|can|has))(?: be)?(?: so| true| right| wrong| mistaken| afraid| the case)*$"
)
_PARTICLE = re.compile(r"^(?:yes|no|nope|yeah|well|sure|gladly|honestly|correct|right|exactly|indeed|okay)$")
NEGATES = re.compile(
    r"\b(?:no|not|n't|never|none|nobody|nowhere|nothing|without|lacks?|lacking|missing|absent|in vain|forgot\w*|gone|"
    r"used to be)"
    r"(?![\w'])"
)
REVERSED = re.compile(r"\b(?:other way (?:round|around)|contrary|reverse|opposite)\b")
WHOSE = re.compile(r"\b(?:from|with|compared to|relative to|than|than to|against|using) " + THING)
_ORDER = re.compile(r"\bfrom (?:the )?#(left|right)\+? (?:(?:side )?to (?:the )?)?#(?:left|right)\+?")


class TurnText:
    """A question and its answer, marked."""

    def __init__(self, question: Marked, answer: Marked) -> None:
        question, answer = _settle_out(question, answer)
        order = _ORDER.search(answer.text) or _ORDER.search(question.text)
        answer = replace(answer, text=_ORDER.sub(" ", answer.text))
        self.question, self.answer = question, answer
        self.clauses = [one for one in answer.clauses() if not _PARTICLE.match(one)]
        self.agrees = self._agreement()
        self.kinds = tuple(dict.fromkeys((*answer.kinds, *question.kinds)))
        self.own = [one for one in self.clauses if not YES.match(one) and not _NO.match(one)]
        # `Leaving the other side to other things` says nothing; what names a thing does.
        self.own = [one for one in self.own if "@" in one or not one.startswith("leaving ")]
        self.own = [re.sub(r"^leaving (#\w+)\+? (?:to|for) ([^@]*@\S+)$", r"\2 on \1", one) for one in self.own]
        self.is_bare = not any(re.search(r"[#%^=~]", one) for one in self.own)
        self.order = order or re.search(r"#(left|right)\S* (?:to )?#(?:left|right)", question.text)

    def _agreement(self) -> bool | None:
        """Whether the answer begins by saying yes (or that it is so), or no."""
        for clause in self.answer.clauses():
            if REVERSED.search(clause) or _NO.match(clause):
                return False
            if YES.match(clause):
                return True
        first = next(iter(self.answer.clauses()), "")
        return True if re.match(r"(?:yes|yeah)\b", first) else False if re.match(r"(?:no|not|nope)\b", first) else None

    def other(self, thing: str) -> str | None:
        """The one other thing of the turn."""
        others = [one for one in self.kinds if one != thing]
        return others[0] if len(others) == 1 else None

    def subject(self) -> str | None:
        """What the question is about."""
        if not self.question.kinds:
            return None
        where = re.search(rf"\bwhere (?:\w+ )?(?:\w+ )?{THING}", self.question.text)
        if where:
            return plain_word(where.group(1))
        than = re.search(rf"\bthan (?:that to |the one to |to |between )?{THING}", self.question.text)
        if than and len(self.question.kinds) == 2:
            return self.other(plain_word(than.group(1)))
        whose = re.search(
            rf"\b(?:from|with|to|than|against|using|of|as|were|(?:start|begin)(?:ing)? at) {THING}", self.question.text
        )
        named = [one for one in self.question.kinds if not whose or one != plain_word(whose.group(1))]
        return named[0] if named else self.question.kinds[0]

    def says_more(self) -> bool:
        """Whether the turn tells something else than that a thing is there."""
        asked = self.question.text if self.is_bare else ""
        return bool(re.search(r"[#%^=~]", f"{self.answer.text} {asked}"))


def _settle_out(question: Marked, answer: Marked) -> tuple[Marked, Marked]:
    """Take `further out` as the side or the depth that the question asks for, if it asks for one."""
    sides = set(re.findall(r"#(left|right)", question.text))
    told = "#left" in answer.text or "#right" in answer.text
    if re.search(r"#(?:near|far)", question.text) or not (sides or told):
        mark = "#far"
    elif len(sides) == 1 and not told:
        mark = f"#{sides.pop()}+"
    else:
        return question, answer
    asked, said = (re.sub(r"#out\b", mark, one.text) for one in (question, answer))
    return replace(question, text=asked), replace(answer, text=said)


def find_things(clause: str) -> list[str]:
    """Names of things in the order of a text, each once."""
    return list(dict.fromkeys(plain_word(one) for one in re.findall(THING, clause)))


def plain_word(word: str) -> str:
    """A name without the marks that hold its words together."""
    return word.replace("_", " ")


def drop_opening(clause: str) -> str:
    """A clause without a yes or no that only opens it."""
    return re.sub(r"^(?:yes|no|nope|well)\b ?(?=\w+ )(?!no\b)(?=(?:i|it|you|we|there|one|the|that)\b)", "", clause)


def denies(text: str) -> bool:
    """Whether a text before a mark turns it round."""
    return bool(re.search(r"(?:\b(?:not|never|nowhere|neither|nor|no)\b|\bn't\b)(?! only)", re.sub(r"^no\b", "", text)))
