"""A view with its regions chosen, numbered and described."""

from __future__ import annotations

from collections.abc import Mapping

from instructions.describing.lines import ThingLine, describe_things
from instructions.regions.choose import Candidate, choose_regions, measure_rarity
from instructions.regions.options import RegionOptions
from instructions.regions.records import Region, RegionView
from instructions.view import View


def number_regions(
    view: View,
    image: str,
    frequencies: Mapping[str, float],
    options: RegionOptions = RegionOptions(),
    *,
    seed: int = 0,
) -> tuple[View, RegionView]:
    """Choose the regions of a view and give them their numbers.

    Args:
        view: A picture with its things.
        image: Name of its file.
        frequencies: Of labels.
        options: Rules of choice.
        seed: Goes into the record.

    Returns:
        The view with its numbers, and the same as a record.
    """
    candidates = [Candidate(one.id, one.category, one.box, one.score) for one in view.things]
    if options.people == "drop":
        candidates = [one for one in candidates if not one.is_person]
    chosen = choose_regions(candidates, view.size, frequencies, options.choice)
    numbered = view.number_things([one.id for one in chosen])
    lines = {line.number: line for line in describe_things(numbered, options.bars)}
    regions = tuple(_region(view, one, number, lines.get(number), frequencies) for number, one in enumerate(chosen))
    width, height = view.size
    model = view.model.name or None
    place = f"m{model}_v" if model else "v"
    name = f"{view.tour}_{place}{view.frame:06d}"
    record = RegionView(name, view.tour, model, view.frame, image, width, height, regions, seed)
    return numbered, record


def _region(
    view: View, one: Candidate, number: int, line: ThingLine | None, frequencies: Mapping[str, float]
) -> Region:
    thing = view.find_thing(one.id)
    if thing is None:
        raise AssertionError(f"region {number}: {one.id} is no thing of the view")
    return Region(
        number,
        one.id if view.has_pose else None,
        one.label,
        thing.thing.captions[0] if thing.thing.captions else thing.alias,
        line.additions if line is not None else (),
        one.box_xyxy,
        thing.mask,
        round(one.score, 4),
        round(thing.visible_fraction, 4),
        one.is_person,
        round(measure_rarity(one.label, frequencies), 4),
        thing.thing.source,
    )
