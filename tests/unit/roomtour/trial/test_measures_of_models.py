"""Models tried against a truth: a perfect one passes, one that errs or breaks the form fails, in one line."""

from collections.abc import Callable, Sequence

import numpy as np
import pytest

from instructions.perception.interfaces import FoundBox, Region, RgbImage
from instructions.perception.models.light.labels import ade_words
from instructions.records import Box
from roomtour.trial.example import STEP_PX, TrueThing, TrueView
from roomtour.trial.measures import (
    Trial,
    measure_boxes,
    measure_depth,
    measure_masks,
    measure_metres,
    measure_regions,
    measure_rooms,
    measure_segments,
    measure_tags,
    measure_words,
    try_model,
)

WIDTH, HEIGHT = 320, 160
PLACES = {"sofa": ((0, 40, 120, 120), 4.0), "door": ((200, 8, 280, 152), 2.0)}


def make_thing(word: str, box: tuple[int, int, int, int], depth_m: float) -> TrueThing:
    rays = np.zeros((HEIGHT // STEP_PX, WIDTH // STEP_PX), dtype=bool)
    rays[box[1] // STEP_PX : box[3] // STEP_PX, box[0] // STEP_PX : box[2] // STEP_PX] = True
    return TrueThing(word, (float(box[0]), float(box[1]), float(box[2]), float(box[3])), rays, depth_m)


ROOM = tuple(make_thing(word, box, depth) for word, (box, depth) in PLACES.items())
IMAGE = np.zeros((HEIGHT, WIDTH, 3), dtype=np.uint8)
VIEWS = [TrueView(IMAGE, "hall", ROOM), TrueView(IMAGE + np.uint8(9), "study", ROOM[:1])]


class Knowing:
    """Says what is there, changed by `spoil`."""

    is_metric = True

    def __init__(self, spoil: Callable[[object], object] = lambda said: said) -> None:
        self.spoil = spoil

    def _say(self, said: object) -> list:
        return [self.spoil(said)]

    def detect(self, images: Sequence[RgbImage], labels: Sequence[Sequence[str]]) -> list[list[FoundBox]]:
        return self._say([FoundBox(one.word, 0.9, one.box_xyxy) for one in ROOM if one.word in labels[0]])

    def depth(self, images: Sequence[RgbImage], step_px: int) -> list:
        depth = np.full((HEIGHT, WIDTH), 6.0, dtype=np.float32)
        for x0, y0, x1, y1 in (place for place, _ in PLACES.values()):
            depth[y0:y1, x0:x1] = next(far for place, far in PLACES.values() if place == (x0, y0, x1, y1))
        return self._say(depth[::step_px, ::step_px])

    def segment(self, images: Sequence[RgbImage]) -> list:
        classes = np.full((HEIGHT // 2, WIDTH // 2), ade_words().index("wall"), dtype=np.uint8)
        for word, ((x0, y0, x1, y1), _) in PLACES.items():
            classes[y0 // 2 : y1 // 2, x0 // 2 : x1 // 2] = ade_words().index(word)
        return self._say(classes)

    def tag(self, images: Sequence[RgbImage]) -> list:
        return self._say({"sofa" if images[0].shape[0] == 80 else "door": 0.8})

    def masks(self, images: Sequence[RgbImage], boxes: Sequence[Sequence[Box]]) -> list:
        masks = [np.zeros((HEIGHT, WIDTH), dtype=bool) for _ in boxes[0]]
        for mask, (x0, y0, x1, y1) in zip(masks, boxes[0], strict=True):
            mask[int(y0) : int(y1), int(x0) : int(x1)] = True
        return self._say(masks)

    def regions(self, images: Sequence[RgbImage]) -> list:
        return self._say([Region(f"a dark {one.word}", one.box_xyxy) for one in ROOM])

    def embed(self, images: Sequence[RgbImage]) -> np.ndarray:
        return np.eye(2, dtype=np.float32)[[int(image[0, 0, 0] > 0) for image in images]]

    def score(self, embeddings: np.ndarray, texts: Sequence[str]) -> np.ndarray:
        fits = [[float("hall" in one or one in PLACES), float("study" in one or one == "sofa")] for one in texts]
        return np.asarray(self.spoil(embeddings @ np.array(fits, dtype=np.float32).T + np.float32(0.5)))


def keep(said):
    return said


def find_nothing(said):
    return []


@pytest.mark.parametrize(
    ("measure", "wrong", "broken"),
    [
        (measure_boxes, lambda s: [FoundBox("bed", 0.9, one.box_xyxy) for one in s],
         lambda s: [FoundBox("Sofa.", 0.9, (0.0, 0.0, 9.0, 9.0))]),
        (measure_boxes, find_nothing, lambda s: [FoundBox("sofa", 0.9, (0.0, 0.0, 900.0, 9.0))]),
        (measure_boxes, find_nothing, lambda s: [FoundBox("sofa", 3.2, (0.0, 0.0, 9.0, 9.0))]),
        (measure_depth, lambda s: 7.0 - s, lambda s: s[None]),
        (measure_metres, lambda s: s * 1000.0, lambda s: s[:2]),
        (lambda model, views: measure_segments(model, views, ade_words()),
         lambda s: np.where(s == s.max(), ade_words().index("chair"), 3).astype(np.uint8), lambda s: s + np.uint8(100)),
        (measure_tags, lambda s: {"chair": 0.9}, lambda s: {"chair": 90.0}),
        (measure_masks, lambda s: [~mask for mask in s], lambda s: [mask[::2] for mask in s]),
        (measure_regions, lambda s: [Region("a bed", one.box_xyxy) for one in s],
         lambda s: [Region(" ", s[0].box_xyxy)]),
        (measure_rooms, lambda s: -s, lambda s: s[:1]),
        (measure_words, lambda s: -s, lambda s: s * np.nan),
    ],
)  # fmt: skip
def test_a_sound_model_passes_and_others_fail(measure, wrong, broken):
    def run(spoil: Callable) -> Trial:
        return try_model("m", "it", 0.5, lambda: measure(Knowing(spoil), VIEWS))

    sound = run(keep)
    assert (sound.has_passed, sound.wrong, sound.missed, sound.fault) == (True, 0, 0, "")
    bad = run(wrong)
    assert (bad.has_passed, bad.fault) == (False, "")
    assert bad.wrong + bad.missed > 0
    failed = run(broken)
    assert not failed.has_passed
    assert failed.fault
    assert "\n" not in failed.fault


def test_a_model_that_breaks_down_is_told_in_one_line():
    def fail() -> list[bool]:
        raise RuntimeError("\n  mat1 and mat2 shapes cannot be multiplied\nmore")

    trial = try_model("m", "it", 0.5, fail)
    assert (trial.fault, trial.has_passed) == ("RuntimeError: mat1 and mat2 shapes cannot be multiplied", False)
