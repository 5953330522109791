"""Does a text tell its claims, in their order, and nothing else? By its words alone; nothing is parsed.

Words are of four sorts: names of things, words that say something (a side, a number, `taller`, `not`), words that say
nothing (`words.txt`), and all others, which nobody may use. What names and says something is cut into one piece per
claim; a piece holds only words of its claim.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from importlib.resources import files

from instructions.wording.english import pluralize

DENIALS = frozenset(
    "no not never none nothing nobody nowhere neither nor without cannot isn't aren't doesn't don't".split()  # noqa: SIM905
)
_ASKS = frozenset(
    "many much far any anything anybody somewhere around either or else wide long big large small high tall".split()  # noqa: SIM905
) | {"between", "more", "greater", "fewer"}
"""Words that a question asks with."""
_SIGNS = ".,;:!?()[]%'\"/-\u2013\u2014\u2018\u2019\u201c\u201d\u2026\u00b0"
_TOKEN = re.compile(r"<\d+>|\d+(?:\.\d+)?|[a-z]+(?:'[a-z]+)?")
_CENTIMETERS = re.compile(r"(\d+(?:\.\d+)?) ?(?:cm|centimet(?:er|re)s?)\b")
_AGREES = re.compile(r"\s*(?:yes|yeah|yep|indeed|exactly|correct|right|certainly|true)\b", re.I)


@dataclass(frozen=True)
class ToldClaim:
    """One claim as a text may tell it, in lower case."""

    things: tuple[str, ...] = ()
    """Names of what it is about: the subject, then what it is compared with."""
    needs: tuple[frozenset[str], ...] = ()
    """Of each set one word has to stand."""
    may: frozenset[str] = frozenset()
    """Words that may stand besides."""
    is_directed: bool = False
    """It matters which of the two things is the subject."""
    turned: frozenset[str] = frozenset()
    """Words of `may` that tell it the other way round (`carries` for `on`)."""
    is_denied: bool = False

    @property
    def words(self) -> frozenset[str]:
        """All words that tell something of it."""
        return self.may.union(*self.needs, DENIALS if self.is_denied else ())


@cache
def neutral_words() -> frozenset[str]:
    """Words that claim nothing."""
    return frozenset(files("instructions.claims").joinpath("words.txt").read_text(encoding="utf-8").split())


class ClaimWords:
    """The words of one place: what its things are called, and which words say something."""

    def __init__(self, names: Mapping[str, str], telling: Collection[str], free: Collection[str] = ()) -> None:
        """Take the names of all things and rooms that are known, and the words that say something.

        Args:
            names: By each word for a thing, in the singular and without article, what claims call it.
            telling: In lower case, besides denials and digits; a word of a name is none in it.
            free: Words that may stand without a claim, such as those of a reference text.
        """
        self._names = sorted({name.lower() for name in names.values()})
        rows = {name: row for row, name in enumerate(self._names)}
        called = {_plain(word): rows[name.lower()] for word, name in names.items()}
        forms = {**{pluralize(word): row for word, row in called.items()}, **called}
        self._forms: Mapping[str, int] = forms
        verbs = {form for form in forms if form not in called and self._reads_as_verb(form)}
        readings = [forms.keys(), forms.keys() - verbs] if verbs else [forms.keys()]
        self._readings = [_match_any(reading) for reading in readings]
        self._telling = frozenset(telling) | DENIALS
        self._free = frozenset(free)

    def _reads_as_verb(self, form: str) -> bool:
        """Whether a plural may be a name and a verb: `The tv stands on the desk`."""
        front, _, last = form.rpartition(" ")
        return front in self._forms and last in neutral_words()

    def knows(self, name: str) -> bool:
        """Whether claims call something so."""
        return name.lower() in self._names

    def find_told(self, text: str) -> tuple[list[str], list[str]]:
        """The names of a text, and its words that say something, each in order."""
        tokens = self._read(text, self._readings[-1])
        names = [self._say(token) for token in tokens if token.startswith("<")]
        return names, [token for token in tokens if not token.startswith("<") and self._tells(token)]

    def find_mismatch(self, text: str, claims: Sequence[ToldClaim], question: str = "") -> str | None:
        """Why a text does not tell its claims and nothing else; None if it does.

        Args:
            text: A statement, or the answer to a question.
            claims: In the order of the text.
            question: Things that it names are claimed too; what it asks is not, unless the answer begins with `yes`.
        """
        for part in (question, text):
            plain = unicodedata.normalize("NFKC", part)
            sign = next((one for one in plain if not (one.isalnum() or one.isspace() or one in _SIGNS)), None)
            if sign is not None:
                return f"the sign {sign!r}"
        found = [self._compare(named, text, claims, question) for named in self._readings]
        return None if None in found else found[0]

    def _compare(self, named: re.Pattern[str], text: str, claims: Sequence[ToldClaim], question: str) -> str | None:
        """The mismatch in one reading of the names."""
        asked, told = self._read(question, named), self._read(text, named)
        unknown = [one for one in asked if self._is_unknown(one) and one not in _ASKS]
        unknown += [one for one in told if self._is_unknown(one)]
        if unknown:
            return f"the word {unknown[0]!r}"
        context = [one for one in asked if self._tells(one)]
        stream = [one for one in told if self._tells(one)]
        agreed: list[str] = []
        if _AGREES.match(text):
            agreed, context = context, []
        names = {self._mark(thing) for claim in claims for thing in claim.things}
        free = {one for one in (*stream, *agreed, *context) if self._say(one) in self._free} - names
        free = {one for one in free if not any(one in claim.words for claim in claims)}
        stream, agreed, context = ([one for one in part if one not in free] for part in (stream, agreed, context))
        for one in (*stream, *agreed, *context):
            is_claimed = one in names if one.startswith("<") else any(one in claim.words for claim in claims)
            if not is_claimed and (one.startswith("<") or one not in context):
                return f"{self._say(one)!r}, which no claim has"
        for claim in claims:
            if claim.is_denied and DENIALS.isdisjoint((*stream, *agreed, *context)):
                return "a denied claim that the text does not deny"
        is_told = self._fits([*agreed, *stream], claims, context)
        if agreed and not is_told:  # `Is it red? Yes, it is red.`
            is_asked = any(self._fits(agreed, claims[:count], []) for count in range(1, len(claims) + 1))
            is_told = is_asked and self._fits(stream, claims, [])
        return None if is_told else "the text does not tell its claims one after the other"

    def _read(self, text: str, named: re.Pattern[str]) -> list[str]:
        plain = unicodedata.normalize("NFKC", text).lower().replace("\u2019", "'")
        plain = _CENTIMETERS.sub(lambda found: f"{float(found[1]) / 100:g} m", plain)
        return _TOKEN.findall(named.sub(self._put, plain))

    def _put(self, match: re.Match[str]) -> str:
        return f"<{self._forms[_plain(match.group())]}>"

    def _mark(self, name: str) -> str:
        return f"<{self._forms[_plain(name)]}>"

    def _say(self, token: str) -> str:
        return self._names[int(token[1:-1])] if token.startswith("<") else token

    def _tells(self, token: str) -> bool:
        return token.startswith("<") or token[0].isdigit() or token in self._telling

    def _is_unknown(self, token: str) -> bool:
        bare = token.removesuffix("'s").removesuffix("'re").removesuffix("'ve").removesuffix("'ll")
        return not self._tells(token) and bare not in neutral_words() and token not in self._free

    def _fits(self, stream: Sequence[str], claims: Sequence[ToldClaim], context: Sequence[str]) -> bool:
        """Whether the stream can be cut into one piece per claim, each with words of its claim only."""
        ends = {0}
        for claim in claims:
            ends = {
                end
                for begin in ends
                for end in range(begin, len(stream) + 1)
                if self._is_piece(stream, begin, end, claim, context)
            }
        return len(stream) in ends

    def _is_piece(self, stream: Sequence[str], begin: int, end: int, claim: ToldClaim, context: Sequence[str]) -> bool:
        piece, things = stream[begin:end], [self._mark(thing) for thing in claim.things]
        if any(one not in things if one.startswith("<") else one not in claim.words for one in piece):
            return False
        if not {*things} <= {*stream[:end], *context}:
            return False
        words = {one for one in piece if not one.startswith("<")}
        if len(words) < sum(not one.startswith("<") for one in piece):
            return False  # said twice, it is said of something else
        following = set[str]()
        if not piece or piece[-1].startswith("<"):  # `The sofa and the lamp are on the left`
            following = {next((one for one in stream[end:] if not one.startswith("<")), "")}
        if any(need.isdisjoint(words | following) and need.isdisjoint(context) for need in claim.needs):
            return False
        if claim.is_denied and DENIALS.isdisjoint(words) and DENIALS.isdisjoint(context):
            return False
        return not claim.is_directed or _keeps_direction(piece, things, claim)


def _plain(words: str) -> str:
    return " ".join(words.lower().replace("-", " ").split())


def _match_any(forms: Collection[str]) -> re.Pattern[str]:
    """The pattern of names, the longest first; of none it matches nothing."""
    ordered = sorted(forms, key=lambda one: (-len(one), one))
    either = "|".join(re.escape(form).replace(r"\ ", r"[\s-]+") for form in ordered)
    return re.compile(rf"(?<![\w<])(?:{either})(?![\w>])" if ordered else r"(?!)")


def _keeps_direction(piece: Sequence[str], things: Sequence[str], claim: ToldClaim) -> bool:
    """Whether the subject stands before what is said of it: `A is taller than B`, `taller than B is A`."""
    subject, other = things[0], things[-1]
    cues = [at for at, one in enumerate(piece) if not one.startswith("<") and one not in DENIALS]
    if not cues:
        return not piece or next((one for one in piece if one.startswith("<")), subject) == subject
    for at in cues:
        is_turned = piece[at] in claim.turned
        first, second = (other, subject) if is_turned else (subject, other)
        before = [one for one in piece[:at] if one.startswith("<")]
        after = [one for one in piece[at + 1 : at + 3] if one.startswith("<")]
        if before and before[-1] != first:
            return False
        if after and after[0] != (second if not before or before[-1] != after[0] else after[0]):
            return False
        if not before and after[1:] and after[1] != first:
            return False
    return True
