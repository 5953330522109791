from __future__ import annotations

import json
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
from roomtour.export.formats.roomtour3d import image_encoder
from roomtour.export.formats.roomtour3d import write as roomtour3d
from roomtour.export.formats.roomtour3d.image_encoder import safe_name
from roomtour.export.formats.roomtour3d.write import Roomtour3dOptions
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


def test_each_frame_is_encoded_once(made: Path, encoder: MeanColour) -> None:
    with h5py.File(made / CROPS) as crops, h5py.File(made / DESCRIBED) as described:
        keys = [*map(str, crops), *map(str, described)]
    views = {key for key in keys if "|" not in key}
    negatives = {3, 11, 9, 2}
    frames = {int(view[-8:-4]) for view in views} | negatives
    assert sum(encoder.shown) == len(frames)


def test_a_size_the_reference_model_does_not_take_is_said(tmp_path: Path, run: RunData, encoder: MeanColour) -> None:
    report = export_runs([run], "roomtour3d", tmp_path / "out", Roomtour3dOptions(features="any"))
    assert [finding.code for finding in report.findings] == ["export.feature_size"]
    assert "vectors of" not in (tmp_path / "out" / "README.md").read_text()
    assert "Vectors are of the whole view" in (tmp_path / "out" / "README.md").read_text()


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


def test_a_missing_or_damaged_file_is_a_problem(made: Path) -> None:
    (made / CROPS).write_bytes(b"no hdf5")
    assert "hdf5" in {problem.field for problem in validate_export(made)}
    (made / DESCRIBED).unlink()
    assert "file" in {problem.field for problem in validate_export(made, "roomtour3d")}


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


def timm_folder(folder: Path) -> Path:
    """A configuration as repositories of timm have it."""
    folder.mkdir()
    config = {"architecture": "eva02_tiny_patch14_224", "num_classes": 0, "num_features": 192, "global_pool": "avg"}
    picture = {"input_size": [3, 224, 224], "interpolation": "bicubic", "crop_pct": 0.9, "crop_mode": "center"}
    normal = {"mean": [0.48, 0.46, 0.41], "std": [0.27, 0.26, 0.28], "num_classes": 0, "classifier": "head"}
    (folder / "config.json").write_text(json.dumps({**config, "pretrained_cfg": {**picture, **normal}}))
    return folder


def test_a_model_of_timm_without_timm_says_what_to_install(
    tmp_path: Path, run: RunData, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(image_encoder, "find_spec", lambda name: None)
    options = Roomtour3dOptions(features=str(timm_folder(tmp_path / "eva")))
    with pytest.raises(InstructionError, match=r"is a model of timm: pip install \"roomtour\[timm\]\""):
        export_runs([run], "roomtour3d", tmp_path / "out", options)


def test_vectors_of_a_model_of_timm_are_what_timm_gives_before_its_head(tmp_path: Path) -> None:
    timm = pytest.importorskip("timm", reason="needs roomtour[timm], and a torchvision that fits torch")
    import torch
    from PIL import Image
    from safetensors.torch import save_file

    torch.manual_seed(0)
    folder = timm_folder(tmp_path / "eva")
    module = timm.create_model("eva02_tiny_patch14_224", pretrained=False, num_classes=0).eval()
    save_file(module.state_dict(), folder / "model.safetensors")
    picture = np.random.default_rng(0).integers(0, 255, (36, 64, 3), dtype=np.uint8)
    config = json.loads((folder / "config.json").read_text())["pretrained_cfg"]
    kept = {name: config[name] for name in ("interpolation", "crop_pct", "crop_mode", "mean", "std")}
    prepare = timm.data.create_transform((3, 224, 224), is_training=False, **kept)
    with torch.inference_mode():
        vectors = module.forward_features(prepare(Image.fromarray(picture))[None])
        wanted = module.forward_head(vectors, pre_logits=True).numpy()
    assert image_encoder.TransformersEncoder(str(folder)).encode([picture]) == pytest.approx(wanted, abs=1e-5)


@pytest.mark.parametrize(
    ("model", "name"), [("google/siglip2-base", "siglip2-base"), ("a/ä b|c", "b-c"), ("/", "encoder")]
)
def test_names_of_encoders_fit_file_names(model: str, name: str) -> None:
    assert safe_name(model) == name
