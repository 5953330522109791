"""Every model that is on this machine, tried on the example."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import TypeVar

from instructions.errors import InstructionError
from instructions.perception.models.catalog import Ability
from instructions.perception.models.depth_anything import DepthAnything
from instructions.perception.models.florence import Florence
from instructions.perception.models.grounding_dino import GroundingDino
from instructions.perception.models.light.deeplab import Deeplab
from instructions.perception.models.light.deimv2 import Deimv2
from instructions.perception.models.light.embedding import PictureEmbedding
from instructions.perception.models.light.fast_depth import FastDepth
from instructions.perception.models.light.folder import find_light_file, find_light_files
from instructions.perception.models.light.imagenet_tags import ImagenetTags
from instructions.perception.models.light.labels import ade150_words, ade_words, coco_words
from instructions.perception.models.light.mosaic import Mosaic
from instructions.perception.models.light.pins import Part
from instructions.perception.models.light.yolox import Yolox
from instructions.perception.models.options import VisionOptions
from instructions.perception.models.runtime import Runtime, pick_runtime
from instructions.perception.models.sam import SamMasks
from instructions.perception.models.shelf import ModelShelf
from instructions.perception.models.siglip import Siglip
from instructions.perception.models.weights import LocalModel, find_model
from roomtour.trial import measures
from roomtour.trial.example import TrueView
from roomtour.trial.measures import Trial, Verdict, try_model

_T = TypeVar("_T")
_LIGHT_SCORE = 0.3
_SEGMENT = 0.4
_NAMES, _ORDER, _METRES, _ROOMS, _WORDS = 0.5, 0.75, 0.4, 0.5, 0.65
"""Shares of right answers that a sound model needs. Chance is a half for the order of depths and for words, a sixth for
rooms and next to nothing for names."""
_TAG = 0.1
"""The tagger knows a thousand words and was made for pictures of one thing; random weights reach a hundredth."""
_Verdicts = Iterable[Verdict]


def try_light_models(folder: Path, views: Sequence[TrueView]) -> Iterator[Trial]:
    """Try the light models.

    Args:
        folder: That holds them.
        views: Of the example.

    Raises:
        InstructionError: If they are not all there, or one is damaged.
    """
    files = find_light_files(folder)
    said = sorted({word for word in coco_words() if word})
    rows: list[tuple[Part, str, float, Callable[[Path], _Verdicts]]] = [
        ("yolox", "boxes", _NAMES, lambda path: measures.measure_boxes(Yolox(path, _LIGHT_SCORE), views, said)),
        ("deimv2", "boxes", _NAMES, lambda path: measures.measure_boxes(Deimv2(path, _LIGHT_SCORE), views, said)),
        ("mosaic", "segments", _NAMES, lambda path: measures.measure_segments(Mosaic(path), views, ade_words())),
        (
            "deeplab",
            "segments",
            _NAMES,
            lambda path: measures.measure_segments(Deeplab(path, _SEGMENT), views, ade150_words()),
        ),
        ("tags", "words for things", _TAG, lambda path: measures.measure_tags(ImagenetTags(path, 0.0), views)),
        ("depth", "which is nearer", _ORDER, lambda path: measures.measure_depth(FastDepth(path), views)),
    ]
    for part, what, least, measure in rows:
        yield try_model(files[part].parent.name, what, least, lambda m=measure, p=files[part]: m(p))
    path = find_light_file("embedding", folder)
    if path is not None:
        embed = lambda: measures.measure_likeness(PictureEmbedding(path).embed, views)  # noqa: E731
        yield try_model(path.parent.name, "likeness of rooms", _ORDER, embed)


def try_large_models(vision: VisionOptions, views: Sequence[TrueView]) -> Iterator[Trial | str]:
    """Try the chosen large models; a text for one that is not here.

    Args:
        vision: Which models, and where they run.
        views: Of the example.
    """
    try:
        runtime = pick_runtime(vision.device, vision.dtype)
    except InstructionError as error:
        yield str(error)
        return
    for ability, choice in vision.chosen().items():
        try:
            local = find_model(ability, choice)
        except InstructionError as error:
            yield str(error)
            continue
        for what, (least, measure) in _list_measures(ability, local, runtime, vision, views).items():
            yield try_model(local.name, what, least, measure)


def _list_measures(
    ability: Ability, local: LocalModel, runtime: Runtime, vision: VisionOptions, views: Sequence[TrueView]
) -> Mapping[str, tuple[float, Callable[[], _Verdicts]]]:
    shelf = ModelShelf(keeps_on_cpu=True)

    def take(adapter: Callable[..., _T], *more: object) -> _T:
        return shelf.take(adapter, local, runtime, *more)

    match ability:
        case "tags":
            return {
                "rooms": (_ROOMS, lambda: measures.measure_rooms(take(Siglip), views)),
                "words for views": (_WORDS, lambda: measures.measure_words(take(Siglip), views)),
            }
        case "regions":
            return {"phrases": (_NAMES, lambda: measures.measure_regions(take(Florence, vision.region_words), views))}
        case "boxes":
            return {"boxes": (_NAMES, lambda: measures.measure_boxes(take(GroundingDino, vision.box_threshold), views))}
        case "masks":
            return {"masks": (_NAMES, lambda: measures.measure_masks(take(SamMasks), views))}
        case "depth":
            depth = take(DepthAnything)
            order = {"which is nearer": (_ORDER, lambda: measures.measure_depth(depth, views))}
            return order | (
                {"metres": (_METRES, lambda: measures.measure_metres(depth, views))} if depth.is_metric else {}
            )
