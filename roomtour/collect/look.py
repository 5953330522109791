"""What a video shows, by small networks or large models on some of its frames: people, the open air, a home, text."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from instructions.perception.frames.look import find_models
from instructions.perception.interfaces import RgbImage
from instructions.perception.models.grounding_dino import GroundingDino
from instructions.perception.models.light.folder import find_light_files, light_folder, why_not_light
from instructions.perception.models.light.labels import network_names
from instructions.perception.models.light.mosaic import Mosaic
from instructions.perception.models.light.yolox import Yolox
from instructions.perception.models.options import VisionOptions
from instructions.perception.models.runtime import pick_runtime
from instructions.perception.models.siglip import Siglip
from recon.pictures import read_picture_file
from recon.tasks import fixed_threads
from roomtour.artifacts import FRAMES, SOURCE
from roomtour.collect.bars import hold
from roomtour.collect.records import Candidate, CollectOptions, Judgement, call_unreadable
from roomtour.errors import USER_ERRORS, RoomtourError
from roomtour.files.frames import read_source

_LOOKS = 24
"""Frames that small networks look at, evenly over the video; each costs both about 0.04 CPU-seconds."""
EMBEDDED = 48
"""Frames by which videos of one home are found; each costs 0.006 CPU-seconds."""
_PERSON_SCORE = 0.4
_LARGE_PERSON = 0.15
"""Share of the picture from which on a person is what it shows, and not somebody who walks by."""
_OUTDOORS = (
    "building", "sky", "tree", "road", "grass", "sidewalk", "earth", "mountain", "car", "water", "house", "sea",
    "field",
)  # fmt: skip
_INDOORS = (
    "wall", "floor", "ceiling", "bed", "cabinet", "door", "table", "curtain", "chair", "painting", "sofa", "shelf",
    "mirror", "rug", "armchair",
)  # fmt: skip
_MOST_OF_PICTURE = 0.5
_SHARES = {
    "people": "people_share", "outdoors": "outdoors_share", "no-home": "indoors_share", "text-slides": "text_share",
}  # fmt: skip
"""Figures by the code of the rejection."""


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

    looks: int
    """Pictures of a video that it looks at, evenly over it, at least."""
    every_s: float
    """More in a long one, so that no more seconds lie between them; 0 for no such rule."""

    def look(self, image: RgbImage) -> Looked:
        """At one, upright."""
        ...


class Embeds(Protocol):
    """Something that gives vectors of pictures."""

    def embed(self, images: Sequence[RgbImage]) -> NDArray[np.float32]:
        """Of length 1, a row per picture."""
        ...


class LightLook:
    """The networks, loaded once."""

    looks, every_s = _LOOKS, 0.0

    def __init__(self, folder: Path | None = None):
        """Load them from `folder`, or from where light models lie; InstructionError if they are not there."""
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


def look_at_video(candidate: Candidate, run: Path, networks: Looks, options: CollectOptions) -> Judgement:
    """Look at frames that the first stage left in the run folder of a candidate."""
    try:
        looked = [networks.look(picture) for _, picture in _read_pictures(run, networks.looks, networks.every_s)]
    except USER_ERRORS as error:
        return call_unreadable(candidate.id, "look", error, "sampled frames")
    if not looked:
        return call_unreadable(candidate.id, "look", "no frame", "sampled frames")
    bars = (_LARGE_PERSON, *[_MOST_OF_PICTURE] * 3)
    table = np.array([(shown.person, shown.outdoors, shown.indoors, shown.text) for shown in looked])
    shares = (float(share) for share in (table > bars).mean(axis=0))
    figures = {"looks": float(len(looked)), **dict(zip(_SHARES.values(), shares, strict=True))}
    return judge_look(Judgement(candidate.id, "look", "", figures=figures), options)


def embed_video(run: Path, embeds: Embeds) -> dict[str, NDArray]:
    """`vectors` of pictures that the first stage left in a run folder, evenly over the video, and their `names`; none
    if it left none.
    """
    try:
        pictures = dict(_read_pictures(run, EMBEDDED))
    except USER_ERRORS:
        pictures = {}
    return {"vectors": embeds.embed(list(pictures.values())), "names": np.array(list(pictures), dtype=np.str_)}


def _read_pictures(run: Path, looks: int, every_s: float = 0.0) -> Iterator[tuple[str, RgbImage]]:
    """Frames of a run with their names, evenly over the video: so many, or more where that leaves more than `every_s`
    between them.
    """
    frames = read_source(run / SOURCE.path).frames
    if not frames:
        return
    if every_s:
        looks = max(looks, round((frames[-1].time_s - frames[0].time_s) / every_s) + 1)
    for place in np.unique(np.linspace(0, len(frames) - 1, looks).round().astype(int)):
        picture = read_picture_file(run / FRAMES.path / frames[place].image)
        if picture is not None:
            yield frames[place].image, picture[:, :, ::-1].astype(np.uint8)


def judge_look(judgement: Judgement, options: CollectOptions) -> Judgement:
    """Hold what was seen against the bars."""
    codes = ("text-slides", "people", "outdoors", "no-home")
    return hold(judgement, {code: judgement.figures[_SHARES[code]] for code in codes}, options)


def _share(segments: NDArray[np.uint8], classes: list[int]) -> float:
    return float(np.isin(segments, classes).mean())


_SENTENCES = {
    "indoors": ("a photo of a room inside a home.", "a video frame taken inside a house.", "a corridor indoors."),
    "outdoors": ("a photo of a street.", "a photo of a landscape.", "a photo of a house seen from outside."),
    "text": ("a slide with text.", "a title screen with words.", "a page of a document."),
    "people": ("a person who talks to the camera.", "a selfie video.", "a news presenter."),
}
"""Kinds of pictures, and sentences that fit them; a picture is of the kind with the best sentence."""


class LargeLook:
    """The models, loaded once; they look at a frame in five seconds."""

    looks, every_s = 24, 5.0

    def __init__(self, options: VisionOptions = VisionOptions()):
        """Load those that the options name.

        Raises:
            InstructionError: If one is not on this machine, or damaged.
            RoomtourError: If the options name none for tags or boxes.
        """
        models = find_models(options)
        lacking = [ability for ability in ("tags", "boxes") if ability not in models]
        if lacking:
            raise RoomtourError(f"--perception models: collect needs --vision.{lacking[0]}.model")
        runtime = pick_runtime(options.device, options.dtype)
        self._words = Siglip(models["tags"], runtime)
        self._boxes = GroundingDino(models["boxes"], runtime, options.box_threshold)

    def look(self, image: RgbImage) -> Looked:
        """At one picture, upright: the probability of each kind, and the share that the largest person takes."""
        texts = [text for sentences in _SENTENCES.values() for text in sentences]
        (scores,) = self._words.score(self._words.embed([image]), texts)
        grown = np.exp(scores - scores.max())
        kinds = dict.fromkeys(_SENTENCES, 0.0)
        for share, kind in zip(grown / grown.sum(), (k for k, some in _SENTENCES.items() for _ in some), strict=True):
            kinds[kind] += float(share)
        (people,) = self._boxes.detect([image], [["person"]])
        boxes = (person.box_xyxy for person in people)
        largest = max(((box[2] - box[0]) * (box[3] - box[1]) for box in boxes), default=0.0)
        person = float(largest) / (image.shape[0] * image.shape[1])
        return Looked(person, kinds["outdoors"], kinds["indoors"], kinds["text"])
