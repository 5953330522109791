"""Whether a mark is in the left half of its picture."""

from __future__ import annotations

from dataclasses import replace

from instructions.asking.draws import Draw
from instructions.questions.marks.families import Found, MarkType, say_yes, shuffle, tell_margin
from instructions.questions.marks.spots import SpotTour, SpotView


def _find_half(tour: SpotTour, view: SpotView, draw: Draw) -> Found | str:
    middle = tour.model.camera.width / 2
    for spot in shuffle(view.spots, draw):
        off = middle - spot.xy[0]
        if abs(off) > middle / 5:
            found = Found(views=(view.frame,), marks=(spot,), truth=say_yes(off > 0), choices=("yes", "no"))
            return replace(found, evidence=tell_margin(abs(off), middle / 5, "ratio"))
    return "few_spots"


TYPES = (
    MarkType(
        "toy_half", "toy", "yes_no", "lateral", 1, False, "2d",
        definition="Whether the mark is left of the middle of the picture.",
        find=_find_half,
        questions=("Is mark 1 in the left half of the picture?", "Does mark 1 lie left of the middle?"),
        answers={"yes": ("Yes.", "Yes, it does."), "no": ("No.", "No, it does not.")},
    ),
)  # fmt: skip
