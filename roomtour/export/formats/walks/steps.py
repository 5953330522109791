"""Told ways as discrete actions: with a frame for each (StreamVLN), as sentences (NaVILA), as videos (Uni-NaVid)."""

from __future__ import annotations

import random
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Annotated, Any, Literal

from annotated_types import Gt, Le
from pydantic import Field

from roomtour.export.core.checking import Row, RowCheck
from roomtour.export.core.fields import Id, RelativePath, Text, Turn, must, there, turns_of
from roomtour.export.core.format import ExportFormat, each_run
from roomtour.export.core.ledger import Ledger
from roomtour.export.core.records import RunData
from roomtour.export.core.streams import FileRow, read_row_files, rows_of
from roomtour.export.core.talks.view_videos import measure_film, write_video
from roomtour.export.core.walks.ways import START, AugmentOptions, collect_stepped_ways, copy_steps
from trajectories.actions import ActionOptions
from trajectories.records import Action
from trajectories.training import choose_balanced_steps

ANNOTATIONS = "{split}/annotations.json"
SIZES = ActionOptions(forward_m=0.25, turn_deg=15.0)
"""Of VLN-CE: StreamVLN's prompt says so, and NaVILA's evaluation takes such steps out of a sentence."""
_format = partial(ExportFormat, needs_scale=True, reads=("instructions",))


LEAST_STEPS = 4
"""StreamVLN's loader skips ways with fewer actions."""
RGB = "rgb"
_STREAMVLN_CONVENTION = """\
* `{split}/annotations.json`, one way per item; give the folders of the splits to `--video_folder`, joined by commas.
* `actions`: 0 stop, 1 forward 25 cm, 2 left 15 degrees, 3 right 15 degrees. `actions[i]` led to frame i, the first is
  -1, and the loader adds the stop. There are as many frames as actions.
* `{split}/{video}/rgb/` holds the frames in order; `source_frames` are their numbers in the run.
* The actions are those of an agent that faces its way: each is shown the frame of the walk nearest to where the agent
  stands and looks, never one earlier than the step before."""


def _streamvln_rows(run: RunData, ledger: Ledger, options: AugmentOptions) -> Iterator[dict[str, Any]]:
    for stepped in collect_stepped_ways(run, ledger, SIZES, LEAST_STEPS):
        video = f"images/{stepped.way.id}"
        yield {
            "id": ledger.counts["ways"],
            "video": video,
            "instructions": list(stepped.way.texts),
            "actions": stepped.codes_before,
            "source_frames": list(stepped.frames),
        }
        copy_steps(run, stepped.frames, ledger.out / ledger.split / video / RGB, "{step:06d}.jpg")


class _Way(Row):
    id: Id
    video: RelativePath
    instructions: Annotated[list[Text], Field(min_length=1)]
    actions: Annotated[
        list[Literal[-1, 0, 1, 2, 3]],
        Field(min_length=LEAST_STEPS),
        must(lambda actions: actions[0] == START, f"{START} first: the loader drops it"),
        must(lambda actions: {1, 2, 3}.issuperset(actions[1:]), "1, 2 or 3 after the first: the loader adds the stop"),
    ]

    def check(self, row: RowCheck) -> None:
        """A frame for each action."""
        frames = len(list((row.home / self.video / RGB).glob("*")))
        if frames != len(self.actions):
            row.bad("video", f"{len(self.actions)} frames in {self.video}/{RGB}, one per action", frames)


def _read_ways(folder: Path) -> Iterator[FileRow]:
    """The items of the splits, each with the names of its pictures below the dataset."""
    for name, row in read_row_files(folder, ANNOTATIONS.format(split="*")):
        pictures = sorted((folder / name).parent.glob(f"{row.get('video')}/{RGB}/*.jpg"))
        yield name, {**row, "images": [path.relative_to(folder).as_posix() for path in pictures]}


STREAMVLN = _format(
    name="streamvln",
    summary="ways as actions of 25 cm and 15 degrees with a frame for each",
    client="StreamVLN (InternRobotics/StreamVLN at e48f6ff of 2025-11-02, streamvln/dataset/vln_action_dataset.py)",
    convention=_STREAMVLN_CONVENTION,
    options=AugmentOptions,
    write=each_run(ANNOTATIONS, _streamvln_rows, "ways", "steps", counted=""),
    tables={ANNOTATIONS: _Way},
    rows=_read_ways,
)

MOST_AT_ONCE = 3
"""A sentence names up to 75 cm or 45 degrees; its evaluation knows no more."""
STOP = "I think I should stop because I have finished the instruction."
"""As in its own data; its evaluation looks for the word "stop"."""
FRAME = "frame_{step}.jpg"
_NAVILA_CONVENTION = """\
* `{split}/annotations.json`, one row per step and text: `frames` (all so far, the current one last, relative to the
  folder of the split, from which the loader takes some), `q` (the text) and `a` (the next move). In
  `llava/data/datasets_mixture.py` add a `Dataset` with `dataset_type="vlnce"`, `data_path` this file and `image_path`
  its folder.
* `a` joins up to three like actions: "The next action is move forward 25, 50 or 75 cm.", "turn left 15, 30 or 45
  degree.", the same to the right, or a sentence with "stop". Its evaluation reads these.
* The actions are those of an agent that faces its way: each is shown the frame of the walk nearest to where the agent
  stands and looks, never one earlier than the step before."""


@dataclass(frozen=True, kw_only=True)
class NavilaOptions(AugmentOptions):
    """Options of the format."""

    max_forward_share: Annotated[float, Gt(0), Le(1)] = 1.0
    """Largest share of `forward` among the rows of a way; the others are drawn with the seed. 1 keeps all: nearly
    half of the steps of a tour are `forward`, and about nine of ten in a straight flat."""


def next_move(actions: Sequence[Action]) -> str:
    """The sentence for what is done next: the first action with those like it that follow at once."""
    action = actions[0]
    if action == "stop":
        return STOP
    count = next((k for k, other in enumerate(actions[:MOST_AT_ONCE]) if other != action), MOST_AT_ONCE)
    if action == "forward":
        return f"The next action is move forward {count * round(SIZES.forward_m * 100)} cm."
    return f"The next action is turn {action} {count * round(SIZES.turn_deg)} degree."


def _navila_rows(run: RunData, ledger: Ledger, options: NavilaOptions) -> Iterator[dict[str, Any]]:
    for stepped in collect_stepped_ways(run, ledger, SIZES):
        draw = random.Random(f"{options.seed}/{stepped.way.id}")
        kept = choose_balanced_steps(stepped.actions, options.max_forward_share, draw)
        ledger.dropped["forward step without a row, to balance"] += len(stepped.actions) - len(kept)
        frames = [f"{stepped.way.id}/{FRAME.format(step=step)}" for step in range(len(stepped.actions))]
        for number, text in enumerate(stepped.way.texts):
            for step in kept:
                yield {
                    "video_id": f"{stepped.way.id}-{number}-{step}",
                    "q": text,
                    "a": next_move(stepped.actions[step:]),
                    "frames": frames[: step + 1],
                }
        copy_steps(run, stepped.frames, ledger.out / ledger.split / stepped.way.id, FRAME)


_MOVES = re.compile(
    r"The next action is (?:move forward (?:25|50|75) cm|turn (?:left|right) (?:15|30|45) degrees?)\."
    r"|(?!.*\bis (?:move|turn)\b).*\bstop\b.*",
    re.IGNORECASE,
)
"""What the evaluation reads an action from; "stop" is looked for first."""


def _are_in_order(frames: list[str]) -> bool:
    return frames == [f"{Path(frames[0]).parent}/{FRAME.format(step=step)}" for step in range(len(frames))]


class _Step(Row):
    key = "video_id"
    video_id: Id
    q: Text
    a: Annotated[str, must(lambda text: _MOVES.fullmatch(text) is not None, "a move that the evaluation reads")]
    frames: Annotated[
        list[Annotated[RelativePath, there()]],  # of a lost one the loader trains on black
        Field(min_length=1),
        must(_are_in_order, "all frames of one way up to the current one, in order"),
    ]


NAVILA = _format(
    name="navila",
    summary="the frames so far and the next move in words, a row per step",
    client="NaVILA (AnjieCheng/NaVILA at 76b98f2 of 2025-08-19, llava/data/dataset.py)",
    convention=_NAVILA_CONVENTION,
    options=NavilaOptions,
    write=each_run(ANNOTATIONS, _navila_rows, "ways", "steps", "rows"),
    tables={ANNOTATIONS: _Step},
    rows=rows_of("*/annotations.json"),
)

_WIDE = ActionOptions(forward_m=0.25, turn_deg=30.0)
"""As Uni-NaVid is judged with on R2R (jzhzhang/NaVid-VLN-CE at cf066cc, vlnce_task_navid_r2r.yaml)."""
AHEAD = 4
"""Actions that its prompt asks for, so also the steps from one row to the next."""
VIDEO_FPS = 1
"""Rate of the videos: what the training scripts sample at (`--video_fps 1`), so every frame is seen."""
LEAST_FRAMES = 2
"""The last one is what is seen now; the loader treats a single frame as no navigation."""
SHORT_SIDE_PX = 224
"""Of the videos: its image processor makes them that small."""
IDENTIFIER = "a video of historical observations and an image of the current observation"
"""By which the trainer tells a row of navigation."""
IMAGE = "<image>"
NAV_ID = "NAV_ID"
PROMPT = (
    f"Imagine you are a robot programmed for navigation tasks. You have been given {IDENTIFIER} {IMAGE}. Your assigned "
    "task is: '{text}'. Analyze this series of images to determine your next four actions. The predicted action should "
    "be one of the following: forward, left, right, or stop."
)
VIDEOS = "nav_videos"
_UNINAVID_CONVENTION = """\
* `{split}/annotations.json` (`--data_path`), videos in `{split}/nav_videos` (`--video_folder` is `{split}`).
* A row per fourth step, and one for the last: `id` holds `NAV_ID`, `video` shows a frame per step from the first to the
  current one, one per second, `conversations` is the prompt with `<image>` and the next four actions, fewer where the
  way ends: forward (25 cm), left and right (30 degrees), stop.
* The first row of a way shows its first frame twice: the loader needs a past.
* The actions are those of an agent that faces its way: each is shown the frame of the walk nearest to where the agent
  stands and looks, never one earlier than the step before.
* Videos are scaled to 224 pixels on the shorter side, as the image processor of the trainer would."""


def _uninavid_rows(run: RunData, ledger: Ledger, options: AugmentOptions) -> Iterator[dict[str, Any]]:
    folder = ledger.out / ledger.split
    (folder / VIDEOS).mkdir(exist_ok=True)
    for stepped in collect_stepped_ways(run, ledger, _WIDE):
        pictures = [run.frames_dir / run.scene.frame_by_index[frame].image for frame in stepped.frames]
        last = len(stepped.actions) - 1
        for step in sorted({*range(0, last, AHEAD), last}):
            video = f"{VIDEOS}/{stepped.way.id}_{step:04d}.mp4"
            shown = pictures[: step + 1] if step else [pictures[0]] * LEAST_FRAMES
            write_video(shown, run.scene.id, folder / video, VIDEO_FPS, SHORT_SIDE_PX)
            ledger.counts["videos"] += 1
            for number, text in enumerate(stepped.way.texts):
                turn = (PROMPT.format(text=text), " ".join(stepped.actions[step : step + AHEAD]))
                row_id = f"{NAV_ID}_{stepped.way.id}_{number}_{step}"
                yield {"id": row_id, "video": video, "conversations": turns_of([turn])}


class _Talk(Row):
    id: Annotated[str, must(lambda text: NAV_ID in text, f"a text that holds {NAV_ID}")]
    video: RelativePath
    conversations: Annotated[
        list[Turn],
        Field(min_length=2, max_length=2),
        must(lambda turns: [turn.speaker for turn in turns] == ["human", "gpt"], "a turn of human, then one of gpt"),
        must(
            lambda turns: IDENTIFIER in turns[0].value and turns[0].value.count(IMAGE) == 1,
            f"{IDENTIFIER!r} and {IMAGE} once in the question",
        ),
    ]

    def check(self, row: RowCheck) -> None:
        """A video that can be sampled, actions that the trainer knows."""
        film = row.data.once(measure_film, row.home / self.video)
        step = 0 if isinstance(film, str) else round(film.rate / VIDEO_FPS)
        if isinstance(film, str) or step < 1 or -(-film.frames // step) < LEAST_FRAMES:
            row.bad("video", f"at least {LEAST_FRAMES} frames at {VIDEO_FPS} per second", film)
        answer = self.conversations[1].value
        *moves, last = answer.split(" ")
        known = {"forward", "left", "right"}
        if len(moves) >= AHEAD or not known.issuperset(moves) or last not in {*known, "stop"}:
            row.bad("conversations", f"1 to {AHEAD} of forward, left and right, stop only last", answer)


UNINAVID = _format(
    name="uninavid",
    summary="a video of what was seen so far and the next four actions, a row per fourth step",
    client="Uni-NaVid (jzhzhang/Uni-NaVid at 64444eb of 2025-10-17, uninavid/train/train.py)",
    convention=_UNINAVID_CONVENTION,
    options=AugmentOptions,
    write=each_run(ANNOTATIONS, _uninavid_rows, "ways", "steps", "rows", "videos"),
    tables={ANNOTATIONS: _Talk},
    rows=rows_of("*/annotations.json"),
)
