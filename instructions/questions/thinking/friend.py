"""The friend who sees the picture: answers free questions about named things by measuring, or says that it cannot."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from instructions.facts import sizes
from instructions.questions.records import Measured
from instructions.questions.things.ask_reader import mark_things, read_ask
from instructions.questions.things.asker import ViewAsker
from instructions.questions.thinking.dialogues import say_metres, say_sides
from instructions.questions.thinking.puzzles import Solved
from instructions.questions.thinking.records import Turn

CANNOT = "I cannot measure that. Ask me for one distance, height or width of the things by their names."
_SIDES = re.compile(r"\b(?:sides?|dimensions?|how (?:big|large)|size)\b")


@dataclass(frozen=True, eq=False)
class Friend:
    """Of one view and the things of one puzzle."""

    asker: ViewAsker
    solved: Solved

    def answer(self, ask: str) -> Turn:
        """Measure what is asked, if it is sure what that is."""
        phrases = [one.text for one in self.solved.names]
        named, marked = mark_things(ask, phrases)
        if len(named) == 1 and _SIDES.search(marked):
            values = sorted((2 * self.solved.things[named[0]].body.half).tolist())
            return self._say(ask, "sides", named, values)
        read = read_ask(ask, phrases)
        value = None if read is None else self._measure(read.type.name, read.things)
        if read is None or value is None:
            return Turn(ask, CANNOT, ())
        return self._say(ask, read.type.name, read.things, [value])

    def _say(self, ask: str, name: str, places: Sequence[int], values: Sequence[float]) -> Turn:
        reply = f"{say_sides(values) if name == 'sides' else say_metres(values[0])}."
        about = tuple(self.solved.things[place].id for place in places)
        return Turn(ask, reply, tuple(Measured(name, value, "m", 0.0) for value in values), about)

    def _measure(self, name: str, places: Sequence[int]) -> float | None:
        """A length; None for what has none."""
        viewer, model = self.asker.view.viewer, self.asker.view.model
        things = [self.solved.things[place] for place in places]
        one = things[0].body
        if len(things) == 1:
            single = {
                "height": lambda: sizes.height(one) if self.asker.is_upright else None,
                "width": lambda: sizes.width(one, viewer),
                "elevation": lambda: None if model.floor_z is None else sizes.elevation(one, model.floor_z),
                "camera_distance": lambda: sizes.camera_distance(one, viewer),
            }
            return single[name]() if name in single else None
        pair = self.asker.pairs.of(things[0].known, things[1].known)
        double = {
            "distance": lambda: pair.distance,
            "gap": lambda: pair.gap,
            "passage": lambda: pair.passage if self.asker.is_upright else None,
            "horizontal_distance": lambda: pair.horizontal if self.asker.is_upright else None,
            "vertical_distance": lambda: abs(pair.vertical) if self.asker.is_upright else None,
        }
        return double[name]() if name in double else None
