"""Datasets read as the trainers' loaders read them: what they open, which keys they take, what they stop at or skip.

Written from the loaders at the commits that the formats name; no line of them is here. Each reader gives what it would
train on, and raises AssertionError, KeyError or OSError where its loader would stop, or put something else in place.
"""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import av
import numpy as np
import pyarrow.parquet as pq

from recon.pictures import find_picture_size

Item = dict[str, Any]


def read_streamvln(folder: Path, num_frames: int = 32, num_history: int = 8, future: int = 4) -> list[Item]:
    """A sample per text and stretch of `num_frames` steps."""
    items: list[Item] = []
    for way in json.loads((folder / "annotations.json").read_text()):
        assert len(way["actions"]) >= 4, "skipped"
        frames = sorted((folder / way["video"] / "rgb").iterdir())
        texts = way["instructions"] if isinstance(way["instructions"], list) else [way["instructions"]]
        actions = [*way["actions"][1:], 0]
        assert set(actions) <= {0, 1, 2, 3}
        for text in texts:
            for start in range(0, len(actions), num_frames):
                end = min(start + num_frames, len(actions))
                shown = list(range(start, end, future))
                if start:
                    shown += range(0, start, max(start // num_history, 1))
                assert all(find_picture_size(frames[step].read_bytes()) for step in shown)
                items.append({"text": text, "actions": actions[start:end], "frames": shown})
    return items


def read_navila(folder: Path, num_frames: int = 8) -> list[Item]:
    """A sample per row, its answer as the evaluation understands it: (code, size)."""
    items: list[Item] = []
    for row in json.loads((folder / "annotations.json").read_text()):
        assert "frames" in row
        assert "video_id" in row
        last = len(row["frames"]) - 1
        taken = [*np.linspace(0, last, num_frames - 1, endpoint=False, dtype=int).tolist(), last]
        pictures = [folder / row["frames"][step] for step in taken if last + 1 >= num_frames or step == last]
        assert all(find_picture_size(picture.read_bytes()) for picture in pictures)
        items.append({"text": row["q"].replace("\n", " ").capitalize(), "move": _read_move(row["a"])})
    return items


def _read_move(answer: str) -> tuple[int, int]:
    if re.search(r"\bstop\b", answer, re.IGNORECASE):
        return 0, 0
    for code, words, unit in ((1, "move forward", "cm"), (2, "turn left", "degree"), (3, "turn right", "degree")):
        if re.search(rf"\bis {words}\b", answer, re.IGNORECASE):
            size = re.search(rf"{words} (\d+) {unit}", answer)
            assert size is not None, "taken for the smallest"
            step, most = (25, 75) if code == 1 else (15, 45)
            assert int(size.group(1)) % step == 0
            assert 0 < int(size.group(1)) <= most
            return code, int(size.group(1))
    raise AssertionError(f"no action in {answer!r}")


def read_uninavid(folder: Path, video_fps: int = 1) -> list[Item]:
    """A sample per row: the frames it would sample and the next actions."""
    items: list[Item] = []
    for row in json.loads((folder / "annotations.json").read_text()):
        with av.open(str(folder / row["video"])) as container:
            stream = container.streams.video[0]
            assert stream.average_rate is not None
            step = round(float(stream.average_rate) / video_fps)
            sizes = [(frame.width, frame.height) for frame in container.decode(stream)][::step]
        assert "NAV_ID" in row["id"]
        assert len(sizes) > 1
        assert len(set(sizes)) == 1
        asked, told = row["conversations"]
        assert (asked["from"], told["from"]) == ("human", "gpt")
        assert "a video of historical observations and an image of the current observation" in asked["value"]
        assert asked["value"].count("<image>") == 1
        actions = told["value"].split(" ")
        assert set(actions) <= {"forward", "left", "right", "stop"}
        assert len(actions) <= 4
        items.append({"text": asked["value"], "frames": len(sizes), "actions": actions})
    return items


def read_internnav(folder: Path, height: int = 150, pitch_1: int = 0, pitch_2: int = 0) -> list[Item]:
    """A sample per step that has a goal, turns or stops: `goal` and `poses`, or `actions`."""
    items: list[Item] = []
    for scene in (entry for entry in folder.iterdir() if entry.is_dir()):
        for line in (scene / "meta" / "episodes.jsonl").read_text().splitlines():
            items += _read_episode(scene, json.loads(line), height, pitch_1, pitch_2)
    return items


def _read_episode(scene: Path, episode: Item, height: int, pitch_1: int, pitch_2: int) -> list[Item]:
    number, setting = episode["episode_index"], f"{height}cm_{pitch_2}deg"
    chunk = f"chunk-{number // 1000:03d}"
    table = pq.read_table(scene / "data" / chunk / f"episode_{number:06d}.parquet").to_pydict()
    assert len(table["action"]) == episode["length"]
    assert episode["length"] >= 4
    poses, goals = table[f"pose.{setting}"], table[f"goal.{setting}"]
    steps_to_goal = table[f"relative_goal_frame_id.{setting}"]
    actions = [*table["action"][1:], 0]
    # The loader exchanges words in whole paths; here in what lies below the folder of the split.
    name = f"{scene.name}/videos/{chunk}/observation.images.rgb.{height}cm_{pitch_1}deg/episode_{number:06d}_{{}}.jpg"
    for step in range(len(actions)):
        picture = name.format(step)
        down = picture.replace(f"_{pitch_1}deg", f"_{pitch_2}deg")
        depth = down.replace("rgb", "depth").replace(".jpg", ".png")
        assert all(find_picture_size((scene.parent / one).read_bytes()) for one in (picture, down, depth))
    items: list[Item] = []
    for text in episode["tasks"][0].split("<INSTRUCTION_SEP>"):
        for step, (action, goal, ahead) in enumerate(zip(actions, goals, steps_to_goal, strict=True)):
            item = {"text": text, "scene": scene.name, "episode": number, "step": step}
            if ahead != -1 and ahead >= 3:
                taken = np.array(poses[step : step + ahead + 1])
                assert taken.shape == (ahead + 1, 4, 4)
                items.append({**item, "goal": goal, "poses": taken})
            elif ahead == -1 and action != 1:
                following = actions[step : step + 4]
                turns = following[: following.index(1)] if 1 in following else following
                items.append({**item, "actions": turns})
    return items


TRAINERS = {"streamvln": read_streamvln, "navila": read_navila, "uninavid": read_uninavid, "internnav": read_internnav}
"""Readers of datasets by format."""
