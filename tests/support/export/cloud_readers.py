"""What the loaders of LAMM, PointLLM and LLaVA-3D do with files, after what their projects publish, in our own words.

Each keeps to the steps that a dataset can fail at: which key a row needs, where its file is looked for, what is cut.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import cv2
import numpy as np
from numpy.typing import NDArray

LAMM_TEXT_TOKENS = 400
LAMM_MARKS = {"image": ("<Img>", "</Img>"), "pcl": ("<Pcl>", "</Pcl>")}


@dataclass(frozen=True)
class LammSample:
    """A row as LAMM's dataset class hands it on."""

    path: Path
    turns: list[dict[str, str]]
    task_type: str


def read_as_lamm(file: Path, root: Path, medium: str) -> list[LammSample]:
    """Rows with the key of the medium; others are skipped in silence, and a row without type is `normal`."""
    out = []
    for row in json.loads(file.read_text(encoding="utf-8")):
        if medium in row:
            name = row[medium]
            path = Path(name) if name.startswith("/") else root / name
            out.append(LammSample(path, row["conversations"], row.get("task_type", "normal")))
    return out


class WordTokenizer:
    """A stand-in for a tokenizer: one token per word or line break."""

    def __init__(self) -> None:
        self.words: list[str] = []

    def encode(self, text: str) -> list[int]:
        pieces = [piece for piece in text.replace("\n", " \n ").split(" ") if piece]
        for piece in pieces:
            if piece not in self.words:
                self.words.append(piece)
        return [self.words.index(piece) for piece in pieces]

    def decode(self, tokens: list[int]) -> str:
        return " ".join(self.words[token] for token in tokens)


def build_lamm_text(sample: LammSample, medium: str, tokenizer: WordTokenizer) -> tuple[list[int], list[int]]:
    """Tokens behind the medium and their targets, -100 where nothing is learned, cut at what the trainer keeps."""
    tokens: list[int] = []
    targets: list[int] = []
    _, end = LAMM_MARKS[medium]
    for number, turn in enumerate(sample.turns):
        if number == 0:
            assert turn["from"] == "human"
            question = turn["value"].replace("<image>\n", "").replace("\n<image>", "")
            part = tokenizer.encode(f"{end} {question}\n### Assistant:")
            learned = False
        elif turn["from"] == "human":
            part, learned = tokenizer.encode(f"Human: {turn['value']}\n### Assistant:"), False
        else:
            part, learned = tokenizer.encode(f"{turn['value']}\n###"), True
        tokens += part
        targets += part if learned else [-100] * len(part)
    return tokens[:LAMM_TEXT_TOKENS], targets[:LAMM_TEXT_TOKENS]


def read_as_pointllm(
    folder: Path, annotations: Path, types: tuple[str, ...] = ("simple_description",), points: int = 8192
) -> list[tuple[NDArray[np.float32], list[dict[str, str]]]]:
    """Rows of the wanted types with their clouds moved to their middle and scaled to a ball."""
    out = []
    for row in json.loads(annotations.read_text(encoding="utf-8")):
        if row.get("conversation_type", "simple_description") not in types:
            continue
        if "<point>" not in row["conversations"][0]["value"]:
            continue  # a row without a cloud
        cloud = np.load(folder / f"{row['object_id']}_{points}.npy")
        place = cloud[:, :3] - cloud[:, :3].mean(axis=0)
        place = place / np.sqrt((place**2).sum(axis=1)).max()
        out.append((np.concatenate([place, cloud[:, 3:]], axis=1), row["conversations"]))
    return out


@dataclass(frozen=True)
class SceneVideo:
    """A scene as LLaVA-3D's processor takes it in."""

    images: list[Path]
    poses: list[NDArray[np.float64]]
    intrinsic: NDArray[np.float64]
    axis_align: NDArray[np.float64]
    depths: list[NDArray[np.float64]]


def read_as_llava3d(folder: Path, row: dict[str, Any], scenes: dict[str, Any], frames: int = 20) -> SceneVideo:
    """Frames of a row's scene at even steps, repeated where there are too few, with their depth in metres."""
    assert not any(word in str(folder / "videos" / row["video"]) for word in ("frames", "openscan"))
    assert "target" not in row, "boxes without <boxes> in the text: the next row would get them"
    scene = scenes[row["video"]]
    dataset = row["video"].split("/")[0]
    names = [name for name in scene if name.startswith(dataset)]
    if len(names) > frames:
        step = len(names) // frames
        names = [names[(place * step) % len(names)] for place in range(frames)]
    else:
        names = (names * (frames // len(names) + 1))[:frames]
    assert all("scannet" in name for name in names), "no data set that it knows"
    depths = [cv2.imread(str(folder / "videos" / scene[name]["depth"]), cv2.IMREAD_UNCHANGED) for name in names]
    assert all(depth is not None for depth in depths)
    return SceneVideo(
        [folder / "videos" / name for name in names],
        [np.array(scene[name]["pose"]) for name in names],
        np.array(scene["intrinsic"]),
        np.array(scene["axis_align_matrix"]),
        [np.asarray(depth, np.float64) / 1000.0 for depth in depths],
    )
