"""Where the frames and things of a scene stand: the places of the floor, as the judge of rooms wants them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from instructions.perception.rooms.label import AHEAD_M
from instructions.perception.rooms.site import PlaceForm, Site
from instructions.records import SceneObject
from recon.records import Scene, SceneModel
from trajectories.places import PlaceOptions, Places, find_places
from trajectories.records import Trajectory


def find_sites(
    scene: Scene,
    walks: Sequence[Trajectory],
    objects: Sequence[SceneObject],
    options: PlaceOptions = PlaceOptions(),
    *,
    seed: int = 0,
) -> Mapping[str, Site]:
    """Places by name of the model; models that nobody walks in have none."""
    sites: dict[str, Site] = {}
    for model in scene.models:
        places = find_places(model, [walk for walk in walks if walk.model == model.name], options, seed=seed)
        if places is not None:
            sites[model.name] = survey_site(model, places, [thing for thing in objects if thing.model == model.name])
    return sites


def survey_site(model: SceneModel, places: Places, objects: Sequence[SceneObject]) -> Site:
    """Put cameras and things of a model into its places."""
    metre = model.nominal_metre
    forms = tuple(
        PlaceForm(
            place.area / metre**2,
            place.width / metre,
            place.walled,
            sum(place.number in opening.places for opening in places.openings),
        )
        for place in places.places
    )
    spots = model.centers[:, :2]
    axes = np.array([model.world_from_cam[frame].rotation[:2, 2] for frame in model.frames]).reshape(-1, 2)
    stands = places.at(spots).tolist()
    ahead = places.at(spots + axes * AHEAD_M * metre).tolist()
    spot_of = dict(zip(model.frames, spots, strict=True))
    of_thing = {
        thing.id: place
        for thing in objects
        if (cameras := [spot_of[frame] for frame in thing.frames if frame in spot_of])
        and (place := places.place_of_thing(np.array(cameras), np.array(thing.obb.center[:2]))) is not None
    }
    return Site(
        forms,
        {frame: place for frame, place in zip(model.frames, stands, strict=True) if place >= 0},
        {frame: place for frame, place in zip(model.frames, ahead, strict=True) if place >= 0},
        of_thing,
    )
