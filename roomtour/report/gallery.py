"""Each thing with a name, sure or not, on the frame that shows it best: whether names are right is seen at a glance."""

from __future__ import annotations

from collections.abc import Sequence

from markupsafe import Markup

from instructions.records import Observation, SceneObject
from roomtour.drawing.pages import render
from roomtour.drawing.thumbnails import spread
from roomtour.report.instructions import InstructionView

MAX_GALLERY = 48
"""Pictures; of more things some are left out, evenly over the tour."""
_LEAST_SHARE = 0.1
"""Words that are less probable are not worth reading."""
_HELD = {"floor": "on the floor", "wall": "on the wall", "thing": "on something else"}


def choose_gallery(objects: Sequence[SceneObject], observations: Sequence[Observation]) -> dict[str, int]:
    """The best frame of each named thing, by its id: the surest view of most of it, the earlier of equal ones."""
    best: dict[str, Observation] = {}
    for seen in observations:
        known = best.get(seen.object)
        if known is None or _worth(seen) > _worth(known):
            best[seen.object] = seen
    named = [thing.id for thing in objects if thing.likely_category is not None and thing.id in best]
    return {name: best[name].frame for name in spread(named, MAX_GALLERY)}


def draw_gallery(objects: Sequence[SceneObject], frame_of: dict[str, int], view: InstructionView) -> Markup | None:
    """The pictures with box and name; None where nothing has a name."""
    named = [thing for thing in objects if thing.likely_category is not None]
    shown = [thing for thing in named if thing.id in frame_of]
    if not shown:
        return None
    return render(
        "report/gallery.html",
        things=[
            {"item": thing, "frame": frame_of[thing.id], "words": _words(thing), "held": _hold(thing, view)}
            for thing in shown
        ],
        more=len(named) - len(shown),
        is_any_doubtful=any(thing.category is None for thing in shown),
        view=view,
    )


def _worth(seen: Observation) -> float:
    return seen.score * seen.visible_fraction


def _words(thing: SceneObject) -> str:
    """What else it may be."""
    told = [f"{word} {share:.0%}" for word, share in thing.categories if share >= _LEAST_SHARE]
    return ", ".join(told) if len(told) > 1 or thing.category is None else ""


def _hold(thing: SceneObject, view: InstructionView) -> str:
    under = view.objects.get(thing.rests_on or "")
    if under is not None:
        return f"on the {under.alias}"
    return _HELD[thing.support] if thing.support else ""
