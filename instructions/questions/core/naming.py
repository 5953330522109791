"""How a question refers to a thing of a set of views: by a name that means it alone in all of them, or by a mark."""

from __future__ import annotations

from instructions.asking.bars import Dimension
from instructions.asking.names import SAME_BOX_IOU, Naming, find_phrases, fits_phrase, means_one, name_things
from instructions.facts.overlap import box_iou
from instructions.questions.core.types import Medium
from instructions.questions.core.view_sets import ViewSet
from instructions.view import Rival, View, draw_box

DRAWN_MEDIA: tuple[Medium, ...] = ("image", "images", "video")
"""What a mark can be drawn into. VSI-Bench's own questions have none, and a scan has no pictures that are known."""
SURE_SCORE = 0.5
"""A detection of one view this sure may be another thing; a less sure one must be there in a second view."""
SAME_PLACE_IOU = 0.3
"""A detection that overlaps so much with a thing's box, drawn into the view, is that thing."""
MOST_DISPUTED = 0.5
"""Share of the views which see a thing that may call it something else."""


def name_in_views(views: ViewSet, thing: str, dimension: Dimension) -> tuple[Naming, ...] | str:
    """Ways to call a thing that mean it alone, or the reason why there is none (`asking.names`).

    By noun, colour and size, never along the dimension that is asked about.
    """
    seen = views.seen.get(thing, {})
    if len(views.views) == 1:
        return name_things(views.views[0], seen[0], dimension) if seen else "hidden"
    known = views.known[thing]
    disputes = sum(bool(views.views[at].find_disputes(one)) for at, one in seen.items())
    is_disputed = disputes > MOST_DISPUTED * len(seen)
    phrases = find_phrases(known, dimension, is_disputed=is_disputed, is_named=not views.is_scan)
    if isinstance(phrases, str):
        return phrases
    if seen and views.find_best(thing)[1].point is not None:
        return "not_unique"
    found = tuple(
        Naming(phrase) for phrase in phrases if means_one(phrase, known, 0) and not _has_rival(views, thing, phrase)
    )
    return found or "not_unique"


def _has_rival(views: ViewSet, thing: str, phrase: str) -> bool:
    """Whether the phrase fits another thing that the views see or should see, or what was joined to nothing."""
    if any(fits_phrase(phrase, views.known[one].alias) for one in views.seen if one != thing):
        return True
    unsure = 0
    for place, view in enumerate(views.views):
        unseen = [rival for rival in view.rivals if rival.score is None]
        for rival in (*unjoined_of(views, place), *unseen):
            if not fits_phrase(phrase, rival.words) or _is_thing(view, views, thing, rival):
                continue
            if rival.score is None or rival.score >= SURE_SCORE:
                return True
            unsure += 1
    return unsure >= 2


def unjoined_of(views: ViewSet, place: int) -> list[Rival]:
    """Detections of one view that are none of the things seen there."""
    view = views.views[place]
    boxes = [thing.box for thing in view.things]
    return [
        rival
        for rival in view.rivals
        if rival.score is not None and all(box_iou(rival.box_xyxy, box) < SAME_BOX_IOU for box in boxes)
    ]


def _is_thing(view: View, views: ViewSet, thing: str, rival: Rival) -> bool:
    """Whether a detection lies where the thing should be."""
    drawn = draw_box(view.model, view.pose, views.known[thing].body)
    return drawn is not None and box_iou(drawn, rival.box_xyxy) >= SAME_PLACE_IOU
