"""What a video shows, by small networks on some of its frames: people before the camera, the open air, a home."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from instructions.perception.interfaces import RgbImage
from instructions.perception.models.light.folder import find_light_files, light_folder, why_not_light
from instructions.perception.models.light.labels import network_names
from instructions.perception.models.light.mosaic import Mosaic
from instructions.perception.models.light.yolox import Yolox
from recon.pictures import read_picture_file
from recon.tasks import fixed_threads
from roomtour.artifacts import FRAMES, SOURCE
from roomtour.collect.records import Candidate, CollectOptions, Judgement
from roomtour.errors import USER_ERRORS
from roomtour.files.frames import read_source

_LOOKS = 24
"""Frames that are looked at, evenly over the video; each costs both networks about 0.04 CPU-seconds."""
_PERSON_SCORE = 0.4
_LARGE_PERSON = 0.15
"""Share of the picture from which on a person is what it shows, and not somebody who walks by."""
_OUTDOORS = (
    "building",
    "sky",
    "tree",
    "road",
    "grass",
    "sidewalk",
    "earth",
    "mountain",
    "car",
    "water",
    "house",
    "sea",
    "field",
)
_INDOORS = (
    "wall",
    "floor",
    "ceiling",
    "bed",
    "cabinet",
    "door",
    "table",
    "curtain",
    "chair",
    "painting",
    "sofa",
    "shelf",
    "mirror",
    "rug",
    "armchair",
)
_MOST_OF_PICTURE = 0.5


@dataclass(frozen=True)
class Looked:
    """What one frame shows, as shares of the picture."""

    person: float
    outdoors: float
    indoors: float
    text: float = 0.0
    """Slides, titles, documents; small networks know none."""


class Looks(Protocol):
    """Something that looks at pictures."""

    def look(self, image: RgbImage) -> Looked:
        """At one, upright."""
        ...


class LightLook:
    """The networks, loaded once."""

    def __init__(self, folder: Path | None = None):
        """Load them from `folder`, or from where light models lie.

        Raises:
            InstructionError: If they are not on this machine, or damaged.
        """
        paths = find_light_files(light_folder(folder))
        self._detector, self._segmenter = Yolox(paths["yolox"], _PERSON_SCORE), Mosaic(paths["mosaic"])
        names = network_names()
        self._person, self._person_class = names["coco"].index("person"), names["ade"].index("person")
        self._outdoors = [names["ade"].index(name) for name in _OUTDOORS]
        self._indoors = [names["ade"].index(name) for name in _INDOORS]

    def look(self, image: RgbImage) -> Looked:
        """At one picture, upright."""
        with fixed_threads():
            boxes, _, classes = self._detector.find(image)
            (segments,) = self._segmenter.segment([image])
        sizes = (boxes[:, 2:] - boxes[:, :2]).prod(axis=1)[classes == self._person] / (image.shape[0] * image.shape[1])
        return Looked(
            person=max(float(sizes.max(initial=0.0)), _share(segments, [self._person_class])),
            outdoors=_share(segments, self._outdoors),
            indoors=_share(segments, self._indoors),
        )


def why_no_look() -> str | None:
    """Why there is nothing to look with; None if there is."""
    return why_not_light(light_folder(None))


def look_at_video(one: Candidate, run: Path, networks: Looks, options: CollectOptions) -> Judgement:
    """Look at frames that the first stage left in the run folder of a candidate."""
    try:
        frames = read_source(run / SOURCE.path).frames
    except USER_ERRORS as error:
        return Judgement(one.id, "look", "unreadable", str(error)[:200], "sampled frames")
    chosen = [frames[number] for number in np.unique(np.linspace(0, len(frames) - 1, _LOOKS).round().astype(int))]
    pictures = [read_picture_file(run / FRAMES.path / frame.image) for frame in chosen]
    looked = [networks.look(picture[:, :, ::-1].astype(np.uint8)) for picture in pictures if picture is not None]
    if not looked:
        return Judgement(one.id, "look", "unreadable", "no frame", "sampled frames")
    figures = {
        "looks": float(len(looked)),
        "people_share": _mean([shown.person > _LARGE_PERSON for shown in looked]),
        "outdoors_share": _mean([shown.outdoors > _MOST_OF_PICTURE for shown in looked]),
        "indoors_share": _mean([shown.indoors > _MOST_OF_PICTURE for shown in looked]),
        "text_share": _mean([shown.text > _MOST_OF_PICTURE for shown in looked]),
    }
    return judge_look(Judgement(one.id, "look", "", figures=figures), options)


def judge_look(found: Judgement, options: CollectOptions) -> Judgement:
    """Hold what was seen against the bars."""
    figures = found.figures
    text = figures.get("text_share", 0.0)  # not measured by old versions
    reasons = [
        (text > options.max_text_share, "text-slides", "text_share", options.max_text_share),
        (figures["people_share"] > options.max_people_share, "people", "people_share", options.max_people_share),
        (
            figures["outdoors_share"] > options.max_outdoors_share,
            "outdoors",
            "outdoors_share",
            options.max_outdoors_share,
        ),
        (figures["indoors_share"] < options.min_indoors_share, "no-home", "indoors_share", options.min_indoors_share),
    ]
    for is_against, code, name, bar in reasons:
        if is_against:
            return Judgement(found.id, "look", code, round(figures[name], 3), bar, figures)
    return Judgement(found.id, "look", "", figures=figures)


def _share(segments: NDArray[np.uint8], classes: list[int]) -> float:
    return float(np.isin(segments, classes).mean())


def _mean(values: list[bool]) -> float:
    return sum(values) / len(values)
