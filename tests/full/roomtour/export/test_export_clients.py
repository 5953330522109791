from __future__ import annotations

import importlib
import shutil
import sys
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import cv2
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from instructions.perception.masks import encode_mask, pack_runs
from roomtour.export import export_runs, validate_export
from roomtour.export.formats.talks.messages import MessagesOptions
from roomtour.export.formats.walks.vlnce import words_of
from tests.support.export.breaking import read_content
from tests.support.export.client_stubs import (
    client,
    simulator_stubbed,
    torchaudio_stubbed,
    torchvision_stubbed,
    vlmeval_alone,
)
from tests.support.export.made_datasets import MadeDatasets
from tests.support.export.made_run import make_run

CAMERA, STATE = "observation.images.camera", "observation.state"
LOADED = {
    "llava": ("ways_train.json", "views_train.json"),
    "llava of videos": ("program_videos_train.json",),
    "messages": ("train.jsonl",),
    "messages of videos": ("train.jsonl",),
    "lerobot": ("data/chunk-000/file-000.parquet",),
    "verl": ("train.parquet",),
    "lskd": ("qars_train.jsonl",),
    "swift": ("swift_train.jsonl",),
    "swift of dialogues": ("swift_train.jsonl",),
}
"""Files that people load by the kind of file."""


@pytest.fixture
def load(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Any:
    """`datasets.load_dataset` without the hub."""
    monkeypatch.setenv("HF_HUB_OFFLINE", "1")
    datasets = client("datasets")

    def load_dataset(*names: str, split: str = "train", **more: Any) -> Any:
        return datasets.load_dataset(*names, split=split, cache_dir=str(tmp_path / "cache"), **more)

    return load_dataset


def test_datasets_infers_one_schema_for_every_row_of_a_file(made: MadeDatasets, load: Any, subtests: pytest.Subtests):
    for name, files in LOADED.items():
        for file in files:
            with subtests.test(f"{name}: {file}"):
                path = made[name] / file
                loaded = load("parquet" if path.suffix == ".parquet" else "json", data_files=str(path))
                rows = read_content(path)
                assert loaded.num_rows == len(rows) > 0
                assert set(rows[0]) <= set(loaded.column_names)


def test_datasets_loads_the_configs_of_hf(made: MadeDatasets, load: Any):
    texts, views = load(str(made["hf"])), load(str(made["hf"]), "views")
    assert texts["text"][0] == "Walk ahead, then turn left."
    assert len(texts[0]["positions"]) == 6
    assert views.num_rows == 30
    assert views[0]["image"].size == (640, 360)
    assert views[3]["translation"] == pytest.approx([0.9, 0.0, 1.5])


def test_trl_fills_in_every_picture_and_finds_no_mark(
    made: MadeDatasets, load: Any, tmp_path: Path, subtests: pytest.Subtests
):
    trl = client("trl.data_utils")
    for runs, kind in ((made.spatial, "spatial"), (made.program_tours, "programs")):
        with subtests.test(kind):
            export_runs(runs, "messages", tmp_path / kind, MessagesOptions(image_marks=False), kinds=(kind,))
            assert validate_export(tmp_path / kind) == []
            for row in load("json", data_files=str(tmp_path / kind / "train.jsonl")):
                assert trl.is_conversational(row)
                told = trl.prepare_multimodal_messages(row["messages"], images=row["images"])
                parts = told[0]["content"]
                assert [part["image"] for part in parts if part["type"] == "image"] == row["images"]
                assert all("<image>" not in part.get("text", "") for message in told for part in message["content"])


@pytest.mark.parametrize(
    ("name", "file", "folder"),
    [
        ("messages", "train.jsonl", "."),
        ("swift", "swift_train.jsonl", "images"),
        ("swift, pairs", "swift_train.jsonl", "images"),
        ("swift of dialogues", "swift_train.jsonl", "images"),
    ],
)
def test_ms_swift_loads_every_row(
    made: MadeDatasets, monkeypatch: pytest.MonkeyPatch, tmp_path: Path, name: str, file: str, folder: str
):
    if name == "swift, pairs":
        out = tmp_path / "pairs"
        made.export("swift", out, "pairs=true")
    else:
        out = made[name]
    monkeypatch.chdir(out / folder)
    swift = client("swift.dataset")
    settings = {"num_proc": 1, "load_from_cache_file": False, "remove_unused_columns": False, "strict": True}
    loaded, _ = swift.load_dataset([str(out / file)], **settings)
    rows = read_content(out / file)
    assert len(loaded) == len(rows) > 0
    for item, row in zip(loaded, rows, strict=True):
        assert item["messages"] == row["messages"]
        assert [image["path"] for image in item["images"]] == row["images"]
        assert all(Path(image).is_file() for image in row["images"])
        for field in {"solution", "reward", "rejected_response"} & set(row):
            assert item[field] == row[field]
        for field in ("bbox", "ref") if "objects" in row else ():
            assert item["objects"][field] == row["objects"][field]


@pytest.mark.parametrize("name", ["messages", "messages of videos", "messages of regions"])
def test_llama_factory_reads_every_row_by_the_file_that_lies_beside(
    made: MadeDatasets, load: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str
):
    monkeypatch.setenv("DISABLE_VERSION_CHECK", "1")  # it pins transformers from above; reading rows needs none of it
    if name == "messages of regions":
        folder = tmp_path / "out"
        export_runs(made.regions, "messages", folder, kinds=("regions",))
    else:
        folder = made[name]
    with torchaudio_stubbed():
        parser, converter = client("llamafactory.data.parser"), client("llamafactory.data.converter")
    (told,) = parser.get_dataset_list(["roomtour_train"], str(folder))
    loaded = load("json", data_files=str(folder / told.dataset_name))
    settings = SimpleNamespace(
        media_dir=str(folder), streaming=False, preprocessing_num_workers=None, overwrite_cache=True
    )
    aligned = converter.align_dataset(loaded, told, settings, SimpleNamespace(local_process_index=0))
    rows = read_content(folder / "train.jsonl")
    assert len(aligned) == len(rows) > 5
    for item, row in zip(aligned, rows, strict=True):
        assert item["_videos"] == ([str(folder / file) for file in row["videos"]] if row.get("videos") else None)
        assert item["_prompt"] == row["messages"][:-1]
        assert item["_response"] == row["messages"][-1:]
        assert item["_images"] == ([str(folder / file) for file in row["images"]] or None)
        assert all(Path(file).is_file() for file in item["_images"] or item["_videos"])


def test_evo_loads_world_from_cam_with_seconds(tmp_path: Path):
    read = client("evo.tools.file_interface").read_tum_trajectory_file
    run = make_run(models=2)
    export_runs([run], "tum", tmp_path / "out")
    for model, file in zip(run.scene.models, sorted((tmp_path / "out").glob("*.txt")), strict=True):
        loaded = read(str(file))
        assert loaded.check()[0]
        assert loaded.timestamps == pytest.approx([run.scene.frame_by_index[f].time_s for f in model.frames])
        assert loaded.positions_xyz == pytest.approx(model.centers)
        matrices = [pose.matrix() for pose in model.world_from_cam.values()]
        assert np.array(loaded.poses_se3) == pytest.approx(np.array(matrices))


def test_lmms_evals_task_asks_and_scores_it(made: MadeDatasets, tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    (tmp_path / "vsibench").symlink_to(made["vsibench"])
    monkeypatch.setenv("HF_HOME", str(tmp_path))
    sys.modules.pop("lmms_eval.tasks.vsibench.utils", None)
    task = client("lmms_eval.tasks.vsibench.utils")
    rows = read_content(made["vsibench"] / "test.parquet")
    perfect, wrong = [], []
    for row in rows:
        (video,) = task.vsibench_doc_to_visual(row)
        assert Path(video).is_file()
        text = task.vsibench_doc_to_text(row, {})
        assert row["question"] in text
        assert row["options"] is None or "\n".join(row["options"]) in text
        perfect.append(task.vsibench_process_results(dict(row), [row["ground_truth"]])["vsibench_overall"])
        wrong.append(task.vsibench_process_results(dict(row), ["no idea"])["vsibench_overall"])
    assert task.vsibench_aggregate_overall(perfect) == 1.0
    assert task.vsibench_aggregate_overall(wrong) == 0.0


def test_lerobot_loads_every_frame(made: MadeDatasets, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HF_HUB_OFFLINE", "1")
    with torchvision_stubbed():
        lerobot = client("lerobot.datasets.lerobot_dataset")
    root = made["lerobot"]
    loaded = lerobot.LeRobotDataset("roomtour/made", root=root, video_backend="pyav")
    assert (loaded.num_episodes, loaded.num_frames, loaded.fps) == (2, 31, 3)
    assert loaded.meta.stats["action"]["mean"].shape == (3,)
    for row, item in zip(
        read_content(root / "data/chunk-000/file-000.parquet"), (loaded[k] for k in range(31)), strict=True
    ):
        assert item[CAMERA].shape == (3, 360, 640)
        assert item[STATE].tolist() == pytest.approx(row[STATE])
        assert item["task"] == ("Walk ahead, then turn left." if row["episode_index"] == 0 else item["task"])
    ahead = lerobot.LeRobotDataset(
        "roomtour/made", root=root, episodes=[1], delta_timestamps={"action": [0.0, 1 / 3, 2 / 3]}, video_backend="pyav"
    )
    assert ahead[0]["action"].shape == (3, 3)


def test_habitat_lab_loads_every_episode(made: MadeDatasets) -> None:
    with simulator_stubbed():
        dataset = client("habitat.datasets.vln.r2r_vln_dataset")
    config = SimpleNamespace(
        data_path=str(made["vlnce"] / "{split}.json.gz"), split="train", scenes_dir="scenes", content_scenes=["*"]
    )
    loaded = dataset.VLNDatasetV1(config)
    wanted = read_content(made["vlnce"] / "train.json.gz")
    assert len(loaded.episodes) == 3
    for episode, want in zip(loaded.episodes, wanted["episodes"], strict=True):
        assert episode.instruction.instruction_text == want["instruction"]["instruction_text"]
        assert episode.goals[0].position == want["goals"][0]["position"]
        assert episode.reference_path == want["reference_path"]
        assert episode.scene_id == "scenes/flat_m0/flat_m0.glb"
        tokens = [loaded.instruction_vocab.word2idx(word) for word in words_of(episode.instruction.instruction_text)]
        assert tokens == episode.instruction.instruction_tokens[: len(tokens)]
    assert loaded.instruction_vocab.word_list == wanted["instruction_vocab"]["word_list"]


def _read_size(content: bytes) -> tuple[int, int]:
    """Width and height of an encoded picture."""
    picture = cv2.imdecode(np.frombuffer(content, dtype=np.uint8), cv2.IMREAD_COLOR)
    assert picture is not None
    height, width = picture.shape[:2]
    return width, height


def test_verls_dataset_reads_it(made: MadeDatasets, tmp_path: Path):
    verl = client("verl.utils.dataset.rl_dataset")
    config = client("omegaconf").OmegaConf.create({"cache_dir": str(tmp_path), "filter_overlong_prompts": False})
    # Any processor will do: the dataset asks whether there is one before it opens pictures.
    loaded = verl.RLHFDataset([str(made["verl"] / "train.parquet")], tokenizer=None, config=config, processor=object())
    rows = read_content(made["verl"] / "train.parquet")
    assert len(loaded) == len(rows)
    for place in range(0, len(rows), max(len(rows) // 10, 1)):
        item, row = loaded[place], rows[place]
        parts = item["raw_prompt"][-1]["content"]
        pictures = [part["image"] for part in parts if part["type"] == "image"]
        assert [picture.size for picture in pictures] == [_read_size(one["bytes"]) for one in row["images"]]
        assert parts[-1]["text"] == row["prompt"][-1]["content"].replace("<image>", "")
        assert item["reward_model"]["ground_truth"] == row["reward_model"]["ground_truth"]
        assert item["index"] == row["extra_info"]["index"]
    batch = verl.collate_fn([loaded[0], loaded[1]])
    assert len(batch["raw_prompt"]) == 2


def test_vlmevalkit_reads_options_and_pictures(made: MadeDatasets, tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    with vlmeval_alone():
        client("vlmeval.dataset.image_mcq")
    folder = made["vlmeval of dialogues"]
    monkeypatch.setenv("LMUData", str(tmp_path))
    client("pandas")
    shutil.copy(folder / "mcq_train.tsv", tmp_path / "mcq_train.tsv")
    with vlmeval_alone():
        loaded = importlib.import_module("vlmeval.dataset.image_mcq").CustomMCQDataset("mcq_train")
    told = read_content(folder / "mcq_train.tsv")
    assert len(loaded) == len(told) > 10
    for place, line in enumerate(told):
        *pictures, text = loaded.build_prompt(place)
        assert len(pictures) == 1
        assert Path(pictures[0]["value"]).read_bytes().startswith((b"\xff\xd8", b"\x89PNG"))
        assert text["value"].startswith(f"Question: {line['question']}\nOptions:\nA. {line['A']}\nB. {line['B']}\n")
        assert loaded[place]["answer"] == line["answer"]


@given(st.lists(st.lists(st.booleans(), min_size=7, max_size=7), min_size=1, max_size=9))
def test_packed_masks_are_what_pycocotools_packs(pixels: list[list[bool]]):
    coco = client("pycocotools.mask")
    mask = np.array(pixels, dtype=np.uint8)
    ours, theirs = pack_runs(encode_mask(mask)), coco.encode(np.asfortranarray(mask))
    assert str(ours["counts"]).encode() == theirs["counts"]
    assert (coco.decode(ours) == mask).all()
