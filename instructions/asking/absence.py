"""Whether a view surely does not show what a phrase may mean, so that one may say that it is out of view."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from instructions.asking.bars import GateOptions
from instructions.asking.draws import Draw
from instructions.asking.gates import hide_thing
from instructions.asking.names import fits_phrase, name_things
from instructions.facts.existence import judge_absence
from instructions.view import SeenThing, View
from instructions.wording.english import head_noun

_NEARBY_M, _NEARBY_DEG = 1.5, 75.0
"""A view this near, turned by less than this, may share a part of its picture."""


@dataclass(frozen=True, eq=False)
class Absence:
    """What a model knows of where things can be seen from."""

    showing: Mapping[str, Sequence[View]]
    """The views that see a thing."""

    @classmethod
    def of(cls, views: Sequence[View]) -> Absence:
        """That of a model, from all its views."""
        showing: dict[str, list[View]] = defaultdict(list)
        for view in views:
            for one in view.things:
                showing[one.id].append(view)
        return cls(showing)

    def find_views(
        self, shown: str, phrase: str, gone: str, bars: GateOptions, draw: Draw
    ) -> Iterator[tuple[View, SeenThing]]:
        """Views that plainly show one thing under its phrase, and surely nothing that another phrase may mean.

        Args:
            shown: The thing that is in view.
            phrase: What it is called there, with its article.
            gone: What is not in view, with its article.
            bars: Of the thing that is in view.
            draw: Where to begin; the views follow in their order.
        """
        views = self.showing.get(shown, ())
        start = int(draw.uniform() * len(views))
        for view in (*views[start:], *views[:start]):
            one = next(one for one in view.things if one.id == shown)
            if not self.is_sure(view, gone.removeprefix("the ")):
                continue
            names = name_things(view, one, "none")
            is_called = not isinstance(names, str) and any(naming.text == phrase for naming in names)
            if is_called and hide_thing(one, view.size, view.model.nominal_metre, bars) is None:
                yield view, one

    def is_sure(self, view: View, phrase: str) -> bool:
        """Whether nothing that the phrase may mean is in the picture: no thing, no detection, no place of a thing."""
        told = [name for one in view.things for name in (one.alias, one.category, one.label) if name]
        told += [rival.words for rival in view.rivals]
        if any(fits_phrase(phrase, words) for words in told):
            return False
        if view.is_exact:
            return True
        shown = {head_noun(words) for words in told}
        if judge_absence(phrase, shown, is_looked_for=True, is_detected=True).state is not True:
            return False
        return all(
            one.id in view.elsewhere and not self._is_seen_nearby(view, one.id)
            for one in view.others
            if fits_phrase(phrase, one.alias) or fits_phrase(phrase, one.category or one.alias)
        )

    def _is_seen_nearby(self, view: View, name: str) -> bool:
        """Whether a view from about here sees it: boxes are often too small, and a corner of it may stick in."""
        near = _NEARBY_M * view.model.nominal_metre
        return any(other.standpoint.is_near(view.standpoint, near, _NEARBY_DEG) for other in self.showing.get(name, ()))
