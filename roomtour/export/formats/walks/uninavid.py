"""Talks for Uni-NaVid: a video of what was seen so far, the instruction, and the next four actions."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Annotated, Any

from pydantic import Field

from roomtour.export.core.checking import RelativePath, Row, RowCheck, must
from roomtour.export.core.columns import Turn, turns_of
from roomtour.export.core.format import ExportFormat, Loader, each_run
from roomtour.export.core.ledger import Ledger
from roomtour.export.core.records import RunData
from roomtour.export.core.row_files import rows_of
from roomtour.export.core.talks.view_videos import measure_film, write_video
from roomtour.export.core.walks.augment import AugmentOptions
from roomtour.export.core.walks.stepped_ways import collect_stepped_ways
from trajectories.actions import ActionOptions

LOADER = Loader("Uni-NaVid", "jzhzhang/Uni-NaVid", "64444eb", "2025-10-17", "uninavid/train/train.py")
SIZES = ActionOptions(forward_m=0.25, turn_deg=30.0)
"""As it is judged with on R2R (jzhzhang/NaVid-VLN-CE at cf066cc, vlnce_task_navid_r2r.yaml)."""
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
ANNOTATIONS, VIDEOS = "{split}/annotations.json", "nav_videos"

CONVENTION = """\
* `{split}/annotations.json` (`--data_path`), videos in `{split}/nav_videos` (`--video_folder` is `{split}`).
* A row per fourth step, and one for the last: `id` holds `NAV_ID`, `video` shows a frame per step from the first to the
  current one, one per second, `conversations` is the prompt with `<image>` and the next four actions, fewer where the
  way ends: forward (25 cm), left and right (30 degrees), stop.
* The first row of a way shows its first frame twice: the loader needs a past.
* The actions are those of an agent that faces its way: each is shown the frame of the walk nearest to where the agent
  stands and looks, never one earlier than the step before.
* Videos are scaled to 224 pixels on the shorter side, as the image processor of the trainer would."""


def _rows(run: RunData, ledger: Ledger, options: AugmentOptions) -> Iterator[dict[str, Any]]:
    folder = ledger.out / ledger.split
    (folder / VIDEOS).mkdir(exist_ok=True)
    for stepped in collect_stepped_ways(run, ledger, SIZES):
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
        told = self.conversations[1].value
        *moves, last = told.split(" ")
        known = {"forward", "left", "right"}
        if len(moves) >= AHEAD or not known.issuperset(moves) or last not in {*known, "stop"}:
            row.bad("conversations", f"1 to {AHEAD} of forward, left and right, stop only last", told)


UNINAVID = ExportFormat(
    name="uninavid",
    summary="a video of what was seen so far and the next four actions, a row per fourth step",
    client=str(LOADER),
    needs_scale=True,
    reads=("instructions",),
    convention=CONVENTION,
    options=AugmentOptions,
    write=each_run(ANNOTATIONS, _rows, "ways", "steps", "rows", "videos"),
    tables={ANNOTATIONS: _Talk},
    files=("*/nav_videos",),
    rows=rows_of("*/annotations.json"),
)
