"""Pictures in which things of one kind have outlines, each in one colour, as a model that sees is shown them."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from hashlib import sha256
from pathlib import Path

import cv2

from instructions.asking.draws import Draw
from instructions.errors import InstructionError
from instructions.language.pictures import PictureFiles
from instructions.records import Box, Observation, SceneObject
from recon.pictures import read_picture_file

OUTLINES: Mapping[str, tuple[int, int, int]] = {
    "green": (0, 200, 0),
    "blue": (255, 60, 0),
    "red": (0, 0, 255),
    "purple": (200, 0, 160),
    "yellow": (0, 230, 255),
}
"""Name to blue, green, red."""
LEAST_GROUP, MOST_GROUP = 2, len(OUTLINES)
VIEWS_PER_THING = 5
LEAST_VISIBLE, LEAST_AREA = 0.3, 0.004
"""Share of a thing, and of the picture that its box takes, below which a view tells nothing of its looks."""
_QUALITY = 90


@dataclass(frozen=True)
class Group:
    """Things of one category in one model, with the views that show them."""

    model: str
    category: str
    things: tuple[SceneObject, ...]
    boxes: Mapping[int, Mapping[str, Box]]
    """By frame, in time order, and thing."""

    @property
    def id(self) -> str:
        """Of the group, in its tour."""
        return f"{self.model} {self.category}"


@dataclass
class OutlinedPictures:
    """Drawn pictures by their sha256, and files as they are."""

    files: PictureFiles = field(default_factory=PictureFiles)
    _drawn: dict[str, bytes] = field(default_factory=dict)

    def draw(self, path: Path, boxes: Mapping[str, Box]) -> str:
        """Draw outlines into a picture; the sha256 of what comes out.

        Args:
            path: Of the picture.
            boxes: By colour.

        Raises:
            InstructionError: If it cannot be read.
        """
        image = read_picture_file(path)
        if image is None:
            raise InstructionError(f"{path}: the picture cannot be read")
        thick = max(2, round(min(image.shape[:2]) / 120))
        for color, (x0, y0, x1, y1) in sorted(boxes.items()):
            cv2.rectangle(image, (round(x0), round(y0)), (round(x1), round(y1)), OUTLINES[color], thick)
        content = cv2.imencode(".jpg", image, [cv2.IMWRITE_JPEG_QUALITY, _QUALITY])[1].tobytes()
        digest = sha256(content).hexdigest()
        self._drawn[digest] = content
        return digest

    def read(self, digest: str) -> bytes:
        """See `PictureSource.read`."""
        return self._drawn[digest] if digest in self._drawn else self.files.read(digest)


def find_groups(
    objects: Sequence[SceneObject],
    observations: Sequence[Observation],
    sizes: Mapping[int, tuple[int, int]],
    draw: Draw,
) -> list[Group]:
    """Groups of 2 to 5 things of one category, each of which some view shows well; larger ones stay without names.

    Args:
        objects: Of all models.
        observations: What shows them.
        sizes: Width and height of the frames.
        draw: Of the views, at most five of each thing.
    """
    members: dict[tuple[str, str], list[SceneObject]] = defaultdict(list)
    for thing in objects:
        if thing.category is not None:
            members[thing.model, thing.category].append(thing)
    shown: dict[str, dict[int, Box]] = defaultdict(dict)
    for one in observations:
        width, height = sizes.get(one.frame, (0, 0))
        x0, y0, x1, y1 = one.box_xyxy
        if one.visible_fraction >= LEAST_VISIBLE and (x1 - x0) * (y1 - y0) >= LEAST_AREA * width * height > 0:
            shown[one.object][one.frame] = one.box_xyxy
    groups = []
    for (model, category), things in sorted(members.items()):
        if LEAST_GROUP <= len(things) <= MOST_GROUP and all(shown[one.id] for one in things):
            boxes = _choose_views([one.id for one in things], shown, draw)
            groups.append(Group(model, category, tuple(sorted(things, key=lambda one: one.id)), boxes))
    return groups


def _choose_views(
    things: Sequence[str], shown: Mapping[str, Mapping[int, Box]], draw: Draw
) -> dict[int, dict[str, Box]]:
    """Frames that together show every thing, none in more than five; those that show several come first."""
    frames = sorted({frame for thing in things for frame in shown[thing]})
    order = sorted(frames, key=lambda frame: (-sum(frame in shown[one] for one in things), draw.uniform()))
    count, chosen = dict.fromkeys(things, 0), list[int]()
    for frame in order:
        here = [one for one in things if frame in shown[one]]
        if all(count[one] < VIEWS_PER_THING for one in here):
            chosen.append(frame)
            for one in here:
                count[one] += 1
    for thing in things:
        if not count[thing]:
            chosen.append(min(shown[thing]))
            count[thing] += 1
    return {frame: {one: shown[one][frame] for one in things if frame in shown[one]} for frame in sorted(set(chosen))}
