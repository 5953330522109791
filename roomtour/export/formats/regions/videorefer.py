"""VideoRefer: the film of a model, and for each of its things the masks of that thing in several frames."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Annotated, Any

import numpy as np
from pydantic import Field

from instructions.perception.masks import pack_runs
from instructions.records import Observation
from instructions.wording.english import capital, is_plural, join_list, with_article
from recon.records import SceneModel
from roomtour.export.core.checking import Row, RowCheck
from roomtour.export.core.fields import Id, Mask, RelativePath, Turns, begin_with, check_masks, turns_of
from roomtour.export.core.format import ExportFormat, each_run
from roomtour.export.core.ledger import ExportOptions, Ledger
from roomtour.export.core.records import RunData
from roomtour.export.core.streams import rows_of
from roomtour.export.core.talks.regions import ToldThing, cover, tell_things
from roomtour.export.core.talks.talk import Place
from roomtour.export.core.talks.view_videos import VIDEO_TOKEN, measure_film, write_video

FILES = "videorefer_{split}.json"
REGION = "<region>"
FRAMES_PER_SECOND = 3.0
"""Of the films: what tours are sampled with by default. No question asks for a time."""
LEAST_MASKS, MOST_MASKS = 2, 6
"""Of a thing: one shows no more than a picture does, and each takes up to ten tokens."""
LEAST_VISIBLE = 0.5
"""Share of a thing that a frame must show."""
LEAST_SIDE_PX = 28
"""Of a box: two patches of the vision model."""

CONVENTION = f"""\
* `videorefer_{{split}}.json`: one thing per item. `video` is a list of one film below the dataset (the frames of a
  model in order of time, {FRAMES_PER_SECOND:g} per second), `masks` a list of one object: by the number of a frame,
  from 0, the mask of the thing there in COCO's compressed form, of the size `height`, `width`. Give the file as
  `--data_path` and the dataset as `--data_folder`.
* `{REGION}` stands once for each mask, in their order: the loader puts the tokens of the mask there. All of them are
  in the first question.
* Kind and color are what region knowledge says of the thing; a thing without masks has its boxes as masks."""


def _rows(run: RunData, ledger: Ledger, options: ExportOptions) -> Iterator[dict[str, Any]]:
    known = tell_things(run)
    for model in run.scene.models:
        video = f"videos/{run.scene.id}_m{model.name}.mp4"
        items = list(_items(run, model, video, known, ledger))
        if items:
            path = ledger.out / video
            path.parent.mkdir(exist_ok=True)
            frames = [run.scene.frame_by_index[frame] for frame in sorted(model.world_from_cam)]
            pictures = [run.frames_dir / frame.image for frame in frames]
            write_video(pictures, run.scene.id, path, FRAMES_PER_SECOND)
            ledger.counts["videos"] += 1
        yield from items


def _items(
    run: RunData, model: SceneModel, video: str, known: Mapping[str, ToldThing], ledger: Ledger
) -> Iterator[dict[str, Any]]:
    number_of = {frame: number for number, frame in enumerate(sorted(model.world_from_cam))}
    for thing in run.objects:
        if thing.model != model.name:
            continue
        if thing.id not in known:
            ledger.dropped["thing whose kind no region row tells"] += 1
            continue
        seen = [
            observation
            for observation in run.observations
            if observation.object == thing.id and observation.frame in number_of and _is_clear(observation)
        ]
        if len(seen) < LEAST_MASKS:
            ledger.dropped[f"thing that fewer than {LEAST_MASKS} frames show well"] += 1
            continue
        chosen = [seen[at] for at in np.unique(np.linspace(0, len(seen) - 1, MOST_MASKS).round().astype(int))]
        frame = run.scene.frame_by_index[chosen[0].frame]
        width, height = frame.width - frame.width % 2, frame.height - frame.height % 2  # as films are
        masks = {
            str(number_of[one.frame]): pack_runs(
                cover(Place("thing", 1, thing.id, 0, one.box_xyxy, one.mask), (width, height))[1]
            )
            for one in chosen
        }
        ledger.counts["masks"] += len(masks)
        ledger.counts["boxes for masks"] += sum(one.mask is None for one in chosen)
        yield {
            "id": f"{run.scene.id}_{thing.id}",
            "video": [video],
            "height": height,
            "width": width,
            "masks": [masks],
            "conversations": _talk(known[thing.id], len(masks)),
        }


def _is_clear(observation: Observation) -> bool:
    x0, y0, x1, y1 = observation.box_xyxy
    return observation.visible_fraction >= LEAST_VISIBLE and min(x1 - x0, y1 - y0) >= LEAST_SIDE_PX


def _talk(thing: ToldThing, masks: int) -> list[dict[str, str]]:
    """Questions about a thing that the film shows at several moments, and their answers."""
    regions = join_list([REGION] * masks)
    verb = "They are" if is_plural(thing.kind) else "It is"
    turns = [(f"{regions} are one thing at {masks} moments. What is it?", f"{verb} {with_article(thing.kind)}.")]
    if thing.color is not None:
        turns.append(("What color is it?", f"{capital(thing.color)}."))
    if thing.use:
        turns.append(("What is it for?", thing.use))
    return turns_of(turns, VIDEO_TOKEN)


class _Item(Row):
    id: Id
    video: Annotated[list[RelativePath], Field(min_length=1, max_length=1)]
    height: int
    width: int
    masks: Annotated[list[Annotated[dict[str, Mask], Field(min_length=1)]], Field(min_length=1)]
    conversations: Annotated[Turns, begin_with(VIDEO_TOKEN)]

    def check(self, row: RowCheck) -> None:
        """A film with the frames of the masks, masks of its size, a mark for each."""
        film = row.data.once(measure_film, row.home / self.video[0])
        if isinstance(film, str):
            return row.bad("video", "a film that can be read", film)
        if (self.width, self.height) != (film.width, film.height):
            row.bad("height", f"the size of the film, {film.width}x{film.height}", f"{self.width}x{self.height}")
        numbers = [number for masks in self.masks for number in masks]
        strange = [number for number in numbers if not number.isdecimal() or int(number) >= film.frames]
        row.need(not strange, "masks", f"numbers of frames from 0 to {film.frames - 1}", strange)
        masks = [mask for masks in self.masks for mask in masks.values()]
        check_masks(row, "masks", masks, (film.width, film.height))
        named = sum(turn.value.count(REGION) for turn in self.conversations)
        row.need(named == len(masks), "conversations.value", f"{len(masks)} times {REGION}, one for each mask", named)
        return None


VIDEOREFER = ExportFormat(
    name="videorefer",
    summary="the masks of one thing over the frames of a tour, with questions about it",
    client="VideoRefer (DAMO-NLP-SG/VideoRefer at cbd4207 of 2025-09-03, videorefer_videollama3/train.py)",
    reads=("qars",),
    convention=CONVENTION,
    rows=rows_of("videorefer_*.json"),
    write=each_run(FILES, _rows, "rows", "masks", "boxes for masks", "videos"),
    tables={FILES: _Item},
)
