"""The friend who sees the picture: measures what it is asked for of named things, or says that it cannot."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from instructions.facts import sizes
from instructions.facts.measured import Measured
from instructions.questions.core.asker import Asker
from instructions.questions.thinking.dialogues import say_metres, say_sides
from instructions.questions.thinking.puzzles import Solved
from instructions.questions.thinking.records import Turn

CANNOT = "I cannot measure that. Ask me for one distance, height or width of the things by their names."


@dataclass(frozen=True, eq=False)
class Friend:
    """Of one view and the things of one puzzle."""

    asker: Asker
    solved: Solved

    def answer(self, ask: str, measure: str, of: Sequence[str]) -> Turn:
        """Measure what is asked, if it can be measured.

        Args:
            ask: The question in words.
            measure: What is measured: a type of question for a length, or `sides`.
            of: The things, by their names.
        """
        names = [one.text.casefold() for one in self.solved.names]
        places = [names.index(one.casefold()) for one in of if one.casefold() in names]
        values = self._measure(measure, places) if len(places) == len(of) else None
        if values is None:
            return Turn(ask, CANNOT, ())
        reply = f"{say_sides(values) if measure == 'sides' else say_metres(values[0])}."
        about = tuple(self.solved.things[place].id for place in places)
        return Turn(ask, reply, tuple(Measured(measure, value, "m", 0.0) for value in values), about)

    def _measure(self, name: str, places: Sequence[int]) -> list[float] | None:
        """Lengths; None for what has none."""
        viewer, floor_z = self.asker.view.viewer, self.asker.view.model.floor_z
        things = [self.solved.things[place] for place in places]
        is_upright = self.asker.is_upright
        if len(things) == 1:
            one = things[0].body
            single = {
                "sides": lambda: sorted((2 * one.half).tolist()),
                "height": lambda: [sizes.height(one)] if is_upright else None,
                "width": lambda: [sizes.width(one, viewer)],
                "elevation": lambda: None if floor_z is None else [sizes.elevation(one, floor_z)],
                "camera_distance": lambda: [sizes.camera_distance(one, viewer)],
            }
            return single[name]() if name in single else None
        if len(things) != 2:
            return None
        pair = self.asker.pairs.of(things[0], things[1])
        double = {
            "distance": lambda: [pair.distance],
            "gap": lambda: [pair.gap],
            "passage": lambda: [pair.passage] if is_upright else None,
            "horizontal_distance": lambda: [pair.horizontal] if is_upright else None,
            "vertical_distance": lambda: [abs(pair.vertical)] if is_upright else None,
        }
        return double[name]() if name in double else None
