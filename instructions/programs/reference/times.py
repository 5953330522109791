"""What the views show, and in which order. `ProgramThing.appear` says which views show a thing."""

from __future__ import annotations

from collections.abc import Sequence

from instructions.programs.world import Given, ProgramScene, ProgramThing

Things = Sequence[ProgramThing]


def count_category(things: Things, scene: ProgramScene, given: Given) -> float:
    """Things of the category that the views show; of a scan without views, all there are."""
    frames = {camera.frame for camera in scene.cameras}
    mine = [one for one in scene.things.values() if one.category == given.category]
    return float(sum(not frames or not frames.isdisjoint(one.appear) for one in mine))


def share_view(things: Things, scene: ProgramScene, given: Given) -> bool:
    """Whether one view shows both."""
    frames = {camera.frame for camera in scene.cameras}
    return not frames.isdisjoint(set(things[0].appear) & set(things[1].appear))


def find_first_view(thing: ProgramThing, scene: ProgramScene) -> int:
    """Position among the views of the first one that shows a thing.

    Raises:
        ValueError: If none shows it.
    """
    shown = set(thing.appear)
    for place, camera in enumerate(scene.cameras):
        if camera.frame in shown:
            return place
    raise ValueError(f"no view shows {thing.id}")


def order_by_first_view(things: Things, scene: ProgramScene, given: Given) -> tuple[str, ...]:
    """Ids in the order in which they are first shown."""
    return tuple(one.id for one in sorted(things, key=lambda one: find_first_view(one, scene)))


def find_first(things: Things, scene: ProgramScene, given: Given) -> str:
    """The id of the one that is shown first, or last."""
    pick = min if given.word == "first" else max
    return pick(things, key=lambda one: find_first_view(one, scene)).id


def list_in_first_view(things: Things, scene: ProgramScene, given: Given) -> tuple[str, ...]:
    """Sorted ids of those that the first view of A shows as well."""
    frame = scene.cameras[find_first_view(things[0], scene)].frame
    return tuple(sorted(one.id for one in things[1:] if frame in one.appear))
