"""Our datasets in the hands of their clients, each with its own code."""

from __future__ import annotations

import base64
import importlib
import io
import json
import re
import shutil
import sys
from dataclasses import replace
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
from roomtour.export.formats.hf.write import HfOptions
from roomtour.export.formats.messages.write import MessagesOptions
from roomtour.export.formats.vlmeval.write import VlmevalOptions
from roomtour.export.formats.vlnce.write import words_of
from tests.support.export.breaking import frames_on_disk, read_content
from tests.support.export.client_stubs import (
    client,
    simulator_stubbed,
    torchaudio_stubbed,
    torchvision_stubbed,
    vlmeval_alone,
)
from tests.support.export.made_datasets import MadeDatasets
from tests.support.export.made_run import make_run
from tests.support.export.mark_rows import make_marked_tour

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


def test_datasets_loads_every_config_that_a_card_of_poses_only_names(load: Any, tmp_path: Path):
    export_runs([replace(make_run(), rows={})], "hf", tmp_path / "hf", HfOptions(images=False))
    names = client("datasets").get_dataset_config_names(str(tmp_path / "hf"))
    assert {name: load(str(tmp_path / "hf"), name).num_rows for name in names} == {"views": 30}
    assert load(str(tmp_path / "hf")).num_rows == 30


def test_datasets_loads_questions_of_hf(made: MadeDatasets, load: Any, tmp_path: Path):
    export_runs(made.spatial, "hf", tmp_path / "hf")
    loaded = load(str(tmp_path / "hf"), "questions")
    assert loaded.num_rows == len(read_content(made["messages"] / "train.jsonl"))
    assert loaded[0]["images"][0].size == (640, 480)
    assert {"question", "answer", "type", "choices", "ground_truth", "unit", "sigma"} <= set(loaded.column_names)


def test_datasets_loads_rows_in_three_parts_and_their_twins(made: MadeDatasets, load: Any):
    (run,), report = made.regions, made.report("hf of regions")
    rows = {row.id: row for row in run.rows["regions"] if row.accepted}
    views = {view.id: view for view in run.region_views}
    qars, pairs = (load(str(made["hf of regions"]), name) for name in ("qars", "pairs"))
    assert (qars.num_rows, pairs.num_rows) == (report.counts["qars"], report.counts["pairs"])
    assert {item["id"] for item in qars} == set(rows)
    for item in qars:
        row, view = rows[item["id"]], views[item["view"]]
        assert (item["question"], item["answer"], item["rationale"]) == (row.question, row.answer, row.rationale)
        assert item["image"].size == (view.width, view.height)
        for number, box, label in zip(item["numbers"], item["boxes"], item["labels"], strict=True):
            region = next(one for one in view.regions if one.number == number)
            assert box == pytest.approx(region.box_xyxy, abs=0.01)
            assert label == region.label
        states = [one["state"] for one in json.loads(item["verdicts"])]
        assert states == [one.state for one in row.verdicts]
    twins = {pair.id: pair for pair in run.region_pairs}
    assert {item["id"] for item in pairs} == set(twins) != set()
    for item in pairs:
        pair = twins[item["id"]]
        assert (item["chosen"], item["rejected"], item["because"]) == (pair.chosen, pair.rejected, pair.because)
        assert item["row"] in rows


def test_swift_marks_stand_for_the_boxes_of_their_regions(made: MadeDatasets, load: Any):
    (run,), out = made.regions, made["swift"]
    loaded = load("json", data_files=str(out / "swift_train.jsonl"))
    rows = {row.id: row for row in run.rows["regions"] if row.accepted}
    views = {view.id: view for view in run.region_views}
    assert loaded.num_rows == len(rows)
    for item in loaded:
        row = rows[item["id"]]
        boxes = {one.number: list(one.box_xyxy) for one in views[row.view].regions}
        whole = "".join(message["content"] for message in item["messages"])
        refs, bboxes = iter(item["objects"]["ref"]), iter(item["objects"]["bbox"])
        pieces = whole.replace("<image>", "").split("<ref-object><bbox>")
        filled = pieces[0] + "".join(f"{next(refs)}{piece}" for piece in pieces[1:])
        assert re.findall(r"\[\d+\]", filled) == re.findall(r"\[\d+\]", f"{row.question}{row.answer}{row.rationale}")
        for number in re.findall(r"\[(\d+)\]", filled):
            assert next(bboxes) == pytest.approx(boxes[int(number)], abs=0.01)
        assert (out / "images" / item["images"][0]).is_file()


def test_datasets_loads_vsibench_as_its_task_does(made: MadeDatasets, load: Any):
    loaded = load(str(made["vsibench"]), split="test")
    assert loaded.num_rows == len(read_content(made["vsibench"] / "test.parquet"))
    wanted = {"id", "dataset", "scene_name", "question_type", "question", "options", "ground_truth"}
    assert set(loaded.column_names) >= wanted


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


def test_pandas_finds_the_texts_as_index(made: MadeDatasets) -> None:
    pandas = client("pandas")
    tasks = pandas.read_parquet(made["lerobot"] / "meta/tasks.parquet")
    assert tasks.iloc[0].name == "Walk ahead, then turn left."
    assert tasks.loc["Turn left and walk to the end."].task_index == 1


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
        assert [picture.size for picture in pictures] == [(66, 48)] * len(row["images"])
        assert parts[-1]["text"] == row["prompt"][-1]["content"].replace("<image>", "")
        assert item["reward_model"]["ground_truth"] == row["reward_model"]["ground_truth"]
        assert item["index"] == row["extra_info"]["index"]
    batch = verl.collate_fn([loaded[0], loaded[1]])
    assert len(batch["raw_prompt"]) == 2


def test_it_reads_as_easyr1_documents(made: MadeDatasets, load: Any):
    """EasyR1 is on no package index: its dataset splits `problem` at the marks inside the template of its
    `format_prompt`, opens `images` by their bytes, and gives `answer` to the reward function with the batch."""
    dataset, jinja, pillow = made["verl"], client("jinja2"), client("PIL.Image")
    loaded = load("parquet", data_files=str(dataset / "train.parquet"))
    around = jinja.Template((dataset / "format_prompt.jinja").read_text(encoding="utf-8").strip())
    rows = read_content(dataset / "train.parquet")
    for item, row in zip(loaded, rows, strict=True):
        told = around.render(content=item["problem"])
        assert "<answer>" in told
        assert told.split("<image>")[-1].startswith(row["prompt"][-1]["content"].replace("<image>", ""))
        pictures = [pillow.open(io.BytesIO(image["bytes"])) for image in item["images"]]
        assert told.count("<image>") == len(pictures) > 0
        assert {picture.size for picture in pictures} == {(66, 48)}
        assert item["answer"] == row["reward_model"]["ground_truth"]


@pytest.mark.parametrize("name", ["mcq_train.tsv", "vqa_train.tsv"])
def test_pandas_reads_tables_of_vlmeval_and_every_row_leads_to_a_picture(made: MadeDatasets, name: str):
    pandas = client("pandas")
    data = pandas.read_csv(made["vlmeval"] / name, sep="\t")
    data = data[~pandas.isna(data["image"])]
    assert len(data) == len(read_content(made["vlmeval"] / name)) > 10
    pictures = {str(index): str(image) for index, image in zip(data["index"], data["image"], strict=True)}
    for image in list(pictures.values()):
        if len(image) <= 64:  # the client takes it for the index of another row
            assert len(pictures[image]) > 64
            image = pictures[image]
        assert base64.b64decode(image).startswith(b"\xff\xd8")


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


def test_vlmevalkit_reads_several_pictures_and_those_of_an_earlier_row(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    with vlmeval_alone():
        client("vlmeval.dataset.image_mcq")
    tour = make_marked_tour("home1", frames_on_disk(tmp_path / "frames", 2, 640, 480))
    export_runs([tour], "vlmeval", tmp_path / "out", VlmevalOptions(balance=False), kinds=("spatial",))
    monkeypatch.setenv("LMUData", str(tmp_path))
    shutil.copy(tmp_path / "out" / "mcq_train.tsv", tmp_path / "mcq_train.tsv")
    with vlmeval_alone():
        loaded = importlib.import_module("vlmeval.dataset.image_mcq").CustomMCQDataset("mcq_train")
    shown = {loaded[place]["id"]: loaded.build_prompt(place)[:-1] for place in range(len(loaded))}
    assert [len(shown[f"home1_q{number}"]) for number in (1, 2, 3, 5)] == [1, 1, 1, 2]
    for pictures in shown.values():
        assert all(Path(one["value"]).read_bytes().startswith((b"\xff\xd8", b"\x89PNG")) for one in pictures)


def test_osprey_masks_are_those_of_pycocotools(made: MadeDatasets):
    coco = client("pycocotools.mask")
    (run,), items = made.regions, read_content(made["osprey"] / "osprey_train.json")
    assert len(items) == sum(row.mode == "id" and row.accepted for row in run.rows["regions"])
    for item in items:
        for one in item["annotation"]:
            height, width = one["segmentation"]["size"]
            assert (height, width) == (item["height"], item["width"])
            mask = coco.decode(coco.frPyObjects(one["segmentation"], height, width))
            x0, y0, x1, y1 = (int(value) for value in one["bbox"])
            assert mask.sum() == mask[y0:y1, x0:x1].sum() == (y1 - y0) * (x1 - x0)


def test_the_trainer_of_spatialrgpt_finds_picture_masks_boxes_and_depth(made: MadeDatasets):
    coco, dataset = client("pycocotools.mask"), made["spatialrgpt"]
    for name in ("train.json", "train_depth.json"):
        for row in read_content(dataset / name):
            image = cv2.imread(str(dataset / "images" / f"{row['filename']}.jpg"))
            assert image is not None
            height, width = image.shape[:2]
            marks = row["conversations"][0]["value"].count("<mask>")
            masks = [coco.decode(rle) for rle in row["rle"]]
            assert marks == len(masks) == len(row["bbox"]) >= 1
            for mask, box in zip(masks, row["bbox"], strict=True):
                assert mask.shape == (height, width)
                from_box = np.zeros((height, width), np.uint8)
                x1, y1, x2, y2 = map(int, box)
                from_box[y1:y2, x1:x2] = 1
                assert (mask == from_box).all()  # these things have no masks: their box stands for one


@given(st.lists(st.lists(st.booleans(), min_size=7, max_size=7), min_size=1, max_size=9))
def test_packed_masks_are_what_pycocotools_packs(pixels: list[list[bool]]):
    coco = client("pycocotools.mask")
    mask = np.array(pixels, dtype=np.uint8)
    ours, theirs = pack_runs(encode_mask(mask)), coco.encode(np.asfortranarray(mask))
    assert str(ours["counts"]).encode() == theirs["counts"]
    assert (coco.decode(ours) == mask).all()


def test_long_runs_are_packed_too():
    coco = client("pycocotools.mask")
    mask = np.zeros((900, 1400), np.uint8)
    mask[300:640, 200:1200] = 1
    mask[10:12, 5:6] = 1
    assert (coco.decode(pack_runs(encode_mask(mask))) == mask).all()
