"""Questions about videos as LLaVA conversations: a file of just their views, or 32 pictures, as loaders take them."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import av
import cv2
import numpy as np
import pytest

from roomtour.export import RunData, export_runs, validate_export
from roomtour.export.formats.llava.write import LlavaOptions
from tests.support.export.made_datasets import MadeDatasets


@pytest.fixture(scope="module")
def tour(made: MadeDatasets) -> RunData:
    return made.program_tours[0]


@pytest.fixture(scope="module")
def folder(tour: RunData, tmp_path_factory: pytest.TempPathFactory) -> Path:
    out = tmp_path_factory.mktemp("llava") / "out"
    export_runs([tour], "llava", out, LlavaOptions(videos=True), kinds=("programs",))
    return out


def items_of(folder: Path, name: str) -> list[dict[str, Any]]:
    return json.loads((folder / name).read_text(encoding="utf-8"))


def load_as_qwen(item: dict[str, Any], base: Path) -> list[dict[str, Any]]:
    """Messages as the loader of Qwen-VL's fine-tuning builds them: a mark takes the next file of its pool."""
    pools = {
        mark: [str(base / name) for name in ([item[key]] if isinstance(item.get(key), str) else item.get(key) or [])]
        for mark, key in (("<image>", "image"), ("<video>", "video"))
    }
    messages = []
    for turn in item["conversations"]:
        if turn["from"] != "human":
            messages.append({"role": "assistant", "content": [{"type": "text", "text": turn["value"]}]})
            continue
        content: list[dict[str, str]] = []
        for part in re.split("(<image>|<video>)", turn["value"]):
            if part in pools:
                content.append({"type": part[1:-1], part[1:-1]: pools[part].pop(0)})
            elif part.strip():
                content.append({"type": "text", "text": part.strip()})
        messages.append({"role": "user", "content": content})
    assert not any(pools.values()), "files that no mark stands for"
    return messages


def frames_of(path: Path, most: int = 32) -> Iterator[np.ndarray]:
    """Evenly sampled frames, as the loaders of LLaVA-NeXT's family take them."""
    with av.open(str(path)) as container:
        shown = [frame.to_ndarray(format="rgb24") for frame in container.decode(video=0)]
    for place in np.linspace(0, len(shown) - 1, min(most, len(shown)), dtype=int):
        yield shown[place]


def require_views(tour: RunData, row_id: str, video: Path) -> int:
    """Every sampled frame is the view of the row at its place; how many there are."""
    views = next(row.views for row in tour.rows["programs"] if row.id == row_id)
    shown = list(frames_of(video))
    assert len(shown) == len(views)
    for one, frame in zip(shown, views, strict=True):
        other = cv2.imread(str(tour.frames_dir / tour.scene.frame_by_index[frame].image))
        assert other is not None
        assert abs(one.mean(axis=(0, 1)) - other[..., ::-1].mean(axis=(0, 1))).max() < 8
    return len(shown)


def test_a_video_is_one_file_that_qwens_loader_finds(tour: RunData, folder: Path):
    assert validate_export(folder) == []
    items = items_of(folder, "program_videos_train.json")
    assert {item["medium"] for item in items} == {"video", "vsi"}
    assert len(items) > 20
    for item in items:
        user, reply = load_as_qwen(item, folder / "images")[:2]
        assert [part["type"] for part in user["content"]] == ["video", "text"]
        assert Path(user["content"][0]["video"]).is_file()
        assert "<" not in user["content"][1]["text"]
        assert reply["content"][0]["text"]
    require_views(tour, items[0]["id"], folder / "images" / items[0]["video"])


def test_without_the_option_a_video_is_its_views_as_pictures(tour: RunData, folder: Path, tmp_path: Path):
    export_runs([tour], "llava", tmp_path / "out", kinds=("programs",))
    assert validate_export(tmp_path / "out") == []
    assert not (tmp_path / "out" / "program_videos_train.json").exists()
    items = items_of(tmp_path / "out", "programs_train.json")
    told = [item for item in items if item["medium"] in ("video", "vsi")]
    views = {row.id: row.views for row in tour.rows["programs"]}
    for item in told:
        assert len(item["image"]) == item["conversations"][0]["value"].count("<image>") == len(views[item["id"]]) <= 32
        assert all((tmp_path / "out" / "images" / name).is_file() for name in item["image"])
    both = items_of(folder, "programs_train.json") + items_of(folder, "program_videos_train.json")
    assert {item["id"] for item in both} == {item["id"] for item in items}
