"""Spatial questions in the hands of trainers: LLaMA-Factory's own loader, and readers as LLaVA and Qwen-VL document."""

from __future__ import annotations

import json
from collections import Counter
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import av
import cv2
import pytest

from roomtour.export import RunData, export_runs, validate_export
from roomtour.export.formats.messages.write import MessagesOptions
from tests.support.export.breaking import frames_on_disk
from tests.support.export.client_stubs import client, torchaudio_stubbed
from tests.support.export.program_runs import make_program_run
from tests.unit.roomtour.export.test_export_spatial import make_tour

MARK = "<image>"


@pytest.fixture(scope="module")
def tours(tmp_path_factory: pytest.TempPathFactory) -> list[RunData]:
    frames = frames_on_disk(tmp_path_factory.mktemp("home") / "frames", 1, 640, 480)
    return [make_tour("home1", frames), make_tour("home2", frames, tall=False)]


@pytest.fixture(scope="module")
def messages(tours: list[RunData], tmp_path_factory: pytest.TempPathFactory) -> Path:
    out = tmp_path_factory.mktemp("messages") / "out"
    export_runs(tours, "messages", out, kinds=("spatial",))
    return out


@pytest.fixture(scope="module")
def programs(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Questions about images, sets of images and videos, a video as its views."""
    folder = tmp_path_factory.mktemp("programs")
    export_runs([make_program_run(4, folder)], "messages", folder / "out", kinds=("programs",))
    return folder / "out"


@pytest.fixture(scope="module")
def videos(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The same, a video as a file."""
    folder = tmp_path_factory.mktemp("videos")
    options = MessagesOptions(videos=True)
    export_runs([make_program_run(4, folder)], "messages", folder / "out", options, kinds=("programs",))
    return folder / "out"


def rows_of(folder: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in (folder / "train.jsonl").read_text(encoding="utf-8").splitlines()]


@pytest.mark.parametrize("kind", ["messages", "programs", "videos"])
def test_llama_factory_reads_every_row_by_the_file_that_lies_beside(
    kind: str, request: pytest.FixtureRequest, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    messages: Path = request.getfixturevalue(kind)
    monkeypatch.setenv("DISABLE_VERSION_CHECK", "1")  # it pins transformers from above; reading rows needs none of it
    datasets = client("datasets")
    with torchaudio_stubbed():
        parser, converter = client("llamafactory.data.parser"), client("llamafactory.data.converter")
    (told,) = parser.get_dataset_list(["roomtour_train"], str(messages))
    loaded = datasets.load_dataset(
        "json", data_files=str(messages / told.dataset_name), split="train", cache_dir=str(tmp_path)
    )
    settings = SimpleNamespace(
        media_dir=str(messages), streaming=False, preprocessing_num_workers=None, overwrite_cache=True
    )
    aligned = converter.align_dataset(loaded, told, settings, SimpleNamespace(local_process_index=0))
    rows = rows_of(messages)
    assert len(aligned) == len(rows) > 50
    for item, row in zip(aligned, rows, strict=True):
        assert item["_videos"] == ([str(messages / name) for name in row["videos"]] if row.get("videos") else None)
        assert item["_prompt"] == row["messages"][:-1]
        assert item["_response"] == row["messages"][-1:]
        assert item["_images"] == ([str(messages / name) for name in row["images"]] or None)
        assert all(Path(name).is_file() for name in item["_images"] or item["_videos"])


def test_a_question_about_a_video_may_come_with_its_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    """The file holds exactly the views, in their order; LLaMA-Factory, where it is installed, finds it."""
    run = make_program_run(4, tmp_path)
    export_runs([run], "messages", tmp_path / "out", MessagesOptions(videos=True), kinds=("programs",))
    assert validate_export(tmp_path / "out") == []
    sources = {row.id: row for row in run.rows["programs"]}
    counted: Counter[str] = Counter()
    for row in rows_of(tmp_path / "out"):
        medium, said = row["medium"], row["messages"][0]["content"]
        counted[medium] += 1
        if medium not in ("video", "vsi"):
            assert row["videos"] == []
            assert said.count("<image>") == len(row["images"]) > 0
            continue
        (name,) = row["videos"]
        assert (row["images"], said.count("<video>"), said.count("<image>")) == ([], 1, 0)
        with av.open(str(tmp_path / "out" / name)) as container:
            shown = [frame.to_ndarray(format="rgb24") for frame in container.decode(video=0)]
        views = sources[row["id"]].views
        wanted = [cv2.imread(str(run.frames_dir / run.scene.frame_by_index[frame].image)) for frame in views]
        assert len(shown) == len(wanted)
        for one, other in zip(shown, wanted, strict=True):
            assert other is not None
            assert abs(one.mean(axis=(0, 1)) - other[..., ::-1].mean(axis=(0, 1))).max() < 8
    assert counted["video"] > 10
    assert counted["vsi"] > 10
    assert len(list((tmp_path / "out" / "videos").iterdir())) == 1  # both are about the same views
    next((tmp_path / "out" / "videos").iterdir()).unlink()
    assert {problem.field for problem in validate_export(tmp_path / "out")} >= {"videos"}


@pytest.mark.parametrize(
    ("change", "field"),
    [
        (lambda info: info["roomtour_train"].update(file_name="gone.jsonl"), "file_name"),
        (lambda info: info["roomtour_train"].update(formatting="alpaca"), "formatting"),
        (lambda info: info["roomtour_train"]["columns"].pop("images"), "columns.images"),
        (lambda info: info["roomtour_train"].pop("tags"), "tags"),
    ],
)
def test_what_llama_factory_is_told_is_checked(tours: list[RunData], tmp_path: Path, change: Any, field: str):
    export_runs(tours, "messages", tmp_path / "out", kinds=("spatial",))
    file = tmp_path / "out" / "dataset_info.json"
    info = json.loads(file.read_text(encoding="utf-8"))
    change(info)
    file.write_text(json.dumps(info), encoding="utf-8")
    assert field in {problem.field for problem in validate_export(tmp_path / "out")}


def test_without_marks_llama_factory_is_told_nothing(tours: list[RunData], tmp_path: Path):
    export_runs(tours, "messages", tmp_path / "out", MessagesOptions(image_marks=False), kinds=("spatial",))
    assert not (tmp_path / "out" / "dataset_info.json").exists()
    assert validate_export(tmp_path / "out") == []


def test_both_splits_are_told(tours: list[RunData], tmp_path: Path):
    export_runs(tours, "messages", tmp_path / "out", MessagesOptions(val_share=0.5), kinds=("spatial",))
    info = json.loads((tmp_path / "out" / "dataset_info.json").read_text(encoding="utf-8"))
    assert {name: one["file_name"] for name, one in info.items()} == {
        "roomtour_train": "train.jsonl",
        "roomtour_val": "val.jsonl",
    }


class LlavaReader:
    """A sample as LLaVA's trainer takes it, by its page on custom data: one picture by name, turns of two speakers.

    The first version of that trainer joins the folder and `image`, so a list of names ends it; it takes the marks out,
    puts one before the first sentence, and asserts that human and gpt speak by turns.
    """

    def __init__(self, file: Path, images: Path) -> None:
        self.samples = json.loads(file.read_text(encoding="utf-8"))
        self._images = images

    def read(self, sample: dict[str, Any]) -> tuple[Any, list[tuple[str, str]]]:
        image = client("PIL.Image").open(self._images / sample["image"]).convert("RGB")
        turns = []
        for place, turn in enumerate(sample["conversations"]):
            assert turn["from"] == ("human", "gpt")[place % 2]
            text = turn["value"]
            if MARK in text:
                assert place == 0
                text = f"{MARK}\n{text.replace(MARK, '').strip()}"
            turns.append((turn["from"], text))
        assert len(turns) % 2 == 0
        return image, turns


class QwenReader:
    """A sample as Qwen-VL's finetuning code takes it, by its page: as many marks as pictures, put in by order.

    `image` is a name or a list of names below the dataset's `data_path`; the marks in what the human says are replaced
    by so many tokens as each picture has patches, and a mark without a picture ends it.
    """

    roles = {"human": "user", "gpt": "assistant"}  # noqa: RUF012

    def __init__(self, file: Path, images: Path) -> None:
        self.samples = json.loads(file.read_text(encoding="utf-8"))
        self._images = images

    def read(self, sample: dict[str, Any]) -> list[tuple[str, str]]:
        names = sample["image"] if isinstance(sample["image"], list) else [sample["image"]]
        left = [client("PIL.Image").open(self._images / name).convert("RGB").size for name in names]
        turns = []
        for turn in sample["conversations"]:
            text = turn["value"]
            while MARK in text:
                width, height = left.pop(0)
                text = text.replace(MARK, f"[{width // 28}x{height // 28}]", 1)
            turns.append((self.roles[turn["from"]], text))
        assert not left
        return turns


@pytest.fixture(scope="module")
def llava(tours: list[RunData], tmp_path_factory: pytest.TempPathFactory) -> Path:
    out = tmp_path_factory.mktemp("llava") / "out"
    export_runs(tours, "llava", out, kinds=("spatial",))
    return out


def test_llava_takes_every_row(llava: Path, tours: list[RunData]):
    by_id = {row.id: row for tour in tours for row in tour.rows["spatial"]}
    reader = LlavaReader(llava / "questions_train.json", llava / "images")
    assert len(reader.samples) > 50
    for sample in reader.samples:
        image, turns = reader.read(sample)
        row = by_id[sample["id"]]
        assert image.size == (640, 480)
        assert turns == [("human", f"{MARK}\n{row.question}"), ("gpt", row.answer)]


def test_qwen_takes_every_row(llava: Path, tours: list[RunData]):
    by_id = {row.id: row for tour in tours for row in tour.rows["spatial"]}
    reader = QwenReader(llava / "questions_train.json", llava / "images")
    for sample in reader.samples:
        row = by_id[sample["id"]]
        assert reader.read(sample) == [("user", f"[22x17]\n{row.question}"), ("assistant", row.answer)]
