from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import cv2
import h5py
import numpy as np
import pytest
from numpy.typing import NDArray

from instructions.errors import InstructionError
from roomtour.export import RunData, export_runs, validate_export
from roomtour.export.formats.walks.roomtour3d import write as roomtour3d
from roomtour.export.formats.walks.roomtour3d.write import Roomtour3dOptions
from tests.support.export.breaking import frames_on_disk
from tests.support.export.made_run import make_run

DESCRIBED, CROPS = "web_obj_prog_p1_mean-colour.hdf5", "web_3d_obj_prog_crop_p1_mean-colour.hdf5"


@dataclass
class MeanColour:
    """Three numbers per image: its mean red, green and blue; remembers how many images it was shown."""

    name: str = "mean-colour"
    shown: list[int] = field(default_factory=list)

    def encode(self, images: Sequence[NDArray[np.uint8]]) -> NDArray[np.float32]:
        self.shown.append(len(images))
        return np.array([image.reshape(-1, 3).mean(axis=0) for image in images], dtype=np.float32)


@pytest.fixture
def encoder(monkeypatch: pytest.MonkeyPatch) -> MeanColour:
    made = MeanColour()
    monkeypatch.setattr(roomtour3d, "TransformersEncoder", lambda model: made)
    return made


@pytest.fixture
def run(tmp_path: Path) -> RunData:
    return make_run(frames_dir=frames_on_disk(tmp_path / "frames"))


@pytest.fixture
def made(tmp_path: Path, run: RunData, encoder: MeanColour) -> Path:
    export_runs([run], "roomtour3d", tmp_path / "out", Roomtour3dOptions(features="any"))
    return tmp_path / "out"


def colour(run: RunData, frame: int) -> NDArray[np.float64]:
    image = cv2.imread(str(run.frames_dir / f"{frame:06d}.jpg"))
    assert image is not None
    return image[..., ::-1].reshape(-1, 3).mean(axis=0)


def test_every_key_the_loader_asks_for_holds_the_features_of_its_views(made: Path, run: RunData) -> None:
    assert validate_export(made) == []
    with h5py.File(made / CROPS) as crops:
        row: Any = crops["flat_output_frame_0012.png"]
        assert row.shape == (1, 3)
        assert row[0] == pytest.approx(colour(run, 12), abs=0.01)
        candidates: Any = crops["flat_m0|17%3%11"]
        assert candidates[()] == pytest.approx(np.array([colour(run, f) for f in (17, 3, 11)]), abs=0.01)
    with h5py.File(made / DESCRIBED) as described:
        assert sorted(described) == [f"flat_output_frame_{f:04d}.png" for f in (1, 4, 8, 12)]
        vector: Any = described["flat_output_frame_0004.png"]
        assert vector[()] == pytest.approx(colour(run, 4), abs=0.01)


def replace_key(key: str, value: Any) -> Callable[[Any], None]:
    def change(content: Any) -> None:
        del content[key]
        if value is not None:
            content[key] = value

    return change


VIEW, LONG_ID = "flat_output_frame_0012.png", "flat_m0|17%3%11"


@pytest.mark.parametrize(
    ("file", "change", "field"),
    [
        (CROPS, replace_key(VIEW, None), "key"),
        (CROPS, replace_key(LONG_ID, None), "key"),
        (CROPS, replace_key(VIEW, np.zeros(3)), "shape"),
        (CROPS, replace_key(VIEW, np.zeros((1, 4))), "shape"),
        (CROPS, replace_key(LONG_ID, np.zeros((2, 3))), "shape"),
        (CROPS, replace_key(LONG_ID, np.full((3, 3), np.nan)), "values"),
        (CROPS, replace_key(VIEW, np.zeros((1, 3), int)), "values"),
        (DESCRIBED, replace_key(VIEW, None), "key"),
        (DESCRIBED, replace_key(VIEW, np.zeros((1, 3))), "shape"),
        (DESCRIBED, replace_key(VIEW, np.full(3, np.inf)), "values"),
    ],
)
def test_every_rule_of_the_feature_files_is_held(made: Path, file: str, change: Callable, field: str) -> None:
    assert validate_export(made) == []
    with h5py.File(made / file, "r+") as content:
        change(content)
    assert field in {problem.field for problem in validate_export(made)}


def tiny_encoder(folder: Path, kind: str) -> Path:
    import torch
    import transformers

    torch.manual_seed(0)
    vision: dict[str, Any] = {
        "hidden_size": 16,
        "intermediate_size": 32,
        "num_hidden_layers": 1,
        "num_attention_heads": 2,
        "image_size": 32,
        "patch_size": 8,
    }
    text = {**vision, "vocab_size": 11, "max_position_embeddings": 16}
    if kind == "clip":
        config = transformers.CLIPConfig(text_config=text, vision_config=vision, projection_dim=12)
        module = transformers.CLIPModel(config)
    else:
        module = transformers.Dinov2Model(transformers.Dinov2Config(**vision))
    crop = {"height": 32, "width": 32}
    processor = transformers.CLIPImageProcessorPil(size={"shortest_edge": 32}, crop_size=crop)
    module.save_pretrained(folder)
    processor.save_pretrained(folder)
    return folder


@pytest.mark.parametrize(("kind", "size"), [("clip", 12), ("dinov2", 16)])
def test_a_tiny_checkpoint_of_transformers_writes_the_files(tmp_path: Path, run: RunData, kind: str, size: int) -> None:
    folder = tiny_encoder(tmp_path / f"tiny {kind}", kind)
    options = Roomtour3dOptions(features=str(folder))
    export_runs([run], "roomtour3d", tmp_path / "out", options)
    assert validate_export(tmp_path / "out") == []
    with h5py.File(tmp_path / "out" / f"web_3d_obj_prog_crop_p1_tiny-{kind}.hdf5") as crops:
        first: Any = crops[LONG_ID]
        assert first.shape == (3, size)
        assert np.linalg.norm(first[0] - first[1]) > 1e-4
    export_runs([run], "roomtour3d", tmp_path / "again", options)
    with h5py.File(tmp_path / "again" / f"web_3d_obj_prog_crop_p1_tiny-{kind}.hdf5") as crops:
        again: Any = crops[LONG_ID]
        assert again.shape == (3, size)


def test_a_model_that_is_not_here_is_one_line(tmp_path: Path, run: RunData, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HF_HUB_OFFLINE", "1")
    with pytest.raises(InstructionError, match="--features nobody/nothing: not in the Hugging Face cache"):
        export_runs([run], "roomtour3d", tmp_path / "out", Roomtour3dOptions(features="nobody/nothing"))
    assert not (tmp_path / "out").exists()
