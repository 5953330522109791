"""What is told of a view: global, local and dynamic descriptors, each line with what made it."""

from __future__ import annotations

from instructions.describing.globals import tell_concepts, tell_places, tell_things
from instructions.describing.lines import describe_things
from instructions.describing.narratives import narrate
from instructions.regions.probe import probe_view
from instructions.regions.records import RegionView, Told, Verbalization
from instructions.view import View

MEASURED = "measured"


def describe_view(view: View, region_view: RegionView) -> Verbalization:
    """Everything that is told of a view from its geometry; a model's lines are added by whoever has one."""

    def told(texts: tuple[str, ...]) -> tuple[Told, ...]:
        return tuple(Told(text, MEASURED) for text in texts)

    return Verbalization(
        region_view.id,
        told(tell_places(view)),
        told(tell_things(view)),
        told(tell_concepts(view)),
        told(narrate(view)),
        told(tuple(line.text for line in describe_things(view))),
        probe_view(view),
    )
