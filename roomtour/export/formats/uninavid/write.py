"""Talks for Uni-NaVid: a video of what was seen so far, the instruction, and the next four actions."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from contextlib import ExitStack
from dataclasses import dataclass

from roomtour.export.core.augment import AugmentOptions
from roomtour.export.core.ledger import Ledger
from roomtour.export.core.loader import Loader
from roomtour.export.core.records import RunData
from roomtour.export.core.stepped_ways import collect_stepped_ways
from roomtour.export.core.streams import JsonArrayWriter, split_folders
from roomtour.export.core.view_videos import write_video
from trajectories.actions import ActionOptions
from trajectories.records import Action

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
ANNOTATIONS, VIDEOS = "annotations.json", "nav_videos"

CONVENTION = """\
* `{split}/annotations.json` (`--data_path`), videos in `{split}/nav_videos` (`--video_folder` is `{split}`).
* A row per fourth step, and one for the last: `id` holds `NAV_ID`, `video` shows a frame per step from the first to the
  current one, one per second, `conversations` is the prompt with `<image>` and the next four actions, fewer where the
  way ends: forward (25 cm), left and right (30 degrees), stop.
* The first row of a way shows its first frame twice: the loader needs a past.
* The actions are those of an agent that faces its way: each is shown the frame of the walk nearest to where the agent
  stands and looks, never one earlier than the step before.
* Videos are scaled to 224 pixels on the shorter side, as the image processor of the trainer would."""


@dataclass(frozen=True, kw_only=True)
class UniNavidOptions(AugmentOptions):
    """Options of the format."""


def write(runs: Iterable[RunData], ledger: Ledger, options: UniNavidOptions) -> None:
    """Write the rows of all tours, one tour at a time."""
    ledger.counts.update({"ways": 0, "steps": 0, "rows": 0, "videos": 0})
    with ExitStack() as stack:
        folders = split_folders(ledger.out, options.splits)
        files = {split: stack.enter_context(JsonArrayWriter(folders[split] / ANNOTATIONS)) for split in folders}
        for folder in folders.values():
            (folder / VIDEOS).mkdir()
        for run in runs:
            for stepped in collect_stepped_ways(run, ledger, SIZES):
                pictures = [run.frames_dir / run.scene.frame_by_index[frame].image for frame in stepped.frames]
                last = len(stepped.actions) - 1
                for step in sorted({*range(0, last, AHEAD), last}):
                    video = f"{VIDEOS}/{stepped.way.id}_{step:04d}.mp4"
                    shown = pictures[: step + 1] if step else [pictures[0]] * LEAST_FRAMES
                    write_video(shown, run.scene.id, folders[ledger.split] / video, VIDEO_FPS, SHORT_SIDE_PX)
                    ledger.counts["videos"] += 1
                    for number, text in enumerate(stepped.way.texts):
                        row_id = f"{NAV_ID}_{stepped.way.id}_{number}_{step}"
                        files[ledger.split].add(_row(row_id, video, text, stepped.actions[step : step + AHEAD]))
                        ledger.counts["rows"] += 1


def _row(row_id: str, video: str, text: str, actions: Sequence[Action]) -> dict[str, object]:
    talk = [{"from": "human", "value": PROMPT.format(text=text)}, {"from": "gpt", "value": " ".join(actions)}]
    return {"id": row_id, "video": video, "conversations": talk}
